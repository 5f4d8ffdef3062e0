// rule: stream.race
// wrong: the loader overwrites a slot of the device ring while the consumer may still read it
#include "corpus.h"

/* A ring of three device slots, filled on one stream and drained on another. */
enum { SLOTS = 3, ROUNDS = 9, BYTES = 4096 };

static aclrtStream filling, draining;
static aclrtEvent filled[SLOTS], drained[SLOTS];
static char *ring, *host, *results;

static void fill_slot(int round)
{
    int slot = round % SLOTS;
#ifndef WRONG
    if (round >= SLOTS)
        ACL(aclrtStreamWaitEvent(filling, drained[slot]));
#endif
    ACL(aclrtMemcpyAsync(ring + slot * BYTES, BYTES, host + round * BYTES, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, filling));
    ACL(aclrtRecordEvent(filled[slot], filling));
}

static void drain_slot(int round)
{
    int slot = round % SLOTS;
    ACL(aclrtStreamWaitEvent(draining, filled[slot]));
    ACL(aclrtMemcpyAsync(results + round * BYTES, BYTES, ring + slot * BYTES, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, draining));
    ACL(aclrtRecordEvent(drained[slot], draining));
}

int main(void)
{
    start();
    filling = new_stream();
    draining = new_stream();
    for (int i = 0; i < SLOTS; i++) {
        filled[i] = new_event();
        drained[i] = new_event();
    }
    ring = device_memory(SLOTS * BYTES);
    host = pinned_memory(ROUNDS * BYTES);
    results = pinned_memory(ROUNDS * BYTES);
    for (int round = 0; round < ROUNDS; round++)
        memset(host + round * BYTES, 'a' + round, BYTES);

    for (int round = 0; round < ROUNDS; round++) {
        fill_slot(round);
        drain_slot(round);
    }
    ACL(aclrtSynchronizeStream(draining));
    ACL(aclrtSynchronizeStream(filling));
    EXPECT(memcmp(host, results, ROUNDS * BYTES) == 0);

    for (int i = 0; i < SLOTS; i++) {
        ACL(aclrtDestroyEvent(filled[i]));
        ACL(aclrtDestroyEvent(drained[i]));
    }
    ACL(aclrtFreeHost(results));
    ACL(aclrtFreeHost(host));
    ACL(aclrtFree(ring));
    ACL(aclrtDestroyStream(draining));
    ACL(aclrtDestroyStream(filling));
    return finish();
}
