// rule: collective.message-mismatch
// wrong: the counts that a rank receives are its own send counts, not those of the others
// environment: MILLPOND_DEVICES=3
#include "ranks.h"

static void exchange(Rank *r, const int more[2])
{
    uint64_t out[RANKS], out_starts[RANKS], back[RANKS], back_starts[RANKS];
    (void)more;
    for (int other = 0; other < RANKS; other++) {
        /* Rank r sends 10 * (r + 1) tokens to each expert. */
        out[other] = 10u * (unsigned)(r->rank + 1);
        back[other] = 10u * (unsigned)(other + 1);
#ifdef WRONG
        back[other] = out[other];
#endif
        out_starts[other] = back_starts[other] = 100u * (unsigned)other;
    }
    HCCL(HcclAlltoAllV(r->values, out, out_starts, HCCL_DATA_TYPE_FP32, r->results, back, back_starts,
                       HCCL_DATA_TYPE_FP32, r->comm, r->stream));
}

int main(void)
{
    return on_ranks(exchange);
}
