/* Shapes that the program does not know beforehand, and views of larger memory. */
#include "gate.h"
#include "ops.h"

/* How many places are not zero is known when the call returns. */
static void decided_by_contents(aclrtStream stream)
{
    const float values[6] = {0, 5, 0, 0, 7, 9};
    const int64_t most[2] = {6, 1};
    Tensor x = vector(6, values), y = tensor(ACL_INT64, 2, most, NULL);
    aclTensorDesc *descs[1], *results[1];
    aclDataBuffer *inputs[1], *outputs[1];
    int64_t dim = 0, places[3];

    descs[0] = x.desc;
    results[0] = y.desc;
    inputs[0] = x.buffer;
    outputs[0] = y.buffer;
    OK(aclopCompileAndExecuteV2("NonZero", 1, descs, inputs, 1, results, outputs, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                                NULL, stream));
    EQ(aclGetTensorDescNumDims(y.desc), 2);
    OK(aclGetTensorDescDimV2(y.desc, 0, &dim));
    EQ(dim, 3);
    OK(aclGetTensorDescDimV2(y.desc, 1, &dim));
    EQ(dim, 1);
    OK(aclrtSynchronizeStream(stream));
    from_device(places, y.memory, sizeof places);
    EQ(places[0], 1);
    EQ(places[1], 4);
    EQ(places[2], 5);
    drop_tensor(x);
    drop_tensor(y);
}

