// rule: collective.deadlock
// wrong: one rank uses two communicators in another order than the others, on one stream
// environment: MILLPOND_DEVICES=3
#include "ranks.h"

static void reduce_twice(Rank *r, const int more[2])
{
    HcclComm second = join(r->rank, more), order[2] = {r->comm, second};
    int swapped = 0;
#ifdef WRONG
    swapped = r->rank == 1;
#endif
    for (int step = 0; step < 2; step++) {
        HCCL(HcclAllReduce(r->values, r->results, ELEMENTS, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                           order[step ^ swapped], r->stream));
    }
    TRY(aclrtSynchronizeStream(r->stream));
    HCCL(HcclCommDestroy(second));
}

int main(void)
{
    return on_ranks(reduce_twice);
}
