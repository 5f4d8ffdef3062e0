// rule: stream.host-buffer
// wrong: a slot of a small ring is filled again before its copy is known to be done
#include "corpus.h"

/* Slots of 128 bytes in one pinned page: one is copied while its neighbours are filled. */
enum { SLOTS = 4, SLOT = 128, MESSAGES = 16 };

int main(void)
{
    aclrtEvent copied[SLOTS];
    start();
    aclrtStream stream = new_stream();
    char *ring = pinned_memory(SLOTS * SLOT), *device = device_memory(MESSAGES * SLOT);
    for (int i = 0; i < SLOTS; i++)
        copied[i] = new_event();
    for (int message = 0; message < MESSAGES; message++) {
        char *slot = ring + message % SLOTS * SLOT;
#ifndef WRONG
        if (message >= SLOTS)
            ACL(aclrtSynchronizeEvent(copied[message % SLOTS]));
#endif
        for (int i = 0; i < SLOT; i++)
            slot[i] = (char)message;
        ACL(aclrtMemcpyAsync(device + message * SLOT, SLOT, slot, SLOT, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL(aclrtRecordEvent(copied[message % SLOTS], stream));
    }
    ACL(aclrtSynchronizeStream(stream));
    for (int message = 0; message < MESSAGES; message++)
        EXPECT(device_bytes(device + message * SLOT, SLOT, message));
    for (int i = 0; i < SLOTS; i++)
        ACL(aclrtDestroyEvent(copied[i]));
    ACL(aclrtFree(device));
    ACL(aclrtFreeHost(ring));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
