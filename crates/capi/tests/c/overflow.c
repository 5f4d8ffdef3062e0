/* Results that are too large: looked for on streams that want it, and replaced on streams that were created in the saturation mode. Operators by function, by
 * name, models, and launches of graphs; in the order of streams. */
#include "ops.h"

#include <aclnnop/level2/aclnn_exp.h>
#include <float.h>
#include <math.h>

/* Sixteen-bit floats: 12, 1, the largest one, an infinity, and a NaN. */
#define F16_12 0x4a00
#define F16_1 0x3c00
#define F16_MOST 0x7bff
#define F16_INFINITY 0x7c00

static const int64_t four[1] = {4};

/* exp of every second of eight numbers, on a stream. What is between them stays. */
static void exponent(void *from, void *to, aclrtStream stream)
{
    const int64_t step[1] = {2}, eight[1] = {8};
    aclTensor *x = aclCreateTensor(four, 1, ACL_FLOAT16, step, 0, ACL_FORMAT_ND, eight, 1, from);
    aclTensor *y = aclCreateTensor(four, 1, ACL_FLOAT16, step, 0, ACL_FORMAT_ND, eight, 1, to);
    aclOpExecutor *executor;
    uint64_t size = 0;
    OK(aclnnExpGetWorkspaceSize(x, y, &size, &executor));
    EQ(size, 0);
    OK(aclnnExp(NULL, 0, executor, stream));
    OK(aclDestroyTensor(x));
    OK(aclDestroyTensor(y));
}

/* What the stream finds when it gets there. */
static void ask(void *status, aclrtStream stream)
{
    OK(aclrtGetOverflowStatus(status, 64, stream));
}

static unsigned answer(void *status, aclrtStream stream)
{
    unsigned char text[64];
    OK(aclrtSynchronizeStream(stream));
    from_device(text, status, sizeof text);
    for (int i = 1; i < 64; i++) {
        EQ(text[i], 0);
    }
    return text[0];
}

static void is_half(void *memory, int index, unsigned expected)
{
    uint16_t got[8];
    from_device(got, memory, sizeof got);
    EQ(got[index], expected);
}

static void by_function(aclrtStream plain, aclrtStream saturating)
{
    const uint16_t values[8] = {F16_12, 7, F16_1, F16_INFINITY, F16_1, 9, F16_1, 11};
    uint16_t before[8] = {1, F16_INFINITY, 1, 0x7e00, 1, F16_INFINITY, 1, 5};
    void *x = to_device(values, sizeof values), *y = to_device(before, sizeof before), *first = to_device(NULL, 64), *second = to_device(NULL, 64), *third = to_device(NULL, 64);
    const aclrtStream streams[2] = {plain, saturating};

    for (int i = 0; i < 2; i++) {
        /* Not asked to, a stream does not look. */
        OK(aclrtSetStreamOverflowSwitch(streams[i], 0));
        exponent(x, y, streams[i]);
        ask(first, streams[i]);
        EQ(answer(first, streams[i]), 0);
        is_half(y, 0, i == 0 ? F16_INFINITY : F16_MOST);
        is_half(y, 1, F16_INFINITY);
        is_half(y, 3, 0x7e00);

        /* Before the operator, behind it, and behind a reset: as the stream has them. */
        OK(aclrtSetStreamOverflowSwitch(streams[i], 1));
        ask(first, streams[i]);
        exponent(x, y, streams[i]);
        OK(aclrtSetStreamOverflowSwitch(streams[i], 0));
        ask(second, streams[i]);
        OK(aclrtResetOverflowStatus(streams[i]));
        exponent(x, y, streams[i]);
        ask(third, streams[i]);
        EQ(answer(first, streams[i]), 0);
        EQ(answer(second, streams[i]), 1);
        EQ(answer(third, streams[i]), 0);
    }
    OK(aclrtFree(x));
    OK(aclrtFree(y));
    OK(aclrtFree(first));
    OK(aclrtFree(second));
    OK(aclrtFree(third));
}

/* By name: the engine computes it, and a task behind it looks. */
static void by_name(aclrtStream plain, aclrtStream saturating)
{
    const float large[3] = {FLT_MAX, -FLT_MAX, 2}, zero[3] = {0, 0, 0}, clamped[3] = {FLT_MAX, -FLT_MAX, 4}, infinite[3] = {INFINITY, -INFINITY, 4};
    Tensor a = vector(3, large), b = vector(3, (const float[3]){2, 2, 2}), out = vector(3, NULL), none = vector(3, zero);
    void *status = to_device(NULL, 64);

    OK(aclrtSetStreamOverflowSwitch(plain, 1));
    OK(aclrtSetStreamOverflowSwitch(saturating, 1));
    OK(binary("Mul", a, none, out, NULL, plain));
    ask(status, plain);
    EQ(answer(status, plain), 0);
    OK(binary("Mul", a, b, out, NULL, plain));
    ask(status, plain);
    EQ(answer(status, plain), 1);
    floats_are(out, infinite, 3);
    OK(aclrtResetOverflowStatus(plain));
    OK(aclrtSynchronizeStream(plain));
    OK(binary("Mul", a, b, out, NULL, saturating));
    ask(status, saturating);
    EQ(answer(status, saturating), 1);
    floats_are(out, clamped, 3);
    OK(aclrtResetOverflowStatus(saturating));

    /* NaN becomes 0. */
    OK(binary("Div", none, none, out, NULL, saturating));
    ask(status, saturating);
    EQ(answer(status, saturating), 1);
    floats_are(out, zero, 3);
    OK(aclrtResetOverflowStatus(saturating));
    OK(aclrtSynchronizeStream(saturating));
    OK(aclrtSetStreamOverflowSwitch(plain, 0));
    OK(aclrtSetStreamOverflowSwitch(saturating, 0));
    drop_tensor(a);
    drop_tensor(b);
    drop_tensor(out);
    drop_tensor(none);
    OK(aclrtFree(status));
}

