// rule: memory.out-of-bounds
// wrong: the dataset says that the input has room for three rows, the memory has room for two
#include "models.h"

enum { ROWS = 3 };

int main(void)
{
    float x[ROWS * 4], y[ROWS * 2];
    start();
    uint32_t model = load_model("fixed.om");
#ifdef WRONG
    size_t rows = 2;
#else
    size_t rows = ROWS;
#endif
    void *in = device_memory(rows * 1024), *out = device_memory(sizeof y);
    char *place = (char *)in + rows * 1024 - rows * 4 * sizeof(float);
    for (int i = 0; i < ROWS * 4; i++)
        x[i] = 1;
    upload(place, x, rows * 4 * sizeof(float));
    aclmdlDataset *input = dataset_of(place, sizeof x), *output = dataset_of(out, sizeof y);
    if (TRY(aclmdlExecute(model, input, output)) == ACL_SUCCESS) {
        download(y, out, sizeof y);
        for (int i = 0; i < ROWS * 2; i++)
            EXPECT(y[i] == 4);
    }
    drop_dataset(output);
    drop_dataset(input);
    ACL(aclmdlUnload(model));
    ACL(aclrtFree(out));
    ACL(aclrtFree(in));
    return finish();
}
