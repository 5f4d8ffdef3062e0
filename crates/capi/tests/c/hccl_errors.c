/* What HCCL refuses: every function with wrong arguments, meetings that fail, rank tables, and ranks that disagree.
 * Runs with MILLPOND_DEVICES=2. */
#include "check.h"

#include <pthread.h>

#include "hccl_ranks.h"

#define N 16

static HcclComm alone(void)
{
    HcclRootInfo info;
    HcclComm comm = NULL;
    HOK(HcclGetRootInfo(&info));
    HOK(HcclCommInitRootInfo(1, &info, 0, &comm));
    return comm;
}

static void wrong_meetings(void)
{
    HcclRootInfo info, stale;
    HcclCommConfig config;
    HcclComm comm = NULL;
    int32_t devices[2] = {0, 0};
    HcclComm comms[2];

    CODE(HcclGetRootInfo(NULL), HCCL_E_PTR);
    HOK(HcclGetRootInfo(&info));
    CODE(HcclCommInitRootInfo(1, NULL, 0, &comm), HCCL_E_PTR);
    CODE(HcclCommInitRootInfo(1, &info, 0, NULL), HCCL_E_PTR);
    CODE(HcclCommInitRootInfo(0, &info, 0, &comm), HCCL_E_PARA);
    CODE(HcclCommInitRootInfo(1, &info, 1, &comm), HCCL_E_PARA);
    memset(&stale, 7, sizeof stale);
    CODE(HcclCommInitRootInfo(1, &stale, 0, &comm), HCCL_E_PARA);
    MENTIONS("HcclGetRootInfo");
    CODE(HcclCommInitRootInfoConfig(1, &info, 0, NULL, &comm), HCCL_E_PTR);
    memset(&config, 0, sizeof config);
    CODE(HcclCommInitRootInfoConfig(1, &info, 0, &config, &comm), HCCL_E_PARA);
    MENTIONS("HcclCommConfigInit");
    /* One of two ranks comes; the environment says how long it waits. */
    OK(setenv("HCCL_CONNECT_TIMEOUT", "1", 1));
    CODE(HcclCommInitRootInfo(2, &info, 1, &comm), HCCL_E_TIMEOUT);
    MENTIONS("rank 0 of 2");
    OK(setenv("HCCL_CONNECT_TIMEOUT", "7201", 1));
    CODE(HcclCommInitRootInfo(2, &info, 1, &comm), HCCL_E_PARA);
    OK(unsetenv("HCCL_CONNECT_TIMEOUT"));
    /* A root info is used up when its communicator is complete; the host lets go of it a moment later. */
    HOK(HcclGetRootInfo(&stale));
    HOK(HcclCommInitRootInfo(1, &stale, 0, &comm));
    HOK(HcclCommDestroy(comm));

    CODE(HcclCommInitAll(0, devices, comms), HCCL_E_PARA);
    CODE(HcclCommInitAll(2, NULL, comms), HCCL_E_PTR);
    CODE(HcclCommInitAll(2, devices, NULL), HCCL_E_PTR);
    CODE(HcclCommInitAll(2, devices, comms), HCCL_E_PARA);
    devices[1] = 2;
    CODE(HcclCommInitAll(2, devices, comms), HCCL_E_PARA);

    CODE(HcclCommDestroy(NULL), HCCL_E_PTR);
    CODE(HcclCommDestroy(&config), HCCL_E_PARA);
    CODE(HcclCommSuspend(NULL), HCCL_E_NOT_SUPPORT);
    CODE(HcclCommResume(NULL), HCCL_E_NOT_SUPPORT);
    CODE(HcclCommWorkingDevNicSet(NULL, NULL, NULL, 0), HCCL_E_NOT_SUPPORT);
    EQ_STR(HcclGetErrorString(HCCL_E_REMOTE), "HCCL_E_REMOTE");
    CHECK(HcclGetErrorString((HcclResult)99) != NULL);
}

