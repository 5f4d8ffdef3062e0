/* How does a pool of events know when one may be used again? It asks whether the
 * waits have passed. Who has passed a wait has also done all before it, and seen
 * what the recording stands behind. The program is correct: nothing is found. */
#include "check.h"

#include <sched.h>

enum { EVENTS = 4, ROUNDS = 40, BYTES = 4096 };

static void passes(aclrtEvent event)
{
    aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_NOT_READY;
    while (status != ACL_EVENT_WAIT_STATUS_COMPLETE) {
        OK(aclrtQueryEventWaitStatus(event, &status));
        sched_yield();
    }
}

int main(void)
{
    aclrtStream producer, consumer, other;
    aclrtEvent pool[EVENTS];
    void *made, *seen[EVENTS];

    OPEN_DEVICE();
    OK(aclrtCreateStream(&producer));
    OK(aclrtCreateStream(&consumer));
    OK(aclrtCreateStream(&other));
    OK(aclrtMalloc(&made, EVENTS * BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int i = 0; i < EVENTS; i++) {
        OK(aclrtCreateEventWithFlag(&pool[i], ACL_EVENT_SYNC));
        OK(aclrtMalloc(&seen[i], BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    }

    for (int round = 0; round < ROUNDS; round++) {
        int i = round % EVENTS;
        char *part = (char *)made + i * BYTES;
        if (round >= EVENTS) {
            /* The wait of the last use has passed: the event is free again. The producer never waited for it. */
            passes(pool[i]);
            OK(aclrtResetEvent(pool[i], producer));
        }
        OK(aclrtMemsetAsync(part, BYTES, round, BYTES, producer));
        OK(aclrtRecordEvent(pool[i], producer));
        OK(aclrtStreamWaitEvent(consumer, pool[i]));
        OK(aclrtStreamWaitEvent(other, pool[i]));
        OK(aclrtMemcpyAsync(seen[i], BYTES, part, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, consumer));
        /* Before the part is written again its reader has to be known to be done. */
        OK(aclrtSynchronizeStream(consumer));
    }

    /* The wait has passed, so what its stream did before has passed too, and so has the producer's work. */
    aclrtEvent last;
    OK(aclrtCreateEventWithFlag(&last, ACL_EVENT_SYNC));
    OK(aclrtMemsetAsync(made, BYTES, 1, BYTES, producer));
    OK(aclrtRecordEvent(last, producer));
    OK(aclrtMemsetAsync(seen[0], BYTES, 2, BYTES, consumer));
    OK(aclrtStreamWaitEvent(consumer, last));
    passes(last);
    OK(aclrtMemset(made, BYTES, 3, BYTES));
    OK(aclrtMemset(seen[0], BYTES, 3, BYTES));

    OK(aclrtSynchronizeStream(other));
    OK(aclrtDestroyEvent(last));
    for (int i = 0; i < EVENTS; i++) {
        OK(aclrtDestroyEvent(pool[i]));
        OK(aclrtFree(seen[i]));
    }
    OK(aclrtFree(made));
    OK(aclrtDestroyStream(other));
    OK(aclrtDestroyStream(consumer));
    OK(aclrtDestroyStream(producer));
    CLOSE_DEVICE();
    return 0;
}
