// rule: collective.mismatch
// wrong: the last batch of one rank is smaller, and so is what it gives to the sum
// environment: MILLPOND_DEVICES=3
#include "ranks.h"

static void train(Rank *r, const int more[2])
{
    (void)more;
    for (int step = 0; step < 3; step++) {
        uint64_t count = ELEMENTS;
#ifdef WRONG
        count -= step == 2 && r->rank == 1;
#endif
        HCCL(HcclAllReduce(r->values, r->results, count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream));
    }
}

int main(void)
{
    return on_ranks(train);
}
