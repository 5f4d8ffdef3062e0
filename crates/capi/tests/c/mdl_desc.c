/* What does a description of a model say? Names, types, shapes, ranges, sizes, gears,
 * all without an engine: the file alone is read. */
#include "models.h"

static aclmdlDesc *describe(const char *name)
{
    aclmdlDesc *desc = aclmdlCreateDesc();
    CHECK(desc != NULL);
    OK(aclmdlGetDescFromFile(desc, model_path(name)));
    return desc;
}

static void fixed_shapes(void)
{
    aclmdlDesc *desc = describe("add.onnx");
    aclmdlIODims dims;
    aclmdlIODimsRange range;
    aclmdlBatch batch;
    aclmdlHW hw;
    size_t index = 99, count = 99;

    EQ(aclmdlGetNumInputs(desc), 2);
    EQ(aclmdlGetNumOutputs(desc), 1);
    EQ_STR(aclmdlGetInputNameByIndex(desc, 0), "x");
    EQ_STR(aclmdlGetInputNameByIndex(desc, 1), "y");
    EQ_STR(aclmdlGetOutputNameByIndex(desc, 0), "z");
    EQ(aclmdlGetInputSizeByIndex(desc, 1), 24);
    EQ(aclmdlGetOutputSizeByIndex(desc, 0), 24);
    EQ(aclmdlGetInputDataType(desc, 0), ACL_FLOAT);
    EQ(aclmdlGetOutputDataType(desc, 0), ACL_FLOAT);
    EQ(aclmdlGetInputFormat(desc, 0), ACL_FORMAT_ND);
    EQ(aclmdlGetOutputFormat(desc, 0), ACL_FORMAT_ND);
    OK(aclmdlGetInputDims(desc, 1, &dims));
    EQ_STR(dims.name, "y");
    EQ(dims.dimCount, 2);
    EQ(dims.dims[0], 2);
    EQ(dims.dims[1], 3);
    OK(aclmdlGetInputDimsV2(desc, 0, &dims));
    EQ_STR(dims.name, "x");
    OK(aclmdlGetOutputDims(desc, 0, &dims));
    EQ_STR(dims.name, "z");
    OK(aclmdlGetCurOutputDims(desc, 0, &dims));
    EQ(dims.dims[1], 3);
    OK(aclmdlGetInputDimsRange(desc, 0, &range));
    EQ(range.rangeCount, 2);
    EQ(range.range[1][0], 3);
    EQ(range.range[1][1], 3);
    OK(aclmdlGetInputIndexByName(desc, "y", &index));
    EQ(index, 1);
    OK(aclmdlGetOutputIndexByName(desc, "z", &index));
    EQ(index, 0);
    EQ_STR(aclmdlGetTensorRealName(desc, "y"), "y");
    EQ_PTR(aclmdlGetTensorRealName(desc, "nobody"), NULL);

    /* No gears: counts of zero, not errors. */
    OK(aclmdlGetDynamicBatch(desc, &batch));
    EQ(batch.batchCount, 0);
    OK(aclmdlGetDynamicHW(desc, (size_t)-1, &hw));
    EQ(hw.hwCount, 0);
    OK(aclmdlGetInputDynamicGearCount(desc, (size_t)-1, &count));
    EQ(count, 0);

    /* Places and names that are not there. */
    CODE(aclmdlGetInputDims(desc, 2, &dims), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlGetOutputDims(desc, 1, &dims), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlGetInputDims(desc, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlGetInputDimsRange(desc, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlGetInputIndexByName(desc, "nobody", &index), ACL_ERROR_INVALID_PARAM);
    MENTIONS("nobody");
    CODE(aclmdlGetInputIndexByName(desc, NULL, &index), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlGetInputIndexByName(desc, "x", NULL), ACL_ERROR_INVALID_PARAM);
    EQ(aclmdlGetInputSizeByIndex(desc, 2), 0);
    EQ_STR(aclmdlGetInputNameByIndex(desc, 2), "");
    EQ(aclmdlGetInputDataType(desc, 2), ACL_DT_UNDEFINED);
    EQ(aclmdlGetInputFormat(desc, 2), ACL_FORMAT_UNDEFINED);

    /* The same description for another model. */
    OK(aclmdlGetDescFromFile(desc, model_path("nonzero.onnx")));
    EQ(aclmdlGetNumInputs(desc), 1);
    EQ(aclmdlGetOutputDataType(desc, 0), ACL_INT64);
    EQ(aclmdlGetOutputSizeByIndex(desc, 0), 0);
    OK(aclmdlDestroyDesc(desc));
    FAILS(aclmdlDestroyDesc(desc));
    EQ(aclmdlGetNumInputs(desc), 0);
}

static void ranges(void)
{
    aclmdlDesc *desc = describe("mlp.om");
    aclmdlIODims dims;
    aclmdlIODimsRange range;

    OK(aclmdlGetInputDims(desc, 0, &dims));
    EQ(dims.dims[0], -1);
    EQ(dims.dims[1], 4);
    EQ(aclmdlGetInputSizeByIndex(desc, 0), 0);
    EQ(aclmdlGetOutputSizeByIndex(desc, 0), 0);
    OK(aclmdlGetInputDimsRange(desc, 0, &range));
    EQ(range.range[0][0], 1);
    EQ(range.range[0][1], 16);
    EQ(range.range[1][0], 4);
    EQ(range.range[1][1], 4);
    CODE(aclmdlGetCurOutputDims(desc, 0, &dims), ACL_ERROR_API_NOT_SUPPORT);
    MENTIONS("aclmdlGetDatasetTensorDesc");
    OK(aclmdlDestroyDesc(desc));

    /* Nothing limits what the file leaves open. */
    desc = describe("mlp.onnx");
    OK(aclmdlGetInputDimsRange(desc, 0, &range));
    EQ(range.range[0][1], -1);
    OK(aclmdlDestroyDesc(desc));
}

static void gears(void)
{
    aclmdlDesc *desc = describe("batch.om");
    aclmdlBatch batch;
    aclmdlHW hw;
    aclmdlIODims dims, all[2];
    size_t index, count;

    /* One input more, through which gears are chosen; sizes of the largest gear. */
    EQ(aclmdlGetNumInputs(desc), 2);
    OK(aclmdlGetInputIndexByName(desc, ACL_DYNAMIC_TENSOR_NAME, &index));
    EQ(index, 1);
    EQ(aclmdlGetInputSizeByIndex(desc, 0), 4 * 3 * 4);
    EQ(aclmdlGetInputSizeByIndex(desc, 1), 4);
    OK(aclmdlGetInputDims(desc, 0, &dims));
    EQ(dims.dims[0], -1);
    OK(aclmdlGetDynamicBatch(desc, &batch));
    EQ(batch.batchCount, 3);
    EQ(batch.batch[0], 1);
    EQ(batch.batch[2], 4);
    CODE(aclmdlGetDynamicBatch(desc, NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclmdlDestroyDesc(desc));

    desc = describe("image.om");
    OK(aclmdlGetDynamicHW(desc, (size_t)-1, &hw));
    EQ(hw.hwCount, 2);
    EQ(hw.hw[1][0], 4);
    EQ(hw.hw[1][1], 6);
    OK(aclmdlGetDynamicBatch(desc, &batch));
    EQ(batch.batchCount, 0);
    CODE(aclmdlGetDynamicHW(desc, (size_t)-1, NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclmdlDestroyDesc(desc));

    desc = describe("dims.om");
    OK(aclmdlGetInputDynamicGearCount(desc, (size_t)-1, &count));
    EQ(count, 2);
    OK(aclmdlGetInputDynamicDims(desc, (size_t)-1, all, count));
    EQ(all[0].dimCount, 4);
    EQ(all[0].dims[0], 1);
    EQ(all[0].dims[1], 2);
    EQ(all[0].dims[2], 2);
    EQ(all[0].dims[3], 3);
    EQ(all[1].dims[0], 4);
    EQ(all[1].dims[3], 5);
    CODE(aclmdlGetInputDynamicDims(desc, (size_t)-1, all, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlGetInputDynamicDims(desc, (size_t)-1, NULL, 2), ACL_ERROR_INVALID_PARAM);
    OK(aclmdlDestroyDesc(desc));
}

static void bad_ones(void)
{
    aclmdlDesc *desc = aclmdlCreateDesc();
    aclmdlIODims dims;

    /* Nothing has been described yet. */
    EQ(aclmdlGetNumInputs(desc), 0);
    FAILS(aclmdlGetInputDims(desc, 0, &dims));
    EQ(aclmdlGetNumInputs(NULL), 0);
    EQ(aclmdlGetNumOutputs(NULL), 0);
    CODE(aclmdlGetInputDims(NULL, 0, &dims), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlDestroyDesc(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlGetDescFromFile(NULL, model_path("add.onnx")), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlGetDescFromFile(desc, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlGetDesc(desc, 4711), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);
    MENTIONS("4711");
    OK(aclmdlDestroyDesc(desc));
}

int main(void)
{
    fixed_shapes();
    ranges();
    gears();
    bad_ones();
    return 0;
}
