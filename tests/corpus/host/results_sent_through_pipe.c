// rule: stream.host-buffer
// wrong: a result is sent to another process before the copy that brings it is known to be done
#include "corpus.h"

#include <sys/uio.h>
#include <unistd.h>

/* Results of 300 bytes side by side in pinned memory, sent one by one while the next are on their way. */
enum { RESULTS = 10, RESULT = 300 };

int main(void)
{
    aclrtEvent there[RESULTS];
    char received[RESULT];
    int ends[2];
    start();
    aclrtStream stream = new_stream();
    char *results = pinned_memory(RESULTS * RESULT), *device = device_memory(RESULTS * RESULT);
    EXPECT(pipe(ends) == 0);
    for (int i = 0; i < RESULTS; i++) {
        there[i] = new_event();
        ACL(aclrtMemsetAsync(device + i * RESULT, RESULT, i + 1, RESULT, stream));
        ACL(aclrtMemcpyAsync(results + i * RESULT, RESULT, device + i * RESULT, RESULT, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ACL(aclrtRecordEvent(there[i], stream));
    }
    for (int i = 0; i < RESULTS; i++) {
        struct iovec halves[2] = {{results + i * RESULT, RESULT / 2}, {results + i * RESULT + RESULT / 2, RESULT / 2}};
#ifndef WRONG
        ACL(aclrtSynchronizeEvent(there[i]));
#endif
        ssize_t sent = i % 2 ? writev(ends[1], halves, 2) : write(ends[1], results + i * RESULT, RESULT);
        EXPECT(sent == RESULT);
        if (sent == RESULT) {
            EXPECT(read(ends[0], received, RESULT) == RESULT);
            EXPECT(all_bytes(received, RESULT, i + 1));
        }
    }
    ACL(aclrtSynchronizeStream(stream));
    close(ends[0]);
    close(ends[1]);
    for (int i = 0; i < RESULTS; i++)
        ACL(aclrtDestroyEvent(there[i]));
    ACL(aclrtFree(device));
    ACL(aclrtFreeHost(results));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
