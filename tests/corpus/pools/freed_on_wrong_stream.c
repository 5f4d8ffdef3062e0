// rule: stream.missing-record-use memory.freed-in-use
// wrong: the block is freed in the order of a stream that does not wait for its last use
#include "pool.h"

enum { BYTES = 1 << 15 };

int main(void)
{
    start();
    aclrtMemPool pool = new_pool();
    aclrtStream compute = new_stream(), housekeeping = new_stream();
    aclrtEvent done = new_event();
    void *block = pool_memory(pool, BYTES, compute), *copy = device_memory(BYTES);
    ACL(aclrtMemsetAsync(block, BYTES, 12, BYTES, compute));
    ACL(aclrtMemcpyAsync(copy, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, compute));
    ACL(aclrtRecordEvent(done, compute));
#ifndef WRONG
    ACL(aclrtStreamWaitEvent(housekeeping, done));
#endif
    ACL(aclrtMemPoolFreeAsync(block, housekeeping));
    ACL(aclrtSynchronizeStream(housekeeping));
    ACL(aclrtSynchronizeStream(compute));
    EXPECT(device_bytes(copy, BYTES, 12));
    ACL(aclrtFree(copy));
    ACL(aclrtDestroyEvent(done));
    ACL(aclrtDestroyStream(housekeeping));
    ACL(aclrtDestroyStream(compute));
    ACL(aclrtMemPoolDestroy(pool));
    return finish();
}
