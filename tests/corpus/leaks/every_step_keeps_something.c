// rule: memory.leak-step
// severity: warning
// wrong: the history of losses keeps a device buffer for every step
#include "heaps.h"

enum { STEPS = 12, BYTES = 2048 };

int main(void)
{
    void *history[STEPS];
    start();
    aclrtStream stream = new_stream();
    for (int step = 0; step < STEPS; step++) {
        mstxRangeId range = mstxRangeStartA("step start", NULL);
        void *loss = device_memory(BYTES);
        ACL(aclrtMemsetAsync(loss, BYTES, step, BYTES, stream));
        ACL(aclrtSynchronizeStream(stream));
        EXPECT(device_bytes(loss, BYTES, step));
#ifdef WRONG
        history[step] = loss;
#else
        history[step] = NULL;
        ACL(aclrtFree(loss));
#endif
        mstxRangeEnd(range);
    }
    for (int step = 0; step < STEPS; step++)
        if (history[step])
            ACL(aclrtFree(history[step]));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