static void by_model(aclrtStream saturating)
{
    float x[6], sums[6];
    uint32_t model = load("add.onnx");
    aclmdlDataset *input = aclmdlCreateDataset(), *output = aclmdlCreateDataset();
    for (int i = 0; i < 6; i++) {
        x[i] = i == 4 ? -FLT_MAX : FLT_MAX;
    }
    void *out = to_device(NULL, sizeof x), *status = to_device(NULL, 64);
    add_buffer(input, to_device(x, sizeof x), sizeof x);
    add_buffer(input, to_device(x, sizeof x), sizeof x);
    add_buffer(output, out, sizeof x);
    OK(aclrtSetStreamOverflowSwitch(saturating, 1));
    OK(aclmdlExecuteAsync(model, input, output, saturating));
    ask(status, saturating);
    EQ(answer(status, saturating), 1);
    from_device(sums, out, sizeof sums);
    EQ(sums[0] == FLT_MAX, 1);
    EQ(sums[4] == -FLT_MAX, 1);
    OK(aclrtResetOverflowStatus(saturating));
    OK(aclrtSetStreamOverflowSwitch(saturating, 0));
    OK(aclrtSynchronizeStream(saturating));
    OK(aclmdlUnload(model));
    drop_dataset(input);
    drop_dataset(output);
    OK(aclrtFree(status));
}

/* A graph keeps what its stream wanted while it was captured. */
static void in_a_graph(aclrtStream saturating)
{
    const uint16_t values[8] = {F16_12, 0, F16_1, 0, F16_1, 0, F16_1, 0};
    void *x = to_device(values, sizeof values), *y = to_device(NULL, sizeof values), *status = to_device(NULL, 64);
    aclmdlRI graph = NULL;
    OK(aclrtSetStreamOverflowSwitch(saturating, 1));
    OK(aclmdlRICaptureBegin(saturating, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclrtResetOverflowStatus(saturating));
    exponent(x, y, saturating);
    ask(status, saturating);
    OK(aclmdlRICaptureEnd(saturating, &graph));
    OK(aclrtSetStreamOverflowSwitch(saturating, 0));
    for (int i = 0; i < 2; i++) {
        OK(aclrtMemset(y, sizeof values, 0, sizeof values));
        OK(aclrtMemset(status, 64, 0, 64));
        OK(aclmdlRIExecuteAsync(graph, saturating));
        EQ(answer(status, saturating), 1);
        is_half(y, 0, F16_MOST);
    }
    OK(aclrtResetOverflowStatus(saturating));
    OK(aclrtSynchronizeStream(saturating));
    OK(aclmdlRIDestroy(graph));
    OK(aclrtFree(x));
    OK(aclrtFree(y));
    OK(aclrtFree(status));
}

static void mistakes(aclrtStream stream)
{
    void *status = to_device(NULL, 64);
    uint32_t flag = 7;
    char local;
    CODE(aclrtGetOverflowStatus(NULL, 64, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetOverflowStatus(status, 63, stream), ACL_ERROR_INVALID_PARAM);
    FAILS(aclrtGetOverflowStatus((char *)status + 4096, 64, stream));
    FAILS(aclrtGetOverflowStatus(status, 64, (aclrtStream)&local));
    FAILS(aclrtResetOverflowStatus((aclrtStream)&local));
    CODE(aclrtSetStreamOverflowSwitch(stream, 2), ACL_ERROR_INVALID_PARAM);
    FAILS(aclrtSetStreamOverflowSwitch((aclrtStream)&local, 1));
    CODE(aclrtGetStreamOverflowSwitch(stream, NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclrtGetStreamOverflowSwitch(stream, &flag));
    EQ(flag, 0);
    OK(aclrtFree(status));
}

int main(void)
{
    aclrtStream plain, saturating, later;
    aclrtFloatOverflowMode mode = ACL_RT_OVERFLOW_MODE_UNDEF;
    uint32_t flag = 7;
    start();
    OK(aclrtCreateStream(&plain));
    OK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
    OK(aclrtGetDeviceSatMode(&mode));
    EQ(mode, ACL_RT_OVERFLOW_MODE_SATURATION);
    OK(aclrtCreateStream(&saturating));
    CODE(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF), ACL_ERROR_INVALID_PARAM);
    OK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
    OK(aclrtGetDeviceSatMode(&mode));
    EQ(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
    CODE(aclrtGetDeviceSatMode(NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclrtCreateStream(&later));
    OK(aclrtSetStreamOverflowSwitch(later, 1));
    OK(aclrtGetStreamOverflowSwitch(later, &flag));
    EQ(flag, 1);

    by_function(plain, saturating);
    by_function(later, saturating);
    by_name(plain, saturating);
    by_model(saturating);
    in_a_graph(saturating);
    mistakes(plain);
    OK(aclrtDestroyStream(plain));
    OK(aclrtDestroyStream(saturating));
    OK(aclrtDestroyStream(later));
    stop();
    return 0;
}
