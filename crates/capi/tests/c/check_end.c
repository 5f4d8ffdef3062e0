/* A program that only ends: what it had is one hint, and no reason to fail. */
#include "parts.h"

static void child(void)
{
    void *one = NULL, *two = NULL;
    int i;

    OPEN_DEVICE();
    if (is("nothing")) {
        return;
    }
    OK(aclrtMallocHost(&one, 64));
    for (i = 0; i < 3; i++) {
        OK(aclrtMalloc(&two, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMemset(two, 4096, 0, 4096));
    }
    if (is("finalize")) {
        OK(aclrtFreeHost(one));
        CLOSE_DEVICE();
    }
}

int main(void)
{
    if (part() != NULL) {
        child();
        return 0;
    }
    keeps("leaves");
    TIMES(found, "\"memory.leak\"", 1);
    HAS(found, "4 blocks from 2 places, 12,352 bytes in all, were not freed");
    keeps("nothing");
    TIMES(found, "\"finding\"", 0);
    breaks("finalize", "memory.leak");
    return 0;
}
