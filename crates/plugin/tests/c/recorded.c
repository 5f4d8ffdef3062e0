/* Three blocks on two streams, one of which is freed by the other stream, and a request that fails: what a recording of the pool
 * has to show. */
#include "shared.h"

int main(void)
{
    aclrtStream first = NULL, second = NULL;
    Allocator a, b;
    void *one, *two, *three;

    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&first));
    OK(aclrtCreateStream(&second));
    a = registered(first, NULL);
    b = registered(second, NULL);

    one = a.alloc(a.object, MIB);
    two = b.alloc(b.object, 3 * MIB);
    CHECK(one != NULL && two != NULL);
    CHECK(a.alloc(a.object, (size_t)1 << 40) == NULL);
    b.free(b.object, two);
    b.free(b.object, one);
    three = a.alloc(a.object, 100);
    CHECK(three != NULL);
    a.free(a.object, three);

    OK(aclrtSynchronizeStream(first));
    OK(aclrtSynchronizeStream(second));
    DONE(millpondAllocatorTrim(a.desc, 0, NULL));
    unregistered(&a);
    unregistered(&b);
    OK(aclrtDestroyStream(first));
    OK(aclrtDestroyStream(second));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
