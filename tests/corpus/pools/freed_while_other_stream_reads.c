// rule: stream.missing-record-use
// wrong: the block goes back in the order of its stream while another stream still reads it
#include "pool.h"

enum { BYTES = 1 << 14, TURNS = 3 };

int main(void)
{
    start();
    aclrtMemPool pool = new_pool();
    aclrtStream owner = new_stream(), side = new_stream();
    aclrtEvent written = new_event(), read = new_event();
    char *results = pinned_memory(TURNS * BYTES);
    for (int turn = 0; turn < TURNS; turn++) {
        void *block = pool_memory(pool, BYTES, owner);
        ACL(aclrtMemsetAsync(block, BYTES, turn + 1, BYTES, owner));
        ACL(aclrtRecordEvent(written, owner));
        ACL(aclrtStreamWaitEvent(side, written));
        ACL(aclrtMemcpyAsync(results + turn * BYTES, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, side));
        ACL(aclrtRecordEvent(read, side));
#ifndef WRONG
        ACL(aclrtStreamWaitEvent(owner, read));
#endif
        ACL(aclrtMemPoolFreeAsync(block, owner));
    }
    ACL(aclrtSynchronizeStream(side));
    ACL(aclrtSynchronizeStream(owner));
    for (int turn = 0; turn < TURNS; turn++)
        EXPECT(all_bytes(results + turn * BYTES, BYTES, turn + 1));
    ACL(aclrtFreeHost(results));
    ACL(aclrtDestroyEvent(read));
    ACL(aclrtDestroyEvent(written));
    ACL(aclrtDestroyStream(side));
    ACL(aclrtDestroyStream(owner));
    ACL(aclrtMemPoolDestroy(pool));
    return finish();
}
