/* also: mstx_second_file.c
 * A program that has MSTX from the header, and our library for its memory: it attaches to our listener
 * by itself, and so does each of its libraries. Handles are good for all of them. */
#include "check.h"

#include <mstx/ms_tools_ext.h>

#include "parts/mstx_heard.h"
#include "parts/mstx_second_file.h"

int main(void)
{
    mstxMemVirtualRangeDesc_t range;
    mstxMemHeapDesc_t heapDesc;
    void *plugin, *symbol, *pool;
    void (*plugin_mark)(mstxDomainHandle_t) = NULL;
    mstxDomainHandle_t (*plugin_domain)(const char *) = NULL;
    void (*plugin_end_heap)(mstxDomainHandle_t, mstxMemHeapHandle_t) = NULL;
    mstxDomainHandle_t (*library_domain)(const char *) = NULL;
    mstxMemHeapHandle_t heap;
    mstxDomainHandle_t domain;
    int chained = getenv("TOOL_ONE") != NULL;

    no_records_yet();
    OPEN_DEVICE();
    OK(aclrtMalloc(&pool, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));

    domain = second_file_domain();
    CHECK(domain != NULL);
    EQ_PTR(mstxDomainCreateA("second_domain"), domain);
    CHECK(second_file_range() != 0);

    plugin = dlopen(getenv("PLUGIN"), RTLD_NOW | RTLD_LOCAL);
    CHECK(plugin != NULL);
    symbol = dlsym(plugin, "plugin_mark");
    memcpy(&plugin_mark, &symbol, sizeof symbol);
    symbol = dlsym(plugin, "plugin_domain");
    memcpy(&plugin_domain, &symbol, sizeof symbol);
    symbol = dlsym(plugin, "plugin_end_heap");
    memcpy(&plugin_end_heap, &symbol, sizeof symbol);
    plugin_mark(domain);
    RECORDS(1, "mark: from the plugin");
    EQ_PTR(plugin_domain("second_domain"), domain);
    /* And by the library's own function, as a host finds it that opens libms_tools_ext.so. */
    symbol = dlsym(RTLD_DEFAULT, "mstxDomainCreateA");
    memcpy(&library_domain, &symbol, sizeof symbol);
    EQ_PTR(library_domain("second_domain"), domain);

    memset(&range, 0, sizeof range);
    range.ptr = pool;
    range.size = 4096;
    memset(&heapDesc, 0, sizeof heapDesc);
    heapDesc.typeSpecificDesc = &range;
    heap = mstxMemHeapRegister(domain, &heapDesc);
    CHECK(heap != NULL);
    RECORDS(1, "heap 1 registered in domain 1");
    plugin_end_heap(domain, heap);
    RECORDS(1, "heap 1 unregistered");
    if (chained) {
        /* Attached once, though three have called; and it was not there at the first of them. */
        EQ(tool_inits("TOOL_ONE"), 1);
        HEARD("TOOL_ONE", "domain second_domain=101;domain second_domain=102;range second=103;"
                          "mark from the plugin in 101;domain second_domain=104;"
                          "domain second_domain=105;heap 106 in 101;heap-end 106;");
    }
    OK(aclrtFree(pool));
    return 0;
}
