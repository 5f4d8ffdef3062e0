// rule: memory.use-after-free memory.double-free memory.leak
// wrong: the weights are expected to survive a reset of the device
#include "corpus.h"

enum { BYTES = 4096 };

static void *load_weights(void)
{
    void *weights = device_memory(BYTES);
    ACL(aclrtMemset(weights, BYTES, 17, BYTES));
    return weights;
}

int main(void)
{
    char *host = malloc(BYTES);
    start();
    void *weights = load_weights();
    /* A failed job is followed by a reset, to begin afresh. */
#ifndef WRONG
    ACL(aclrtFree(weights));
#endif
    ACL(aclrtResetDevice(0));
    ACL(aclrtSetDevice(0));
#ifndef WRONG
    weights = load_weights();
#endif
    if (TRY(aclrtMemcpy(host, BYTES, weights, BYTES, ACL_MEMCPY_DEVICE_TO_HOST)) == 0)
        EXPECT(all_bytes(host, BYTES, 17));
    TRY(aclrtFree(weights));
    free(host);
    return finish();
}
