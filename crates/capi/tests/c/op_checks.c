/* Which code for which mistake? The checks of the functions that run operators, in
 * their order. */
#include "ops.h"

static const float one[4] = {1, 2, 3, 4};
static Tensor a, b, out;
static const aclTensorDesc *descs[2], *results[1];
static const aclDataBuffer *inputs[2];
static aclDataBuffer *outputs[1];

static void reset(void)
{
    descs[0] = a.desc;
    descs[1] = b.desc;
    results[0] = out.desc;
    inputs[0] = a.buffer;
    inputs[1] = b.buffer;
    outputs[0] = out.buffer;
}

static aclError run_as(const char *type, int in, int outs, aclopCompileType flag, const char *path)
{
    return aclopCompileAndExecute(type, in, descs, inputs, outs, results, outputs, NULL, ACL_ENGINE_SYS, flag, path,
                                  NULL);
}

static aclError run(void)
{
    return run_as("Add", 2, 1, ACL_COMPILE_SYS, NULL);
}

static aclError run_before(const char *type)
{
    return aclopExecute(type, 2, descs, inputs, 1, results, outputs, NULL, NULL);
}

static aclError compile(const char *type, aclopCompileType flag, const char *path)
{
    return aclopCompile(type, 2, descs, 1, results, NULL, ACL_ENGINE_SYS, flag, path);
}

