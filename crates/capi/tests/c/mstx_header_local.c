/* A host that opens the library for itself alone, as Python does, and has MSTX from the header: the
 * library's symbol is not seen, but MSTX_INJECTION_PATH leads to the library that is already there. */
#include "parts/mstx_heard.h"

#include <acl/acl.h>
#include <link.h>
#include <mstx/ms_tools_ext.h>

int main(void)
{
    void *library = dlopen("libascendcl.so", RTLD_NOW | RTLD_LOCAL);
    int (*init)(const char *) = NULL;
    int (*set_device)(int32_t) = NULL;
    struct link_map *map = NULL;
    void *symbol;
    no_records_yet();
    HOLDS(library != NULL);
    HOLDS(dlsym(RTLD_DEFAULT, "InitInjectionMstx") == NULL);
    HOLDS(dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != NULL);
    HOLDS(setenv("MSTX_INJECTION_PATH", map->l_name, 1) == 0);
    symbol = dlsym(library, "aclInit");
    memcpy(&init, &symbol, sizeof symbol);
    HOLDS(init(NULL) == 0);
    symbol = dlsym(library, "aclrtSetDevice");
    memcpy(&set_device, &symbol, sizeof symbol);
    HOLDS(set_device(0) == 0);
    HOLDS(mstxDomainCreateA("local") != NULL);
    mstxMarkA("hello", NULL);
    RECORDS(1, "domain 1 created: local");
    RECORDS(1, "mark: hello");
    return 0;
}
