// rule: memory.out-of-bounds
// wrong: an array of the program is given to an operator as if it were device memory
#include "tensors.h"

enum { COUNT = 32 };

int main(void)
{
    static float host[COUNT];
    start();
    aclrtStream stream = new_stream();
    Tensor a = new_vector(COUNT), out = new_vector(COUNT);
    fill(a, 1);
    for (int i = 0; i < COUNT; i++)
        host[i] = 2;
#ifdef WRONG
    Tensor b = vector_at(host, COUNT);
#else
    Tensor b = new_vector(COUNT);
    upload(b.memory, host, b.size);
#endif
    const aclTensorDesc *in[] = {a.desc, b.desc}, *results[] = {out.desc};
    const aclDataBuffer *inputs[] = {a.buffer, b.buffer};
    aclDataBuffer *outputs[] = {out.buffer};
    if (TRY(aclopCompileAndExecute("Add", 2, in, inputs, 1, results, outputs, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream)) == 0) {
        ACL(aclrtSynchronizeStream(stream));
        EXPECT(holds(out, 3));
    }
#ifdef WRONG
    forget(b);
#else
    drop(b);
#endif
    drop(out);
    drop(a);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
