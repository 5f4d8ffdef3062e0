/* Collectives in a capture: the ranks meet at each launch, with the results of the calls as they are. Ranks are threads, each with a device.
 * Runs with MILLPOND_DEVICES=3. */
#include "check.h"

#include <pthread.h>

#include "hccl_ranks.h"

enum { RANKS = 3, COUNT = 6, BYTES = COUNT * sizeof(int32_t), WIDE = RANKS * BYTES, ROUNDS = 3 };

typedef struct {
    Rank r;
    int32_t *in, *out;
} Start;

static void all_reduce(const Start *s)
{
    HOK(HcclAllReduce(s->in, s->out, RANKS * COUNT, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, s->r.comm, s->r.stream));
}

static void reduce(const Start *s)
{
    HOK(HcclReduce(s->in, s->out, COUNT, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, 1, s->r.comm, s->r.stream));
}

static void broadcast(const Start *s)
{
    OK(aclrtMemcpyAsync(s->out, WIDE, s->in, WIDE, ACL_MEMCPY_DEVICE_TO_DEVICE, s->r.stream));
    HOK(HcclBroadcast(s->out, COUNT, HCCL_DATA_TYPE_INT32, 2, s->r.comm, s->r.stream));
}

static void all_gather(const Start *s)
{
    HOK(HcclAllGather(s->in, s->out, COUNT, HCCL_DATA_TYPE_INT32, s->r.comm, s->r.stream));
}

static void reduce_scatter(const Start *s)
{
    HOK(HcclReduceScatter(s->in, s->out, COUNT, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, s->r.comm, s->r.stream));
}

static void all_to_all(const Start *s)
{
    HOK(HcclAlltoAll(s->in, COUNT, HCCL_DATA_TYPE_INT32, s->out, COUNT, HCCL_DATA_TYPE_INT32, s->r.comm, s->r.stream));
}

/* Rank 0 sends to rank 1, that to rank 2, and that back. */
static void messages(const Start *s)
{
    uint32_t next = (s->r.rank + 1) % RANKS, before = (s->r.rank + RANKS - 1) % RANKS;
    if (s->r.rank == 0) {
        HOK(HcclSend(s->in, COUNT, HCCL_DATA_TYPE_INT32, next, s->r.comm, s->r.stream));
        HOK(HcclRecv(s->out, COUNT, HCCL_DATA_TYPE_INT32, before, s->r.comm, s->r.stream));
    } else {
        HOK(HcclRecv(s->out, COUNT, HCCL_DATA_TYPE_INT32, before, s->r.comm, s->r.stream));
        HOK(HcclSend(s->in, COUNT, HCCL_DATA_TYPE_INT32, next, s->r.comm, s->r.stream));
    }
}

static void group(const Start *s)
{
    uint32_t next = (s->r.rank + 1) % RANKS, before = (s->r.rank + RANKS - 1) % RANKS;
    HOK(HcclGroupStart());
    HOK(HcclSend(s->in, COUNT, HCCL_DATA_TYPE_INT32, next, s->r.comm, s->r.stream));
    HOK(HcclRecv(s->out, COUNT, HCCL_DATA_TYPE_INT32, before, s->r.comm, s->r.stream));
    HOK(HcclGroupEnd());
}

static void batch(const Start *s)
{
    HcclSendRecvItem items[2];
    memset(items, 0, sizeof items);
    items[0].sendRecvType = HCCL_SEND;
    items[0].buf = s->in;
    items[0].remoteRank = (s->r.rank + 1) % RANKS;
    items[1].sendRecvType = HCCL_RECV;
    items[1].buf = s->out;
    items[1].remoteRank = (s->r.rank + RANKS - 1) % RANKS;
    items[0].count = items[1].count = COUNT;
    items[0].dataType = items[1].dataType = HCCL_DATA_TYPE_INT32;
    HOK(HcclBatchSendRecv(items, 2, s->r.comm, s->r.stream));
    memset(items, 0, sizeof items);
}

/* Several, with work of the rank between them. */
static void several(const Start *s)
{
    all_reduce(s);
    OK(aclrtMemcpyAsync(s->in, WIDE, s->out, WIDE, ACL_MEMCPY_DEVICE_TO_DEVICE, s->r.stream));
    HOK(HcclBarrier(s->r.comm, s->r.stream));
    all_to_all(s);
}

static void (*const kinds[])(const Start *) = {
    all_reduce, reduce, broadcast, all_gather, reduce_scatter, all_to_all, messages, group, batch, several,
};

