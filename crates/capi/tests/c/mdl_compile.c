/* A program compiles a model itself: with the shapes that it chose, from memory, without a device. What is wrong
 * with the bytes or the options is told apart, and nothing is written then. */
#include "models.h"

#include <millpond/compile.h>

static aclError compile(const void *onnx, size_t size, const char *name, const char *value, void **model,
                        size_t *length)
{
    millpondCompileOption option;
    option.name = name;
    option.value = value;
    return millpondCompileModel("m", onnx, size, &option, 1, model, length);
}

int main(void)
{
    millpondCompileOption wrong = {"soc_version", NULL};
    void *made = NULL, *onnx, *garbage;
    size_t length = 0, size = 0, few = 0;
    aclmdlDesc *desc;
    aclmdlIODims dims;
    uint32_t model = 0;
    char path[4096];

    onnx = model_bytes("mlp.onnx", &size);
    garbage = model_bytes("garbage.onnx", &few);

    OK(compile(onnx, size, "input_shape", "x:3,4", &made, &length));
    CHECK(made != NULL && length > size);
    OPEN_DEVICE();
    OK(aclmdlLoadFromMem(made, length, &model));
    desc = aclmdlCreateDesc();
    OK(aclmdlGetDesc(desc, model));
    OK(aclmdlGetInputDims(desc, 0, &dims));
    EQ(dims.dimCount, 2);
    EQ(dims.dims[0], 3);
    OK(aclmdlDestroyDesc(desc));
    OK(aclmdlUnload(model));

    snprintf(path, sizeof path, "%s/made-%d.om", getenv("TEST_MODELS"), (int)getpid());
    OK(millpondSaveModel(path, made, length));
    OK(aclmdlLoadFromFile(path, &model));
    OK(aclmdlUnload(model));
    CHECK(remove(path) == 0);
    CODE(millpondSaveModel("/no/such/folder/x.om", made, length), ACL_ERROR_INVALID_FILE);
    MENTIONS("/no/such/folder/x.om");
    CODE(millpondSaveModel(NULL, made, length), ACL_ERROR_INVALID_PARAM);
    CODE(millpondSaveModel(path, NULL, length), ACL_ERROR_INVALID_PARAM);
    CODE(millpondSaveModel(path, made, 0), ACL_ERROR_INVALID_PARAM);

    OK(millpondFreeModel(made));
    CODE(millpondFreeModel(made), ACL_ERROR_INVALID_PARAM);
    CODE(millpondFreeModel(&model), ACL_ERROR_INVALID_PARAM);
    OK(millpondFreeModel(NULL));

    /* Options that steer an NPU's code change nothing, and one that is not there is named. */
    OK(compile(onnx, size, "ge.exec.precision_mode", "force_fp16", &made, &length));
    OK(millpondFreeModel(made));
    OK(millpondCompileModel(NULL, onnx, size, NULL, 0, &made, &length));
    OK(millpondFreeModel(made));

    made = NULL;
    length = 7;
    CODE(compile(onnx, size, "input_shapes", "x:3,4", &made, &length), ACL_ERROR_INVALID_PARAM);
    MENTIONS("input_shape");
    CODE(compile(onnx, size, "input_shape", "q:3,4", &made, &length), ACL_ERROR_INVALID_PARAM);
    MENTIONS("'q'");
    CODE(compile(onnx, size, "ge.insertOpFile", "a.cfg", &made, &length), ACL_ERROR_INVALID_PARAM);
    CODE(compile(garbage, few, "input_shape", "x:3,4", &made, &length), ACL_ERROR_PARSE_MODEL);
    CODE(compile(NULL, size, "input_shape", "x:3,4", &made, &length), ACL_ERROR_INVALID_PARAM);
    CODE(compile(onnx, 0, "input_shape", "x:3,4", &made, &length), ACL_ERROR_INVALID_PARAM);
    CODE(compile(onnx, size, NULL, "x:3,4", &made, &length), ACL_ERROR_INVALID_PARAM);
    CODE(compile(onnx, size, "input_shape", "x:3,4", NULL, &length), ACL_ERROR_INVALID_PARAM);
    CODE(compile(onnx, size, "input_shape", "x:3,4", &made, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(millpondCompileModel("m", onnx, size, &wrong, 1, &made, &length), ACL_ERROR_INVALID_PARAM);
    CODE(millpondCompileModel("m", onnx, size, NULL, 1, &made, &length), ACL_ERROR_INVALID_PARAM);
    CHECK(made == NULL && length == 7);

    free(onnx);
    free(garbage);
    CLOSE_DEVICE();
    return 0;
}
