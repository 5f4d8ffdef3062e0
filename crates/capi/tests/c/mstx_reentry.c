/* A tool that calls MSTX while it is attached: for it there is no tool, and nobody hangs. */
#define MSTX_NO_IMPL
#include "check.h"

#include <mstx/ms_tools_ext.h>

#include "parts/mstx_heard.h"

static int called;

/* Called by the tool. 0 if every answer is the one without a tool. */
static int call_mstx(void)
{
    uint64_t id = 7;
    called++;
    mstxMarkA("from the tool", NULL);
    mstxGetToolId(&id);
    return mstxRangeStartA("from the tool", NULL) != 0 || mstxDomainCreateA("tool") != NULL || id != 0;
}

int main(void)
{
    leave_address(call_mstx);
    mstxMarkA("hello", NULL);
    EQ(called, 1);
    EQ(mstxRangeStartA("r", NULL), 101);
    HEARD("TOOL_ONE", "mark hello;range r=101;");
    return 0;
}
