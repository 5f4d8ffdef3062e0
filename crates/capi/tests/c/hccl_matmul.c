/* Functions that multiply matrices and exchange elements with other ranks, with 2 ranks as threads.
 * Runs with MILLPOND_DEVICES=2. */
#include "check.h"

#include <pthread.h>

#include <aclnnop/aclnn_all_gather_matmul.h>
#include <aclnnop/aclnn_matmul_all_reduce.h>
#include <aclnnop/aclnn_matmul_reduce_scatter.h>

#include "hccl_ranks.h"

#define RANKS 2
#define M 4
#define K 3
#define N 2

static float *device_floats(int count, const float *values)
{
    void *block = NULL;
    OK(aclrtMalloc(&block, count * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(block, count * sizeof(float), values, count * sizeof(float), ACL_MEMCPY_HOST_TO_DEVICE));
    return block;
}

static aclTensor *matrix(void *data, int64_t rows, int64_t columns)
{
    int64_t dims[2] = {rows, columns}, strides[2] = {columns, 1};
    aclTensor *made = aclCreateTensor(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 2, data);
    CHECK(made != NULL);
    return made;
}

static void expect(aclrtStream stream, const float *block, const float *wanted, int count)
{
    float got[64];
    int i;
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(got, sizeof got, block, count * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST));
    for (i = 0; i < count; i++) {
        CHECK(got[i] == wanted[i]);
    }
}

static void *workspace_of(uint64_t size)
{
    void *block = NULL;
    if (size > 0) {
        OK(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    return block;
}

/* Small whole numbers, so that every sum is exact. */
static void operands(uint32_t rank, float *x1, float *x2)
{
    int i;
    for (i = 0; i < M * K; i++) {
        x1[i] = (float)((i * 3 + (int)rank * 5) % 7 - 3);
    }
    for (i = 0; i < K * N; i++) {
        x2[i] = (float)((i * 2 + (int)rank) % 5 - 2);
    }
}

static void multiply(const float *a, const float *b, int rows, float *out)
{
    int i, j, k;
    for (i = 0; i < rows; i++) {
        for (j = 0; j < N; j++) {
            float sum = 0;
            for (k = 0; k < K; k++) {
                sum += a[i * K + k] * b[k * N + j];
            }
            out[i * N + j] = sum;
        }
    }
}

typedef struct {
    HcclRootInfo info;
    uint32_t rank;
} Start;

static void *run(void *argument)
{
    const Start *start = argument;
    float x1[M * K], x2[K * N], others[M * K], other2[K * N], products[RANKS][M * N], wanted[RANKS * M * N];
    float gathered[RANKS * M * K];
    float *d1, *d2, *out, *all;
    HcclComm comm;
    aclrtStream stream;
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace;
    char group[128];
    uint32_t rank;
    int i;

    OK(aclrtSetDevice((int32_t)start->rank));
    OK(aclrtCreateStream(&stream));
    HOK(HcclCommInitRootInfo(RANKS, &start->info, start->rank, &comm));
    HOK(HcclGetCommName(comm, group));
    operands(start->rank, x1, x2);
    for (rank = 0; rank < RANKS; rank++) {
        operands(rank, others, other2);
        multiply(others, other2, M, products[rank]);
        memcpy(gathered + rank * M * K, others, sizeof others);
    }
    d1 = device_floats(M * K, x1);
    d2 = device_floats(K * N, x2);
    memset(wanted, 0, sizeof wanted);
    out = device_floats(RANKS * M * N, wanted);
    all = device_floats(RANKS * M * K, gathered);
    OK(aclrtMemset(all, sizeof gathered, 0, sizeof gathered));
    aclTensor *t1 = matrix(d1, M, K), *t2 = matrix(d2, K, N);

    /* The sum of all ranks' products. */
    aclTensor *sum = matrix(out, M, N);
    OK(aclnnMatmulAllReduceGetWorkspaceSize(t1, t2, NULL, group, "sum", 0, 1, sum, &size, &executor));
    workspace = workspace_of(size);
    OK(aclnnMatmulAllReduce(workspace, size, executor, stream));
    for (i = 0; i < M * N; i++) {
        wanted[i] = products[0][i] + products[1][i];
    }
    expect(stream, out, wanted, M * N);
    if (workspace != NULL) {
        OK(aclrtFree(workspace));
    }

    /* This rank's rows of that sum. */
    aclTensor *share = matrix(out, M / RANKS, N);
    OK(aclnnMatmulReduceScatterGetWorkspaceSize(t1, t2, NULL, group, "sum", 0, 1, share, &size, &executor));
    workspace = workspace_of(size);
    OK(aclnnMatmulReduceScatter(workspace, size, executor, stream));
    expect(stream, out, wanted + start->rank * (M / RANKS) * N, M / RANKS * N);
    OK(aclrtFree(workspace));

    /* All ranks' rows times this rank's matrix, and the rows. */
    aclTensor *long_sum = matrix(out, RANKS * M, N), *rows = matrix(all, RANKS * M, K);
    OK(aclnnAllGatherMatmulGetWorkspaceSize(t1, t2, NULL, group, 0, 0, 1, long_sum, rows, &size, &executor));
    workspace = workspace_of(size);
    OK(aclnnAllGatherMatmul(workspace, size, executor, stream));
    multiply(gathered, x2, RANKS * M, wanted);
    expect(stream, out, wanted, RANKS * M * N);
    expect(stream, all, gathered, RANKS * M * K);
    if (workspace != NULL) {
        OK(aclrtFree(workspace));
    }

    OK(aclDestroyTensor(t1));
    OK(aclDestroyTensor(t2));
    OK(aclDestroyTensor(sum));
    OK(aclDestroyTensor(share));
    OK(aclDestroyTensor(long_sum));
    OK(aclDestroyTensor(rows));
    OK(aclrtFree(d1));
    OK(aclrtFree(d2));
    OK(aclrtFree(out));
    OK(aclrtFree(all));
    HOK(HcclCommDestroy(comm));
    OK(aclrtDestroyStream(stream));
    return NULL;
}

int main(void)
{
    pthread_t threads[RANKS];
    Start starts[RANKS];
    uint32_t i;
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    HOK(HcclGetRootInfo(&starts[0].info));
    for (i = 0; i < RANKS; i++) {
        starts[i].info = starts[0].info;
        starts[i].rank = i;
        EQ(pthread_create(&threads[i], NULL, run, &starts[i]), 0);
    }
    for (i = 0; i < RANKS; i++) {
        EQ(pthread_join(threads[i], NULL), 0);
    }
    OK(aclFinalize());
    return 0;
}
