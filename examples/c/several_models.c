/* Two models on two streams, and an operator on a third stream that adds their results.
 *
 *     left:   copy x ── model ── record(left done) ─────┐
 *     right:  copy x ── model ── record(right done) ──┐ │
 *     both:                                  wait ── wait ── Add ── copy the sum back
 *
 *     several_models mlp.om
 *
 * Each stream has its own allocator: an allocator must not serve two streams concurrently. The same file
 * is loaded twice, because a model must not run on two streams concurrently either.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_rt_allocator.h"

#define CHECK(call)                                                                          \
    do {                                                                                     \
        aclError code_ = (call);                                                             \
        if (code_ != ACL_SUCCESS) {                                                          \
            const char *why_ = aclGetRecentErrMsg();                                         \
            fprintf(stderr, "line %d: %s returned %d: %s\n", __LINE__, #call, (int)code_,    \
                    why_ != NULL ? why_ : "no message");                                     \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

enum { ROWS = 32, IN = 16, OUT = 8, ROUNDS = 20 };

static const size_t IN_BYTES = ROWS * IN * sizeof(float);
static const size_t OUT_BYTES = ROWS * OUT * sizeof(float);

/* An allocator that caches freed blocks: queued work may still use them, but later work of the same stream
 * runs after it. The memory is returned to the device at the end, after the stream was synchronised. */
typedef struct {
    void *memory;
    size_t size;
    int is_given;
} Block;

enum { MOST = 32 };

typedef struct {
    Block blocks[MOST];
    unsigned taken, given_back;
} Plain;

static void *plain_alloc(void *object, size_t size)
{
    Plain *self = object;
    Block *block = self->blocks;
    while (block < self->blocks + MOST && block->memory != NULL && (block->is_given || block->size < size)) {
        block++;
    }
    if (block == self->blocks + MOST) {
        return NULL;
    }
    if (block->memory == NULL) {
        if (aclrtMalloc(&block->memory, size, ACL_MEM_MALLOC_NORMAL_ONLY) != ACL_SUCCESS) {
            return NULL;
        }
        block->size = size;
    }
    block->is_given = 1;
    self->taken++;
    return block;
}

static void plain_free(void *object, void *block)
{
    ((Plain *)object)->given_back++;
    ((Block *)block)->is_given = 0;
}

static void *plain_address(void *block)
{
    return ((Block *)block)->memory;
}

/* One side: a model with its stream, allocator and memory. */
typedef struct {
    Plain allocator;
    aclrtStream stream;
    aclrtEvent done;
    uint32_t model;
    void *host, *x, *y;
    aclmdlDataset *inputs, *outputs;
    aclDataBuffer *x_buffer, *y_buffer;
} Side;

static void begin(Side *side, const char *file)
{
    const int64_t dims[] = {ROWS, IN};
    *side = (Side){0};
    CHECK(aclrtCreateStream(&side->stream));
    CHECK(aclrtCreateEventExWithFlag(&side->done, ACL_EVENT_SYNC));
    CHECK(aclmdlLoadFromFile(file, &side->model));
    CHECK(aclrtMallocHost(&side->host, IN_BYTES));
    CHECK(aclrtMalloc(&side->x, IN_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&side->y, OUT_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));

    aclrtAllocatorDesc description = aclrtAllocatorCreateDesc();
    CHECK(aclrtAllocatorSetObjToDesc(description, &side->allocator));
    CHECK(aclrtAllocatorSetAllocFuncToDesc(description, plain_alloc));
    CHECK(aclrtAllocatorSetFreeFuncToDesc(description, plain_free));
    CHECK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, plain_address));
    CHECK(aclrtAllocatorRegister(side->stream, description));
    CHECK(aclrtAllocatorDestroyDesc(description));

    side->inputs = aclmdlCreateDataset();
    side->outputs = aclmdlCreateDataset();
    side->x_buffer = aclCreateDataBuffer(side->x, IN_BYTES);
    side->y_buffer = aclCreateDataBuffer(side->y, OUT_BYTES);
    CHECK(aclmdlAddDatasetBuffer(side->inputs, side->x_buffer));
    CHECK(aclmdlAddDatasetBuffer(side->outputs, side->y_buffer));
    aclTensorDesc *shape = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    CHECK(aclmdlSetDatasetTensorDesc(side->inputs, shape, 0));
    aclDestroyTensorDesc(shape);
}

/* Queues one round without waiting. */
static void queue(Side *side)
{
    CHECK(aclrtMemcpyAsync(side->x, IN_BYTES, side->host, IN_BYTES, ACL_MEMCPY_HOST_TO_DEVICE,
                           side->stream));
    CHECK(aclmdlExecuteAsync(side->model, side->inputs, side->outputs, side->stream));
    CHECK(aclrtRecordEvent(side->done, side->stream));
}

