// rule: memory.freed-in-use
// wrong: a vector of device buffers goes out of scope before the stream was synchronised
#include "corpus.h"

#include <memory>
#include <vector>

struct DeviceFree {
    void operator()(void *memory) const { ACL(aclrtFree(memory)); }
};
using DevicePtr = std::unique_ptr<void, DeviceFree>;

static void gather(void *target, size_t part, int parts, aclrtStream stream)
{
    std::vector<DevicePtr> pieces;
    for (int i = 0; i < parts; i++) {
        pieces.emplace_back(device_memory(part));
        ACL(aclrtMemsetAsync(pieces[i].get(), part, i, part, stream));
        ACL(aclrtMemcpyAsync((char *)target + i * part, part, pieces[i].get(), part, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    }
#ifndef WRONG
    ACL(aclrtSynchronizeStream(stream));
#endif
}

int main()
{
    const size_t part = 4096;
    start();
    aclrtStream stream = new_stream();
    {
        DevicePtr target(device_memory(8 * part));
        gather(target.get(), part, 8, stream);
        ACL(aclrtSynchronizeStream(stream));
        for (int i = 0; i < 8; i++)
            EXPECT(device_bytes((char *)target.get() + i * part, part, i));
    }
    ACL(aclrtDestroyStream(stream));
    return finish();
}
