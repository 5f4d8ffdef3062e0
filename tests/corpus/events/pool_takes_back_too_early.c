// rule: event.reset-in-use
// wrong: the event pool puts an event back without asking whether its waits have passed
#include "corpus.h"

/* A pool of events as frameworks have it: get, record, wait, give back when the wait is over. */
enum { BYTES = 1024, ROUNDS = 6 };

typedef struct {
    aclrtEvent events[4];
    int count;
} EventPool;

static aclrtEvent event_get(EventPool *pool)
{
    aclrtEvent event;
    if (pool->count > 0)
        return pool->events[--pool->count];
    ACL(aclrtCreateEvent(&event));
    return event;
}

static void event_give_back(EventPool *pool, aclrtEvent event, aclrtStream stream)
{
#ifndef WRONG
    aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_NOT_READY;
    while (status != ACL_EVENT_WAIT_STATUS_COMPLETE)
        ACL(aclrtQueryEventWaitStatus(event, &status));
#endif
    ACL(aclrtResetEvent(event, stream));
    pool->events[pool->count++] = event;
}

int main(void)
{
    EventPool pool = {{NULL}, 0};
    start();
    aclrtStream first = new_stream(), second = new_stream();
    char *block = device_memory(BYTES), *results = pinned_memory(ROUNDS * BYTES);
    for (int round = 0; round < ROUNDS; round++) {
        aclrtEvent there = event_get(&pool), back = event_get(&pool);
        ACL(aclrtMemsetAsync(block, BYTES, round, BYTES, first));
        ACL(aclrtRecordEvent(there, first));
        ACL(aclrtStreamWaitEvent(second, there));
        ACL(aclrtMemcpyAsync(results + round * BYTES, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, second));
        ACL(aclrtRecordEvent(back, second));
        ACL(aclrtStreamWaitEvent(first, back));
        event_give_back(&pool, there, first);
        event_give_back(&pool, back, second);
    }
    ACL(aclrtSynchronizeStream(first));
    ACL(aclrtSynchronizeStream(second));
    for (int round = 0; round < ROUNDS; round++)
        EXPECT(all_bytes(results + round * BYTES, BYTES, round));
    while (pool.count > 0)
        ACL(aclrtDestroyEvent(pool.events[--pool.count]));
    ACL(aclrtFreeHost(results));
    ACL(aclrtFree(block));
    ACL(aclrtDestroyStream(second));
    ACL(aclrtDestroyStream(first));
    return finish();
}
