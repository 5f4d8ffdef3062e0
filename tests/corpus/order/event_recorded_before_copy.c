// rule: stream.race
// wrong: the event is recorded before the copy that it should stand for
#include "corpus.h"

enum { BYTES = 1 << 16 };

/* Queues an upload and returns what to wait for. */
static void upload_async(void *device, const void *host, aclrtStream stream, aclrtEvent done)
{
#ifdef WRONG
    ACL(aclrtRecordEvent(done, stream));
    ACL(aclrtMemcpyAsync(device, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
#else
    ACL(aclrtMemcpyAsync(device, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL(aclrtRecordEvent(done, stream));
#endif
}

int main(void)
{
    start();
    aclrtStream copies = new_stream(), compute = new_stream();
    aclrtEvent weights_there = new_event(), input_there = new_event();
    void *host = pinned_memory(BYTES), *weights = device_memory(BYTES), *input = device_memory(BYTES);
    void *sum = device_memory(2 * BYTES);
    memset(host, 3, BYTES);

    upload_async(weights, host, copies, weights_there);
    upload_async(input, host, copies, input_there);
    ACL(aclrtStreamWaitEvent(compute, weights_there));
    ACL(aclrtMemcpyAsync(sum, 2 * BYTES, weights, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, compute));
    ACL(aclrtStreamWaitEvent(compute, input_there));
    ACL(aclrtMemcpyAsync((char *)sum + BYTES, BYTES, input, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, compute));
    ACL(aclrtSynchronizeStream(copies));
    ACL(aclrtSynchronizeStream(compute));
    EXPECT(device_bytes(sum, 2 * BYTES, 3));

    ACL(aclrtFree(sum));
    ACL(aclrtFree(input));
    ACL(aclrtFree(weights));
    ACL(aclrtFreeHost(host));
    ACL(aclrtDestroyEvent(input_there));
    ACL(aclrtDestroyEvent(weights_there));
    ACL(aclrtDestroyStream(compute));
    ACL(aclrtDestroyStream(copies));
    return finish();
}