static void end(Side *side)
{
    CHECK(aclrtAllocatorUnregister(side->stream));
    for (Block *block = side->allocator.blocks; block < side->allocator.blocks + MOST; block++) {
        if (block->memory != NULL) {
            CHECK(aclrtFree(block->memory));
        }
    }
    aclDestroyDataBuffer(side->x_buffer);
    aclDestroyDataBuffer(side->y_buffer);
    CHECK(aclmdlDestroyDataset(side->inputs));
    CHECK(aclmdlDestroyDataset(side->outputs));
    CHECK(aclmdlUnload(side->model));
    CHECK(aclrtFree(side->y));
    CHECK(aclrtFree(side->x));
    CHECK(aclrtFreeHost(side->host));
    CHECK(aclrtDestroyEvent(side->done));
    CHECK(aclrtDestroyStream(side->stream));
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s MODEL.om\n", argv[0]);
        return 2;
    }
    Side left, right;
    aclrtStream both;
    aclrtEvent added;
    void *sum, *host;
    const int64_t dims[] = {ROWS, OUT};

    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    begin(&left, argv[1]);
    begin(&right, argv[1]);
    CHECK(aclrtCreateStream(&both));
    CHECK(aclrtCreateEventExWithFlag(&added, ACL_EVENT_SYNC));
    CHECK(aclrtMalloc(&sum, OUT_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMallocHost(&host, OUT_BYTES));

    /* The right side gets the negated input of the left side. The network has a Relu, so the sum is not
     * zero, but it stays the same if the sides are swapped. */
    for (int i = 0; i < ROWS * IN; i++) {
        ((float *)left.host)[i] = (float)(i % 13 - 6) / 4.0f;
        ((float *)right.host)[i] = -((float *)left.host)[i];
    }

    aclTensorDesc *shape = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    aclDataBuffer *total = aclCreateDataBuffer(sum, OUT_BYTES);
    const aclTensorDesc *in_shapes[] = {shape, shape}, *out_shapes[] = {shape};
    const aclDataBuffer *terms[] = {left.y_buffer, right.y_buffer};
    aclDataBuffer *totals[] = {total};

    for (int round = 0; round < ROUNDS; round++) {
        queue(&left);
        queue(&right);
        CHECK(aclrtStreamWaitEvent(both, left.done));
        CHECK(aclrtStreamWaitEvent(both, right.done));
        CHECK(aclopCompileAndExecute("Add", 2, in_shapes, terms, 1, out_shapes, totals, NULL,
                                     ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, both));
        /* The next round overwrites what this round reads. */
        CHECK(aclrtRecordEvent(added, both));
        CHECK(aclrtStreamWaitEvent(left.stream, added));
        CHECK(aclrtStreamWaitEvent(right.stream, added));
    }
    CHECK(aclrtMemcpyAsync(host, OUT_BYTES, sum, OUT_BYTES, ACL_MEMCPY_DEVICE_TO_HOST, both));
    CHECK(aclrtSynchronizeStream(both));
    CHECK(aclrtSynchronizeStream(left.stream));
    CHECK(aclrtSynchronizeStream(right.stream));

    /* The result of each side alone. */
    float *mine = malloc(OUT_BYTES), *other = malloc(OUT_BYTES), worst = 0.0f, greatest = 0.0f;
    if (mine == NULL || other == NULL) {
        return 1;
    }
    CHECK(aclrtMemcpy(mine, OUT_BYTES, left.y, OUT_BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(aclrtMemcpy(other, OUT_BYTES, right.y, OUT_BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < ROWS * OUT; i++) {
        worst = fmaxf(worst, fabsf(((float *)host)[i] - (mine[i] + other[i])));
        greatest = fmaxf(greatest, fabsf(((float *)host)[i]));
    }
    printf("%d rounds: the left allocator was asked %u times, the right one %u times\n", ROUNDS,
           left.allocator.taken, right.allocator.taken);
    printf("several_models: sums up to %g, off by at most %g\n", greatest, worst);
    const int balanced = left.allocator.taken == left.allocator.given_back
                         && right.allocator.taken == right.allocator.given_back
                         && left.allocator.taken > 0 && right.allocator.taken > 0;

    free(mine);
    free(other);
    aclDestroyDataBuffer(total);
    aclDestroyTensorDesc(shape);
    CHECK(aclrtFreeHost(host));
    CHECK(aclrtFree(sum));
    CHECK(aclrtDestroyEvent(added));
    CHECK(aclrtDestroyStream(both));
    end(&left);
    end(&right);
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return worst == 0.0f && greatest > 0.0f && balanced ? 0 : 1;
}
