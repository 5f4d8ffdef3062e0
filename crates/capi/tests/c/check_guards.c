/* Writes that no call makes are seen by what they change: behind a pinned block, and in unified mode
 * behind device memory. The same without the mistake is silent. */
#include "checked.h"

static void play_host(int mistake)
{
    char *block = NULL;
    OK(aclrtMallocHost((void **)&block, 100));
    /* Sizes are rounded up to 32. */
    memset(block, 1, 128);
    if (mistake) {
        memset(block + 128, 2, 4);
    }
    OK(aclrtFreeHost(block));
}

static void play_device(int mistake)
{
    char *block = NULL;
    OK(aclrtMalloc((void **)&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    memset(block, 1, 4096);
    if (mistake) {
        block[4096] = 2;
    }
    OK(aclrtFree(block));
}

/* The block is never freed, but the program says that it is done. */
static void play_kept(int mistake)
{
    char *block = NULL;
    OK(aclrtMallocHost((void **)&block, 512));
    memset(block, 1, 512);
    if (mistake) {
        block[512] = 2;
    }
}

static void play_freed(int mistake)
{
    char *block = NULL;
    OK(aclrtMallocHost((void **)&block, 9000));
    memset(block, 1, 9000);
    OK(aclrtFreeHost(block));
    if (mistake) {
        block[8999] = 2;
    }
}

int main(void)
{
    static const char *const unified[] = {"MILLPOND_RUN_MODE=device", NULL};
    static const char *const names[] = {"host", "device", "kept", "freed"};
    char name[32];
    size_t i;

    if (part() != NULL) {
        int mistake = strstr(part(), "wrong") != NULL;
        OPEN_DEVICE();
        if (strncmp(part(), "host", 4) == 0) {
            play_host(mistake);
        } else if (strncmp(part(), "device", 6) == 0) {
            play_device(mistake);
        } else if (strncmp(part(), "kept", 4) == 0) {
            play_kept(mistake);
        } else {
            play_freed(mistake);
        }
        CLOSE_DEVICE();
        return 0;
    }
    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *const *variables = strcmp(names[i], "device") == 0 ? unified : NULL;
        const char *what = strcmp(names[i], "freed") == 0 ? "Poison of block" : "Redzone of block";
        const char *rule =
            strcmp(names[i], "freed") == 0 ? "memory.written-after-free" : "memory.guard";
        int status;
        snprintf(name, sizeof name, "%s wrong", names[i]);
        status = play(name, variables);
        LEFT(status, 0);
        checked_true(times(records, what) == 1, __LINE__, name);
        checked_true(strstr(found, rule) != NULL && strstr(said, rule) != NULL, __LINE__, name);
        status = play(names[i], variables);
        LEFT(status, 0);
        checked_true(strstr(records, what) == NULL, __LINE__, names[i]);
        checked_true(strstr(found, rule) == NULL, __LINE__, names[i]);
    }
    return 0;
}
