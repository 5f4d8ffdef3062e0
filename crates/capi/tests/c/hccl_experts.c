/* Tokens that go to experts of other ranks and come back, with 2 and 4 ranks: as threads with MILLPOND_DEVICES=4, or as processes with PROCESSES set.
 * What each rank receives, and what it gets back, is compared with a plain computation that knows all tokens. */
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>

#include <aclnnop/aclnn_moe_distribute_combine.h>
#include <aclnnop/aclnn_moe_distribute_dispatch.h>
#include <aclnnop/aclnn_quant_matmul_all_reduce.h>

#include "hccl_ranks.h"

#define MOST_RANKS 4
#define WIDTH 6
#define MOST_TOP 3
#define MOST_TOKENS 8
#define MOST_ROWS (MOST_RANKS * MOST_TOKENS * MOST_TOP)

/* One way to use both functions. */
typedef struct {
    uint32_t ranks, shared, local, top, version;
    int uneven, mask, special, quantised, cumulated;
} Way;

static int64_t tokens_of(const Way *w, uint32_t rank)
{
    return w->uneven ? 3 + rank : 5;
}

static int64_t most_tokens(const Way *w)
{
    return tokens_of(w, w->ranks - 1);
}

static int64_t experts_of(const Way *w)
{
    return (int64_t)(w->ranks - w->shared) * w->local;
}

/* Whole numbers, so that every sum is exact. The largest of a row is 127, so that its scale is 1. */
static float token(uint32_t rank, int64_t t, int column)
{
    return column == 0 ? 127.0f : (float)(((int)rank * 13 + (int)t * 7 + column * 5) % 41 - 20);
}

static int32_t chosen(const Way *w, uint32_t rank, int64_t t, uint32_t choice)
{
    int64_t all = experts_of(w) + (w->special ? 3 : 0);
    return (int32_t)((rank * 3 + t * 5 + choice * (t % 2 + 1)) % all);
}

static float weight(uint32_t rank, int64_t t, uint32_t choice)
{
    return (float)((rank + t + choice) % 3 + 1);
}

/* 0: every token takes part. 1: all but a rank's last. 2: by token and choice. */
static int active(const Way *w, uint32_t rank, int64_t t, uint32_t choice)
{
    if (w->mask == 1) {
        return t < tokens_of(w, rank) - 1;
    }
    return w->mask == 0 || (rank + t + choice) % 3 != 0;
}

static int takes_part(const Way *w, uint32_t rank, int64_t t)
{
    uint32_t choice;
    for (choice = 0; choice < w->top; choice++) {
        if (active(w, rank, t, choice)) {
            return 1;
        }
    }
    return 0;
}

/* What an expert makes of a number; -1 is the shared one. */
static float expert(int64_t number, float x)
{
    return number < 0 ? -x : (float)(number + 1) * x + (float)number;
}

