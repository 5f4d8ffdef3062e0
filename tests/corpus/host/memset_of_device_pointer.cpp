// rule: memory.host-access
// wrong: a constructor clears device memory with memset
#include "corpus.h"

class Buffer {
public:
    explicit Buffer(size_t size) : memory(device_memory(size)), size(size)
    {
#ifdef WRONG
        memset(memory, 0, size);
#else
        ACL(aclrtMemset(memory, size, 0, size));
#endif
    }
    ~Buffer() { ACL(aclrtFree(memory)); }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    void *memory;
    size_t size;
};

int main()
{
    start();
    {
        Buffer cache(1 << 16);
        EXPECT(device_bytes(cache.memory, cache.size, 0));
    }
    return finish();
}