/* A group on two streams of one capture. All ranks are refused, and the capture goes on without it. */
static void several_streams(const Start *s)
{
    uint32_t next = (s->r.rank + 1) % RANKS, before = (s->r.rank + RANKS - 1) % RANKS;
    aclrtEvent there, back;
    aclrtStream other;
    aclmdlRI graph;
    OK(aclrtCreateStream(&other));
    OK(aclrtCreateEventExWithFlag(&there, ACL_EVENT_SYNC));
    OK(aclrtCreateEventExWithFlag(&back, ACL_EVENT_SYNC));
    OK(aclmdlRICaptureBegin(s->r.stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    OK(aclrtRecordEvent(there, s->r.stream));
    OK(aclrtStreamWaitEvent(other, there));
    HOK(HcclGroupStart());
    HOK(HcclSend(s->in, COUNT, HCCL_DATA_TYPE_INT32, next, s->r.comm, s->r.stream));
    HOK(HcclRecv(s->out, COUNT, HCCL_DATA_TYPE_INT32, before, s->r.comm, other));
    CODE(HcclGroupEnd(), HCCL_E_NOT_SUPPORT);
    MENTIONS("use one stream for the group");
    OK(aclrtRecordEvent(back, other));
    OK(aclrtStreamWaitEvent(s->r.stream, back));
    OK(aclmdlRICaptureEnd(s->r.stream, &graph));
    OK(aclmdlRIExecuteAsync(graph, s->r.stream));
    OK(aclrtSynchronizeStream(s->r.stream));
    OK(aclmdlRIDestroy(graph));
    OK(aclrtDestroyEvent(there));
    OK(aclrtDestroyEvent(back));
    OK(aclrtDestroyStream(other));
}

static void put(const Start *s, int round)
{
    int32_t values[RANKS * COUNT];
    int i;
    for (i = 0; i < RANKS * COUNT; i++) {
        values[i] = 1000 * round + 100 * (int)s->r.rank + i;
    }
    OK(aclrtMemcpy(s->in, WIDE, values, WIDE, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemset(s->out, WIDE, 0, WIDE));
}

static void get(const Start *s, int32_t *values)
{
    OK(aclrtSynchronizeStream(s->r.stream));
    OK(aclrtMemcpy(values, WIDE, s->out, WIDE, ACL_MEMCPY_DEVICE_TO_HOST));
}

static void *run(void *argument)
{
    static const int32_t nothing[RANKS * COUNT];
    Start *s = argument;
    size_t kind;
    aclmdlRI graph;
    OK(aclrtSetDevice((int32_t)s->r.rank));
    OK(aclrtCreateStream(&s->r.stream));
    OK(aclrtMalloc((void **)&s->in, WIDE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&s->out, WIDE, ACL_MEM_MALLOC_HUGE_FIRST));
    for (kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        int32_t plain[ROUNDS + 1][RANKS * COUNT], launched[RANKS * COUNT];
        int round;
        for (round = 1; round <= ROUNDS; round++) {
            put(s, round);
            kinds[kind](s);
            get(s, plain[round]);
        }
        put(s, 0);
        /* Other ranks copy meanwhile. */
        OK(aclmdlRICaptureBegin(s->r.stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
        kinds[kind](s);
        OK(aclmdlRICaptureEnd(s->r.stream, &graph));
        get(s, launched);
        EQ(memcmp(launched, nothing, WIDE), 0);
        for (round = 1; round <= ROUNDS; round++) {
            put(s, round);
            OK(aclmdlRIExecuteAsync(graph, s->r.stream));
            get(s, launched);
            EQ(memcmp(launched, plain[round], WIDE), 0);
        }
        /* Two in a row, of which the second reads what the first has left. */
        put(s, 1);
        OK(aclmdlRIExecuteAsync(graph, s->r.stream));
        OK(aclmdlRIExecuteAsync(graph, s->r.stream));
        get(s, launched);
        CHECK(kinds[kind] == several || memcmp(launched, plain[1], WIDE) == 0);
        if (kind + 1 < sizeof kinds / sizeof *kinds) {
            OK(aclmdlRIDestroy(graph));
        }
    }
    several_streams(s);
    /* The communicator is gone: the launch is refused, and nothing of it runs. */
    HOK(HcclCommDestroy(s->r.comm));
    put(s, 1);
    CODE(aclmdlRIExecuteAsync(graph, s->r.stream), ACL_ERROR_RT_PARAM_INVALID);
    MENTIONS("communicator");
    OK(aclmdlRIDestroy(graph));
    OK(aclrtFree(s->in));
    OK(aclrtFree(s->out));
    OK(aclrtDestroyStream(s->r.stream));
    return NULL;
}

int main(void)
{
    int32_t devices[RANKS] = {0, 1, 2};
    HcclComm comms[RANKS];
    pthread_t threads[RANKS];
    Start starts[RANKS];
    uint32_t i;
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    HOK(HcclCommInitAll(RANKS, devices, comms));
    for (i = 0; i < RANKS; i++) {
        memset(&starts[i], 0, sizeof starts[i]);
        starts[i].r.comm = comms[i];
        starts[i].r.rank = i;
        starts[i].r.ranks = RANKS;
        EQ(pthread_create(&threads[i], NULL, run, &starts[i]), 0);
    }
    for (i = 0; i < RANKS; i++) {
        EQ(pthread_join(threads[i], NULL), 0);
    }
    OK(aclrtSetDevice(0));
    OK(aclFinalize());
    return 0;
}
