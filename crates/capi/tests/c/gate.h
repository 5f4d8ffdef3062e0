/* A gate holds a stream: what is enqueued behind it stays put until the gate opens.
 *
 * It is made of nothing but public calls: the stream waits for an event that has
 * not been recorded, and opening records that event on a stream of its own. Events
 * made by aclrtCreateEventExWithFlag will not do: for them "never recorded" counts
 * as complete. */
#ifndef MILLPOND_TESTS_GATE_H
#define MILLPOND_TESTS_GATE_H

#include "check.h"

typedef struct {
    aclrtEvent event;
    aclrtStream opener;
} Gate;

static inline Gate gate_close(aclrtStream stream)
{
    Gate gate;
    OK(aclrtCreateStream(&gate.opener));
    OK(aclrtCreateEvent(&gate.event));
    OK(aclrtStreamWaitEvent(stream, gate.event));
    return gate;
}

static inline void gate_open(Gate gate)
{
    OK(aclrtRecordEvent(gate.event, gate.opener));
    OK(aclrtSynchronizeStream(gate.opener));
}

static inline void gate_free(Gate gate)
{
    OK(aclrtDestroyEvent(gate.event));
    OK(aclrtDestroyStream(gate.opener));
}

/* Gives every scheduling policy time and calls enough to run what may run on `stream`.
 * After this, work that has not run is work that is held back. */
static inline void settle(aclrtStream stream)
{
    int i;
    for (i = 0; i < 25; i++) {
        aclrtStreamStatus status;
        OK(aclrtStreamQuery(stream, &status));
        sleep_ms(2);
    }
}

#endif
