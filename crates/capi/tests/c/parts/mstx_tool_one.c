/* A tool whose handles are 101, 102, ... */
#define FIRST 101
#include "mstx_tool.h"

EXPORTED int InitInjectionMstx(mstxGetModuleFuncTableFunc get)
{
    return install(get);
}
