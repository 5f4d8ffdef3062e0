// rule: memory.use-after-free memory.freed-in-use
// wrong: the program frees the weight memory that it lent to the model, and runs the model again
#include "models.h"

enum { ROWS = 3 };

static float run(uint32_t model, aclmdlDataset *input, aclmdlDataset *output, void *out)
{
    float y[ROWS * 2];
    ACL(aclmdlExecute(model, input, output));
    download(y, out, sizeof y);
    return y[0];
}

int main(void)
{
    float x[ROWS * 4];
    size_t work_size = 0, weight_size = 0;
    uint32_t model = 0;
    start();
    ACL(aclmdlQuerySize(model_path("fixed.om"), &work_size, &weight_size));
    void *work = device_memory(work_size ? work_size : 1), *weights = device_memory(weight_size ? weight_size : 1);
    ACL(aclmdlLoadFromFileWithMem(model_path("fixed.om"), &model, work, work_size, weights, weight_size));
    void *in = device_memory(sizeof x), *out = device_memory(ROWS * 2 * sizeof(float));
    for (int i = 0; i < ROWS * 4; i++)
        x[i] = 0.5f;
    upload(in, x, sizeof x);
    aclmdlDataset *input = dataset_of(in, sizeof x), *output = dataset_of(out, ROWS * 2 * sizeof(float));
    EXPECT(run(model, input, output, out) == 2);
#ifdef WRONG
    ACL(aclrtFree(weights));
    EXPECT(run(model, input, output, out) == 2);
    ACL(aclmdlUnload(model));
#else
    EXPECT(run(model, input, output, out) == 2);
    ACL(aclmdlUnload(model));
    ACL(aclrtFree(weights));
#endif
    ACL(aclrtFree(work));
    drop_dataset(output);
    drop_dataset(input);
    ACL(aclrtFree(out));
    ACL(aclrtFree(in));
    return finish();
}
