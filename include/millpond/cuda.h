/*
 * Memory of NVIDIA GPUs from Millpond's pool: libmillpond_plugin.so.
 *
 *     millpondCudaPool *pool;
 *     void *block;
 *     if (millpondCudaCreate(0, NULL, &pool) != 0) puts(millpondCudaMessage());
 *     block = millpondCudaAlloc(pool, 1 << 20, stream);
 *     ... work on stream that uses block ...
 *     millpondCudaFree(block);
 *
 * A block belongs to the stream that it was allocated for. It may be freed while queued work still uses it: its bytes then
 * go to later requests of the same stream at once, and to other streams when they are known to come later. That is known
 * from events and waits that the library sees (millpondCudaWatch, or the program tells it), from synchronisations, and
 * from events of its own. A wait that it does not see costs memory and nothing else.
 *
 * The library opens the CUDA driver (libcuda.so.1) at run time and needs no toolkit. MILLPOND_CUDA_DRIVER names another
 * file. Streams and events are those of the CUDA runtime or of the driver, which are the same objects; NULL is the legacy
 * default stream of the pool's device, and 2 the default stream of the calling thread. A pool uses its device's primary
 * context, as the CUDA runtime does; the calling thread's context and device are left as they were.
 *
 * All functions may be called from any thread. docs/cuda.md describes how the memory is managed.
 */
#ifndef MILLPOND_MILLPOND_CUDA_H
#define MILLPOND_MILLPOND_CUDA_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the functions return: 0, or one of these. millpondCudaMessage() returns the reason. */
typedef enum millpondCudaError {
    MILLPOND_CUDA_OK = 0,
    /* An argument is NULL or has a value that is not allowed. */
    MILLPOND_CUDA_INVALID = -1,
    /* The address, or the pool, is not ours, or was freed or destroyed. */
    MILLPOND_CUDA_NOT_OURS = -2,
    /* There is no CUDA driver, or it lacks a function that is needed. */
    MILLPOND_CUDA_NO_DRIVER = -3,
    /* The driver refused a call; the message has its name and its text. */
    MILLPOND_CUDA_REFUSED = -4,
    /* There are too many pools or streams. */
    MILLPOND_CUDA_TOO_MANY = -5,
    /* This process was forked from one that used the pool: CUDA does not work here. */
    MILLPOND_CUDA_FORKED = -6,
    /* There is no memory for it. */
    MILLPOND_CUDA_NO_MEMORY = -7,
    /* A bug in the library. */
    MILLPOND_CUDA_INTERNAL = -8
} millpondCudaError;

/* Flags of millpondCudaOptions. */
typedef enum millpondCudaFlags {
    /*
     * Pages stay where they are, also when nothing in them is live: for CUDA graphs, whose kernels use addresses again that
     * were freed while the graph was captured. Such a pool moves no pages and gives none back until millpondCudaKeep clears this
     * or it is destroyed.
     */
    MILLPOND_CUDA_KEEP = 1,
    /* Never map a page at a second address. */
    MILLPOND_CUDA_NO_WINDOWS = 2,
    /* The pool's memory cannot be given to other processes: see millpondCudaShare. */
    MILLPOND_CUDA_NO_SHARING = 4
} millpondCudaFlags;

/* How a pool behaves. All fields 0, and struct_size set to the size, is the same as no options. */
typedef struct millpondCudaOptions {
    size_t struct_size;
    /* The size of a page, the unit in which memory is taken from the device: a power of two from 2 MiB to 1 GiB; 0 for 4 MiB. */
    uint64_t page_bytes;
    /* Addresses to reserve; 0 for several times the device's memory. A request that is larger fails. */
    uint64_t range_bytes;
    /* Memory that was not used during about 65,536 allocations goes back to the device, down to this many bytes. */
    uint64_t release_threshold_bytes;
    /* Below this many bytes the pool takes more memory from the device before it moves free pages together. */
    uint64_t floor_bytes;
    /* How much more than the peak needs may be held before free pages are moved together, in thousandths; 0 for 15. */
    uint32_t slack_permille;
    /*
     * How much more than the peak needs may be held, in thousandths, because other streams have not passed their work yet;
     * 0 for 800. Beyond it a request waits for the device for a short time before more memory is taken.
     */
    uint32_t ahead_permille;
    /* millpondCudaFlags. */
    uint32_t flags;
    uint32_t reserved;
} millpondCudaOptions;

/* The memory of one device that is managed together. A device may have several pools, each with its own pages and addresses. */
typedef struct millpondCudaPool millpondCudaPool;

