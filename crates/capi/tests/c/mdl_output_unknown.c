/* Outputs whose size only the run tells: a run that is waited for finds memory for
 * them, one that is queued says that it cannot. */
#include "models.h"

int main(void)
{
    const float values[8] = {0, 1, 0, 0, 2, 0, 3, 0}, none[8] = {0};
    aclmdlDataset *input = aclmdlCreateDataset(), *output = aclmdlCreateDataset();
    aclDataBuffer *y;
    aclTensorDesc *desc;
    aclrtStream stream;
    void *x_memory, *found, *own;
    int64_t places[8], dim = 0;
    uint32_t model;

    start();
    OK(aclrtCreateStream(&stream));
    model = load("nonzero.onnx");
    x_memory = to_device(values, sizeof values);
    add_buffer(input, x_memory, sizeof values);
    y = add_buffer(output, NULL, 0);

    CODE(aclmdlExecuteAsync(model, input, output, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("aclmdlExecute");
    EQ_PTR(aclGetDataBufferAddr(y), NULL);

    OK(aclmdlExecute(model, input, output));
    found = aclGetDataBufferAddr(y);
    CHECK(found != NULL);
    EQ(aclGetDataBufferSizeV2(y), 3 * 8);
    desc = aclmdlGetDatasetTensorDesc(output, 0);
    EQ(aclGetTensorDescNumDims(desc), 2);
    OK(aclGetTensorDescDimV2(desc, 1, &dim));
    EQ(dim, 3);
    from_device(places, found, 3 * 8);
    EQ(places[0], 1);
    EQ(places[1], 4);
    EQ(places[2], 6);
    /* It is the program's. */
    OK(aclrtFree(found));
    OK(aclUpdateDataBuffer(y, NULL, 0));
    OK(aclmdlExecuteV2(model, input, output, stream, NULL));
    found = aclGetDataBufferAddr(y);
    CHECK(found != NULL);
    OK(aclrtFree(found));

    /* Into memory of the program's own, of which less may be used; or of which there is too little. */
    own = to_device(NULL, 64);
    OK(aclUpdateDataBuffer(y, own, 64));
    OK(aclmdlExecute(model, input, output));
    from_device(places, own, 3 * 8);
    EQ(places[2], 6);
    EQ(aclGetDataBufferSizeV2(y), 64);
    OK(aclmdlExecuteAsync(model, input, output, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(aclGetTensorDescSize(aclmdlGetDatasetTensorDesc(output, 0)), 24);
    OK(aclUpdateDataBuffer(y, own, 16));
    FAILS(aclmdlExecute(model, input, output));
    MENTIONS("24");
    MENTIONS("16");
    FAILS(aclmdlExecuteAsync(model, input, output, stream));
    OK(aclrtFree(own));

    /* The program's own memory is no place for an output, of whatever size it turns out to be. */
    OK(aclUpdateDataBuffer(y, places, sizeof places));
    places[2] = 77;
    FAILS(aclmdlExecute(model, input, output));
    FAILS(aclmdlExecuteAsync(model, input, output, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(places[2], 77);

    /* Nothing at all. */
    OK(aclrtMemcpy(x_memory, sizeof none, none, sizeof none, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclUpdateDataBuffer(y, NULL, 0));
    OK(aclmdlExecute(model, input, output));
    EQ(aclGetDataBufferSizeV2(y), 0);
    if (aclGetDataBufferAddr(y) != NULL) {
        OK(aclrtFree(aclGetDataBufferAddr(y)));
        OK(aclUpdateDataBuffer(y, NULL, 0));
    }

    drop_dataset(input);
    drop_dataset(output);
    OK(aclmdlUnload(model));
    OK(aclrtDestroyStream(stream));
    stop();
    return 0;
}
