/* Memory for operators comes from the allocator that is registered on the stream:
 * on the calling thread, during the call, and every block comes back. */
#include "counter.h"
#include "ops.h"

#define SIDE 64

static Tensor x, out;
static float expected[SIDE];

/* The squares are between input and output, and need memory. */
static aclError sums_of_squares(aclrtStream stream)
{
    const int64_t axis[1] = {1};
    const aclTensorDesc *descs[1], *results[1];
    const aclDataBuffer *inputs[1];
    aclDataBuffer *outputs[1];
    aclopAttr *attr = aclopCreateAttr();
    aclError code;

    descs[0] = x.desc;
    results[0] = out.desc;
    inputs[0] = x.buffer;
    outputs[0] = out.buffer;
    OK(aclopSetAttrListInt(attr, "axis", 1, axis));
    code = aclopCompileAndExecute("SquareSumV1", 1, descs, inputs, 1, results, outputs, attr, ACL_ENGINE_SYS,
                                  ACL_COMPILE_SYS, NULL, stream);
    aclopDestroyAttr(attr);
    return code;
}

static void counted(aclrtStream stream)
{
    Counter counter;
    int i;

    counter_use(stream, &counter);
    for (i = 0; i < 20; i++) {
        OK(sums_of_squares(stream));
    }
    OK(aclrtSynchronizeStream(stream));
    floats_are(out, expected, SIDE);
    CHECK(counter.allocs > 0);
    CHECK(counter.largest >= SIDE * SIDE * sizeof(float));
    EQ(counter.allocs, counter.frees);
    EQ(counter.live, 0);

    /* Without a registration the runtime's own memory serves. */
    OK(aclrtAllocatorUnregister(stream));
    i = counter.allocs;
    OK(sums_of_squares(stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(counter.allocs, i);
}

/* An operator that needs nothing between its inputs and its output asks for nothing, whatever its shape. */
static void nothing_needed(aclrtStream stream)
{
    Counter counter;
    int i;

    counter_use(stream, &counter);
    for (i = 1; i < 5; i++) {
        const int64_t dims[1] = {SIDE * i};
        static float ones[SIDE * 4], twos[SIDE * 4];
        Tensor a, y;
        const aclTensorDesc *descs[2], *results[1];
        const aclDataBuffer *inputs[2];
        aclDataBuffer *outputs[1];
        int k, again;

        for (k = 0; k < SIDE * 4; k++) {
            ones[k] = 1;
            twos[k] = 2;
        }
        a = tensor(ACL_FLOAT, 1, dims, ones);
        y = tensor(ACL_FLOAT, 1, dims, NULL);
        descs[0] = descs[1] = a.desc;
        inputs[0] = inputs[1] = a.buffer;
        results[0] = y.desc;
        outputs[0] = y.buffer;
        for (again = 0; again < 2; again++) {
            OK(aclopCompileAndExecute("Add", 2, descs, inputs, 1, results, outputs, NULL, ACL_ENGINE_SYS,
                                      ACL_COMPILE_SYS, NULL, stream));
        }
        OK(aclrtSynchronizeStream(stream));
        floats_are(y, twos, SIDE * i);
        drop_tensor(a);
        drop_tensor(y);
    }
    EQ(counter.allocs, 0);
    OK(aclrtAllocatorUnregister(stream));
}

/* An allocator that has nothing: an error, and nothing queued. */
static void refused(aclrtStream stream)
{
    float zeros[SIDE] = {0};
    Counter counter;

    counter_use(stream, &counter);
    counter.refuse = 1;
    OK(aclrtMemset(out.memory, out.size, 0, out.size));
    CODE(sums_of_squares(stream), ACL_ERROR_GE_MEMORY_ALLOCATION);
    MENTIONS("allocator");
    OK(aclrtSynchronizeStream(stream));
    floats_are(out, zeros, SIDE);

    counter.refuse = 0;
    OK(sums_of_squares(stream));
    OK(aclrtSynchronizeStream(stream));
    floats_are(out, expected, SIDE);
    EQ(counter.live, 0);
    OK(aclrtAllocatorUnregister(stream));
}

/* An allocator may put work into the stream: what it does to a block goes before what the run does. */
static aclrtStream filled;

static void *alloc_filled(void *obj, size_t size)
{
    void *block = NULL;
    (void)obj;
    OK(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemsetAsync(block, size, 0x7f, size, filled));
    return block;
}

static void free_filled(void *obj, void *block)
{
    (void)obj;
    OK(aclrtFree(block));
}

static void *address_of(void *block)
{
    return block;
}

static void in_order(void)
{
    enum { LARGE = 1024 };
    const int64_t matrix[2] = {LARGE, LARGE}, rows[1] = {LARGE};
    float *values = malloc(LARGE * LARGE * sizeof *values), sums[LARGE];
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    Tensor small_x = x, small_out = out;
    int i;

    for (i = 0; i < LARGE * LARGE; i++) {
        values[i] = 2;
    }
    for (i = 0; i < LARGE; i++) {
        sums[i] = LARGE * 4;
    }
    x = tensor(ACL_FLOAT, 2, matrix, values);
    out = tensor(ACL_FLOAT, 1, rows, NULL);
    OK(aclrtCreateStream(&filled));
    OK(aclrtAllocatorSetObjToDesc(desc, &filled));
    OK(aclrtAllocatorSetAllocFuncToDesc(desc, alloc_filled));
    OK(aclrtAllocatorSetFreeFuncToDesc(desc, free_filled));
    OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address_of));
    OK(aclrtAllocatorRegister(filled, desc));
    OK(aclrtAllocatorDestroyDesc(desc));
    /* The first run of a shape asks piece by piece, the others for one block. */
    for (i = 0; i < 3; i++) {
        OK(sums_of_squares(filled));
        OK(aclrtSynchronizeStream(filled));
        floats_are(out, sums, LARGE);
    }
    OK(aclrtDestroyStream(filled));
    drop_tensor(x);
    drop_tensor(out);
    free(values);
    x = small_x;
    out = small_out;
}

int main(void)
{
    const int64_t matrix[2] = {SIDE, SIDE}, rows[1] = {SIDE};
    static float values[SIDE * SIDE];
    aclrtStream stream;
    int i;

    start();
    OK(aclrtCreateStream(&stream));
    for (i = 0; i < SIDE * SIDE; i++) {
        values[i] = 2;
    }
    for (i = 0; i < SIDE; i++) {
        expected[i] = SIDE * 4;
    }
    x = tensor(ACL_FLOAT, 2, matrix, values);
    out = tensor(ACL_FLOAT, 1, rows, NULL);
    counted(stream);
    nothing_needed(stream);
    refused(stream);
    in_order();
    drop_tensor(x);
    drop_tensor(out);
    OK(aclrtDestroyStream(stream));
    stop();
    return 0;
}
