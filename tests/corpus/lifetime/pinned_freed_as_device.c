// rule: memory.wrong-free
// wrong: the clean-up loop frees all buffers with one function, pinned ones too
#include "corpus.h"

enum { BUFFERS = 4, BYTES = 4096 };

typedef struct {
    void *memory;
    int on_host;
} Entry;

int main(void)
{
    Entry entries[BUFFERS];
    start();
    for (int i = 0; i < BUFFERS; i++) {
        entries[i].on_host = i % 2;
        entries[i].memory = i % 2 ? pinned_memory(BYTES) : device_memory(BYTES);
    }
    for (int i = 0; i < BUFFERS; i += 2) {
        memset(entries[i + 1].memory, i, BYTES);
        upload(entries[i].memory, entries[i + 1].memory, BYTES);
        EXPECT(device_bytes(entries[i].memory, BYTES, i));
    }
    for (int i = 0; i < BUFFERS; i++) {
#ifdef WRONG
        TRY(aclrtFree(entries[i].memory));
#else
        ACL(entries[i].on_host ? aclrtFreeHost(entries[i].memory) : aclrtFree(entries[i].memory));
#endif
    }
    return finish();
}
