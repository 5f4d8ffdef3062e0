/* Models, without a model: numbers of none, empty descriptions, files and memory that are no model, options, data sets. */
#include <sys/stat.h>
#include <unistd.h>

#include "../oracle.h"
#define GROUP "model"

/* A number that no model has. */
enum { NONE = 77 };

static aclmdlDataset *data_set(int buffers)
{
    aclmdlDataset *set = CALL(aclmdlCreateDataset)();
    for (int index = 0; index < buffers; index++) {
        need("aclmdlAddDatasetBuffer", CALL(aclmdlAddDatasetBuffer)(set, CALL(aclCreateDataBuffer)(new_block(64), 64)));
    }
    return set;
}

QUESTION(execute_unknown, "aclmdlExecute aclmdlExecuteV2 aclmdlExecuteAsync aclmdlExecuteAsyncV2", "What do runs of a model return that is not loaded?")
{
    aclmdlDataset *input = data_set(1), *output = data_set(1);
    aclrtStream stream = new_stream();
    code("plain", CALL(aclmdlExecute)(NONE, input, output));
    code("zero", CALL(aclmdlExecute)(0, input, output));
    code("largest", CALL(aclmdlExecute)(UINT32_MAX, input, output));
    code("v2", CALL(aclmdlExecuteV2)(NONE, input, output, stream, NULL));
    code("async", CALL(aclmdlExecuteAsync)(NONE, input, output, stream));
    code("async_v2", CALL(aclmdlExecuteAsyncV2)(NONE, input, output, stream, NULL));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
}

QUESTION(execute_missing, "aclmdlExecute aclmdlExecuteV2 aclmdlExecuteAsync aclmdlExecuteAsyncV2", "What is reported first: the missing data set, or the model that is not loaded?")
{
    aclmdlDataset *input = data_set(1), *output = data_set(1);
    aclrtStream stream = new_stream();
    code("no_input", CALL(aclmdlExecute)(NONE, NULL, output));
    code("no_output", CALL(aclmdlExecute)(NONE, input, NULL));
    code("v2_no_input", CALL(aclmdlExecuteV2)(NONE, NULL, output, stream, NULL));
    code("async_no_input", CALL(aclmdlExecuteAsync)(NONE, NULL, output, stream));
    code("async_no_output", CALL(aclmdlExecuteAsync)(NONE, input, NULL, stream));
    code("async_v2_no_input", CALL(aclmdlExecuteAsyncV2)(NONE, NULL, output, stream, NULL));
    code("empty", CALL(aclmdlExecute)(NONE, data_set(0), data_set(0)));
}

QUESTION(execute_options, "aclmdlExecuteV2 aclmdlExecuteAsyncV2 aclmdlCreateExecConfigHandle", "What do runs with options and in the default stream return for a model that is not loaded?")
{
    aclmdlDataset *input = data_set(1), *output = data_set(1);
    aclmdlExecConfigHandle *options = CALL(aclmdlCreateExecConfigHandle)();
    code("v2", CALL(aclmdlExecuteV2)(NONE, input, output, new_stream(), options));
    code("v2_default", CALL(aclmdlExecuteV2)(NONE, input, output, NULL, options));
    code("async", CALL(aclmdlExecuteAsyncV2)(NONE, input, output, new_stream(), options));
    code("async_default", CALL(aclmdlExecuteAsync)(NONE, input, output, NULL));
}

QUESTION_IN(INITIALISED, execute_without_device, "aclmdlExecute aclmdlUnload aclmdlLoadFromFile aclmdlGetDesc", "What do models return in a thread without a device?")
{
    uint32_t id = 99;
    aclmdlDataset *input = data_set(0), *output = data_set(0);
    code("execute", CALL(aclmdlExecute)(NONE, input, output));
    code("load", CALL(aclmdlLoadFromFile)("/nonexistent.om", &id));
    code("unload", CALL(aclmdlUnload)(NONE));
    code("description", CALL(aclmdlGetDesc)(CALL(aclmdlCreateDesc)(), NONE));
}

QUESTION(unload_unknown, "aclmdlUnload", "What does aclmdlUnload return for numbers that no model has?")
{
    code("zero", CALL(aclmdlUnload)(0));
    code("one", CALL(aclmdlUnload)(1));
    code("largest", CALL(aclmdlUnload)(UINT32_MAX));
}

