// rule: collective.mismatch
// wrong: rank 0 collects its metrics with an operation that the others do not call
// environment: MILLPOND_DEVICES=3
#include "ranks.h"

static void train(Rank *r, const int more[2])
{
    (void)more;
    HCCL(HcclBroadcast(r->values, ELEMENTS, HCCL_DATA_TYPE_FP32, 0, r->comm, r->stream));
#ifdef WRONG
    if (r->rank == 0)
#endif
        HCCL(HcclReduce(r->values, r->results, 4, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, 0, r->comm, r->stream));
    HCCL(HcclAllReduce(r->values, r->results, ELEMENTS, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream));
}

int main(void)
{
    return on_ranks(train);
}
