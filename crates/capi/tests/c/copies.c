/* What do the synchronous copies and sets do? Every direction, corrected and wrong
 * directions, limits, two dimensions, patterns of four bytes, nothing at all, and
 * memory that is gone. Runs with two devices. */
#include "check.h"

#define SIZE 20000

static unsigned char *plain, *back;
static void *pinned, *pinned2, *device, *device2;

static void fill(unsigned char *bytes, size_t count, unsigned seed)
{
    size_t i;
    for (i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(seed + i * 7 + i / 251);
    }
}

/* What a device block contains, fetched on the plainest way. */
static unsigned char *contents(const void *block, size_t count)
{
    memset(back, 0xcc, SIZE);
    OK(aclrtMemcpy(back, SIZE, block, count, ACL_MEMCPY_DEVICE_TO_HOST));
    return back;
}

static void directions(void)
{
    fill(plain, SIZE, 1);
    OK(aclrtMemcpy(device, SIZE, plain, SIZE, ACL_MEMCPY_HOST_TO_DEVICE));
    EQ(memcmp(contents(device, SIZE), plain, SIZE), 0);
    OK(aclrtMemcpy(device2, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE));
    EQ(memcmp(contents(device2, SIZE), plain, SIZE), 0);
    OK(aclrtMemcpy(pinned, SIZE, device2, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(memcmp(pinned, plain, SIZE), 0);
    OK(aclrtMemcpy(pinned2, SIZE, pinned, SIZE, ACL_MEMCPY_HOST_TO_HOST));
    EQ(memcmp(pinned2, plain, SIZE), 0);
    memset(back, 0, SIZE);
    OK(aclrtMemcpy(back, SIZE, plain, SIZE, ACL_MEMCPY_HOST_TO_HOST));
    EQ(memcmp(back, plain, SIZE), 0);

    /* Parts, at odd places. */
    OK(aclrtMemcpy((char *)device + 1, SIZE - 1, plain + 100, 333, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy(back, SIZE, (char *)device + 1, 333, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(memcmp(back, plain + 100, 333), 0);
}

/* Where both sides are known to the runtime, it knows better than the argument. */
static void corrected(void)
{
    static const aclrtMemcpyKind kinds[] = {ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE,
                                            ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                            ACL_MEMCPY_DEFAULT};
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        fill(pinned, SIZE, 10 + (unsigned)i);
        OK(aclrtMemset(device, SIZE, 0, SIZE));
        OK(aclrtMemset(device2, SIZE, 0, SIZE));
        memset(pinned2, 0, SIZE);
        OK(aclrtMemcpy(device, SIZE, pinned, SIZE, kinds[i]));
        EQ(memcmp(contents(device, SIZE), pinned, SIZE), 0);
        OK(aclrtMemcpy(device2, SIZE, device, SIZE, kinds[i]));
        EQ(memcmp(contents(device2, SIZE), pinned, SIZE), 0);
        OK(aclrtMemcpy(pinned2, SIZE, device2, SIZE, kinds[i]));
        EQ(memcmp(pinned2, pinned, SIZE), 0);
        memset(pinned2, 0, SIZE);
        OK(aclrtMemcpy(pinned2, SIZE, pinned, SIZE, kinds[i]));
        EQ(memcmp(pinned2, pinned, SIZE), 0);
    }
}

/* With memory the runtime does not know, a wrong direction works or is refused with
 * 107000. What it never does is something else. */
static void plain_memory(void)
{
    static const aclrtMemcpyKind kinds[] = {ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE,
                                            ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE};
    size_t i;

    for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        aclError code;
        fill(plain, SIZE, 20 + (unsigned)i);
        OK(aclrtMemset(device, SIZE, 0, SIZE));
        code = RETURNS(aclrtMemcpy(device, SIZE, plain, SIZE, kinds[i]));
        if (code == 0) {
            EQ(memcmp(contents(device, SIZE), plain, SIZE), 0);
        } else {
            CHECK(kinds[i] != ACL_MEMCPY_HOST_TO_DEVICE);
            EQ(code, ACL_ERROR_RT_PARAM_INVALID);
            EQ(contents(device, SIZE)[0], 0);
        }
    }

    /* The location of the known side decides. */
    fill(plain, SIZE, 30);
    OK(aclrtMemcpy(device, SIZE, plain, SIZE, ACL_MEMCPY_DEFAULT));
    EQ(memcmp(contents(device, SIZE), plain, SIZE), 0);
    memset(back, 0, SIZE);
    OK(aclrtMemcpy(back, SIZE, device, SIZE, ACL_MEMCPY_DEFAULT));
    EQ(memcmp(back, plain, SIZE), 0);
}

static void refused(void)
{
    const aclrtMemcpyKind up = ACL_MEMCPY_HOST_TO_DEVICE;

    CODE(aclrtMemcpy(NULL, SIZE, plain, SIZE, up), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy(device, SIZE, NULL, SIZE, up), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy(device, SIZE, plain, SIZE, (aclrtMemcpyKind)-1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy(device, SIZE, plain, SIZE, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy(device, SIZE, plain, SIZE, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy(device, SIZE, plain, SIZE, (aclrtMemcpyKind)1000), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy(device, SIZE - 1, plain, SIZE, up), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemcpy(device, 0, plain, 1, up), ACL_ERROR_RT_PARAM_INVALID);

    CODE(aclrtMemset(NULL, SIZE, 0, SIZE), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemset(device, SIZE - 1, 0, SIZE), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemset(device, 0, 0, 1), ACL_ERROR_RT_PARAM_INVALID);
}

/* Nothing to do is done, whatever the other arguments are. */
static void nothing(void)
{
    OK(aclrtMemcpy(NULL, 0, NULL, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpyAsync(NULL, 0, NULL, 0, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
    OK(aclrtMemset(NULL, 0, 0, 0));
    OK(aclrtMemsetAsync(NULL, 0, 0, 0, NULL));
    OK(aclrtMemsetD32(NULL, 0, 0, 0));
    OK(aclrtMemsetD32Async(NULL, 0, 0, 0, NULL));
    OK(aclrtMemcpy2d(NULL, 0, NULL, 0, 0, 5, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy2d(NULL, 0, NULL, 0, 5, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy2dAsync(NULL, 0, NULL, 0, 0, 5, ACL_MEMCPY_HOST_TO_DEVICE, NULL));

    /* Onto itself. */
    fill(plain, SIZE, 40);
    OK(aclrtMemcpy(device, SIZE, plain, SIZE, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy(device, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE));
    EQ(memcmp(contents(device, SIZE), plain, SIZE), 0);
    OK(aclrtMemcpy(plain, SIZE, plain, SIZE, ACL_MEMCPY_HOST_TO_HOST));
}

static void sets(void)
{
    size_t i;
    uint32_t word;
    void *host = NULL;

    OK(aclrtMemset(device, SIZE, 0, SIZE));
    /* Only the low byte counts. */
    OK(aclrtMemset((char *)device + 3, SIZE - 3, 0x12345abc, 10));
    contents(device, SIZE);
    for (i = 0; i < SIZE; i++) {
        EQ(back[i], i >= 3 && i < 13 ? 0xbc : 0);
    }
    OK(aclrtMemset(device, SIZE, -1, 1));
    EQ(contents(device, 1)[0], 0xff);

    OK(aclrtMemsetD32(device, SIZE, 0xdeadbeef, 100));
    contents(device, SIZE);
    for (i = 0; i < 100; i++) {
        memcpy(&word, back + 4 * i, 4);
        EQ(word, 0xdeadbeef);
    }
    EQ(back[400], 0);

    /* Aligned to four, inside the limit, and memory of ours. */
    FAILS(aclrtMemsetD32((char *)device + 1, SIZE - 1, 1, 1));
    FAILS(aclrtMemsetD32((char *)device + 2, SIZE - 2, 1, 1));
    FAILS(aclrtMemsetD32(device, 396, 1, 100));
    FAILS(aclrtMemsetD32(device, SIZE, 1, SIZE_MAX / 4 + 2));
    FAILS(aclrtMemsetD32(device, SIZE, 1, SIZE_MAX));
    FAILS(aclrtMemsetD32(NULL, SIZE, 1, 1));
    CODE(aclrtMemsetD32(plain, SIZE, 1, 1), ACL_ERROR_INVALID_PARAM);
    EQ(contents(device, 4)[0], 0xef);

    OK(aclrtMallocHost(&host, 64));
    OK(aclrtMemsetD32(host, 64, 0x01020304, 16));
    memcpy(&word, (char *)host + 60, 4);
    EQ(word, 0x01020304);
    OK(aclrtFreeHost(host));
}

static void two_dimensions(void)
{
    enum { WIDTH = 10, HEIGHT = 8, DPITCH = 32, SPITCH = 20 };
    int row, column;

    fill(plain, SIZE, 50);
    OK(aclrtMemset(device, SIZE, 0xee, SIZE));
    OK(aclrtMemcpy2d(device, DPITCH, plain, SPITCH, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_DEVICE));
    contents(device, SIZE);
    for (row = 0; row < HEIGHT; row++) {
        for (column = 0; column < DPITCH; column++) {
            EQ(back[row * DPITCH + column], column < WIDTH ? plain[row * SPITCH + column] : 0xee);
        }
    }

    /* Back with other pitches, between devices, and by default. */
    OK(aclrtMemcpy2d(device2, 11, device, DPITCH, WIDTH, HEIGHT, ACL_MEMCPY_DEVICE_TO_DEVICE));
    memset(pinned, 0, SIZE);
    OK(aclrtMemcpy2d(pinned, WIDTH, device2, 11, WIDTH, HEIGHT, ACL_MEMCPY_DEVICE_TO_HOST));
    for (row = 0; row < HEIGHT; row++) {
        EQ(memcmp((char *)pinned + row * WIDTH, plain + row * SPITCH, WIDTH), 0);
    }
    memset(pinned, 0, SIZE);
    OK(aclrtMemcpy2d(pinned, WIDTH, device2, 11, WIDTH, HEIGHT, ACL_MEMCPY_DEFAULT));
    EQ(memcmp(pinned, plain, WIDTH), 0);

    CODE(aclrtMemcpy2d(device, 9, plain, SPITCH, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_DEVICE),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy2d(device, DPITCH, plain, 9, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_DEVICE),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy2d(NULL, DPITCH, plain, SPITCH, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_DEVICE),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy2d(device, DPITCH, NULL, SPITCH, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_DEVICE),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy2d(pinned, DPITCH, pinned2, SPITCH, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_HOST),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy2d(device, DPITCH, plain, SPITCH, WIDTH, HEIGHT, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy2d(device, DPITCH, plain, SPITCH, WIDTH, HEIGHT, (aclrtMemcpyKind)99),
         ACL_ERROR_INVALID_PARAM);

    /* Larger than the block, and so large that it wraps around. */
    FAILS(aclrtMemcpy2d(device, SIZE, device2, DPITCH, WIDTH, 1000000, ACL_MEMCPY_DEVICE_TO_DEVICE));
    FAILS(aclrtMemcpy2d(device, SIZE_MAX / 2, device2, SIZE_MAX / 2, WIDTH, 5, ACL_MEMCPY_DEVICE_TO_DEVICE));
    FAILS(aclrtMemcpy2d(device, SIZE_MAX, device2, SIZE_MAX, SIZE_MAX, SIZE_MAX, ACL_MEMCPY_DEVICE_TO_DEVICE));
}

/* A request that leaves its block, and blocks that are gone: refused for every
 * direction, before a byte moves. */
static void not_our_bytes(void)
{
    void *gone = NULL;
    int kind;

    memset(plain, 0x44, SIZE);
    OK(aclrtMemset(device, SIZE, 0x33, SIZE));
    OK(aclrtMalloc(&gone, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtFree(gone));
    for (kind = ACL_MEMCPY_HOST_TO_HOST; kind <= ACL_MEMCPY_DEFAULT; kind++) {
        FAILS(aclrtMemcpy(gone, SIZE, plain, SIZE, (aclrtMemcpyKind)kind));
        FAILS(aclrtMemcpy(plain, SIZE, gone, SIZE, (aclrtMemcpyKind)kind));
        FAILS(aclrtMemcpy(gone, SIZE, pinned, SIZE, (aclrtMemcpyKind)kind));
        FAILS(aclrtMemcpy(pinned, SIZE, gone, SIZE, (aclrtMemcpyKind)kind));
        FAILS(aclrtMemcpy(device, SIZE, gone, SIZE, (aclrtMemcpyKind)kind));
        FAILS(aclrtMemcpyAsync(device, SIZE, gone, SIZE, (aclrtMemcpyKind)kind, NULL));
    }
    FAILS(aclrtMemset(gone, SIZE, 0, SIZE));
    FAILS(aclrtMemsetAsync(gone, SIZE, 0, SIZE, NULL));
    FAILS(aclrtMemsetD32(gone, SIZE, 0, 1));
    FAILS(aclrtMemcpy2d(gone, 32, plain, 32, 10, 10, ACL_MEMCPY_HOST_TO_DEVICE));

    /* The block has 20000 bytes; no rounding reaches this far. */
    FAILS(aclrtMemset(device, 64 * MIB, 0, 64 * MIB));
    FAILS(aclrtMemcpy(device, 64 * MIB, device2, 64 * MIB, ACL_MEMCPY_DEVICE_TO_DEVICE));
    FAILS(aclrtMemsetAsync(device, SIZE_MAX, 0, SIZE_MAX, NULL));
    FAILS(aclrtMemcpy(device, SIZE_MAX, device2, SIZE_MAX, ACL_MEMCPY_DEVICE_TO_DEVICE));
    OK(aclrtSynchronizeDevice());
    EQ(contents(device, SIZE)[0], 0x33);
    EQ(back[SIZE - 1], 0x33);
}

static void between_devices(void)
{
    void *there = NULL;
    size_t i;

    OK(aclrtSetDevice(1));
    OK(aclrtMalloc(&there, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(there, SIZE, 0x0f, SIZE));
    OK(aclrtMemset(device, SIZE, 0xf0, SIZE));

    /* Fetched and brought, whichever device is the current one. */
    OK(aclrtMemcpy(device, SIZE, there, SIZE / 2, ACL_MEMCPY_DEVICE_TO_DEVICE));
    OK(aclrtSetDevice(0));
    OK(aclrtMemcpy(there, SIZE, device, SIZE, ACL_MEMCPY_DEFAULT));
    contents(there, SIZE);
    for (i = 0; i < SIZE; i++) {
        EQ(back[i], i < SIZE / 2 ? 0x0f : 0xf0);
    }
    OK(aclrtFree(there));
    OK(aclrtResetDevice(1));
    OK(aclrtResetDevice(0));
}

/* More than any piece a runtime may cut it into. */
static void large(void)
{
    const size_t bytes = 9 * MIB + 13;
    unsigned char *from = malloc(bytes), *to = malloc(bytes);
    void *a = NULL, *b = NULL;

    fill(from, bytes, 60);
    OK(aclrtMalloc(&a, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&b, bytes, ACL_MEM_MALLOC_NORMAL_ONLY));
    OK(aclrtMemcpy(a, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy(b, bytes, a, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE));
    OK(aclrtMemcpy(to, bytes, b, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(memcmp(from, to, bytes), 0);
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    free(from);
    free(to);
}

int main(void)
{
    OPEN_DEVICE();
    plain = malloc(SIZE);
    back = malloc(SIZE);
    OK(aclrtMallocHost(&pinned, SIZE));
    OK(aclrtMallocHost(&pinned2, SIZE));
    OK(aclrtMalloc(&device, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&device2, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));

    directions();
    corrected();
    plain_memory();
    refused();
    nothing();
    sets();
    two_dimensions();
    not_our_bytes();
    large();
    between_devices();

    OK(aclrtFree(device));
    OK(aclrtFree(device2));
    OK(aclrtFreeHost(pinned));
    OK(aclrtFreeHost(pinned2));
    free(plain);
    free(back);
    CLOSE_DEVICE();
    return 0;
}
