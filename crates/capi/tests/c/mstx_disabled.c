/* With MSTX_DISABLE nothing is called, though a tool is there to be found. */
#define MSTX_DISABLE
#include "parts/mstx_heard.h"

#include <mstx/ms_tools_ext.h>
#include <mstx/ms_tools_ext_mem.h>

int main(void)
{
    uint64_t id = 9;
    mstxMarkA("hello", NULL);
    mstxGetToolId(NULL);
    mstxGetToolId(&id);
    HOLDS(id == 0 && mstxRangeStartA("r", NULL) == 0 && mstxDomainCreateA("d") == NULL);
    HOLDS(mstxDomainRangeStartA(globalDomain, "r", NULL) == 0);
    HOLDS(mstxMemHeapRegister(globalDomain, NULL) == NULL);
    mstxRangeEnd(1);
    mstxDomainMarkA(globalDomain, "m", NULL);
    mstxDomainRangeEnd(globalDomain, 1);
    mstxDomainDestroy(globalDomain);
    mstxMemHeapUnregister(globalDomain, NULL);
    mstxMemRegionsRegister(globalDomain, NULL);
    mstxMemRegionsUnregister(globalDomain, NULL);
    mstxMemPermissionsAssign(globalDomain, NULL);
    HOLDS(dlopen(getenv("TOOL_ONE"), RTLD_NOW | RTLD_NOLOAD) == NULL);
    return 0;
}
