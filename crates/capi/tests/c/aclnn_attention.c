/* Operators by function: tensors with strides, lists, executors that serve one run; attention and its
 * gradient, against loops. */
#include "gate.h"
#include "models.h"

#include <aclnnop/aclnn_flash_attention_score.h>
#include <aclnnop/aclnn_flash_attention_score_grad.h>

#include <math.h>

enum { HEADS = 2, ROWS = 3, SIZE = 4, COUNT = HEADS * ROWS * SIZE };

static const int64_t dims[4] = {1, HEADS, ROWS, SIZE}, kept[4] = {1, HEADS, ROWS, 8}, square[2] = {ROWS, ROWS};
/* The same elements with rows before heads. */
static const int64_t turned[4] = {COUNT, SIZE, HEADS * SIZE, 1};
static char layout[] = "BNSD";

/* Softmax over the columns that a row may see, in the order of dims. */
static void expected(const float *q, const float *k, const float *v, int causal, double *y)
{
    int h, i, j, d;
    for (h = 0; h < HEADS; h++) {
        for (i = 0; i < ROWS; i++) {
            double share[ROWS], sum = 0;
            int last = causal ? i : ROWS - 1;
            for (j = 0; j <= last; j++) {
                double score = 0;
                for (d = 0; d < SIZE; d++) {
                    score += q[(h * ROWS + i) * SIZE + d] * k[(h * ROWS + j) * SIZE + d];
                }
                share[j] = exp(score * 0.5);
                sum += share[j];
            }
            for (d = 0; d < SIZE; d++) {
                double value = 0;
                for (j = 0; j <= last; j++) {
                    value += share[j] / sum * v[(h * ROWS + j) * SIZE + d];
                }
                y[(h * ROWS + i) * SIZE + d] = value;
            }
        }
    }
}

static aclTensor *whole(int rank, const int64_t *sizes, aclDataType type, void *memory)
{
    aclTensor *made = aclCreateTensor(sizes, (uint64_t)rank, type, NULL, 0, ACL_FORMAT_ND, sizes, (uint64_t)rank, memory);
    CHECK(made != NULL);
    return made;
}

static void close_to(void *memory, const double *values, double tolerance)
{
    float got[COUNT];
    int i;
    from_device(got, memory, sizeof got);
    for (i = 0; i < COUNT; i++) {
        if (!(fabs(got[i] - values[i]) < tolerance)) {
            fprintf(stderr, "element %d is %g, expected %g\n", i, (double)got[i], values[i]);
            CHECK(fabs(got[i] - values[i]) < tolerance);
        }
    }
}

/* The first function, with what the tests do not change. */
static aclnnStatus prepare(aclTensor *const qkv[3], aclTensor *mask, const aclIntArray *prefix, char *named, int64_t mode,
                           aclTensor *const out[3], uint64_t *size, aclOpExecutor **executor)
{
    return aclnnFlashAttentionScoreGetWorkspaceSize(qkv[0], qkv[1], qkv[2], NULL, NULL, NULL, mask, prefix, 0.5, 1.0,
                                                    INT32_MAX, INT32_MAX, HEADS, named, 0, mode, out[0], out[1], NULL,
                                                    out[2], size, executor);
}

static aclnnStatus prepare_grad(aclTensor *const qkv[3], aclTensor *dy, aclTensor *mask, aclTensor *const out[3],
                                aclTensor *const grads[3], uint64_t *size, aclOpExecutor **executor)
{
    return aclnnFlashAttentionScoreGradGetWorkspaceSize(
        qkv[0], qkv[1], qkv[2], dy, NULL, NULL, NULL, mask, out[0], out[1], NULL, out[2], NULL, 0.5, 1.0, INT32_MAX,
        INT32_MAX, HEADS, layout, 0, 2, grads[0], grads[1], grads[2], NULL, size, executor);
}

