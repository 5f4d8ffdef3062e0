// rule: memory.freed-in-use
// wrong: the function that frees without waiting is used where the one that waits is needed
#include "corpus.h"

enum { BYTES = 1 << 16, LAYERS = 3 };

static void release(void *memory)
{
#ifdef WRONG
    ACL(aclrtFree(memory));
#else
    ACL(aclrtFreeWithDevSync(memory));
#endif
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    void *result = device_memory(BYTES);
    for (int layer = 0; layer < LAYERS; layer++) {
        void *activation = device_memory(BYTES);
        ACL(aclrtMemsetAsync(activation, BYTES, layer, BYTES, stream));
        ACL(aclrtMemcpyAsync(result, BYTES, activation, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        release(activation);
    }
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(result, BYTES, LAYERS - 1));
    ACL(aclrtFree(result));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
