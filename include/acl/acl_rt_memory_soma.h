/* Stream-ordered pools: memory that is allocated and freed in the order of a stream's tasks. */
#ifndef MILLPOND_ACL_ACL_RT_MEMORY_SOMA_H
#define MILLPOND_ACL_ACL_RT_MEMORY_SOMA_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base_rt.h"
#include "rt/memory.h"
#include "rt/virtual_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Handle of a pool. */
typedef void *aclrtMemPool;

/*
 * Attributes of a pool: the first three are uint32_t switches, 0 at the start; the others are
 * uint64_t.
 */
typedef enum aclrtMemPoolAttr {
    ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
    ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC = 2,
    ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
    ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD = 4,
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT = 5,
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH = 6,
    ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT = 7,
    ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH = 8
} aclrtMemPoolAttr;

/* What pool is wanted. */
typedef struct aclrtMemPoolProps {
    aclrtMemAllocationType allocType;
    aclrtMemHandleType handleType;
    aclrtMemLocation location;
    size_t maxSize; /* 0: as much as the device has */
    uint8_t reserved[32]; /* all zero */
} aclrtMemPoolProps;

/*
 * The caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no
 * pointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a
 * pool. aclrtMemPoolTrimTo gives unused memory back to the device.
 */
aclError aclrtMemPoolCreate(aclrtMemPool *memPool, const aclrtMemPoolProps *poolProps);
aclError aclrtMemPoolDestroy(const aclrtMemPool memPool);
aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value);
aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value);
aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool, aclrtStream stream);
aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream stream);
aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep);

#ifdef __cplusplus
}
#endif

#endif
