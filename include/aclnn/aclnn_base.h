/*
 * Operators by function: start and end, and the types of aclnn/acl_meta.h.
 */
#ifndef MILLPOND_ACLNN_ACLNN_BASE_H
#define MILLPOND_ACLNN_ACLNN_BASE_H

#include "acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Both succeed without an effect: aclInit and aclFinalize do the work. The path of a configuration may be NULL. */
aclnnStatus aclnnInit(const char *configPath);
aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif

#endif
