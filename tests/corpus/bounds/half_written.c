// rule: memory.uninitialised-read
// wrong: half of the buffer was written, and the host reads all of it
#include "corpus.h"

enum { BYTES = 1 << 14 };

int main(void)
{
    char *host = malloc(BYTES);
    start();
    aclrtStream stream = new_stream();
    char *buffer = device_memory(BYTES);
    ACL(aclrtMemsetAsync(buffer, BYTES, 2, BYTES / 2, stream));
    ACL(aclrtSynchronizeStream(stream));
#ifdef WRONG
    size_t bytes = BYTES;
#else
    size_t bytes = BYTES / 2;
#endif
    download(host, buffer, bytes);
    EXPECT(all_bytes(host, BYTES / 2, 2));
    ACL(aclrtFree(buffer));
    ACL(aclrtDestroyStream(stream));
    free(host);
    return finish();
}
