/* Element types, half precision, data buffers, tensor descriptions, and the objects of operators by function. */
#include <math.h>

#include "../oracle.h"
#define GROUP "tensor"

QUESTION(type_sizes, "aclDataTypeSize", "How many bytes has an element of each type?")
{
    for (int type = -1; type <= 42; type++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", type);
        code(name, (long long)CALL(aclDataTypeSize)((aclDataType)type));
    }
}

QUESTION(to_half, "aclFloatToFloat16", "Which bits have numbers at the edges of half precision?")
{
    static const float numbers[] = {0.0F, -0.0F, 1.0F, 65504.0F, 65519.0F, 65520.0F, 1e6F, -1e6F, 6.1035156e-05F, 5.9604645e-08F, 2.9802322e-08F, 1e-9F, 1.00048828125F, 1.00146484375F};
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
        char name[16];
        snprintf(name, sizeof name, "n%zu", index);
        fact(name, "%04x", CALL(aclFloatToFloat16)(numbers[index]));
    }
    fact("infinity", "%04x", CALL(aclFloatToFloat16)((float)INFINITY));
    fact("nan", "%04x", CALL(aclFloatToFloat16)((float)NAN));
}

QUESTION(from_half, "aclFloat16ToFloat", "Which numbers are the bits at the edges of half precision?")
{
    static const aclFloat16 bits[] = {0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0x7bff, 0x7c00, 0xfc00, 0x7e00};
    for (size_t index = 0; index < sizeof bits / sizeof *bits; index++) {
        char name[16];
        snprintf(name, sizeof name, "b%04x", bits[index]);
        fact(name, "%.9g", (double)CALL(aclFloat16ToFloat)(bits[index]));
    }
}

QUESTION(buffer, "aclCreateDataBuffer aclDestroyDataBuffer aclUpdateDataBuffer aclGetDataBufferAddr aclGetDataBufferSize aclGetDataBufferSizeV2", "What do data buffers hold, also for NULL, 0, and more than 4 GiB?")
{
    char bytes[8];
    aclDataBuffer *empty = CALL(aclCreateDataBuffer)(NULL, 0);
    fact("empty", "%s", pointer(empty));
    aclDataBuffer *buffer = CALL(aclCreateDataBuffer)(bytes, 8);
    fact("address", "%s", CALL(aclGetDataBufferAddr)(buffer) == bytes ? "same" : "other");
    code("size", CALL(aclGetDataBufferSize)(buffer));
    code("update", CALL(aclUpdateDataBuffer)(buffer, bytes, (size_t)1 << 33));
    code("old_size", CALL(aclGetDataBufferSize)(buffer));
    code("new_size", (long long)CALL(aclGetDataBufferSizeV2)(buffer));
    code("update_null", CALL(aclUpdateDataBuffer)(buffer, NULL, 0));
    code("destroy", CALL(aclDestroyDataBuffer)(buffer));
}

QUESTION(description, "aclCreateTensorDesc aclGetTensorDescType aclGetTensorDescFormat aclGetTensorDescSize aclGetTensorDescElementCount aclGetTensorDescNumDims aclGetTensorDescDim aclGetTensorDescDimV2 aclDestroyTensorDesc", "What does a description of 2 x 3 half-precision numbers say?")
{
    int64_t dims[2] = {2, 3}, dim = -9;
    aclTensorDesc *made = CALL(aclCreateTensorDesc)(ACL_FLOAT16, 2, dims, ACL_FORMAT_ND);
    fact("made", "%s", pointer(made));
    code("type", CALL(aclGetTensorDescType)(made));
    code("format", CALL(aclGetTensorDescFormat)(made));
    code("size", (long long)CALL(aclGetTensorDescSize)(made));
    code("count", (long long)CALL(aclGetTensorDescElementCount)(made));
    code("dims", (long long)CALL(aclGetTensorDescNumDims)(made));
    code("dim1", CALL(aclGetTensorDescDim)(made, 1));
    code("dim2", CALL(aclGetTensorDescDim)(made, 2));
    RESULT("v2_dim1", CALL(aclGetTensorDescDimV2)(made, 1, &dim), dim);
    code("v2_dim2", CALL(aclGetTensorDescDimV2)(made, 2, &dim));
    CALL(aclDestroyTensorDesc)(made);
}

