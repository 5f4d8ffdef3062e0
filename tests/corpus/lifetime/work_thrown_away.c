// rule: memory.uninitialised-read
// wrong: the stream is destroyed by force with its work still queued, and the result is read
#include "corpus.h"

enum { BYTES = 4096 };

int main(void)
{
    char *host = malloc(BYTES);
    aclrtEvent go;
    start();
    aclrtStream stream = new_stream(), control = new_stream();
    void *result = device_memory(BYTES);
    ACL(aclrtCreateEvent(&go));
    ACL(aclrtStreamWaitEvent(stream, go));
    ACL(aclrtMemsetAsync(result, BYTES, 2, BYTES, stream));
#ifdef WRONG
    ACL(aclrtDestroyStreamForce(stream));
    ACL(aclrtRecordEvent(go, control));
#else
    ACL(aclrtRecordEvent(go, control));
    ACL(aclrtDestroyStream(stream));
#endif
    ACL(aclrtSynchronizeStream(control));
    download(host, result, BYTES);
    EXPECT(all_bytes(host, BYTES, 2));
    ACL(aclrtFree(result));
    ACL(aclrtDestroyEvent(go));
    ACL(aclrtDestroyStream(control));
    free(host);
    return finish();
}
