// rule: memory.out-of-bounds
// wrong: the data buffer of an output claims more bytes than its memory has
#include "tensors.h"

/* The output was sized for half precision and is computed in single. */
enum { COUNT = 1000 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Tensor a = new_vector(COUNT), b = new_vector(COUNT);
    fill(a, 1);
    fill(b, 2);
#ifdef WRONG
    Tensor sum = vector_at(device_memory(COUNT * 2), COUNT);
#else
    Tensor sum = vector_at(device_memory(COUNT * 4), COUNT);
#endif
    const aclTensorDesc *in[] = {a.desc, b.desc}, *out[] = {sum.desc};
    const aclDataBuffer *inputs[] = {a.buffer, b.buffer};
    aclDataBuffer *outputs[] = {sum.buffer};
    TRY(aclopCompileAndExecute("Add", 2, in, inputs, 1, out, outputs, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream));
    TRY(aclrtSynchronizeStream(stream));
#ifndef WRONG
    EXPECT(holds(sum, 3));
#endif
    drop(sum);
    drop(b);
    drop(a);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
