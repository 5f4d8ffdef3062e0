/* A second tool, whose handles are 501, 502, ... */
#define FIRST 501
#include "mstx_tool.h"

EXPORTED int InitInjectionMstx(mstxGetModuleFuncTableFunc get)
{
    return install(get);
}
