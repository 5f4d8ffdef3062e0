// rule: stream.race
// wrong: one stream clears the gradients while another still copies into them
#include "corpus.h"

enum { BYTES = 1 << 14, BUCKETS = 3 };

int main(void)
{
    start();
    aclrtStream reduce = new_stream(), clear = new_stream();
    aclrtEvent reduced = new_event();
    char *gradients = device_memory(BUCKETS * BYTES), *mine = device_memory(BYTES);
    char *applied = device_memory(BUCKETS * BYTES);
    ACL(aclrtMemset(mine, BYTES, 1, BYTES));

    for (int bucket = 0; bucket < BUCKETS; bucket++)
        ACL(aclrtMemcpyAsync(gradients + bucket * BYTES, BYTES, mine, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, reduce));
    ACL(aclrtMemcpyAsync(applied, BUCKETS * BYTES, gradients, BUCKETS * BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, reduce));
    ACL(aclrtRecordEvent(reduced, reduce));
#ifndef WRONG
    ACL(aclrtStreamWaitEvent(clear, reduced));
#endif
    ACL(aclrtMemsetAsync(gradients, BUCKETS * BYTES, 0, BUCKETS * BYTES, clear));
    ACL(aclrtSynchronizeStream(reduce));
    ACL(aclrtSynchronizeStream(clear));
    EXPECT(device_bytes(applied, BUCKETS * BYTES, 1));
    EXPECT(device_bytes(gradients, BUCKETS * BYTES, 0));

    ACL(aclrtFree(applied));
    ACL(aclrtFree(mine));
    ACL(aclrtFree(gradients));
    ACL(aclrtDestroyEvent(reduced));
    ACL(aclrtDestroyStream(clear));
    ACL(aclrtDestroyStream(reduce));
    return finish();
}
