// rule: memory.freed-in-use
// wrong: the static object frees its buffer at exit without waiting for its stream
#include "corpus.h"

/* A singleton, as libraries have it. */
class Engine {
public:
    Engine()
    {
        start();
        stream = new_stream();
        buffer = device_memory(size);
    }
    ~Engine()
    {
#ifndef WRONG
        TRY(aclrtSynchronizeStream(stream));
#endif
        TRY(aclrtFree(buffer));
        TRY(aclrtDestroyStream(stream));
        if (finish() != 0)
            _Exit(3);
    }
    void run(int value) { ACL(aclrtMemsetAsync(buffer, size, value, size, stream)); }
    bool holds(int value)
    {
        ACL(aclrtSynchronizeStream(stream));
        return device_bytes(buffer, size, value);
    }

private:
    static const size_t size = 1 << 16;
    aclrtStream stream;
    void *buffer;
};

static Engine engine;

int main()
{
    engine.run(1);
    EXPECT(engine.holds(1));
    engine.run(2);
    return corpus_mistakes ? 3 : 0;
}
