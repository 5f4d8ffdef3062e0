// rule: handle.leak
// severity: warning
// wrong: a new event overwrites the handle of the last one
#include "corpus.h"

enum { TURNS = 4, BYTES = 4096 };

int main(void)
{
    aclrtEvent marker = NULL;
    start();
    aclrtStream stream = new_stream();
    void *block = device_memory(BYTES);
    for (int turn = 0; turn < TURNS; turn++) {
#ifndef WRONG
        if (marker)
            ACL(aclrtDestroyEvent(marker));
#endif
        marker = new_event();
        ACL(aclrtMemsetAsync(block, BYTES, turn, BYTES, stream));
        ACL(aclrtRecordEvent(marker, stream));
        ACL(aclrtSynchronizeEvent(marker));
        EXPECT(device_bytes(block, BYTES, turn));
    }
    ACL(aclrtDestroyEvent(marker));
    ACL(aclrtFree(block));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
