/*
 * An allocator for the streams of any AscendCL runtime: libmillpond_plugin.so.
 *
 * A program makes a descriptor for a stream, and registers it with the runtime that it has:
 *
 *     aclrtAllocatorDesc desc;
 *     if (millpondAllocatorCreate(stream, NULL, &desc) != 0) puts(millpondAllocatorMessage());
 *     aclrtAllocatorRegister(stream, desc);
 *
 * The library uses the AscendCL functions of the process, a vendor's or Millpond's, and needs nothing
 * else. All functions may be called from any thread; those that take a descriptor or a stream need a
 * context of its device on the calling thread. docs/plugin.md has a complete program.
 *
 * What a program has to keep to:
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

/* What the functions return: 0, or one of these. millpondAllocatorMessage() has a sentence. */
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
    /* The device has an allocator with other options. */
    MILLPOND_ALLOCATOR_OTHER_OPTIONS = -5,
    /* Blocks of the descriptor have not been freed. */
    MILLPOND_ALLOCATOR_BUSY = -6,
    /* There are 65,535 descriptors already. */
    MILLPOND_ALLOCATOR_TOO_MANY = -7,
    /* A mistake in the library. */
    MILLPOND_ALLOCATOR_INTERNAL = -8
} millpondAllocatorError;

/* Flags of millpondAllocatorOptions. */
typedef enum millpondAllocatorFlags {
    /*
     * Before a request fails for want of memory, wait for other streams to be past memory that they
     * have freed. Not the default: if such a stream waits in turn for something that the calling
     * thread does later, neither goes on.
     */
    MILLPOND_ALLOCATOR_ALLOW_WAIT = 1,
    /*
     * Look at the progress of other streams whenever a stream has nothing left of its own, and not
     * only before a request fails. Less memory, more calls of the runtime.
     */
    MILLPOND_ALLOCATOR_POLL = 2,
    /* Do without virtual memory even where the runtime has it. */
    MILLPOND_ALLOCATOR_NO_VIRTUAL = 4
} millpondAllocatorFlags;

/*
 * How the memory of a device is managed. Set everything to 0 and struct_size to the size: that is
 * the same as no options. The first descriptor of a device settles them; later ones give the same,
 * or NULL.
 */
typedef struct millpondAllocatorOptions {
    size_t struct_size;
    /* Device memory to hold at most, rounded up to 2 MiB; 0 for all that aclrtGetMemInfo tells. */
    uint64_t limit_bytes;
    /*
     * Memory that nobody used during some 65,536 allocations goes back to the device by itself, but
     * so many bytes stay. UINT64_MAX: nothing goes back by itself.
     */
    uint64_t release_threshold_bytes;
    /* Below so many bytes the allocator takes more of the device rather than join free pieces. */
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
    /* Pages that are mapped into one range of addresses. Each may go back by itself. */
    MILLPOND_ALLOCATOR_MAPPED = 1,
    /* Allocations of 20 MiB or more, for a runtime without virtual memory. They go back as a whole. */
    MILLPOND_ALLOCATOR_SEGMENTS = 2
} millpondAllocatorSource;

/* Numbers of a device, and those that begin with stream_ of one descriptor. */
typedef struct millpondAllocatorStatistics {
    /* Set by the caller; on return how much was written. */
    size_t struct_size;
    int32_t device;
    /* millpondAllocatorSource. */
    uint32_t source;
    uint64_t limit_bytes;
    /* In live blocks, now and at most. */
    uint64_t used_bytes;
    uint64_t peak_used_bytes;
    /* Held of the device, now and at most, and in how many pieces now. */
    uint64_t reserved_bytes;
    uint64_t peak_reserved_bytes;
    uint64_t pieces;
    uint64_t live_blocks;
    /* Streams that have a descriptor, or whose last work has not been seen to be over. */
    uint64_t streams;
    /* How often memory was taken of the device, and how many bytes went back in all. */
    uint64_t growths;
    uint64_t returned_bytes;
    /* Events that were recorded to learn of a stream's progress, those that passed, and waits. */
    uint64_t epochs_recorded;
    uint64_t epochs_passed;
    uint64_t waits;
    /* Requests that got nothing. */
    uint64_t failures;
    uint64_t stream_used_bytes;
    uint64_t stream_live_blocks;
    uint64_t stream_allocations;
    uint64_t stream_frees;
} millpondAllocatorStatistics;

/*
 * Makes a descriptor for a stream of the current context's device, ready for aclrtAllocatorRegister.
 * stream must not be NULL. options may be NULL. *desc is written on success only.
 */
int millpondAllocatorCreate(aclrtStream stream, const millpondAllocatorOptions *options,
    aclrtAllocatorDesc *desc);

/*
 * Ends a descriptor, which must have no live blocks; use this and not aclrtAllocatorDestroyDesc.
 * Its stream must still exist. Its memory is for the other streams of the device once its work is
 * over; with the last descriptor of a device everything goes back to the runtime. Work that is not over
 * then keeps its memory until the next millpondAllocatorTrim: synchronise the stream first.
 */
int millpondAllocatorDestroy(aclrtAllocatorDesc desc);

/*
 * Gives idle memory back to the runtime until keep_bytes are left: of the descriptor's device, or with
 * NULL of each device. Memory that queued work may still use stays. *released receives how much
 * it was, and may be NULL.
 */
int millpondAllocatorTrim(aclrtAllocatorDesc desc, uint64_t keep_bytes, uint64_t *released);

/* Writes as many of the numbers as stats->struct_size has room for. */
int millpondAllocatorStats(aclrtAllocatorDesc desc, millpondAllocatorStatistics *stats);

/*
 * Why the last call on this thread failed, or why its last block was NULL. Never NULL; valid until the
 * next call on this thread. After a block that was NULL it says where the memory is now, for which it looks
 * at every block.
 */
const char *millpondAllocatorMessage(void);

/* Version of the library, such as "0.1.0". The text lives as long as the process. */
const char *millpondAllocatorVersion(void);

#ifdef __cplusplus
}
#endif

#endif
