/* Many copies in one call, and copies whose addresses are in memory: what they copy, what they refuse, and with which index. */
#include "gate.h"

#define PARTS 6
#define PART ((size_t)100)

static aclrtStream stream;
static unsigned char *device, *other, *pinned;

typedef struct batch {
    void *to[PARTS], *from[PARTS];
    size_t room[PARTS], size[PARTS], begin[PARTS];
    aclrtMemcpyBatchAttr attribute[PARTS];
    size_t number, attributes, failed;
} batch;

static aclrtMemcpyBatchAttr between(int to_device, int from_device)
{
    aclrtMemcpyBatchAttr made;
    memset(&made, 0, sizeof made);
    made.dstLoc.type = to_device ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST;
    made.srcLoc.type = from_device ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST;
    return made;
}

static batch down(void)
{
    batch b;
    size_t i;
    memset(&b, 0, sizeof b);
    for (i = 0; i < PARTS; i++) {
        b.to[i] = device + 512 * i;
        b.from[i] = pinned + PART * i;
        b.room[i] = b.size[i] = PART;
    }
    b.number = PARTS;
    b.attribute[0] = between(1, 0);
    b.attributes = 1;
    b.failed = 77;
    return b;
}

static batch up(void)
{
    batch b = down();
    size_t i;
    for (i = 0; i < PARTS; i++) {
        void *swapped = b.to[i];
        b.to[i] = b.from[i];
        b.from[i] = swapped;
    }
    b.attribute[0] = between(0, 1);
    return b;
}

static aclError now(batch *b)
{
    return aclrtMemcpyBatch(b->to, b->room, b->from, b->size, b->number, b->attribute, b->begin, b->attributes,
                            &b->failed);
}

static aclError later(batch *b)
{
    return aclrtMemcpyBatchAsync(b->to, b->room, b->from, b->size, b->number, b->attribute, b->begin,
                                 b->attributes, &b->failed, stream);
}

static void fill(int seed)
{
    size_t i;
    for (i = 0; i < PARTS * PART; i++) {
        pinned[i] = (unsigned char)(seed + i / PART);
    }
}

