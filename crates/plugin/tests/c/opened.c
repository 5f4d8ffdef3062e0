/* A program that opens both libraries itself, each with its names to itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <millpond/plugin.h>
#include <stdio.h>
#include <string.h>

#include <acl/acl.h>

#define LOOK_UP(library, name) __typeof__(&name) p_##name = (__typeof__(&name))dlsym(library, #name)
#define MUST(condition)                                                 \
    do {                                                                \
        if (!(condition)) {                                             \
            fprintf(stderr, "%d: %s\n", __LINE__, #condition);          \
            return 1;                                                   \
        }                                                               \
    } while (0)

int main(void)
{
    void *acl = dlopen("libascendcl.so", RTLD_NOW | RTLD_LOCAL);
    void *plugin = dlopen("libmillpond_plugin.so", RTLD_NOW | RTLD_LOCAL);
    aclrtStream stream = NULL;
    aclrtAllocatorDesc desc = NULL;
    MUST(acl != NULL && plugin != NULL);
    {
        LOOK_UP(acl, aclInit);
        LOOK_UP(acl, aclrtSetDevice);
        LOOK_UP(acl, aclrtCreateStream);
        LOOK_UP(acl, aclrtDestroyStream);
        LOOK_UP(acl, aclrtAllocatorRegister);
        LOOK_UP(acl, aclrtAllocatorUnregister);
        LOOK_UP(acl, aclFinalize);
        LOOK_UP(plugin, millpondAllocatorCreate);
        LOOK_UP(plugin, millpondAllocatorDestroy);
        MUST(p_aclInit(NULL) == 0);
        MUST(p_aclrtSetDevice(0) == 0);
        MUST(p_aclrtCreateStream(&stream) == 0);
        MUST(p_millpondAllocatorCreate(stream, NULL, &desc) == 0);
        MUST(p_aclrtAllocatorRegister(stream, desc) == 0);
        MUST(p_aclrtAllocatorUnregister(stream) == 0);
        MUST(p_millpondAllocatorDestroy(desc) == 0);
        MUST(p_aclrtDestroyStream(stream) == 0);
        MUST(p_aclFinalize() == 0);
    }
    return 0;
}
