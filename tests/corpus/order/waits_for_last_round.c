// rule: stream.race
// wrong: the wait is queued before this round's recording, so it waits for the round before
#include "corpus.h"

/* One event for all rounds; it stands for its latest recording. */
enum { BYTES = 4096, ROUNDS = 5 };

int main(void)
{
    start();
    aclrtStream writer = new_stream(), reader = new_stream();
    aclrtEvent written = new_event(), read = new_event();
    char *block = device_memory(BYTES), *results = pinned_memory(ROUNDS * BYTES);

    ACL(aclrtMemsetAsync(block, BYTES, 0, BYTES, writer));
    ACL(aclrtRecordEvent(written, writer));
    for (int round = 0; round < ROUNDS; round++) {
#ifdef WRONG
        ACL(aclrtStreamWaitEvent(reader, written));
#endif
        ACL(aclrtMemsetAsync(block, BYTES, round + 10, BYTES, writer));
        ACL(aclrtRecordEvent(written, writer));
#ifndef WRONG
        ACL(aclrtStreamWaitEvent(reader, written));
#endif
        ACL(aclrtMemcpyAsync(results + round * BYTES, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, reader));
        ACL(aclrtRecordEvent(read, reader));
        ACL(aclrtStreamWaitEvent(writer, read));
    }
    ACL(aclrtSynchronizeStream(reader));
    ACL(aclrtSynchronizeStream(writer));
    for (int round = 0; round < ROUNDS; round++)
        EXPECT(all_bytes(results + round * BYTES, BYTES, round + 10));

    ACL(aclrtFreeHost(results));
    ACL(aclrtFree(block));
    ACL(aclrtDestroyEvent(read));
    ACL(aclrtDestroyEvent(written));
    ACL(aclrtDestroyStream(reader));
    ACL(aclrtDestroyStream(writer));
    return finish();
}