static void tensors(void)
{
    const int64_t negative[1] = {-1}, vast[2] = {INT64_MAX, INT64_MAX}, steps[1] = {-1}, two[1] = {2}, none[1] = {0};
    const int64_t numbers[2] = {1, 2};
    void *memory = to_device(NULL, 64);
    aclTensor *tensor, *empty;
    aclIntArray *list;

    tensor = whole(1, two, ACL_FLOAT, memory);
    OK(aclDestroyTensor(tensor));
    FAILS(aclDestroyTensor(tensor));
    OK(aclDestroyTensor(NULL));
    empty = aclCreateTensor(none, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, none, 1, NULL);
    CHECK(empty != NULL);
    OK(aclDestroyTensor(empty));

    /* A view may begin beyond the storage that the program names. */
    empty = aclCreateTensor(two, 1, ACL_FLOAT, NULL, 10, ACL_FORMAT_ND, two, 1, memory);
    CHECK(empty != NULL);
    OK(aclDestroyTensor(empty));

    /* What no view is. */
    EQ_PTR(aclCreateTensor(negative, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, two, 1, memory), NULL);
    EQ_PTR(aclCreateTensor(vast, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, vast, 2, memory), NULL);
    EQ_PTR(aclCreateTensor(two, 1, ACL_FLOAT, steps, 1, ACL_FORMAT_ND, two, 1, memory), NULL);
    check_fetch_text();
    CHECK(strstr(check_text, "neither may be negative") != NULL);
    EQ_PTR(aclCreateTensor(NULL, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, two, 1, memory), NULL);
    EQ_PTR(aclCreateTensor(two, 1, (aclDataType)99, NULL, 0, ACL_FORMAT_ND, two, 1, memory), NULL);
    EQ_PTR(aclCreateTensor(two, UINT64_MAX, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, two, 1, memory), NULL);

    list = aclCreateIntArray(numbers, 2);
    CHECK(list != NULL);
    FAILS(aclDestroyTensor((const aclTensor *)list));
    OK(aclDestroyIntArray(list));
    FAILS(aclDestroyIntArray(list));
    list = aclCreateIntArray(NULL, 0);
    CHECK(list != NULL);
    OK(aclDestroyIntArray(list));
    EQ_PTR(aclCreateIntArray(NULL, 2), NULL);
    OK(aclrtFree(memory));
}

