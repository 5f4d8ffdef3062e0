/* MSTX: a pool says what it hands out. */
#ifndef MILLPOND_CORPUS_HEAPS_H
#define MILLPOND_CORPUS_HEAPS_H

#include "corpus.h"

#include "mstx/ms_tools_ext.h"

static inline mstxMemHeapHandle_t heap_register(void *memory, uint64_t size)
{
    mstxMemVirtualRangeDesc_t range = {0, memory, size};
    mstxMemHeapDesc_t desc = {MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &range};
    return mstxMemHeapRegister(globalDomain, &desc);
}

static inline mstxMemRegionHandle_t region_register(mstxMemHeapHandle_t heap, void *memory, uint64_t size)
{
    mstxMemVirtualRangeDesc_t range = {0, memory, size};
    mstxMemRegionHandle_t region = NULL;
    mstxMemRegionsRegisterBatch_t batch = {heap, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 1, &range, &region};
    mstxMemRegionsRegister(globalDomain, &batch);
    return region;
}

static inline void region_unregister(mstxMemRegionHandle_t region)
{
    mstxMemRegionRef_t ref;
    memset(&ref, 0, sizeof ref);
    ref.refType = MSTX_MEM_REGION_REF_TYPE_HANDLE;
    ref.handle = region;
    mstxMemRegionsUnregisterBatch_t batch = {1, &ref};
    mstxMemRegionsUnregister(globalDomain, &batch);
}

static inline void region_unregister_at(const void *start)
{
    mstxMemRegionRef_t ref;
    memset(&ref, 0, sizeof ref);
    ref.refType = MSTX_MEM_REGION_REF_TYPE_POINTER;
    ref.pointer = start;
    mstxMemRegionsUnregisterBatch_t batch = {1, &ref};
    mstxMemRegionsUnregister(globalDomain, &batch);
}

#endif
