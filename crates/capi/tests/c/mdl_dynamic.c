/* A model whose shapes are in a range, run again and again with other shapes, with
 * memory of the program's own allocator. */
#include "counter.h"
#include "models.h"

static aclmdlDataset *input, *output;
static void *x_memory, *y_memory;

/* Puts so many rows into the input: row r holds r + 1 four times. */
static void rows(int64_t count)
{
    int64_t dims[2];
    float values[64];
    int64_t i;
    for (i = 0; i < count * 4; i++) {
        values[i] = (float)(i / 4 + 1);
    }
    OK(aclrtMemcpy(x_memory, sizeof values, values, (size_t)count * 16, ACL_MEMCPY_HOST_TO_DEVICE));
    dims[0] = count;
    dims[1] = 4;
    set_shape(input, 0, ACL_FLOAT, 2, dims);
}

/* Two layers of weights 0.5 and 0.25 make 4 of each 1. */
static void are_right(int64_t count)
{
    float values[32];
    aclTensorDesc *desc = aclmdlGetDatasetTensorDesc(output, 0);
    int64_t i, dim = 0;

    CHECK(desc != NULL);
    EQ(aclGetTensorDescNumDims(desc), 2);
    OK(aclGetTensorDescDimV2(desc, 0, &dim));
    EQ(dim, count);
    OK(aclGetTensorDescDimV2(desc, 1, &dim));
    EQ(dim, 2);
    EQ(aclGetTensorDescType(desc), ACL_FLOAT);
    EQ(aclGetTensorDescSize(desc), (size_t)count * 8);
    from_device(values, y_memory, (size_t)count * 8);
    for (i = 0; i < count * 2; i++) {
        CHECK(values[i] == (float)(i / 2 + 1) * 4);
    }
    OK(aclrtMemset(y_memory, 128, 0, 128));
}

int main(void)
{
    static const int64_t counts[] = {1, 16, 3, 3, 7, 1, 16, 3};
    const int64_t too_many[2] = {17, 4}, no_rows[2] = {0, 4}, open[2] = {-1, 4};
    aclDataBuffer *y;
    Counter counter;
    aclrtStream stream;
    aclTensorDesc *told = NULL;
    uint32_t model;
    size_t i;
    int before;

    start();
    OK(aclrtCreateStream(&stream));
    model = load("mlp.om");
    input = aclmdlCreateDataset();
    output = aclmdlCreateDataset();
    x_memory = to_device(NULL, 256);
    y_memory = to_device(NULL, 128);
    add_buffer(input, x_memory, 256);
    y = add_buffer(output, y_memory, 128);

    /* Which shape comes has to be said, and to be in range. */
    CODE(aclmdlExecuteAsync(model, input, output, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("aclmdlSetDatasetTensorDesc");
    set_shape(input, 0, ACL_FLOAT, 2, too_many);
    CODE(aclmdlExecuteAsync(model, input, output, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("1..16");
    set_shape(input, 0, ACL_FLOAT, 2, no_rows);
    CODE(aclmdlExecuteAsync(model, input, output, stream), ACL_ERROR_INVALID_PARAM);
    set_shape(input, 0, ACL_FLOAT, 2, open);
    CODE(aclmdlExecuteAsync(model, input, output, stream), ACL_ERROR_INVALID_PARAM);
    set_shape(input, 0, ACL_FLOAT16, 2, too_many);
    CODE(aclmdlExecuteAsync(model, input, output, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("type 1 (float16)");

    counter_use(stream, &counter);
    for (i = 0; i < sizeof counts / sizeof *counts; i++) {
        rows(counts[i]);
        OK(aclmdlExecuteAsync(model, input, output, stream));
        OK(aclrtSynchronizeStream(stream));
        are_right(counts[i]);
        /* One description, run after run. */
        CHECK(told == NULL || told == aclmdlGetDatasetTensorDesc(output, 0));
        told = aclmdlGetDatasetTensorDesc(output, 0);
    }
    CHECK(counter.allocs > 0);
    EQ(counter.allocs, counter.frees);
    EQ(counter.live, 0);

    /* Runs that are waited for take the runtime's own memory. */
    before = counter.allocs;
    rows(5);
    OK(aclmdlExecute(model, input, output));
    are_right(5);
    OK(aclmdlExecuteV2(model, input, output, stream, NULL));
    are_right(5);
    EQ(counter.allocs, before);

    /* No memory: an error and nothing queued; the next run is fine. */
    rows(16);
    counter.refuse = 1;
    CODE(aclmdlExecuteAsync(model, input, output, stream), ACL_ERROR_GE_MEMORY_ALLOCATION);
    MENTIONS("allocator");
    counter.refuse = 0;
    OK(aclrtSynchronizeStream(stream));
    OK(aclmdlExecuteAsync(model, input, output, stream));
    OK(aclrtSynchronizeStream(stream));
    are_right(16);
    EQ(counter.live, 0);

    /* No room for the output: both sizes, and nothing queued. */
    OK(aclUpdateDataBuffer(y, y_memory, 100));
    FAILS(aclmdlExecuteAsync(model, input, output, stream));
    MENTIONS("128");
    MENTIONS("100");
    OK(aclUpdateDataBuffer(y, y_memory, 128));
    EQ(counter.live, 0);

    OK(aclrtAllocatorUnregister(stream));
    rows(2);
    OK(aclmdlExecuteAsync(model, input, output, stream));
    OK(aclrtSynchronizeStream(stream));
    are_right(2);

    drop_dataset(input);
    drop_dataset(output);
    OK(aclmdlUnload(model));
    OK(aclrtDestroyStream(stream));
    stop();
    return 0;
}