QUESTION(description_unknown, "aclmdlGetDesc", "What does aclmdlGetDesc return for numbers that no model has, and what does the description say then?")
{
    aclmdlDesc *description = CALL(aclmdlCreateDesc)();
    code("zero", CALL(aclmdlGetDesc)(description, 0));
    code("other", CALL(aclmdlGetDesc)(description, NONE));
    code("largest", CALL(aclmdlGetDesc)(description, UINT32_MAX));
    code("no_description", CALL(aclmdlGetDesc)(NULL, NONE));
    code("inputs", (long long)CALL(aclmdlGetNumInputs)(description));
}

QUESTION(description_sizes, "aclmdlGetInputSizeByIndex aclmdlGetOutputSizeByIndex aclmdlGetInputDimsV2 aclmdlGetOutputDims aclmdlGetCurOutputDims aclmdlGetInputDimsRange", "Which sizes and dimensions does an empty description have, and may the result be missing?")
{
    aclmdlIODims dims;
    aclmdlIODimsRange range;
    aclmdlDesc *description = CALL(aclmdlCreateDesc)();
    code("input", (long long)CALL(aclmdlGetInputSizeByIndex)(description, 0));
    code("output", (long long)CALL(aclmdlGetOutputSizeByIndex)(description, 0));
    code("output_far", (long long)CALL(aclmdlGetOutputSizeByIndex)(description, 1000000));
    code("input_dims", CALL(aclmdlGetInputDimsV2)(description, 0, &dims));
    code("output_dims", CALL(aclmdlGetOutputDims)(description, 0, &dims));
    code("current", CALL(aclmdlGetCurOutputDims)(description, 0, &dims));
    code("range", CALL(aclmdlGetInputDimsRange)(description, 0, &range));
    code("no_input_dims", CALL(aclmdlGetInputDimsV2)(description, 0, NULL));
    code("no_output_dims", CALL(aclmdlGetOutputDims)(description, 0, NULL));
    code("no_current", CALL(aclmdlGetCurOutputDims)(description, 0, NULL));
    code("no_range", CALL(aclmdlGetInputDimsRange)(description, 0, NULL));
}

QUESTION(description_names, "aclmdlGetInputNameByIndex aclmdlGetOutputNameByIndex aclmdlGetInputIndexByName aclmdlGetOutputIndexByName aclmdlGetTensorRealName", "Which names does an empty description have?")
{
    size_t index = 99;
    aclmdlDesc *description = CALL(aclmdlCreateDesc)();
    const char *input = CALL(aclmdlGetInputNameByIndex)(description, 0);
    const char *output = CALL(aclmdlGetOutputNameByIndex)(description, 0);
    fact("input", "%s", input ? "set" : "NULL");
    fact("input_text", "%.32s", input ? input : "");
    fact("output", "%s", output ? "set" : "NULL");
    fact("output_text", "%.32s", output ? output : "");
    RESULT("input_index", CALL(aclmdlGetInputIndexByName)(description, "x", &index), index);
    RESULT("output_index", CALL(aclmdlGetOutputIndexByName)(description, "x", &index), index);
    code("dynamic_index", CALL(aclmdlGetInputIndexByName)(description, ACL_DYNAMIC_TENSOR_NAME, &index));
    code("empty_name", CALL(aclmdlGetInputIndexByName)(description, "", &index));
    code("no_name", CALL(aclmdlGetInputIndexByName)(description, NULL, &index));
    code("no_index", CALL(aclmdlGetOutputIndexByName)(description, "x", NULL));
    fact("real", "%s", pointer(CALL(aclmdlGetTensorRealName)(description, "x")));
    fact("real_none", "%s", pointer(CALL(aclmdlGetTensorRealName)(description, NULL)));
}

QUESTION(description_types, "aclmdlGetInputFormat aclmdlGetOutputFormat aclmdlGetInputDataType aclmdlGetOutputDataType", "Which formats and types does an empty description have?")
{
    aclmdlDesc *description = CALL(aclmdlCreateDesc)();
    code("input_format", CALL(aclmdlGetInputFormat)(description, 0));
    code("output_format", CALL(aclmdlGetOutputFormat)(description, 0));
    code("input_type", CALL(aclmdlGetInputDataType)(description, 0));
    code("output_type", CALL(aclmdlGetOutputDataType)(description, 0));
    code("far_format", CALL(aclmdlGetInputFormat)(description, SIZE_MAX));
    code("far_type", CALL(aclmdlGetOutputDataType)(description, SIZE_MAX));
}

