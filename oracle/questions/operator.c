/* Operators by name and by function: what is accepted, when it runs, how often an executor serves. Results are in operators.py. */
#include "../oracle.h"
#include "aclnnop/aclnn_add.h"
#define GROUP "operator"

enum { COUNT = 8 };

/* Two inputs and an output of eight numbers, as descriptions, buffers and tensors. */
struct operands {
    char *blocks[3];
    aclTensorDesc *inputs[2], *outputs[1];
    aclDataBuffer *in[2], *out[1];
    aclTensor *tensors[3];
    aclScalar *alpha;
};

static struct operands new_operands(void)
{
    static float one = 1;
    int64_t dims[1] = {COUNT}, strides[1] = {1};
    float numbers[COUNT];
    struct operands made;
    for (int index = 0; index < 3; index++) {
        for (int at = 0; at < COUNT; at++) {
            numbers[at] = (float)(index + 1);
        }
        made.blocks[index] = new_block(sizeof numbers);
        need("aclrtMemcpy", CALL(aclrtMemcpy)(made.blocks[index], sizeof numbers, numbers, sizeof numbers, ACL_MEMCPY_HOST_TO_DEVICE));
        aclTensorDesc *description = CALL(aclCreateTensorDesc)(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
        aclDataBuffer *buffer = CALL(aclCreateDataBuffer)(made.blocks[index], sizeof numbers);
        if (index < 2) {
            made.inputs[index] = description;
            made.in[index] = buffer;
        } else {
            made.outputs[0] = description;
            made.out[0] = buffer;
        }
        made.tensors[index] = CALL(aclCreateTensor)(dims, 1, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 1, made.blocks[index]);
    }
    made.alpha = CALL(aclCreateScalar)(&one, ACL_FLOAT);
    return made;
}

static void result(const char *name, const struct operands *operands)
{
    float numbers[COUNT] = {0};
    need("aclrtMemcpy", CALL(aclrtMemcpy)(numbers, sizeof numbers, operands->blocks[2], sizeof numbers, ACL_MEMCPY_DEVICE_TO_HOST));
    fact(name, "%g", (double)numbers[COUNT - 1]);
}

QUESTION(by_name, "aclopCompileAndExecuteV2 aclopCompileAndExecute aclopCompile", "What do operators by name return, known and unknown?")
{
    struct operands o = new_operands();
    aclrtStream stream = new_stream();
    aclopAttr *attributes = CALL(aclopCreateAttr)();
    code("run", CALL(aclopCompileAndExecuteV2)("Add", 2, o.inputs, o.in, 1, o.outputs, o.out, attributes, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    result("sum", &o);
    code("no_attributes", CALL(aclopCompileAndExecuteV2)("Add", 2, o.inputs, o.in, 1, o.outputs, o.out, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream));
    code("unknown", CALL(aclopCompileAndExecuteV2)("NoSuchOperator", 2, o.inputs, o.in, 1, o.outputs, o.out, attributes, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream));
    code("too_few", CALL(aclopCompileAndExecuteV2)("Add", 1, o.inputs, o.in, 1, o.outputs, o.out, attributes, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream));
    code("compile", CALL(aclopCompile)("Add", 2, (const aclTensorDesc *const *)o.inputs, 1, (const aclTensorDesc *const *)o.outputs, attributes, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL));
    code("older", CALL(aclopCompileAndExecute)("Add", 2, (const aclTensorDesc *const *)o.inputs, (const aclDataBuffer *const *)o.in, 1, (const aclTensorDesc *const *)o.outputs, o.out, attributes, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream));
}

QUESTION_ALONE(not_compiled, "aclopExecuteV2 aclopExecute aclopCreateHandle aclopExecWithHandle aclopDestroyHandle", "What does running an operator return that was not compiled, and that was?")
{
    struct operands o = new_operands();
    aclopAttr *attributes = CALL(aclopCreateAttr)();
    aclopHandle *handle = NULL;
    code("before", CALL(aclopExecuteV2)("Add", 2, o.inputs, o.in, 1, o.outputs, o.out, attributes, NULL));
    need("aclopCompile", CALL(aclopCompile)("Add", 2, (const aclTensorDesc *const *)o.inputs, 1, (const aclTensorDesc *const *)o.outputs, attributes, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL));
    code("after", CALL(aclopExecuteV2)("Add", 2, o.inputs, o.in, 1, o.outputs, o.out, attributes, NULL));
    code("older", CALL(aclopExecute)("Add", 2, (const aclTensorDesc *const *)o.inputs, (const aclDataBuffer *const *)o.in, 1, (const aclTensorDesc *const *)o.outputs, o.out, attributes, NULL));
    code("handle", CALL(aclopCreateHandle)("Add", 2, (const aclTensorDesc *const *)o.inputs, 1, (const aclTensorDesc *const *)o.outputs, attributes, &handle));
    code("with_handle", CALL(aclopExecWithHandle)(handle, 2, (const aclDataBuffer *const *)o.in, 1, o.out, NULL));
    CALL(aclopDestroyHandle)(handle);
    code("synchronize", CALL(aclrtSynchronizeStream)(NULL));
    result("sum", &o);
}

QUESTION(infer_shape, "aclopInferShape", "Which shape does aclopInferShape find for a sum?")
{
    struct operands o = new_operands();
    int64_t dim = -9, unknown = -1;
    aclTensorDesc *output = CALL(aclCreateTensorDesc)(ACL_FLOAT, 1, &unknown, ACL_FORMAT_ND);
    code("code", CALL(aclopInferShape)("Add", 2, o.inputs, o.in, 1, &output, CALL(aclopCreateAttr)()));
    RESULT("dim", CALL(aclGetTensorDescDimV2)(output, 0, &dim), dim);
}

QUESTION(cast, "aclopCast aclopCreateHandleForCast", "What is -1.5 cast to int32?")
{
    float number[COUNT];
    int32_t back[COUNT] = {0};
    int64_t dims[1] = {COUNT};
    for (int index = 0; index < COUNT; index++) {
        number[index] = (index % 2) ? -1.5F : 2.5F;
    }
    char *from = new_block(sizeof number), *to = new_block(sizeof back);
    need("aclrtMemcpy", CALL(aclrtMemcpy)(from, sizeof number, number, sizeof number, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensorDesc *source = CALL(aclCreateTensorDesc)(ACL_FLOAT, 1, dims, ACL_FORMAT_ND), *target = CALL(aclCreateTensorDesc)(ACL_INT32, 1, dims, ACL_FORMAT_ND);
    aclopHandle *handle = NULL;
    code("run", CALL(aclopCast)(source, CALL(aclCreateDataBuffer)(from, sizeof number), target, CALL(aclCreateDataBuffer)(to, sizeof back), 0, NULL));
    code("synchronize", CALL(aclrtSynchronizeStream)(NULL));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(back, sizeof back, to, sizeof back, ACL_MEMCPY_DEVICE_TO_HOST));
    fact("values", "%d:%d", back[0], back[1]);
    code("handle", CALL(aclopCreateHandleForCast)(source, target, 0, &handle));
}

QUESTION(attributes, "aclopCreateAttr aclopDestroyAttr aclopSetAttrBool aclopSetAttrInt aclopSetAttrFloat aclopSetAttrString aclopSetAttrDataType aclopSetAttrListDataType aclopSetAttrListBool aclopSetAttrListInt aclopSetAttrListFloat aclopSetAttrListString aclopSetAttrListListInt", "Which attributes are accepted, also empty ones?")
{
    aclopAttr *made = CALL(aclopCreateAttr)();
    int64_t integers[2] = {1, 2};
    const int64_t *lists[1] = {integers};
    int counts[1] = {2};
    float reals[2] = {1, 2};
    uint8_t truths[2] = {0, 7};
    const char *texts[2] = {"a", "b"};
    aclDataType types[1] = {ACL_FLOAT};
    code("bool", CALL(aclopSetAttrBool)(made, "b", 7));
    code("int", CALL(aclopSetAttrInt)(made, "i", 7));
    code("float", CALL(aclopSetAttrFloat)(made, "f", 7));
    code("string", CALL(aclopSetAttrString)(made, "s", "x"));
    code("string_null", CALL(aclopSetAttrString)(made, "s", NULL));
    code("type", CALL(aclopSetAttrDataType)(made, "t", ACL_FLOAT));
    code("types", CALL(aclopSetAttrListDataType)(made, "lt", 1, types));
    code("bools", CALL(aclopSetAttrListBool)(made, "lb", 2, truths));
    code("ints", CALL(aclopSetAttrListInt)(made, "li", 2, integers));
    code("ints_empty", CALL(aclopSetAttrListInt)(made, "le", 0, NULL));
    code("floats", CALL(aclopSetAttrListFloat)(made, "lf", 2, reals));
    code("strings", CALL(aclopSetAttrListString)(made, "ls", 2, texts));
    code("lists", CALL(aclopSetAttrListListInt)(made, "ll", 1, counts, lists));
    code("twice", CALL(aclopSetAttrInt)(made, "i", 8));
    code("no_name", CALL(aclopSetAttrInt)(made, NULL, 8));
    code("empty_name", CALL(aclopSetAttrInt)(made, "", 8));
    CALL(aclopDestroyAttr)(made);
}

QUESTION_ALONE(compile_options, "aclSetCompileopt aclGetCompileoptSize aclGetCompileopt aclopSetCompileFlag aclopSetMaxOpQueueNum aclopSetModelDir aclopLoad", "Which options of the compiler are there, and what are they at the start?")
{
    for (int option = 0; option <= 16; option++) {
        char name[16], value[512] = "";
        snprintf(name, sizeof name, "o%d", option);
        size_t size = CALL(aclGetCompileoptSize)((aclCompileOpt)option);
        aclError status = size <= sizeof value ? CALL(aclGetCompileopt)((aclCompileOpt)option, value, size) : -1;
        fact(name, "%zu:%d:%s", size, status, value);
    }
    code("set", CALL(aclSetCompileopt)(ACL_OP_JIT_COMPILE, "enable"));
    code("set_wrong", CALL(aclSetCompileopt)(ACL_OP_JIT_COMPILE, "nonsense"));
    code("flag", CALL(aclopSetCompileFlag)(ACL_OP_COMPILE_FUZZ));
    code("flag_wrong", CALL(aclopSetCompileFlag)((aclOpCompileFlag)9));
    code("queue", CALL(aclopSetMaxOpQueueNum)(100));
    code("queue_zero", CALL(aclopSetMaxOpQueueNum)(0));
    code("folder", CALL(aclopSetModelDir)("/nonexistent"));
    code("load", CALL(aclopLoad)("nonsense", 8));
}

QUESTION(by_function, "aclnnInit aclnnFinalize", "How are the start and the end of operators by function counted?")
{
    code("init", CALL(aclnnInit)(NULL));
    code("again", CALL(aclnnInit)(NULL));
}

QUESTION_ALONE(executor, "aclSetAclOpExecutorRepeatable aclDestroyAclOpExecutor aclSetInputTensorAddr aclSetOutputTensorAddr aclSetTensorAddr", "How often does an executor serve, and can its addresses change?")
{
    struct operands o = new_operands();
    aclrtStream stream = new_stream();
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    code("plan", CALL(aclnnAddGetWorkspaceSize)(o.tensors[0], o.tensors[1], o.alpha, o.tensors[2], &size, &executor));
    code("repeatable", CALL(aclSetAclOpExecutorRepeatable)(executor));
    void *workspace = size ? new_block(size) : NULL;
    code("run", CALL(aclnnAdd)(workspace, size, executor, stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    result("sum", &o);
    code("input", CALL(aclSetInputTensorAddr)(executor, 0, o.tensors[0], o.blocks[1]));
    code("output", CALL(aclSetOutputTensorAddr)(executor, 0, o.tensors[2], o.blocks[2]));
    code("any", CALL(aclSetTensorAddr)(executor, 0, o.tensors[0], o.blocks[1]));
    code("outside", CALL(aclSetInputTensorAddr)(executor, 9, o.tensors[0], o.blocks[1]));
    code("again", CALL(aclnnAdd)(workspace, size, executor, stream));
    code("synchronize_again", CALL(aclrtSynchronizeStream)(stream));
    result("sum_again", &o);
    code("destroy", CALL(aclDestroyAclOpExecutor)(executor));
}

QUESTION_ALONE(executor_lists, "aclSetDynamicInputTensorAddr aclSetDynamicOutputTensorAddr aclSetDynamicTensorAddr", "What do addresses of lists return for an operator that has none?")
{
    struct operands o = new_operands();
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    const aclTensor *members[1] = {o.tensors[0]};
    need("plan", CALL(aclnnAddGetWorkspaceSize)(o.tensors[0], o.tensors[1], o.alpha, o.tensors[2], &size, &executor));
    need("repeatable", CALL(aclSetAclOpExecutorRepeatable)(executor));
    aclTensorList *list = CALL(aclCreateTensorList)(members, 1);
    code("input", CALL(aclSetDynamicInputTensorAddr)(executor, 0, 0, list, o.blocks[1]));
    code("output", CALL(aclSetDynamicOutputTensorAddr)(executor, 0, 0, list, o.blocks[1]));
    code("any", CALL(aclSetDynamicTensorAddr)(executor, 0, 0, list, o.blocks[1]));
}

QUESTION_ALONE(executor_twice, "aclDestroyAclOpExecutor", "What does a second run return with an executor that is not repeatable?")
{
    struct operands o = new_operands();
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    need("plan", CALL(aclnnAddGetWorkspaceSize)(o.tensors[0], o.tensors[1], o.alpha, o.tensors[2], &size, &executor));
    void *workspace = size ? new_block(size) : NULL;
    code("first", CALL(aclnnAdd)(workspace, size, executor, NULL));
    code("second", CALL(aclnnAdd)(workspace, size, executor, NULL));
}

QUESTION_ALONE(executor_tensor_destroyed, "aclDestroyTensor", "May a tensor be destroyed between the two functions of an operator?")
{
    struct operands o = new_operands();
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    need("plan", CALL(aclnnAddGetWorkspaceSize)(o.tensors[0], o.tensors[1], o.alpha, o.tensors[2], &size, &executor));
    void *workspace = size ? new_block(size) : NULL;
    code("destroy", CALL(aclDestroyTensor)(o.tensors[0]));
    code("run", CALL(aclnnAdd)(workspace, size, executor, NULL));
    code("synchronize", CALL(aclrtSynchronizeStream)(NULL));
    result("sum", &o);
}

QUESTION(blas, "aclblasGemmEx aclblasHgemm aclblasS8gemm aclblasGemvEx aclblasHgemv aclblasS8gemv aclblasCreateHandleForGemmEx aclblasCreateHandleForHgemm aclblasCreateHandleForS8gemm aclblasCreateHandleForGemvEx aclblasCreateHandleForHgemv aclblasCreateHandleForS8gemv", "Which matrix products can be prepared, and what is one of 16 x 16 ones in half precision?")
{
    enum { SIDE = 16 };
    aclopHandle *handle = NULL;
    aclFloat16 numbers[SIDE * SIDE], one = 0x3c00, zero = 0, back[SIDE * SIDE] = {0};
    for (int index = 0; index < SIDE * SIDE; index++) {
        numbers[index] = one;
    }
    char *a = new_block(sizeof numbers), *b = new_block(sizeof numbers), *c = new_block(sizeof numbers), *factors = new_block(64);
    need("aclrtMemcpy", CALL(aclrtMemcpy)(a, sizeof numbers, numbers, sizeof numbers, ACL_MEMCPY_HOST_TO_DEVICE));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(b, sizeof numbers, numbers, sizeof numbers, ACL_MEMCPY_HOST_TO_DEVICE));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(factors, 2, &one, 2, ACL_MEMCPY_HOST_TO_DEVICE));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(factors + 32, 2, &zero, 2, ACL_MEMCPY_HOST_TO_DEVICE));
    code("gemm", CALL(aclblasCreateHandleForGemmEx)(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, SIDE, SIDE, SIDE, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16, ACL_COMPUTE_HIGH_PRECISION, &handle));
    code("hgemm", CALL(aclblasCreateHandleForHgemm)(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, SIDE, SIDE, SIDE, ACL_COMPUTE_HIGH_PRECISION, &handle));
    code("s8gemm", CALL(aclblasCreateHandleForS8gemm)(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, SIDE, SIDE, SIDE, ACL_COMPUTE_HIGH_PRECISION, &handle));
    code("gemv", CALL(aclblasCreateHandleForGemvEx)(ACL_TRANS_N, SIDE, SIDE, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16, ACL_COMPUTE_HIGH_PRECISION, &handle));
    code("hgemv", CALL(aclblasCreateHandleForHgemv)(ACL_TRANS_N, SIDE, SIDE, ACL_COMPUTE_HIGH_PRECISION, &handle));
    code("s8gemv", CALL(aclblasCreateHandleForS8gemv)(ACL_TRANS_N, SIDE, SIDE, ACL_COMPUTE_HIGH_PRECISION, &handle));
    code("run", CALL(aclblasHgemm)(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, SIDE, SIDE, SIDE, (aclFloat16 *)factors, (aclFloat16 *)a, -1, (aclFloat16 *)b, -1, (aclFloat16 *)(factors + 32), (aclFloat16 *)c, -1, ACL_COMPUTE_HIGH_PRECISION, NULL));
    code("synchronize", CALL(aclrtSynchronizeStream)(NULL));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(back, sizeof back, c, sizeof back, ACL_MEMCPY_DEVICE_TO_HOST));
    fact("value", "%04x", back[SIDE * SIDE - 1]);
}

/* Whether the status is set, in its first four bytes, and whether the rest of it is zeros. */
static void overflow_is(const char *name, char *status, aclrtStream stream)
{
    unsigned char bytes[64];
    memset(bytes, 7, sizeof bytes);
    code(name, CALL(aclrtGetOverflowStatus)(status, sizeof bytes, stream));
    need("aclrtSynchronizeStream", CALL(aclrtSynchronizeStream)(stream));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(bytes, sizeof bytes, status, sizeof bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    char second[32];
    bool rest = true;
    for (size_t index = 4; index < sizeof bytes; index++) {
        rest = rest && bytes[index] == 0;
    }
    snprintf(second, sizeof second, "%s_is", name);
    fact(second, "%s:%s", bytes[0] || bytes[1] || bytes[2] || bytes[3] ? "set" : "clear", rest ? "zeros" : "other");
}

QUESTION_ALONE(overflow_status, "aclrtGetOverflowStatus aclrtResetOverflowStatus aclrtSetStreamOverflowSwitch", "Does a sum that is too large set the status of overflow, without and with the switch of its stream, until the reset?")
{
    struct operands o = new_operands();
    aclrtStream stream = new_stream();
    char *status = new_block(64);
    float large[COUNT];
    for (int index = 0; index < COUNT; index++) {
        large[index] = 3e38f;
    }
    need("aclrtMemcpy", CALL(aclrtMemcpy)(o.blocks[0], sizeof large, large, sizeof large, ACL_MEMCPY_HOST_TO_DEVICE));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(o.blocks[1], sizeof large, large, sizeof large, ACL_MEMCPY_HOST_TO_DEVICE));
    code("reset", CALL(aclrtResetOverflowStatus)(stream));
    overflow_is("first", status, stream);
    for (uint32_t on = 0; on < 2; on++) {
        uint64_t size = 0;
        aclOpExecutor *executor = NULL;
        need("switch", CALL(aclrtSetStreamOverflowSwitch)(stream, on));
        need("plan", CALL(aclnnAddGetWorkspaceSize)(o.tensors[0], o.tensors[1], o.alpha, o.tensors[2], &size, &executor));
        need("run", CALL(aclnnAdd)(size ? new_block(size) : NULL, size, executor, stream));
        overflow_is(on ? "on" : "off", status, stream);
    }
    overflow_is("again", status, stream);
    code("reset_later", CALL(aclrtResetOverflowStatus)(stream));
    overflow_is("then", status, stream);
}

QUESTION(overflow_arguments, "aclrtGetOverflowStatus aclrtResetOverflowStatus", "Which sizes and addresses of the status of overflow are accepted, and is the default stream?")
{
    aclrtStream stream = new_stream();
    char *block = new_block(4096);
    code("less", CALL(aclrtGetOverflowStatus)(block, 32, stream));
    code("exact", CALL(aclrtGetOverflowStatus)(block, 64, stream));
    code("more", CALL(aclrtGetOverflowStatus)(block, 128, stream));
    code("no_bytes", CALL(aclrtGetOverflowStatus)(block, 0, stream));
    code("null", CALL(aclrtGetOverflowStatus)(NULL, 64, stream));
    code("default_stream", CALL(aclrtGetOverflowStatus)(block, 64, NULL));
    code("reset_default", CALL(aclrtResetOverflowStatus)(NULL));
    code("synchronize", CALL(aclrtSynchronizeDevice)());
}
