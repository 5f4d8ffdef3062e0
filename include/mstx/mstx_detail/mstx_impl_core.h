/*
 * MSTX inside a program: how a tool is found at the first call.
 *
 * There is one state for each program or shared library, however many of its files include this:
 * what is defined here is weak and hidden, so the linker keeps one of each.
 */
#ifndef MILLPOND_MSTX_MSTX_IMPL_CORE_H
#define MILLPOND_MSTX_MSTX_IMPL_CORE_H

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mstx_init_defs.h"
#include "mstx_types.h"

#define MSTX_LAZY_DATA __attribute__((weak, visibility("hidden")))
#ifdef __cplusplus
#define MSTX_LAZY_CODE inline __attribute__((visibility("hidden")))
#define MSTX_LAZY_CAST(type, value) reinterpret_cast<type>(value)
#define MSTX_LAZY_ZERO {}
#else
#define MSTX_LAZY_CODE __attribute__((weak, visibility("hidden")))
#define MSTX_LAZY_CAST(type, value) ((type)(value))
#define MSTX_LAZY_ZERO {0}
#endif

/* The states: not called yet, search in progress, a tool is attached, no tool found. */
#define MSTX_LAZY_UNINITED 0
#define MSTX_LAZY_INITIALIZING 1
#define MSTX_LAZY_COMPLETE 2
#define MSTX_LAZY_FAILED 3

#ifdef __cplusplus
extern "C" {
#endif

struct mstxLazyContext_st {
    int state;
    /* Who is looking: an address that only one thread has. */
    int *looker;
    mstxFuncPointer core[MSTX_API_CORE_SIZE];
    mstxFuncPointer domain[MSTX_API_CORE_DOMAIN_SIZE];
    mstxFuncPointer mem[MSTX_API_CORE_MEM_SIZE];
    mstxFuncPointer *coreTable[MSTX_API_CORE_SIZE + 1];
    mstxFuncPointer *domainTable[MSTX_API_CORE_DOMAIN_SIZE + 1];
    mstxFuncPointer *memTable[MSTX_API_CORE_MEM_SIZE + 1];
};

extern struct mstxLazyContext_st mstxLazyContext;
MSTX_LAZY_DATA struct mstxLazyContext_st mstxLazyContext = MSTX_LAZY_ZERO;

int mstxLazyGetTable(mstxFuncModule module, mstxFuncTable *outTable, unsigned int *outSize);
MSTX_LAZY_CODE int mstxLazyGetTable(mstxFuncModule module, mstxFuncTable *outTable,
    unsigned int *outSize)
{
    if (outTable == NULL || outSize == NULL) {
        return MSTX_FAIL;
    }
    switch (module) {
    case MSTX_API_MODULE_CORE:
        *outTable = mstxLazyContext.coreTable;
        *outSize = MSTX_API_CORE_SIZE;
        return MSTX_SUCCESS;
    case MSTX_API_MODULE_CORE_DOMAIN:
        *outTable = mstxLazyContext.domainTable;
        *outSize = MSTX_API_CORE_DOMAIN_SIZE;
        return MSTX_SUCCESS;
    case MSTX_API_MODULE_CORE_MEM:
        *outTable = mstxLazyContext.memTable;
        *outSize = MSTX_API_CORE_MEM_SIZE;
        return MSTX_SUCCESS;
    case MSTX_API_MODULE_INVALID:
    case MSTX_API_MODULE_SIZE:
    default:
        return MSTX_FAIL;
    }
}

void mstxLazyLook(void);
MSTX_LAZY_CODE void mstxLazyLook(void)
{
    struct mstxLazyContext_st *context = &mstxLazyContext;
    const char *path = getenv("MSTX_INJECTION_PATH");
    void *library = NULL;
    void *symbol;
    int listens = 0;
    int id;
    for (id = 1; id < MSTX_API_CORE_SIZE; id++) {
        context->coreTable[id] = &context->core[id];
    }
    for (id = 1; id < MSTX_API_CORE_DOMAIN_SIZE; id++) {
        context->domainTable[id] = &context->domain[id];
    }
    for (id = 1; id < MSTX_API_CORE_MEM_SIZE; id++) {
        context->memTable[id] = &context->mem[id];
    }
    if (path != NULL) {
        library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    }
    /* NULL means everything that is loaded globally. */
    symbol = dlsym(library, "InitInjectionMstx");
    if (symbol != NULL) {
        mstxInitInjectionFunc init = NULL;
        memcpy(&init, &symbol, sizeof init);
        listens = init(mstxLazyGetTable) == MSTX_SUCCESS;
    }
    if (!listens) {
        memset(context->core, 0, sizeof context->core);
        memset(context->domain, 0, sizeof context->domain);
        memset(context->mem, 0, sizeof context->mem);
    }
    __atomic_store_n(&context->state, listens ? MSTX_LAZY_COMPLETE : MSTX_LAZY_FAILED,
        __ATOMIC_RELEASE);
}

/* Whether a tool listens. The first call looks for one; others wait until it is known. */
int mstxLazyListens(void);
MSTX_LAZY_CODE int mstxLazyListens(void)
{
    int state = __atomic_load_n(&mstxLazyContext.state, __ATOMIC_ACQUIRE);
    while (state < MSTX_LAZY_COMPLETE) {
        if (state == MSTX_LAZY_UNINITED
            && __atomic_compare_exchange_n(&mstxLazyContext.state, &state, MSTX_LAZY_INITIALIZING, 0,
                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            __atomic_store_n(&mstxLazyContext.looker, &errno, __ATOMIC_RELEASE);
            mstxLazyLook();
        } else if (__atomic_load_n(&mstxLazyContext.looker, __ATOMIC_ACQUIRE) == &errno) {
            /* The tool itself calls while it is being attached: it gets the result without a tool. */
            return 0;
        } else {
            (void)sched_yield();
        }
        state = __atomic_load_n(&mstxLazyContext.state, __ATOMIC_ACQUIRE);
    }
    return state == MSTX_LAZY_COMPLETE;
}

#ifdef __cplusplus
}
#endif

/* The tool's function as `type`, or NULL. */
#define MSTX_LAZY_FIND(type, module, id) \
    (mstxLazyListens() ? MSTX_LAZY_CAST(type, mstxLazyContext.module[id]) : NULL)

#endif
