// rule: stream.host-buffer
// wrong: a slot of the pinned ring is written again while its copy may still be queued
#include "corpus.h"

enum { SLOTS = 2, BYTES = 8192, SAMPLES = 8 };

int main(void)
{
    aclrtEvent free_again[SLOTS];
    start();
    aclrtStream stream = new_stream();
    char *ring = pinned_memory(SLOTS * BYTES), *samples = device_memory(SAMPLES * BYTES);
    for (int i = 0; i < SLOTS; i++)
        free_again[i] = new_event();
    for (int sample = 0; sample < SAMPLES; sample++) {
        char *slot = ring + sample % SLOTS * BYTES;
#ifndef WRONG
        if (sample >= SLOTS)
            ACL(aclrtSynchronizeEvent(free_again[sample % SLOTS]));
#endif
        memset(slot, sample, BYTES);
        ACL(aclrtMemcpyAsync(samples + sample * BYTES, BYTES, slot, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL(aclrtRecordEvent(free_again[sample % SLOTS], stream));
    }
    ACL(aclrtSynchronizeStream(stream));
    for (int sample = 0; sample < SAMPLES; sample++)
        EXPECT(device_bytes(samples + sample * BYTES, BYTES, sample));
    for (int i = 0; i < SLOTS; i++)
        ACL(aclrtDestroyEvent(free_again[i]));
    ACL(aclrtFree(samples));
    ACL(aclrtFreeHost(ring));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
