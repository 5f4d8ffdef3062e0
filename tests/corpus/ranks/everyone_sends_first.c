// rule: collective.deadlock
// wrong: every rank sends to the next one before it receives from the one before
// environment: MILLPOND_DEVICES=3
#include "ranks.h"

static void shift(Rank *r, const int more[2])
{
    uint32_t next = (uint32_t)(r->rank + 1) % RANKS, before = (uint32_t)(r->rank + RANKS - 1) % RANKS;
    (void)more;
#ifndef WRONG
    HCCL(HcclGroupStart());
#endif
    HCCL(HcclSend(r->values, ELEMENTS, HCCL_DATA_TYPE_FP32, next, r->comm, r->stream));
    HCCL(HcclRecv(r->results, ELEMENTS, HCCL_DATA_TYPE_FP32, before, r->comm, r->stream));
#ifndef WRONG
    HCCL(HcclGroupEnd());
#endif
}

int main(void)
{
    return on_ranks(shift);
}
