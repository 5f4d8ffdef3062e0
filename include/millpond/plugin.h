/*
 * An allocator for the streams of any AscendCL runtime: libmillpond_plugin.so.
 *
 * A program creates a descriptor for a stream and registers it with its runtime:
 *
 *     aclrtAllocatorDesc desc;
 *     if (millpondAllocatorCreate(stream, NULL, &desc) != 0) puts(millpondAllocatorMessage());
 *     aclrtAllocatorRegister(stream, desc);
 *
 * The library uses the AscendCL functions of the process, a vendor's or Millpond's, and needs nothing
 * else. All functions may be called from any thread; those that take a descriptor or a stream need a
 * context of its device on the calling thread. docs/plugin.md has a complete program.
 *
 * Rules for the program:
 * - One descriptor serves one stream. Descriptors of one device share their memory, and their
 *   streams may run at the same time.
 * - A block is freed after all work that uses it has been put into a stream, and in the order of the
 *   stream of the descriptor that it is freed through.
 * - Unregister the allocator, then destroy the descriptor, then the stream, then reset the device.
 */
#ifndef MILLPOND_MILLPOND_PLUGIN_H
#define MILLPOND_MILLPOND_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

/* Those of the toolkit that the program is built with, a vendor's or Millpond's. */
#include <acl/acl.h>
#ifdef __has_include
#if __has_include(<acl/acl_rt_allocator.h>)
#include <acl/acl_rt_allocator.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What the functions return: 0, or one of these. millpondAllocatorMessage() returns the reason. */
typedef enum millpondAllocatorError {
    MILLPOND_ALLOCATOR_OK = 0,
    /* An argument is NULL or has a value that is not allowed. */
    MILLPOND_ALLOCATOR_INVALID = -1,
    /* The descriptor is not from millpondAllocatorCreate, or it was destroyed. */
    MILLPOND_ALLOCATOR_NOT_OURS = -2,
    /* The process has no AscendCL runtime, or it lacks a function that is needed. */
    MILLPOND_ALLOCATOR_NO_RUNTIME = -3,
    /* The runtime refused a call; the message names it and its code. */
    MILLPOND_ALLOCATOR_REFUSED = -4,
    /* The device already has an allocator with different options. */
    MILLPOND_ALLOCATOR_OTHER_OPTIONS = -5,
    /* Blocks of the descriptor have not been freed. */
    MILLPOND_ALLOCATOR_BUSY = -6,
    /* There are 65,535 descriptors already. */
    MILLPOND_ALLOCATOR_TOO_MANY = -7,
    /* A bug in the library. */
    MILLPOND_ALLOCATOR_INTERNAL = -8
} millpondAllocatorError;

/* Flags of millpondAllocatorOptions. */
typedef enum millpondAllocatorFlags {
    /*
     * Before a request fails for lack of memory, wait for other streams to finish with memory that they
     * have freed. Not the default: if such a stream waits for something that the calling
     * thread does later, this deadlocks.
     */
    MILLPOND_ALLOCATOR_ALLOW_WAIT = 1,
    /*
     * Check the progress of other streams whenever a stream has no free memory left, and not
     * only before a request fails. Uses less memory but calls the runtime more often.
     */
    MILLPOND_ALLOCATOR_POLL = 2,
    /* Do not use virtual memory, even if the runtime has it. */
    MILLPOND_ALLOCATOR_NO_VIRTUAL = 4
} millpondAllocatorFlags;

/*
 * How the memory of a device is managed. With all fields 0 and struct_size set to the size, this is
 * the same as no options. The first descriptor of a device decides; later ones pass the same options
 * or NULL.
 */
