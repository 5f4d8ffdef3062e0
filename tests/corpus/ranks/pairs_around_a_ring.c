// rule: collective.deadlock
// wrong: each pair of neighbours has a communicator, and every rank begins with the next one's
// environment: MILLPOND_DEVICES=3
#include "ranks.h"

/* The communicator of ranks `first` and the next one; NULL on the third. */
static HcclComm pair(Rank *r, uint32_t first)
{
    uint32_t ids[2] = {first, (first + 1) % RANKS}, place = (uint32_t)r->rank == first ? 0 : 1;
    HcclComm made = NULL;
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    if (ids[0] == (uint32_t)r->rank || ids[1] == (uint32_t)r->rank) {
        HCCL(HcclCreateSubCommConfig(&r->comm, 2, ids, 40 + first, place, &config, &made));
    } else {
        HCCL(HcclCreateSubCommConfig(&r->comm, 2, NULL, 0xFFFFFFFF, 0, &config, &made));
    }
    return made;
}

static void shift(Rank *r, const int more[2])
{
    HcclComm pairs[RANKS], order[2];
    uint32_t next = (uint32_t)r->rank, before = (uint32_t)(r->rank + RANKS - 1) % RANKS;
    (void)more;
    for (uint32_t first = 0; first < RANKS; first++) {
        pairs[first] = pair(r, first);
    }
    order[0] = pairs[next];
    order[1] = pairs[before];
#ifndef WRONG
    if (r->rank == RANKS - 1) {
        order[0] = pairs[before];
        order[1] = pairs[next];
    }
#endif
    for (int step = 0; step < 2; step++) {
        HCCL(HcclAllReduce(r->values, r->results, ELEMENTS, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, order[step],
                           r->stream));
    }
    TRY(aclrtSynchronizeStream(r->stream));
    HCCL(HcclCommDestroy(pairs[next]));
    HCCL(HcclCommDestroy(pairs[before]));
}

int main(void)
{
    return on_ranks(shift);
}
