/*
 * What Millpond adds to the AscendCL interface. A program that calls these functions needs
 * Millpond.
 */
#ifndef MILLPOND_MILLPOND_MILLPOND_H
#define MILLPOND_MILLPOND_MILLPOND_H

#include <stddef.h>
#include <stdint.h>

#include "../acl/acl_base_rt.h"
#include "../acl/acl_rt_memory_soma.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the runtime, such as "0.1.0". The text lives as long as the process. */
const char *millpondVersion(void);

/*
 * Writes to gpu the number of the GPU that computes operators by name and models of the current device. If they are computed on
 * the CPU, the result is ACL_ERROR_RT_FEATURE_NOT_SUPPORT, and aclGetRecentErrMsg() says why. To find out, a small model is loaded.
 */
aclError millpondOperatorsGpu(int32_t *gpu);

/*
 * Returns the idle pages of the current device, and of pinned host memory, to the operating system.
 * bytesReturned receives the number of bytes, and may be NULL. Pages that stay idle are returned
 * automatically after a while; this is for programs that need them back now.
 */
aclError millpondMemTrim(size_t *bytesReturned);

/*
 * Declares that work in the stream, up to its current end, uses the device memory at ptr in a way that the runtime
 * cannot see. When the memory is freed, it is not reused before that work has finished, as for
 * a copy in the stream. The stream may be NULL, which means the default stream.
 */
aclError millpondRecordUse(void *ptr, aclrtStream stream);

/* A counter: the current value, its peak, and the sum of everything that was added. */
typedef struct millpondCount {
    uint64_t current;
    uint64_t peak;
    uint64_t total;
} millpondCount;

/* Size classes: class n has blocks from 2^n to 2^(n+1) - 1 bytes; the last has all larger ones. */
#define MILLPOND_SIZE_CLASSES 40

/* Statistics of a memory: blocks, pagesMoved and streams are counts, the rest are bytes. */
typedef struct millpondMemStatistics {
    uint64_t charged;      /* whole pages of live blocks */
    uint64_t chargedPeak;  /* its peak */
    uint64_t limit;        /* what may be charged */
    uint64_t reserved;     /* pages with physical memory */
    uint64_t reservedPeak; /* its peak */
    uint64_t blocks;       /* live blocks */
    uint64_t pagesMoved;   /* pages that were mapped at a second address */
    uint64_t streams;      /* number of parts for millpondMemGetStreamStatistics */
} millpondMemStatistics;

/* Statistics of one stream; part 0 is memory that belongs to no stream. */
typedef struct millpondStreamStatistics {
    uint64_t stream;        /* the stream's number in records; 0 for none */
    millpondCount bytes;    /* charged to live blocks, now and at most; bytes of all blocks ever */
    uint64_t pendingBlocks; /* freed, but other streams may still use them */
    uint64_t pendingBytes;
    uint64_t keptBlocks; /* freed and cached for the next request of their size */
    millpondCount blocks[MILLPOND_SIZE_CLASSES];
} millpondStreamStatistics;

/* Statistics of a pool, or with NULL of the current device's memory. */
aclError millpondMemGetStatistics(aclrtMemPool pool, millpondMemStatistics *statistics);
aclError millpondMemGetStreamStatistics(aclrtMemPool pool, uint64_t part,
    millpondStreamStatistics *statistics);

#ifdef __cplusplus
}
#endif

#endif