static void attention(aclrtStream stream)
{
    float host[3][COUNT], rows_first[COUNT], dy[COUNT];
    double y[COUNT], turned_y[COUNT], grads[3][COUNT];
    unsigned char hidden[ROWS * ROWS];
    void *memory[3], *out_memory[3], *grad_memory[3], *turned_memory, *dy_memory, *mask_memory, *workspace;
    aclTensor *qkv[3], *mixed[3], *out[3], *grad[3], *mask, *dy_tensor, *strided;
    aclOpExecutor *executor = NULL;
    uint64_t size = 7;
    Gate gate;
    int n, i, h, r, d;

    for (n = 0; n < 3; n++) {
        for (i = 0; i < COUNT; i++) {
            host[n][i] = (float)sin(1 + 7 * n + 3 * i);
        }
        memory[n] = to_device(host[n], sizeof host[n]);
        qkv[n] = whole(4, dims, ACL_FLOAT, memory[n]);
        out_memory[n] = to_device(NULL, n == 2 ? COUNT * sizeof(float) : HEADS * ROWS * 8 * sizeof(float));
        out[n] = whole(4, n == 2 ? dims : kept, ACL_FLOAT, out_memory[n]);
        grad_memory[n] = to_device(NULL, COUNT * sizeof(float));
        grad[n] = whole(4, dims, ACL_FLOAT, grad_memory[n]);
    }
    for (i = 0; i < ROWS * ROWS; i++) {
        hidden[i] = i % ROWS > i / ROWS;
    }
    mask_memory = to_device(hidden, sizeof hidden);
    mask = whole(2, square, ACL_BOOL, mask_memory);

    /* Without a mask. The scores lie in the workspace. */
    expected(host[0], host[1], host[2], 0, y);
    OK(prepare(qkv, NULL, NULL, layout, 0, out, &size, &executor));
    CHECK(size >= ROWS * ROWS * sizeof(float));
    workspace = to_device(NULL, size);
    OK(aclnnFlashAttentionScore(workspace, size, executor, stream));
    OK(aclrtSynchronizeStream(stream));
    close_to(out_memory[2], y, 1e-5);
    /* It served its run. */
    FAILS(aclnnFlashAttentionScore(workspace, size, executor, stream));
    MENTIONS("executor");

    /* With one, in both ways to say it. */
    expected(host[0], host[1], host[2], 1, y);
    for (i = 1; i <= 2; i++) {
        OK(aclrtMemset(out_memory[2], COUNT * sizeof(float), 0, COUNT * sizeof(float)));
        OK(prepare(qkv, mask, NULL, layout, i, out, &size, &executor));
        OK(aclnnFlashAttentionScore(workspace, size, executor, stream));
        OK(aclrtSynchronizeStream(stream));
        close_to(out_memory[2], y, 1e-5);
    }

    /* Queries whose rows come before their heads, one element into the memory; the tensor may go before the run. */
    for (h = 0; h < HEADS; h++) {
        for (r = 0; r < ROWS; r++) {
            for (d = 0; d < SIZE; d++) {
                rows_first[(r * HEADS + h) * SIZE + d] = host[0][(h * ROWS + r) * SIZE + d];
            }
        }
    }
    {
        float shifted[COUNT + 1];
        const int64_t storage[1] = {COUNT + 1};
        shifted[0] = 1e30f;
        memcpy(shifted + 1, rows_first, sizeof rows_first);
        turned_memory = to_device(shifted, sizeof shifted);
        strided = aclCreateTensor(dims, 4, ACL_FLOAT, turned, 1, ACL_FORMAT_ND, storage, 1, turned_memory);
        CHECK(strided != NULL);
    }
    memcpy(mixed, qkv, sizeof mixed);
    mixed[0] = strided;
    OK(aclrtMemset(out_memory[2], COUNT * sizeof(float), 0, COUNT * sizeof(float)));
    OK(prepare(mixed, mask, NULL, layout, 2, out, &size, &executor));
    FAILS(aclnnFlashAttentionScore(NULL, size, executor, stream));
    MENTIONS("workspace");
    OK(prepare(mixed, mask, NULL, layout, 2, out, &size, &executor));
    FAILS(aclnnFlashAttentionScore(workspace, size - 1, executor, stream));
    MENTIONS("workspaceSize");
    OK(prepare(mixed, mask, NULL, layout, 2, out, &size, &executor));
    OK(aclDestroyTensor(strided));
    gate = gate_close(stream);
    OK(aclnnFlashAttentionScore(workspace, size, executor, stream));
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    gate_free(gate);
    close_to(out_memory[2], y, 1e-5);

    /* The gradient, against small steps. */
    for (i = 0; i < COUNT; i++) {
        dy[i] = (float)cos(i);
    }
    for (n = 0; n < 3; n++) {
        for (i = 0; i < COUNT; i++) {
            double there[2][COUNT], sum = 0;
            float was = host[n][i];
            int side;
            for (side = 0; side < 2; side++) {
                host[n][i] = was + (side ? 0.01f : -0.01f);
                expected(host[0], host[1], host[2], 1, there[side]);
            }
            host[n][i] = was;
            for (r = 0; r < COUNT; r++) {
                sum += dy[r] * (there[1][r] - there[0][r]) / 0.02;
            }
            grads[n][i] = sum;
        }
    }
    dy_memory = to_device(dy, sizeof dy);
    dy_tensor = whole(4, dims, ACL_FLOAT, dy_memory);
    OK(prepare_grad(qkv, dy_tensor, mask, out, grad, &size, &executor));
    OK(aclrtFree(workspace));
    workspace = to_device(NULL, size);
    FAILS(aclnnFlashAttentionScore(workspace, size, executor, stream));
    MENTIONS("FlashAttentionScoreGrad");
    OK(prepare_grad(qkv, dy_tensor, mask, out, grad, &size, &executor));
    OK(aclnnFlashAttentionScoreGrad(workspace, size, executor, stream));
    OK(aclrtSynchronizeStream(stream));
    for (n = 0; n < 3; n++) {
        close_to(grad_memory[n], grads[n], 1e-3);
    }

    /* What is refused, and what stays as it was then. */
    {
        const int64_t one[1] = {1};
        char other[] = "TND";
        aclIntArray *prefix = aclCreateIntArray(one, 1);
        aclTensor *nothing[3] = {NULL, NULL, NULL}, *views[3];
        aclOpExecutor *same = executor;

        size = 7;
        CODE(prepare(qkv, NULL, NULL, other, 0, out, &size, &executor), ACLNN_ERR_PARAM_INVALID);
        MENTIONS("TND");
        CODE(prepare(qkv, mask, NULL, layout, 6, out, &size, &executor), ACLNN_ERR_PARAM_INVALID);
        MENTIONS("sparseMode");
        CODE(prepare(qkv, NULL, NULL, layout, 2, out, &size, &executor), ACLNN_ERR_PARAM_INVALID);
        MENTIONS("attenMask");
        CODE(prepare(qkv, NULL, prefix, layout, 0, out, &size, &executor), ACLNN_ERR_PARAM_INVALID);
        MENTIONS("prefix");
        CODE(prepare(qkv, NULL, NULL, NULL, 0, out, &size, &executor), ACLNN_ERR_PARAM_INVALID);
        MENTIONS("inputLayout");
        CODE(prepare(nothing, NULL, NULL, layout, 0, out, &size, &executor), ACLNN_ERR_PARAM_NULLPTR);
        MENTIONS("query");
        CODE(prepare(qkv, NULL, NULL, layout, 0, nothing, &size, &executor), ACLNN_ERR_PARAM_NULLPTR);
        MENTIONS("softmaxMax");
        FAILS(prepare(qkv, NULL, NULL, layout, 0, out, NULL, &executor));
        FAILS(prepare(qkv, NULL, NULL, layout, 0, out, &size, NULL));
        EQ(size, 7);
        EQ_PTR(executor, same);
        /* Results whose rows come before their heads. */
        memcpy(views, out, sizeof views);
        views[2] = aclCreateTensor(dims, 4, ACL_FLOAT, turned, 0, ACL_FORMAT_ND, dims, 4, out_memory[2]);
        CHECK(views[2] != NULL);
        OK(prepare(qkv, mask, NULL, layout, 2, views, &size, &executor));
        OK(aclrtFree(workspace));
        workspace = to_device(NULL, size);
        OK(aclnnFlashAttentionScore(workspace, size, executor, stream));
        OK(aclrtSynchronizeStream(stream));
        for (h = 0; h < HEADS; h++) {
            for (r = 0; r < ROWS; r++) {
                for (d = 0; d < SIZE; d++) {
                    turned_y[(r * HEADS + h) * SIZE + d] = y[(h * ROWS + r) * SIZE + d];
                }
            }
        }
        close_to(out_memory[2], turned_y, 1e-5);
        FAILS(aclnnFlashAttentionScore(NULL, 0, NULL, stream));
        FAILS(aclnnFlashAttentionScore(NULL, 0, (aclOpExecutor *)prefix, stream));
        OK(aclDestroyTensor(views[2]));
        OK(aclDestroyIntArray(prefix));
    }

    for (n = 0; n < 3; n++) {
        OK(aclDestroyTensor(qkv[n]));
        OK(aclDestroyTensor(out[n]));
        OK(aclDestroyTensor(grad[n]));
        OK(aclrtFree(memory[n]));
        OK(aclrtFree(out_memory[n]));
        OK(aclrtFree(grad_memory[n]));
    }
    OK(aclDestroyTensor(mask));
    OK(aclDestroyTensor(dy_tensor));
    OK(aclrtFree(mask_memory));
    OK(aclrtFree(dy_memory));
    OK(aclrtFree(turned_memory));
    OK(aclrtFree(workspace));
}

int main(void)
{
    aclrtStream stream;

    start();
    tensors();
    OK(aclrtCreateStream(&stream));
    attention(stream);
    OK(aclrtDestroyStream(stream));
    stop();
    return 0;
}
