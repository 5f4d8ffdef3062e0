// rule: stream.race
// wrong: a block is allocated in the order of one stream and used on another, with no event in between
#include "pool.h"

enum { BYTES = 4096 };

int main(void)
{
    start();
    aclrtMemPool pool = new_pool();
    aclrtStream allocating = new_stream(), using = new_stream();
    aclrtEvent allocated = new_event(), done = new_event();
    void *block = pool_memory(pool, BYTES, allocating);
    ACL(aclrtRecordEvent(allocated, allocating));
#ifndef WRONG
    ACL(aclrtStreamWaitEvent(using, allocated));
#endif
    ACL(aclrtMemsetAsync(block, BYTES, 4, BYTES, using));
    ACL(aclrtSynchronizeStream(using));
    EXPECT(device_bytes(block, BYTES, 4));
    ACL(aclrtRecordEvent(done, using));
    ACL(aclrtStreamWaitEvent(allocating, done));
    ACL(aclrtMemPoolFreeAsync(block, allocating));
    ACL(aclrtSynchronizeStream(allocating));
    ACL(aclrtDestroyEvent(done));
    ACL(aclrtDestroyEvent(allocated));
    ACL(aclrtDestroyStream(using));
    ACL(aclrtDestroyStream(allocating));
    ACL(aclrtMemPoolDestroy(pool));
    return finish();
}