QUESTION(description_gears, "aclmdlGetDynamicBatch aclmdlGetDynamicHW aclmdlGetInputDynamicGearCount aclmdlGetInputDynamicDims", "Which gears does an empty description have?")
{
    aclmdlBatch batch;
    aclmdlHW sizes;
    aclmdlIODims dims[2];
    size_t count = 99;
    aclmdlDesc *description = CALL(aclmdlCreateDesc)();
    memset(&batch, 7, sizeof batch);
    memset(&sizes, 7, sizeof sizes);
    RESULT("batch", CALL(aclmdlGetDynamicBatch)(description, &batch), batch.batchCount == 0);
    RESULT("sizes", CALL(aclmdlGetDynamicHW)(description, SIZE_MAX, &sizes), sizes.hwCount == 0);
    code("sizes_first", CALL(aclmdlGetDynamicHW)(description, 0, &sizes));
    RESULT("count", CALL(aclmdlGetInputDynamicGearCount)(description, SIZE_MAX, &count), count);
    code("count_first", CALL(aclmdlGetInputDynamicGearCount)(description, 0, &count));
    code("dims", CALL(aclmdlGetInputDynamicDims)(description, SIZE_MAX, dims, 2));
    code("dims_none", CALL(aclmdlGetInputDynamicDims)(description, SIZE_MAX, dims, 0));
    code("no_batch", CALL(aclmdlGetDynamicBatch)(description, NULL));
    code("no_sizes", CALL(aclmdlGetDynamicHW)(description, SIZE_MAX, NULL));
    code("no_count", CALL(aclmdlGetInputDynamicGearCount)(description, SIZE_MAX, NULL));
    code("no_dims", CALL(aclmdlGetInputDynamicDims)(description, SIZE_MAX, NULL, 2));
}

QUESTION_ALONE(description_twice, "aclmdlDestroyDesc aclmdlDestroyConfigHandle", "What does destroying a description and options twice return?")
{
    aclmdlDesc *description = CALL(aclmdlCreateDesc)();
    aclmdlConfigHandle *options = CALL(aclmdlCreateConfigHandle)();
    code("description", CALL(aclmdlDestroyDesc)(description));
    code("description_again", CALL(aclmdlDestroyDesc)(description));
    code("options", CALL(aclmdlDestroyConfigHandle)(options));
    code("options_again", CALL(aclmdlDestroyConfigHandle)(options));
}

QUESTION(gears_unknown, "aclmdlSetDynamicBatchSize aclmdlSetDynamicHWSize aclmdlSetInputDynamicDims", "What does choosing a gear return for a model that is not loaded?")
{
    aclmdlDataset *input = data_set(1);
    aclmdlIODims dims;
    memset(&dims, 0, sizeof dims);
    dims.dimCount = 1;
    dims.dims[0] = 4;
    code("batch", CALL(aclmdlSetDynamicBatchSize)(NONE, input, 0, 4));
    code("batch_zero", CALL(aclmdlSetDynamicBatchSize)(NONE, input, 0, 0));
    code("batch_outside", CALL(aclmdlSetDynamicBatchSize)(NONE, input, 9, 4));
    code("size", CALL(aclmdlSetDynamicHWSize)(NONE, input, 0, 32, 32));
    code("size_zero", CALL(aclmdlSetDynamicHWSize)(NONE, input, 0, 0, 32));
    code("dims", CALL(aclmdlSetInputDynamicDims)(NONE, input, 0, &dims));
    dims.dimCount = 0;
    code("dims_empty", CALL(aclmdlSetInputDynamicDims)(NONE, input, 0, &dims));
    code("no_dims", CALL(aclmdlSetInputDynamicDims)(NONE, input, 0, NULL));
    code("no_set", CALL(aclmdlSetDynamicBatchSize)(NONE, NULL, 0, 4));
    code("no_set_size", CALL(aclmdlSetDynamicHWSize)(NONE, NULL, 0, 32, 32));
}

