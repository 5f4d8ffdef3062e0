/* Operators by function: containers, getters, codes, executors that repeat, addresses that change. */
#include "gate.h"
#include "models.h"

#include <aclnn/aclnn_base.h>
#include <aclnnop/aclnn_add.h>
#include <aclnnop/aclnn_mul.h>
#include <aclnnop/level2/aclnn_exp.h>

static const int64_t two[1] = {2}, three[1] = {3}, four[1] = {4};

static aclTensor *whole(const int64_t *dims, aclDataType type, void *memory)
{
    aclTensor *made = aclCreateTensor(dims, 1, type, NULL, 0, ACL_FORMAT_ND, dims, 1, memory);
    CHECK(made != NULL);
    return made;
}

static aclScalar *number(double value)
{
    aclScalar *made = aclCreateScalar(&value, ACL_DOUBLE);
    CHECK(made != NULL);
    return made;
}

static void holds(void *memory, float first, float second)
{
    float got[2];
    from_device(got, memory, sizeof got);
    EQ(got[0], first);
    EQ(got[1], second);
}

static void formats(void)
{
    const int64_t dims[2] = {17, 40}, line[1] = {3};
    const aclIntArray *shape = aclCreateIntArray(dims, 2), *short_one = aclCreateIntArray(line, 1);
    aclTensor *matrix = aclCreateTensor(dims, 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, dims, 2, NULL), *vector = whole(line, ACL_FLOAT16, NULL);
    int64_t *stored = NULL;
    uint64_t count = 0, bytes = 0;
    int format = 0;

    OK(aclnnNpuFormatCastCalculateSizeAndFormat(matrix, ACL_FORMAT_FRACTAL_NZ, -1, &stored, &count, &format));
    EQ(count, 4);
    EQ(stored[0], 3);
    EQ(stored[1], 2);
    EQ(stored[2], 16);
    EQ(stored[3], 16);
    EQ(format, ACL_FORMAT_FRACTAL_NZ);
    free(stored);
    OK(aclnnNpuFormatCastCalculateSizeAndFormat(matrix, ACL_FORMAT_FRACTAL_NZ, ACL_INT8, &stored, &count, &format));
    EQ(stored[0], 2);
    EQ(stored[3], 32);
    free(stored);
    OK(aclnnNpuFormatCastCalculateSizeAndFormat(matrix, ACL_FORMAT_ND, -1, &stored, &count, &format));
    EQ(count, 2);
    EQ(stored[1], 40);
    EQ(format, ACL_FORMAT_ND);
    free(stored);
    CODE(aclnnNpuFormatCastCalculateSizeAndFormat(matrix, ACL_FORMAT_NC1HWC0, -1, &stored, &count, &format), ACLNN_ERR_PARAM_INVALID);
    CODE(aclnnNpuFormatCastCalculateSizeAndFormat(vector, ACL_FORMAT_FRACTAL_NZ, -1, &stored, &count, &format), ACLNN_ERR_PARAM_INVALID);
    CODE(aclnnNpuFormatCastCalculateSizeAndFormat(matrix, ACL_FORMAT_FRACTAL_NZ, 12345, &stored, &count, &format), ACLNN_ERR_PARAM_INVALID);
    CODE(aclnnNpuFormatCastCalculateSizeAndFormat(NULL, ACL_FORMAT_FRACTAL_NZ, -1, &stored, &count, &format), ACLNN_ERR_PARAM_NULLPTR);
    CODE(aclnnNpuFormatCastCalculateSizeAndFormat(matrix, ACL_FORMAT_FRACTAL_NZ, -1, NULL, &count, &format), ACLNN_ERR_PARAM_NULLPTR);

    OK(aclnnCalculateMatmulWeightSizeV2(shape, ACL_FLOAT16, &bytes));
    EQ(bytes, 3 * 2 * 16 * 16 * 2);
    CODE(aclnnCalculateMatmulWeightSizeV2(short_one, ACL_FLOAT16, &bytes), ACLNN_ERR_PARAM_INVALID);
    CODE(aclnnCalculateMatmulWeightSizeV2(NULL, ACL_FLOAT16, &bytes), ACLNN_ERR_PARAM_NULLPTR);
    CODE(aclnnCalculateMatmulWeightSizeV2(shape, ACL_FLOAT16, NULL), ACLNN_ERR_PARAM_NULLPTR);
    OK(aclDestroyIntArray(shape));
    OK(aclDestroyIntArray(short_one));
    OK(aclDestroyTensor(matrix));
    OK(aclDestroyTensor(vector));
}

