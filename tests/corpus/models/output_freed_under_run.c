// rule: memory.freed-in-use
// wrong: the request is torn down with its buffers while the model still runs on them
#include "models.h"

enum { ROWS = 8 };

typedef struct {
    void *in, *out;
    aclmdlDataset *input, *output;
} Request;

static Request request(void)
{
    Request r;
    float x[ROWS * 4];
    for (int i = 0; i < ROWS * 4; i++)
        x[i] = 1;
    r.in = device_memory(sizeof x);
    r.out = device_memory(ROWS * 2 * sizeof(float));
    upload(r.in, x, sizeof x);
    r.input = dataset_of(r.in, sizeof x);
    r.output = dataset_of(r.out, ROWS * 2 * sizeof(float));
    set_rows(r.input, ROWS, 4);
    return r;
}

static void request_end(Request r)
{
    drop_dataset(r.output);
    drop_dataset(r.input);
    ACL(aclrtFree(r.out));
    ACL(aclrtFree(r.in));
}

int main(void)
{
    float y[ROWS * 2];
    start();
    aclrtStream stream = new_stream();
    uint32_t model = load_model("mlp.om");
    for (int i = 0; i < 3; i++) {
        Request r = request();
        ACL(aclmdlExecuteAsync(model, r.input, r.output, stream));
#ifndef WRONG
        ACL(aclrtSynchronizeStream(stream));
        download(y, r.out, sizeof y);
        EXPECT(y[0] == 4 && y[ROWS * 2 - 1] == 4);
#endif
        request_end(r);
    }
    (void)y;
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclmdlUnload(model));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
