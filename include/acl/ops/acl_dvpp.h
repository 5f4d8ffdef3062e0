/*
 * Media: memory for it, pictures, and what is done to them. Each part has its own header under dvpp/.
 */
#ifndef MILLPOND_ACL_OPS_ACL_DVPP_H
#define MILLPOND_ACL_OPS_ACL_DVPP_H

#include <stddef.h>

#include "../acl_base_rt.h"
#include "dvpp/types.h"
#include "dvpp/picture.h"
#include "dvpp/process.h"
#include "dvpp/video.h"

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
