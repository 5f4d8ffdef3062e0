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

QUESTION(mstx_memory, "mstxMemHeapRegister mstxMemRegionsRegister mstxMemPermissionsAssign mstxMemRegionsUnregister mstxMemHeapUnregister", "Which handles do a heap and its region get without a tool?")
{
    char *block = new_block(4096);
    mstxMemRegionHandle_t region = NULL;
    mstxDomainHandle_t domain = CALL(mstxDomainCreateA)("oracle");
    mstxMemVirtualRangeDesc_t all = {0, block, 4096}, part = {0, block, 512};
    mstxMemHeapDesc_t description = {MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &all};
    mstxMemHeapHandle_t heap = CALL(mstxMemHeapRegister)(domain, &description);
    mstxMemRegionsRegisterBatch_t regions = {heap, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 1, &part, &region};
    fact("heap", "%s", pointer(heap));
    CALL(mstxMemRegionsRegister)(domain, &regions);
    fact("region", "%s", pointer(region));
    mstxMemRegionRef_t reference;
    reference.refType = MSTX_MEM_REGION_REF_TYPE_POINTER;
    reference.pointer = block;
    mstxMemPermissionsAssignRegionsDesc_t permission = {MSTX_MEM_PERMISSIONS_REGION_FLAGS_READ, reference};
    mstxMemPermissionsAssignBatch_t permissions = {1, &permission};
    CALL(mstxMemPermissionsAssign)(domain, &permissions);
    mstxMemRegionsUnregisterBatch_t gone = {1, &reference};
    CALL(mstxMemRegionsUnregister)(domain, &gone);
    CALL(mstxMemHeapUnregister)(domain, heap);
    code("write", CALL(aclrtMemset)(block, 4096, 0, 4096));
}

static int no_tables(mstxFuncModule module, mstxFuncTable *table, unsigned int *size)
{
    (void)module, (void)table, (void)size;
    return MSTX_FAIL;
}

static mstxFuncPointer places[16][8], *addresses[16][9];
static unsigned asked_modules;

static int small_tables(mstxFuncModule module, mstxFuncTable *table, unsigned int *size)
{
    if (module <= MSTX_API_MODULE_INVALID || module >= MSTX_API_MODULE_SIZE || !table || !size) {
        return MSTX_FAIL;
    }
    static const unsigned sizes[MSTX_API_MODULE_SIZE] = {0, MSTX_API_CORE_SIZE, MSTX_API_CORE_DOMAIN_SIZE, MSTX_API_CORE_MEM_SIZE};
    for (unsigned index = 1; index < sizes[module]; index++) {
        addresses[module][index] = &places[module][index];
    }
    asked_modules |= 1U << module;
    *table = addresses[module];
    *size = sizes[module];
    return MSTX_SUCCESS;
}

QUESTION_ALONE(mstx_tool, "InitInjectionMstx", "Which modules does the library's own tool ask for, and what does it return if there are none?")
{
    code("none", CALL(InitInjectionMstx)(no_tables));
    code("all", CALL(InitInjectionMstx)(small_tables));
    fact("modules", "%x", asked_modules);
    fact("mark", "%s", places[MSTX_API_MODULE_CORE][MSTX_API_CORE_MARK_A] ? "set" : "NULL");
    fact("domain", "%s", places[MSTX_API_MODULE_CORE_DOMAIN][MSTX_API_CORE_DOMAIN_CREATE_A] ? "set" : "NULL");
    fact("heap", "%s", places[MSTX_API_MODULE_CORE_MEM][MSTX_API_CORE_MEMHEAP_REGISTER] ? "set" : "NULL");
}

