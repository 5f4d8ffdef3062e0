/*
 * MSTX: marks, ranges, domains and memory pools, passed to the tool that is attached.
 *
 * There are three ways to use it. docs/mstx.md compares them.
 *
 *   include it                        the functions are in the header, and nothing needs to be linked
 *                                     (before glibc 2.34: -ldl)
 *   define MSTX_NO_IMPL before that   only declarations; link with -lms_tools_ext or -lascendcl
 *   define MSTX_DISABLE before that   every call is compiled to nothing
 *
 * A tool is looked for at the first call of any function. Without one marks do nothing, ranges are
 * 0, and what is created is NULL.
 */
#ifndef MILLPOND_MSTX_MS_TOOLS_EXT_H
#define MILLPOND_MSTX_MS_TOOLS_EXT_H

#include <stdint.h>

#include "ms_tools_ext_mem.h"
#include "mstx_detail/mstx_init_defs.h"
#include "mstx_detail/mstx_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MSTX_DISABLE
/* A moment, in the order of a stream, or with NULL of the calling thread. */
void mstxMarkA(const char *message, aclrtStream stream);

/* A range of time. It may end on another thread. The range "step start" is a step of a training. */
mstxRangeId mstxRangeStartA(const char *message, aclrtStream stream);
void mstxRangeEnd(mstxRangeId id);

/* Which tool listens: one of MSTX_TOOL_*_ID. NULL is passed over. */
void mstxGetToolId(uint64_t *id);

/*
 * A name has 1 to 1023 letters, digits and underscores, otherwise the result is NULL. The same name
 * gives the same domain. A destroyed domain must not be used.
 */
mstxDomainHandle_t mstxDomainCreateA(const char *name);
void mstxDomainDestroy(mstxDomainHandle_t domain);

/* Marks and ranges of a domain. */
void mstxDomainMarkA(mstxDomainHandle_t domain, const char *message, aclrtStream stream);
mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char *message, aclrtStream stream);
void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id);
#endif

#ifdef __cplusplus
}
#endif

#if defined(MSTX_DISABLE)
#include "mstx_detail/mstx_disabled.h"
#elif !defined(MSTX_NO_IMPL)
#include "mstx_detail/mstx_impl.h"
#endif

#endif
