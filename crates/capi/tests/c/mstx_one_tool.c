/* One tool: the program has the tool's own numbers for ranges, also where records are asked for, and the tool gets
 * them back. And the types that tools need come with the one header. */
#define MSTX_NO_IMPL
#include "check.h"

#include <mstx/ms_tools_ext.h>

#include "parts/mstx_heard.h"

/* A tool that is written with this header alone. */
static int init(mstxGetModuleFuncTableFunc get)
{
    mstxFuncTable table = NULL;
    unsigned int size = 0;
    return get(MSTX_API_MODULE_CORE, &table, &size) == MSTX_SUCCESS && size > MSTX_API_CORE_RANGE_END ? 0 : 1;
}

static int get(mstxFuncModule module, mstxFuncTable *table, unsigned int *size)
{
    *table = NULL;
    *size = MSTX_API_CORE_SIZE;
    return module == MSTX_API_MODULE_CORE ? MSTX_SUCCESS : MSTX_FAIL;
}

int main(void)
{
    mstxDomainHandle_t domain;
    mstxRangeId first, second, third;

    EQ(init(get), 0);
    if (getenv("MILLPOND_RECORDS") != NULL) {
        no_records_yet();
    }
    OPEN_DEVICE();
    first = mstxRangeStartA("a", NULL);
    second = mstxRangeStartA("b", NULL);
    EQ(first, 101);
    EQ(second, 102);
    domain = mstxDomainCreateA("d");
    third = mstxDomainRangeStartA(domain, "c", NULL);
    EQ(third, 104);
    mstxRangeEnd(first);
    mstxDomainRangeEnd(domain, third);
    mstxRangeEnd(second);
    HEARD("TOOL_ONE", "range a=101;range b=102;domain d=103;range c=104 in 103;end 101;end 104 in 103;end 102;");
    if (getenv("MILLPOND_RECORDS") != NULL) {
        RECORDS(3, " began: ");
        RECORDS(1, "range 3 ended");
    }
    return 0;
}
