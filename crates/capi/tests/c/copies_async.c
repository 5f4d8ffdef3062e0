/* What do the asynchronous copies and sets promise? Order on their stream, what
 * may happen to the host's memory meanwhile, which stream NULL is, and which
 * requests are turned down at the call. */
#include "check.h"
#include "gate.h"

#define SIZE 30000

static aclrtStream stream;
static unsigned char *pinned, *pinned2;
static void *device, *device2;

static void order(void)
{
    int round;
    size_t i;
    for (round = 0; round < 20; round++) {
        memset(pinned, round, SIZE);
        memset(pinned2, 0xff, SIZE);
        OK(aclrtMemsetAsync(device, SIZE, 0x55, SIZE, stream));
        OK(aclrtMemcpyAsync(device, SIZE, pinned, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        OK(aclrtMemsetAsync(device, SIZE, 0x66, 10, stream));
        OK(aclrtMemcpyAsync(device2, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        OK(aclrtMemsetAsync(device, SIZE, 0x77, SIZE, stream));
        OK(aclrtMemcpyAsync(pinned2, SIZE, device2, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        OK(aclrtMemsetAsync(device2, SIZE, 0x88, SIZE, stream));
        OK(aclrtSynchronizeStream(stream));
        for (i = 0; i < SIZE; i++) {
            EQ(pinned2[i], i < 10 ? 0x66 : round);
        }
    }
}

/* Nothing happens at the call if the memory is pinned: the stream is held here. */
static void really_later(void)
{
    Gate gate = gate_close(stream);
    memset(pinned2, 0, SIZE);
    OK(aclrtMemset(device, SIZE, 0x21, SIZE));
    OK(aclrtMemcpyAsync(pinned2, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    settle(stream);
    EQ(pinned2[0], 0);
    EQ(pinned2[SIZE - 1], 0);
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    EQ(pinned2[0], 0x21);
    EQ(pinned2[SIZE - 1], 0x21);
    gate_free(gate);
}

/* Memory that the runtime does not know: the stream is brought up to date and the
 * copy is over when the call returns. */
static void pageable(void)
{
    unsigned char *plain = malloc(SIZE);

    memset(plain, 0, SIZE);
    OK(aclrtMemsetAsync(device, SIZE, 0x37, SIZE, stream));
    OK(aclrtMemcpyAsync(plain, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    EQ(plain[0], 0x37);
    EQ(plain[SIZE - 1], 0x37);

    memset(plain, 0x48, SIZE);
    OK(aclrtMemcpyAsync(device, SIZE, plain, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    memset(plain, 0, SIZE);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(plain, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(plain[0], 0x48);
    EQ(plain[SIZE - 1], 0x48);
    free(plain);
}

/* The host's bytes as they were at the call, however late the copy runs. */
static void snapshot(void)
{
    unsigned char *plain = malloc(SIZE);
    Gate gate = gate_close(stream);
    size_t i;

    memset(pinned, 0x59, SIZE);
    OK(aclrtMemcpyAsync(device, SIZE, pinned, SIZE, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream));
    memset(pinned, 0, SIZE);
    gate_open(gate);
    OK(aclrtMemcpyAsync(pinned2, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtSynchronizeStream(stream));
    for (i = 0; i < SIZE; i++) {
        EQ(pinned2[i], 0x59);
    }
    gate_free(gate);

    memset(plain, 0x6a, SIZE);
    OK(aclrtMemcpyAsync(device, SIZE, plain, SIZE, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream));
    memset(plain, 0, SIZE);
    OK(aclrtMemcpyAsync(pinned2, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(pinned2[0], 0x6a);
    EQ(pinned2[SIZE - 1], 0x6a);
    free(plain);
}

static void default_stream(void)
{
    aclrtStream by_name = NULL;
    memset(pinned, 0x7b, SIZE);
    memset(pinned2, 0, SIZE);
    OK(aclrtMemcpyAsync(device, SIZE, pinned, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
    OK(aclrtMemcpyAsync(pinned2, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
    OK(aclrtSynchronizeStream(NULL));
    EQ(pinned2[SIZE - 1], 0x7b);

    /* It can be had by name, and it is the same queue. */
    OK(aclrtCtxGetCurrentDefaultStream(&by_name));
    OK(aclrtMemsetAsync(device, SIZE, 0x7c, SIZE, NULL));
    OK(aclrtMemcpyAsync(pinned2, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, by_name));
    OK(aclrtSynchronizeStream(NULL));
    EQ(pinned2[SIZE - 1], 0x7c);
}

static void refused(void)
{
    const aclrtMemcpyKind up = ACL_MEMCPY_HOST_TO_DEVICE;
    aclrtContext primary = NULL, other = NULL;

    CODE(aclrtMemcpyAsync(NULL, SIZE, pinned, SIZE, up, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpyAsync(device, SIZE, NULL, SIZE, up, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpyAsync(device, SIZE, pinned, SIZE, (aclrtMemcpyKind)6, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpyAsync(device, SIZE, pinned, SIZE, (aclrtMemcpyKind)7, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpyAsync(device, SIZE, pinned, SIZE, (aclrtMemcpyKind)-1, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpyAsync(device, SIZE - 1, pinned, SIZE, up, stream), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemcpyAsync(device, 0, pinned, SIZE, up, stream), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemsetAsync(NULL, SIZE, 0, SIZE, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemsetAsync(device, SIZE - 1, 0, SIZE, stream), ACL_ERROR_RT_PARAM_INVALID);
    FAILS(aclrtMemcpyAsync(device, SIZE, pinned, SIZE, up, (aclrtStream)pinned));

    /* From host to host there is nothing for a device to do. */
    CODE(aclrtMemcpyAsync(pinned2, SIZE, pinned, SIZE, ACL_MEMCPY_HOST_TO_HOST, stream),
         ACL_ERROR_RT_FEATURE_NOT_SUPPORT);

    OK(aclrtGetCurrentContext(&primary));
    OK(aclrtCreateContext(&other, 0));
    CODE(aclrtMemcpyAsync(device, SIZE, pinned, SIZE, up, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CODE(aclrtMemsetAsync(device, SIZE, 0, SIZE, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CODE(aclrtMemcpy2dAsync(device, 32, pinned, 32, 10, 10, up, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    OK(aclrtDestroyContext(other));
    OK(aclrtSetCurrentContext(primary));

    OK(aclrtMemcpyAsync(NULL, 0, NULL, 0, up, stream));
    OK(aclrtMemsetAsync(NULL, 0, 0, 0, stream));
    /* None of the refused calls left anything on the stream. */
    OK(aclrtSynchronizeStream(stream));
}

static void two_dimensions(void)
{
    enum { WIDTH = 100, HEIGHT = 50, PITCH = 128 };
    const size_t wide = 5000001;
    void *host = NULL, *block = NULL;
    int row, column;

    for (row = 0; row < HEIGHT; row++) {
        memset(pinned + row * WIDTH, row, WIDTH);
    }
    memset(pinned2, 0, SIZE);
    OK(aclrtMemsetAsync(device, SIZE, 0xdd, SIZE, stream));
    OK(aclrtMemcpy2dAsync(device, PITCH, pinned, WIDTH, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtMemcpyAsync(pinned2, SIZE, device, PITCH * HEIGHT, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtSynchronizeStream(stream));
    for (row = 0; row < HEIGHT; row++) {
        for (column = 0; column < PITCH; column++) {
            EQ(pinned2[row * PITCH + column], column < WIDTH ? row : 0xdd);
        }
    }
    CODE(aclrtMemcpy2dAsync(device, 99, pinned, WIDTH, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_DEVICE, stream),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy2dAsync(device, PITCH, pinned, WIDTH, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_HOST, stream),
         ACL_ERROR_INVALID_PARAM);

    /* The asynchronous form has a limit to each side: 5,000,000 by 5,242,880. */
    OK(aclrtMallocHost(&host, wide + 1000000));
    OK(aclrtMalloc(&block, wide + 1000000, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy2dAsync(block, wide, host, wide, wide - 1, 1, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    FAILS(aclrtMemcpy2dAsync(block, wide, host, wide, wide, 1, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    FAILS(aclrtMemcpy2dAsync(block, 1, host, 1, 1, 5242881, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtFree(block));
    OK(aclrtFreeHost(host));
}

static void words(void)
{
    uint32_t word;

    memset(pinned2, 0, SIZE);
    OK(aclrtMemsetAsync(device, SIZE, 0, SIZE, stream));
    OK(aclrtMemsetD32Async(device, SIZE, 0xcafef00d, 10, stream));
    OK(aclrtMemcpyAsync(pinned2, SIZE, device, 44, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtSynchronizeStream(stream));
    memcpy(&word, pinned2 + 36, 4);
    EQ(word, 0xcafef00d);
    EQ(pinned2[40], 0);

    FAILS(aclrtMemsetD32Async((char *)device + 2, SIZE - 2, 1, 1, stream));
    FAILS(aclrtMemsetD32Async(device, 36, 1, 10, stream));
    FAILS(aclrtMemsetD32Async(device, SIZE, 1, SIZE_MAX / 2, stream));

    /* On host memory it is over when the call returns. */
    OK(aclrtMemsetD32Async(pinned2, SIZE, 0x0badf00d, 4, stream));
    memcpy(&word, pinned2 + 12, 4);
    EQ(word, 0x0badf00d);
}

/* The deprecated twin, which a large client still uses: the same, or not offered. */
static void with_condition(void)
{
    memset(pinned, 0x19, SIZE);
    memset(pinned2, 0, SIZE);
    if (RETURNS(aclrtMemcpyAsyncWithCondition(device, SIZE, pinned, SIZE, ACL_MEMCPY_HOST_TO_DEVICE,
                                              stream)) == 0) {
        OK(aclrtMemcpyAsync(pinned2, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        OK(aclrtSynchronizeStream(stream));
        EQ(pinned2[SIZE - 1], 0x19);
    } else {
        SKIP("aclrtMemcpyAsyncWithCondition is not offered");
    }
}

int main(void)
{
    void *p = NULL;

    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&device, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&device2, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&p, SIZE));
    pinned = p;
    OK(aclrtMallocHost(&p, SIZE));
    pinned2 = p;

    order();
    really_later();
    pageable();
    snapshot();
    default_stream();
    refused();
    two_dimensions();
    words();
    with_condition();

    OK(aclrtFree(device));
    OK(aclrtFree(device2));
    OK(aclrtFreeHost(pinned));
    OK(aclrtFreeHost(pinned2));
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
