// rule: handle.use-after-destroy
// wrong: an event is destroyed in the loop and recorded again in the next turn
#include "corpus.h"

enum { BYTES = 4096, TURNS = 3 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    aclrtEvent done = new_event();
    void *block = device_memory(BYTES);
    for (int turn = 0; turn < TURNS; turn++) {
        ACL(aclrtMemsetAsync(block, BYTES, turn, BYTES, stream));
        TRY(aclrtRecordEvent(done, stream));
        TRY(aclrtSynchronizeEvent(done));
        ACL(aclrtSynchronizeStream(stream));
#ifdef WRONG
        TRY(aclrtDestroyEvent(done));
#endif
    }
    EXPECT(device_bytes(block, BYTES, TURNS - 1));
#ifndef WRONG
    ACL(aclrtDestroyEvent(done));
#endif
    ACL(aclrtFree(block));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
