// rule: memory.interior-free
// wrong: the program frees the address that it aligned itself, not the one it was given
#include "corpus.h"

enum { BYTES = 10000, ALIGNMENT = 4096 };

typedef struct {
    char *raw, *aligned;
} Aligned;

static Aligned aligned_memory(size_t size)
{
    Aligned a;
    a.raw = device_memory(size + 2 * ALIGNMENT);
    a.aligned = (char *)(((uintptr_t)a.raw / ALIGNMENT + 1) * ALIGNMENT);
    return a;
}

int main(void)
{
    start();
    Aligned a = aligned_memory(BYTES);
    EXPECT((uintptr_t)a.aligned % ALIGNMENT == 0);
    ACL(aclrtMemset(a.aligned, BYTES, 1, BYTES));
    EXPECT(device_bytes(a.aligned, BYTES, 1));
#ifdef WRONG
    TRY(aclrtFree(a.aligned));
#else
    ACL(aclrtFree(a.raw));
#endif
    return finish();
}
