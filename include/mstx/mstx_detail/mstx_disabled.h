/* MSTX compiled out: each function returns what it returns without a tool. */
#ifndef MILLPOND_MSTX_MSTX_DISABLED_H
#define MILLPOND_MSTX_MSTX_DISABLED_H

#ifndef MSTX_DISABLE
#define MSTX_DISABLE
#endif

#include <stddef.h>
#include <stdint.h>

#include "../ms_tools_ext_mem.h"
#include "mstx_types.h"

static inline void mstxMarkA(const char *message, aclrtStream stream)
{
    (void)message;
    (void)stream;
}

static inline mstxRangeId mstxRangeStartA(const char *message, aclrtStream stream)
{
    (void)message;
    (void)stream;
    return 0;
}

static inline void mstxRangeEnd(mstxRangeId id)
{
    (void)id;
}

static inline void mstxGetToolId(uint64_t *id)
{
    if (id != NULL) {
        *id = MSTX_TOOL_INVALID_ID;
    }
}

static inline mstxDomainHandle_t mstxDomainCreateA(const char *name)
{
    (void)name;
    return NULL;
}

static inline void mstxDomainDestroy(mstxDomainHandle_t domain)
{
    (void)domain;
}

static inline void mstxDomainMarkA(mstxDomainHandle_t domain, const char *message, aclrtStream stream)
{
    (void)domain;
    (void)message;
    (void)stream;
}

static inline mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char *message,
    aclrtStream stream)
{
    (void)domain;
    (void)message;
    (void)stream;
    return 0;
}

static inline void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id)
{
    (void)domain;
    (void)id;
}

static inline mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain,
    mstxMemHeapDesc_t const *desc)
{
    (void)domain;
    (void)desc;
    return NULL;
}

static inline void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap)
{
    (void)domain;
    (void)heap;
}

static inline void mstxMemRegionsRegister(mstxDomainHandle_t domain,
    mstxMemRegionsRegisterBatch_t const *desc)
{
    (void)domain;
    (void)desc;
}

static inline void mstxMemRegionsUnregister(mstxDomainHandle_t domain,
    mstxMemRegionsUnregisterBatch_t const *desc)
{
    (void)domain;
    (void)desc;
}

static inline void mstxMemPermissionsAssign(mstxDomainHandle_t domain,
    mstxMemPermissionsAssignBatch_t const *desc)
{
    (void)domain;
    (void)desc;
}

#endif