/* The input is written by work that is queued before: it is waited for. */
static void decided_by_what_is_queued(aclrtStream stream)
{
    const float zeros[4] = {0};
    float *ones = NULL;
    const int64_t most[2] = {4, 1};
    Tensor x = vector(4, zeros), y = tensor(ACL_INT64, 2, most, NULL);
    aclTensorDesc *descs[1], *results[1];
    aclDataBuffer *inputs[1], *outputs[1];
    int64_t dim = 0;
    int i;

    OK(aclrtMallocHost((void **)&ones, 16));
    for (i = 0; i < 4; i++) {
        ones[i] = 1;
    }
    OK(aclrtMemcpyAsync(x.memory, 16, ones, 16, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    descs[0] = x.desc;
    results[0] = y.desc;
    inputs[0] = x.buffer;
    outputs[0] = y.buffer;
    OK(aclopCompileAndExecuteV2("NonZero", 1, descs, inputs, 1, results, outputs, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                                NULL, stream));
    OK(aclGetTensorDescDimV2(y.desc, 0, &dim));
    EQ(dim, 4);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtFreeHost(ones));
    drop_tensor(x);
    drop_tensor(y);
}

static Tensor host_numbers(int64_t count, int64_t *values)
{
    Tensor t;
    t.desc = aclCreateTensorDesc(ACL_INT64, 1, &count, ACL_FORMAT_ND);
    OK(aclSetTensorPlaceMent(t.desc, ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT));
    t.size = (size_t)count * 8;
    t.buffer = aclCreateDataBuffer(values, t.size);
    t.memory = NULL;
    return t;
}

/* Every second element of the second half of a block: described as the whole storage,
 * which reaches beyond the block's end from where the view begins. */
static void views(aclrtStream stream)
{
    float *start = malloc(4 * MIB), *after = malloc(4 * MIB);
    const size_t elements = MIB, half = MIB / 2;
    int64_t storage[1], two[1] = {2}, stride[1] = {2}, one[1] = {1}, zero[1] = {0};
    const float values[2] = {100, 200};
    Tensor source = vector(2, values), target, view, host[6];
    const aclTensorDesc *descs[8], *results[1];
    const aclDataBuffer *inputs[8];
    aclDataBuffer *outputs[1];
    void *block = NULL;
    size_t i;

    storage[0] = (int64_t)elements;
    for (i = 0; i < elements; i++) {
        start[i] = (float)i;
    }
    OK(aclrtMalloc(&block, 4 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(block, 4 * MIB, start, 4 * MIB, ACL_MEMCPY_HOST_TO_DEVICE));
    target.desc = aclCreateTensorDesc(ACL_FLOAT, 1, storage, ACL_FORMAT_ND);
    target.buffer = aclCreateDataBuffer((char *)block + half * 4, 4 * MIB);
    host[0] = host_numbers(1, two);
    host[1] = host_numbers(1, stride);
    host[2] = host_numbers(1, zero);
    host[3] = host_numbers(1, two);
    host[4] = host_numbers(1, one);
    host[5] = host_numbers(1, zero);
    descs[0] = target.desc;
    inputs[0] = target.buffer;
    descs[4] = source.desc;
    inputs[4] = source.buffer;
    for (i = 0; i < 3; i++) {
        descs[1 + i] = host[i].desc;
        inputs[1 + i] = host[i].buffer;
        descs[5 + i] = host[3 + i].desc;
        inputs[5 + i] = host[3 + i].buffer;
    }
    results[0] = target.desc;
    outputs[0] = target.buffer;
    OK(aclopCompileAndExecute("ViewCopy", 8, descs, inputs, 1, results, outputs, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                              NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    from_device(after, block, 4 * MIB);
    start[half] = 100;
    start[half + 2] = 200;
    EQ(memcmp(start, after, 4 * MIB), 0);

    /* The same place, described as an output by the view's own shape: what lies between stays as it is. */
    view.desc = aclCreateTensorDesc(ACL_FLOAT, 1, two, ACL_FORMAT_ND);
    view.buffer = aclCreateDataBuffer((char *)block + half * 4, 2 * sizeof(float));
    results[0] = view.desc;
    outputs[0] = view.buffer;
    OK(aclrtMemset((char *)block + half * 4, 16, 0, 16));
    OK(aclopCompileAndExecute("ViewCopy", 8, descs, inputs, 1, results, outputs, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                              NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    from_device(after, block, 4 * MIB);
    start[half + 1] = 0;
    start[half + 3] = 0;
    EQ(memcmp(start, after, 4 * MIB), 0);
    aclDestroyTensorDesc(view.desc);
    OK(aclDestroyDataBuffer(view.buffer));

    for (i = 0; i < 6; i++) {
        drop_tensor(host[i]);
    }
    aclDestroyTensorDesc(target.desc);
    OK(aclDestroyDataBuffer(target.buffer));
    OK(aclrtFree(block));
    drop_tensor(source);
    free(start);
    free(after);
}

/* An optional input that is left out before one that is there. */
static void left_out(aclrtStream stream)
{
    const int64_t one[4] = {1, 1, 2, 2};
    const int64_t list[4] = {1, 1, 1, 1}, pads[4] = {0, 0, 0, 0};
    const float image[4] = {1, 2, 3, 4}, weights[4] = {1, 10, 100, 1000}, expected[1] = {4321};
    const int64_t result[4] = {1, 1, 1, 1};
    Tensor x = tensor(ACL_FLOAT, 4, one, image), w = tensor(ACL_FLOAT, 4, one, weights);
    Tensor y = tensor(ACL_FLOAT, 4, result, NULL), none;
    const aclTensorDesc *descs[3], *results[1];
    const aclDataBuffer *inputs[3];
    aclDataBuffer *outputs[1];
    aclopAttr *attr = aclopCreateAttr();

    none.desc = aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, NULL, ACL_FORMAT_UNDEFINED);
    none.buffer = aclCreateDataBuffer(NULL, 0);
    none.memory = NULL;
    OK(aclopSetAttrListInt(attr, "strides", 4, list));
    OK(aclopSetAttrListInt(attr, "pads", 4, pads));
    OK(aclopSetAttrListInt(attr, "dilations", 4, list));
    OK(aclopSetAttrInt(attr, "groups", 1));
    OK(aclopSetAttrString(attr, "data_format", "NCHW"));
    descs[0] = x.desc;
    descs[1] = w.desc;
    descs[2] = none.desc;
    inputs[0] = x.buffer;
    inputs[1] = w.buffer;
    inputs[2] = none.buffer;
    results[0] = y.desc;
    outputs[0] = y.buffer;
    OK(aclopCompileAndExecute("Conv2D", 3, descs, inputs, 1, results, outputs, attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                              NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(y, expected, 1);
    aclopDestroyAttr(attr);
    drop_tensor(x);
    drop_tensor(w);
    drop_tensor(y);
    drop_tensor(none);
}

int main(void)
{
    aclrtStream stream;

    start();
    OK(aclrtCreateStream(&stream));
    decided_by_contents(stream);
    decided_by_what_is_queued(stream);
    views(stream);
    left_out(stream);
    OK(aclrtDestroyStream(stream));
    stop();
    return 0;
}