QUESTION(preprocessing_unknown, "aclmdlGetAippType aclmdlGetFirstAippInfo", "What is the image preprocessing of a model that is not loaded?")
{
    static aclAippInfo info;
    aclmdlInputAippType type = (aclmdlInputAippType)99;
    size_t attached = 99;
    RESULT("type", CALL(aclmdlGetAippType)(NONE, 0, &type, &attached), type);
    code("largest", CALL(aclmdlGetAippType)(UINT32_MAX, 0, &type, &attached));
    code("no_type", CALL(aclmdlGetAippType)(NONE, 0, NULL, &attached));
    code("no_index", CALL(aclmdlGetAippType)(NONE, 0, &type, NULL));
    code("info", CALL(aclmdlGetFirstAippInfo)(NONE, 0, &info));
    code("no_info", CALL(aclmdlGetFirstAippInfo)(NONE, 0, NULL));
}

/* Every way to read a file that is no model. */
static void tried(const char *name, const char *path)
{
    uint32_t id = 99;
    size_t work = 99, weights = 99;
    aclmdlDesc *description = CALL(aclmdlCreateDesc)();
    aclError load = CALL(aclmdlLoadFromFile)(path, &id);
    aclError size = CALL(aclmdlQuerySize)(path, &work, &weights);
    fact(name, "%d:%d:%d", load, size, CALL(aclmdlGetDescFromFile)(description, path));
    CALL(aclmdlDestroyDesc)(description);
}

static void tried_with(const char *name, const void *bytes, size_t count)
{
    char path[] = "/tmp/oracle-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) {
        need("mkstemp", 1);
    }
    bool written = write(file, bytes, count) == (ssize_t)count;
    close(file);
    if (written) {
        tried(name, path);
    }
    remove(path);
}

QUESTION(files, "aclmdlLoadFromFile aclmdlQuerySize aclmdlGetDescFromFile", "What do loading, sizes and descriptions return for files that are no model: missing, a folder, empty, text, and with the mark of a compiled model only?")
{
    char nonsense[4096] = "nonsense", marked[4096] = "IMOD";
    char folder[] = "/tmp/oracle-XXXXXX";
    tried("absent", "/nonexistent/oracle.om");
    tried("no_name", "");
    tried("null", NULL);
    if (mkdtemp(folder)) {
        tried("folder", folder);
        rmdir(folder);
    }
    tried_with("empty", "", 0);
    tried_with("one_byte", "x", 1);
    tried_with("text", nonsense, sizeof nonsense);
    tried_with("marked", marked, sizeof marked);
    tried_with("only_mark", marked, 4);
}

QUESTION(memory, "aclmdlLoadFromMem aclmdlQuerySizeFromMem aclmdlGetDescFromMem", "What do loading, sizes and descriptions return for memory that is no model, by its size?")
{
    static const size_t sizes[] = {0, 1, 4, 255, 256, 257, 4096};
    static const char marked[4096] = "IMOD";
    uint32_t id = 99;
    size_t work = 99, weights = 99;
    aclmdlDesc *description = CALL(aclmdlCreateDesc)();
    for (size_t index = 0; index < sizeof sizes / sizeof *sizes; index++) {
        char name[16];
        aclError load = CALL(aclmdlLoadFromMem)(marked, sizes[index], &id);
        aclError size = CALL(aclmdlQuerySizeFromMem)(marked, sizes[index], &work, &weights);
        snprintf(name, sizeof name, "s%zu", sizes[index]);
        fact(name, "%d:%d:%d", load, size, CALL(aclmdlGetDescFromMem)(description, marked, sizes[index]));
    }
    code("null", CALL(aclmdlLoadFromMem)(NULL, 4096, &id));
    code("no_id", CALL(aclmdlLoadFromMem)(marked, sizeof marked, NULL));
    code("no_sizes", CALL(aclmdlQuerySizeFromMem)(marked, sizeof marked, NULL, NULL));
    code("no_description", CALL(aclmdlGetDescFromMem)(NULL, marked, sizeof marked));
}

QUESTION(load_with_memory, "aclmdlLoadFromFileWithMem aclmdlLoadFromMemWithMem", "What do they return without a model, with and without memory?")
{
    static const char marked[4096] = "IMOD";
    uint32_t id = 99;
    void *block = new_block(4096);
    code("file", CALL(aclmdlLoadFromFileWithMem)("/nonexistent.om", &id, block, 4096, NULL, 0));
    code("file_bare", CALL(aclmdlLoadFromFileWithMem)("/nonexistent.om", &id, NULL, 0, NULL, 0));
    code("file_no_id", CALL(aclmdlLoadFromFileWithMem)("/nonexistent.om", NULL, block, 4096, NULL, 0));
    code("memory", CALL(aclmdlLoadFromMemWithMem)(marked, sizeof marked, &id, block, 4096, NULL, 0));
    code("memory_bare", CALL(aclmdlLoadFromMemWithMem)(marked, sizeof marked, &id, NULL, 0, NULL, 0));
    code("memory_null", CALL(aclmdlLoadFromMemWithMem)(NULL, 4096, &id, block, 4096, NULL, 0));
    code("memory_empty", CALL(aclmdlLoadFromMemWithMem)(marked, 0, &id, block, 4096, NULL, 0));
}

