/* Inputs whose values decide what is computed, in device memory: axes, offsets, sizes, numbers
 * of elements. They are read in the order of the stream. And integers divided by anything. */
#include "ops.h"

static aclError run(const char *type, int count, const Tensor *inputs, Tensor out, aclopAttr *attr, aclrtStream stream)
{
    const aclTensorDesc *descs[4], *results[1];
    const aclDataBuffer *buffers[4];
    aclDataBuffer *outputs[1];
    int i;
    CHECK(count <= 4);
    for (i = 0; i < count; i++) {
        descs[i] = inputs[i].desc;
        buffers[i] = inputs[i].buffer;
    }
    results[0] = out.desc;
    outputs[0] = out.buffer;
    return aclopCompileAndExecute(type, count, descs, buffers, 1, results, outputs, attr, ACL_ENGINE_SYS,
                                  ACL_COMPILE_SYS, NULL, stream);
}

/* Writes numbers in the order of the stream. */
static void later(Tensor t, const void *values, void *pinned, aclrtStream stream)
{
    memcpy(pinned, values, t.size);
    OK(aclrtMemcpyAsync(t.memory, t.size, pinned, t.size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
}

static void axes(aclrtStream stream)
{
    const float values[6] = {1, 2, 3, 4, 5, 6};
    const float rows[6] = {4, 5, 6, 1, 2, 3}, columns[6] = {3, 2, 1, 6, 5, 4};
    const int64_t dims[2] = {2, 3}, one = 1;
    const int32_t first = 0, second = 1;
    Tensor tensors[2], y = tensor(ACL_FLOAT, 2, dims, NULL);
    void *pinned = NULL;
    int i;

    OK(aclrtMallocHost(&pinned, 64));
    tensors[0] = tensor(ACL_FLOAT, 2, dims, values);
    tensors[1] = tensor(ACL_INT32, 1, &one, &first);
    /* Nothing is queued. */
    OK(run("ReverseV2", 2, tensors, y, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(y, rows, 6);
    /* The axis is written by what is queued; the memory is the same, and the value another. */
    for (i = 0; i < 4; i++) {
        later(tensors[1], i % 2 == 0 ? &second : &first, pinned, stream);
        OK(run("ReverseV2", 2, tensors, y, NULL, stream));
        OK(aclrtSynchronizeStream(stream));
        floats_are(y, i % 2 == 0 ? columns : rows, 6);
    }
    OK(aclrtFreeHost(pinned));
    drop_tensor(tensors[0]);
    drop_tensor(tensors[1]);
    drop_tensor(y);
}

/* Several values. */
static void offsets_and_sizes(aclrtStream stream)
{
    const float values[6] = {1, 2, 3, 4, 5, 6}, part[2] = {2, 3}, other[2] = {4, 5};
    const int64_t dims[2] = {2, 3}, two = 2, result[2] = {1, 2};
    const int64_t offsets[2] = {0, 1}, sizes[2] = {1, 2}, others[2] = {1, 0};
    Tensor tensors[3], y = tensor(ACL_FLOAT, 2, result, NULL);
    void *pinned = NULL;

    OK(aclrtMallocHost(&pinned, 64));
    tensors[0] = tensor(ACL_FLOAT, 2, dims, values);
    tensors[1] = tensor(ACL_INT64, 1, &two, offsets);
    tensors[2] = tensor(ACL_INT64, 1, &two, sizes);
    OK(run("Slice", 3, tensors, y, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(y, part, 2);
    later(tensors[1], others, pinned, stream);
    OK(run("Slice", 3, tensors, y, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(y, other, 2);
    OK(aclrtFreeHost(pinned));
    /* Values that no tensor has are refused, and the stream goes on. */
    {
        const int64_t three = 3, wrong[3] = {0, 0, 0};
        Tensor long_offsets = tensor(ACL_INT64, 1, &three, wrong), right = tensors[1];
        tensors[1] = long_offsets;
        CODE(run("Slice", 3, tensors, y, NULL, stream), ACL_ERROR_OP_INPUT_NOT_MATCH);
        MENTIONS("different lengths");
        tensors[1] = right;
        drop_tensor(long_offsets);
    }
    OK(run("Slice", 3, tensors, y, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(y, other, 2);
    drop_tensor(tensors[0]);
    drop_tensor(tensors[1]);
    drop_tensor(tensors[2]);
    drop_tensor(y);
}

/* Memory that is gone has no value. */
static void gone(aclrtStream stream)
{
    const float values[2] = {1, 2};
    const int64_t one = 1;
    const int32_t axis = 0;
    Tensor tensors[2], y = vector(2, NULL);
    tensors[0] = vector(2, values);
    tensors[1] = tensor(ACL_INT32, 1, &one, &axis);
    OK(aclrtFree(tensors[1].memory));
    FAILS(run("ReverseV2", 2, tensors, y, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    tensors[1].memory = NULL;
    drop_tensor(tensors[0]);
    drop_tensor(tensors[1]);
    drop_tensor(y);
}

/* Compiled before anything is known of the value, then run by name and by handle. */
static void compiled_before(aclrtStream stream)
{
    const float values[3] = {1, 2, 3}, turned[3] = {3, 2, 1};
    const int64_t one = 1;
    const int32_t axis = 0;
    Tensor x = vector(3, values), axes = tensor(ACL_INT32, 1, &one, &axis), y = vector(3, NULL);
    const aclTensorDesc *descs[2], *results[1];
    const aclDataBuffer *inputs[2];
    aclTensorDesc *shaped[2], *shapes[1];
    aclDataBuffer *buffers[2], *outputs[1];
    aclopHandle *handle = NULL;
    int64_t dim = 0;

    descs[0] = shaped[0] = x.desc;
    descs[1] = shaped[1] = axes.desc;
    results[0] = shapes[0] = y.desc;
    inputs[0] = buffers[0] = x.buffer;
    inputs[1] = buffers[1] = axes.buffer;
    outputs[0] = y.buffer;
    OK(aclopCompile("ReverseV2", 2, descs, 1, results, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL));
    OK(aclopExecute("ReverseV2", 2, descs, inputs, 1, results, outputs, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(y, turned, 3);
    OK(aclrtMemset(y.memory, y.size, 0, y.size));
    OK(aclopCreateHandle("ReverseV2", 2, descs, 1, results, NULL, &handle));
    OK(aclopExecWithHandle(handle, 2, inputs, 1, outputs, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(y, turned, 3);
    aclopDestroyHandle(handle);
    OK(aclopInferShape("ReverseV2", 2, shaped, buffers, 1, shapes, NULL));
    OK(aclGetTensorDescDimV2(y.desc, 0, &dim));
    EQ(dim, 3);
    drop_tensor(x);
    drop_tensor(axes);
    drop_tensor(y);
}

static void division(aclrtStream stream)
{
    const int32_t tops[4] = {INT32_MIN, 5, 0, -7}, bottoms[4] = {-1, 0, 0, 2};
    const int64_t four = 4;
    int32_t found[4];
    Tensor a = tensor(ACL_INT32, 1, &four, tops), b = tensor(ACL_INT32, 1, &four, bottoms);
    Tensor y = tensor(ACL_INT32, 1, &four, NULL);
    OK(binary("Div", a, b, y, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    from_device(found, y.memory, sizeof found);
    EQ(found[0], INT32_MIN);
    EQ(found[1], 0);
    EQ(found[2], 0);
    EQ(found[3], -3);
    OK(binary("FloorMod", a, b, y, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    from_device(found, y.memory, sizeof found);
    EQ(found[0], 0);
    EQ(found[1], 0);
    EQ(found[3], 1);
    drop_tensor(a);
    drop_tensor(b);
    drop_tensor(y);
}

int main(void)
{
    aclrtStream stream;
    start();
    OK(aclrtCreateStream(&stream));
    axes(stream);
    offsets_and_sizes(stream);
    gone(stream);
    compiled_before(stream);
    division(stream);
    OK(aclrtDestroyStream(stream));
    stop();
    return 0;
}
