/*
 * MSTX: how a tool and the functions that a program calls find each other.
 *
 * A tool gets a function that tells, for each module, where the pointers to the module's functions
 * are kept, and stores its own there: *(table[id]) = function. Entries 1 to size - 1 are pointers;
 * the first entry and the one at size are NULL.
 */
#ifndef MILLPOND_MSTX_MSTX_INIT_DEFS_H
#define MILLPOND_MSTX_MSTX_INIT_DEFS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Groups of functions. */
typedef enum mstxFuncModule {
    MSTX_API_MODULE_INVALID = 0,
    MSTX_API_MODULE_CORE = 1,
    MSTX_API_MODULE_CORE_DOMAIN = 2,
    MSTX_API_MODULE_CORE_MEM = 3,
    MSTX_API_MODULE_SIZE = 4
} mstxFuncModule;

/* Marks and ranges of the global domain. */
typedef enum mstxImplCoreFuncId {
    MSTX_API_CORE_INVALID = 0,
    MSTX_API_CORE_MARK_A = 1,
    MSTX_API_CORE_RANGE_START_A = 2,
    MSTX_API_CORE_RANGE_END = 3,
    MSTX_API_CORE_GET_TOOL_ID = 4,
    MSTX_API_CORE_SIZE = 5
} mstxImplCoreFuncId;

/* Domains, their marks and ranges. */
typedef enum mstxImplCoreDomainFuncId {
    MSTX_API_CORE_DOMAIN_INVALID = 0,
    MSTX_API_CORE_DOMAIN_CREATE_A = 1,
    MSTX_API_CORE_DOMAIN_DESTROY = 2,
    MSTX_API_CORE_DOMAIN_MARK_A = 3,
    MSTX_API_CORE_DOMAIN_RANGE_START_A = 4,
    MSTX_API_CORE_DOMAIN_RANGE_END = 5,
    MSTX_API_CORE_DOMAIN_SIZE = 6
} mstxImplCoreDomainFuncId;

/* Heaps, regions and permissions. */
typedef enum mstxImplCoreMemFuncId {
    MSTX_API_CORE_MEM_INVALID = 0,
    MSTX_API_CORE_MEMHEAP_REGISTER = 1,
    MSTX_API_CORE_MEMHEAP_UNREGISTER = 2,
    MSTX_API_CORE_MEM_REGIONS_REGISTER = 3,
    MSTX_API_CORE_MEM_REGIONS_UNREGISTER = 4,
    MSTX_API_CORE_MEM_PERMISSIONS_ASSIGN = 5,
    MSTX_API_CORE_MEM_SIZE = 6
} mstxImplCoreMemFuncId;

/* Any function; cast to its own type before it is called. */
typedef void (*mstxFuncPointer)(void);

/* An array of places that hold functions. */
typedef mstxFuncPointer **mstxFuncTable;

/* Answers MSTX_SUCCESS, or MSTX_FAIL for an unknown module and for NULL. */
typedef int (*mstxGetModuleFuncTableFunc)(mstxFuncModule module, mstxFuncTable *outTable,
    unsigned int *outSize);

/* The function of a tool: InitInjectionMstx. */
typedef int (*mstxInitInjectionFunc)(mstxGetModuleFuncTableFunc getFuncTable);

#ifdef __cplusplus
}
#endif

#endif
