/* A tool that hands marks on to the next one, as those do that were written for one tool only. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define FIRST 101
#include "mstx_tool.h"

#include <dlfcn.h>
#include <string.h>

static mstxFuncPointer core[5], domain[6], mem[6];
static mstxFuncPointer *core_table[6], *domain_table[7], *mem_table[7];

static int get_next(mstxFuncModule module, mstxFuncTable *table, unsigned int *size)
{
    *table = module == MSTX_API_MODULE_CORE ? core_table
        : module == MSTX_API_MODULE_CORE_DOMAIN ? domain_table : mem_table;
    *size = module == MSTX_API_MODULE_CORE ? 5 : 6;
    return MSTX_SUCCESS;
}

static void hand_on(const char *message, aclrtStream stream)
{
    on_mark(message, stream);
    if (core[MSTX_API_CORE_MARK_A] != NULL) {
        ((void (*)(const char *, aclrtStream))core[MSTX_API_CORE_MARK_A])(message, stream);
    }
}

EXPORTED int InitInjectionMstx(mstxGetModuleFuncTableFunc get)
{
    void *symbol = dlsym(RTLD_NEXT, "InitInjectionMstx");
    mstxInitInjectionFunc next = NULL;
    mstxFuncTable table = NULL;
    unsigned int size = 0;
    int id;
    if (install(get) != MSTX_SUCCESS || get(MSTX_API_MODULE_CORE, &table, &size) != MSTX_SUCCESS) {
        return MSTX_FAIL;
    }
    INSTALL(MSTX_API_CORE_MARK_A, hand_on);
    for (id = 1; id < 6; id++) {
        if (id < 5) {
            core_table[id] = &core[id];
        }
        domain_table[id] = &domain[id];
        mem_table[id] = &mem[id];
    }
    memcpy(&next, &symbol, sizeof symbol);
    return next != NULL ? next(get_next) : MSTX_SUCCESS;
}
