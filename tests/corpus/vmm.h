/* Virtual memory: addresses, physical memory, mappings. */
#ifndef MILLPOND_CORPUS_VMM_H
#define MILLPOND_CORPUS_VMM_H

#include "corpus.h"

#define PAGE ((size_t)2 << 20)

static inline char *reserve(size_t size)
{
    void *start = NULL;
    ACL(aclrtReserveMemAddress(&start, size, 0, NULL, 1));
    return (char *)start;
}

static inline aclrtDrvMemHandle physical(size_t size)
{
    aclrtPhysicalMemProp prop;
    aclrtDrvMemHandle handle = NULL;
    memset(&prop, 0, sizeof prop);
    prop.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    prop.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    prop.memAttr = ACL_HBM_MEM_HUGE;
    prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    prop.location.id = 0;
    ACL(aclrtMallocPhysical(&handle, size, &prop, 0));
    return handle;
}

#endif
