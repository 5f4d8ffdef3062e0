/* Copies that compute: sums, larger and smaller ones of every type, on one device and between two. */
#include "gate.h"

#define SUM ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM
#define MAX ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX
#define MIN ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN

static aclrtStream stream;
static unsigned char *to, *from;

/* Reduces and reads the result back. */
static void reduce(void *mine, const void *yours, size_t bytes, aclrtReduceKind kind, aclDataType type)
{
    OK(aclrtMemcpy(to, 512, mine, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy(from, 512, yours, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtReduceAsync(to, from, bytes, kind, type, stream, NULL));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(mine, bytes, to, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

#define NUMBERS(ctype, acltype, kind, a0, a1, b0, b1, r0, r1)     \
    do {                                                          \
        ctype mine[2] = {(ctype)(a0), (ctype)(a1)};               \
        const ctype yours[2] = {(ctype)(b0), (ctype)(b1)};        \
        reduce(mine, yours, sizeof mine, kind, acltype);          \
        CHECK(mine[0] == (ctype)(r0) && mine[1] == (ctype)(r1));  \
    } while (0)

static void types(void)
{
    NUMBERS(float, ACL_FLOAT, SUM, 1.5, -2, 2.25, 7, 3.75, 5);
    NUMBERS(float, ACL_FLOAT, MAX, 1.5, -2, 2.25, -7, 2.25, -2);
    NUMBERS(float, ACL_FLOAT, MIN, 1.5, -2, 2.25, -7, 1.5, -7);
    NUMBERS(int8_t, ACL_INT8, SUM, 100, -3, 20, 3, 120, 0);
    NUMBERS(int8_t, ACL_INT8, MAX, 100, -3, 20, 3, 100, 3);
    NUMBERS(int16_t, ACL_INT16, SUM, 1000, -3, 20, 3, 1020, 0);
    NUMBERS(int16_t, ACL_INT16, MIN, 1000, -3, 20, 3, 20, -3);
    NUMBERS(int32_t, ACL_INT32, SUM, 100000, -3, 20, 3, 100020, 0);
    NUMBERS(int32_t, ACL_INT32, MIN, 100000, -3, 20, 3, 20, -3);
    NUMBERS(uint32_t, ACL_UINT32, MAX, 0xffffffffu, 3, 20, 4, 0xffffffffu, 4);
    /* 16-bit floats: 1 + 2 and 0.5 + 0.25, by their bits. */
    NUMBERS(uint16_t, ACL_FLOAT16, SUM, 0x3c00, 0x3800, 0x4000, 0x3400, 0x4200, 0x3a00);
    NUMBERS(uint16_t, ACL_FLOAT16, MAX, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4000, 0xbc00);
    NUMBERS(uint16_t, ACL_BF16, SUM, 0x3f80, 0x3f00, 0x4000, 0x3e80, 0x4040, 0x3f40);
    NUMBERS(uint16_t, ACL_BF16, MIN, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x3f80, 0xc000);
}

static void in_order(void)
{
    float ones[64], sum[64];
    size_t i;
    Gate gate;
    for (i = 0; i < 64; i++) {
        ones[i] = 1;
        sum[i] = 0;
    }
    OK(aclrtMemcpy(from, 512, ones, sizeof ones, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy(to, 512, ones, sizeof ones, ACL_MEMCPY_HOST_TO_DEVICE));
    gate = gate_close(stream);
    OK(aclrtReduceAsync(to, from, sizeof ones, SUM, ACL_FLOAT, stream, NULL));
    /* Onto itself: twice as much. */
    OK(aclrtReduceAsync(to, to, sizeof ones, SUM, ACL_FLOAT, stream, NULL));
    OK(aclrtReduceAsync(to, from, sizeof ones, SUM, ACL_FLOAT, stream, NULL));
    OK(aclrtMemcpy(sum, sizeof sum, to, sizeof sum, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(sum[0], 1);
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    gate_free(gate);
    OK(aclrtMemcpy(sum, sizeof sum, to, sizeof sum, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(sum[0], 5);
    EQ(sum[63], 5);
}

static void between_devices(void)
{
    float ones[4] = {1, 2, 3, 4};
    void *far;
    OK(aclrtSetDevice(1));
    OK(aclrtMalloc(&far, 512, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(far, 512, ones, sizeof ones, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtSetDevice(0));
    OK(aclrtDeviceEnablePeerAccess(1, 0));
    OK(aclrtMemcpy(to, 512, ones, sizeof ones, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtReduceAsync(to, far, sizeof ones, SUM, ACL_FLOAT, stream, NULL));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(ones, sizeof ones, to, sizeof ones, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(ones[3], 8);
    OK(aclrtDeviceDisablePeerAccess(1));
    OK(aclrtFree(far));
    OK(aclrtResetDevice(1));
    OK(aclrtSetDevice(0));
    OK(aclrtResetDevice(0));
}

static void refusals(void)
{
    float own[4] = {0};
    CODE(aclrtReduceAsync(NULL, from, 16, SUM, ACL_FLOAT, stream, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtReduceAsync(to, NULL, 16, SUM, ACL_FLOAT, stream, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtReduceAsync(to, from, 0, SUM, ACL_FLOAT, stream, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtReduceAsync(to, from, 15, SUM, ACL_FLOAT, stream, NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("count");
    CODE(aclrtReduceAsync(to, from, 16, (aclrtReduceKind)9, ACL_FLOAT, stream, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtReduceAsync(to, from, 16, SUM, ACL_FLOAT, stream, own), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtReduceAsync(to, from, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, ACL_FLOAT, stream, NULL),
         ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtReduceAsync(to, from, 16, SUM, ACL_DOUBLE, stream, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtReduceAsync(to, from, 16, SUM, ACL_STRING, stream, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtReduceAsync(to, to + 4, 16, SUM, ACL_FLOAT, stream, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtReduceAsync(to, own, 16, SUM, ACL_FLOAT, stream, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtReduceAsync(to, from, 1 << 20, SUM, ACL_FLOAT, stream, NULL), ACL_ERROR_RT_PARAM_INVALID);
}

int main(void)
{
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc((void **)&to, 512, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&from, 512, ACL_MEM_MALLOC_HUGE_FIRST));
    types();
    in_order();
    between_devices();
    refusals();
    OK(aclrtFree(to));
    OK(aclrtFree(from));
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
