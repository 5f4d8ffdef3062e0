/* A process without AscendCL: everything that needs it is refused. */
#include <dlfcn.h>
#include <millpond/plugin.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    aclrtAllocatorDesc desc = NULL;
    if (dlopen("libascendcl.so", RTLD_NOW) != NULL) {
        puts("skip: this machine has a libascendcl.so that every process finds");
        return 0;
    }
    if (millpondAllocatorCreate((aclrtStream)&desc, NULL, &desc) != MILLPOND_ALLOCATOR_NO_RUNTIME || desc != NULL) {
        return 1;
    }
    puts(millpondAllocatorMessage());
    if (strstr(millpondAllocatorMessage(), "aclrtGetDevice") == NULL) {
        return 2;
    }
    return millpondAllocatorTrim(NULL, 0, NULL) == MILLPOND_ALLOCATOR_NO_RUNTIME ? 0 : 3;
}
