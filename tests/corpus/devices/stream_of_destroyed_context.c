// rule: handle.use-after-destroy
// wrong: the context is destroyed, and a stream that went with it is used
#include "corpus.h"

enum { BYTES = 4096 };

int main(void)
{
    aclrtContext main_context, job;
    start();
    ACL(aclrtGetCurrentContext(&main_context));
    ACL(aclrtCreateContext(&job, 0));
    aclrtStream stream = new_stream();
    void *block = device_memory(BYTES);
    ACL(aclrtMemsetAsync(block, BYTES, 1, BYTES, stream));
    ACL(aclrtSynchronizeStream(stream));
#ifdef WRONG
    ACL(aclrtDestroyContext(job));
    ACL(aclrtSetCurrentContext(main_context));
    TRY(aclrtMemsetAsync(block, BYTES, 2, BYTES, stream));
#else
    ACL(aclrtMemsetAsync(block, BYTES, 2, BYTES, stream));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(block, BYTES, 2));
    ACL(aclrtFree(block));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtDestroyContext(job));
    ACL(aclrtSetCurrentContext(main_context));
#endif
    return finish();
}
