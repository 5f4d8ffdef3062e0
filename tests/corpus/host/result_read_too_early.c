// rule: stream.host-buffer
// wrong: the host reads its pinned buffer before the copy to it is known to be done
#include "tensors.h"

enum { COUNT = 2048 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Tensor x = new_vector(COUNT), y = new_vector(COUNT);
    float *logits = pinned_memory(COUNT * sizeof(float)), best = 0;
    memset(logits, 0, COUNT * sizeof(float));
    fill(x, 3);
    add(x, x, y, stream);
    ACL(aclrtMemcpyAsync(logits, y.size, y.memory, y.size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
#ifndef WRONG
    ACL(aclrtSynchronizeStream(stream));
#endif
    for (int i = 0; i < COUNT; i++)
        best = logits[i] > best ? logits[i] : best;
    EXPECT(best == 6);
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtFreeHost(logits));
    drop(y);
    drop(x);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
