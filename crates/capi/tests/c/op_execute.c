/* Operators that compute: by name, compiled before or now, by handle, in place, with
 * numbers in the program's own memory, constants and attributes; in the order of a
 * stream. */
#include "gate.h"
#include "ops.h"

#include <millpond/millpond.h>

#include <sys/resource.h>

static const float one[4] = {1, 2, 3, 4}, ten[4] = {10, 20, 30, 40};
static const float sums[4] = {11, 22, 33, 44};

static void by_name(aclrtStream stream)
{
    Tensor a = vector(4, one), b = vector(4, ten), out = vector(4, NULL);

    OK(binary("Add", a, b, out, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(out, sums, 4);

    /* The default stream, and once more what is ready. */
    OK(aclrtMemset(out.memory, out.size, 0, out.size));
    OK(binary("Add", a, b, out, NULL, NULL));
    OK(aclrtSynchronizeStream(NULL));
    floats_are(out, sums, 4);

    /* In place. */
    OK(binary("Add", a, b, a, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(a, sums, 4);
    drop_tensor(a);
    drop_tensor(b);
    drop_tensor(out);
}

/* One stream, many operators, each of which needs the one before. */
static void in_order(aclrtStream stream)
{
    const float start_at[4] = {0, 0, 0, 0}, end_at[4] = {200, 400, 600, 800};
    Tensor sum = vector(4, start_at), step = vector(4, one);
    int i;

    for (i = 0; i < 200; i++) {
        OK(binary("Add", sum, step, sum, NULL, stream));
    }
    OK(aclrtSynchronizeStream(stream));
    floats_are(sum, end_at, 4);
    drop_tensor(sum);
    drop_tensor(step);
}

/* Behind a gate nothing is computed, and the call still comes back. */
static void behind_a_gate(aclrtStream stream)
{
    Tensor a = vector(4, one), b = vector(4, ten), out = vector(4, NULL);
    float before[4], after[4];
    Gate gate;

    from_device(before, out.memory, sizeof before);
    gate = gate_close(stream);
    OK(binary("Add", a, b, out, NULL, stream));
    settle(stream);
    from_device(after, out.memory, sizeof after);
    EQ(memcmp(before, after, sizeof before), 0);
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    floats_are(out, sums, 4);
    gate_free(gate);
    drop_tensor(a);
    drop_tensor(b);
    drop_tensor(out);
}

/* The only row of a table, behind a gate: nothing is waited for to learn what such a run needs. */
static void looked_up_behind_a_gate(aclrtStream stream)
{
    const int64_t row[2] = {1, 4}, count = 2, rows[2] = {2, 4};
    const int32_t places[2] = {0, 0};
    const float twice[8] = {1, 2, 3, 4, 1, 2, 3, 4};
    int32_t axis = 0;
    Tensor table = tensor(ACL_FLOAT, 2, row, one), indices = tensor(ACL_INT32, 1, &count, places);
    Tensor number = host_number(ACL_INT32, &axis), out = tensor(ACL_FLOAT, 2, rows, NULL);
    const aclTensorDesc *descs[3], *results[1];
    const aclDataBuffer *inputs[3];
    aclDataBuffer *outputs[1];
    Gate gate = gate_close(stream);

    descs[0] = table.desc;
    descs[1] = indices.desc;
    descs[2] = number.desc;
    inputs[0] = table.buffer;
    inputs[1] = indices.buffer;
    inputs[2] = number.buffer;
    results[0] = out.desc;
    outputs[0] = out.buffer;
    OK(aclopCompileAndExecute("GatherV2", 3, descs, inputs, 1, results, outputs, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                              NULL, stream));
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    floats_are(out, twice, 8);
    gate_free(gate);
    drop_tensor(table);
    drop_tensor(indices);
    drop_tensor(number);
    drop_tensor(out);
}

/* A buffer that says more than its block has: an error, although the stream is busy, and nothing is spent on it. */
static void promised_behind_a_gate(aclrtStream stream)
{
    const int64_t many = 1LL << 28;
    Tensor a = vector(4, one), out = vector(4, NULL);
    aclTensorDesc *small = a.desc;
    Gate gate = gate_close(stream);
    struct rusage before, after;

    a.desc = aclCreateTensorDesc(ACL_FLOAT, 1, &many, ACL_FORMAT_ND);
    OK(aclUpdateDataBuffer(a.buffer, a.memory, (size_t)many * 4));
    getrusage(RUSAGE_SELF, &before);
    FAILS(binary("Add", a, a, out, NULL, stream));
    getrusage(RUSAGE_SELF, &after);
    CHECK(after.ru_maxrss - before.ru_maxrss < 256 << 10);
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    gate_free(gate);
    aclDestroyTensorDesc(small);
    drop_tensor(a);
    drop_tensor(out);
}

/* A number in the program's own memory is taken during the call. */
static void host_numbers(aclrtStream stream)
{
    const float products[4] = {3, 6, 9, 12};
    float factor = 3;
    Tensor a = vector(4, one), out = vector(4, NULL), number = host_number(ACL_FLOAT, &factor);
    Gate gate = gate_close(stream);

    OK(binary("Mul", a, number, out, NULL, stream));
    factor = 1000;
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    floats_are(out, products, 4);
    gate_free(gate);
    drop_tensor(a);
    drop_tensor(number);
    drop_tensor(out);
}

/* Constants and attributes decide what is computed. */
static void constants_and_attributes(aclrtStream stream)
{
    const int64_t matrix[2] = {2, 3}, kept[2] = {2, 1}, columns[1] = {3}, one_axis[1] = {1};
    const float values[6] = {1, 2, 3, 10, 20, 30}, rows[2] = {6, 60}, sums_of_columns[3] = {11, 22, 33};
    int64_t axis = 1;
    Tensor x = tensor(ACL_FLOAT, 2, matrix, values), out = tensor(ACL_FLOAT, 2, kept, NULL);
    Tensor flat = tensor(ACL_FLOAT, 1, columns, NULL), on_device = tensor(ACL_INT64, 1, one_axis, &axis), axes;
    aclopAttr *attr = aclopCreateAttr();

    axes.desc = aclCreateTensorDesc(ACL_INT64, 1, one_axis, ACL_FORMAT_ND);
    OK(aclSetTensorConst(axes.desc, &axis, sizeof axis));
    axes.buffer = aclCreateDataBuffer(NULL, 0);
    axes.memory = NULL;
    OK(aclopSetAttrBool(attr, "keep_dims", 1));
    OK(binary("ReduceSum", x, on_device, out, attr, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(out, rows, 2);
    OK(aclrtMemset(out.memory, out.size, 0, out.size));
    OK(binary("ReduceSum", x, axes, out, attr, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(out, rows, 2);

    /* Another constant and another attribute are another operator. */
    axis = 0;
    OK(aclSetTensorConst(axes.desc, &axis, sizeof axis));
    OK(aclopSetAttrBool(attr, "keep_dims", 0));
    OK(binary("ReduceSum", x, axes, flat, attr, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(flat, sums_of_columns, 3);
    aclopDestroyAttr(attr);
    drop_tensor(axes);
    drop_tensor(on_device);
    drop_tensor(x);
    drop_tensor(out);
    drop_tensor(flat);
}

static void compiled_before(aclrtStream stream)
{
    Tensor a = vector(4, one), b = vector(4, ten), out = vector(4, NULL);
    aclTensorDesc *descs[2], *results[1];
    aclDataBuffer *inputs[2], *outputs[1];
    aclopHandle *handle = NULL;
    int64_t dim = 0;

    descs[0] = a.desc;
    descs[1] = b.desc;
    results[0] = out.desc;
    inputs[0] = a.buffer;
    inputs[1] = b.buffer;
    outputs[0] = out.buffer;
    CODE(aclopExecuteV2("Maximum", 2, descs, inputs, 1, results, outputs, NULL, stream), ACL_ERROR_OP_NOT_FOUND);
    MENTIONS("aclopCompile");
    CODE(aclopCreateHandle("Maximum", 2, (const aclTensorDesc *const *)descs, 1,
                           (const aclTensorDesc *const *)results, NULL, &handle),
         ACL_ERROR_OP_NOT_FOUND);
    OK(aclopCompile("Maximum", 2, (const aclTensorDesc *const *)descs, 1, (const aclTensorDesc *const *)results, NULL,
                    ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL));
    OK(aclopExecuteV2("Maximum", 2, descs, inputs, 1, results, outputs, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(out, ten, 4);
    OK(aclGetTensorDescDimV2(out.desc, 0, &dim));
    EQ(dim, 4);

    OK(aclrtMemset(out.memory, out.size, 0, out.size));
    OK(aclopExecute("Maximum", 2, (const aclTensorDesc *const *)descs, (const aclDataBuffer *const *)inputs, 1,
                    (const aclTensorDesc *const *)results, outputs, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(out, ten, 4);

    OK(aclopCreateHandle("Maximum", 2, (const aclTensorDesc *const *)descs, 1, (const aclTensorDesc *const *)results,
                         NULL, &handle));
    CODE(aclopExecWithHandle(handle, 1, (const aclDataBuffer *const *)inputs, 1, outputs, stream),
         ACL_ERROR_OP_INPUT_NOT_MATCH);
    CODE(aclopExecWithHandle(handle, 2, (const aclDataBuffer *const *)inputs, 0, outputs, stream),
         ACL_ERROR_OP_OUTPUT_NOT_MATCH);
    CODE(aclopExecWithHandle(NULL, 2, (const aclDataBuffer *const *)inputs, 1, outputs, stream),
         ACL_ERROR_INVALID_PARAM);
    OK(aclrtMemset(out.memory, out.size, 0, out.size));
    OK(aclopExecWithHandle(handle, 2, (const aclDataBuffer *const *)inputs, 1, outputs, stream));
    /* What is queued needs the handle no more. */
    aclopDestroyHandle(handle);
    OK(aclrtSynchronizeStream(stream));
    floats_are(out, ten, 4);
    FAILS(aclopExecWithHandle(handle, 2, (const aclDataBuffer *const *)inputs, 1, outputs, stream));
    aclopDestroyHandle(handle);
    aclopDestroyHandle(NULL);
    (void)aclGetRecentErrMsg();
    drop_tensor(a);
    drop_tensor(b);
    drop_tensor(out);
}

/* Open dimensions when compiling stand for all of their range. */
static void compiled_for_many_shapes(aclrtStream stream)
{
    const int64_t open[1] = {-1}, five[1] = {5};
    int64_t range[1][2] = {{1, 4}};
    const float fives[5] = {1, 2, 3, 4, 5}, lower[4] = {1, 2, 3, 4};
    aclTensorDesc *any = aclCreateTensorDesc(ACL_FLOAT, 1, open, ACL_FORMAT_ND);
    const aclTensorDesc *pair[2], *single[1];
    Tensor a = vector(4, one), b = vector(4, ten), out = vector(4, NULL);
    Tensor large = tensor(ACL_FLOAT, 1, five, fives);
    aclTensorDesc *descs[2], *results[1];
    aclDataBuffer *inputs[2], *outputs[1];

    OK(aclSetTensorShapeRange(any, 1, range));
    pair[0] = pair[1] = single[0] = any;
    OK(aclopCompile("Minimum", 2, pair, 1, single, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL));
    descs[0] = a.desc;
    descs[1] = b.desc;
    results[0] = out.desc;
    inputs[0] = a.buffer;
    inputs[1] = b.buffer;
    outputs[0] = out.buffer;
    OK(aclopExecuteV2("Minimum", 2, descs, inputs, 1, results, outputs, NULL, stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(out, lower, 4);
    descs[0] = descs[1] = results[0] = large.desc;
    inputs[0] = inputs[1] = outputs[0] = large.buffer;
    CODE(aclopExecuteV2("Minimum", 2, descs, inputs, 1, results, outputs, NULL, stream), ACL_ERROR_OP_NOT_FOUND);
    aclDestroyTensorDesc(any);
    drop_tensor(a);
    drop_tensor(b);
    drop_tensor(out);
    drop_tensor(large);
}

static void conversions(aclrtStream stream)
{
    const int64_t four[1] = {4};
    const float halves[4] = {1.5f, -2.5f, 100, 0};
    int32_t whole[4];
    Tensor from = vector(4, halves), to = tensor(ACL_INT32, 1, four, NULL);
    const aclDataBuffer *inputs[1];
    aclDataBuffer *outputs[1];
    aclopHandle *handle = NULL;

    OK(aclopCast(from.desc, from.buffer, to.desc, to.buffer, 0, stream));
    OK(aclrtSynchronizeStream(stream));
    from_device(whole, to.memory, sizeof whole);
    EQ(whole[0], 1);
    EQ(whole[1], -2);
    EQ(whole[2], 100);
    CODE(aclopCast(NULL, from.buffer, to.desc, to.buffer, 0, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclopCast(from.desc, NULL, to.desc, to.buffer, 0, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclopCast(from.desc, from.buffer, NULL, to.buffer, 0, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclopCast(from.desc, from.buffer, to.desc, NULL, 0, stream), ACL_ERROR_INVALID_PARAM);

    OK(aclopCreateHandleForCast(from.desc, to.desc, 0, &handle));
    OK(aclrtMemset(to.memory, to.size, 0, to.size));
    inputs[0] = from.buffer;
    outputs[0] = to.buffer;
    OK(aclopExecWithHandle(handle, 1, inputs, 1, outputs, stream));
    OK(aclrtSynchronizeStream(stream));
    from_device(whole, to.memory, sizeof whole);
    EQ(whole[2], 100);
    aclopDestroyHandle(handle);
    CODE(aclopCreateHandleForCast(from.desc, to.desc, 0, NULL), ACL_ERROR_INVALID_PARAM);
    drop_tensor(from);
    drop_tensor(to);
}

static void shapes_beforehand(void)
{
    const int64_t matrix[2] = {2, 3}, row[1] = {3}, open[1] = {-2};
    const float values[6] = {0};
    aclTensorDesc *descs[2], *result;
    aclDataBuffer *inputs[2];
    aclTensorDesc *results[1];
    int64_t dim = 0;

    descs[0] = aclCreateTensorDesc(ACL_FLOAT, 2, matrix, ACL_FORMAT_ND);
    descs[1] = aclCreateTensorDesc(ACL_FLOAT, 1, row, ACL_FORMAT_ND);
    result = results[0] = aclCreateTensorDesc(ACL_FLOAT, 1, open, ACL_FORMAT_ND);
    inputs[0] = aclCreateDataBuffer((void *)(uintptr_t)values, sizeof values);
    /* Only its shape matters. */
    inputs[1] = aclCreateDataBuffer(NULL, 0);
    OK(aclopInferShape("Add", 2, descs, inputs, 1, results, NULL));
    EQ(aclGetTensorDescNumDims(result), 2);
    OK(aclGetTensorDescDimV2(result, 1, &dim));
    EQ(dim, 3);
    CODE(aclopInferShape(NULL, 2, descs, inputs, 1, results, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclopInferShape("Add", -1, descs, inputs, 1, results, NULL), ACL_ERROR_INVALID_PARAM);
    aclDestroyTensorDesc(descs[0]);
    aclDestroyTensorDesc(descs[1]);
    aclDestroyTensorDesc(result);
    OK(aclDestroyDataBuffer(inputs[0]));
    OK(aclDestroyDataBuffer(inputs[1]));
}

/* Contents that are not given are made up: nothing is divided by zero, places that are looked up are there,
 * and more than the machine has is an error. */
static void shapes_without_contents(void)
{
    const int64_t four[1] = {4}, one[1] = {1}, vast[1] = {1LL << 46}, open[1] = {-2};
    aclTensorDesc *descs[3], *results[1];
    aclDataBuffer *inputs[3];
    int32_t axis = 0;
    int64_t dim = 0;

    inputs[0] = aclCreateDataBuffer(NULL, 0);
    inputs[1] = aclCreateDataBuffer(NULL, 0);
    inputs[2] = aclCreateDataBuffer(&axis, sizeof axis);
    descs[0] = aclCreateTensorDesc(ACL_INT32, 1, four, ACL_FORMAT_ND);
    descs[1] = aclCreateTensorDesc(ACL_INT32, 1, four, ACL_FORMAT_ND);
    descs[2] = aclCreateTensorDesc(ACL_INT32, 0, NULL, ACL_FORMAT_ND);
    results[0] = aclCreateTensorDesc(ACL_INT32, 1, open, ACL_FORMAT_ND);
    OK(aclopInferShape("Div", 2, descs, inputs, 1, results, NULL));
    OK(aclGetTensorDescDimV2(results[0], 0, &dim));
    EQ(dim, 4);

    aclDestroyTensorDesc(descs[0]);
    descs[0] = aclCreateTensorDesc(ACL_INT32, 1, one, ACL_FORMAT_ND);
    OK(aclopInferShape("GatherV2", 3, descs, inputs, 1, results, NULL));
    OK(aclGetTensorDescDimV2(results[0], 0, &dim));
    EQ(dim, 4);

    aclDestroyTensorDesc(descs[0]);
    descs[0] = aclCreateTensorDesc(ACL_INT32, 1, vast, ACL_FORMAT_ND);
    CODE(aclopInferShape("Div", 2, descs, inputs, 1, results, NULL), ACL_ERROR_BAD_ALLOC);

    aclDestroyTensorDesc(descs[0]);
    aclDestroyTensorDesc(descs[1]);
    aclDestroyTensorDesc(descs[2]);
    aclDestroyTensorDesc(results[0]);
    OK(aclDestroyDataBuffer(inputs[0]));
    OK(aclDestroyDataBuffer(inputs[1]));
    OK(aclDestroyDataBuffer(inputs[2]));
}

/* On memory of this machine the CPU computes; on a GPU's, whichever ONNX Runtime can. */
static void where_operators_compute(void)
{
    const char *device = getenv("MILLPOND_DEVICE");
    int32_t gpu = -7;
    aclError code = millpondOperatorsGpu(&gpu);
    if (device && strncmp(device, "cuda", 4) == 0 && code == ACL_SUCCESS) {
        CHECK(gpu >= 0);
    } else {
        CHECK(code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT && gpu == -7);
        CHECK(strstr(aclGetRecentErrMsg(), "computed on the CPU: "));
    }
    CHECK(millpondOperatorsGpu(NULL) == ACL_ERROR_INVALID_PARAM);
}

int main(void)
{
    aclrtStream stream;

    start();
    OK(aclrtCreateStream(&stream));
    by_name(stream);
    in_order(stream);
    behind_a_gate(stream);
    looked_up_behind_a_gate(stream);
    promised_behind_a_gate(stream);
    host_numbers(stream);
    constants_and_attributes(stream);
    compiled_before(stream);
    compiled_for_many_shapes(stream);
    conversions(stream);
    shapes_beforehand();
    shapes_without_contents();
    where_operators_compute();
    OK(aclrtDestroyStream(stream));
    stop();
    return 0;
}
