/* A model of changing shape computes as many rows as it is given. The rest of its output's buffer has no content. A model with
 * gears has one size for all of them, and programs get that much. */
#include "models.h"
#include "parts.h"

static void dynamic(void)
{
    enum { ROWS = 16 };
    static float xs[ROWS * 4], ys[ROWS * 2];
    const int64_t dims[2] = {2, 4};
    uint32_t model = load("mlp.om");
    aclmdlDataset *input = aclmdlCreateDataset(), *output = aclmdlCreateDataset();
    aclrtStream stream;
    void *memory = NULL;

    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&memory, sizeof ys, ACL_MEM_MALLOC_HUGE_FIRST));
    add_buffer(input, to_device(xs, sizeof xs), sizeof xs);
    add_buffer(output, memory, sizeof ys);
    set_shape(input, 0, ACL_FLOAT, 2, dims);
    if (is("waited")) {
        OK(aclmdlExecute(model, input, output));
    } else {
        OK(aclmdlExecuteAsync(model, input, output, stream));
        OK(aclrtSynchronizeStream(stream));
    }
    if (is("later")) {
        OK(aclmdlExecuteAsync(model, input, output, stream));
        OK(aclrtSynchronizeStream(stream));
    }
    from_device(ys, memory, is("all") ? sizeof ys : sizeof ys / ROWS * 2);
    drop_dataset(input);
    drop_dataset(output);
    OK(aclmdlUnload(model));
    OK(aclrtDestroyStream(stream));
}

static void geared(void)
{
    static float values[12];
    uint32_t model = load("batch.om");
    aclmdlDesc *desc = aclmdlCreateDesc();
    aclmdlDataset *input = aclmdlCreateDataset(), *output = aclmdlCreateDataset();
    void *memory = NULL, *gear = NULL;
    size_t size, index;

    OK(aclmdlGetDesc(desc, model));
    size = aclmdlGetOutputSizeByIndex(desc, 0);
    EQ(size, sizeof values);
    OK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    add_buffer(input, to_device(values, sizeof values), sizeof values);
    OK(aclmdlGetInputIndexByName(desc, ACL_DYNAMIC_TENSOR_NAME, &index));
    EQ(index, 1);
    OK(aclrtMalloc(&gear, aclmdlGetInputSizeByIndex(desc, index), ACL_MEM_MALLOC_HUGE_FIRST));
    add_buffer(input, gear, aclmdlGetInputSizeByIndex(desc, index));
    add_buffer(output, memory, size);
    OK(aclmdlSetDynamicBatchSize(model, input, index, 1));
    OK(aclmdlExecute(model, input, output));
    from_device(values, memory, size);
    drop_dataset(input);
    drop_dataset(output);
    OK(aclmdlDestroyDesc(desc));
    OK(aclmdlUnload(model));
}

int main(void)
{
    if (part() != NULL) {
        start();
        if (is("gears")) {
            geared();
        } else {
            dynamic();
        }
        stop();
        return 0;
    }
    breaks("all", "memory.uninitialised-read");
    breaks("all later", "memory.uninitialised-read");
    breaks("all waited", "memory.uninitialised-read");
    keeps("two");
    keeps("two later");
    keeps("two waited");
    keeps("gears");
    /* The interface asks for the gear's input, although no work reads it. */
    TIMES(found, "\"memory.never-used\"", 0);
    return 0;
}
