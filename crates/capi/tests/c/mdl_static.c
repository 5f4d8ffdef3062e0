/* A model with fixed shapes: loaded in every way, run in every way, unloaded while it
 * is queued. And what is wrong with datasets that do not fit. */
#include "gate.h"
#include "models.h"

static const float xs[6] = {1, 2, 3, 4, 5, 6}, ys[6] = {10, 20, 30, 40, 50, 60};

static void pair(aclmdlDataset **input, aclmdlDataset **output)
{
    *input = aclmdlCreateDataset();
    *output = aclmdlCreateDataset();
    add_buffer(*input, to_device(xs, sizeof xs), sizeof xs);
    add_buffer(*input, to_device(ys, sizeof ys), sizeof ys);
    add_buffer(*output, to_device(NULL, sizeof xs), sizeof xs);
}

static void are_sums(aclmdlDataset *output)
{
    void *memory = aclGetDataBufferAddr(aclmdlGetDatasetBuffer(output, 0));
    float zs[6];
    int i;
    from_device(zs, memory, sizeof zs);
    for (i = 0; i < 6; i++) {
        CHECK(zs[i] == xs[i] + ys[i]);
    }
    OK(aclrtMemset(memory, sizeof zs, 0xab, sizeof zs));
}

/* Runs the model in every way there is. */
static void run(uint32_t model, aclrtStream stream)
{
    aclmdlExecConfigHandle *options = aclmdlCreateExecConfigHandle();
    aclmdlDataset *input, *output;
    aclTensorDesc *desc;
    int32_t patience = 30000;

    OK(aclmdlSetExecConfigOpt(options, ACL_MDL_STREAM_SYNC_TIMEOUT, &patience, sizeof patience));
    pair(&input, &output);
    OK(aclmdlExecute(model, input, output));
    are_sums(output);
    desc = aclmdlGetDatasetTensorDesc(output, 0);
    CHECK(desc != NULL);
    EQ(aclGetTensorDescSize(desc), sizeof xs);
    OK(aclmdlExecuteAsync(model, input, output, stream));
    OK(aclrtSynchronizeStream(stream));
    are_sums(output);
    OK(aclmdlExecuteV2(model, input, output, stream, options));
    are_sums(output);
    OK(aclmdlExecuteV2(model, input, output, stream, NULL));
    are_sums(output);
    OK(aclmdlExecuteAsyncV2(model, input, output, stream, options));
    OK(aclrtSynchronizeStream(stream));
    are_sums(output);
    OK(aclmdlExecuteAsync(model, input, output, NULL));
    OK(aclrtSynchronizeStream(NULL));
    are_sums(output);
    drop_dataset(input);
    drop_dataset(output);
    OK(aclmdlDestroyExecConfigHandle(options));
}

