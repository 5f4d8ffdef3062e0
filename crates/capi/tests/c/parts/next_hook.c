/* A hook as memory tools preload it: takes the program's calls, counts them, and hands them on to whoever is next. It
 * is not linked with the runtime. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define OFFERED __attribute__((visibility("default")))

OFFERED int hook_calls;
OFFERED int aclrtMallocAlign32(void **block, size_t size, int policy);

int aclrtMallocAlign32(void **block, size_t size, int policy)
{
    int (*next)(void **, size_t, int) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "aclrtMallocAlign32");
    memcpy(&next, &symbol, sizeof symbol);
    hook_calls++;
    return next == NULL ? -1 : next(block, size, policy);
}
