/* A tool that calls MSTX while it is attached. It must come back, and for it there is no tool. How
 * MSTX is called is the program's affair: it leaves the address of a function that does. */
#define FIRST 101
#include "mstx_tool.h"

#include <stdlib.h>
#include <string.h>

EXPORTED int InitInjectionMstx(mstxGetModuleFuncTableFunc get)
{
    uintptr_t address = (uintptr_t)strtoull(getenv("CALL_MSTX"), NULL, 16);
    int (*call_mstx)(void) = NULL;
    memcpy(&call_mstx, &address, sizeof address);
    if (call_mstx() != 0) {
        return MSTX_FAIL;
    }
    return install(get);
}
