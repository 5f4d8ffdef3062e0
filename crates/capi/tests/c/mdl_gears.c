/* Models that were compiled for a few shapes: which one comes is chosen before a run,
 * through an input that the model's source does not have. */
#include "models.h"

typedef struct {
    uint32_t model;
    aclmdlDesc *desc;
    aclmdlDataset *input, *output;
    size_t chooser;
} Geared;

/* Loads a model and makes datasets of the sizes that its description tells. */
static Geared load_geared(const char *name)
{
    Geared g;
    size_t i;
    g.model = load(name);
    g.desc = aclmdlCreateDesc();
    OK(aclmdlGetDesc(g.desc, g.model));
    g.input = aclmdlCreateDataset();
    g.output = aclmdlCreateDataset();
    for (i = 0; i < aclmdlGetNumInputs(g.desc); i++) {
        size_t size = aclmdlGetInputSizeByIndex(g.desc, i);
        CHECK(size > 0);
        add_buffer(g.input, to_device(NULL, size), size);
    }
    for (i = 0; i < aclmdlGetNumOutputs(g.desc); i++) {
        size_t size = aclmdlGetOutputSizeByIndex(g.desc, i);
        CHECK(size > 0);
        add_buffer(g.output, to_device(NULL, size), size);
    }
    OK(aclmdlGetInputIndexByName(g.desc, ACL_DYNAMIC_TENSOR_NAME, &g.chooser));
    return g;
}

static void unload_geared(Geared g)
{
    drop_dataset(g.input);
    drop_dataset(g.output);
    OK(aclmdlDestroyDesc(g.desc));
    OK(aclmdlUnload(g.model));
}

/* Gives the first input these numbers of elements, counting from 1. */
static void fill(Geared g, size_t place, size_t count)
{
    aclDataBuffer *buffer = aclmdlGetDatasetBuffer(g.input, place);
    float values[64];
    size_t i;
    for (i = 0; i < count; i++) {
        values[i] = (float)(i + 1);
    }
    CHECK(aclGetDataBufferSizeV2(buffer) >= count * 4);
    OK(aclrtMemcpy(aclGetDataBufferAddr(buffer), count * 4, values, count * 4, ACL_MEMCPY_HOST_TO_DEVICE));
}

static void are_doubled(Geared g, size_t count)
{
    float values[64];
    size_t i;
    from_device(values, aclGetDataBufferAddr(aclmdlGetDatasetBuffer(g.output, 0)), count * 4);
    for (i = 0; i < count; i++) {
        CHECK(values[i] == (float)(i + 1) * 2);
    }
}