static void containers(void)
{
    const int64_t ints[2] = {4, 5};
    const float floats[3] = {1, 2, 3};
    const bool bools[1] = {true};
    const aclTensor *members[2];
    const aclScalar *scalars[1];
    const int64_t view[2] = {2, 2}, strides[2] = {1, 2}, storage[1] = {8};
    int64_t *dims = NULL, offset = 0;
    uint64_t count = 0;
    aclFormat format;
    aclDataType type;
    void *memory = to_device(NULL, 64);
    aclTensor *tensor = aclCreateTensor(view, 2, ACL_FLOAT, strides, 3, ACL_FORMAT_NCHW, storage, 1, memory);
    aclIntArray *int_list = aclCreateIntArray(ints, 2);
    aclFloatArray *float_list = aclCreateFloatArray(floats, 3);
    aclBoolArray *bool_list = aclCreateBoolArray(bools, 1);
    aclTensorList *list;
    aclScalarList *scalar_list;

    OK(aclGetViewShape(tensor, &dims, &count));
    EQ(count, 2);
    EQ(dims[0], 2);
    free(dims);
    OK(aclGetViewStrides(tensor, &dims, &count));
    EQ(dims[1], 2);
    free(dims);
    OK(aclGetStorageShape(tensor, &dims, &count));
    EQ(count, 1);
    EQ(dims[0], 8);
    free(dims);
    OK(aclGetViewOffset(tensor, &offset));
    EQ(offset, 3);
    OK(aclGetFormat(tensor, &format));
    EQ(format, ACL_FORMAT_NCHW);
    OK(aclGetDataType(tensor, &type));
    EQ(type, ACL_FLOAT);
    CODE(aclGetViewShape(NULL, &dims, &count), ACLNN_ERR_PARAM_NULLPTR);
    CODE(aclGetViewShape(tensor, NULL, &count), ACLNN_ERR_PARAM_NULLPTR);
    OK(aclInitTensor(tensor, three, 1, ACL_INT32, NULL, 0, ACL_FORMAT_ND, three, 1, memory));
    OK(aclGetViewShape(tensor, &dims, &count));
    EQ(count, 1);
    EQ(dims[0], 3);
    free(dims);

    OK(aclGetIntArraySize(int_list, &count));
    EQ(count, 2);
    OK(aclGetFloatArraySize(float_list, &count));
    EQ(count, 3);
    OK(aclGetBoolArraySize(bool_list, &count));
    EQ(count, 1);
    OK(aclDestroyIntArray(int_list));
    OK(aclDestroyFloatArray(float_list));
    OK(aclDestroyBoolArray(bool_list));

    /* A list owns its members. */
    members[0] = tensor;
    members[1] = whole(two, ACL_FLOAT, memory);
    list = aclCreateTensorList(members, 2);
    OK(aclGetTensorListSize(list, &count));
    EQ(count, 2);
    OK(aclDestroyTensorList(list));
    CODE(aclDestroyTensor(tensor), ACLNN_ERR_PARAM_INVALID);
    scalars[0] = number(1);
    scalar_list = aclCreateScalarList(scalars, 1);
    OK(aclGetScalarListSize(scalar_list, &count));
    EQ(count, 1);
    OK(aclDestroyScalarList(scalar_list));
    CODE(aclDestroyScalar(scalars[0]), ACLNN_ERR_PARAM_INVALID);

    /* Absent optional arguments are destroyed like any other. */
    OK(aclDestroyTensor(NULL));
    OK(aclDestroyScalar(NULL));
    OK(aclDestroyIntArray(NULL));
    OK(aclDestroyFloatArray(NULL));
    OK(aclDestroyBoolArray(NULL));
    OK(aclDestroyTensorList(NULL));
    OK(aclDestroyScalarList(NULL));
    OK(aclrtFree(memory));
}

static void codes(aclrtStream stream)
{
    void *memory = to_device(NULL, 64);
    aclTensor *a = whole(two, ACL_FLOAT, memory), *b = whole(three, ACL_FLOAT, memory), *ints = whole(two, ACL_INT32, memory);
    aclScalar *one = number(1);
    aclOpExecutor *executor = NULL;
    uint64_t size = 9;

    CODE(aclnnAddGetWorkspaceSize(NULL, a, one, a, &size, &executor), ACLNN_ERR_PARAM_NULLPTR);
    MENTIONS("self");
    CODE(aclnnAddGetWorkspaceSize(a, a, NULL, a, &size, &executor), ACLNN_ERR_PARAM_NULLPTR);
    CODE(aclnnAddGetWorkspaceSize(a, a, one, a, NULL, &executor), ACLNN_ERR_PARAM_NULLPTR);
    CODE(aclnnAddGetWorkspaceSize(a, b, one, a, &size, &executor), ACLNN_ERR_PARAM_INVALID);
    MENTIONS("broadcast");
    CODE(aclnnAddGetWorkspaceSize(a, a, one, ints, &size, &executor), ACLNN_ERR_PARAM_INVALID);
    EQ(size, 9);
    EQ_PTR(executor, NULL);
    /* A client that ignores the first function's code passes NULL on. */
    CODE(aclnnAdd(NULL, 0, NULL, stream), ACLNN_ERR_PARAM_NULLPTR);
    OK(aclnnAddGetWorkspaceSize(a, a, one, a, &size, &executor));
    CODE(aclnnMul(NULL, 0, executor, stream), ACLNN_ERR_PARAM_INVALID);
    MENTIONS("aclnnAdd");
    CODE(aclSetAclOpExecutorRepeatable(NULL), ACLNN_ERR_INNER_NULLPTR);
    CODE(aclDestroyAclOpExecutor(NULL), ACLNN_ERR_INNER_NULLPTR);
    OK(aclDestroyTensor(a));
    OK(aclDestroyTensor(b));
    OK(aclDestroyTensor(ints));
    OK(aclDestroyScalar(one));
    OK(aclrtFree(memory));
}

