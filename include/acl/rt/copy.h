/* Moving and setting bytes. */
#ifndef MILLPOND_ACL_RT_COPY_H
#define MILLPOND_ACL_RT_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "../acl_base_rt.h"
#include "memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Direction of a copy. ACL_MEMCPY_DEFAULT lets the runtime find it from the addresses. */
typedef enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST = 0,
    ACL_MEMCPY_HOST_TO_DEVICE = 1,
    ACL_MEMCPY_DEVICE_TO_HOST = 2,
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
    ACL_MEMCPY_DEFAULT = 4,
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5, /* the host buffer may be reused as soon as the call returns */
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7
} aclrtMemcpyKind;

/* What aclrtReduceAsync computes. */
typedef enum aclrtReduceKind {
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM = 10,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX = 11,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN = 12,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13
} aclrtReduceKind;

/* Comparisons of aclrtValueWait. */
#define ACL_STREAM_WAIT_VALUE_GEQ 0x00000000U
#define ACL_STREAM_WAIT_VALUE_EQ  0x00000001U
#define ACL_STREAM_WAIT_VALUE_AND 0x00000002U
#define ACL_STREAM_WAIT_VALUE_NOR 0x00000003U

/* Places between which a batch copies. */
typedef struct aclrtMemcpyBatchAttr {
    aclrtMemLocation dstLoc;
    aclrtMemLocation srcLoc;
    uint8_t rsv[16]; /* all zero */
} aclrtMemcpyBatchAttr;

/*
 * destMax is the room behind dst: a larger count is refused. A count of 0 succeeds and looks at
 * nothing else. The asynchronous forms return when the copy is queued; both buffers must stay as
 * they are until the stream has passed it. Unpinned host memory is copied before the call returns.
 */
aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,
    aclrtMemcpyKind kind);
aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
    aclrtMemcpyKind kind, aclrtStream stream);
ACL_DEPRECATED_MESSAGE("use aclrtMemcpyAsync")
aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count,
    aclrtMemcpyKind kind, aclrtStream stream);

/* Rectangles: height rows of width bytes, with pitch bytes from row to row. */
aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
    size_t height, aclrtMemcpyKind kind);
aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
    size_t height, aclrtMemcpyKind kind, aclrtStream stream);

/*
 * Many copies in one call, all from the host to the device or all back. attrs[k] says for the copies
 * from attrsIndexes[k] up to the next index where their memory is; attrsIndexes begins with 0 and
 * ascends. failIndex receives the copy that an error is about, or SIZE_MAX. Unpinned host memory is
 * copied before the call returns.
 */
aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
    size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
    size_t *failIndex);
aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
    size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs);
aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
    size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
    size_t *failIndex, aclrtStream stream);
aclError aclrtMemcpyBatchAsyncV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
    size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
    aclrtStream stream);

/*
 * Copies inside a device (ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) whose addresses are in memory: in a
 * description of descSize bytes of device memory, or as pointers at dst and src, to which the offsets
 * are added. They are read in the order of the stream.
 */
aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize);
aclError aclrtSetMemcpyDesc(void *desc, aclrtMemcpyKind kind, void *srcAddr, void *dstAddr,
    size_t count, void *config);
aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind, aclrtStream stream);
aclError aclrtMemcpyAsyncWithOffset(void **dst, size_t destMax, size_t dstDataOffset,
    const void **src, size_t count, size_t srcDataOffset, aclrtMemcpyKind kind, aclrtStream stream);

/* Setting. aclrtMemset uses the low 8 bits of value; the D32 forms write N numbers of 32 bits. */
aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count);
aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
    aclrtStream stream);
aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N);
aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t N,
    aclrtStream stream);

/*
 * Eight bytes that streams write and wait for. devAddr is a multiple of 8 in memory of the runtime;
 * the flag of a write is 0, that of a wait one of ACL_STREAM_WAIT_VALUE_*:
 *   GEQ  (int64_t)(now - value) >= 0      EQ   now == value
 *   AND  (now & value) != 0               NOR  ~(now | value) != 0
 * Both return when they are queued. What a stream did before its write is visible to the stream
 * whose wait the write ended. A wait that nothing ends stops its stream until aclrtStreamAbort.
 */
aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream);
aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

/*
 * A copy that computes: dst becomes dst + src, or the larger or the smaller of both, element by
 * element. count is in bytes; reserve is NULL.
 */
aclError aclrtReduceAsync(void *dst, const void *src, uint64_t count, aclrtReduceKind kind,
    aclDataType type, aclrtStream stream, void *reserve);

#ifdef __cplusplus
}
#endif

#endif