static void batches(aclrtStream stream)
{
    Geared g = load_geared("batch.om");
    aclDataBuffer *chooser = aclmdlGetDatasetBuffer(g.input, g.chooser);
    void *memory = aclGetDataBufferAddr(chooser);
    size_t size = aclGetDataBufferSizeV2(chooser);
    aclmdlIODims dims;
    uint64_t batch;

    EQ(aclmdlGetOutputSizeByIndex(g.desc, 0), 4 * 3 * 4);
    fill(g, 0, 12);
    CODE(aclmdlExecute(g.model, g.input, g.output), ACL_ERROR_INVALID_PARAM);
    MENTIONS("aclmdlSetDynamicBatchSize");
    FAILS(aclmdlGetCurOutputDims(g.desc, 0, &dims));
    for (batch = 1; batch <= 4; batch *= 2) {
        OK(aclmdlSetDynamicBatchSize(g.model, g.input, g.chooser, batch));
        OK(aclmdlGetCurOutputDims(g.desc, 0, &dims));
        EQ(dims.dims[0], batch);
        EQ(dims.dims[1], 3);
        OK(aclmdlExecute(g.model, g.input, g.output));
        are_doubled(g, batch * 3);
        OK(aclmdlExecuteAsync(g.model, g.input, g.output, stream));
        OK(aclrtSynchronizeStream(stream));
        EQ(aclGetTensorDescSize(aclmdlGetDatasetTensorDesc(g.output, 0)), batch * 12);
    }
    CODE(aclmdlSetDynamicBatchSize(g.model, g.input, g.chooser, 3), ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID);
    MENTIONS("[4]");
    CODE(aclmdlSetDynamicBatchSize(g.model, g.input, g.chooser, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlSetDynamicBatchSize(g.model, g.input, 0, 2), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlSetDynamicBatchSize(g.model, NULL, g.chooser, 2), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlSetDynamicBatchSize(4711, g.input, g.chooser, 2), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);
    CODE(aclmdlSetDynamicHWSize(g.model, g.input, g.chooser, 2, 2), ACL_ERROR_MODEL_NOT_DYNAMIC);
    OK(aclUpdateDataBuffer(chooser, memory, size - 1));
    CODE(aclmdlSetDynamicBatchSize(g.model, g.input, g.chooser, 2), ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID);
    OK(aclUpdateDataBuffer(chooser, NULL, size));
    CODE(aclmdlSetDynamicBatchSize(g.model, g.input, g.chooser, 2), ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID);
    OK(aclUpdateDataBuffer(chooser, memory, size));
    unload_geared(g);
}

static void images(void)
{
    Geared g = load_geared("image.om");

    EQ(aclmdlGetOutputSizeByIndex(g.desc, 0), 4 * 6 * 4);
    fill(g, 0, 24);
    OK(aclmdlSetDynamicHWSize(g.model, g.input, g.chooser, 4, 6));
    OK(aclmdlExecute(g.model, g.input, g.output));
    are_doubled(g, 24);
    OK(aclmdlSetDynamicHWSize(g.model, g.input, g.chooser, 2, 2));
    OK(aclmdlExecute(g.model, g.input, g.output));
    are_doubled(g, 4);
    CODE(aclmdlSetDynamicHWSize(g.model, g.input, g.chooser, 6, 4), ACL_ERROR_GE_PARAM_INVALID);
    CODE(aclmdlSetDynamicHWSize(g.model, g.input, g.chooser, 0, 4), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlSetDynamicBatchSize(g.model, g.input, g.chooser, 1), ACL_ERROR_MODEL_NOT_DYNAMIC);
    unload_geared(g);
}

static void dimensions(void)
{
    Geared g = load_geared("dims.om");
    aclmdlIODims all[2], none;
    float y[20];

    /* a: 4 by 2, b: 2 by 5 at most. */
    EQ(aclmdlGetOutputSizeByIndex(g.desc, 0), 4 * 5 * 4);
    OK(aclmdlGetInputDynamicDims(g.desc, (size_t)-1, all, 2));
    fill(g, 0, 8);
    fill(g, 1, 10);
    OK(aclmdlSetInputDynamicDims(g.model, g.input, g.chooser, &all[1]));
    OK(aclmdlExecute(g.model, g.input, g.output));
    from_device(y, aclGetDataBufferAddr(aclmdlGetDatasetBuffer(g.output, 0)), sizeof y);
    CHECK(y[0] == 1 * 1 + 2 * 6);
    CHECK(y[19] == 7 * 5 + 8 * 10);
    OK(aclmdlSetInputDynamicDims(g.model, g.input, g.chooser, &all[0]));
    OK(aclmdlExecute(g.model, g.input, g.output));
    EQ(aclGetTensorDescSize(aclmdlGetDatasetTensorDesc(g.output, 0)), 12);
    memset(&none, 0, sizeof none);
    none.dimCount = 4;
    CODE(aclmdlSetInputDynamicDims(g.model, g.input, g.chooser, &none), ACL_ERROR_GE_PARAM_INVALID);
    none.dimCount = 200;
    CODE(aclmdlSetInputDynamicDims(g.model, g.input, g.chooser, &none), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlSetInputDynamicDims(g.model, g.input, g.chooser, NULL), ACL_ERROR_INVALID_PARAM);
    unload_geared(g);
}

/* What comes out in each gear is found out without dividing by zero. */
static void ratios(void)
{
    uint32_t model = load("ratio.om");
    aclmdlDesc *desc = aclmdlCreateDesc();

    OK(aclmdlGetDesc(desc, model));
    EQ(aclmdlGetOutputSizeByIndex(desc, 0), 4 * 4);
    OK(aclmdlDestroyDesc(desc));
    OK(aclmdlUnload(model));
}

int main(void)
{
    aclrtStream stream;

    start();
    OK(aclrtCreateStream(&stream));
    batches(stream);
    images();
    dimensions();
    ratios();
    OK(aclrtDestroyStream(stream));
    stop();
    return 0;
}
