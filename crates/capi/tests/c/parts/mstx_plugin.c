/* A library of a program, with MSTX from the header, as the program has it too. */
#include <mstx/ms_tools_ext.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void plugin_mark(mstxDomainHandle_t domain)
{
    mstxDomainMarkA(domain, "from the plugin", NULL);
}

EXPORTED mstxDomainHandle_t plugin_domain(const char *name)
{
    return mstxDomainCreateA(name);
}

EXPORTED void plugin_end_heap(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap)
{
    mstxMemHeapUnregister(domain, heap);
}