QUESTION(load_options, "aclmdlSetConfigOpt", "Which options of loading are accepted, with a value of 8 bytes and one of 4?")
{
    const char *path = "/nonexistent.om";
    void *block = new_block(4096);
    for (int option = 0; option <= 30; option++) {
        aclmdlConfigHandle *options = CALL(aclmdlCreateConfigHandle)();
        uint64_t value = 1;
        char name[16];
        switch (option) {
        case ACL_MDL_PATH_PTR:
        case ACL_MDL_WEIGHT_PATH_PTR:
            value = (uint64_t)(uintptr_t)path;
            break;
        case ACL_MDL_MEM_ADDR_PTR:
        case ACL_MDL_WEIGHT_ADDR_PTR:
        case ACL_MDL_WORKSPACE_ADDR_PTR:
            value = (uint64_t)(uintptr_t)block;
            break;
        default:
            break;
        }
        aclError eight = CALL(aclmdlSetConfigOpt)(options, (aclmdlConfigAttr)option, &value, 8);
        snprintf(name, sizeof name, "o%d", option);
        fact(name, "%d:%d", eight, CALL(aclmdlSetConfigOpt)(options, (aclmdlConfigAttr)option, &value, 4));
        CALL(aclmdlDestroyConfigHandle)(options);
    }
}

QUESTION(load_incomplete, "aclmdlLoadWithConfig aclmdlSetConfigOpt", "What does loading with options return if some are missing or wrong?")
{
    uint32_t id = 99;
    size_t kind = ACL_MDL_LOAD_FROM_FILE, bytes = 4096, unlisted = 99;
    const char *path = "/nonexistent.om", *empty = "";
    static const char marked[4096] = "IMOD";
    const void *memory = marked;
    aclmdlConfigHandle *options = CALL(aclmdlCreateConfigHandle)();
    code("kind", CALL(aclmdlSetConfigOpt)(options, ACL_MDL_LOAD_TYPE_SIZET, &kind, sizeof kind));
    code("no_path", CALL(aclmdlLoadWithConfig)(options, &id));
    code("path", CALL(aclmdlSetConfigOpt)(options, ACL_MDL_PATH_PTR, &path, sizeof path));
    code("absent", CALL(aclmdlLoadWithConfig)(options, &id));
    code("empty_path", CALL(aclmdlSetConfigOpt)(options, ACL_MDL_PATH_PTR, &empty, sizeof empty));
    kind = ACL_MDL_LOAD_FROM_MEM;
    code("memory_kind", CALL(aclmdlSetConfigOpt)(options, ACL_MDL_LOAD_TYPE_SIZET, &kind, sizeof kind));
    code("no_memory", CALL(aclmdlLoadWithConfig)(options, &id));
    code("memory", CALL(aclmdlSetConfigOpt)(options, ACL_MDL_MEM_ADDR_PTR, &memory, sizeof memory));
    code("no_size", CALL(aclmdlLoadWithConfig)(options, &id));
    code("size", CALL(aclmdlSetConfigOpt)(options, ACL_MDL_MEM_SIZET, &bytes, sizeof bytes));
    code("no_model", CALL(aclmdlLoadWithConfig)(options, &id));
    code("unlisted", CALL(aclmdlSetConfigOpt)(options, ACL_MDL_LOAD_TYPE_SIZET, &unlisted, sizeof unlisted));
    code("load_unlisted", CALL(aclmdlLoadWithConfig)(options, &id));
    code("no_value", CALL(aclmdlSetConfigOpt)(options, ACL_MDL_PRIORITY_INT32, NULL, 4));
    code("no_id", CALL(aclmdlLoadWithConfig)(options, NULL));
}

