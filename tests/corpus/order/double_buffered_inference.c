// rule: stream.race
// wrong: the second buffer's batch is computed on without waiting for its upload
#include "corpus.h"

/* Two buffers: while one is computed on, the other is loaded. */
enum { BYTES = 64 << 10, BATCHES = 6 };

typedef struct {
    void *staging, *input, *output;
    aclrtEvent loaded, computed;
} Slot;

int main(void)
{
    Slot slots[2];
    unsigned char *results;

    start();
    aclrtStream loader = new_stream(), worker = new_stream();
    for (int i = 0; i < 2; i++) {
        slots[i].staging = pinned_memory(BYTES);
        slots[i].input = device_memory(BYTES);
        slots[i].output = device_memory(BYTES);
        slots[i].loaded = new_event();
        slots[i].computed = new_event();
    }
    results = malloc(BATCHES);

    for (int batch = 0; batch < BATCHES; batch++) {
        Slot *slot = &slots[batch % 2];
        if (batch >= 2) {
            ACL(aclrtSynchronizeEvent(slot->computed));
            download(&results[batch - 2], slot->output, 1);
        }
        memset(slot->staging, batch + 1, BYTES);
        ACL(aclrtMemcpyAsync(slot->input, BYTES, slot->staging, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, loader));
        ACL(aclrtRecordEvent(slot->loaded, loader));
#ifdef WRONG
        if (batch % 2 == 0)
#endif
            ACL(aclrtStreamWaitEvent(worker, slot->loaded));
        ACL(aclrtMemcpyAsync(slot->output, BYTES, slot->input, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, worker));
        ACL(aclrtRecordEvent(slot->computed, worker));
    }
    ACL(aclrtSynchronizeStream(loader));
    ACL(aclrtSynchronizeStream(worker));
    download(&results[BATCHES - 2], slots[0].output, 1);
    download(&results[BATCHES - 1], slots[1].output, 1);
    for (int batch = 0; batch < BATCHES; batch++)
        EXPECT(results[batch] == batch + 1);

    free(results);
    for (int i = 0; i < 2; i++) {
        ACL(aclrtDestroyEvent(slots[i].computed));
        ACL(aclrtDestroyEvent(slots[i].loaded));
        ACL(aclrtFree(slots[i].output));
        ACL(aclrtFree(slots[i].input));
        ACL(aclrtFreeHost(slots[i].staging));
    }
    ACL(aclrtDestroyStream(worker));
    ACL(aclrtDestroyStream(loader));
    return finish();
}
