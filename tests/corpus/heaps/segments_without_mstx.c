// rule: segment.spacing segment.start
// severity: hint
// wrong: operands of operators lie in a block of aclrtMallocAlign32 right behind each other
#include "tensors.h"

enum { POOL = 1 << 15, COUNT = 250 };

int main(void)
{
    void *pool = NULL;
    start();
    aclrtStream stream = new_stream();
    ACL(aclrtMallocAlign32(&pool, POOL, ACL_MEM_MALLOC_HUGE_FIRST));
    size_t length = COUNT * sizeof(float);
#ifdef WRONG
    size_t stride = length;
#else
    size_t stride = ((length + 31) / 32 * 32 + 32 + 63) / 64 * 64;
#endif
    Tensor a = vector_at(pool, COUNT), b = vector_at((char *)pool + stride, COUNT);
    Tensor c = vector_at((char *)pool + 2 * stride, COUNT);
    fill(a, 1);
    fill(b, 2);
    add(a, b, c, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(c, 3));
    forget(c);
    forget(b);
    forget(a);
    ACL(aclrtFree(pool));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
