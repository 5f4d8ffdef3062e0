// rule: memory.double-free
// wrong: the class that owns device memory is copied, and both copies free it
#include "corpus.h"

#include <utility>
#include <vector>

class Buffer {
public:
    explicit Buffer(size_t size) : memory(device_memory(size)), size(size)
    {
        ACL(aclrtMemset(memory, size, 3, size));
    }
    ~Buffer()
    {
        if (memory)
            TRY(aclrtFree(memory));
    }
#ifdef WRONG
    Buffer(const Buffer &other) = default;
#else
    Buffer(Buffer &&other) : memory(other.memory), size(other.size) { other.memory = nullptr; }
    Buffer(const Buffer &) = delete;
#endif
    Buffer &operator=(const Buffer &) = delete;

    void *memory;
    size_t size;
};

int main()
{
    start();
    {
        std::vector<Buffer> buffers;
        buffers.reserve(4);
        for (int i = 0; i < 4; i++) {
            Buffer made(4096);
            EXPECT(device_bytes(made.memory, made.size, 3));
            buffers.push_back(std::move(made));
        }
    }
    return finish();
}
