// rule: stream.race
// wrong: a blocking memset clears a buffer that queued work still reads
#include "corpus.h"

enum { BYTES = 1 << 14, TURNS = 4 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    char *counts = device_memory(BYTES), *totals = device_memory(TURNS * BYTES);
    for (int turn = 0; turn < TURNS; turn++) {
        ACL(aclrtMemsetAsync(counts, BYTES, turn + 1, BYTES, stream));
        ACL(aclrtMemcpyAsync(totals + turn * BYTES, BYTES, counts, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
#ifdef WRONG
        ACL(aclrtMemset(counts, BYTES, 0, BYTES));
#else
        ACL(aclrtMemsetAsync(counts, BYTES, 0, BYTES, stream));
#endif
    }
    ACL(aclrtSynchronizeStream(stream));
    for (int turn = 0; turn < TURNS; turn++)
        EXPECT(device_bytes(totals + turn * BYTES, BYTES, turn + 1));
    ACL(aclrtFree(totals));
    ACL(aclrtFree(counts));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
