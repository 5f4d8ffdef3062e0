// rule: collective.deadlock
// wrong: one rank sums its two groups in another order, and a second stream waits for the first with an event
// environment: MILLPOND_DEVICES=3
#include "ranks.h"

static void sum_twice(Rank *r, const int more[2])
{
    HcclComm second = join(r->rank, more), order[2] = {r->comm, second};
    aclrtStream stream = new_stream();
    aclrtEvent summed = new_event();
    int swapped = 0;
#ifdef WRONG
    swapped = r->rank == 1;
#endif
    HCCL(HcclAllReduce(r->values, r->results, ELEMENTS, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, order[swapped],
                       r->stream));
    ACL(aclrtRecordEvent(summed, r->stream));
    ACL(aclrtStreamWaitEvent(stream, summed));
    HCCL(HcclAllReduce(r->values, r->results, ELEMENTS, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, order[!swapped], stream));
    TRY(aclrtSynchronizeStream(stream));
    TRY(aclrtSynchronizeStream(r->stream));
    HCCL(HcclCommDestroy(second));
    ACL(aclrtDestroyEvent(summed));
    ACL(aclrtDestroyStream(stream));
}

int main(void)
{
    return on_ranks(sum_twice);
}