QUESTION(run_options, "aclmdlSetExecConfigOpt", "Which options of a run are accepted, with a value of 8 bytes and one of 4?")
{
    void *block = new_block(4096);
    for (int option = 0; option <= 10; option++) {
        aclmdlExecConfigHandle *options = CALL(aclmdlCreateExecConfigHandle)();
        uint64_t value = option == ACL_MDL_WORK_ADDR_PTR ? (uint64_t)(uintptr_t)block : 1;
        char name[16];
        aclError eight = CALL(aclmdlSetExecConfigOpt)(options, (aclmdlExecConfigAttr)option, &value, 8);
        snprintf(name, sizeof name, "o%d", option);
        fact(name, "%d:%d", eight, CALL(aclmdlSetExecConfigOpt)(options, (aclmdlExecConfigAttr)option, &value, 4));
        CALL(aclmdlDestroyExecConfigHandle)(options);
    }
}

QUESTION(priorities, "aclmdlSetConfigOpt aclmdlSetExecConfigOpt", "Which priorities of models and runs are accepted?")
{
    static const int32_t values[] = {-1, 0, 1, 7, 8, 100};
    aclmdlConfigHandle *options = CALL(aclmdlCreateConfigHandle)();
    aclmdlExecConfigHandle *run = CALL(aclmdlCreateExecConfigHandle)();
    for (size_t index = 0; index < sizeof values / sizeof *values; index++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", values[index]);
        aclError load = CALL(aclmdlSetConfigOpt)(options, ACL_MDL_PRIORITY_INT32, &values[index], sizeof values[index]);
        fact(name, "%d:%d", load, CALL(aclmdlSetExecConfigOpt)(run, ACL_MDL_EXEC_PRIORITY_INT32, &values[index], sizeof values[index]));
    }
}

QUESTION(data_set_description, "aclmdlSetDatasetTensorDesc aclmdlGetDatasetTensorDesc", "Is a description copied into a data set, and may it be replaced and removed?")
{
    int64_t dims[2] = {4, 3};
    aclmdlDataset *set = data_set(2);
    aclTensorDesc *first = CALL(aclCreateTensorDesc)(ACL_FLOAT, 1, dims, ACL_FORMAT_ND), *second = CALL(aclCreateTensorDesc)(ACL_INT32, 2, dims, ACL_FORMAT_ND);
    code("set", CALL(aclmdlSetDatasetTensorDesc)(set, first, 1));
    aclTensorDesc *kept = CALL(aclmdlGetDatasetTensorDesc)(set, 1);
    fact("kept", "%s", kept == first ? "same" : kept ? "copy" : "NULL");
    CALL(aclDestroyTensorDesc)(first);
    code("replace", CALL(aclmdlSetDatasetTensorDesc)(set, second, 1));
    kept = CALL(aclmdlGetDatasetTensorDesc)(set, 1);
    code("type", kept ? (long long)CALL(aclGetTensorDescType)(kept) : -1);
    code("rank", kept ? (long long)CALL(aclGetTensorDescNumDims)(kept) : -1);
    code("remove", CALL(aclmdlSetDatasetTensorDesc)(set, NULL, 1));
    fact("then", "%s", pointer(CALL(aclmdlGetDatasetTensorDesc)(set, 1)));
    fact("outside", "%s", pointer(CALL(aclmdlGetDatasetTensorDesc)(set, 2)));
}

QUESTION(data_set_many, "aclmdlAddDatasetBuffer aclmdlGetDatasetNumBuffers aclmdlGetDatasetBuffer aclmdlDestroyDataset", "How many buffers does a data set take, and are they usable after its end?")
{
    char bytes[8];
    aclmdlDataset *set = CALL(aclmdlCreateDataset)();
    aclDataBuffer *buffer = CALL(aclCreateDataBuffer)(bytes, sizeof bytes);
    code("none", CALL(aclmdlAddDatasetBuffer)(set, NULL));
    for (int index = 0; index < 1000; index++) {
        need("aclmdlAddDatasetBuffer", CALL(aclmdlAddDatasetBuffer)(set, CALL(aclCreateDataBuffer)(bytes, sizeof bytes)));
    }
    code("count", (long long)CALL(aclmdlGetDatasetNumBuffers)(set));
    code("last", CALL(aclmdlAddDatasetBuffer)(set, buffer));
    fact("is", "%s", CALL(aclmdlGetDatasetBuffer)(set, 1000) == buffer ? "same" : "other");
    code("destroy", CALL(aclmdlDestroyDataset)(set));
    code("size", (long long)CALL(aclGetDataBufferSizeV2)(buffer));
}