QUESTION(description_unknown, "aclCreateTensorDesc aclGetTensorDescSize aclGetTensorDescElementCount aclGetTensorDescNumDims", "What are size and count with dimensions that are unknown, 0, or negative?")
{
    static const int64_t cases[][2] = {{-1, 3}, {-2, 3}, {0, 3}, {-5, 3}};
    for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
        char name[16];
        aclTensorDesc *made = CALL(aclCreateTensorDesc)(ACL_FLOAT, 2, cases[index], ACL_FORMAT_ND);
        snprintf(name, sizeof name, "d%lld", (long long)cases[index][0]);
        if (!made) {
            fact(name, "NULL");
        } else {
            fact(name, "%lld:%lld:%lld", (long long)CALL(aclGetTensorDescSize)(made), (long long)CALL(aclGetTensorDescElementCount)(made),
                (long long)CALL(aclGetTensorDescNumDims)(made));
        }
    }
    fact("negative_rank", "%s", pointer(CALL(aclCreateTensorDesc)(ACL_FLOAT, -1, NULL, ACL_FORMAT_ND)));
    fact("null_dims", "%s", pointer(CALL(aclCreateTensorDesc)(ACL_FLOAT, 2, NULL, ACL_FORMAT_ND)));
}

QUESTION(description_ranges, "aclSetTensorShapeRange aclGetTensorDescDimRange aclSetTensorValueRange", "How are ranges of dimensions set and read?")
{
    int64_t dims[2] = {-1, 3}, ranges[2][2] = {{1, 8}, {3, 3}}, read[2] = {-9, -9};
    aclTensorDesc *made = CALL(aclCreateTensorDesc)(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    code("set", CALL(aclSetTensorShapeRange)(made, 2, ranges));
    code("get", CALL(aclGetTensorDescDimRange)(made, 0, 2, read));
    fact("range", "%lld:%lld", (long long)read[0], (long long)read[1]);
    code("outside", CALL(aclGetTensorDescDimRange)(made, 2, 2, read));
    code("short", CALL(aclGetTensorDescDimRange)(made, 0, 1, read));
    code("values", CALL(aclSetTensorValueRange)(made, 2, ranges));
    code("null", CALL(aclSetTensorShapeRange)(made, 2, NULL));
}

QUESTION(description_changes, "aclSetTensorDescName aclGetTensorDescName aclSetTensorStorageFormat aclSetTensorStorageShape aclSetTensorFormat aclSetTensorShape aclSetTensorOriginFormat aclSetTensorOriginShape aclSetTensorDynamicInput aclSetTensorConst aclSetTensorPlaceMent aclGetTensorDescByIndex aclGetTensorDescAddress", "What can be changed in a description?")
{
    int64_t dims[2] = {2, 3};
    float number = 1;
    aclTensorDesc *made = CALL(aclCreateTensorDesc)(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    const char *name = CALL(aclGetTensorDescName)(made);
    fact("no_name", "%s", name ? (*name ? "text" : "empty") : "NULL");
    CALL(aclSetTensorDescName)(made, "x");
    fact("name", "%s", CALL(aclGetTensorDescName)(made));
    code("storage_format", CALL(aclSetTensorStorageFormat)(made, ACL_FORMAT_NCHW));
    code("storage_shape", CALL(aclSetTensorStorageShape)(made, 2, dims));
    code("format", CALL(aclSetTensorFormat)(made, ACL_FORMAT_NCHW));
    code("shape", CALL(aclSetTensorShape)(made, 2, dims));
    code("origin_format", CALL(aclSetTensorOriginFormat)(made, ACL_FORMAT_NCHW));
    code("origin_shape", CALL(aclSetTensorOriginShape)(made, 2, dims));
    code("format_after", CALL(aclGetTensorDescFormat)(made));
    code("dynamic", CALL(aclSetTensorDynamicInput)(made, "x"));
    code("constant", CALL(aclSetTensorConst)(made, &number, sizeof number));
    code("constant_empty", CALL(aclSetTensorConst)(made, NULL, 0));
    code("place", CALL(aclSetTensorPlaceMent)(made, ACL_MEMTYPE_HOST));
    fact("index0", "%s", pointer(CALL(aclGetTensorDescByIndex)(made, 0)));
    fact("index1", "%s", pointer(CALL(aclGetTensorDescByIndex)(made, 1)));
    fact("address", "%s", pointer(CALL(aclGetTensorDescAddress)(made)));
}

QUESTION(description_formats, "aclTransTensorDescFormat", "Between which formats can a description be translated?")
{
    static const int formats[] = {ACL_FORMAT_NCHW, ACL_FORMAT_NHWC, ACL_FORMAT_HWCN, ACL_FORMAT_ND, ACL_FORMAT_NC1HWC0};
    int64_t dims[4] = {2, 3, 4, 5};
    aclTensorDesc *made = CALL(aclCreateTensorDesc)(ACL_FLOAT, 4, dims, ACL_FORMAT_NCHW);
    for (size_t index = 0; index < sizeof formats / sizeof *formats; index++) {
        aclTensorDesc *other = NULL;
        char name[16];
        snprintf(name, sizeof name, "f%d", formats[index]);
        aclError status = CALL(aclTransTensorDescFormat)(made, (aclFormat)formats[index], &other);
        fact(name, "%d:%lld", status, other ? (long long)CALL(aclGetTensorDescDim)(other, 1) : -1);
    }
}

QUESTION(view, "aclCreateTensor aclInitTensor aclDestroyTensor aclGetViewShape aclGetStorageShape aclGetViewStrides aclGetViewOffset aclGetFormat aclGetDataType", "What does a tensor of 2 x 3 say of itself?")
{
    int64_t dims[2] = {2, 3}, strides[2] = {3, 1}, storage[1] = {6}, offset = -9, *read = NULL;
    uint64_t rank = 0;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    aclDataType type = ACL_DT_UNDEFINED;
    void *block = new_block(64);
    aclTensor *made = CALL(aclCreateTensor)(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, storage, 1, block);
    fact("made", "%s", pointer(made));
    RESULT("shape", CALL(aclGetViewShape)(made, &read, &rank), rank);
    RESULT("storage", CALL(aclGetStorageShape)(made, &read, &rank), rank);
    RESULT("strides", CALL(aclGetViewStrides)(made, &read, &rank), rank);
    RESULT("offset", CALL(aclGetViewOffset)(made, &offset), offset);
    RESULT("format", CALL(aclGetFormat)(made, &format), format);
    RESULT("type", CALL(aclGetDataType)(made, &type), type);
    code("init", CALL(aclInitTensor)(made, dims, 2, ACL_FLOAT16, strides, 1, ACL_FORMAT_ND, storage, 1, block));
    code("destroy", CALL(aclDestroyTensor)(made));
    fact("no_strides", "%s", pointer(CALL(aclCreateTensor)(dims, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, storage, 1, block)));
    fact("no_address", "%s", pointer(CALL(aclCreateTensor)(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, storage, 1, NULL)));
    dims[0] = -2;
    fact("negative", "%s", pointer(CALL(aclCreateTensor)(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, storage, 1, block)));
}

QUESTION(lists, "aclCreateScalar aclDestroyScalar aclCreateIntArray aclGetIntArraySize aclDestroyIntArray aclCreateFloatArray aclGetFloatArraySize aclDestroyFloatArray aclCreateBoolArray aclGetBoolArraySize aclDestroyBoolArray aclCreateTensorList aclGetTensorListSize aclDestroyTensorList aclCreateScalarList aclGetScalarListSize aclDestroyScalarList", "What do lists of numbers, scalars and tensors say of themselves?")
{
    int64_t integers[3] = {1, 2, 3};
    float reals[3] = {1, 2, 3};
    bool truths[3] = {true, false, true};
    uint64_t size = 0;
    aclIntArray *ints = CALL(aclCreateIntArray)(integers, 3);
    aclFloatArray *floats = CALL(aclCreateFloatArray)(reals, 3);
    aclBoolArray *bools = CALL(aclCreateBoolArray)(truths, 3);
    RESULT("ints", CALL(aclGetIntArraySize)(ints, &size), size);
    RESULT("floats", CALL(aclGetFloatArraySize)(floats, &size), size);
    RESULT("bools", CALL(aclGetBoolArraySize)(bools, &size), size);
    fact("empty", "%s", pointer(CALL(aclCreateIntArray)(integers, 0)));
    code("free_ints", CALL(aclDestroyIntArray)(ints));
    code("free_floats", CALL(aclDestroyFloatArray)(floats));
    code("free_bools", CALL(aclDestroyBoolArray)(bools));
    aclScalar *scalar = CALL(aclCreateScalar)(&reals[0], ACL_FLOAT);
    fact("scalar", "%s", pointer(scalar));
    const aclScalar *scalars[1] = {scalar};
    aclScalarList *scalar_list = CALL(aclCreateScalarList)(scalars, 1);
    RESULT("scalars", CALL(aclGetScalarListSize)(scalar_list, &size), size);
    code("free_scalars", CALL(aclDestroyScalarList)(scalar_list));
    aclTensorList *tensors = CALL(aclCreateTensorList)(NULL, 0);
    fact("no_tensors", "%s", pointer(tensors));
}

QUESTION(weights, "aclnnCalculateMatmulWeightSizeV2 aclnnNpuFormatCastCalculateSizeAndFormat", "How much room do a 17 x 33 matrix of weights, and its blocked form, need?")
{
    int64_t dims[2] = {17, 33}, strides[2] = {33, 1}, *shape = NULL;
    uint64_t size = 0, rank = 0;
    int format = -1;
    RESULT("weights", CALL(aclnnCalculateMatmulWeightSizeV2)(CALL(aclCreateIntArray)(dims, 2), ACL_FLOAT16, &size), size);
    aclTensor *tensor = CALL(aclCreateTensor)(dims, 2, ACL_FLOAT16, strides, 0, ACL_FORMAT_ND, dims, 2, NULL);
    RESULT("blocked", CALL(aclnnNpuFormatCastCalculateSizeAndFormat)(tensor, ACL_FORMAT_FRACTAL_NZ, -1, &shape, &rank, &format), rank);
    for (uint64_t index = 0; shape && index < rank; index++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", (int)index);
        code(name, shape[index]);
    }
    code("format", format);
}
