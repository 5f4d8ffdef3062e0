/*
 * MSTX for memory pools: a program tells tools about memory that it suballocates.
 *
 * A heap is memory that the program allocated and suballocates; a region is a part of it that is in use.
 * Descriptions are read only during the call. See docs/mstx.md.
 */
#ifndef MILLPOND_MSTX_MS_TOOLS_EXT_MEM_H
#define MILLPOND_MSTX_MS_TOOLS_EXT_MEM_H

#include <stddef.h>
#include <stdint.h>

#include "mstx_detail/mstx_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a heap is for. */
typedef enum mstxMemHeapUsageType {
    /* A pool. Its memory may be used only where a region is registered. */
    MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR = 0
} mstxMemHeapUsageType;

/* How memory is described. */
typedef enum mstxMemType {
    /* By an address and a length: mstxMemVirtualRangeDesc_t. */
    MSTX_MEM_TYPE_VIRTUAL_ADDRESS = 0
} mstxMemType;

/* How a region is identified. */
typedef enum mstxMemRegionRefType {
    MSTX_MEM_REGION_REF_TYPE_POINTER = 0, /* by its first address */
    MSTX_MEM_REGION_REF_TYPE_HANDLE = 1   /* by the handle from its registration */
} mstxMemRegionRefType;

/* Permissions of a region. The flags of a call replace those of earlier calls. */
#define MSTX_MEM_PERMISSIONS_REGION_FLAGS_NONE 0x0U
#define MSTX_MEM_PERMISSIONS_REGION_FLAGS_READ 0x1U
#define MSTX_MEM_PERMISSIONS_REGION_FLAGS_WRITE 0x2U
#define MSTX_MEM_PERMISSIONS_REGION_FLAGS_SHARED 0x4U

/* Handles. NULL is none; a region whose heap is NULL belongs to no heap. */
typedef struct mstxMemHeap_st *mstxMemHeapHandle_t;
typedef struct mstxMemRegion_st *mstxMemRegionHandle_t;

/* Addresses in the memory of a device. */
typedef struct mstxMemVirtualRangeDesc_t {
    uint32_t deviceId;
    void const *ptr;
    uint64_t size;
} mstxMemVirtualRangeDesc_t;

/* A heap. Usually all fields but the last are zero. */
typedef struct mstxMemHeapDesc_t {
    mstxMemHeapUsageType usage;
    mstxMemType type;
    void const *typeSpecificDesc; /* a mstxMemVirtualRangeDesc_t */
} mstxMemHeapDesc_t;

/* Regions to be registered. */
typedef struct mstxMemRegionsRegisterBatch_t {
    mstxMemHeapHandle_t heap;
    mstxMemType regionType;
    size_t regionCount;
    void const *regionDescArray;                  /* as many mstxMemVirtualRangeDesc_t */
    mstxMemRegionHandle_t *regionHandleArrayOut;  /* room for as many handles */
} mstxMemRegionsRegisterBatch_t;

/* One region, by address or by handle. */
typedef struct mstxMemRegionRef_t {
    mstxMemRegionRefType refType;
#if defined(__GNUC__)
    __extension__
#endif
    union {
        void const *pointer;
        mstxMemRegionHandle_t handle;
    };
} mstxMemRegionRef_t;

/* Regions to be unregistered. */
typedef struct mstxMemRegionsUnregisterBatch_t {
    size_t refCount;
    mstxMemRegionRef_t const *refArray;
} mstxMemRegionsUnregisterBatch_t;

/* Permissions of one region. */
typedef struct mstxMemPermissionsAssignRegionsDesc_t {
    uint32_t flags;
    mstxMemRegionRef_t region;
} mstxMemPermissionsAssignRegionsDesc_t;

/* The same for several. */
typedef struct mstxMemPermissionsAssignBatch_t {
    size_t regionCount;
    mstxMemPermissionsAssignRegionsDesc_t const *regionDescArray;
} mstxMemPermissionsAssignBatch_t;

#ifndef MSTX_DISABLE
/*
 * The memory of a heap is allocated before the heap is registered, and freed after it is
 * unregistered. Unregistering a heap unregisters its regions. Without a tool the functions return NULL and
 * nothing is written.
 */
mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc);
void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap);

/* A region may be used from its registration until it is unregistered. */
void mstxMemRegionsRegister(mstxDomainHandle_t domain, mstxMemRegionsRegisterBatch_t const *desc);
void mstxMemRegionsUnregister(mstxDomainHandle_t domain, mstxMemRegionsUnregisterBatch_t const *desc);

/* Sets permissions of regions. Without a call, a region may be read and written. */
void mstxMemPermissionsAssign(mstxDomainHandle_t domain, mstxMemPermissionsAssignBatch_t const *desc);
#endif

#ifdef __cplusplus
}
#endif

#include "ms_tools_ext.h"

#endif