static void wrong_tables(void)
{
    static const char GOOD[] = "{\"status\":\"completed\",\"version\":\"1.0\",\"server_count\":\"1\",\"server_list\":[{\"server_id\":"
                               "\"a\",\"device\":[{\"device_id\":\"0\",\"device_ip\":\"1.1.1.1\",\"rank_id\":\"0\"}]}]}";
    char path[] = "/tmp/millpond-rank-table-XXXXXX";
    int file = mkstemp(path);
    HcclCommConfig config;
    HcclComm comm = NULL;
    char name[128];

    CHECK(file >= 0);
    CODE(HcclCommInitClusterInfo(NULL, 0, &comm), HCCL_E_PTR);
    CODE(HcclCommInitClusterInfo("/no/such/file", 0, &comm), HCCL_E_OPEN_FILE_FAILURE);
    CODE(HcclCommInitClusterInfo(path, 0, &comm), HCCL_E_PARA);
    EQ(write(file, GOOD, sizeof GOOD - 1), sizeof GOOD - 1);
    CODE(HcclCommInitClusterInfo(path, 1, &comm), HCCL_E_PARA);
    CODE(HcclCommInitClusterInfoConfig(path, 0, NULL, &comm), HCCL_E_PTR);
    HcclCommConfigInit(&config);
    strcpy(config.hcclCommName, "from a table");
    HOK(HcclCommInitClusterInfoConfig(path, 0, &config, &comm));
    HOK(HcclGetCommName(comm, name));
    EQ_STR(name, "from a table");
    HOK(HcclCommDestroy(comm));
    close(file);
    unlink(path);
}