QUESTION_ALONE(one_rank_counts, "HcclAllGatherV HcclReduceScatterV HcclAlltoAllV HcclAlltoAllVC", "What do collectives with counts of each rank return for one rank, and where do they write?")
{
    HcclComm communicator = one_rank();
    aclrtStream stream = new_stream();
    uint64_t eight[1] = {8}, four[1] = {4}, none[1] = {0}, behind[1] = {4};
    float numbers[16], back[16];
    char *from = new_block(sizeof numbers), *to = new_block(sizeof numbers);
    for (int index = 0; index < 16; index++) {
        numbers[index] = (float)(index + 1);
    }
    need("aclrtMemcpy", CALL(aclrtMemcpy)(from, sizeof numbers, numbers, sizeof numbers, ACL_MEMCPY_HOST_TO_DEVICE));
    need("aclrtMemset", CALL(aclrtMemset)(to, sizeof numbers, 0, sizeof numbers));
    code("gather", CALL(HcclAllGatherV)(from, 8, to, eight, behind, HCCL_DATA_TYPE_FP32, communicator, stream));
    code("synchronize", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 60000));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(back, sizeof back, to, sizeof back, ACL_MEMCPY_DEVICE_TO_HOST));
    fact("gathered", "%g,%g,%g", (double)back[3], (double)back[4], (double)back[11]);
    code("gather_counts", CALL(HcclAllGatherV)(from, 8, to, four, none, HCCL_DATA_TYPE_FP32, communicator, stream));
    code("gather_null", CALL(HcclAllGatherV)(from, 8, to, NULL, none, HCCL_DATA_TYPE_FP32, communicator, stream));
    code("scatter", CALL(HcclReduceScatterV)(from, eight, behind, to, 8, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, communicator, stream));
    code("synchronize_scatter", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 60000));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(back, sizeof back, to, sizeof back, ACL_MEMCPY_DEVICE_TO_HOST));
    fact("scattered", "%g,%g", (double)back[0], (double)back[7]);
    code("scatter_counts", CALL(HcclReduceScatterV)(from, four, none, to, 8, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, communicator, stream));
    code("all_to_all", CALL(HcclAlltoAllV)(from, eight, none, HCCL_DATA_TYPE_FP32, to, eight, behind, HCCL_DATA_TYPE_FP32, communicator, stream));
    code("all_to_all_null", CALL(HcclAlltoAllV)(from, NULL, none, HCCL_DATA_TYPE_FP32, to, eight, none, HCCL_DATA_TYPE_FP32, communicator, stream));
    code("matrix", CALL(HcclAlltoAllVC)(from, eight, HCCL_DATA_TYPE_FP32, to, HCCL_DATA_TYPE_FP32, communicator, stream));
    code("matrix_null", CALL(HcclAlltoAllVC)(from, NULL, HCCL_DATA_TYPE_FP32, to, HCCL_DATA_TYPE_FP32, communicator, stream));
    code("synchronize_all", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 60000));
}

QUESTION_ALONE(one_rank_messages, "HcclRecv HcclBatchSendRecv", "What do messages return whose list or rank is wrong, and those of a rank to itself?")
{
    HcclComm communicator = one_rank();
    aclrtStream stream = new_stream();
    char *from = new_block(64), *to = new_block(64);
    HcclSendRecvItem items[2] = {{HCCL_SEND, from, 8, HCCL_DATA_TYPE_FP32, 0}, {HCCL_RECV, to, 8, HCCL_DATA_TYPE_FP32, 0}};
    code("receive_outside", CALL(HcclRecv)(to, 8, HCCL_DATA_TYPE_FP32, 5, communicator, stream));
    code("receive_nowhere", CALL(HcclRecv)(NULL, 8, HCCL_DATA_TYPE_FP32, 0, communicator, stream));
    code("receive_type", CALL(HcclRecv)(to, 8, (HcclDataType)99, 0, communicator, stream));
    code("no_list", CALL(HcclBatchSendRecv)(NULL, 2, communicator, stream));
    code("no_items", CALL(HcclBatchSendRecv)(items, 0, communicator, stream));
    items[0].remoteRank = 5;
    code("outside", CALL(HcclBatchSendRecv)(items, 2, communicator, stream));
    items[0].remoteRank = 0;
    items[0].sendRecvType = (HcclSendRecvType)5;
    code("unlisted", CALL(HcclBatchSendRecv)(items, 2, communicator, stream));
    items[0].sendRecvType = HCCL_SEND;
    code("to_itself", CALL(HcclBatchSendRecv)(items, 2, communicator, stream));
    code("synchronize", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 50000));
}

