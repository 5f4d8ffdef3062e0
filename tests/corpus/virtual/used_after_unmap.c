// rule: memory.use-after-free
// wrong: the allocator shrinks its segment, and a tensor in the part that went is still used
#include "vmm.h"

/* A segment that grows and shrinks page by page. */
enum { PAGES = 4 };

typedef struct {
    char *base;
    aclrtDrvMemHandle pages[PAGES];
    int count;
} Segment;

static void grow(Segment *s)
{
    s->pages[s->count] = physical(PAGE);
    ACL(aclrtMapMem(s->base + s->count * PAGE, PAGE, 0, s->pages[s->count], 0));
    s->count++;
}

static void shrink(Segment *s)
{
    s->count--;
    ACL(aclrtUnmapMem(s->base + s->count * PAGE));
    ACL(aclrtFreePhysical(s->pages[s->count]));
}

int main(void)
{
    Segment s;
    start();
    memset(&s, 0, sizeof s);
    s.base = reserve(PAGES * PAGE);
    while (s.count < PAGES)
        grow(&s);
    char *tensor = s.base + 2 * PAGE + 512;
    ACL(aclrtMemset(tensor, 4096, 1, 4096));
    shrink(&s);
#ifdef WRONG
    shrink(&s);
#endif
    TRY(aclrtMemset(tensor, 4096, 2, 4096));
#ifndef WRONG
    EXPECT(device_bytes(tensor, 4096, 2));
#endif
    while (s.count > 0)
        shrink(&s);
    ACL(aclrtReleaseMemAddress(s.base));
    return finish();
}
