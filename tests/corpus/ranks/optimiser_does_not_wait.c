// rule: stream.race
// wrong: the next stream clears the gradients while they are still being summed
// environment: MILLPOND_DEVICES=3
#include "ranks.h"

static void step(Rank *r, const int more[2])
{
    aclrtStream compute = new_stream();
    aclrtEvent summed = new_event();
    (void)more;
    HCCL(HcclAllReduce(r->values, r->values, ELEMENTS, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream));
    ACL(aclrtRecordEvent(summed, r->stream));
#ifndef WRONG
    ACL(aclrtStreamWaitEvent(compute, summed));
#endif
    ACL(aclrtMemsetAsync(r->values, ELEMENTS * sizeof(float), 0, ELEMENTS * sizeof(float), compute));
    ACL(aclrtSynchronizeStream(compute));
    ACL(aclrtSynchronizeStream(r->stream));
    ACL(aclrtDestroyEvent(summed));
    ACL(aclrtDestroyStream(compute));
}

int main(void)
{
    return on_ranks(step);
}
