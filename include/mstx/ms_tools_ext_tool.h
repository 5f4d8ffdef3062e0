/* MSTX for tools: what a library needs to be injected into a program. See docs/mstx.md. */
#ifndef MILLPOND_MSTX_MS_TOOLS_EXT_TOOL_H
#define MILLPOND_MSTX_MS_TOOLS_EXT_TOOL_H

#include "ms_tools_ext_mem.h"
#include "mstx_detail/mstx_init_defs.h"
#include "mstx_detail/mstx_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The one function that a tool exports; libascendcl.so has one too. It is called once by each
 * program and library that has the functions of MSTX in it, each time with another getFuncTable, and
 * must not call MSTX itself. A result other than MSTX_SUCCESS means that the tool does not attach.
 */
int InitInjectionMstx(mstxGetModuleFuncTableFunc getFuncTable);

#ifdef __cplusplus
}
#endif

#endif
