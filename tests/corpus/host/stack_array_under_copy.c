// rule: stream.host-buffer
// wrong: the source of a queued copy is an array on the stack of a function that has returned
// known-miss: copies from plain memory are done inside the call here, so the program's result is right
#include "corpus.h"

enum { COUNT = 64 };

static void send_config(void *device, int value, aclrtStream stream)
{
    int32_t config[COUNT];
    for (int i = 0; i < COUNT; i++)
        config[i] = value + i;
    ACL(aclrtMemcpyAsync(device, sizeof config, config, sizeof config, ACL_MEMCPY_HOST_TO_DEVICE, stream));
#ifndef WRONG
    ACL(aclrtSynchronizeStream(stream));
#endif
}

int main(void)
{
    int32_t back[COUNT];
    start();
    aclrtStream stream = new_stream();
    void *device = device_memory(sizeof back);
    send_config(device, 100, stream);
    ACL(aclrtSynchronizeStream(stream));
    download(back, device, sizeof back);
    for (int i = 0; i < COUNT; i++)
        EXPECT(back[i] == 100 + i);
    ACL(aclrtFree(device));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
