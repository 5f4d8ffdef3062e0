// rule: handle.destroyed-in-use
// wrong: the host destroys the start signal that a stream still waits for
#include "corpus.h"

#include <stdlib.h>

/* Work is prepared behind a start signal: an event of the kind that a wait may come before. */
enum { BYTES = 4096 };

int main(void)
{
    aclrtEvent go;
    start();
    aclrtStream stream = new_stream(), opener = new_stream();
    void *block = device_memory(BYTES);
    ACL(aclrtCreateEvent(&go));
    ACL(aclrtStreamWaitEvent(stream, go));
    ACL(aclrtMemsetAsync(block, BYTES, 4, BYTES, stream));
#ifdef WRONG
    ACL(aclrtDestroyEvent(go));
    ACL(aclrtDestroyStreamForce(stream));
#else
    ACL(aclrtRecordEvent(go, opener));
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtDestroyEvent(go));
    EXPECT(device_bytes(block, BYTES, 4));
    ACL(aclrtDestroyStream(stream));
#endif
    ACL(aclrtFree(block));
    ACL(aclrtDestroyStream(opener));
    return finish();
}