QUESTION_ALONE(group_to_itself, "HcclGroupStart HcclSend HcclRecv HcclGroupEnd", "Can a rank send to itself and receive in one group, and is the message there?")
{
    HcclComm communicator = one_rank();
    aclrtStream stream = new_stream();
    char *from = new_block(64), *to = new_block(64), back[64] = {0};
    need("aclrtMemset", CALL(aclrtMemset)(from, 64, 5, 64));
    need("aclrtMemset", CALL(aclrtMemset)(to, 64, 0, 64));
    code("start", CALL(HcclGroupStart)());
    code("send", CALL(HcclSend)(from, 8, HCCL_DATA_TYPE_FP32, 0, communicator, stream));
    code("receive", CALL(HcclRecv)(to, 8, HCCL_DATA_TYPE_FP32, 0, communicator, stream));
    code("end", CALL(HcclGroupEnd)());
    code("synchronize", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 50000));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(back, sizeof back, to, sizeof back, ACL_MEMCPY_DEVICE_TO_HOST));
    fact("bytes", "%d,%d,%d", back[0], back[31], back[32]);
}

/* Joins a communicator of one rank with these settings; the fact is named after what is in them. */
static void joined(const char *name, const HcclCommConfig *config)
{
    HcclRootInfo root;
    HcclComm communicator = NULL;
    need("HcclGetRootInfo", CALL(HcclGetRootInfo)(&root));
    code(name, CALL(HcclCommInitRootInfoConfig)(1, &root, 0, config, &communicator));
    if (communicator) {
        CALL(HcclCommDestroy)(communicator);
    }
}

QUESTION_ALONE(settings, "HcclCommInitRootInfoConfig", "Which settings does a communicator accept?")
{
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    joined("good", &config);
    config.hcclDeterministic = 1;
    joined("deterministic", &config);
    config.hcclDeterministic = 9;
    joined("deterministic9", &config);
    HcclCommConfigInit(&config);
    config.hcclBufferSize = 1;
    joined("buffer1", &config);
    HcclCommConfigInit(&config);
    config.hcclBufferSize = 0;
    joined("buffer0", &config);
    HcclCommConfigInit(&config);
    strcpy(config.hcclCommName, "oracle");
    joined("name", &config);
    HcclCommConfigInit(&config);
    config.magicWord = 0;
    joined("mark", &config);
    HcclCommConfigInit(&config);
    config.size = 8;
    joined("size8", &config);
    joined("none", NULL);
}

QUESTION_ALONE(table_settings, "HcclCommInitClusterInfoConfig", "What does joining by a table return that is not there or not JSON, with settings and without?")
{
    char path[] = "/tmp/oracle-XXXXXX";
    HcclCommConfig config;
    HcclComm communicator = NULL;
    HcclCommConfigInit(&config);
    code("absent", CALL(HcclCommInitClusterInfoConfig)("/nonexistent.json", 0, &config, &communicator));
    code("no_settings", CALL(HcclCommInitClusterInfoConfig)("/nonexistent.json", 0, NULL, &communicator));
    code("no_name", CALL(HcclCommInitClusterInfoConfig)(NULL, 0, &config, &communicator));
    int file = mkstemp(path);
    if (file >= 0) {
        FILE *text = fdopen(file, "w");
        fputs("{ not json", text);
        fclose(text);
        code("broken", CALL(HcclCommInitClusterInfoConfig)(path, 0, &config, &communicator));
        remove(path);
    }
}

