/* Copies and fills: bounds, directions, overlap, what is written. */
#include "../oracle.h"
#define GROUP "copy"

QUESTION(kinds, "aclrtMemcpy", "Which directions does aclrtMemcpy accept for host memory to device memory?")
{
    char *block = new_block(64), *host = new_pinned(64);
    for (int kind = 0; kind <= 8; kind++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", kind);
        code(name, CALL(aclrtMemcpy)(block, 64, host, 64, (aclrtMemcpyKind)kind));
    }
    code("unlisted", CALL(aclrtMemcpy)(block, 64, host, 64, (aclrtMemcpyKind)99));
}

QUESTION(kinds_async, "aclrtMemcpyAsync", "Which directions does aclrtMemcpyAsync accept for host memory to device memory?")
{
    char *block = new_block(64), *host = new_pinned(64);
    aclrtStream stream = new_stream();
    for (int kind = 0; kind <= 8; kind++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", kind);
        code(name, CALL(aclrtMemcpyAsync)(block, 64, host, 64, (aclrtMemcpyKind)kind, stream));
    }
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
}

QUESTION(bounds, "aclrtMemcpy", "What does aclrtMemcpy return for counts of 0, above destMax, and above the block?")
{
    char *block = new_block(64), *host = new_pinned(1 << 20);
    code("zero", CALL(aclrtMemcpy)(block, 64, host, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    code("zero_null", CALL(aclrtMemcpy)(NULL, 0, NULL, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    code("null", CALL(aclrtMemcpy)(NULL, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    code("above_max", CALL(aclrtMemcpy)(block, 32, host, 33, ACL_MEMCPY_HOST_TO_DEVICE));
}

QUESTION_ALONE(past_block, "aclrtMemcpy", "What happens to a copy that is larger than its block of device memory?")
{
    char *block = new_block(64), *host = new_pinned(8 << 20);
    code("code", CALL(aclrtMemcpy)(block, 8 << 20, host, 8 << 20, ACL_MEMCPY_HOST_TO_DEVICE));
}

QUESTION(round_trip, "aclrtMemcpy aclrtMemset", "Do bytes come back as they were, and does a fill use the low 8 bits?")
{
    unsigned char there[64], back[64];
    char *block = new_block(64);
    for (int index = 0; index < 64; index++) {
        there[index] = (unsigned char)(index * 3);
    }
    code("there", CALL(aclrtMemcpy)(block, 64, there, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    code("set", CALL(aclrtMemset)(block, 64, 0x1234, 8));
    code("back", CALL(aclrtMemcpy)(back, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    code("filled", back[0]);
    code("last_filled", back[7]);
    code("next", back[8]);
    fact("rest", "%s", memcmp(back + 8, there + 8, 56) == 0 ? "same" : "other");
}

QUESTION(overlap, "aclrtMemcpy", "What does a copy inside a device between overlapping ranges leave?")
{
    unsigned char bytes[64], back[64];
    char *block = new_block(64);
    for (int index = 0; index < 64; index++) {
        bytes[index] = (unsigned char)index;
    }
    need("aclrtMemcpy", CALL(aclrtMemcpy)(block, 64, bytes, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    code("code", CALL(aclrtMemcpy)(block + 8, 56, block, 48, ACL_MEMCPY_DEVICE_TO_DEVICE));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(back, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    fact("as", "%s", memcmp(back + 8, bytes, 48) == 0 ? "memmove" : "other");
}

QUESTION(memset_bounds, "aclrtMemset aclrtMemsetAsync", "What do they return for counts of 0, above maxCount, and for NULL?")
{
    char *block = new_block(64);
    code("zero", CALL(aclrtMemset)(block, 64, 0, 0));
    code("above", CALL(aclrtMemset)(block, 32, 0, 33));
    code("null", CALL(aclrtMemset)(NULL, 64, 0, 64));
    code("async_above", CALL(aclrtMemsetAsync)(block, 32, 0, 33, NULL));
    code("async_null_stream", CALL(aclrtMemsetAsync)(block, 64, 0, 64, NULL));
}

QUESTION(memset_host, "aclrtMemset", "Does aclrtMemset accept pinned and plain host memory?")
{
    char plain[64] = {0}, *host = new_pinned(64);
    code("pinned", CALL(aclrtMemset)(host, 64, 5, 64));
    code("plain", CALL(aclrtMemset)(plain, 64, 5, 64));
    code("value", plain[0]);
}

QUESTION(memset_d32, "aclrtMemsetD32 aclrtMemsetD32Async", "How many bytes do they write, and what of an address that is not a multiple of 4?")
{
    uint32_t back[16] = {0};
    char *block = new_block(64);
    aclrtStream stream = new_stream();
    need("aclrtMemset", CALL(aclrtMemset)(block, 64, 0, 64));
    code("code", CALL(aclrtMemsetD32)(block, 64, 0x01020304, 2));
    code("odd", CALL(aclrtMemsetD32)(block + 1, 60, 7, 1));
    code("above", CALL(aclrtMemsetD32)(block, 7, 7, 2));
    code("async", CALL(aclrtMemsetD32Async)(block + 32, 32, 9, 1, stream));
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(stream));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(back, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    fact("words", "%x:%x:%x:%x", back[0], back[1], back[2], back[8]);
}

QUESTION(rectangle, "aclrtMemcpy2d aclrtMemcpy2dAsync", "What do they return for a pitch below the width, height 0, and good arguments?")
{
    char *block = new_block(256), *host = new_pinned(256);
    code("good", CALL(aclrtMemcpy2d)(block, 16, host, 32, 8, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    code("narrow", CALL(aclrtMemcpy2d)(block, 4, host, 32, 8, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    code("no_height", CALL(aclrtMemcpy2d)(block, 16, host, 32, 8, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    code("no_width", CALL(aclrtMemcpy2d)(block, 16, host, 32, 0, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    code("inside", CALL(aclrtMemcpy2d)(block, 16, block + 128, 16, 8, 4, ACL_MEMCPY_DEVICE_TO_DEVICE));
    code("async", CALL(aclrtMemcpy2dAsync)(block, 16, host, 32, 8, 4, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
}

QUESTION(plain_async, "aclrtMemcpyAsync", "Is plain host memory copied before aclrtMemcpyAsync returns?")
{
    char plain[64], back[64];
    char *block = new_block(64);
    aclrtStream stream = new_stream();
    memset(plain, 1, sizeof plain);
    code("code", CALL(aclrtMemcpyAsync)(block, 64, plain, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    memset(plain, 2, sizeof plain);
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(stream));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(back, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    code("sees", back[0]);
}

QUESTION(pinned_async, "aclrtMemcpyAsync", "Does a queued copy of pinned memory see what the host writes after the call?")
{
    char back[64], *block = new_block(64), *host = new_pinned(64);
    aclrtStream stream = new_stream();
    struct gate *gate = new_gate(stream);
    memset(host, 1, 64);
    code("code", CALL(aclrtMemcpyAsync)(block, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    memset(host, 2, 64);
    open_gate(gate);
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(stream));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(back, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    code("sees", back[0]);
}

QUESTION(through_buffer, "aclrtMemcpyAsync", "Does HOST_TO_BUF_TO_DEVICE keep what the host had at the call?")
{
    char back[64], *block = new_block(64), *host = new_pinned(64);
    aclrtStream stream = new_stream();
    struct gate *gate = new_gate(stream);
    memset(host, 1, 64);
    code("code", CALL(aclrtMemcpyAsync)(block, 64, host, 64, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream));
    memset(host, 2, 64);
    open_gate(gate);
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(stream));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(back, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    code("sees", back[0]);
}

QUESTION(condition, "aclrtMemcpyAsyncWithCondition", "Does aclrtMemcpyAsyncWithCondition copy pinned memory?")
{
    char *block = new_block(64), *host = new_pinned(64);
    code("code", CALL(aclrtMemcpyAsyncWithCondition)(block, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
    code("synchronize", CALL(aclrtSynchronizeStream)(NULL));
}

QUESTION(batch, "aclrtMemcpyBatch aclrtMemcpyBatchV2 aclrtMemcpyBatchAsync aclrtMemcpyBatchAsyncV2", "What do batches return, and which index do they report?")
{
    char *block = new_block(128), *host = new_pinned(128);
    void *to[2] = {block, block + 64}, *from[2] = {host, host + 64};
    size_t room[2] = {64, 64}, sizes[2] = {64, 64}, first = 0, failed = 77;
    aclrtMemcpyBatchAttr attribute;
    memset(&attribute, 0, sizeof attribute);
    attribute.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    attribute.srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
    code("good", CALL(aclrtMemcpyBatch)(to, room, from, sizes, 2, &attribute, &first, 1, &failed));
    fact("index", "%s", failed == SIZE_MAX ? "max" : failed == 77 ? "untouched" : "other");
    sizes[1] = 65;
    code("above", CALL(aclrtMemcpyBatch)(to, room, from, sizes, 2, &attribute, &first, 1, &failed));
    fact("at", "%lld", (long long)failed);
    sizes[1] = 64;
    code("none", CALL(aclrtMemcpyBatch)(to, room, from, sizes, 0, &attribute, &first, 1, &failed));
    code("async", CALL(aclrtMemcpyBatchAsync)(to, room, from, sizes, 2, &attribute, &first, 1, &failed, NULL));
    code("v2", CALL(aclrtMemcpyBatchV2)(to, room, from, sizes, 2, &attribute, &first, 1));
    code("async_v2", CALL(aclrtMemcpyBatchAsyncV2)(to, room, from, sizes, 2, &attribute, &first, 1, NULL));
}

QUESTION(description, "aclrtGetMemcpyDescSize aclrtSetMemcpyDesc aclrtMemcpyAsyncWithDesc", "For which directions are there copies by description?")
{
    size_t size = 0;
    for (int kind = 0; kind <= 7; kind++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", kind);
        code(name, CALL(aclrtGetMemcpyDescSize)((aclrtMemcpyKind)kind, &size));
    }
    need("aclrtGetMemcpyDescSize", CALL(aclrtGetMemcpyDescSize)(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, &size));
    fact("~size", "%zu", size);
    char *description = new_block(size), *block = new_block(128);
    code("set", CALL(aclrtSetMemcpyDesc)(description, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, block, block + 64, 64, NULL));
    code("copy", CALL(aclrtMemcpyAsyncWithDesc)(description, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, NULL));
    code("synchronize", CALL(aclrtSynchronizeStream)(NULL));
}

QUESTION(offset, "aclrtMemcpyAsyncWithOffset", "Does a copy with offsets read its addresses from device memory?")
{
    char *block = new_block(256), back = 0;
    void *addresses[2] = {block, block + 128};
    void **table = new_block(sizeof addresses);
    need("aclrtMemset", CALL(aclrtMemset)(block, 256, 0, 256));
    need("aclrtMemset", CALL(aclrtMemset)(block, 64, 5, 64));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(table, sizeof addresses, addresses, sizeof addresses, ACL_MEMCPY_HOST_TO_DEVICE));
    code("code", CALL(aclrtMemcpyAsyncWithOffset)(table + 1, 64, 8, (const void **)table, 32, 4, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, NULL));
    code("synchronize", CALL(aclrtSynchronizeStream)(NULL));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(&back, 1, block + 128 + 8, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    code("value", back);
}

QUESTION(reduce, "aclrtReduceAsync", "Which types and kinds does aclrtReduceAsync accept, and what are 5 and 3?")
{
    static const int types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_INT16, ACL_INT32, ACL_UINT8, ACL_UINT32, ACL_INT64, ACL_BF16};
    char *left = new_block(64), *right = new_block(64);
    for (size_t index = 0; index < sizeof types / sizeof *types; index++) {
        for (int kind = 10; kind <= 13; kind++) {
            char name[24];
            need("aclrtMemset", CALL(aclrtMemset)(left, 64, 0, 64));
            need("aclrtMemset", CALL(aclrtMemset)(right, 64, 0, 64));
            snprintf(name, sizeof name, "t%dk%d", types[index], kind);
            code(name, CALL(aclrtReduceAsync)(left, right, 32, (aclrtReduceKind)kind, (aclDataType)types[index], NULL, NULL));
        }
    }
    int32_t five = 5, three = 3, sum = 0;
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(NULL));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(left, 4, &five, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(right, 4, &three, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    need("aclrtReduceAsync", CALL(aclrtReduceAsync)(left, right, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, NULL, NULL));
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(NULL));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(&sum, 4, left, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    code("sum", sum);
}

QUESTION(reduce_wraps, "aclrtReduceAsync", "Does the sum of large int32 numbers wrap or saturate?")
{
    int32_t most = INT32_MAX, one = 1, sum = 0;
    char *left = new_block(64), *right = new_block(64);
    need("aclrtMemcpy", CALL(aclrtMemcpy)(left, 4, &most, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(right, 4, &one, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    code("code", CALL(aclrtReduceAsync)(left, right, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, NULL, NULL));
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(NULL));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(&sum, 4, left, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    code("sum", sum);
}

QUESTION(values, "aclrtValueWrite aclrtValueWait", "What do a write and a wait of eight bytes return, and for an odd address?")
{
    char *block = new_block(64);
    aclrtStream stream = new_stream();
    code("write", CALL(aclrtValueWrite)(block, 7, 0, stream));
    code("wait", CALL(aclrtValueWait)(block, 7, ACL_STREAM_WAIT_VALUE_EQ, stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    code("odd", CALL(aclrtValueWrite)(block + 1, 7, 0, stream));
    code("flag", CALL(aclrtValueWrite)(block, 7, 9, stream));
    code("wait_flag", CALL(aclrtValueWait)(block, 7, 9, stream));
}