/* Creates a pool. options may be NULL. *pool is written on success only. Nothing is taken from the device but addresses. */
int millpondCudaCreate(int device, const millpondCudaOptions *options, millpondCudaPool **pool);

/*
 * The pool of a device that all parts of a program share, and that the forms at the end use: created by the first call. Later calls
 * pass the same options or NULL.
 */
int millpondCudaDefault(int device, const millpondCudaOptions *options, millpondCudaPool **pool);

/* Sets (1) or clears (0) MILLPOND_CUDA_KEEP. */
int millpondCudaKeep(millpondCudaPool *pool, int keep);

/*
 * Destroys a pool: pool must not be used any more. Blocks that are live stay valid until they are freed. Memory goes back
 * to the device as soon as the work that used it is known to be over.
 */
int millpondCudaDestroy(millpondCudaPool *pool);

/* ---- Blocks ---- */

/*
 * A block of at least this many bytes for a stream, at a multiple of 512. 0 bytes count as 1. NULL if there is no memory,
 * or the stream is not valid: see millpondCudaMessage.
 */
void *millpondCudaAlloc(millpondCudaPool *pool, size_t bytes, void *stream);

/* The same at exactly this address, which must be free in the pool and available to the stream; otherwise NULL. */
void *millpondCudaAllocAt(millpondCudaPool *pool, size_t bytes, void *stream, void *address);

/*
 * Frees a block, in the order of the stream that it was allocated for, and of those of millpondCudaRecordUse. A NULL block
 * is ignored. A block that is not live returns MILLPOND_CUDA_NOT_OURS and has no effect.
 */
int millpondCudaFree(void *block);

/*
 * Work on another stream uses the block. When it is freed, it also waits for what is queued in that stream by then.
 * block may be any address inside.
 */
int millpondCudaRecordUse(void *block, void *stream);
/* The same for a stream of another device, which a default stream does not say. */
int millpondCudaRecordUseOn(void *block, int device, void *stream);

/* A block, and where it is. */
typedef struct millpondCudaBlock {
    /* Set by the caller to the size; on return the number of bytes written. */
    size_t struct_size;
    millpondCudaPool *pool;
    int32_t device;
    /* millpondCudaBlockState. */
    uint32_t state;
    void *address;
    uint64_t bytes;
    /* The bytes that were asked for; 0 if it is not live. */
    uint64_t requested_bytes;
    /* The stream that it was allocated for; for memory that is free, that of the stream that freed it, NULL if any may have it. */
    void *stream;
} millpondCudaBlock;

typedef enum millpondCudaBlockState {
    /* In use by the program. */
    MILLPOND_CUDA_LIVE = 1,
    /* Freed, but another stream may still use it. */
    MILLPOND_CUDA_PENDING = 2,
    /* Free. */
    MILLPOND_CUDA_FREE = 3,
    /* A range of contiguous addresses with device memory behind it; the blocks inside it follow. */
    MILLPOND_CUDA_SEGMENT = 4
} millpondCudaBlockState;

/*
 * The live block that contains an address. MILLPOND_CUDA_NOT_OURS if there is none. The block is also the unit that is
 * shared with other processes: its address is what getBaseAllocation of PyTorch returns.
 */
int millpondCudaFind(const void *address, millpondCudaBlock *block);

/*
 * Calls visitor for each segment of a pool, in the order of addresses, and after each for the live, pending and free blocks
 * in it; stops when it returns other than 0, and returns that. pool NULL visits all pools of all devices. The pool is not locked
 * during the calls: what is visited was true at one moment. A page that is mapped at a second address belongs to the
 * segment there; where it comes from counts as no segment in the meantime.
 */
typedef int (*millpondCudaVisitor)(void *user, const millpondCudaBlock *block);
int millpondCudaVisit(millpondCudaPool *pool, millpondCudaVisitor visitor, void *user);

/* ---- Memory of the device ---- */

/*
 * Returns idle memory to the device until keep_bytes are left; pool NULL: of each pool. Pools with MILLPOND_CUDA_KEEP return
 * nothing. Memory that queued work may still use stays; synchronise the device first. *returned may be NULL.
 */
int millpondCudaTrim(millpondCudaPool *pool, uint64_t keep_bytes, uint64_t *returned);

/* The most memory that all pools of a device may hold; UINT64_MAX for no limit. It may be lower than what is held now. */
int millpondCudaSetLimit(int device, uint64_t bytes);
int millpondCudaGetLimit(int device, uint64_t *bytes);

/* One number over time, as torch.cuda.memory_stats has it. */
typedef struct millpondCudaStat {
    int64_t current;
    int64_t peak;
    /* Sums since the last millpondCudaResetCounts. */
    int64_t allocated;
    int64_t freed;
} millpondCudaStat;

