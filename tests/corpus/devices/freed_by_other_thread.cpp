// rule: memory.double-free
// wrong: a buffer that was handed to a worker is freed by the worker and by its sender
// options: --devices 2
#include "corpus.h"

#include <thread>

struct Message {
    void *memory;
    size_t size;
};

static void worker(Message message, int *right)
{
    ACL(aclrtSetDevice(1));
    aclrtStream stream = new_stream();
    ACL(aclrtMemsetAsync(message.memory, message.size, 4, message.size, stream));
    ACL(aclrtSynchronizeStream(stream));
    *right = device_bytes(message.memory, message.size, 4);
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtFree(message.memory));
}

int main()
{
    start();
    ACL(aclrtSetDevice(1));
    for (int i = 0; i < 2; i++) {
        int right = 0;
        Message message = {device_memory(4096), 4096};
        std::thread thread(worker, message, &right);
        thread.join();
        EXPECT(right);
#ifdef WRONG
        TRY(aclrtFree(message.memory));
#endif
    }
    ACL(aclrtResetDevice(1));
    ACL(aclrtSetDevice(0));
    return finish();
}
