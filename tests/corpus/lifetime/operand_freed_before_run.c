// rule: memory.use-after-free
// wrong: the data buffer still names memory that was freed when the tensor was resized
#include "tensors.h"

enum { COUNT = 512 };

static void resize(Tensor *t, int64_t count)
{
    ACL(aclrtFree(t->memory));
    t->memory = device_memory((size_t)count * sizeof(float));
#ifndef WRONG
    ACL(aclUpdateDataBuffer(t->buffer, t->memory, t->size));
#endif
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Tensor a = new_vector(COUNT), b = new_vector(COUNT);
    fill(a, 1);
    resize(&a, COUNT);
    fill(a, 2);
    const aclTensorDesc *in[] = {a.desc, a.desc}, *out[] = {b.desc};
    const aclDataBuffer *inputs[] = {a.buffer, a.buffer};
    aclDataBuffer *outputs[] = {b.buffer};
    if (TRY(aclopCompileAndExecute("Add", 2, in, inputs, 1, out, outputs, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream)) == 0) {
        ACL(aclrtSynchronizeStream(stream));
        EXPECT(holds(b, 4));
    }
    drop(b);
    drop(a);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
