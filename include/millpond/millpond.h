/*
 * What Millpond offers beyond the AscendCL interface. A program that calls these functions needs
 * Millpond.
 */
#ifndef MILLPOND_MILLPOND_MILLPOND_H
#define MILLPOND_MILLPOND_MILLPOND_H

#include <stddef.h>

#include "../acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the runtime, such as "0.1.0". The text lives as long as the process. */
const char *millpondVersion(void);

/*
 * Returns the idle pages of the current device, and of pinned host memory, to the operating system.
 * bytesReturned receives how many bytes that were, and may be NULL. Pages that stay idle for long go
 * back by themselves; this is for programs that know better.
 */
aclError millpondMemTrim(size_t *bytesReturned);

#ifdef __cplusplus
}
#endif

#endif
