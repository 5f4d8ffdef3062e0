/* Data sets and files of models, channels, collectives of one rank, and MSTX. */
#include "../oracle.h"
#define GROUP "other"

QUESTION(model_files, "aclmdlLoadFromFile aclmdlLoadFromMem aclmdlQuerySize aclmdlQuerySizeFromMem aclmdlGetDescFromFile aclmdlGetDescFromMem aclmdlUnload aclmdlLoadFromFileWithMem aclmdlLoadFromMemWithMem", "What do files return that are missing or not a model?")
{
    uint32_t id = 99;
    size_t work = 0, weights = 0;
    static const char nonsense[4096] = "nonsense";
    aclmdlDesc *description = CALL(aclmdlCreateDesc)();
    code("no_file", CALL(aclmdlLoadFromFile)("/nonexistent.om", &id));
    code("memory", CALL(aclmdlLoadFromMem)(nonsense, sizeof nonsense, &id));
    code("empty", CALL(aclmdlLoadFromMem)(nonsense, 0, &id));
    code("size", CALL(aclmdlQuerySize)("/nonexistent.om", &work, &weights));
    code("size_memory", CALL(aclmdlQuerySizeFromMem)(nonsense, sizeof nonsense, &work, &weights));
    code("description", CALL(aclmdlGetDescFromFile)(description, "/nonexistent.om"));
    code("description_memory", CALL(aclmdlGetDescFromMem)(description, nonsense, sizeof nonsense));
    code("description_id", CALL(aclmdlGetDesc)(description, 77));
    code("unload", CALL(aclmdlUnload)(77));
}

QUESTION(model_description, "aclmdlCreateDesc aclmdlGetNumInputs aclmdlGetNumOutputs aclmdlGetInputSizeByIndex aclmdlGetInputDims aclmdlDestroyDesc", "What does an empty description of a model say?")
{
    aclmdlIODims dims;
    aclmdlDesc *description = CALL(aclmdlCreateDesc)();
    code("inputs", (long long)CALL(aclmdlGetNumInputs)(description));
    code("outputs", (long long)CALL(aclmdlGetNumOutputs)(description));
    code("size", (long long)CALL(aclmdlGetInputSizeByIndex)(description, 0));
    code("dims", CALL(aclmdlGetInputDims)(description, 0, &dims));
    code("destroy", CALL(aclmdlDestroyDesc)(description));
}