static void wrong_arguments(void)
{
    HcclComm comm = alone(), none = NULL, sub = NULL;
    aclrtStream stream;
    void *block, *handle = NULL;
    uint32_t number, ids[2] = {0, 0};
    uint64_t counts[1] = {N}, starts[1] = {0}, other[1] = {N + 1}, huge[1] = {UINT64_MAX};
    HcclCommConfig config;
    HcclConfigValue value = {1};
    HcclSendRecvItem items[2] = {{HCCL_SEND, NULL, N, HCCL_DATA_TYPE_INT32, 0}, {HCCL_RECV, NULL, N, HCCL_DATA_TYPE_INT32, 0}};
    HcclDataType type = HCCL_DATA_TYPE_INT32;
    HcclReduceOp sum = HCCL_REDUCE_SUM;

    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    int32_t *in = block, *out = in + 512;
    HcclCommConfigInit(&config);

    CODE(HcclGetCommName(comm, NULL), HCCL_E_PTR);
    CODE(HcclGetRankId(comm, NULL), HCCL_E_PTR);
    CODE(HcclGetRankSize(none, &number), HCCL_E_PTR);
    CODE(HcclGetCommAsyncError(comm, NULL), HCCL_E_PTR);
    CODE(HcclSetConfig((HcclConfig)7, value), HCCL_E_PARA);
    HOK(HcclSetConfig(HCCL_DETERMINISTIC, value));

    CODE(HcclAllReduce(in, out, N, type, sum, none, stream), HCCL_E_PTR);
    CODE(HcclAllReduce(NULL, out, N, type, sum, comm, stream), HCCL_E_PTR);
    CODE(HcclAllReduce(in, NULL, N, type, sum, comm, stream), HCCL_E_PTR);
    CODE(HcclAllReduce(in, out, UINT64_MAX, type, sum, comm, stream), HCCL_E_PARA);
    CODE(HcclAllReduce(in, in + 1, N, type, sum, comm, stream), HCCL_E_PARA);
    CODE(HcclAllReduce(in, out, N, (HcclDataType)13, sum, comm, stream), HCCL_E_NOT_SUPPORT);
    CODE(HcclAllReduce(in, out, N, HCCL_DATA_TYPE_FP64, sum, comm, stream), HCCL_E_NOT_SUPPORT);
    CODE(HcclAllReduce(in, out, N, HCCL_DATA_TYPE_BFP16, HCCL_REDUCE_PROD, comm, stream), HCCL_E_NOT_SUPPORT);
    CODE(HcclAllReduce(in, out, N, type, (HcclReduceOp)4, comm, stream), HCCL_E_PARA);
    CODE(HcclAllReduce(in, in, 4096, type, sum, comm, stream), HCCL_E_PARA);
    CODE(HcclAllReduce(in, counts, 1, type, sum, comm, stream), HCCL_E_PARA);
    CODE(HcclAllReduce(in, out, N, type, sum, comm, &number), HCCL_E_PARA);
    HOK(HcclAllReduce(NULL, NULL, 0, type, sum, comm, stream));

    CODE(HcclBroadcast(NULL, N, type, 0, comm, stream), HCCL_E_PTR);
    CODE(HcclBroadcast(in, N, type, 1, comm, stream), HCCL_E_PARA);
    CODE(HcclAllGather(in, in + 1, N, type, comm, stream), HCCL_E_PARA);
    CODE(HcclAllGather(in, NULL, N, type, comm, stream), HCCL_E_PTR);
    CODE(HcclAllGatherV(in, N, out, NULL, starts, type, comm, stream), HCCL_E_PTR);
    CODE(HcclAllGatherV(in, N, out, other, starts, type, comm, stream), HCCL_E_PARA);
    CODE(HcclAllGatherV(in, N, out, counts, huge, type, comm, stream), HCCL_E_PARA);
    CODE(HcclAllGatherV(in, N, in, counts, starts, type, comm, stream), HCCL_E_PARA);
    CODE(HcclReduceScatter(NULL, out, N, type, sum, comm, stream), HCCL_E_PTR);
    CODE(HcclReduceScatter(in, in + 1, N, type, sum, comm, stream), HCCL_E_PARA);
    CODE(HcclReduceScatterV(in, counts, NULL, out, N, type, sum, comm, stream), HCCL_E_PTR);
    CODE(HcclReduceScatterV(in, other, starts, out, N, type, sum, comm, stream), HCCL_E_PARA);
    CODE(HcclReduce(in, out, N, type, sum, 1, comm, stream), HCCL_E_PARA);
    CODE(HcclReduce(in, NULL, N, type, sum, 0, comm, stream), HCCL_E_PTR);
    CODE(HcclScatter(in, out, N, type, 1, comm, stream), HCCL_E_PARA);
    CODE(HcclScatter(NULL, out, N, type, 0, comm, stream), HCCL_E_PTR);
    CODE(HcclAlltoAll(in, N, type, out, N + 1, type, comm, stream), HCCL_E_PARA);
    CODE(HcclAlltoAll(in, N, type, in, N, type, comm, stream), HCCL_E_PARA);
    CODE(HcclAlltoAllV(in, NULL, starts, type, out, counts, starts, type, comm, stream), HCCL_E_PTR);
    CODE(HcclAlltoAllV(in, counts, huge, type, out, counts, starts, type, comm, stream), HCCL_E_PARA);
    CODE(HcclAlltoAllVC(in, NULL, type, out, type, comm, stream), HCCL_E_PTR);
    CODE(HcclBarrier(none, stream), HCCL_E_PTR);
    CODE(HcclSend(in, N, type, 1, comm, stream), HCCL_E_PARA);
    CODE(HcclSend(NULL, N, type, 0, comm, stream), HCCL_E_PTR);
    CODE(HcclRecv(out, N, type, 9, comm, stream), HCCL_E_PARA);
    CODE(HcclRecv(NULL, N, type, 0, comm, stream), HCCL_E_PTR);
    CODE(HcclBatchSendRecv(NULL, 2, comm, stream), HCCL_E_PTR);
    CODE(HcclBatchSendRecv(items, 0, comm, stream), HCCL_E_PARA);
    CODE(HcclBatchSendRecv(items, 2, comm, stream), HCCL_E_PTR);
    items[0].buf = in;
    items[1].buf = out;
    items[1].sendRecvType = HCCL_SEND;
    CODE(HcclBatchSendRecv(items, 2, comm, stream), HCCL_E_PARA);
    MENTIONS("at most one message");
    items[1].sendRecvType = HCCL_RECV;
    items[1].buf = in + 1;
    CODE(HcclBatchSendRecv(items, 2, comm, stream), HCCL_E_PARA);
    MENTIONS("another message");
    items[1].buf = out;
    items[1].sendRecvType = (HcclSendRecvType)5;
    CODE(HcclBatchSendRecv(items, 2, comm, stream), HCCL_E_PARA);
    CODE(HcclGroupEnd(), HCCL_E_PARA);

    CODE(HcclCreateSubCommConfig(NULL, 1, ids, 1, 0, &config, &sub), HCCL_E_PTR);
    CODE(HcclCreateSubCommConfig(&comm, 1, ids, 1, 0, NULL, &sub), HCCL_E_PTR);
    CODE(HcclCreateSubCommConfig(&comm, 1, NULL, 1, 0, &config, &sub), HCCL_E_PTR);
    CODE(HcclCreateSubCommConfig(&comm, 2, ids, 1, 0, &config, &sub), HCCL_E_PARA);
    ids[0] = 5;
    CODE(HcclCreateSubCommConfig(&comm, 1, ids, 1, 0, &config, &sub), HCCL_E_PARA);
    ids[0] = 0;
    CODE(HcclCreateSubCommConfig(&comm, 1, ids, 1, 1, &config, &sub), HCCL_E_PARA);
    HOK(HcclCreateSubCommConfig(&comm, 1, ids, 1, 0, &config, &sub));
    CODE(HcclCreateSubCommConfig(&sub, 1, ids, 2, 0, &config, &none), HCCL_E_PARA);
    MENTIONS("sub-communicator");
    HOK(HcclCommDestroy(sub));

    CODE(HcclCommRegister(comm, NULL, 64, &handle, 0), HCCL_E_PTR);
    CODE(HcclCommRegister(comm, block, 0, &handle, 0), HCCL_E_PARA);
    CODE(HcclCommRegister(comm, block, 64, NULL, 0), HCCL_E_PTR);
    HOK(HcclCommRegister(comm, block, 64, &handle, 0));
    HOK(HcclCommExchangeMem(comm, handle, ids, 1));
    CODE(HcclCommExchangeMem(comm, &number, ids, 1), HCCL_E_PARA);
    HOK(HcclCommDeregister(comm, handle));
    CODE(HcclCommDeregister(comm, handle), HCCL_E_PARA);
    HOK(HcclCommSetMemoryRange(comm, block, 4096, 0, 1));
    HOK(HcclCommActivateCommMemory(comm, block, 4096, 0, NULL, 0));
    CODE(HcclCommActivateCommMemory(comm, NULL, 4096, 0, NULL, 0), HCCL_E_PTR);
    HOK(HcclCommDeactivateCommMemory(comm, block));
    CODE(HcclCommDeactivateCommMemory(comm, NULL), HCCL_E_PTR);
    HOK(HcclCommUnsetMemoryRange(comm, block));
    CODE(HcclCommUnsetMemoryRange(comm, block), HCCL_E_PARA);

    /* A stream of another device. */
    OK(aclrtSetDevice(1));
    CODE(HcclBarrier(comm, NULL), HCCL_E_PARA);
    MENTIONS("device 1");
    OK(aclrtSetDevice(0));

    /* What was refused has no place in the order: the communicator still works. */
    HOK(HcclBarrier(comm, stream));
    OK(aclrtSynchronizeStream(stream));
    HOK(HcclCommDestroy(comm));
    OK(aclrtFree(block));
    OK(aclrtDestroyStream(stream));
}

