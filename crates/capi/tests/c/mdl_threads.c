/* Many threads: each runs models and operators on a stream of its own, and some models
 * go while others run. */
#include "counter.h"
#include "ops.h"

#define THREADS 4
#define ROUNDS 40

static void *works(void *unused)
{
    const float xs[6] = {1, 2, 3, 4, 5, 6};
    float values[8], sum[6];
    int64_t dims[2] = {0, 4};
    aclmdlDataset *input = aclmdlCreateDataset(), *output = aclmdlCreateDataset();
    aclmdlDataset *rows = aclmdlCreateDataset(), *results = aclmdlCreateDataset();
    aclrtStream stream;
    Counter counter;
    Tensor total;
    uint32_t add, mlp;
    int i, k;

    (void)unused;
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    counter_use(stream, &counter);
    add_buffer(input, to_device(xs, sizeof xs), sizeof xs);
    add_buffer(input, to_device(xs, sizeof xs), sizeof xs);
    add_buffer(output, to_device(NULL, sizeof xs), sizeof xs);
    add_buffer(rows, to_device(xs, sizeof xs), sizeof xs);
    add_buffer(results, to_device(NULL, 128), 128);
    total = vector(6, xs);
    for (i = 0; i < ROUNDS; i++) {
        add = load("add.onnx");
        mlp = load("mlp.om");
        OK(aclmdlExecuteAsync(add, input, output, stream));
        dims[0] = 1;
        set_shape(rows, 0, ACL_FLOAT, 2, dims);
        OK(aclmdlExecuteAsync(mlp, rows, results, stream));
        OK(binary("Add", total, total, total, NULL, stream));
        OK(aclmdlUnload(add));
        OK(aclmdlUnload(mlp));
        OK(aclrtSynchronizeStream(stream));
        from_device(sum, aclGetDataBufferAddr(aclmdlGetDatasetBuffer(output, 0)), sizeof sum);
        for (k = 0; k < 6; k++) {
            CHECK(sum[k] == 2 * xs[k]);
        }
        from_device(values, aclGetDataBufferAddr(aclmdlGetDatasetBuffer(results, 0)), 8);
        CHECK(values[0] == 10 && values[1] == 10);
    }
    from_device(sum, total.memory, sizeof sum);
    for (k = 0; k < 6; k++) {
        float expected = xs[k];
        for (i = 0; i < ROUNDS; i++) {
            expected *= 2;
        }
        CHECK(sum[k] == expected);
    }
    EQ(counter.live, 0);
    drop_dataset(input);
    drop_dataset(output);
    drop_dataset(rows);
    drop_dataset(results);
    drop_tensor(total);
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int i;

    start();
    for (i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, works, NULL) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    stop();
    return 0;
}
