// rule: stream.race stream.host-buffer
// wrong: a host function writes the numbers that another stream uploads, and that stream does not wait for it
// sometimes: found only when the copy is queued before the function runs; afterwards the function may have woken the thread that goes on
#include "corpus.h"

enum { COUNT = 1024 };

static void tokenize(void *argument)
{
    int32_t *ids = argument;
    for (int i = 0; i < COUNT; i++)
        ids[i] = i * 3;
}

int main(void)
{
    start();
    aclrtStream prepare = new_stream(), upload_stream = new_stream();
    aclrtEvent prepared = new_event();
    size_t bytes = COUNT * sizeof(int32_t);
    int32_t *ids = pinned_memory(bytes), *back = malloc(bytes);
    void *device = device_memory(bytes);

    ACL(aclrtLaunchHostFunc(prepare, tokenize, ids));
    ACL(aclrtRecordEvent(prepared, prepare));
#ifndef WRONG
    ACL(aclrtStreamWaitEvent(upload_stream, prepared));
#endif
    ACL(aclrtMemcpyAsync(device, bytes, ids, bytes, ACL_MEMCPY_HOST_TO_DEVICE, upload_stream));
    ACL(aclrtSynchronizeStream(upload_stream));
    ACL(aclrtSynchronizeStream(prepare));
    download(back, device, bytes);
    for (int i = 0; i < COUNT; i++)
        EXPECT(back[i] == i * 3);

    free(back);
    ACL(aclrtFree(device));
    ACL(aclrtFreeHost(ids));
    ACL(aclrtDestroyEvent(prepared));
    ACL(aclrtDestroyStream(upload_stream));
    ACL(aclrtDestroyStream(prepare));
    return finish();
}
