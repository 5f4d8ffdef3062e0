// rule: memory.uninitialised-read
// wrong: after sleep mode the weights' pages are new, and the program forgets to bring their content back
#include "vmm.h"

enum { BYTES = 1 << 16 };

static aclrtDrvMemHandle page;

static void wake_up(char *base)
{
    page = physical(PAGE);
    ACL(aclrtMapMem(base, PAGE, 0, page, 0));
}

static void sleep_mode(char *base)
{
    ACL(aclrtUnmapMem(base));
    ACL(aclrtFreePhysical(page));
}

int main(void)
{
    char *backup = malloc(BYTES), *back = malloc(BYTES);
    start();
    char *weights = reserve(PAGE);
    wake_up(weights);
    ACL(aclrtMemset(weights, PAGE, 99, BYTES));
    download(backup, weights, BYTES);
    sleep_mode(weights);
    wake_up(weights);
#ifndef WRONG
    upload(weights, backup, BYTES);
#endif
    download(back, weights, BYTES);
    EXPECT(all_bytes(back, BYTES, 99));
    sleep_mode(weights);
    ACL(aclrtReleaseMemAddress(weights));
    free(back);
    free(backup);
    return finish();
}