/* Statistics of a pool, or of all pools of a device. */
typedef struct millpondCudaStatistics {
    /* Set by the caller to the size; on return the number of bytes written. */
    size_t struct_size;
    int32_t device;
    uint32_t pools;
    /* Live blocks: their number, their bytes, and the bytes that were asked for. */
    millpondCudaStat blocks;
    millpondCudaStat used_bytes;
    millpondCudaStat requested_bytes;
    /* The same with freed blocks that another stream may still use. */
    millpondCudaStat active_blocks;
    millpondCudaStat active_bytes;
    /* Free ranges inside pages that are partly in use: their number and bytes. */
    millpondCudaStat split_blocks;
    millpondCudaStat split_bytes;
    /* Pages of the device: their number and bytes. */
    millpondCudaStat pages;
    millpondCudaStat reserved_bytes;
    uint64_t page_bytes;
    uint64_t limit_bytes;
    /* The largest request that needs no more memory of the device. */
    uint64_t largest_free_bytes;
    /* Bytes in whole pages that are free. */
    uint64_t idle_bytes;
    /* Pages that were mapped at a second address. */
    uint64_t moved_pages;
    /* Streams that are known. */
    uint64_t streams;
    /* Requests that succeeded only after memory was given back or waited for, and those that failed. */
    uint64_t retries;
    uint64_t failures;
    /* Calls that took pages from the device, and that gave pages back. */
    uint64_t device_allocs;
    uint64_t device_frees;
    /* Events and waits that were seen; events that the library recorded itself, and that have passed; waits for the device. */
    uint64_t seen_records;
    uint64_t seen_waits;
    uint64_t seen_synchronisations;
    uint64_t epochs_recorded;
    uint64_t epochs_passed;
    uint64_t waits;
} millpondCudaStatistics;

/*
 * Writes as many statistics as fit into stats->struct_size. Peaks of used_bytes, pages and reserved_bytes are kept; the others are the
 * largest that was there in one of these calls, and active_bytes at least what used_bytes has. Over several pools, peaks of live blocks are the sums of the pools'
 * peaks; that of reserved_bytes is exact.
 */
int millpondCudaStats(millpondCudaPool *pool, millpondCudaStatistics *stats);
int millpondCudaDeviceStats(int device, millpondCudaStatistics *stats);

/* Peaks become the current values; sums and counts become 0. */
int millpondCudaResetPeaks(int device);
int millpondCudaResetCounts(int device);

/* ---- Callbacks ---- */

typedef enum millpondCudaMoment {
    /*
     * A request needs memory of the device that is not there. Free blocks that can be freed; return other than 0 if there is
     * something new, and the request is tried again.
     */
    MILLPOND_CUDA_SHORTAGE = 1,
    /* A request fails. The return value is ignored. */
    MILLPOND_CUDA_OUT_OF_MEMORY = 2,
    /* Pages were mapped at address. The return value is ignored, as below. */
    MILLPOND_CUDA_MAPPED = 3,
    /* Pages will be unmapped. */
    MILLPOND_CUDA_UNMAPPING = 4
} millpondCudaMoment;

typedef struct millpondCudaNews {
    size_t struct_size;
    /* millpondCudaMoment. */
    uint32_t moment;
    int32_t device;
    millpondCudaPool *pool;
    void *stream;
    /* Of the pages; NULL for a request. */
    void *address;
    /* Of the pages, or of the request. */
    uint64_t bytes;
    /* Held of the device now by all pools, and what the driver says is free and is there in total. */
    uint64_t reserved_bytes;
    uint64_t device_free_bytes;
    uint64_t device_total_bytes;
} millpondCudaNews;

/*
 * Has callback called at these moments, without a lock of the library held, on the thread of the request. It may free blocks but
 * not allocate from the pool. Up to 16 callbacks; each stays until the process ends.
 */
typedef int (*millpondCudaCallback)(void *user, const millpondCudaNews *news);
int millpondCudaListen(millpondCudaCallback callback, void *user);

/* ---- Order of streams ---- */

/*
 * Has the library see the waits of the program by itself: the entries of import tables for functions of the CUDA runtime
 * (libcudart) and of the driver that record, wait for, query and destroy events, synchronise, capture, and destroy streams are
 * replaced in all loaded libraries; each then calls the function that was there. Libraries that are loaded later are found when
 * a pool takes memory from the device, or by another call. *replaced receives how many have been so far, and may be NULL. Calls of
 * functions that were looked up by name, or that are linked statically, are not seen.
 */
int millpondCudaWatch(uint32_t *replaced);

