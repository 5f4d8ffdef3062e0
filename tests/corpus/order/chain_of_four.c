// rule: memory.freed-in-use
// wrong: a chain of four streams has a missing link, so waiting for the last does not cover the first
#include "corpus.h"

enum { LINKS = 4, BYTES = 4096 };

int main(void)
{
    aclrtStream streams[LINKS];
    aclrtEvent events[LINKS];
    void *blocks[LINKS];
    start();
    for (int i = 0; i < LINKS; i++) {
        streams[i] = new_stream();
        events[i] = new_event();
        blocks[i] = device_memory(BYTES);
    }
    for (int i = 0; i < LINKS; i++) {
#ifdef WRONG
        if (i == 1 || i == 3)
#else
        if (i > 0)
#endif
            ACL(aclrtStreamWaitEvent(streams[i], events[i - 1]));
        ACL(aclrtMemsetAsync(blocks[i], BYTES, i, BYTES, streams[i]));
        ACL(aclrtRecordEvent(events[i], streams[i]));
    }
    ACL(aclrtSynchronizeStream(streams[LINKS - 1]));
    for (int i = 2; i < LINKS; i++)
        EXPECT(device_bytes(blocks[i], BYTES, i));
    for (int i = 0; i < LINKS; i++)
        ACL(aclrtFree(blocks[i]));
    for (int i = 0; i < LINKS; i++) {
        ACL(aclrtSynchronizeStream(streams[i]));
        ACL(aclrtDestroyEvent(events[i]));
        ACL(aclrtDestroyStream(streams[i]));
    }
    return finish();
}