QUESTION(model_dataset, "aclmdlCreateDataset aclmdlAddDatasetBuffer aclmdlGetDatasetNumBuffers aclmdlGetDatasetBuffer aclmdlSetDatasetTensorDesc aclmdlGetDatasetTensorDesc aclmdlDestroyDataset", "What does a data set hold?")
{
    int64_t dims[1] = {4};
    aclmdlDataset *set = CALL(aclmdlCreateDataset)();
    aclDataBuffer *buffer = CALL(aclCreateDataBuffer)(new_block(64), 64);
    aclTensorDesc *description = CALL(aclCreateTensorDesc)(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    code("add", CALL(aclmdlAddDatasetBuffer)(set, buffer));
    code("add_again", CALL(aclmdlAddDatasetBuffer)(set, buffer));
    code("count", (long long)CALL(aclmdlGetDatasetNumBuffers)(set));
    fact("first", "%s", CALL(aclmdlGetDatasetBuffer)(set, 0) == buffer ? "same" : "other");
    fact("outside", "%s", pointer(CALL(aclmdlGetDatasetBuffer)(set, 9)));
    fact("no_description", "%s", pointer(CALL(aclmdlGetDatasetTensorDesc)(set, 0)));
    code("describe", CALL(aclmdlSetDatasetTensorDesc)(set, description, 0));
    code("describe_outside", CALL(aclmdlSetDatasetTensorDesc)(set, description, 9));
    fact("description", "%s", pointer(CALL(aclmdlGetDatasetTensorDesc)(set, 0)));
    code("destroy", CALL(aclmdlDestroyDataset)(set));
}

QUESTION(model_config, "aclmdlCreateConfigHandle aclmdlLoadWithConfig aclmdlDestroyConfigHandle aclmdlCreateExecConfigHandle aclmdlDestroyExecConfigHandle aclmdlSetConfigOpt aclmdlSetExecConfigOpt", "What does an empty configuration return?")
{
    uint32_t id = 0;
    aclmdlConfigHandle *config = CALL(aclmdlCreateConfigHandle)();
    aclmdlExecConfigHandle *run = CALL(aclmdlCreateExecConfigHandle)();
    int32_t priority = 1;
    code("load", CALL(aclmdlLoadWithConfig)(config, &id));
    code("option_size", CALL(aclmdlSetConfigOpt)(config, ACL_MDL_PRIORITY_INT32, &priority, 1));
    code("option", CALL(aclmdlSetConfigOpt)(config, ACL_MDL_PRIORITY_INT32, &priority, sizeof priority));
    code("option_unlisted", CALL(aclmdlSetConfigOpt)(config, (aclmdlConfigAttr)999, &priority, sizeof priority));
    code("run_unlisted", CALL(aclmdlSetExecConfigOpt)(run, (aclmdlExecConfigAttr)999, &priority, sizeof priority));
    code("destroy", CALL(aclmdlDestroyConfigHandle)(config));
    code("destroy_run", CALL(aclmdlDestroyExecConfigHandle)(run));
}

QUESTION(channel_items, "acltdtCreateDataItem acltdtDestroyDataItem acltdtGetTensorTypeFromItem acltdtGetDataTypeFromItem acltdtGetDataAddrFromItem acltdtGetDataSizeFromItem acltdtGetDimNumFromItem acltdtGetDimsFromItem acltdtCreateDataset acltdtAddDataItem acltdtGetDataItem acltdtGetDatasetSize acltdtGetDatasetName acltdtDestroyDataset", "What do items and data sets of a channel say of themselves?")
{
    int64_t dims[2] = {1, 2}, read[2] = {0};
    float numbers[2] = {1, 2};
    acltdtDataItem *item = CALL(acltdtCreateDataItem)(ACL_TENSOR_DATA_TENSOR, dims, 2, ACL_FLOAT, numbers, sizeof numbers);
    fact("item", "%s", pointer(item));
    code("kind", CALL(acltdtGetTensorTypeFromItem)(item));
    code("type", CALL(acltdtGetDataTypeFromItem)(item));
    fact("address", "%s", CALL(acltdtGetDataAddrFromItem)(item) == numbers ? "same" : "other");
    code("size", (long long)CALL(acltdtGetDataSizeFromItem)(item));
    code("rank", (long long)CALL(acltdtGetDimNumFromItem)(item));
    code("dims", CALL(acltdtGetDimsFromItem)(item, read, 2));
    code("dims_short", CALL(acltdtGetDimsFromItem)(item, read, 1));
    acltdtDataset *set = CALL(acltdtCreateDataset)();
    code("add", CALL(acltdtAddDataItem)(set, item));
    code("count", (long long)CALL(acltdtGetDatasetSize)(set));
    fact("first", "%s", CALL(acltdtGetDataItem)(set, 0) == item ? "same" : "other");
    fact("outside", "%s", pointer(CALL(acltdtGetDataItem)(set, 9)));
    fact("name", "%s", pointer(CALL(acltdtGetDatasetName)(set)));
    code("destroy", CALL(acltdtDestroyDataset)(set));
    code("destroy_item", CALL(acltdtDestroyDataItem)(item));
}

QUESTION_ALONE(channels, "acltdtCreateChannel acltdtCreateChannelWithCapacity acltdtQueryChannelSize acltdtSendTensor acltdtReceiveTensor acltdtStopChannel acltdtCleanChannel acltdtDestroyChannel", "What do a new channel and an empty one return?")
{
    size_t size = 99;
    acltdtChannelHandle *channel = CALL(acltdtCreateChannelWithCapacity)(0, "oracle", 4);
    fact("channel", "%s", pointer(channel));
    fact("no_name", "%s", pointer(CALL(acltdtCreateChannel)(0, NULL)));
    RESULT("size", CALL(acltdtQueryChannelSize)(channel, &size), size);
    code("receive", CALL(acltdtReceiveTensor)(channel, CALL(acltdtCreateDataset)(), 0));
    code("clean", CALL(acltdtCleanChannel)(channel));
    code("stop", CALL(acltdtStopChannel)(channel));
    code("destroy", CALL(acltdtDestroyChannel)(channel));
}

static HcclComm one_rank(void)
{
    HcclRootInfo root;
    HcclComm communicator = NULL;
    need("HcclGetRootInfo", CALL(HcclGetRootInfo)(&root));
    need("HcclCommInitRootInfo", CALL(HcclCommInitRootInfo)(1, &root, 0, &communicator));
    return communicator;
}

QUESTION_ALONE(one_rank_numbers, "HcclGetRootInfo HcclCommInitRootInfo HcclGetRankId HcclGetRankSize HcclGetCommName HcclGetCommAsyncError HcclGetErrorString HcclGetCommConfigCapability HcclSetConfig HcclCommDestroy", "What does a communicator of one rank say of itself?")
{
    HcclComm communicator = one_rank();
    uint32_t rank = 9, ranks = 9;
    char name[128] = "";
    HcclResult error = (HcclResult)9;
    HcclConfigValue value = {1};
    RESULT("rank", CALL(HcclGetRankId)(communicator, &rank), rank);
    RESULT("ranks", CALL(HcclGetRankSize)(communicator, &ranks), ranks);
    code("name", CALL(HcclGetCommName)(communicator, name));
    RESULT("error", CALL(HcclGetCommAsyncError)(communicator, &error), error);
    fact("text", "%s", CALL(HcclGetErrorString)(HCCL_E_PARA));
    fact("~capability", "%u", CALL(HcclGetCommConfigCapability)());
    code("config", CALL(HcclSetConfig)(HCCL_DETERMINISTIC, value));
    code("destroy", CALL(HcclCommDestroy)(communicator));
}

QUESTION_ALONE(one_rank_operations, "HcclAllReduce HcclBroadcast HcclAllGather HcclReduceScatter HcclReduce HcclScatter HcclAlltoAll HcclBarrier HcclSend", "What do collectives of one rank return, and for wrong arguments?")
{
    HcclComm communicator = one_rank();
    aclrtStream stream = new_stream();
    char *from = new_block(64), *to = new_block(64);
    code("all_reduce", CALL(HcclAllReduce)(from, to, 8, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, communicator, stream));
    code("no_elements", CALL(HcclAllReduce)(from, to, 0, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, communicator, stream));
    code("type", CALL(HcclAllReduce)(from, to, 8, (HcclDataType)99, HCCL_REDUCE_SUM, communicator, stream));
    code("reduction", CALL(HcclAllReduce)(from, to, 8, HCCL_DATA_TYPE_FP32, (HcclReduceOp)9, communicator, stream));
    code("broadcast", CALL(HcclBroadcast)(from, 8, HCCL_DATA_TYPE_FP32, 0, communicator, stream));
    code("root", CALL(HcclBroadcast)(from, 8, HCCL_DATA_TYPE_FP32, 5, communicator, stream));
    code("all_gather", CALL(HcclAllGather)(from, to, 8, HCCL_DATA_TYPE_FP32, communicator, stream));
    code("reduce_scatter", CALL(HcclReduceScatter)(from, to, 8, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, communicator, stream));
    code("reduce", CALL(HcclReduce)(from, to, 8, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, 0, communicator, stream));
    code("scatter", CALL(HcclScatter)(from, to, 8, HCCL_DATA_TYPE_FP32, 0, communicator, stream));
    code("all_to_all", CALL(HcclAlltoAll)(from, 8, HCCL_DATA_TYPE_FP32, to, 8, HCCL_DATA_TYPE_FP32, communicator, stream));
    code("barrier", CALL(HcclBarrier)(communicator, stream));
    code("synchronize", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 60000));
    code("to_itself", CALL(HcclSend)(from, 8, HCCL_DATA_TYPE_FP32, 0, communicator, stream));
}

