/* Starting and ending, errors, versions, contexts and devices. */
#include <pthread.h>

#include "../oracle.h"
#define GROUP "process"

QUESTION_IN(NOTHING, init_twice, "aclInit aclFinalize aclFinalizeReference", "What do repeated starts and ends return, and how are they counted?")
{
    uint64_t count = 99;
    code("first", CALL(aclInit)(NULL));
    code("second", CALL(aclInit)(NULL));
    RESULT("reference", CALL(aclFinalizeReference)(&count), count);
    code("finalize", CALL(aclFinalize)());
    code("again", CALL(aclFinalize)());
    RESULT("reference_after", CALL(aclFinalizeReference)(&count), count);
}

QUESTION_IN(NOTHING, init_again, "aclInit aclFinalize", "Can a process start again after it ended?")
{
    code("init", CALL(aclInit)(NULL));
    code("finalize", CALL(aclFinalize)());
    code("init_again", CALL(aclInit)(NULL));
    code("set", CALL(aclrtSetDevice)(0));
}

QUESTION_IN(NOTHING, init_file, "aclInit", "What does aclInit return for a file that is missing, empty, and not JSON?")
{
    char path[] = "/tmp/oracle-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) {
        need("mkstemp", 1);
    }
    code("no_file", CALL(aclInit)("/nonexistent/acl.json"));
    code("empty_name", CALL(aclInit)(""));
    FILE *text = fdopen(file, "w");
    fputs("{ not json", text);
    fclose(text);
    code("broken", CALL(aclInit)(path));
    remove(path);
}

