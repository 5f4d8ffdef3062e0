/* A program that is linked with the library: is a tool found whose symbol is everybody's, though
 * the library has a symbol of that name too? */
#define MSTX_NO_IMPL
#include "check.h"

#include <mstx/ms_tools_ext.h>

#include "parts/mstx_heard.h"

int main(void)
{
    open_globally();
    mstxMarkA("hello", NULL);
    mstxRangeEnd(mstxRangeStartA("r", NULL));
    HEARD("TOOL_ONE", "mark hello;range r=101;end 101;");
    EQ(tool_inits("TOOL_ONE"), 1);
    return 0;
}
