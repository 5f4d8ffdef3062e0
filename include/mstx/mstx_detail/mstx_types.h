/* MSTX: types and constants that every part of it uses. */
#ifndef MILLPOND_MSTX_MSTX_TYPES_H
#define MILLPOND_MSTX_MSTX_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program may have this type from the acl headers, before or after. C99 allows it only once. */
#ifndef MILLPOND_ACLRT_STREAM
#define MILLPOND_ACLRT_STREAM
typedef void *aclrtStream;
#endif

#if defined(__GNUC__)
#define MSTX_UNUSED __attribute__((unused))
#else
#define MSTX_UNUSED
#endif

/* Results of a tool's functions. */
#define MSTX_SUCCESS 0
#define MSTX_FAIL 1

/* What mstxGetToolId may write. */
#define MSTX_TOOL_INVALID_ID 0x0
#define MSTX_TOOL_MSPROF_ID 0x1000
#define MSTX_TOOL_MSOPPROF_ID 0x1001
#define MSTX_TOOL_MSSANITIZER_ID 0x1002
#define MSTX_TOOL_MSLEAKS_ID 0x1003

/* A range that has begun. 0 is none. */
typedef uint64_t mstxRangeId;

/* A domain keeps the names and the memory of one part of a program apart from the others'. */
typedef struct mstxDomainRegistration_st *mstxDomainHandle_t;

/* The domain that always is there. */
static const mstxDomainHandle_t globalDomain MSTX_UNUSED = NULL;

#ifdef __cplusplus
}
#endif

#endif