static void repeats(aclrtStream stream)
{
    const float values[2] = {1, 2}, others[2] = {10, 20};
    void *first = to_device(values, sizeof values), *second = to_device(others, sizeof others), *result = to_device(NULL, 8);
    aclTensor *a = whole(two, ACL_FLOAT, first), *b = whole(two, ACL_FLOAT, first), *out = whole(two, ACL_FLOAT, result);
    aclTensor *stranger = whole(two, ACL_FLOAT, first), *later = aclCreateTensor(two, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, two, 1, NULL);
    aclScalar *one = number(1);
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    Gate gate;

    /* Once: the executor is used up. Everything may be destroyed before the run's turn comes. */
    OK(aclnnAddGetWorkspaceSize(a, b, one, out, &size, &executor));
    EQ(size, 0);
    gate = gate_close(stream);
    OK(aclnnAdd(NULL, 0, executor, stream));
    OK(aclDestroyTensor(b));
    OK(aclDestroyScalar(one));
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    gate_free(gate);
    holds(result, 2, 4);
    CODE(aclnnAdd(NULL, 0, executor, stream), ACLNN_ERR_PARAM_INVALID);

    /* Any number of times, at other addresses. */
    one = number(1);
    b = whole(two, ACL_FLOAT, first);
    OK(aclnnAddGetWorkspaceSize(a, b, one, out, &size, &executor));
    OK(aclSetAclOpExecutorRepeatable(executor));
    OK(aclnnAdd(NULL, 0, executor, stream));
    OK(aclnnAdd(NULL, 0, executor, stream));
    OK(aclSetInputTensorAddr(executor, 1, b, second));
    OK(aclnnAdd(NULL, 0, executor, stream));
    OK(aclrtSynchronizeStream(stream));
    holds(result, 11, 22);
    CODE(aclSetTensorAddr(executor, 0, stranger, second), ACLNN_ERR_PARAM_INVALID);
    CODE(aclSetTensorAddr(executor, 0, NULL, second), ACLNN_ERR_INNER_NULLPTR);
    OK(aclDestroyAclOpExecutor(executor));
    CODE(aclnnAdd(NULL, 0, executor, stream), ACLNN_ERR_PARAM_INVALID);

    /* An address that comes later, or never. */
    OK(aclnnExpGetWorkspaceSize(later, out, &size, &executor));
    OK(aclSetAclOpExecutorRepeatable(executor));
    CODE(aclnnExp(NULL, 0, executor, stream), ACLNN_ERR_PARAM_NULLPTR);
    OK(aclSetInputTensorAddr(executor, 0, later, first));
    OK(aclnnExp(NULL, 0, executor, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclDestroyAclOpExecutor(executor));

    OK(aclDestroyTensor(a));
    OK(aclDestroyTensor(b));
    OK(aclDestroyTensor(out));
    OK(aclDestroyTensor(later));
    OK(aclDestroyTensor(stranger));
    OK(aclDestroyScalar(one));
    OK(aclrtFree(first));
    OK(aclrtFree(second));
    OK(aclrtFree(result));
}

/* A result that overlaps an input without being the same: the input is read as it was. */
static void overlaps(aclrtStream stream)
{
    const float values[4] = {1, 2, 3, 4};
    float got[4];
    void *memory = to_device(values, sizeof values), *workspace;
    aclTensor *from = aclCreateTensor(three, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, four, 1, memory);
    aclTensor *to = aclCreateTensor(three, 1, ACL_FLOAT, NULL, 1, ACL_FORMAT_ND, four, 1, memory);
    aclScalar *one = number(1), *ten = number(10);
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;

    OK(aclnnAddsGetWorkspaceSize(from, ten, one, to, &size, &executor));
    CHECK(size >= 12);
    workspace = to_device(NULL, size);
    OK(aclnnAdds(workspace, size, executor, stream));
    OK(aclrtSynchronizeStream(stream));
    from_device(got, memory, sizeof got);
    EQ(got[0], 1);
    EQ(got[1], 11);
    EQ(got[2], 12);
    EQ(got[3], 13);
    OK(aclnnAddsGetWorkspaceSize(from, ten, one, to, &size, &executor));
    CODE(aclnnAdds(workspace, size - 1, executor, stream), ACLNN_ERR_PARAM_INVALID);
    MENTIONS("workspaceSize");
    OK(aclDestroyTensor(from));
    OK(aclDestroyTensor(to));
    OK(aclDestroyScalar(one));
    OK(aclDestroyScalar(ten));
    OK(aclrtFree(workspace));
    OK(aclrtFree(memory));
}

int main(void)
{
    aclrtStream stream;
    start();
    OK(aclnnInit(NULL));
    OK(aclrtCreateStream(&stream));
    formats();
    containers();
    codes(stream);
    repeats(stream);
    overlaps(stream);
    OK(aclrtDestroyStream(stream));
    OK(aclnnFinalize());
    stop();
    return 0;
}
