/* Does a preloaded hook find the function that it stands before? Also if the runtime comes in later, and is opened by
 * somebody for himself alone, as extensions of Python are. */
#define _GNU_SOURCE
#include "parts/mstx_heard.h"

#include <acl/acl.h>

#define FUNCTION(name, from)                          \
    do {                                              \
        void *symbol = dlsym((from), #name);          \
        HOLDS(symbol != NULL);                        \
        memcpy(&(name##_), &symbol, sizeof symbol);   \
    } while (0)

int main(void)
{
    void *library = dlopen("libascendcl.so", RTLD_NOW | RTLD_LOCAL);
    aclError (*aclInit_)(const char *);
    aclError (*aclrtSetDevice_)(int32_t);
    aclError (*aclrtMallocAlign32_)(void **, size_t, aclrtMemMallocPolicy);
    aclError (*aclrtFree_)(void *);
    aclError (*aclFinalize_)(void);
    int *calls = dlsym(RTLD_DEFAULT, "hook_calls");
    void *block = NULL;

    HOLDS(library != NULL && calls != NULL);
    FUNCTION(aclInit, library);
    FUNCTION(aclrtSetDevice, library);
    FUNCTION(aclrtFree, library);
    FUNCTION(aclFinalize, library);
    /* As a library's call by name finds it. */
    FUNCTION(aclrtMallocAlign32, RTLD_DEFAULT);
    HOLDS(aclInit_(NULL) == 0);
    HOLDS(aclrtSetDevice_(0) == 0);
    HOLDS(aclrtMallocAlign32_(&block, 100, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    HOLDS(*calls == 1 && block != NULL);
    HOLDS(aclrtFree_(block) == 0);
    HOLDS(aclFinalize_() == 0);
    return 0;
}