QUESTION_ALONE(rank_outside, "HcclCommInitRootInfo HcclCommInitAll HcclCommInitClusterInfo", "What does joining return for a rank that does not exist?")
{
    HcclRootInfo root;
    HcclComm communicator = NULL;
    int32_t devices[1] = {4000};
    need("HcclGetRootInfo", CALL(HcclGetRootInfo)(&root));
    code("rank", CALL(HcclCommInitRootInfo)(1, &root, 1, &communicator));
    code("none", CALL(HcclCommInitRootInfo)(0, &root, 0, &communicator));
    code("device", CALL(HcclCommInitAll)(1, devices, &communicator));
    code("file", CALL(HcclCommInitClusterInfo)("/nonexistent.json", 0, &communicator));
}

QUESTION_ALONE(groups, "HcclGroupStart HcclGroupEnd", "What does the end of a group return without a beginning?")
{
    code("end", CALL(HcclGroupEnd)());
    code("start", CALL(HcclGroupStart)());
    code("empty", CALL(HcclGroupEnd)());
}

QUESTION(mstx_without_tool, "mstxMarkA mstxRangeStartA mstxRangeEnd mstxGetToolId mstxDomainCreateA mstxDomainDestroy mstxDomainMarkA mstxDomainRangeStartA mstxDomainRangeEnd mstxMemHeapRegister mstxMemRegionsRegister", "What do marks, ranges and domains return without a tool?")
{
    uint64_t tool = 99;
    CALL(mstxMarkA)("mark", NULL);
    mstxRangeId range = CALL(mstxRangeStartA)("range", NULL);
    code("range", (long long)range);
    CALL(mstxRangeEnd)(range);
    CALL(mstxGetToolId)(&tool);
    code("tool", (long long)tool);
    mstxDomainHandle_t domain = CALL(mstxDomainCreateA)("oracle");
    fact("domain", "%s", pointer(domain));
    fact("wrong_name", "%s", pointer(CALL(mstxDomainCreateA)("not a name")));
    CALL(mstxDomainMarkA)(domain, "mark", NULL);
    CALL(mstxDomainRangeEnd)(domain, CALL(mstxDomainRangeStartA)(domain, "range", NULL));
    CALL(mstxDomainDestroy)(domain);
}
