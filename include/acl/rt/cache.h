/* Cache maintenance: what is brought into the device's cache before it is used. */
#ifndef MILLPOND_ACL_RT_CACHE_H
#define MILLPOND_ACL_RT_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "../acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is done with cached bytes. Devices take the first one. */
typedef enum aclrtCmoType {
    ACL_RT_CMO_TYPE_PREFETCH = 0,
    ACL_RT_CMO_TYPE_WRITEBACK = 1,
    ACL_RT_CMO_TYPE_INVALID = 2,
    ACL_RT_CMO_TYPE_FLUSH = 3
} aclrtCmoType;

/* What aclrtCmoWaitBarrier waits for. */
typedef struct aclrtBarrierTaskInfo aclrtBarrierTaskInfo;

/* Prefetches a range of device memory, in the order of the stream. */
aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream);

/*
 * The same with a range that is looked up when the stream gets there: cmoDesc is device memory with
 * as many bytes as aclrtCmoGetDescSize returns, and aclrtCmoSetDesc writes the range into it.
 * reserve is NULL.
 */
aclError aclrtCmoGetDescSize(size_t *size);
aclError aclrtCmoSetDesc(void *cmoDesc, void *src, size_t size);
aclError aclrtCmoAsyncWithDesc(void *cmoDesc, aclrtCmoType cmoType, aclrtStream stream,
    const void *reserve);

/* With marks that later tasks wait for. */
aclError aclrtCmoAsyncWithBarrier(void *src, size_t size, aclrtCmoType cmoType, uint32_t barrierId,
    aclrtStream stream);
aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo *taskInfo, aclrtStream stream, uint32_t flag);

#ifdef __cplusplus
}
#endif

#endif
