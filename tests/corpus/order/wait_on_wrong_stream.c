// rule: stream.race
// wrong: the arguments are confused: the uploading stream waits for its own event, the computing one for nothing
#include "tensors.h"

enum { COUNT = 512 };

static void order(aclrtStream first, aclrtStream then, aclrtEvent event)
{
    ACL(aclrtRecordEvent(event, first));
#ifdef WRONG
    (void)then;
    ACL(aclrtStreamWaitEvent(first, event));
#else
    ACL(aclrtStreamWaitEvent(then, event));
#endif
}

int main(void)
{
    start();
    aclrtStream upload_stream = new_stream(), compute = new_stream();
    aclrtEvent event = new_event();
    float *host = pinned_memory(COUNT * sizeof(float));
    Tensor x = new_vector(COUNT), y = new_vector(COUNT);
    for (int i = 0; i < COUNT; i++)
        host[i] = 2;
    ACL(aclrtMemcpyAsync(x.memory, x.size, host, x.size, ACL_MEMCPY_HOST_TO_DEVICE, upload_stream));
    order(upload_stream, compute, event);
    binary("Mul", x, x, y, compute);
    ACL(aclrtSynchronizeStream(compute));
    ACL(aclrtSynchronizeStream(upload_stream));
    EXPECT(holds(y, 4));
    drop(y);
    drop(x);
    ACL(aclrtFreeHost(host));
    ACL(aclrtDestroyEvent(event));
    ACL(aclrtDestroyStream(compute));
    ACL(aclrtDestroyStream(upload_stream));
    return finish();
}
