// rule: stream.race
// wrong: two optimiser groups update a shared bias in place on two streams
#include "tensors.h"

enum { COUNT = 128 };

int main(void)
{
    start();
    aclrtStream streams[2] = {new_stream(), new_stream()};
    aclrtEvent first_done = new_event();
    Tensor bias = new_vector(COUNT), step = new_vector(COUNT);
    fill(bias, 10);
    fill(step, 1);

    binary("Sub", bias, step, bias, streams[0]);
    ACL(aclrtRecordEvent(first_done, streams[0]));
#ifndef WRONG
    ACL(aclrtStreamWaitEvent(streams[1], first_done));
#endif
    binary("Sub", bias, step, bias, streams[1]);
    ACL(aclrtSynchronizeDevice());
    EXPECT(holds(bias, 8));

    drop(step);
    drop(bias);
    ACL(aclrtDestroyEvent(first_done));
    ACL(aclrtDestroyStream(streams[0]));
    ACL(aclrtDestroyStream(streams[1]));
    return finish();
}
