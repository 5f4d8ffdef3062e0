/* What is said about files that are no models, or models of others? Every way in:
 * by path, from memory, with memory, by options, and for questions only. */
#include "models.h"

static void refused(const char *name, aclError code, const char *word)
{
    uint32_t model = 77;
    size_t work = 77, weights = 77;
    aclmdlDesc *desc = aclmdlCreateDesc();

    CODE(aclmdlLoadFromFile(model_path(name), &model), code);
    MENTIONS(word);
    MENTIONS(name);
    CODE(aclmdlLoadFromFileWithMem(model_path(name), &model, NULL, 0, NULL, 0), code);
    CODE(aclmdlQuerySize(model_path(name), &work, &weights), code);
    CODE(aclmdlGetDescFromFile(desc, model_path(name)), code);
    EQ(model, 77);
    EQ(work, 77);
    EQ(weights, 77);
    EQ(aclmdlGetNumInputs(desc), 0);
    OK(aclmdlDestroyDesc(desc));
}

static void from_memory(const char *name, aclError code)
{
    uint32_t model = 77;
    size_t size, work = 77, weights = 77;
    void *bytes = model_bytes(name, &size);
    aclmdlDesc *desc = aclmdlCreateDesc();

    CODE(aclmdlLoadFromMem(bytes, size, &model), code);
    MENTIONS("memory");
    CODE(aclmdlLoadFromMemWithMem(bytes, size, &model, NULL, 0, NULL, 0), code);
    CODE(aclmdlQuerySizeFromMem(bytes, size, &work, &weights), code);
    CODE(aclmdlGetDescFromMem(desc, bytes, size), code);
    EQ(model, 77);
    OK(aclmdlDestroyDesc(desc));
    free(bytes);
}

int main(void)
{
    uint32_t model = 77;
    size_t work, weights, type = ACL_MDL_LOAD_FROM_FILE, queues = ACL_MDL_LOAD_FROM_FILE_WITH_Q;
    aclmdlConfigHandle *options;
    char bytes[16] = {0};
    const char *path;

    start();
    refused("missing.om", ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, "cannot read");
    refused("ops", ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, "cannot read");
    refused("empty.onnx", ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, "empty");
    refused("garbage.onnx", ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, "ONNX");
    refused("cut.om", ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, "truncated");
    refused("npu.om", ACL_ERROR_API_NOT_SUPPORT, "resnet");
    refused("npu.om", ACL_ERROR_API_NOT_SUPPORT, "millpond atc");
    refused("ops/add.om", ACL_ERROR_API_NOT_SUPPORT, "aclopLoad");
    from_memory("garbage.onnx", ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID);
    from_memory("cut.om", ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID);
    from_memory("npu.om", ACL_ERROR_API_NOT_SUPPORT);

    CODE(aclmdlLoadFromFile(NULL, &model), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlLoadFromFile(model_path("add.onnx"), NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlLoadFromMem(NULL, 8, &model), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlLoadFromMem(bytes, 0, &model), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlQuerySize(model_path("add.onnx"), NULL, &weights), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlQuerySize(model_path("add.onnx"), &work, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlUnload(4711), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);

    /* What is told may be allocated: there is no allocation of nothing. */
    OK(aclmdlQuerySize(model_path("add.onnx"), &work, &weights));
    CHECK(work > 0 && weights > 0);
    OK(aclmdlQuerySize(model_path("mlp.om"), &work, &weights));
    CHECK(weights >= (32 + 16) * 4);
    CODE(aclmdlLoadFromFileWithMem(model_path("mlp.om"), &model, bytes, 1, NULL, 0), ACL_ERROR_INVALID_PARAM);
    MENTIONS("aclmdlQuerySize");

    /* Options that do not say enough, or ask for queues. */
    options = aclmdlCreateConfigHandle();
    CODE(aclmdlLoadWithConfig(options, &model), ACL_ERROR_INVALID_PARAM);
    MENTIONS("ACL_MDL_LOAD_TYPE_SIZET");
    OK(aclmdlSetConfigOpt(options, ACL_MDL_LOAD_TYPE_SIZET, &type, sizeof type));
    CODE(aclmdlLoadWithConfig(options, &model), ACL_ERROR_INVALID_PARAM);
    MENTIONS("ACL_MDL_PATH_PTR");
    path = model_path("missing.om");
    OK(aclmdlSetConfigOpt(options, ACL_MDL_PATH_PTR, &path, sizeof path));
    CODE(aclmdlLoadWithConfig(options, &model), ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID);
    OK(aclmdlSetConfigOpt(options, ACL_MDL_LOAD_TYPE_SIZET, &queues, sizeof queues));
    CODE(aclmdlLoadWithConfig(options, &model), ACL_ERROR_API_NOT_SUPPORT);
    queues = 99;
    OK(aclmdlSetConfigOpt(options, ACL_MDL_LOAD_TYPE_SIZET, &queues, sizeof queues));
    CODE(aclmdlLoadWithConfig(options, &model), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlLoadWithConfig(NULL, &model), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlLoadWithConfig(options, NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclmdlDestroyConfigHandle(options));
    EQ(model, 77);
    stop();
    return 0;
}
