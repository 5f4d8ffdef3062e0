// rule: stream.race
// wrong: the accumulator is cleared on a side stream, and the first addition does not wait for that
#include "tensors.h"

enum { COUNT = 300, MICRO_BATCHES = 3 };

int main(void)
{
    start();
    aclrtStream side = new_stream(), compute = new_stream();
    aclrtEvent cleared = new_event();
    Tensor sum = new_vector(COUNT), part = new_vector(COUNT);
    fill(part, 2);
    fill(sum, 100);
    for (int step = 0; step < 2; step++) {
        ACL(aclrtMemsetAsync(sum.memory, sum.size, 0, sum.size, side));
        ACL(aclrtRecordEvent(cleared, side));
#ifndef WRONG
        ACL(aclrtStreamWaitEvent(compute, cleared));
#endif
        for (int micro = 0; micro < MICRO_BATCHES; micro++)
            add(sum, part, sum, compute);
        ACL(aclrtSynchronizeDevice());
        EXPECT(holds(sum, 6));
    }
    drop(part);
    drop(sum);
    ACL(aclrtDestroyEvent(cleared));
    ACL(aclrtDestroyStream(compute));
    ACL(aclrtDestroyStream(side));
    return finish();
}
