/* A tool that comes first and hands on to our library by itself: both hear everything once. */
#include "check.h"

#include <mstx/ms_tools_ext.h>

#include "parts/mstx_heard.h"

int main(void)
{
    no_records_yet();
    OPEN_DEVICE();
    mstxMarkA("hello", NULL);
    mstxMarkA("again", NULL);
    HEARD("TOOL_ONE", "mark hello;mark again;");
    EQ(tool_inits("TOOL_ONE"), 1);
    RECORDS(1, "mark: hello");
    RECORDS(1, "mark: again");
    return 0;
}
