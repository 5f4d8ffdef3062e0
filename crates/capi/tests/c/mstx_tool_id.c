/* Which tool does a program think it is watched by? */
#define MSTX_NO_IMPL
#include "check.h"

#include <mstx/ms_tools_ext.h>

int main(void)
{
    uint64_t id = 99;
    mstxGetToolId(&id);
    EQ(id, strtoull(getenv("EXPECTED_ID"), NULL, 0));
    mstxGetToolId(NULL);
    return 0;
}
