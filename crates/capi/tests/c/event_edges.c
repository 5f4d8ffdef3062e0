/* Do events carry order between streams, again and again? A chain of three streams
 * with 200 rounds in flight, an event that is recorded anew while others still wait
 * for its last record, and many streams behind one event. */
#include "check.h"
#include "gate.h"
#include <stdatomic.h>

#define ROUNDS 200
#define SIZE 4096

typedef aclError (*CreateEvent)(aclrtEvent *);

static aclError ex_event(aclrtEvent *event)
{
    return aclrtCreateEventExWithFlag(event, ACL_EVENT_SYNC);
}

static aclError flagged_event(aclrtEvent *event)
{
    return aclrtCreateEventWithFlag(event, ACL_EVENT_SYNC);
}

/* A makes the data, B passes it on, C brings it home; nobody may overtake. One
 * synchronisation at the very end. */
static void chain(CreateEvent create)
{
    aclrtStream a = NULL, b = NULL, c = NULL;
    aclrtEvent made = NULL, passed = NULL, home = NULL;
    void *first = NULL, *second = NULL, *p = NULL;
    unsigned char *host;
    int round, i;

    OK(aclrtCreateStream(&a));
    OK(aclrtCreateStream(&b));
    OK(aclrtCreateStream(&c));
    OK(create(&made));
    OK(create(&passed));
    OK(create(&home));
    OK(aclrtMalloc(&first, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&second, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&p, (size_t)ROUNDS * SIZE));
    host = p;
    memset(host, 0xff, (size_t)ROUNDS * SIZE);

    for (round = 0; round < ROUNDS; round++) {
        if (round > 0) {
            /* Not before the last round has left our buffer. */
            OK(aclrtStreamWaitEvent(a, passed));
        }
        OK(aclrtMemsetAsync(first, SIZE, round, SIZE, a));
        OK(aclrtRecordEvent(made, a));

        OK(aclrtStreamWaitEvent(b, made));
        if (round > 0) {
            OK(aclrtStreamWaitEvent(b, home));
        }
        OK(aclrtMemcpyAsync(second, SIZE, first, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, b));
        OK(aclrtRecordEvent(passed, b));

        OK(aclrtStreamWaitEvent(c, passed));
        OK(aclrtMemcpyAsync(host + (size_t)round * SIZE, SIZE, second, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, c));
        OK(aclrtRecordEvent(home, c));
    }
    OK(aclrtSynchronizeStream(c));
    for (round = 0; round < ROUNDS; round++) {
        for (i = 0; i < SIZE; i++) {
            EQ(host[(size_t)round * SIZE + i], round & 0xff);
        }
    }

    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyEvent(made));
    OK(aclrtDestroyEvent(passed));
    OK(aclrtDestroyEvent(home));
    OK(aclrtDestroyStream(a));
    OK(aclrtDestroyStream(b));
    OK(aclrtDestroyStream(c));
    OK(aclrtFree(first));
    OK(aclrtFree(second));
    OK(aclrtFreeHost(host));
}

static void counts(void *counter)
{
    atomic_fetch_add((atomic_int *)counter, 1);
}

/* A wait is for the record that was there when it was called. A later record, on a
 * stream that stands still, must not hold up the one who waits for the earlier. */
static void recorded_anew(CreateEvent create)
{
    aclrtStream ready = NULL, held = NULL, consumer = NULL;
    aclrtEvent event = NULL;
    atomic_int ran = 0;
    Gate first, second;

    OK(aclrtCreateStream(&ready));
    OK(aclrtCreateStream(&held));
    OK(aclrtCreateStream(&consumer));
    OK(create(&event));

    first = gate_close(ready);
    second = gate_close(held);
    OK(aclrtRecordEvent(event, ready));
    OK(aclrtStreamWaitEvent(consumer, event));
    OK(aclrtLaunchHostFunc(consumer, counts, &ran));
    OK(aclrtRecordEvent(event, held));
    settle(consumer);
    EQ(atomic_load(&ran), 0);
    gate_open(first);
    OK(aclrtSynchronizeStream(consumer));
    EQ(atomic_load(&ran), 1);

    /* Who waits now waits for the second. */
    OK(aclrtStreamWaitEvent(consumer, event));
    OK(aclrtLaunchHostFunc(consumer, counts, &ran));
    settle(consumer);
    EQ(atomic_load(&ran), 1);
    gate_open(second);
    OK(aclrtSynchronizeStream(consumer));
    EQ(atomic_load(&ran), 2);

    gate_free(first);
    gate_free(second);
    OK(aclrtSynchronizeDevice());
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(ready));
    OK(aclrtDestroyStream(held));
    OK(aclrtDestroyStream(consumer));
}

static void many_waiters(CreateEvent create)
{
    enum { WAITERS = 64 };
    aclrtStream producer = NULL, consumers[WAITERS];
    aclrtEvent event = NULL;
    atomic_int ran = 0;
    Gate gate;
    int i;

    OK(aclrtCreateStream(&producer));
    OK(create(&event));
    gate = gate_close(producer);
    OK(aclrtRecordEvent(event, producer));
    for (i = 0; i < WAITERS; i++) {
        OK(aclrtCreateStream(&consumers[i]));
        OK(aclrtStreamWaitEvent(consumers[i], event));
        OK(aclrtLaunchHostFunc(consumers[i], counts, &ran));
    }
    settle(consumers[0]);
    settle(consumers[WAITERS - 1]);
    EQ(atomic_load(&ran), 0);
    gate_open(gate);
    for (i = 0; i < WAITERS; i++) {
        OK(aclrtSynchronizeStream(consumers[i]));
        CHECK(atomic_load(&ran) >= 1);
    }
    EQ(atomic_load(&ran), WAITERS);
    for (i = 0; i < WAITERS; i++) {
        OK(aclrtDestroyStream(consumers[i]));
    }
    gate_free(gate);
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(producer));
}

/* A stream may wait for its own event. */
static void to_itself(CreateEvent create)
{
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    OK(aclrtCreateStream(&stream));
    OK(create(&event));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtStreamWaitEvent(stream, event));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(stream));
}

int main(void)
{
    static const CreateEvent creators[] = {ex_event, aclrtCreateEvent, flagged_event};
    size_t i;
    OPEN_DEVICE();
    for (i = 0; i < sizeof creators / sizeof creators[0]; i++) {
        chain(creators[i]);
        recorded_anew(creators[i]);
        many_waiters(creators[i]);
        to_itself(creators[i]);
    }
    CLOSE_DEVICE();
    return 0;
}