static void every_way_in(aclrtStream stream)
{
    size_t size, work, weights, type = ACL_MDL_LOAD_FROM_FILE;
    void *bytes = model_bytes("add.onnx", &size), *work_memory, *weight_memory;
    aclmdlConfigHandle *options = aclmdlCreateConfigHandle();
    const char *path = model_path("add.onnx");
    uint32_t first, model;

    first = load("add.onnx");
    run(first, stream);
    OK(aclmdlLoadFromMem(bytes, size, &model));
    CHECK(model != first);
    run(model, stream);
    OK(aclmdlUnload(model));

    OK(aclmdlQuerySize(path, &work, &weights));
    OK(aclrtMalloc(&work_memory, work, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&weight_memory, weights, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclmdlLoadFromFileWithMem(path, &model, work_memory, work, weight_memory, weights));
    run(model, stream);
    OK(aclmdlUnload(model));
    OK(aclmdlQuerySizeFromMem(bytes, size, &work, &weights));
    OK(aclmdlLoadFromMemWithMem(bytes, size, &model, work_memory, work, weight_memory, weights));
    run(model, stream);
    OK(aclmdlUnload(model));

    OK(aclmdlSetConfigOpt(options, ACL_MDL_LOAD_TYPE_SIZET, &type, sizeof type));
    OK(aclmdlSetConfigOpt(options, ACL_MDL_PATH_PTR, &path, sizeof path));
    OK(aclmdlLoadWithConfig(options, &model));
    run(model, stream);
    OK(aclmdlUnload(model));
    type = ACL_MDL_LOAD_FROM_MEM_WITH_MEM;
    OK(aclmdlSetConfigOpt(options, ACL_MDL_LOAD_TYPE_SIZET, &type, sizeof type));
    OK(aclmdlSetConfigOpt(options, ACL_MDL_MEM_ADDR_PTR, &bytes, sizeof bytes));
    OK(aclmdlSetConfigOpt(options, ACL_MDL_MEM_SIZET, &size, sizeof size));
    OK(aclmdlSetConfigOpt(options, ACL_MDL_WORKSPACE_ADDR_PTR, &work_memory, sizeof work_memory));
    OK(aclmdlSetConfigOpt(options, ACL_MDL_WORKSPACE_SIZET, &work, sizeof work));
    OK(aclmdlLoadWithConfig(options, &model));
    free(bytes);
    run(model, stream);
    OK(aclmdlUnload(model));
    OK(aclmdlDestroyConfigHandle(options));
    OK(aclrtFree(work_memory));
    OK(aclrtFree(weight_memory));

    OK(aclmdlUnload(first));
    CODE(aclmdlUnload(first), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);
}

/* What is queued runs, although the model and the datasets are gone. */
static void unloaded_while_queued(aclrtStream stream)
{
    uint32_t model = load("add.onnx");
    aclmdlDataset *input, *output;
    aclDataBuffer *buffers[3];
    void *memory[3];
    float zs[6];
    Gate gate;
    int i;

    pair(&input, &output);
    OK(aclmdlExecute(model, input, output));
    gate = gate_close(stream);
    are_sums(output);
    OK(aclmdlExecuteAsync(model, input, output, stream));
    OK(aclmdlUnload(model));
    CODE(aclmdlExecuteAsync(model, input, output, stream), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);
    for (i = 0; i < 3; i++) {
        buffers[i] = i < 2 ? aclmdlGetDatasetBuffer(input, (size_t)i) : aclmdlGetDatasetBuffer(output, 0);
        memory[i] = aclGetDataBufferAddr(buffers[i]);
        OK(aclDestroyDataBuffer(buffers[i]));
    }
    OK(aclmdlDestroyDataset(input));
    OK(aclmdlDestroyDataset(output));
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    from_device(zs, memory[2], sizeof zs);
    for (i = 0; i < 6; i++) {
        CHECK(zs[i] == xs[i] + ys[i]);
    }
    for (i = 0; i < 3; i++) {
        OK(aclrtFree(memory[i]));
    }
    gate_free(gate);
}

static void datasets_that_do_not_fit(aclrtStream stream)
{
    const int64_t other[2] = {3, 3}, right[2] = {2, 3};
    uint32_t model = load("add.onnx");
    aclmdlDataset *input, *output, *few = aclmdlCreateDataset();
    aclDataBuffer *x, *z;
    void *x_memory, *z_memory;

    pair(&input, &output);
    x = aclmdlGetDatasetBuffer(input, 0);
    z = aclmdlGetDatasetBuffer(output, 0);
    x_memory = aclGetDataBufferAddr(x);
    z_memory = aclGetDataBufferAddr(z);
    CODE(aclmdlExecute(4711, input, output), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);
    CODE(aclmdlExecute(model, NULL, output), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlExecute(model, input, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlExecute(model, few, output), ACL_ERROR_INVALID_PARAM);
    MENTIONS("2 inputs");
    CODE(aclmdlExecute(model, input, few), ACL_ERROR_INVALID_PARAM);
    MENTIONS("1 output");

    OK(aclUpdateDataBuffer(x, x_memory, 23));
    CODE(aclmdlExecute(model, input, output), ACL_ERROR_INVALID_PARAM);
    MENTIONS("23 bytes");
    MENTIONS("24");
    OK(aclUpdateDataBuffer(x, NULL, 24));
    CODE(aclmdlExecute(model, input, output), ACL_ERROR_INVALID_PARAM);
    MENTIONS("NULL");
    OK(aclUpdateDataBuffer(x, x_memory, 24));

    /* An output without room: both sizes are told, and nothing is written. */
    OK(aclUpdateDataBuffer(z, z_memory, 20));
    FAILS(aclmdlExecute(model, input, output));
    MENTIONS("24");
    MENTIONS("20");
    FAILS(aclmdlExecuteAsync(model, input, output, stream));
    OK(aclUpdateDataBuffer(z, NULL, 0));
    CODE(aclmdlExecute(model, input, output), ACL_ERROR_INVALID_PARAM);
    MENTIONS("24 bytes");
    CODE(aclmdlExecuteAsync(model, input, output, stream), ACL_ERROR_INVALID_PARAM);
    OK(aclUpdateDataBuffer(z, z_memory, 24));

    /* A shape or type that the model does not take. */
    set_shape(input, 0, ACL_FLOAT, 2, other);
    CODE(aclmdlExecute(model, input, output), ACL_ERROR_INVALID_PARAM);
    MENTIONS("[2, 3]");
    set_shape(input, 0, ACL_INT32, 2, right);
    CODE(aclmdlExecute(model, input, output), ACL_ERROR_INVALID_PARAM);
    set_shape(input, 0, ACL_FLOAT, 2, right);
    OK(aclmdlExecute(model, input, output));
    are_sums(output);

    /* A stream of nobody, a buffer that is gone. */
    FAILS(aclmdlExecuteAsync(model, input, output, (aclrtStream)(uintptr_t)0x1234));
    OK(aclDestroyDataBuffer(x));
    FAILS(aclmdlExecute(model, input, output));
    OK(aclrtFree(x_memory));
    OK(aclrtFree(z_memory));
    OK(aclmdlDestroyDataset(input));
    OK(aclmdlDestroyDataset(output));
    OK(aclmdlDestroyDataset(few));
    OK(aclmdlUnload(model));
}

/* Inputs are fixed and the file leaves the output open: what follows is told. */
static void sizes_that_follow(void)
{
    uint32_t model = load("fixed.om");
    aclmdlDesc *desc = aclmdlCreateDesc();
    aclmdlIODims dims;

    OK(aclmdlGetDesc(desc, model));
    EQ(aclmdlGetInputSizeByIndex(desc, 0), 3 * 4 * 4);
    EQ(aclmdlGetOutputSizeByIndex(desc, 0), 3 * 2 * 4);
    OK(aclmdlGetOutputDims(desc, 0, &dims));
    EQ(dims.dims[0], 3);
    OK(aclmdlGetCurOutputDims(desc, 0, &dims));
    EQ(dims.dims[0], 3);
    OK(aclmdlDestroyDesc(desc));
    OK(aclmdlUnload(model));
}

int main(void)
{
    aclrtStream stream;

    start();
    OK(aclrtCreateStream(&stream));
    every_way_in(stream);
    unloaded_while_queued(stream);
    datasets_that_do_not_fit(stream);
    sizes_that_follow();
    OK(aclrtDestroyStream(stream));
    stop();
    return 0;
}
