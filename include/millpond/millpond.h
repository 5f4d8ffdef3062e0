/*
 * What Millpond offers beyond the AscendCL interface. A program that calls these functions needs
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
 * Returns the idle pages of the current device, and of pinned host memory, to the operating system.
 * bytesReturned receives how many bytes that were, and may be NULL. Pages that stay idle for long go
 * back by themselves; this is for programs that know better.
 */
aclError millpondMemTrim(size_t *bytesReturned);

/*
 * Work of stream that the runtime cannot see uses the device memory at ptr, up to what is in the stream
 * now. After it is freed the memory is not handed out again before that has passed, as if a copy of
 * the stream had named it. The stream may be NULL: the default one.
 */
aclError millpondRecordUse(void *ptr, aclrtStream stream);

/* How much of something there is, at most was at one time, and was in all. */
typedef struct millpondCount {
    uint64_t current;
    uint64_t peak;
    uint64_t total;
} millpondCount;

/* Size classes: class n has blocks of 2^n bytes and more, but less than 2^(n+1); the last all above. */
#define MILLPOND_SIZE_CLASSES 40

/* A memory's numbers, in bytes but for blocks, pagesMoved and streams. */
typedef struct millpondMemStatistics {
    uint64_t charged;      /* whole pages of live blocks */
    uint64_t chargedPeak;  /* the most that ever was */
    uint64_t limit;        /* what may be charged */
    uint64_t reserved;     /* pages that the device backs */
    uint64_t reservedPeak; /* the most that ever was */
    uint64_t blocks;       /* live blocks */
    uint64_t pagesMoved;   /* pages that were given a second address */
    uint64_t streams;      /* how many parts millpondMemGetStreamStatistics knows */
} millpondMemStatistics;

/* What one stream has been handed; part 0 is memory that belongs to no stream. */
typedef struct millpondStreamStatistics {
    uint64_t stream;        /* the stream's number in records; 0 for none */
    millpondCount bytes;    /* charged to live blocks, now and at most; bytes of all blocks ever */
    uint64_t pendingBlocks; /* freed, but other streams may still use them */
    uint64_t pendingBytes;
    uint64_t keptBlocks; /* kept for the next request of their size */
    millpondCount blocks[MILLPOND_SIZE_CLASSES];
} millpondStreamStatistics;

/* Numbers of a pool, or with NULL of the current device's own memory. */
aclError millpondMemGetStatistics(aclrtMemPool pool, millpondMemStatistics *statistics);
aclError millpondMemGetStreamStatistics(aclrtMemPool pool, uint64_t part,
    millpondStreamStatistics *statistics);

#ifdef __cplusplus
}
#endif

#endif