QUESTION_IN(NOTHING, before_init, "aclrtSetDevice aclrtMalloc", "Do a device and memory work without aclInit?")
{
    void *block = NULL;
    code("set", CALL(aclrtSetDevice)(0));
    code("malloc", CALL(aclrtMalloc)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
}

QUESTION_IN(INITIALISED, without_device, "aclrtMalloc aclrtMallocHost aclrtCreateStream aclrtCreateEvent aclrtGetDevice aclrtGetCurrentContext aclrtSynchronizeDevice", "What do calls return in a thread without a context?")
{
    void *block = NULL;
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    aclrtContext context = NULL;
    int32_t device = 9;
    size_t a, b;
    code("malloc", CALL(aclrtMalloc)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    code("host", CALL(aclrtMallocHost)(&block, 64));
    code("stream", CALL(aclrtCreateStream)(&stream));
    code("event", CALL(aclrtCreateEvent)(&event));
    RESULT("device", CALL(aclrtGetDevice)(&device), device);
    code("context", CALL(aclrtGetCurrentContext)(&context));
    code("synchronize", CALL(aclrtSynchronizeDevice)());
    code("info", CALL(aclrtGetMemInfo)(ACL_HBM_MEM, &a, &b));
}

QUESTION_ALONE(finalize_with_device, "aclFinalize aclrtMalloc aclrtGetDevice", "What works after aclFinalize while a device is set?")
{
    void *block = NULL;
    int32_t device = 9;
    new_stream();
    code("finalize", CALL(aclFinalize)());
    code("malloc", CALL(aclrtMalloc)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    RESULT("device", CALL(aclrtGetDevice)(&device), device);
}

QUESTION(errors, "aclGetRecentErrMsg aclrtPeekAtLastError aclrtGetLastError", "When does the last error begin and end?")
{
    CALL(aclGetRecentErrMsg)();
    CALL(aclrtGetLastError)(ACL_RT_THREAD_LEVEL);
    code("start", CALL(aclrtPeekAtLastError)(ACL_RT_THREAD_LEVEL));
    code("fails", CALL(aclrtFree)(NULL));
    code("peek", CALL(aclrtPeekAtLastError)(ACL_RT_THREAD_LEVEL));
    fact("text", "%s", pointer(CALL(aclGetRecentErrMsg)()));
    fact("text_again", "%s", pointer(CALL(aclGetRecentErrMsg)()));
    code("get", CALL(aclrtGetLastError)(ACL_RT_THREAD_LEVEL));
    code("get_again", CALL(aclrtGetLastError)(ACL_RT_THREAD_LEVEL));
    code("level", CALL(aclrtPeekAtLastError)((aclrtLastErrLevel)5));
}

QUESTION(error_cleared, "aclGetRecentErrMsg aclrtPeekAtLastError", "Does a call that succeeds clear the text and the code of the last failure?")
{
    code("fails", CALL(aclrtFree)(NULL));
    new_block(64);
    code("peek", CALL(aclrtPeekAtLastError)(ACL_RT_THREAD_LEVEL));
    fact("text", "%s", pointer(CALL(aclGetRecentErrMsg)()));
}

static void *other_thread(void *argument)
{
    aclrtContext context = NULL;
    void *block = NULL;
    (void)argument;
    code("other_context", CALL(aclrtGetCurrentContext)(&context));
    code("other_malloc", CALL(aclrtMalloc)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    code("other_error", CALL(aclrtPeekAtLastError)(ACL_RT_THREAD_LEVEL));
    code("other_set", CALL(aclrtSetDevice)(0));
    code("other_malloc_set", CALL(aclrtMalloc)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    return NULL;
}

QUESTION(threads, "aclrtGetCurrentContext aclrtSetDevice", "Has a new thread a context, and an error of its own?")
{
    pthread_t thread;
    CALL(aclrtFree)(NULL);
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
}

QUESTION_ALONE(contexts, "aclrtCreateContext aclrtDestroyContext aclrtSetCurrentContext aclrtGetCurrentContext aclrtGetPrimaryCtxState", "Is a created context current, and which contexts may be destroyed?")
{
    aclrtContext primary = NULL, made = NULL, now = NULL;
    int32_t active = 9;
    code("get", CALL(aclrtGetCurrentContext)(&primary));
    code("create", CALL(aclrtCreateContext)(&made, 0));
    need("aclrtGetCurrentContext", CALL(aclrtGetCurrentContext)(&now));
    fact("current", "%s", now == made ? "created" : now == primary ? "primary" : "other");
    code("set", CALL(aclrtSetCurrentContext)(primary));
    code("destroy", CALL(aclrtDestroyContext)(made));
    code("set_destroyed", CALL(aclrtSetCurrentContext)(made));
    code("destroy_twice", CALL(aclrtDestroyContext)(made));
    code("destroy_primary", CALL(aclrtDestroyContext)(primary));
    code("null", CALL(aclrtSetCurrentContext)(NULL));
    code("no_device", CALL(aclrtCreateContext)(&made, 4000));
    RESULT("state", CALL(aclrtGetPrimaryCtxState)(0, NULL, &active), active);
}

QUESTION_ALONE(context_destroyed_current, "aclrtDestroyContext aclrtMalloc", "What does a call return after the thread's current context was destroyed?")
{
    aclrtContext made = NULL;
    void *block = NULL;
    need("aclrtCreateContext", CALL(aclrtCreateContext)(&made, 0));
    code("destroy", CALL(aclrtDestroyContext)(made));
    code("malloc", CALL(aclrtMalloc)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
}

QUESTION_ALONE(foreign_context_stream, "aclrtMemsetAsync aclrtSynchronizeStream", "May a stream of another context of the same device be used?")
{
    aclrtContext made = NULL;
    aclrtStream stream = new_stream();
    char *block = new_block(64);
    need("aclrtCreateContext", CALL(aclrtCreateContext)(&made, 0));
    code("fill", CALL(aclrtMemsetAsync)(block, 64, 1, 64, stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
}

QUESTION_ALONE(devices, "aclrtSetDevice aclrtResetDevice aclrtResetDeviceForce aclrtGetDevice aclrtGetDeviceCount", "How are sets and resets of a device counted?")
{
    int32_t device = 9;
    uint32_t count = 0;
    void *block = NULL;
    code("count", CALL(aclrtGetDeviceCount)(&count));
    fact("~devices", "%u", count);
    code("none", CALL(aclrtSetDevice)((int32_t)count));
    code("negative", CALL(aclrtSetDevice)(-1));
    RESULT("get", CALL(aclrtGetDevice)(&device), device);
    code("set_again", CALL(aclrtSetDevice)(0));
    code("reset", CALL(aclrtResetDevice)(0));
    code("malloc", CALL(aclrtMalloc)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    code("reset_last", CALL(aclrtResetDevice)(0));
    code("malloc_after", CALL(aclrtMalloc)(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    code("reset_more", CALL(aclrtResetDevice)(0));
    code("force", CALL(aclrtResetDeviceForce)(0));
}

QUESTION_ALONE(reset_frees, "aclrtResetDevice aclrtFree", "Is memory gone after the last reset of its device?")
{
    void *block = new_block(64);
    need("aclrtResetDevice", CALL(aclrtResetDevice)(0));
    need("aclrtSetDevice", CALL(aclrtSetDevice)(0));
    code("free", CALL(aclrtFree)(block));
}

QUESTION(run_mode, "aclrtGetRunMode aclrtSetTsDevice aclrtGetSocName", "What do the run mode, the task scheduler and the name of the chip return?")
{
    aclrtRunMode mode = (aclrtRunMode)9;
    RESULT("mode", CALL(aclrtGetRunMode)(&mode), mode);
    code("ts0", CALL(aclrtSetTsDevice)(ACL_TS_ID_AICORE));
    code("ts1", CALL(aclrtSetTsDevice)(ACL_TS_ID_AIVECTOR));
    code("ts2", CALL(aclrtSetTsDevice)(ACL_TS_ID_RESERVED));
    fact("~soc", "%s", CALL(aclrtGetSocName)());
}

QUESTION(peers, "aclrtDeviceCanAccessPeer aclrtDeviceEnablePeerAccess aclrtDeviceDisablePeerAccess aclrtDevicePeerAccessStatus", "Can a device be its own peer?")
{
    int32_t can = 9, status = 9;
    RESULT("self", CALL(aclrtDeviceCanAccessPeer)(&can, 0, 0), can);
    code("enable_self", CALL(aclrtDeviceEnablePeerAccess)(0, 0));
    code("enable_none", CALL(aclrtDeviceEnablePeerAccess)(4000, 0));
    code("disable_self", CALL(aclrtDeviceDisablePeerAccess)(0));
    RESULT("status", CALL(aclrtDevicePeerAccessStatus)(0, 0, &status), status);
}

QUESTION_ALONE(options, "aclrtCtxGetSysParamOpt aclrtCtxSetSysParamOpt aclrtGetSysParamOpt aclrtSetSysParamOpt", "What are options before they are set, and which are there?")
{
    for (int option = 0; option <= 4; option++) {
        int64_t value = -1;
        char name[16];
        snprintf(name, sizeof name, "ctx%d", option);
        RESULT(name, CALL(aclrtCtxGetSysParamOpt)((aclSysParamOpt)option, &value), value);
        value = -1;
        snprintf(name, sizeof name, "sys%d", option);
        RESULT(name, CALL(aclrtGetSysParamOpt)((aclSysParamOpt)option, &value), value);
    }
    int64_t value = -1;
    code("set", CALL(aclrtCtxSetSysParamOpt)(ACL_OPT_DETERMINISTIC, 1));
    RESULT("get", CALL(aclrtCtxGetSysParamOpt)(ACL_OPT_DETERMINISTIC, &value), value);
    code("set_other", CALL(aclrtSetSysParamOpt)(ACL_OPT_DETERMINISTIC, 7));
}

QUESTION_ALONE(timeouts, "aclrtSetOpWaitTimeout aclrtSetOpExecuteTimeOut aclrtSetOpExecuteTimeOutWithMs aclrtSetOpExecuteTimeOutV2 aclrtGetOpExecuteTimeout aclrtGetOpTimeOutInterval", "What limits of operators are accepted, and how are they rounded?")
{
    uint64_t actual = 0, interval = 0;
    uint32_t limit = 0;
    RESULT("interval", CALL(aclrtGetOpTimeOutInterval)(&interval), interval);
    code("wait", CALL(aclrtSetOpWaitTimeout)(5));
    code("seconds", CALL(aclrtSetOpExecuteTimeOut)(5));
    RESULT("get", CALL(aclrtGetOpExecuteTimeout)(&limit), limit);
    code("milliseconds", CALL(aclrtSetOpExecuteTimeOutWithMs)(1500));
    RESULT("get_ms", CALL(aclrtGetOpExecuteTimeout)(&limit), limit);
    RESULT("v2", CALL(aclrtSetOpExecuteTimeOutV2)(1000000, &actual), actual);
}

QUESTION(saturation, "aclrtSetDeviceSatMode aclrtGetDeviceSatMode", "Which overflow mode has a device, and which can be set?")
{
    aclrtFloatOverflowMode mode = ACL_RT_OVERFLOW_MODE_UNDEF;
    RESULT("get", CALL(aclrtGetDeviceSatMode)(&mode), mode);
    code("infnan", CALL(aclrtSetDeviceSatMode)(ACL_RT_OVERFLOW_MODE_INFNAN));
    code("saturation", CALL(aclrtSetDeviceSatMode)(ACL_RT_OVERFLOW_MODE_SATURATION));
    code("undefined", CALL(aclrtSetDeviceSatMode)(ACL_RT_OVERFLOW_MODE_UNDEF));
}

QUESTION(versions, "aclrtGetVersion aclsysGetCANNVersion aclsysGetVersionStr aclsysGetVersionNum", "Which versions does the library report?")
{
    int32_t major = 0, minor = 0, patch = 0, number = 0;
    char text[ACL_PKG_VERSION_MAX_SIZE] = "", name[] = "runtime", wrong[] = "nonsense";
    aclCANNPackageVersion version;
    memset(&version, 0, sizeof version);
    code("api", CALL(aclrtGetVersion)(&major, &minor, &patch));
    fact("~api", "%d.%d.%d", major, minor, patch);
    code("cann", CALL(aclsysGetCANNVersion)(ACL_PKG_NAME_CANN, &version));
    fact("~cann", "%s", version.version);
    code("unlisted", CALL(aclsysGetCANNVersion)((aclCANNPackageName)99, &version));
    code("text", CALL(aclsysGetVersionStr)(name, text));
    fact("~text", "%s", text);
    code("number", CALL(aclsysGetVersionNum)(name, &number));
    fact("~number", "%d", number);
    code("wrong", CALL(aclsysGetVersionStr)(wrong, text));
}

QUESTION(features, "aclGetCannAttributeList aclGetCannAttribute aclGetDeviceCapability", "Which features and numbers are reported?")
{
    const aclCannAttr *list = NULL;
    size_t count = 0;
    int32_t value = 9;
    int64_t number = 0;
    RESULT("list", CALL(aclGetCannAttributeList)(&list, &count), count);
    for (int index = -1; index <= 3; index++) {
        char name[16];
        value = 9;
        snprintf(name, sizeof name, "a%d", index);
        RESULT(name, CALL(aclGetCannAttribute)((aclCannAttr)index, &value), value);
        snprintf(name, sizeof name, "d%d", index);
        code(name, CALL(aclGetDeviceCapability)(0, (aclDeviceInfo)index, &number));
        snprintf(name, sizeof name, "~n%d", index);
        code(name, number);
    }
    code("no_device", CALL(aclGetDeviceCapability)(4000, ACL_DEVICE_INFO_AI_CORE_NUM, &number));
}

QUESTION(application_log, "aclAppLog", "Does aclAppLog return for every level?")
{
    for (int level = -1; level <= 4; level++) {
        CALL(aclAppLog)((aclLogLevel)level, "oracle", "process.c", 1, "%s", "a line");
    }
    fact("returned", "yes");
}

QUESTION(info, "aclrtGetDeviceInfo aclrtGetDeviceCapability aclrtQueryDeviceStatus aclrtGetDeviceUtilizationRate aclrtDeviceGetUuid", "What do the calls about a device return?")
{
    static const int attributes[] = {1, 101, 102, 201, 202, 203, 204, 205, 301, 302, 401, 402, 403, 406, 501, 601, 9999};
    for (size_t index = 0; index < sizeof attributes / sizeof *attributes; index++) {
        int64_t value = 0;
        char name[16];
        snprintf(name, sizeof name, "i%d", attributes[index]);
        code(name, CALL(aclrtGetDeviceInfo)(0, (aclrtDevAttr)attributes[index], &value));
        snprintf(name, sizeof name, "~v%d", attributes[index]);
        code(name, value);
    }
    aclrtDeviceStatus status = (aclrtDeviceStatus)9;
    RESULT("status", CALL(aclrtQueryDeviceStatus)(0, &status), status);
    code("status_none", CALL(aclrtQueryDeviceStatus)(4000, &status));
    aclrtUtilizationInfo use;
    memset(&use, 0, sizeof use);
    code("use", CALL(aclrtGetDeviceUtilizationRate)(0, &use));
    aclrtUuid uuid;
    code("uuid", CALL(aclrtDeviceGetUuid)(0, &uuid));
    code("uuid_none", CALL(aclrtDeviceGetUuid)(4000, &uuid));
}

QUESTION(device_numbers, "aclrtGetLogicDevIdByUserDevId aclrtGetUserDevIdByLogicDevId aclrtGetLogicDevIdByPhyDevId aclrtGetPhyDevIdByLogicDevId aclrtGetUserDevIdByPhyDevId aclrtGetPhyDevIdByUserDevId", "What do the numbers of devices translate to?")
{
    int32_t number = -5;
    RESULT("logic_by_user", CALL(aclrtGetLogicDevIdByUserDevId)(0, &number), number);
    RESULT("user_by_logic", CALL(aclrtGetUserDevIdByLogicDevId)(0, &number), number);
    code("logic_by_phy", CALL(aclrtGetLogicDevIdByPhyDevId)(0, &number));
    code("phy_by_logic", CALL(aclrtGetPhyDevIdByLogicDevId)(0, &number));
    code("user_by_phy", CALL(aclrtGetUserDevIdByPhyDevId)(0, &number));
    code("phy_by_user", CALL(aclrtGetPhyDevIdByUserDevId)(0, &number));
    code("none", CALL(aclrtGetLogicDevIdByUserDevId)(4000, &number));
}

QUESTION(faults, "aclrtGetErrorVerbose aclrtGetMemUceInfo", "What do the calls about hardware faults return on a device without one?")
{
    aclrtErrorInfo error;
    aclrtMemUceInfo faulty[4];
    size_t count = 9;
    memset(&error, 0, sizeof error);
    code("error", CALL(aclrtGetErrorVerbose)(0, &error));
    RESULT("memory", CALL(aclrtGetMemUceInfo)(0, faulty, 4, &count), count);
}

QUESTION(limits, "aclrtGetDeviceResLimit aclrtSetDeviceResLimit aclrtResetDeviceResLimit aclrtGetStreamResLimit aclrtSetStreamResLimit aclrtResetStreamResLimit aclrtUseStreamResInCurrentThread aclrtUnuseStreamResInCurrentThread aclrtGetResInCurrentThread", "Which limits of cores are accepted, and which one counts?")
{
    uint32_t cores = 0, value = 0;
    aclrtStream stream = new_stream();
    code("get", CALL(aclrtGetDeviceResLimit)(0, ACL_RT_DEV_RES_CUBE_CORE, &cores));
    fact("~cores", "%u", cores);
    code("zero", CALL(aclrtSetDeviceResLimit)(0, ACL_RT_DEV_RES_CUBE_CORE, 0));
    code("more", CALL(aclrtSetDeviceResLimit)(0, ACL_RT_DEV_RES_CUBE_CORE, cores + 1));
    code("one", CALL(aclrtSetDeviceResLimit)(0, ACL_RT_DEV_RES_CUBE_CORE, 1));
    RESULT("stream", CALL(aclrtGetStreamResLimit)(stream, ACL_RT_DEV_RES_CUBE_CORE, &value), value);
    code("reset", CALL(aclrtResetDeviceResLimit)(0));
    code("set_stream", CALL(aclrtSetStreamResLimit)(stream, ACL_RT_DEV_RES_CUBE_CORE, 2));
    code("use", CALL(aclrtUseStreamResInCurrentThread)(stream));
    RESULT("thread", CALL(aclrtGetResInCurrentThread)(ACL_RT_DEV_RES_CUBE_CORE, &value), value);
    code("unuse", CALL(aclrtUnuseStreamResInCurrentThread)(stream));
    code("reset_stream", CALL(aclrtResetStreamResLimit)(stream));
    code("kind", CALL(aclrtGetDeviceResLimit)(0, (aclrtDevResLimitType)9, &value));
}

QUESTION(driver, "drvGetDevNum halGetDeviceInfo halGetAPIVersion", "What do the driver's functions return?")
{
    uint32_t count = 0;
    int64_t value = 0;
    int version = -1;
    code("count", CALL(drvGetDevNum)(&count));
    fact("some", "%s", count ? "yes" : "no");
    code("info", CALL(halGetDeviceInfo)(0, 0, 0, &value));
    code("version", CALL(halGetAPIVersion)(&version));
    fact("~version", "%d", version);
}

QUESTION_ALONE(kernel_limits, "aclrtDeviceSetLimit aclrtDeviceGetLimit", "Which limits of kernels can be read and set, and what are they then?")
{
    for (int limit = 0; limit <= 5; limit++) {
        size_t before = 0, after = 0;
        char name[32];
        aclError read = CALL(aclrtDeviceGetLimit)((aclrtDeviceLimit)limit, &before);
        snprintf(name, sizeof name, "get%d", limit);
        code(name, read);
        snprintf(name, sizeof name, "~default%d", limit);
        fact(name, "%zu", before);
        snprintf(name, sizeof name, "set%d", limit);
        code(name, CALL(aclrtDeviceSetLimit)((aclrtDeviceLimit)limit, 32768));
        snprintf(name, sizeof name, "then%d", limit);
        RESULT(name, CALL(aclrtDeviceGetLimit)((aclrtDeviceLimit)limit, &after), after);
    }
    code("no_value", CALL(aclrtDeviceGetLimit)(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, NULL));
}

QUESTION_ALONE(kernel_limit_values, "aclrtDeviceSetLimit", "Which values does the limit of a kernel's stack accept?")
{
    static const struct { const char *name; size_t value; } rows[] = {{"zero", 0}, {"one", 1}, {"odd", 1001}, {"kibibyte", 1024}, {"mebibyte", 1 << 20}, {"terabyte", (size_t)1 << 40}, {"most", SIZE_MAX}};
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        code(rows[index].name, CALL(aclrtDeviceSetLimit)(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, rows[index].value));
    }
}