static void copies(void)
{
    batch b = down();
    unsigned char own[PARTS * PART];
    size_t i;
    fill(10);
    OK(now(&b));
    EQ(b.failed, SIZE_MAX);
    fill(0);
    b = up();
    OK(now(&b));
    for (i = 0; i < PARTS; i++) {
        EQ(pinned[PART * i], 10 + i);
        EQ(pinned[PART * i + PART - 1], 10 + i);
    }

    /* In the order of a stream, with two attributes for the same places. */
    {
        Gate gate = gate_close(stream);
        fill(40);
        b = down();
        b.attributes = 2;
        b.begin[1] = 4;
        b.attribute[1] = b.attribute[0];
        OK(later(&b));
        EQ(b.failed, SIZE_MAX);
        gate_open(gate);
        OK(aclrtSynchronizeStream(stream));
        gate_free(gate);
    }
    /* Memory that is not pinned is copied before the call returns. */
    b = up();
    for (i = 0; i < PARTS; i++) {
        b.to[i] = own + PART * i;
    }
    OK(later(&b));
    EQ(own[0], 40);
    EQ(own[PARTS * PART - 1], 40 + PARTS - 1);

    /* The forms without an index. */
    fill(70);
    b = down();
    OK(aclrtMemcpyBatchV2(b.to, b.room, b.from, b.size, b.number, b.attribute, b.begin, b.attributes));
    fill(0);
    b = up();
    OK(aclrtMemcpyBatchAsyncV2(b.to, b.room, b.from, b.size, b.number, b.attribute, b.begin, b.attributes, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(pinned[PART * 5], 75);

    /* Nothing to copy is not looked at; some with nothing are skipped. */
    b = down();
    memset(b.size, 0, sizeof b.size);
    b.attributes = 0;
    OK(now(&b));
    EQ(b.failed, SIZE_MAX);
    b = down();
    b.size[2] = 0;
    b.to[2] = NULL;
    OK(now(&b));
}

/* Is refused with this code, names this copy, and has copied nothing. */
#define REFUSED(code, which)                          \
    do {                                              \
        b.failed = 77;                                \
        CODE(now(&b), code);                          \
        EQ(b.failed, which);                          \
        b.failed = 77;                                \
        CODE(later(&b), code);                        \
        EQ(b.failed, which);                          \
        b = down();                                   \
    } while (0)

static void refusals(void)
{
    batch b = down();
    fill(1);
    OK(now(&b));
    fill(2);
    b.number = 0;
    REFUSED(ACL_ERROR_INVALID_PARAM, SIZE_MAX);
    b.attributes = 0;
    REFUSED(ACL_ERROR_INVALID_PARAM, SIZE_MAX);
    b.attributes = PARTS + 1;
    REFUSED(ACL_ERROR_INVALID_PARAM, SIZE_MAX);
    b.begin[0] = 1;
    REFUSED(ACL_ERROR_INVALID_PARAM, SIZE_MAX);
    b.attributes = 2;
    b.attribute[1] = b.attribute[0];
    REFUSED(ACL_ERROR_INVALID_PARAM, SIZE_MAX); /* 0, 0 does not ascend */
    b.attributes = 2;
    b.attribute[1] = b.attribute[0];
    b.begin[1] = PARTS;
    REFUSED(ACL_ERROR_INVALID_PARAM, SIZE_MAX);
    b.attribute[0].rsv[3] = 1;
    REFUSED(ACL_ERROR_INVALID_PARAM, SIZE_MAX);
    b.room[3] = PART - 1;
    REFUSED(ACL_ERROR_RT_PARAM_INVALID, 3);
    b.to[4] = NULL;
    REFUSED(ACL_ERROR_INVALID_PARAM, 4);
    b.attribute[0].dstLoc.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    REFUSED(ACL_ERROR_INVALID_PARAM, 0);
    /* Between two places of the device, or of the host. */
    b.attribute[0] = between(1, 1);
    REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, 0);
    b.attribute[0] = between(0, 0);
    REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, 0);
    /* In two directions. */
    b.attributes = 2;
    b.begin[1] = 5;
    b.attribute[1] = between(0, 1);
    REFUSED(ACL_ERROR_RT_PARAM_INVALID, 5);
    /* The memory is somewhere else. */
    b.from[1] = other;
    REFUSED(ACL_ERROR_RT_PARAM_INVALID, 1);
    b.to[2] = pinned;
    REFUSED(ACL_ERROR_RT_PARAM_INVALID, 2);
    b.attribute[0].dstLoc.id = 1;
    REFUSED(ACL_ERROR_RT_PARAM_INVALID, 0);
    CODE(aclrtMemcpyBatch(NULL, b.room, b.from, b.size, 1, b.attribute, b.begin, 1, &b.failed), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpyBatch(b.to, b.room, b.from, b.size, 1, NULL, b.begin, 1, &b.failed), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpyBatch(b.to, b.room, b.from, b.size, 1, b.attribute, b.begin, 1, NULL), ACL_ERROR_INVALID_PARAM);
    b = up();
    OK(now(&b));
    EQ(pinned[0], 1);
    EQ(pinned[PART * 5], 6);
}

