// rule: memory.unknown-free
// wrong: the fallback took its staging buffer from malloc, and the clean-up frees it as pinned memory
#include "corpus.h"

enum { BYTES = 1 << 14 };

typedef struct {
    void *memory;
    int pinned;
} Staging;

static Staging staging(int want_pinned)
{
    Staging s = {NULL, want_pinned};
    s.memory = want_pinned ? pinned_memory(BYTES) : malloc(BYTES);
    return s;
}

static void staging_free(Staging s)
{
#ifdef WRONG
    TRY(aclrtFreeHost(s.memory));
#else
    if (s.pinned)
        ACL(aclrtFreeHost(s.memory));
    else
        free(s.memory);
#endif
}

int main(void)
{
    start();
    void *device = device_memory(BYTES);
    for (int kind = 0; kind < 2; kind++) {
        Staging s = staging(kind);
        memset(s.memory, kind + 1, BYTES);
        upload(device, s.memory, BYTES);
        EXPECT(device_bytes(device, BYTES, kind + 1));
        staging_free(s);
    }
    ACL(aclrtFree(device));
    return finish();
}