/*
 * What a program tells that is not watched. Tell only what is so; what is not told costs memory and nothing else, with one
 * exception: an event that was told once must be told at every record, and at its end.
 */

/* Before the call that records event on stream. */
int millpondCudaEventRecorded(void *event, void *stream);
/* Before event is destroyed, or recorded on a stream that captures. */
int millpondCudaEventGone(void *event);
/* After the call that has stream wait for event. */
int millpondCudaStreamWaits(void *stream, void *event);
/* The work before event is over: after cudaEventSynchronize or cudaEventQuery said so. */
int millpondCudaEventSynchronized(void *event);
/* A moment to pass to the next functions: taken before the call that synchronises. */
uint64_t millpondCudaNow(void);
/* The work that was in the stream, or in all streams of the device, at this moment is over. */
int millpondCudaStreamSynchronized(void *stream, uint64_t moment);
int millpondCudaDeviceSynchronized(int device, uint64_t moment);
/* Before a stream is destroyed. */
int millpondCudaStreamGone(void *stream);

/* ---- Captures ---- */

/*
 * A capture of streams of a device has begun (1) or ended (-1). Between them the library records and queries no event there and
 * queries no stream; memory that depends on it stays with its stream. The library sees captures by itself when it watches,
 * and asks the driver whether a stream captures before it records an event on it, so this is for captures of streams that it cannot
 * know, and may be called in addition.
 */
int millpondCudaCapture(int device, int change);

/* ---- Records ---- */

/*
 * What is recorded of this process, by MILLPOND_RECORD or MILLPOND_CHECK_CUDA, which millpond record and millpond check set:
 * 0 nothing, 1 where memory goes, 2 also what work does with it.
 */
int millpondCudaRecording(void);

/* Bytes that work reads or writes: rows of width bytes, whose first bytes are pitch apart. A plain range is one row. */
typedef struct millpondCudaSpan {
    uint64_t start;
    uint64_t width;
    uint64_t pitch;
    uint64_t rows;
} millpondCudaSpan;

/*
 * For millpond check: work that was queued in a stream, with a name for people, which may be NULL. Nothing happens unless
 * millpondCudaRecording() is 2. Bytes that are in no block of a pool are ignored.
 */
int millpondCudaWork(int device, void *stream, const char *name, const millpondCudaSpan *reads, size_t read_count, const millpondCudaSpan *writes,
                     size_t write_count);

/* ---- Other processes and devices ---- */

/*
 * The handles (CUmemGenericAllocationHandle) of the pages behind the live block that contains an address, in the order of
 * addresses: at most room of them are written to handles, *count receives how many there are, *page_bytes the size of each,
 * and *offset where the address is, counted from the start of the first. They can be exported as file descriptors, unless the pool
 * was created with MILLPOND_CUDA_NO_SHARING or the driver does not support that. The pages behind a live block do not change.
 */
int millpondCudaPages(const void *address, uint64_t *handles, size_t room, size_t *count, uint64_t *page_bytes, uint64_t *offset);
/*
 * Lets another device of the process access the memory of a device's pools, now and later. An error if the hardware does not allow it
 * (cuDeviceCanAccessPeer).
 */
int millpondCudaAllowPeer(int device, int peer);

/* ---- Forms for other programs ---- */

/*
 * For PyTorch's torch.cuda.memory.CUDAPluggableAllocator: a pool per device, made when it is needed with the options of the
 * environment MILLPOND_CUDA_OPTIONS (such as "page=16MiB,slack=15"). NULL for 0 bytes and without memory.
 */
void *millpondTorchCudaAlloc(ssize_t bytes, int device, void *stream);
void millpondTorchCudaFree(void *block, ssize_t bytes, int device, void *stream);
/*
 * For torch_npu's torch_npu.npu.NPUPluggableAllocator: over the AscendCL runtime of the process; see millpond/plugin.h. The
 * stream of a free is that of the block, and it may be NULL.
 */
void *millpondTorchNpuAlloc(ssize_t bytes, int device, void *stream);
void millpondTorchNpuFree(void *block, ssize_t bytes, int device, void *stream);

/*
 * Why the last call on this thread failed, or why its last block was NULL. Never NULL; valid until the next call on this
 * thread. After a NULL block it also says where the memory is.
 */
const char *millpondCudaMessage(void);

/* The millpondCudaError of the last call on this thread that failed, or whose block was NULL; 0 if there was none. */
int millpondCudaCode(void);

/* Version of the library, such as "0.1.0". The text lives as long as the process. */
const char *millpondCudaVersion(void);

#ifdef __cplusplus
}
#endif

#endif
