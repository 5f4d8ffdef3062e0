// rule: collective.not-a-number
// severity: hint
// wrong: one rank divides 0 by 0, and the sum of the gradients is NaN on all ranks
// environment: MILLPOND_DEVICES=3
#include "ranks.h"

static void train(Rank *r, const int more[2])
{
    (void)more;
    for (int step = 0; step < 3; step++) {
        float gradient = 1.0f / (float)(step + 1), samples = 1.0f;
#ifdef WRONG
        samples -= step == 1 && r->rank == 2;
#endif
        gradient = gradient * samples / samples;
        ACL(aclrtMemcpy(r->values, sizeof gradient, &gradient, sizeof gradient, ACL_MEMCPY_HOST_TO_DEVICE));
        HCCL(HcclAllReduce(r->values, r->results, ELEMENTS, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream));
        ACL(aclrtSynchronizeStream(r->stream));
        /* The next step begins with the sum. */
        ACL(aclrtMemcpy(r->values, ELEMENTS * sizeof(float), r->results, ELEMENTS * sizeof(float),
                        ACL_MEMCPY_DEVICE_TO_DEVICE));
    }
}

int main(void)
{
    return on_ranks(train);
}
