/* Contexts: a device as one thread sees it, with a default stream. */
#ifndef MILLPOND_ACL_RT_CONTEXT_H
#define MILLPOND_ACL_RT_CONTEXT_H

#include <stdint.h>

#include "../acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A created context becomes current for the calling thread. The caller destroys it; the primary
 * context of a device belongs to aclrtSetDevice and is not destroyed here. A new thread has no
 * context, and most calls then return ACL_ERROR_RT_CONTEXT_NULL. In aclrtGetPrimaryCtxState flags
 * is NULL.
 */
aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId);
aclError aclrtDestroyContext(aclrtContext context);
aclError aclrtSetCurrentContext(aclrtContext context);
aclError aclrtGetCurrentContext(aclrtContext *context);
aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);
aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active);

#ifdef __cplusplus
}
#endif

#endif
