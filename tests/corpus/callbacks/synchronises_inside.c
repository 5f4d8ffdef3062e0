// rule: stream.callback-calls
// severity: warning
// wrong: a host function synchronises another stream, which functions in a stream must not do
#include "corpus.h"

enum { BYTES = 4096 };

static aclrtStream side;
static int ran;

static void finish_side_work(void *unused)
{
    (void)unused;
#ifdef WRONG
    TRY(aclrtSynchronizeStream(side));
#endif
    ran = 1;
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    side = new_stream();
    aclrtEvent side_done = new_event();
    void *block = device_memory(BYTES);
    ACL(aclrtMemsetAsync(block, BYTES, 5, BYTES, side));
    ACL(aclrtRecordEvent(side_done, side));
#ifndef WRONG
    ACL(aclrtStreamWaitEvent(stream, side_done));
#endif
    ACL(aclrtLaunchHostFunc(stream, finish_side_work, NULL));
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtSynchronizeStream(side));
    EXPECT(ran);
    EXPECT(device_bytes(block, BYTES, 5));
    ACL(aclrtFree(block));
    ACL(aclrtDestroyEvent(side_done));
    ACL(aclrtDestroyStream(side));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
