/* Can a program open the library at run time and find the calls by name, as Python
 * and other hosts do? And may it close the library again? This program is not
 * linked with libascendcl.so, so it does without check.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <acl/acl.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void *find(const char *name)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "%s: %s\n", name, dlerror());
        exit(1);
    }
    return symbol;
}

/* Turns the address into a function of the declared type. */
#define FIND(name)                              \
    __typeof__(&name) p_##name;                 \
    do {                                        \
        void *address = find(#name);            \
        memcpy(&p_##name, &address, sizeof address); \
    } while (0)

#define EXPECT(call, code)                                                         \
    do {                                                                           \
        int actual = (call);                                                       \
        if (actual != (code)) {                                                    \
            const char *text = p_aclGetRecentErrMsg();                             \
            fprintf(stderr, "%s:%d: %s\n    returned %d, expected %d\n    runtime says: %s\n", \
                    __FILE__, __LINE__, #call, actual, (int)(code), text ? text : "nothing"); \
            return 1;                                                              \
        }                                                                          \
    } while (0)

int main(void)
{
    void *again, *device = NULL;
    aclrtStream stream = NULL;
    char text[32] = "carried there and back";
    char back[32] = "";

    library = dlopen("libascendcl.so", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    FIND(aclGetRecentErrMsg);
    FIND(aclInit);
    FIND(aclFinalize);
    FIND(aclrtSetDevice);
    FIND(aclrtResetDevice);
    FIND(aclrtCreateStream);
    FIND(aclrtDestroyStream);
    FIND(aclrtSynchronizeStream);
    FIND(aclrtMalloc);
    FIND(aclrtFree);
    FIND(aclrtMemcpy);
    FIND(aclrtMemcpyAsync);

    EXPECT(p_aclInit(NULL), ACL_SUCCESS);
    EXPECT(p_aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT(p_aclrtCreateStream(&stream), ACL_SUCCESS);
    EXPECT(p_aclrtMalloc(&device, sizeof text, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    EXPECT(p_aclrtMemcpyAsync(device, sizeof text, text, sizeof text, ACL_MEMCPY_HOST_TO_DEVICE, stream),
           ACL_SUCCESS);
    EXPECT(p_aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT(p_aclrtMemcpy(back, sizeof back, device, sizeof text, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    if (strcmp(text, back) != 0) {
        fprintf(stderr, "came back as \"%s\"\n", back);
        return 1;
    }

    /* A second handle leads to the same runtime. */
    again = dlopen("libascendcl.so", RTLD_NOW | RTLD_LOCAL);
    if (again != library) {
        fprintf(stderr, "the library was loaded twice\n");
        return 1;
    }
    dlclose(again);

    EXPECT(p_aclrtFree(device), ACL_SUCCESS);
    EXPECT(p_aclrtDestroyStream(stream), ACL_SUCCESS);
    EXPECT(p_aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT(p_aclFinalize(), ACL_SUCCESS);

    /* Closing must not pull the code from under threads that are still leaving it. */
    dlclose(library);
    return 0;
}
