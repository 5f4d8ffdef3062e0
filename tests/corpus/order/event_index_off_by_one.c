// rule: stream.race
// wrong: each layer waits for the event of the layer before the one it needs
#include "corpus.h"

/* Layers run in turn on two streams; each reads what the layer before has written. */
enum { LAYERS = 8, BYTES = 2048 };

int main(void)
{
    void *activations[LAYERS + 1];
    aclrtEvent done[LAYERS + 1];

    start();
    aclrtStream streams[2] = {new_stream(), new_stream()};
    for (int i = 0; i <= LAYERS; i++) {
        activations[i] = device_memory(BYTES);
        done[i] = new_event();
    }
    ACL(aclrtMemsetAsync(activations[0], BYTES, 9, BYTES, streams[1]));
    ACL(aclrtRecordEvent(done[0], streams[1]));
    for (int layer = 1; layer <= LAYERS; layer++) {
        aclrtStream stream = streams[layer % 2 ? 0 : 1];
#ifdef WRONG
        int needed = layer >= 2 ? layer - 2 : 0;
#else
        int needed = layer - 1;
#endif
        ACL(aclrtStreamWaitEvent(stream, done[needed]));
        ACL(aclrtMemcpyAsync(activations[layer], BYTES, activations[layer - 1], BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        ACL(aclrtRecordEvent(done[layer], stream));
    }
    ACL(aclrtSynchronizeEvent(done[LAYERS]));
    ACL(aclrtSynchronizeDevice());
    EXPECT(device_bytes(activations[LAYERS], BYTES, 9));

    for (int i = 0; i <= LAYERS; i++) {
        ACL(aclrtDestroyEvent(done[i]));
        ACL(aclrtFree(activations[i]));
    }
    ACL(aclrtDestroyStream(streams[0]));
    ACL(aclrtDestroyStream(streams[1]));
    return finish();
}