typedef struct millpondAllocatorOptions {
    size_t struct_size;
    /* The most device memory to hold, rounded up to 2 MiB; 0 for the total of aclrtGetMemInfo. */
    uint64_t limit_bytes;
    /*
     * Memory that was not used during about 65,536 allocations is returned to the device, down to
     * this many bytes. UINT64_MAX: nothing is returned automatically.
     */
    uint64_t release_threshold_bytes;
    /* Below this many bytes the allocator takes more memory from the device before it joins free ranges. */
    uint64_t floor_bytes;
    /*
     * How much more than the peak needs may be held before free pages are moved together, in
     * thousandths; 0 for 5. Without effect as long as the runtime cannot map a page twice.
     */
    uint32_t slack_permille;
    /* millpondAllocatorFlags. */
    uint32_t flags;
} millpondAllocatorOptions;

/* Where the memory comes from. */
typedef enum millpondAllocatorSource {
    /* Pages that are mapped into one address range. Each can be returned on its own. */
    MILLPOND_ALLOCATOR_MAPPED = 1,
    /* Allocations of 20 MiB or more, for a runtime without virtual memory. They are returned as a whole. */
    MILLPOND_ALLOCATOR_SEGMENTS = 2
} millpondAllocatorSource;

/* Statistics of a device; fields that begin with stream_ are of one descriptor. */
typedef struct millpondAllocatorStatistics {
    /* Set by the caller to the size; on return the number of bytes written. */
    size_t struct_size;
    int32_t device;
    /* millpondAllocatorSource. */
    uint32_t source;
    uint64_t limit_bytes;
    /* Bytes in live blocks, now and at peak. */
    uint64_t used_bytes;
    uint64_t peak_used_bytes;
    /* Device memory held, now and at peak, and in how many segments now. */
    uint64_t reserved_bytes;
    uint64_t peak_reserved_bytes;
    uint64_t pieces;
    uint64_t live_blocks;
    /* Streams that have a descriptor, or whose last work is not known to be finished. */
    uint64_t streams;
    /* How often memory was taken from the device, and how many bytes were returned in total. */
    uint64_t growths;
    uint64_t returned_bytes;
    /* Events recorded to track a stream's progress, those that completed, and waits. */
    uint64_t epochs_recorded;
    uint64_t epochs_passed;
    uint64_t waits;
    /* Failed requests. */
    uint64_t failures;
    uint64_t stream_used_bytes;
    uint64_t stream_live_blocks;
    uint64_t stream_allocations;
    uint64_t stream_frees;
} millpondAllocatorStatistics;

/*
 * Creates a descriptor for a stream of the current context's device, ready for aclrtAllocatorRegister.
 * stream must not be NULL. options may be NULL. *desc is written on success only.
 */
int millpondAllocatorCreate(aclrtStream stream, const millpondAllocatorOptions *options,
    aclrtAllocatorDesc *desc);

/*
 * Destroys a descriptor, which must have no live blocks; use this and not aclrtAllocatorDestroyDesc.
 * Its stream must still exist. Its memory becomes available to the other streams of the device once its work has
 * finished; with the last descriptor of a device all memory is returned to the runtime. Unfinished work
 * keeps its memory until the next millpondAllocatorTrim: synchronise the stream first.
 */
int millpondAllocatorDestroy(aclrtAllocatorDesc desc);

/*
 * Returns idle memory to the runtime until keep_bytes are left: of the descriptor's device, or with
 * NULL of each device. Memory that queued work may still use stays. *released receives the number of
 * bytes, and may be NULL.
 */
int millpondAllocatorTrim(aclrtAllocatorDesc desc, uint64_t keep_bytes, uint64_t *released);

/* Writes as many statistics as fit into stats->struct_size. */
int millpondAllocatorStats(aclrtAllocatorDesc desc, millpondAllocatorStatistics *stats);

/*
 * Why the last call on this thread failed, or why its last block was NULL. Never NULL; valid until the
 * next call on this thread. After a NULL block it also says where the memory is; for that it walks
 * all blocks.
 */
const char *millpondAllocatorMessage(void);

/* Version of the library, such as "0.1.0". The text lives as long as the process. */
const char *millpondAllocatorVersion(void);

#ifdef __cplusplus
}
#endif

#endif