QUESTION_ALONE(part_of_one, "HcclCreateSubCommConfig", "Which parts of a communicator of one rank can be made?")
{
    HcclComm communicator = one_rank(), part = NULL, below = NULL, none = NULL;
    uint32_t ranks[2] = {0, 0}, outside[1] = {5}, size = 9;
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    code("outside", CALL(HcclCreateSubCommConfig)(&communicator, 1, outside, 1, 0, &config, &none));
    code("twice", CALL(HcclCreateSubCommConfig)(&communicator, 2, ranks, 1, 0, &config, &none));
    code("rank", CALL(HcclCreateSubCommConfig)(&communicator, 1, ranks, 1, 1, &config, &none));
    code("no_settings", CALL(HcclCreateSubCommConfig)(&communicator, 1, ranks, 1, 0, NULL, &none));
    code("not_part", CALL(HcclCreateSubCommConfig)(&communicator, 1, NULL, 0xFFFFFFFF, 0, &config, &none));
    code("good", CALL(HcclCreateSubCommConfig)(&communicator, 1, ranks, 1, 0, &config, &part));
    if (part) {
        RESULT("size", CALL(HcclGetRankSize)(part, &size), size);
        code("part_of_part", CALL(HcclCreateSubCommConfig)(&part, 1, ranks, 2, 0, &config, &below));
        code("destroy", CALL(HcclCommDestroy)(part));
    }
    code("destroy_whole", CALL(HcclCommDestroy)(communicator));
}

QUESTION_ALONE(registered_memory, "HcclCommRegister HcclCommExchangeMem HcclCommDeregister", "Which memory can be registered with a communicator of one rank, and how often?")
{
    HcclComm communicator = one_rank();
    void *handle = NULL, *again = NULL;
    char *block = new_block(4096);
    uint32_t peers[1] = {0}, outside[1] = {5};
    code("register", CALL(HcclCommRegister)(communicator, block, 4096, &handle, 0));
    code("register_again", CALL(HcclCommRegister)(communicator, block, 4096, &again, 0));
    code("no_memory", CALL(HcclCommRegister)(communicator, NULL, 4096, &again, 0));
    code("no_bytes", CALL(HcclCommRegister)(communicator, block, 0, &again, 0));
    code("flag", CALL(HcclCommRegister)(communicator, block, 4096, &again, 99));
    if (handle) {
        code("exchange", CALL(HcclCommExchangeMem)(communicator, handle, peers, 1));
        code("exchange_outside", CALL(HcclCommExchangeMem)(communicator, handle, outside, 1));
        code("deregister", CALL(HcclCommDeregister)(communicator, handle));
    }
    code("deregister_none", CALL(HcclCommDeregister)(communicator, NULL));
}

QUESTION_ALONE(mapped_memory, "HcclCommSetMemoryRange HcclCommActivateCommMemory HcclCommDeactivateCommMemory HcclCommUnsetMemoryRange", "In which order are reserved addresses given to a communicator and taken back?")
{
    enum { PAGE = 2 << 20 };
    HcclComm communicator = one_rank();
    void *range = NULL;
    aclrtDrvMemHandle piece = NULL;
    aclrtPhysicalMemProp properties;
    memset(&properties, 0, sizeof properties);
    properties.memAttr = ACL_HBM_MEM_HUGE;
    properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    need("aclrtReserveMemAddress", CALL(aclrtReserveMemAddress)(&range, PAGE, 0, NULL, 1));
    need("aclrtMallocPhysical", CALL(aclrtMallocPhysical)(&piece, PAGE, &properties, 0));
    need("aclrtMapMem", CALL(aclrtMapMem)(range, PAGE, 0, piece, 0));
    code("activate_early", CALL(HcclCommActivateCommMemory)(communicator, range, PAGE, 0, piece, 0));
    code("set", CALL(HcclCommSetMemoryRange)(communicator, range, PAGE, 0, 0));
    code("set_again", CALL(HcclCommSetMemoryRange)(communicator, range, PAGE, 0, 0));
    code("set_nowhere", CALL(HcclCommSetMemoryRange)(communicator, NULL, PAGE, 0, 0));
    code("set_no_bytes", CALL(HcclCommSetMemoryRange)(communicator, range, 0, 0, 0));
    code("activate", CALL(HcclCommActivateCommMemory)(communicator, range, PAGE, 0, piece, 0));
    code("activate_again", CALL(HcclCommActivateCommMemory)(communicator, range, PAGE, 0, piece, 0));
    code("deactivate", CALL(HcclCommDeactivateCommMemory)(communicator, range));
    code("deactivate_again", CALL(HcclCommDeactivateCommMemory)(communicator, range));
    code("unset", CALL(HcclCommUnsetMemoryRange)(communicator, range));
    code("unset_again", CALL(HcclCommUnsetMemoryRange)(communicator, range));
}
