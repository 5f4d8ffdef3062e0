// rule: stream.host-buffer
// wrong: the loader thread gets a batch back when its upload is queued, not when it is done
#include "corpus.h"

#include <condition_variable>
#include <mutex>
#include <thread>

/* Two batches in one pinned block: a thread fills one while the other is uploaded. */
enum { BYTES = 1000, BATCHES = 8 };

static std::mutex lock;
static std::condition_variable changed;
static int filled, uploaded;

static void loader(char *batches)
{
    for (int batch = 0; batch < BATCHES; batch++) {
        {
            std::unique_lock<std::mutex> held(lock);
            changed.wait(held, [=] { return batch < uploaded + 2; });
        }
        memset(batches + batch % 2 * BYTES, batch + 1, BYTES);
        std::lock_guard<std::mutex> held(lock);
        filled = batch + 1;
        changed.notify_all();
    }
}

int main()
{
    start();
    aclrtStream stream = new_stream();
    char *batches = (char *)pinned_memory(2 * BYTES), *device = (char *)device_memory(BATCHES * BYTES);
    std::thread thread(loader, batches);
    for (int batch = 0; batch < BATCHES; batch++) {
        {
            std::unique_lock<std::mutex> held(lock);
            changed.wait(held, [=] { return filled > batch; });
        }
        ACL(aclrtMemcpyAsync(device + batch * BYTES, BYTES, batches + batch % 2 * BYTES, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
#ifndef WRONG
        ACL(aclrtSynchronizeStream(stream));
#endif
        std::lock_guard<std::mutex> held(lock);
        uploaded = batch + 1;
        changed.notify_all();
    }
    thread.join();
    ACL(aclrtSynchronizeStream(stream));
    for (int batch = 0; batch < BATCHES; batch++)
        EXPECT(device_bytes(device + batch * BYTES, BYTES, batch + 1));
    ACL(aclrtFree(device));
    ACL(aclrtFreeHost(batches));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
