/* Single operators: each is one call and runs in stream order.
 *
 *     softmax(a x b^T + c), and the index of the largest column
 *
 * aclopCompileAndExecute compiles an operator at its first use and caches it.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"

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

/* A tensor: its description and its memory on the device. */
typedef struct {
    aclTensorDesc *description;
    aclDataBuffer *buffer;
    void *memory;
    size_t bytes;
} Tensor;

static Tensor tensor(aclDataType type, int rank, const int64_t *dims)
{
    Tensor made;
    made.description = aclCreateTensorDesc(type, rank, dims, ACL_FORMAT_ND);
    made.bytes = aclGetTensorDescSize(made.description);
    CHECK(aclrtMallocAlign32(&made.memory, made.bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    made.buffer = aclCreateDataBuffer(made.memory, made.bytes);
    return made;
}

static void end(Tensor *tensor)
{
    aclDestroyDataBuffer(tensor->buffer);
    aclDestroyTensorDesc(tensor->description);
    CHECK(aclrtFree(tensor->memory));
}

/* One operator with up to three inputs and one output. */
static void run(const char *type, int count, Tensor *const inputs[], const Tensor *output,
                const aclopAttr *attributes, aclrtStream stream)
{
    const aclTensorDesc *in_descriptions[3];
    const aclDataBuffer *in_buffers[3];
    for (int i = 0; i < count; i++) {
        in_descriptions[i] = inputs[i]->description;
        in_buffers[i] = inputs[i]->buffer;
    }
    const aclTensorDesc *out_descriptions[] = {output->description};
    aclDataBuffer *out_buffers[] = {output->buffer};
    CHECK(aclopCompileAndExecute(type, count, in_descriptions, in_buffers, 1, out_descriptions,
                                 out_buffers, attributes, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL,
                                 stream));
}

enum { ROWS = 3, INNER = 4, COLUMNS = 5 };

int main(void)
{
    float a[ROWS][INNER], b[COLUMNS][INNER], c[COLUMNS], probability[ROWS][COLUMNS];
    int32_t largest[ROWS];
    aclrtStream stream;

    for (int i = 0; i < ROWS * INNER; i++) {
        a[i / INNER][i % INNER] = (float)(i % 7) / 4.0f - 0.5f;
    }
    for (int i = 0; i < COLUMNS * INNER; i++) {
        b[i / INNER][i % INNER] = (float)(i % 5) / 2.0f - 1.0f;
    }
    for (int i = 0; i < COLUMNS; i++) {
        c[i] = (float)i / 10.0f;
    }

    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));

    Tensor left = tensor(ACL_FLOAT, 2, (int64_t[]){ROWS, INNER});
    Tensor right = tensor(ACL_FLOAT, 2, (int64_t[]){COLUMNS, INNER});
    Tensor shift = tensor(ACL_FLOAT, 1, (int64_t[]){COLUMNS});
    Tensor product = tensor(ACL_FLOAT, 2, (int64_t[]){ROWS, COLUMNS});
    Tensor sum = tensor(ACL_FLOAT, 2, (int64_t[]){ROWS, COLUMNS});
    Tensor softmax = tensor(ACL_FLOAT, 2, (int64_t[]){ROWS, COLUMNS});
    Tensor index = tensor(ACL_INT32, 1, (int64_t[]){ROWS});

    CHECK(aclrtMemcpy(left.memory, left.bytes, a, sizeof a, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(right.memory, right.bytes, b, sizeof b, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(shift.memory, shift.bytes, c, sizeof c, ACL_MEMCPY_HOST_TO_DEVICE));

    aclopAttr *transposed = aclopCreateAttr();
    CHECK(aclopSetAttrBool(transposed, "transpose_x1", 0));
    CHECK(aclopSetAttrBool(transposed, "transpose_x2", 1));
    aclopAttr *axes = aclopCreateAttr();
    CHECK(aclopSetAttrListInt(axes, "axes", 1, (int64_t[]){-1}));
    aclopAttr *dimension = aclopCreateAttr();
    CHECK(aclopSetAttrInt(dimension, "dimension", 1));

    run("MatMul", 2, (Tensor *const[]){&left, &right}, &product, transposed, stream);
    run("Add", 2, (Tensor *const[]){&product, &shift}, &sum, NULL, stream);
    run("SoftmaxV2", 1, (Tensor *const[]){&sum}, &softmax, axes, stream);
    run("ArgMaxD", 1, (Tensor *const[]){&softmax}, &index, dimension, stream);
    CHECK(aclrtSynchronizeStream(stream));

    CHECK(aclrtMemcpy(probability, sizeof probability, softmax.memory, sizeof probability,
                      ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(aclrtMemcpy(largest, sizeof largest, index.memory, sizeof largest, ACL_MEMCPY_DEVICE_TO_HOST));

    /* The same on the host, to compare. */
    float worst = 0.0f;
    int wrong = 0;
    for (int row = 0; row < ROWS; row++) {
        float scores[COLUMNS], total = 0.0f;
        int best = 0;
        for (int column = 0; column < COLUMNS; column++) {
            scores[column] = c[column];
            for (int i = 0; i < INNER; i++) {
                scores[column] += a[row][i] * b[column][i];
            }
            best = scores[column] > scores[best] ? column : best;
        }
        for (int column = 0; column < COLUMNS; column++) {
            total += expf(scores[column]);
        }
        printf("row %d:", row);
        for (int column = 0; column < COLUMNS; column++) {
            printf(" %.3f", probability[row][column]);
            worst = fmaxf(worst, fabsf(probability[row][column] - expf(scores[column]) / total));
        }
        printf("   largest in column %d\n", largest[row]);
        wrong += largest[row] != best;
    }
    printf("operators: the greatest difference to the numbers computed here is %g\n", worst);

    aclopDestroyAttr(transposed);
    aclopDestroyAttr(axes);
    aclopDestroyAttr(dimension);
    Tensor *const all[] = {&left, &right, &shift, &product, &sum, &softmax, &index};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        end(all[i]);
    }
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return worst < 1e-5f && wrong == 0 ? 0 : 1;
}