static void arguments(void)
{
    reset();
    OK(run());
    CODE(run_as(NULL, 2, 1, ACL_COMPILE_SYS, NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("opType");
    CODE(run_as("Add", -1, 1, ACL_COMPILE_SYS, NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("numInputs");
    CODE(run_as("Add", 2, -1, ACL_COMPILE_SYS, NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("numOutputs");
    CODE(run_as("Add", 2, 1, (aclopCompileType)7, NULL), ACL_ERROR_API_NOT_SUPPORT);
    CODE(run_as("Add", 2, 1, ACL_COMPILE_UNREGISTERED, NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("opPath");
    CODE(run_as("Add", 2, 1, ACL_COMPILE_UNREGISTERED, "folder"), ACL_ERROR_API_NOT_SUPPORT);
    CODE(compile(NULL, ACL_COMPILE_SYS, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(compile("Add", (aclopCompileType)7, NULL), ACL_ERROR_API_NOT_SUPPORT);
    CODE(compile("Add", ACL_COMPILE_UNREGISTERED, NULL), ACL_ERROR_INVALID_PARAM);

    CODE(aclopCompileAndExecute("Add", 2, NULL, inputs, 1, results, outputs, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                                NULL, NULL),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclopCompileAndExecute("Add", 2, descs, NULL, 1, results, outputs, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                                NULL, NULL),
         ACL_ERROR_INVALID_PARAM);
    descs[1] = NULL;
    CODE(run(), ACL_ERROR_INVALID_PARAM);
    MENTIONS("'inputDesc[1]' is NULL");
    reset();
    results[0] = NULL;
    CODE(run(), ACL_ERROR_INVALID_PARAM);
    MENTIONS("'outputDesc[0]' is NULL");
    reset();
    inputs[0] = NULL;
    CODE(run(), ACL_ERROR_INVALID_PARAM);
    MENTIONS("'inputs[0]' is NULL");
    reset();
    outputs[0] = NULL;
    CODE(run(), ACL_ERROR_INVALID_PARAM);
    MENTIONS("'outputs[0]' is NULL");
    reset();
}

static void tensors(void)
{
    const int64_t open[1] = {-1}, rank[1] = {-2}, empty[1] = {0}, eight[1] = {8};
    aclDataBuffer *none = aclCreateDataBuffer(NULL, 16), *small = aclCreateDataBuffer(out.memory, 15);
    aclTensorDesc *desc;

    inputs[0] = none;
    CODE(run(), ACL_ERROR_INVALID_PARAM);
    MENTIONS("NULL");
    reset();
    outputs[0] = small;
    CODE(run(), ACL_ERROR_INVALID_PARAM);
    MENTIONS("15 bytes");
    reset();

    /* Every dimension has to be known. */
    desc = aclCreateTensorDesc(ACL_FLOAT, 1, open, ACL_FORMAT_ND);
    descs[0] = desc;
    CODE(run(), ACL_ERROR_INVALID_PARAM);
    MENTIONS("dimension");
    reset();
    results[0] = desc;
    CODE(run(), ACL_ERROR_INVALID_PARAM);
    aclDestroyTensorDesc(desc);
    reset();
    desc = aclCreateTensorDesc(ACL_FLOAT, 1, rank, ACL_FORMAT_ND);
    descs[0] = desc;
    CODE(run(), ACL_ERROR_INVALID_PARAM);
    aclDestroyTensorDesc(desc);
    reset();

    /* Nothing to give: success, and what is wrong with the buffers is not looked at. */
    desc = aclCreateTensorDesc(ACL_FLOAT, 1, empty, ACL_FORMAT_ND);
    results[0] = desc;
    inputs[0] = none;
    OK(run());
    OK(run_before("NobodyKnowsThisOne"));
    aclDestroyTensorDesc(desc);
    reset();

    /* Types that no operator here knows; a buffer smaller than its description. */
    desc = aclCreateTensorDesc(ACL_STRING, 1, eight, ACL_FORMAT_ND);
    descs[0] = desc;
    CODE(run(), ACL_ERROR_UNSUPPORTED_DATA_TYPE);
    aclDestroyTensorDesc(desc);
    reset();
    desc = aclCreateTensorDesc(ACL_FLOAT, 1, eight, ACL_FORMAT_ND);
    descs[0] = desc;
    CODE(run(), ACL_ERROR_INVALID_PARAM);
    MENTIONS("32");
    aclDestroyTensorDesc(desc);
    reset();

    /* Memory of the program's own: not when compiling, and not for outputs. */
    desc = aclCreateTensorDesc(ACL_FLOAT, 0, NULL, ACL_FORMAT_ND);
    OK(aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST));
    descs[1] = desc;
    CODE(compile("Add", ACL_COMPILE_SYS, NULL), ACL_ERROR_API_NOT_SUPPORT);
    reset();
    results[0] = desc;
    CODE(run(), ACL_ERROR_INVALID_PARAM);
    aclDestroyTensorDesc(desc);
    reset();
    OK(aclDestroyDataBuffer(none));
    OK(aclDestroyDataBuffer(small));
}

/* A result that is shorter or longer than described is not written: on the first run, and when the shape is known. */
static void described_otherwise(void)
{
    const int64_t two[1] = {2}, square[2] = {2, 2};
    Tensor large = vector(8, NULL), small = tensor(ACL_FLOAT, 1, two, NULL), same = tensor(ACL_FLOAT, 2, square, NULL);
    aclTensorDesc *told[2], *shape[1];
    aclDataBuffer *given[2];
    int64_t dim = 0;
    int i;

    for (i = 0; i < 3; i++) {
        reset();
        results[0] = large.desc;
        outputs[0] = large.buffer;
        CODE(run_as("Minimum", 2, 1, ACL_COMPILE_SYS, NULL), ACL_ERROR_INVALID_PARAM);
        MENTIONS("operator Minimum");
        MENTIONS("output 0");
        MENTIONS("described as [8], but the result has [4]");
        results[0] = small.desc;
        outputs[0] = small.buffer;
        FAILS(run_as("Minimum", 2, 1, ACL_COMPILE_SYS, NULL));
        MENTIONS("output 0 has 16 bytes");
        /* As many elements in another shape are a view of the same. */
        results[0] = same.desc;
        outputs[0] = same.buffer;
        OK(run_as("Minimum", 2, 1, ACL_COMPILE_SYS, NULL));
        OK(aclrtSynchronizeStream(NULL));
        floats_are(same, one, 4);
    }
    /* Who asks for the shape is told it. */
    told[0] = a.desc;
    told[1] = b.desc;
    shape[0] = large.desc;
    given[0] = a.buffer;
    given[1] = b.buffer;
    OK(aclopCompileAndExecuteV2("Minimum", 2, told, given, 1, shape, &large.buffer, NULL, ACL_ENGINE_SYS,
                                ACL_COMPILE_SYS, NULL, NULL));
    OK(aclGetTensorDescDimV2(large.desc, 0, &dim));
    EQ(dim, 4);
    reset();
    OK(aclrtSynchronizeStream(NULL));
    drop_tensor(large);
    drop_tensor(small);
    drop_tensor(same);
}

static void names(void)
{
    /* Nobody compiled it. */
    CODE(run_before("Sub"), ACL_ERROR_OP_NOT_FOUND);
    MENTIONS("aclopCompile");
    OK(compile("Sub", ACL_COMPILE_SYS, NULL));
    OK(run_before("Sub"));

    /* Nobody knows it; names that are close are named. */
    CODE(run_as("Addd", 2, 1, ACL_COMPILE_SYS, NULL), ACL_ERROR_OP_NOT_FOUND);
    MENTIONS("Addd");
    MENTIONS("did you mean");
    MENTIONS("inputs: float [");
    MENTIONS("docs/operators.md");
    CODE(compile("Addd", ACL_COMPILE_SYS, NULL), ACL_ERROR_OP_NOT_FOUND);
    CODE(run_before("Addd"), ACL_ERROR_OP_NOT_FOUND);

    /* Known, and not with so many tensors. */
    CODE(run_as("Add", 1, 1, ACL_COMPILE_SYS, NULL), ACL_ERROR_OP_INPUT_NOT_MATCH);
    CODE(run_as("Add", 2, 0, ACL_COMPILE_SYS, NULL), ACL_ERROR_OP_OUTPUT_NOT_MATCH);
}

static void others(void)
{
    float value = 1;
    aclTensorDesc *all[2];

    all[0] = a.desc;
    all[1] = b.desc;
    CODE(aclopSetMaxOpQueueNum(0), ACL_ERROR_INVALID_PARAM);
    OK(aclopSetMaxOpQueueNum(2));
    OK(run());
    OK(run_as("Mul", 2, 1, ACL_COMPILE_SYS, NULL));
    OK(run_as("Div", 2, 1, ACL_COMPILE_SYS, NULL));
    OK(run());
    CODE(aclopUpdateParams("Add", 2, descs, 1, results, NULL), ACL_ERROR_API_NOT_SUPPORT);
    CODE(aclopCreateKernel("Add", "id", "name", &value, 4, ACL_ENGINE_AICORE, NULL), ACL_ERROR_API_NOT_SUPPORT);
    CODE(aclopRegisterCompileFunc("Add", NULL), ACL_ERROR_API_NOT_SUPPORT);
    (void)all;
}

static void folders(void)
{
    char path[4096];

    CODE(aclopSetModelDir(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetModelDir(model_path("missing")), ACL_ERROR_READ_MODEL_FAILURE);
    CODE(aclopSetModelDir(model_path("add.onnx")), ACL_ERROR_READ_MODEL_FAILURE);
    CODE(aclopLoad(NULL, 4), ACL_ERROR_INVALID_PARAM);
    CODE(aclopLoad(path, 0), ACL_ERROR_INVALID_PARAM);
    memset(path, 'x', sizeof path);
    CODE(aclopLoad(path, sizeof path), ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID);

    /* What the folder holds counts as compiled, and nothing else. */
    CODE(aclopSetModelDir(getenv("TEST_MODELS")), ACL_ERROR_READ_MODEL_FAILURE);
    OK(aclopSetModelDir(model_path("ops")));
    OK(run_before("Add"));
    CODE(run_before("Xlogy"), ACL_ERROR_OP_NOT_FOUND);
    CODE(aclopSetModelDir(model_path("ops")), ACL_ERROR_REPEAT_INITIALIZE);
}

int main(void)
{
    start();
    a = vector(4, one);
    b = vector(4, one);
    out = vector(4, NULL);
    arguments();
    tensors();
    described_otherwise();
    names();
    others();
    folders();
    OK(aclrtSynchronizeStream(NULL));
    drop_tensor(a);
    drop_tensor(b);
    drop_tensor(out);
    stop();
    return 0;
}
