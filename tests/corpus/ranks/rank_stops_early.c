// rule: collective.rank-gone
// wrong: one rank has fewer batches than the others and ends before them
// environment: MILLPOND_DEVICES=3
#include "ranks.h"

static void train(Rank *r, const int more[2])
{
    int steps = 3;
    (void)more;
#ifdef WRONG
    steps -= r->rank == 2;
#endif
    for (int step = 0; step < steps; step++) {
        HCCL(HcclAllReduce(r->values, r->results, ELEMENTS, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream));
    }
}

int main(void)
{
    return on_ranks(train);
}
