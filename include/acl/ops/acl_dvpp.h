/* Memory for media processing. The processing itself is not declared. */
#ifndef MILLPOND_ACL_OPS_ACL_DVPP_H
#define MILLPOND_ACL_OPS_ACL_DVPP_H

#include <stddef.h>

#include "../acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Device memory whose start is a multiple of 128 bytes. */
aclError acldvppMalloc(void **devPtr, size_t size);
aclError acldvppFree(void *devPtr);

#ifdef __cplusplus
}
#endif

#endif
