/* How many streams are too many? Hundreds work side by side, on as many cores as
 * there are; parked ones cost no thread; at the end of the supply there is a code. */
#include "check.h"
#include "gate.h"

#define STREAMS 500
#define PIECE 256

/* The number of threads of this process. */
static size_t threads(void)
{
    return status_bytes("Threads:") / 1024;
}

static void side_by_side(void)
{
    static aclrtStream streams[STREAMS];
    void *device = NULL, *p = NULL;
    unsigned char *host;
    int i, round;

    OK(aclrtMalloc(&device, STREAMS * PIECE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&p, STREAMS * PIECE));
    host = p;
    for (i = 0; i < STREAMS; i++) {
        OK(aclrtCreateStream(&streams[i]));
    }
    for (round = 0; round < 10; round++) {
        for (i = 0; i < STREAMS; i++) {
            char *piece = (char *)device + i * PIECE;
            OK(aclrtMemsetAsync(piece, PIECE, 0, PIECE, streams[i]));
            OK(aclrtMemsetAsync(piece, PIECE, i + round, PIECE / 2, streams[i]));
            OK(aclrtMemcpyAsync(host + i * PIECE, PIECE, piece, PIECE, ACL_MEMCPY_DEVICE_TO_HOST, streams[i]));
        }
        for (i = STREAMS - 1; i >= 0; i--) {
            OK(aclrtSynchronizeStream(streams[i]));
            EQ(host[i * PIECE], (i + round) & 0xff);
            EQ(host[i * PIECE + PIECE / 2 - 1], (i + round) & 0xff);
            EQ(host[i * PIECE + PIECE - 1], 0);
        }
    }
    /* Streams are not threads. */
    CHECK(relaxed() || threads() < STREAMS / 2);
    for (i = 0; i < STREAMS; i++) {
        OK(aclrtDestroyStream(streams[i]));
    }
    OK(aclrtFree(device));
    OK(aclrtFreeHost(host));
}

/* All of them held by one gate: another stream still gets its turn. */
static void parked(void)
{
    static aclrtStream streams[STREAMS];
    aclrtStream free_one = NULL;
    void *device = NULL, *p = NULL;
    unsigned char *host;
    Gate gate;
    int i;

    OK(aclrtMalloc(&device, STREAMS, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&p, STREAMS));
    host = p;
    OK(aclrtMemset(device, STREAMS, 0, STREAMS));
    OK(aclrtCreateStream(&free_one));
    OK(aclrtCreateStream(&streams[0]));
    gate = gate_close(streams[0]);
    for (i = 0; i < STREAMS; i++) {
        if (i > 0) {
            OK(aclrtCreateStream(&streams[i]));
            OK(aclrtStreamWaitEvent(streams[i], gate.event));
        }
        OK(aclrtMemsetAsync((char *)device + i, 1, 1, 1, streams[i]));
    }
    OK(aclrtMemcpyAsync(host, STREAMS, device, STREAMS, ACL_MEMCPY_DEVICE_TO_HOST, free_one));
    OK(aclrtSynchronizeStream(free_one));
    for (i = 0; i < STREAMS; i++) {
        EQ(host[i], 0);
    }
    CHECK(relaxed() || threads() < STREAMS / 2);

    gate_open(gate);
    OK(aclrtSynchronizeDevice());
    OK(aclrtMemcpy(host, STREAMS, device, STREAMS, ACL_MEMCPY_DEVICE_TO_HOST));
    for (i = 0; i < STREAMS; i++) {
        EQ(host[i], 1);
        OK(aclrtDestroyStream(streams[i]));
    }
    OK(aclrtDestroyStream(free_one));
    gate_free(gate);
    OK(aclrtFree(device));
    OK(aclrtFreeHost(host));
}

/* Devices of this family have between 512 and 2048 of them. */
static void the_last_one(void)
{
    static aclrtStream streams[2100];
    aclrtStream one_more = NULL;
    uint32_t available = 0, left = 99;
    uint32_t count = 0;
    aclError code = ACL_SUCCESS;

    OK(aclrtGetStreamAvailableNum(&available));
    while (count < 2100) {
        code = aclrtCreateStream(&streams[count]);
        if (code != ACL_SUCCESS) {
            CHECK(check_fetch_text());
            break;
        }
        count++;
    }
    EQ(code, ACL_ERROR_RT_NO_STREAM_RESOURCE);
    EQ(count, available);
    CHECK(count >= 500 && count <= 2048);
    OK(aclrtGetStreamAvailableNum(&left));
    EQ(left, 0);
    CODE(aclrtCreateStream(&one_more), ACL_ERROR_RT_NO_STREAM_RESOURCE);
    EQ_PTR(one_more, NULL);

    OK(aclrtDestroyStream(streams[--count]));
    OK(aclrtCreateStream(&one_more));
    OK(aclrtSynchronizeStream(one_more));
    OK(aclrtDestroyStream(one_more));
    while (count > 0) {
        OK(aclrtDestroyStream(streams[--count]));
    }
    OK(aclrtGetStreamAvailableNum(&left));
    EQ(left, available);
}

int main(void)
{
    OPEN_DEVICE();
    side_by_side();
    parked();
    the_last_one();
    CLOSE_DEVICE();
    return 0;
}
