/* A tool that stores its functions and then does not want to listen. None may be called. */
#define FIRST 901
#include "mstx_tool.h"

EXPORTED int InitInjectionMstx(mstxGetModuleFuncTableFunc get)
{
    (void)install(get);
    return MSTX_FAIL;
}
