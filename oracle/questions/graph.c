/* Graphs that are captured from streams, and notifications. */
#include "../oracle.h"
#define GROUP "graph"

QUESTION(capture, "aclmdlRICaptureBegin aclmdlRICaptureGetInfo aclmdlRICaptureEnd aclmdlRIExecuteAsync aclmdlRIExecute aclmdlRIDestroy aclmdlRIGetId", "Does captured work run only when the graph is launched?")
{
    aclrtStream stream = new_stream();
    char *block = new_block(64), back = 9;
    aclmdlRI graph = NULL, during = NULL;
    aclmdlRICaptureStatus status = (aclmdlRICaptureStatus)9;
    uint32_t id = 0;
    need("aclrtMemset", CALL(aclrtMemset)(block, 64, 1, 64));
    code("begin", CALL(aclmdlRICaptureBegin)(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    RESULT("info", CALL(aclmdlRICaptureGetInfo)(stream, &status, &during), status);
    code("fill", CALL(aclrtMemsetAsync)(block, 64, 2, 64, stream));
    code("end", CALL(aclmdlRICaptureEnd)(stream, &graph));
    fact("handle", "%s", during == graph ? "same" : "other");
    RESULT("info_after", CALL(aclmdlRICaptureGetInfo)(stream, &status, &during), status);
    need("aclrtMemcpy", CALL(aclrtMemcpy)(&back, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    code("before", back);
    code("launch", CALL(aclmdlRIExecuteAsync)(graph, stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    need("aclrtMemcpy", CALL(aclrtMemcpy)(&back, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    code("after", back);
    code("execute", CALL(aclmdlRIExecute)(graph, -1));
    code("id", CALL(aclmdlRIGetId)(graph, &id));
    code("destroy", CALL(aclmdlRIDestroy)(graph));
}

QUESTION(capture_wrong, "aclmdlRICaptureBegin aclmdlRICaptureEnd aclmdlRICaptureGetInfo", "What do wrong beginnings and ends of a capture return?")
{
    aclrtStream stream = new_stream();
    aclmdlRI graph = NULL;
    code("end_first", CALL(aclmdlRICaptureEnd)(stream, &graph));
    code("default", CALL(aclmdlRICaptureBegin)(NULL, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    code("mode", CALL(aclmdlRICaptureBegin)(stream, (aclmdlRICaptureMode)9));
    code("begin", CALL(aclmdlRICaptureBegin)(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    code("twice", CALL(aclmdlRICaptureBegin)(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    code("end_null", CALL(aclmdlRICaptureEnd)(stream, NULL));
    code("empty", CALL(aclmdlRICaptureEnd)(stream, &graph));
}

QUESTION_ALONE(capture_synchronize, "aclmdlRICaptureBegin aclrtSynchronizeStream", "What does synchronising a captured stream return, and is the capture spoilt?")
{
    aclrtStream stream = new_stream();
    aclmdlRI graph = NULL;
    aclmdlRICaptureStatus status = (aclmdlRICaptureStatus)9;
    need("aclmdlRICaptureBegin", CALL(aclmdlRICaptureBegin)(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    RESULT("info", CALL(aclmdlRICaptureGetInfo)(stream, &status, &graph), status);
    code("end", CALL(aclmdlRICaptureEnd)(stream, &graph));
}

QUESTION_ALONE(capture_malloc, "aclmdlRICaptureBegin aclrtMalloc aclrtMemcpy", "Which calls are refused while a stream is captured in the global mode?")
{
    aclrtStream stream = new_stream();
    aclmdlRI graph = NULL;
    void *block = NULL;
    char *other = new_block(64), back[64];
    need("aclmdlRICaptureBegin", CALL(aclmdlRICaptureBegin)(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    code("malloc", CALL(aclrtMalloc)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    code("copy", CALL(aclrtMemcpy)(back, 64, other, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    code("free", CALL(aclrtFree)(other));
    code("end", CALL(aclmdlRICaptureEnd)(stream, &graph));
}

QUESTION_ALONE(mode, "aclmdlRICaptureThreadExchangeMode", "What is the capture mode of a thread at the start?")
{
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    RESULT("exchange", CALL(aclmdlRICaptureThreadExchangeMode)(&mode), mode);
    RESULT("again", CALL(aclmdlRICaptureThreadExchangeMode)(&mode), mode);
}

QUESTION(two_streams, "aclmdlRICaptureEnd aclrtStreamWaitEvent", "Does a stream that waits for an event of the capture join it, and what if it does not come back?")
{
    aclrtStream first = new_stream(), second = new_stream();
    aclrtEvent event = NULL;
    aclmdlRI graph = NULL;
    aclmdlRICaptureStatus status = (aclmdlRICaptureStatus)9;
    char *block = new_block(64);
    need("aclrtCreateEventExWithFlag", CALL(aclrtCreateEventExWithFlag)(&event, ACL_EVENT_SYNC));
    need("aclmdlRICaptureBegin", CALL(aclmdlRICaptureBegin)(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    need("aclrtRecordEvent", CALL(aclrtRecordEvent)(event, first));
    need("aclrtStreamWaitEvent", CALL(aclrtStreamWaitEvent)(second, event));
    RESULT("joined", CALL(aclmdlRICaptureGetInfo)(second, &status, &graph), status);
    need("aclrtMemsetAsync", CALL(aclrtMemsetAsync)(block, 64, 2, 64, second));
    code("end", CALL(aclmdlRICaptureEnd)(first, &graph));
}

QUESTION(groups, "aclmdlRICaptureTaskGrpBegin aclmdlRICaptureTaskGrpEnd aclmdlRICaptureTaskUpdateBegin aclmdlRICaptureTaskUpdateEnd", "Can the copy of a group be replaced after the capture?")
{
    aclrtStream stream = new_stream();
    aclmdlRI graph = NULL;
    aclrtTaskGrp group = NULL;
    char *block = new_block(64), *other = new_block(64);
    code("outside", CALL(aclmdlRICaptureTaskGrpBegin)(stream));
    need("aclmdlRICaptureBegin", CALL(aclmdlRICaptureBegin)(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    code("begin", CALL(aclmdlRICaptureTaskGrpBegin)(stream));
    code("nested", CALL(aclmdlRICaptureTaskGrpBegin)(stream));
    need("aclrtMemcpyAsync", CALL(aclrtMemcpyAsync)(block, 64, other, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    code("end", CALL(aclmdlRICaptureTaskGrpEnd)(stream, &group));
    need("aclmdlRICaptureEnd", CALL(aclmdlRICaptureEnd)(stream, &graph));
    code("update", CALL(aclmdlRICaptureTaskUpdateBegin)(stream, group));
    code("copy", CALL(aclrtMemcpyAsync)(other, 64, block, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    code("update_end", CALL(aclmdlRICaptureTaskUpdateEnd)(stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
}

QUESTION(conditions, "aclmdlRICondHandleCreate aclmdlRICondHandleGetCondPtr aclmdlRIAddCondTask aclmdlRICaptureToModelRIBegin", "What do conditions of a graph return?")
{
    aclrtStream stream = new_stream(), branch = new_stream();
    aclmdlRI graph = NULL, branches[1] = {NULL};
    aclmdlRICaptureStatus status;
    aclmdlRICondHandle handle = NULL;
    uint64_t *value = NULL;
    need("aclmdlRICaptureBegin", CALL(aclmdlRICaptureBegin)(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    need("aclmdlRICaptureGetInfo", CALL(aclmdlRICaptureGetInfo)(stream, &status, &graph));
    code("create", CALL(aclmdlRICondHandleCreate)(graph, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &handle));
    code("pointer", CALL(aclmdlRICondHandleGetCondPtr)(handle, &value));
    aclmdlRICondTaskParams parameters = {handle, ACL_MODEL_RI_COND_TASK_TYPE_IF, 1, branches};
    code("add", CALL(aclmdlRIAddCondTask)(parameters, stream, 0));
    code("fill", CALL(aclmdlRICaptureToModelRIBegin)(branch, branches[0], ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    code("fill_end", CALL(aclmdlRICaptureEnd)(branch, &branches[0]));
    code("end", CALL(aclmdlRICaptureEnd)(stream, &graph));
}

QUESTION(printing, "aclmdlRIDebugPrint aclmdlRIDebugJsonPrint", "Can an empty graph be printed?")
{
    aclrtStream stream = new_stream();
    aclmdlRI graph = NULL;
    need("aclmdlRICaptureBegin", CALL(aclmdlRICaptureBegin)(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    need("aclrtMemsetAsync", CALL(aclrtMemsetAsync)(new_block(64), 64, 0, 64, stream));
    need("aclmdlRICaptureEnd", CALL(aclmdlRICaptureEnd)(stream, &graph));
    code("print", CALL(aclmdlRIDebugPrint)(graph));
    code("json", CALL(aclmdlRIDebugJsonPrint)(graph, "/dev/null", 0));
    code("no_folder", CALL(aclmdlRIDebugJsonPrint)(graph, "/nonexistent/graph.json", 0));
}

QUESTION(notify, "aclrtCreateNotify aclrtDestroyNotify aclrtRecordNotify aclrtWaitAndResetNotify aclrtGetNotifyId aclrtNotifyBatchReset", "Does a wait take a record back?")
{
    aclrtNotify notify = NULL;
    aclrtStream stream = new_stream();
    uint32_t id = 0;
    code("create", CALL(aclrtCreateNotify)(&notify, ACL_NOTIFY_DEFAULT));
    code("id", CALL(aclrtGetNotifyId)(notify, &id));
    code("record", CALL(aclrtRecordNotify)(notify, stream));
    code("wait", CALL(aclrtWaitAndResetNotify)(notify, stream, 0));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    code("reset", CALL(aclrtNotifyBatchReset)(&notify, 1));
    code("second", CALL(aclrtWaitAndResetNotify)(notify, stream, 50));
    code("fails", CALL(aclrtSynchronizeStream)(stream));
    code("flag", CALL(aclrtCreateNotify)(&notify, 77));
    code("destroy", CALL(aclrtDestroyNotify)(notify));
}

QUESTION(notify_share, "aclrtNotifyGetExportKey aclrtNotifyImportByKey aclrtNotifySetImportPid", "May a process import a notification that it exported?")
{
    aclrtNotify notify = NULL, import = NULL;
    char key[65] = "";
    int32_t pid = 0;
    need("aclrtDeviceGetBareTgid", CALL(aclrtDeviceGetBareTgid)(&pid));
    need("aclrtCreateNotify", CALL(aclrtCreateNotify)(&notify, ACL_NOTIFY_DEFAULT));
    code("export", CALL(aclrtNotifyGetExportKey)(notify, key, sizeof key, 0));
    code("name", CALL(aclrtNotifySetImportPid)(notify, &pid, 1));
    code("import", CALL(aclrtNotifyImportByKey)(&import, key, 0));
    code("made_up", CALL(aclrtNotifyImportByKey)(&import, "nonsense", 0));
}

QUESTION(counted, "aclrtCntNotifyCreate aclrtCntNotifyRecord aclrtCntNotifyWaitWithTimeout aclrtCntNotifyReset aclrtCntNotifyGetId aclrtCntNotifyDestroy", "What do counted notifications return?")
{
    aclrtCntNotify notify = NULL;
    aclrtStream stream = new_stream();
    uint32_t id = 0;
    aclrtCntNotifyRecordInfo record = {ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 5};
    aclrtCntNotifyWaitInfo wait;
    memset(&wait, 0, sizeof wait);
    wait.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
    wait.value = 5;
    code("create", CALL(aclrtCntNotifyCreate)(&notify, ACL_NOTIFY_DEFAULT));
    code("id", CALL(aclrtCntNotifyGetId)(notify, &id));
    code("record", CALL(aclrtCntNotifyRecord)(notify, stream, &record));
    code("wait", CALL(aclrtCntNotifyWaitWithTimeout)(notify, stream, &wait));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    record.mode = (aclrtCntNotifyRecordMode)9;
    code("mode", CALL(aclrtCntNotifyRecord)(notify, stream, &record));
    code("reset", CALL(aclrtCntNotifyReset)(notify, stream));
    code("destroy", CALL(aclrtCntNotifyDestroy)(notify));
}
