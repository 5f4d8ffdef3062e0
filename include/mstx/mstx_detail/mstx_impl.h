/* MSTX inside a program: each function asks the tool that was found, if there is one. */
#ifndef MILLPOND_MSTX_MSTX_IMPL_H
#define MILLPOND_MSTX_MSTX_IMPL_H

#include <stddef.h>
#include <stdint.h>

#include "../ms_tools_ext_mem.h"
#include "mstx_impl_core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*mstxMarkAFunc)(const char *, aclrtStream);
typedef mstxRangeId (*mstxRangeStartAFunc)(const char *, aclrtStream);
typedef void (*mstxRangeEndFunc)(mstxRangeId);
typedef void (*mstxGetToolIdFunc)(uint64_t *);
typedef mstxDomainHandle_t (*mstxDomainCreateAFunc)(const char *);
typedef void (*mstxDomainDestroyFunc)(mstxDomainHandle_t);
typedef void (*mstxDomainMarkAFunc)(mstxDomainHandle_t, const char *, aclrtStream);
typedef mstxRangeId (*mstxDomainRangeStartAFunc)(mstxDomainHandle_t, const char *, aclrtStream);
typedef void (*mstxDomainRangeEndFunc)(mstxDomainHandle_t, mstxRangeId);
typedef mstxMemHeapHandle_t (*mstxMemHeapRegisterFunc)(mstxDomainHandle_t, mstxMemHeapDesc_t const *);
typedef void (*mstxMemHeapUnregisterFunc)(mstxDomainHandle_t, mstxMemHeapHandle_t);
typedef void (*mstxMemRegionsRegisterFunc)(mstxDomainHandle_t, mstxMemRegionsRegisterBatch_t const *);
typedef void (*mstxMemRegionsUnregisterFunc)(mstxDomainHandle_t,
    mstxMemRegionsUnregisterBatch_t const *);
typedef void (*mstxMemPermissionsAssignFunc)(mstxDomainHandle_t,
    mstxMemPermissionsAssignBatch_t const *);

MSTX_LAZY_CODE void mstxMarkA(const char *message, aclrtStream stream)
{
    mstxMarkAFunc tool = MSTX_LAZY_FIND(mstxMarkAFunc, core, MSTX_API_CORE_MARK_A);
    if (tool != NULL) {
        tool(message, stream);
    }
}

MSTX_LAZY_CODE mstxRangeId mstxRangeStartA(const char *message, aclrtStream stream)
{
    mstxRangeStartAFunc tool = MSTX_LAZY_FIND(mstxRangeStartAFunc, core, MSTX_API_CORE_RANGE_START_A);
    return tool != NULL ? tool(message, stream) : 0;
}

MSTX_LAZY_CODE void mstxRangeEnd(mstxRangeId id)
{
    mstxRangeEndFunc tool = MSTX_LAZY_FIND(mstxRangeEndFunc, core, MSTX_API_CORE_RANGE_END);
    if (tool != NULL) {
        tool(id);
    }
}

MSTX_LAZY_CODE void mstxGetToolId(uint64_t *id)
{
    mstxGetToolIdFunc tool = MSTX_LAZY_FIND(mstxGetToolIdFunc, core, MSTX_API_CORE_GET_TOOL_ID);
    if (id == NULL) {
        return;
    }
    *id = MSTX_TOOL_INVALID_ID;
    if (tool != NULL) {
        tool(id);
    }
}

MSTX_LAZY_CODE mstxDomainHandle_t mstxDomainCreateA(const char *name)
{
    mstxDomainCreateAFunc tool =
        MSTX_LAZY_FIND(mstxDomainCreateAFunc, domain, MSTX_API_CORE_DOMAIN_CREATE_A);
    return tool != NULL ? tool(name) : NULL;
}

MSTX_LAZY_CODE void mstxDomainDestroy(mstxDomainHandle_t domain)
{
    mstxDomainDestroyFunc tool =
        MSTX_LAZY_FIND(mstxDomainDestroyFunc, domain, MSTX_API_CORE_DOMAIN_DESTROY);
    if (tool != NULL) {
        tool(domain);
    }
}

MSTX_LAZY_CODE void mstxDomainMarkA(mstxDomainHandle_t domain, const char *message, aclrtStream stream)
{
    mstxDomainMarkAFunc tool =
        MSTX_LAZY_FIND(mstxDomainMarkAFunc, domain, MSTX_API_CORE_DOMAIN_MARK_A);
    if (tool != NULL) {
        tool(domain, message, stream);
    }
}

MSTX_LAZY_CODE mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char *message,
    aclrtStream stream)
{
    mstxDomainRangeStartAFunc tool =
        MSTX_LAZY_FIND(mstxDomainRangeStartAFunc, domain, MSTX_API_CORE_DOMAIN_RANGE_START_A);
    return tool != NULL ? tool(domain, message, stream) : 0;
}

MSTX_LAZY_CODE void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id)
{
    mstxDomainRangeEndFunc tool =
        MSTX_LAZY_FIND(mstxDomainRangeEndFunc, domain, MSTX_API_CORE_DOMAIN_RANGE_END);
    if (tool != NULL) {
        tool(domain, id);
    }
}

MSTX_LAZY_CODE mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain,
    mstxMemHeapDesc_t const *desc)
{
    mstxMemHeapRegisterFunc tool =
        MSTX_LAZY_FIND(mstxMemHeapRegisterFunc, mem, MSTX_API_CORE_MEMHEAP_REGISTER);
    return tool != NULL ? tool(domain, desc) : NULL;
}

MSTX_LAZY_CODE void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap)
{
    mstxMemHeapUnregisterFunc tool =
        MSTX_LAZY_FIND(mstxMemHeapUnregisterFunc, mem, MSTX_API_CORE_MEMHEAP_UNREGISTER);
    if (tool != NULL) {
        tool(domain, heap);
    }
}

MSTX_LAZY_CODE void mstxMemRegionsRegister(mstxDomainHandle_t domain,
    mstxMemRegionsRegisterBatch_t const *desc)
{
    mstxMemRegionsRegisterFunc tool =
        MSTX_LAZY_FIND(mstxMemRegionsRegisterFunc, mem, MSTX_API_CORE_MEM_REGIONS_REGISTER);
    if (tool != NULL) {
        tool(domain, desc);
    }
}

MSTX_LAZY_CODE void mstxMemRegionsUnregister(mstxDomainHandle_t domain,
    mstxMemRegionsUnregisterBatch_t const *desc)
{
    mstxMemRegionsUnregisterFunc tool =
        MSTX_LAZY_FIND(mstxMemRegionsUnregisterFunc, mem, MSTX_API_CORE_MEM_REGIONS_UNREGISTER);
    if (tool != NULL) {
        tool(domain, desc);
    }
}

MSTX_LAZY_CODE void mstxMemPermissionsAssign(mstxDomainHandle_t domain,
    mstxMemPermissionsAssignBatch_t const *desc)
{
    mstxMemPermissionsAssignFunc tool =
        MSTX_LAZY_FIND(mstxMemPermissionsAssignFunc, mem, MSTX_API_CORE_MEM_PERMISSIONS_ASSIGN);
    if (tool != NULL) {
        tool(domain, desc);
    }
}

#ifdef __cplusplus
}
#endif

#endif
