/* A model with dynamic shapes that allocates its memory from the allocator in this file.
 *
 *     millpond atc --model examples/models/mlp.onnx --framework 5 \
 *                  --input_shape "x:1~64,16" --output mlp --soc_version Ascend910B2
 *     dynamic_model mlp.om
 *
 * x [n,16] ── Gemm ── Relu ── Gemm ── y [n,8], with 1 to 64 rows. The memory for intermediate tensors comes
 * from the four functions below. The runtime calls them on the calling thread, inside
 * aclmdlExecuteAsync. It frees a block in stream order: the work that uses the block may not have
 * started yet. So the allocator only caches freed blocks for the next run, and returns them to the
 * device after the stream was synchronised.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
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

enum { IN = 16, HIDDEN = 32, OUT = 8, MOST = 64 };

/* ---- the allocator: freed blocks are cached and reused ---- */

typedef struct Block {
    void *memory;
    size_t size;
    struct Block *next;
} Block;

typedef struct {
    Block *kept;
    unsigned calls, from_device, live;
    size_t asked;
} Counting;

static void *counting_alloc(void *object, size_t size)
{
    Counting *self = object;
    self->calls++;
    self->asked += size;
    for (Block **at = &self->kept; *at != NULL; at = &(*at)->next) {
        if ((*at)->size >= size) {
            Block *found = *at;
            *at = found->next;
            self->live++;
            return found;
        }
    }
    Block *block = malloc(sizeof *block);
    if (block == NULL || aclrtMalloc(&block->memory, size, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) {
        free(block);
        return NULL;
    }
    block->size = size;
    self->from_device++;
    self->live++;
    return block;
}

static void counting_free(void *object, void *given)
{
    Counting *self = object;
    Block *block = given;
    block->next = self->kept;
    self->kept = block;
    self->live--;
}

/* Optional: a block near an address. This allocator ignores the address. */
static void *counting_alloc_advise(void *object, size_t size, void *address)
{
    (void)address;
    return counting_alloc(object, size);
}

static void *counting_address(void *block)
{
    return ((Block *)block)->memory;
}

/* Call this only after the stream was synchronised. */
static void give_everything_back(Counting *self)
{
    while (self->kept != NULL) {
        Block *block = self->kept;
        self->kept = block->next;
        CHECK(aclrtFree(block->memory));
        free(block);
    }
}

/* ---- the same computation on the host, to compare: examples/models/mlp.onnx has these weights ---- */

static float weight(int layer, int row, int column)
{
    return (float)((row * 7 + column * 3 + layer * 5) % 11 - 5) / 16.0f;
}

static void expected(const float *x, float *y)
{
    float hidden[HIDDEN];
    for (int j = 0; j < HIDDEN; j++) {
        float sum = 0.0f;
        for (int i = 0; i < IN; i++) {
            sum += x[i] * weight(1, i, j);
        }
        hidden[j] = sum > 0.0f ? sum : 0.0f;
    }
    for (int j = 0; j < OUT; j++) {
        y[j] = 0.0f;
        for (int i = 0; i < HIDDEN; i++) {
            y[j] += hidden[i] * weight(2, i, j);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s MODEL.om\n", argv[0]);
        return 2;
    }
    static const int64_t batches[] = {1, 8, 64, 8, 3, 64, 1};
    const size_t steps = sizeof batches / sizeof *batches;

    uint32_t model;
    aclrtStream stream;
    void *device_x, *device_y, *host;
    Counting counting = {0};

    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclmdlLoadFromFile(argv[1], &model));
    CHECK(aclrtMalloc(&device_x, MOST * IN * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&device_y, MOST * OUT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMallocHost(&host, MOST * IN * sizeof(float)));

    /* The runtime copies the description, so it can be destroyed now. */
    aclrtAllocatorDesc description = aclrtAllocatorCreateDesc();
    CHECK(aclrtAllocatorSetObjToDesc(description, &counting));
    CHECK(aclrtAllocatorSetAllocFuncToDesc(description, counting_alloc));
    CHECK(aclrtAllocatorSetFreeFuncToDesc(description, counting_free));
    CHECK(aclrtAllocatorSetAllocAdviseFuncToDesc(description, counting_alloc_advise));
    CHECK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, counting_address));
    CHECK(aclrtAllocatorRegister(stream, description));
    CHECK(aclrtAllocatorDestroyDesc(description));

    aclmdlDataset *inputs = aclmdlCreateDataset();
    aclmdlDataset *outputs = aclmdlCreateDataset();
    aclDataBuffer *x = aclCreateDataBuffer(device_x, MOST * IN * sizeof(float));
    aclDataBuffer *y = aclCreateDataBuffer(device_y, MOST * OUT * sizeof(float));
    CHECK(aclmdlAddDatasetBuffer(inputs, x));
    CHECK(aclmdlAddDatasetBuffer(outputs, y));

    float worst = 0.0f;
    for (size_t step = 0; step < steps; step++) {
        const int64_t dims[] = {batches[step], IN};
        const size_t in_bytes = (size_t)batches[step] * IN * sizeof(float);
        const size_t out_bytes = (size_t)batches[step] * OUT * sizeof(float);
        float *values = host, wanted[OUT];
        for (int64_t i = 0; i < batches[step] * IN; i++) {
            values[i] = (float)((i * 13 + (int64_t)step) % 17 - 8) / 8.0f;
        }
        float *copy = malloc(in_bytes);
        for (int64_t i = 0; copy != NULL && i < batches[step] * IN; i++) {
            copy[i] = values[i];
        }
        if (copy == NULL) {
            return 1;
        }

        /* The dataset carries the shape of this run. */
        aclTensorDesc *shape = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
        CHECK(aclmdlSetDatasetTensorDesc(inputs, shape, 0));
        aclDestroyTensorDesc(shape);

        const unsigned before = counting.calls;
        CHECK(aclrtMemcpyAsync(device_x, in_bytes, host, in_bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        CHECK(aclmdlExecuteAsync(model, inputs, outputs, stream));
        CHECK(aclrtMemcpyAsync(host, out_bytes, device_y, out_bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        CHECK(aclrtSynchronizeStream(stream));

        for (int64_t row = 0; row < batches[step]; row++) {
            expected(copy + row * IN, wanted);
            for (int j = 0; j < OUT; j++) {
                worst = fmaxf(worst, fabsf(wanted[j] - values[row * OUT + j]));
            }
        }
        free(copy);

        int64_t rows = 0;
        CHECK(aclGetTensorDescDimV2(aclmdlGetDatasetTensorDesc(outputs, 0), 0, &rows));
        printf("%2lld rows in, %2lld rows out: %u allocation(s) asked for\n",
               (long long)batches[step], (long long)rows, counting.calls - before);
    }
    printf("allocator: %u calls, %zu bytes asked for, %u block(s) taken from the device, %u in use now\n",
           counting.calls, counting.asked, counting.from_device, counting.live);
    printf("dynamic_model: the greatest difference to the numbers computed here is %g\n", worst);

    CHECK(aclrtAllocatorUnregister(stream));
    give_everything_back(&counting);
    aclDestroyDataBuffer(x);
    aclDestroyDataBuffer(y);
    CHECK(aclmdlDestroyDataset(inputs));
    CHECK(aclmdlDestroyDataset(outputs));
    CHECK(aclmdlUnload(model));
    CHECK(aclrtFreeHost(host));
    CHECK(aclrtFree(device_y));
    CHECK(aclrtFree(device_x));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return worst < 1e-4f && counting.calls > 0 && counting.live == 0 ? 0 : 1;
}