/* Two ranks as threads that do different things. */
typedef struct {
    HcclRootInfo info;
    uint32_t rank;
    int way;
} Start;

static void *disagree(void *argument)
{
    Start *start = argument;
    Rank r = {NULL, NULL, start->rank, 2};
    HcclResult failed = HCCL_SUCCESS;
    HcclCommConfig config;
    int32_t *block;
    OK(aclrtSetDevice((int32_t)r.rank));
    OK(aclrtCreateStream(&r.stream));
    HcclCommConfigInit(&config);
    config.hcclExecTimeOut = start->way == 1 ? 1 : 0;
    HOK(HcclCommInitRootInfoConfig(2, &start->info, r.rank, &config, &r.comm));
    block = device_numbers(&r, N, 1);
    if (start->way == 0) {
        /* Another count. */
        HOK(HcclAllReduce(block, block, N - r.rank, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r.comm, r.stream));
    } else if (start->way == 1) {
        /* Rank 1 never calls; the limit ends the wait. */
        if (r.rank == 0) {
            HOK(HcclBarrier(r.comm, r.stream));
        }
    } else {
        /* Rank 1 destroys its communicator while rank 0 waits. */
        if (r.rank == 0) {
            HOK(HcclBarrier(r.comm, r.stream));
        } else {
            HOK(HcclCommDestroy(r.comm));
        }
    }
    if (start->way == 0 || r.rank == 0) {
        CODE_ONLY(aclrtSynchronizeStream(r.stream), ACL_ERROR_RT_FFTS_PLUS_TIMEOUT);
        HOK(HcclGetCommAsyncError(r.comm, &failed));
        EQ(failed, HCCL_E_REMOTE);
        CODE(HcclBarrier(r.comm, r.stream), HCCL_E_REMOTE);
        MENTIONS("rank");
    }
    if (start->way != 2 || r.rank == 0) {
        HOK(HcclCommDestroy(r.comm));
    }
    OK(aclrtFree(block));
    OK(aclrtDestroyStream(r.stream));
    return NULL;
}

static void wrong_together(int way)
{
    pthread_t threads[2];
    Start starts[2];
    uint32_t i;
    HOK(HcclGetRootInfo(&starts[0].info));
    starts[1] = starts[0];
    for (i = 0; i < 2; i++) {
        starts[i].rank = i;
        starts[i].way = way;
        EQ(pthread_create(&threads[i], NULL, disagree, &starts[i]), 0);
    }
    for (i = 0; i < 2; i++) {
        EQ(pthread_join(threads[i], NULL), 0);
    }
}

int main(void)
{
    int way;
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    wrong_meetings();
    wrong_tables();
    wrong_arguments();
    for (way = 0; way < 3; way++) {
        wrong_together(way);
    }
    OK(aclFinalize());
    return 0;
}