static void *device(const void *data, size_t bytes)
{
    void *block = NULL;
    OK(aclrtMalloc(&block, bytes + 1, ACL_MEM_MALLOC_HUGE_FIRST));
    if (data != NULL) {
        OK(aclrtMemcpy(block, bytes, data, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    } else {
        OK(aclrtMemset(block, bytes, 0x5a, bytes));
    }
    return block;
}

static aclTensor *tensor(void *data, aclDataType type, int64_t rows, int64_t columns)
{
    int64_t dims[2] = {rows, columns}, strides[2] = {columns == 0 ? 1 : columns, 1};
    aclTensor *made = aclCreateTensor(dims, columns == 0 ? 1 : 2, type, strides, 0, ACL_FORMAT_ND, dims, columns == 0 ? 1 : 2, data);
    CHECK(made != NULL);
    return made;
}

static void *workspace_of(uint64_t size)
{
    void *block = NULL;
    if (size > 0) {
        OK(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    return block;
}

static void fetch(aclrtStream stream, void *to, const void *from, size_t bytes)
{
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(to, bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

/* The rows that a rank receives, by expert and then by rank; and the counts. Returns how many there are. */
static int64_t expected_rows(const Way *w, uint32_t rank, float rows[][WIDTH], int64_t *counts, int32_t *received)
{
    int64_t row = 0, own, t;
    int64_t locals = rank < w->shared ? 1 : w->local;
    uint32_t from, choice;
    int column;
    for (own = 0; own < locals; own++) {
        int64_t begin = row;
        for (from = 0; from < w->ranks; from++) {
            for (t = 0; t < tokens_of(w, from); t++) {
                for (choice = 0; choice < w->top; choice++) {
                    int wanted;
                    if (rank < w->shared) {
                        wanted = choice == 0 && from % w->shared == rank && takes_part(w, from, t);
                    } else {
                        wanted = active(w, from, t, choice) && chosen(w, from, t, choice) == (int64_t)(rank - w->shared) * w->local + own;
                    }
                    if (wanted) {
                        for (column = 0; column < WIDTH; column++) {
                            rows[row][column] = token(from, t, column);
                        }
                        row++;
                    }
                }
            }
            received[own * w->ranks + from] = (int32_t)row;
        }
        counts[own] = w->cumulated ? row : row - begin;
    }
    return row;
}

/* What a rank gets back for a token. */
static float expected_result(const Way *w, uint32_t rank, int64_t t, int column)
{
    float sum = 0, x = token(rank, t, column);
    int64_t experts = experts_of(w);
    uint32_t choice;
    for (choice = 0; choice < w->top; choice++) {
        int64_t number = chosen(w, rank, t, choice);
        float value;
        if (!active(w, rank, t, choice)) {
            continue;
        }
        if (number < experts) {
            value = expert(number, x);
        } else if (number == experts) {
            value = 0;
        } else if (number == experts + 1) {
            value = x;
        } else {
            value = 2 * x + 3 * (float)column;
        }
        sum += weight(rank, t, choice) * value;
    }
    if (w->shared > 0 && takes_part(w, rank, t)) {
        sum += expert(-1, x);
    }
    return sum;
}

static void try_way(const Rank *r, const char *group, const Way *w)
{
    int64_t n = tokens_of(w, r->rank), experts = experts_of(w), locals = r->rank < w->shared ? 1 : w->local, t, row, count;
    int64_t global = w->uneven ? most_tokens(w) * w->ranks : 0, rows = MOST_ROWS;
    int64_t special = w->special ? 1 : 0;
    float x[MOST_TOKENS][WIDTH], weights[MOST_TOKENS][MOST_TOP], two[WIDTH], three[WIDTH], place[WIDTH];
    int32_t ids[MOST_TOKENS][MOST_TOP], received[MOST_RANKS * 8], wanted_received[MOST_RANKS * 8];
    uint8_t mask[MOST_TOKENS * MOST_TOP];
    int64_t counts[8], wanted_counts[8];
    static _Thread_local float got[MOST_ROWS][WIDTH], wanted[MOST_ROWS][WIDTH], scales[MOST_ROWS];
    static _Thread_local int8_t small[MOST_ROWS][WIDTH];
    float result[MOST_TOKENS][WIDTH];
    aclTensor *out_scales = NULL, *masked = NULL, *out, *ones = NULL, *twos = NULL, *values = NULL;
    void *d_mask = NULL, *d_scales, *d_rows, *d_constants[3], *workspace;
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    uint32_t choice;
    int column;

    for (column = 0; column < WIDTH; column++) {
        two[column] = 2;
        three[column] = 3;
        place[column] = (float)column;
    }
    for (t = 0; t < n; t++) {
        for (column = 0; column < WIDTH; column++) {
            x[t][column] = token(r->rank, t, column);
        }
        for (choice = 0; choice < w->top; choice++) {
            ((int32_t *)ids)[t * w->top + choice] = chosen(w, r->rank, t, choice);
            ((float *)weights)[t * w->top + choice] = weight(r->rank, t, choice);
            mask[w->mask == 1 ? t : t * w->top + choice] = (uint8_t)active(w, r->rank, t, choice);
        }
    }
    void *d_x = device(x, sizeof x), *d_ids = device(ids, sizeof ids), *d_weights = device(weights, sizeof weights);
    void *d_counts = device(NULL, sizeof counts), *d_received = device(NULL, sizeof received), *d_index = device(NULL, rows * 4);
    aclTensor *t_x = tensor(d_x, ACL_FLOAT, n, WIDTH), *t_ids = tensor(d_ids, ACL_INT32, n, w->top);
    aclTensor *t_weights = tensor(d_weights, ACL_FLOAT, n, w->top), *t_counts = tensor(d_counts, ACL_INT64, locals, 0);
    aclTensor *t_received = tensor(d_received, ACL_INT32, locals * w->ranks, 0), *t_index = tensor(d_index, ACL_INT32, rows, 0);
    d_scales = device(NULL, sizeof scales);
    d_rows = device(NULL, sizeof got);
    if (w->mask != 0) {
        d_mask = device(mask, sizeof mask);
        masked = tensor(d_mask, ACL_BOOL, n, w->mask == 1 ? 0 : w->top);
    }
    out = tensor(d_rows, w->quantised ? ACL_INT8 : ACL_FLOAT, rows, WIDTH);
    if (w->quantised) {
        out_scales = tensor(d_scales, ACL_FLOAT, rows, 0);
    }

    switch (w->version) {
    case 1:
        OK(aclnnMoeDistributeDispatchGetWorkspaceSize(t_x, t_ids, NULL, masked, NULL, group, w->ranks, r->rank, experts, "", 0, 0, 0, 1, w->shared,
                                                      w->quantised ? 2 : 0, global, !w->cumulated, out, out_scales, t_index, t_counts, t_received,
                                                      NULL, NULL, &size, &executor));
        workspace = workspace_of(size);
        OK(aclnnMoeDistributeDispatch(workspace, size, executor, r->stream));
        break;
    case 2:
        OK(aclnnMoeDistributeDispatchV2GetWorkspaceSize(t_x, t_ids, NULL, masked, NULL, group, w->ranks, r->rank, experts, "", 1, 0, 0, 1, w->shared,
                                                        w->quantised ? 2 : 0, global, !w->cumulated, "", out, out_scales, t_index, t_counts,
                                                        t_received, NULL, NULL, &size, &executor));
        workspace = workspace_of(size);
        OK(aclnnMoeDistributeDispatchV2(workspace, size, executor, r->stream));
        break;
    case 3:
        OK(aclnnMoeDistributeDispatchV3GetWorkspaceSize(t_x, t_ids, NULL, masked, NULL, NULL, group, w->ranks, r->rank, experts, "", 0, 0, 0, 1,
                                                        w->shared, w->quantised ? 2 : 0, global, !w->cumulated, "", special, special, special, out,
                                                        out_scales, t_index, t_counts, t_received, NULL, NULL, &size, &executor));
        workspace = workspace_of(size);
        OK(aclnnMoeDistributeDispatchV3(workspace, size, executor, r->stream));
        break;
    default:
        OK(aclnnMoeDistributeDispatchV4GetWorkspaceSize(t_x, t_ids, NULL, masked, NULL, NULL, NULL, group, w->ranks, r->rank, experts, "", 0, 0, 0,
                                                        1, w->shared, w->quantised ? 2 : 0, global, !w->cumulated, "fullmesh", special, special,
                                                        special, out, out_scales, t_index, t_counts, t_received, NULL, NULL, &size, &executor));
        workspace = workspace_of(size);
        OK(aclnnMoeDistributeDispatchV4(workspace, size, executor, r->stream));
    }
    count = expected_rows(w, r->rank, wanted, wanted_counts, wanted_received);
    fetch(r->stream, counts, d_counts, locals * sizeof counts[0]);
    fetch(r->stream, received, d_received, locals * w->ranks * sizeof received[0]);
    if (w->quantised) {
        fetch(r->stream, small, d_rows, sizeof small);
        fetch(r->stream, scales, d_scales, sizeof scales);
        for (row = 0; row < count; row++) {
            CHECK(scales[row] == 1.0f);
            for (column = 0; column < WIDTH; column++) {
                got[row][column] = small[row][column];
            }
        }
    } else {
        fetch(r->stream, got, d_rows, sizeof got);
    }
    for (row = 0; row < locals; row++) {
        EQ(counts[row], wanted_counts[row]);
    }
    for (row = 0; row < (int64_t)(locals * w->ranks); row++) {
        EQ(received[row], wanted_received[row]);
    }
    for (row = 0; row < count; row++) {
        for (column = 0; column < WIDTH; column++) {
            CHECK(got[row][column] == wanted[row][column]);
        }
    }
    if (workspace != NULL) {
        OK(aclrtFree(workspace));
    }
    OK(aclDestroyTensor(out));

    /* The experts do their work. */
    for (row = 0; row < count; row++) {
        int64_t own = 0;
        while (row >= wanted_received[own * w->ranks + w->ranks - 1]) {
            own++;
        }
        for (column = 0; column < WIDTH; column++) {
            got[row][column] = expert(r->rank < w->shared ? -1 : (int64_t)(r->rank - w->shared) * w->local + own, got[row][column]);
        }
    }
    OK(aclrtMemcpy(d_rows, sizeof got, got, sizeof got, ACL_MEMCPY_HOST_TO_DEVICE));
    out = tensor(d_rows, ACL_FLOAT, rows, WIDTH);
    void *d_result = device(NULL, sizeof result);
    aclTensor *t_result = tensor(d_result, ACL_FLOAT, n, WIDTH);
    d_constants[0] = device(two, sizeof two);
    d_constants[1] = device(three, sizeof three);
    d_constants[2] = device(place, sizeof place);
    ones = tensor(d_constants[0], ACL_FLOAT, 1, WIDTH);
    twos = tensor(d_constants[1], ACL_FLOAT, 1, WIDTH);
    values = tensor(d_constants[2], ACL_FLOAT, 1, WIDTH);
    switch (w->version) {
    case 1:
        OK(aclnnMoeDistributeCombineGetWorkspaceSize(out, t_ids, t_index, t_received, t_weights, NULL, masked, NULL, NULL, NULL, NULL, group, w->ranks,
                                                     r->rank, experts, "", 0, 0, 0, 1, w->shared, global, 0, 0, 0, t_result, &size, &executor));
        workspace = workspace_of(size);
        OK(aclnnMoeDistributeCombine(workspace, size, executor, r->stream));
        break;
    case 2:
        OK(aclnnMoeDistributeCombineV2GetWorkspaceSize(out, t_ids, t_index, t_received, t_weights, NULL, masked, NULL, NULL, NULL, NULL, NULL, group,
                                                       w->ranks, r->rank, experts, "", 1, 0, 0, 1, w->shared, global, 0, 0, 0, "", t_result, &size,
                                                       &executor));
        workspace = workspace_of(size);
        OK(aclnnMoeDistributeCombineV2(workspace, size, executor, r->stream));
        break;
    case 3:
        OK(aclnnMoeDistributeCombineV3GetWorkspaceSize(out, t_ids, t_index, t_received, t_weights, NULL, masked, NULL, NULL, NULL, NULL, NULL, NULL,
                                                       t_x, ones, twos, values, group, w->ranks, r->rank, experts, "", 0, 0, 0, 1, w->shared, global,
                                                       0, 0, 0, "", special, special, special, t_result, &size, &executor));
        workspace = workspace_of(size);
        OK(aclnnMoeDistributeCombineV3(workspace, size, executor, r->stream));
        break;
    default:
        OK(aclnnMoeDistributeCombineV4GetWorkspaceSize(out, t_ids, t_index, t_received, t_weights, NULL, masked, NULL, NULL, NULL, NULL, NULL, NULL,
                                                       t_x, ones, twos, values, NULL, group, w->ranks, r->rank, experts, "", 0, 0, 0, 1, w->shared,
                                                       global, 0, 0, 0, "fullmesh", special, special, special, t_result, &size, &executor));
        workspace = workspace_of(size);
        OK(aclnnMoeDistributeCombineV4(workspace, size, executor, r->stream));
    }
    fetch(r->stream, result, d_result, sizeof result);
    for (t = 0; t < n; t++) {
        for (column = 0; column < WIDTH; column++) {
            CHECK(result[t][column] == expected_result(w, r->rank, t, column));
        }
    }
    if (workspace != NULL) {
        OK(aclrtFree(workspace));
    }
    aclTensor *tensors[] = {t_x, t_ids, t_weights, t_counts, t_received, t_index, masked, out_scales, out, t_result, ones, twos, values};
    for (row = 0; row < (int64_t)(sizeof tensors / sizeof tensors[0]); row++) {
        if (tensors[row] != NULL) {
            OK(aclDestroyTensor(tensors[row]));
        }
    }
    void *blocks[] = {d_x, d_ids, d_weights, d_counts, d_received, d_index, d_mask, d_scales, d_rows, d_result, d_constants[0], d_constants[1], d_constants[2]};
    for (row = 0; row < (int64_t)(sizeof blocks / sizeof blocks[0]); row++) {
        if (blocks[row] != NULL) {
            OK(aclrtFree(blocks[row]));
        }
    }
}

/* A rank names an expert that does not exist: every rank gets the same error, and none waits for it. */
static void try_wrong(const Rank *r, const char *group)
{
    float x[WIDTH] = {1, 2, 3, 4, 5, 6};
    int32_t id = r->rank == 1 ? 100 : 0;
    aclOpExecutor *executor = NULL;
    aclrtStream stream;
    uint64_t size = 0;
    size_t i;
    OK(aclrtCreateStream(&stream));
    void *blocks[] = {device(x, sizeof x), device(&id, sizeof id), device(NULL, sizeof x * MOST_RANKS), device(NULL, 4), device(NULL, 8),
                      device(NULL, 4 * MOST_RANKS), NULL};
    aclTensor *tensors[] = {
        tensor(blocks[0], ACL_FLOAT, 1, WIDTH), tensor(blocks[1], ACL_INT32, 1, 1), tensor(blocks[2], ACL_FLOAT, r->ranks, WIDTH),
        tensor(blocks[3], ACL_INT32, 1, 0),     tensor(blocks[4], ACL_INT64, 1, 0), tensor(blocks[5], ACL_INT32, r->ranks, 0),
    };
    OK(aclnnMoeDistributeDispatchGetWorkspaceSize(tensors[0], tensors[1], NULL, NULL, NULL, group, r->ranks, r->rank, r->ranks, "", 0, 0, 0, 1, 0, 0, 0,
                                                  1, tensors[2], NULL, tensors[3], tensors[4], tensors[5], NULL, NULL, &size, &executor));
    blocks[6] = workspace_of(size);
    OK(aclnnMoeDistributeDispatch(blocks[6], size, executor, stream));
    CHECK(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
    CHECK(strstr(aclGetRecentErrMsg(), "'expertIds' of rank 1 has 100") != NULL);
    for (i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        OK(aclDestroyTensor(tensors[i]));
    }
    for (i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        OK(aclrtFree(blocks[i]));
    }
    OK(aclrtDestroyStream(stream));

    /* The call says another rank than the group does: nothing is queued. */
    float *block = device(x, sizeof x);
    aclTensor *whole = tensor(block, ACL_FLOAT, 1, WIDTH);
    int32_t *number = device(&id, sizeof id), *counts = device(NULL, 4 * MOST_RANKS);
    int64_t *total = device(NULL, 8);
    aclTensor *ids = tensor(number, ACL_INT32, 1, 1), *index = tensor(counts, ACL_INT32, 1, 0), *nums = tensor(total, ACL_INT64, 1, 0);
    aclTensor *received = tensor(counts, ACL_INT32, r->ranks, 0);
    OK(aclnnMoeDistributeDispatchGetWorkspaceSize(whole, ids, NULL, NULL, NULL, group, r->ranks, (r->rank + 1) % r->ranks, r->ranks, "", 0, 0, 0, 1, 0, 0,
                                                  0, 1, whole, NULL, index, nums, received, NULL, NULL, &size, &executor));
    void *workspace = workspace_of(size);
    CHECK(aclnnMoeDistributeDispatch(workspace, size, executor, r->stream) != ACL_SUCCESS);
    CHECK(strstr(aclGetRecentErrMsg(), "but this is rank") != NULL);
    OK(aclDestroyTensor(whole));
    OK(aclDestroyTensor(ids));
    OK(aclDestroyTensor(index));
    OK(aclDestroyTensor(nums));
    OK(aclDestroyTensor(received));
    OK(aclrtFree(workspace));
    OK(aclrtFree(block));
    OK(aclrtFree(number));
    OK(aclrtFree(counts));
    OK(aclrtFree(total));
}

/* The product of integers with scales for columns and a sum, added up over the ranks. */
static void try_product(const Rank *r, const char *group)
{
    int8_t a[2][3], b[3][2];
    uint16_t got[2][2];
    float scale[2] = {0.5f, 2.0f}, want[2][2] = {{0}};
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    uint32_t rank;
    int i, j, k;
    for (rank = 0; rank < r->ranks; rank++) {
        int8_t one[2][3], other[3][2];
        for (i = 0; i < 2; i++) {
            for (k = 0; k < 3; k++) {
                one[i][k] = (int8_t)((i * 3 + k + (int)rank) % 5 - 2);
                other[k][i] = (int8_t)((k * 2 + i + (int)rank) % 7 - 3);
            }
        }
        for (i = 0; i < 2; i++) {
            for (j = 0; j < 2; j++) {
                for (k = 0; k < 3; k++) {
                    want[i][j] += scale[j] * one[i][k] * other[k][j];
                }
            }
        }
        if (rank == r->rank) {
            memcpy(a, one, sizeof a);
            memcpy(b, other, sizeof b);
        }
    }
    void *d_a = device(a, sizeof a), *d_b = device(b, sizeof b), *d_scale = device(scale, sizeof scale), *d_out = device(NULL, sizeof got);
    aclTensor *t_a = tensor(d_a, ACL_INT8, 2, 3), *t_b = tensor(d_b, ACL_INT8, 3, 2), *t_scale = tensor(d_scale, ACL_FLOAT, 2, 0);
    aclTensor *t_out = tensor(d_out, ACL_BF16, 2, 2);
    OK(aclnnQuantMatmulAllReduceV2GetWorkspaceSize(t_a, t_b, NULL, NULL, t_scale, NULL, group, "sum", 0, 1, t_out, &size, &executor));
    void *workspace = workspace_of(size);
    OK(aclnnQuantMatmulAllReduceV2(workspace, size, executor, r->stream));
    fetch(r->stream, got, d_out, sizeof got);
    for (i = 0; i < 2; i++) {
        for (j = 0; j < 2; j++) {
            uint32_t bits = (uint32_t)got[i][j] << 16;
            float value;
            memcpy(&value, &bits, sizeof value);
            CHECK(value == want[i][j]);
        }
    }
    OK(aclDestroyTensor(t_a));
    OK(aclDestroyTensor(t_b));
    OK(aclDestroyTensor(t_scale));
    OK(aclDestroyTensor(t_out));
    OK(aclrtFree(d_a));
    OK(aclrtFree(d_b));
    OK(aclrtFree(d_scale));
    OK(aclrtFree(d_out));
    if (workspace != NULL) {
        OK(aclrtFree(workspace));
    }
}

static void try_experts(const Rank *r)
{
    /* ranks, shared, local, top, version, uneven, mask, special, quantised, cumulated */
    static const Way WAYS[] = {
        {0, 0, 2, 3, 1, 0, 0, 0, 0, 1}, {0, 0, 3, 2, 2, 0, 1, 0, 0, 0}, {0, 1, 2, 2, 2, 0, 2, 0, 0, 1}, {0, 0, 1, 1, 3, 1, 2, 1, 0, 0},
        {0, 1, 3, 3, 4, 1, 0, 1, 1, 0}, {0, 0, 2, 2, 1, 0, 1, 0, 1, 0},
    };
    char group[128];
    size_t i;
    HOK(HcclGetCommName(r->comm, group));
    for (i = 0; i < sizeof WAYS / sizeof WAYS[0]; i++) {
        Way way = WAYS[i];
        way.ranks = r->ranks;
        try_way(r, group, &way);
    }
    if (r->ranks > 2) {
        Way way = {r->ranks, 2, 2, 2, 2, 0, 0, 0, 0, 0};
        try_way(r, group, &way);
    }
    try_product(r, group);
    try_wrong(r, group);
}

typedef struct {
    HcclRootInfo info;
    uint32_t rank, ranks;
    int32_t device;
} Start;

static void *run(void *argument)
{
    const Start *start = argument;
    Rank r = {NULL, NULL, start->rank, start->ranks};
    OK(aclrtSetDevice(start->device));
    OK(aclrtCreateStream(&r.stream));
    HOK(HcclCommInitRootInfo(r.ranks, &start->info, r.rank, &r.comm));
    try_experts(&r);
    HOK(HcclCommDestroy(r.comm));
    OK(aclrtDestroyStream(r.stream));
    return NULL;
}

static void as_threads(uint32_t ranks)
{
    pthread_t threads[MOST_RANKS];
    Start starts[MOST_RANKS];
    uint32_t i;
    HOK(HcclGetRootInfo(&starts[0].info));
    for (i = 0; i < ranks; i++) {
        starts[i].info = starts[0].info;
        starts[i].rank = i;
        starts[i].ranks = ranks;
        starts[i].device = (int32_t)i;
        EQ(pthread_create(&threads[i], NULL, run, &starts[i]), 0);
    }
    for (i = 0; i < ranks; i++) {
        EQ(pthread_join(threads[i], NULL), 0);
    }
}

/* Rank 0 makes the root info, and the others read it from a pipe. Every rank has a device of its own. */
static void as_processes(uint32_t ranks)
{
    pid_t children[MOST_RANKS];
    int pipes[MOST_RANKS][2];
    uint32_t i, other;
    for (i = 0; i < ranks; i++) {
        EQ(pipe(pipes[i]), 0);
    }
    for (i = 0; i < ranks; i++) {
        children[i] = fork();
        CHECK(children[i] >= 0);
        if (children[i] == 0) {
            Start start = {.rank = i, .ranks = ranks, .device = (int32_t)i};
            OK(aclInit(NULL));
            OK(aclrtSetDevice((int32_t)i));
            if (i == 0) {
                HOK(HcclGetRootInfo(&start.info));
                for (other = 1; other < ranks; other++) {
                    EQ(write(pipes[other][1], &start.info, sizeof start.info), sizeof start.info);
                }
            } else {
                size_t got = 0;
                while (got < sizeof start.info) {
                    ssize_t some = read(pipes[i][0], (char *)&start.info + got, sizeof start.info - got);
                    CHECK(some > 0);
                    got += (size_t)some;
                }
            }
            run(&start);
            OK(aclrtResetDevice((int32_t)i));
            OK(aclFinalize());
            exit(0);
        }
    }
    for (i = 0; i < ranks; i++) {
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
    for (i = 0; i < ranks; i++) {
        int status = -1;
        EQ(waitpid(children[i], &status, 0), children[i]);
        EQ(status, 0);
    }
}

int main(void)
{
    if (getenv("PROCESSES") != NULL) {
        as_processes(2);
        as_processes(4);
        return 0;
    }
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    as_threads(2);
    as_threads(4);
    OK(aclFinalize());
    return 0;
}