/* Addresses that are stored in device memory. */
static void indirect(void)
{
    const aclrtMemcpyKind inside = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
    void **pointers;
    void *stored[2];
    const void *from;
    void *to;
    void *description;
    size_t size = 0;
    unsigned char host[64];
    OK(aclrtMalloc((void **)&pointers, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(device, 512, 3, 512));
    OK(aclrtMemset(other, 512, 0, 512));
    stored[0] = other;
    stored[1] = device;
    OK(aclrtMemcpy(pointers, 16, stored, 16, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpyAsyncWithOffset(pointers, 32, 16, (const void **)(pointers + 1), 32, 8, inside, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(host, 64, other, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(host[15], 0);
    EQ(host[16], 3);
    EQ(host[47], 3);
    EQ(host[48], 0);
    /* Or in memory of the program. */
    to = other;
    from = device;
    OK(aclrtMemcpyAsyncWithOffset(&to, 8, 56, &from, 8, 0, inside, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(host, 64, other, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(host[55], 0);
    EQ(host[56], 3);
    /* The limit may be the size of the block: not past its end. */
    OK(aclrtMemcpyAsyncWithOffset(&to, 512, 504, &from, 8, 0, inside, stream));
    OK(aclrtSynchronizeStream(stream));

    OK(aclrtMemcpyAsyncWithOffset(NULL, 0, 0, NULL, 0, 0, inside, stream));
    CODE(aclrtMemcpyAsyncWithOffset(NULL, 8, 0, &from, 8, 0, inside, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpyAsyncWithOffset(&to, 8, 0, NULL, 8, 0, inside, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpyAsyncWithOffset(&to, 7, 0, &from, 8, 0, inside, stream), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemcpyAsyncWithOffset(&to, 8, SIZE_MAX, &from, 8, 0, inside, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpyAsyncWithOffset(&to, 8, 0, &from, 8, 0, ACL_MEMCPY_DEVICE_TO_HOST, stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtMemcpyAsyncWithOffset(&to, 8, 0, &from, 8, 0, (aclrtMemcpyKind)8, stream), ACL_ERROR_INVALID_PARAM);
    to = pinned;
    CODE(aclrtMemcpyAsyncWithOffset(&to, 8, 0, &from, 8, 0, inside, stream), ACL_ERROR_RT_PARAM_INVALID);

    /* Descriptions. */
    OK(aclrtGetMemcpyDescSize(inside, &size));
    CHECK(size > 0);
    CODE(aclrtGetMemcpyDescSize(inside, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetMemcpyDescSize(ACL_MEMCPY_HOST_TO_DEVICE, &size), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    OK(aclrtMalloc(&description, size, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(other, 512, 0, 512));
    OK(aclrtSetMemcpyDesc(description, inside, device, other, 24, NULL));
    OK(aclrtMemcpyAsyncWithDesc(description, inside, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(host, 64, other, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(host[23], 3);
    EQ(host[24], 0);
    CODE(aclrtSetMemcpyDesc(NULL, inside, device, other, 24, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtSetMemcpyDesc(description, inside, NULL, other, 24, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtSetMemcpyDesc(description, inside, device, other, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtSetMemcpyDesc(description, inside, device, other, 24, host), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtSetMemcpyDesc(host, inside, device, other, 24, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtSetMemcpyDesc(description, ACL_MEMCPY_DEVICE_TO_DEVICE, device, other, 24, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtMemcpyAsyncWithDesc(NULL, inside, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpyAsyncWithDesc(host, inside, stream), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtFree(description));
    OK(aclrtFree(pointers));
}

/* The addresses are read when the stream comes to the copy, which may be long after the call. */
static void read_late(void)
{
    const aclrtMemcpyKind inside = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
    void **pointers, *stored[2], *from = device;
    void *description;
    unsigned char host[64];
    size_t size = 0;
    Gate gate;
    int round;
    OK(aclrtGetMemcpyDescSize(inside, &size));
    OK(aclrtMalloc(&description, size, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&pointers, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(device, 512, 5, 512));
    OK(aclrtMemset(device + 512, 512, 6, 512));
    for (round = 0; round < 2; round++) {
        OK(aclrtMemset(other, 512, 0, 512));
        OK(aclrtMemset(pointers, 64, 0, 64));
        OK(aclrtMemset(description, size, 0, size));
        /* What they name is not there yet, and this thread is what opens the gate: the calls come back. */
        gate = gate_close(stream);
        OK(aclrtMemcpyAsyncWithDesc(description, inside, stream));
        OK(aclrtMemcpyAsyncWithOffset(pointers, 16, 8, (const void **)(pointers + 1), 16, 0, inside, stream));
        /* One place on the device and one in memory of the program, which is read by the call. */
        OK(aclrtMemcpyAsyncWithOffset(pointers, 32, 24, (const void **)&from, 8, 512, inside, stream));
        settle(stream);
        OK(aclrtSetMemcpyDesc(description, inside, device + 512 * round, other, 8, NULL));
        stored[0] = other;
        stored[1] = device + 512 * (1 - round);
        OK(aclrtMemcpy(pointers, 16, stored, 16, ACL_MEMCPY_HOST_TO_DEVICE));
        gate_open(gate);
        OK(aclrtSynchronizeStream(stream));
        gate_free(gate);
        OK(aclrtMemcpy(host, 64, other, 64, ACL_MEMCPY_DEVICE_TO_HOST));
        EQ(host[0], 5 + round);
        EQ(host[7], 5 + round);
        EQ(host[8], 6 - round);
        EQ(host[23], 6 - round);
        EQ(host[24], 6);
        EQ(host[31], 6);
        EQ(host[32], 0);
    }
    OK(aclrtFree(description));
    OK(aclrtFree(pointers));
}

/* Addresses that turn out to be bad: the stream fails, and says what it found. */
static void read_badly(void)
{
    enum { CASES = 6 };
    const aclrtMemcpyKind inside = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
    static const char *const says[CASES] = {"is no description", "not memory of one device", "not memory of one device",
                                            "reach beyond the block", "64 bits", "has been freed"};
    void *description, *gone, **pointers;
    aclrtStream own;
    size_t size = 0;
    int wrong;
    OK(aclrtGetMemcpyDescSize(inside, &size));
    for (wrong = 0; wrong < CASES; wrong++) {
        void *stored[2];
        aclError ended;
        stored[0] = other;
        stored[1] = device;
        OK(aclrtCreateStream(&own));
        OK(aclrtMalloc(&description, size, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMalloc((void **)&pointers, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMalloc(&gone, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMemset(description, size, 0, size));
        if (wrong == 1) {
            stored[1] = pinned;
        } else if (wrong == 2) {
            stored[0] = &size;
        } else if (wrong == 3) {
            stored[0] = other + 1000;
        } else if (wrong == 4) {
            stored[0] = (void *)UINTPTR_MAX;
        } else if (wrong == 5) {
            stored[0] = gone;
        }
        OK(aclrtFree(gone));
        OK(aclrtMemcpy(pointers, 16, stored, 16, ACL_MEMCPY_HOST_TO_DEVICE));
        if (wrong == 0) {
            OK(aclrtMemcpyAsyncWithDesc(description, inside, own));
        } else {
            OK(aclrtMemcpyAsyncWithOffset(pointers, 64, 1, (const void **)(pointers + 1), 64, 0, inside, own));
        }
        ended = aclrtSynchronizeStream(own);
        CHECK(ended != ACL_SUCCESS);
        check_fetch_text();
        fprintf(stderr, "%d: %s\n", ended, check_text);
        MENTIONS("aclrtMemcpyAsyncWith");
        MENTIONS(says[wrong]);
        OK(aclrtDestroyStreamForce(own));
        OK(aclrtFree(pointers));
        OK(aclrtFree(description));
    }
}

int main(void)
{
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc((void **)&device, 512 * PARTS, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&other, 512, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost((void **)&pinned, PARTS * PART));
    copies();
    refusals();
    indirect();
    read_late();
    read_badly();
    OK(aclrtFreeHost(pinned));
    OK(aclrtFree(other));
    OK(aclrtFree(device));
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
