/* Profiling: what each function answers to right and wrong calls, and a profile of known work in the folder of the first argument. */
#include "check.h"

#include <acl/acl_prof.h>
#include <ftw.h>
#include <mstx/ms_tools_ext.h>
#include <sys/stat.h>

#define COPIES 20

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static void arguments(const char *folder)
{
    uint32_t device = 0, none = 77, twice[2] = {0, 0};
    uint64_t all = ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX | ACL_PROF_TASK_MEMORY;
    aclprofConfig *config;
    char file[4200], deep[4300];

    /* Before aclprofInit. */
    CODE(aclprofFinalize(), ACL_ERROR_UNINITIALIZE);
    CODE(aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "200", 3), ACL_ERROR_UNINITIALIZE);
    CODE(aclprofInit(NULL, 4), ACL_ERROR_INVALID_PARAM);
    CODE(aclprofInit(folder, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclprofInit(folder, strlen(folder) + 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclprofInit(folder, 4097), ACL_ERROR_INVALID_PARAM);
    snprintf(file, sizeof file, "%s/file", folder);
    fclose(fopen(file, "w"));
    snprintf(deep, sizeof deep, "%s/inside", file);
    CODE(aclprofInit(deep, strlen(deep)), ACL_ERROR_INVALID_FILE);
    remove(file);

    CHECK(aclprofCreateConfig(NULL, 1, ACL_AICORE_NONE, NULL, all) == NULL);
    CHECK(aclprofCreateConfig(&device, 0, ACL_AICORE_NONE, NULL, all) == NULL);
    CHECK(aclprofCreateConfig(&none, 1, ACL_AICORE_NONE, NULL, all) == NULL);
    CHECK(aclprofCreateConfig(twice, 2, ACL_AICORE_NONE, NULL, all) == NULL);
    CHECK(aclprofCreateConfig(&device, 99, ACL_AICORE_NONE, NULL, all) == NULL);
    CHECK(aclprofCreateConfig(&device, 1, (aclprofAicoreMetrics)99, NULL, all) == NULL);
    CHECK(aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, (const aclprofAicoreEvents *)&device, all) == NULL);
    CHECK(aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, 0) == NULL);
    config = aclprofCreateConfig(&device, 1, ACL_AICORE_PIPE_UTILIZATION, NULL, all);
    CHECK(config != NULL);
    CODE(aclprofStart(config), ACL_ERROR_UNINITIALIZE);
    CODE(aclprofWarmup(config), ACL_ERROR_UNINITIALIZE);
    CODE(aclprofStop(config), ACL_ERROR_PROF_NOT_RUN);

    OK(aclprofInit(folder, strlen(folder)));
    CODE(aclprofInit(folder, strlen(folder)), ACL_ERROR_REPEAT_INITIALIZE);
    CODE(aclprofSetConfig(ACL_PROF_ARGS_MIN, "200", 3), ACL_ERROR_INVALID_PARAM);
    CODE(aclprofSetConfig(ACL_PROF_ARGS_MAX, "200", 3), ACL_ERROR_INVALID_PARAM);
    CODE(aclprofSetConfig((aclprofConfigType)2, "200", 3), ACL_ERROR_INVALID_PARAM);
    CODE(aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, NULL, 3), ACL_ERROR_INVALID_PARAM);
    CODE(aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "200", 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "200", 257), ACL_ERROR_INVALID_PARAM);
    CODE(aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "199", 3), ACL_ERROR_INVALID_PARAM);
    CODE(aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "many", 4), ACL_ERROR_INVALID_PARAM);
    CODE(aclprofSetConfig(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "101", 3), ACL_ERROR_INVALID_PARAM);
    CODE(aclprofSetConfig(ACL_PROF_SYS_IO_FREQ, "50", 2), ACL_ERROR_PROF_MODULES_UNSUPPORTED);
    OK(aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "4294967295", 10));
    CODE(aclprofStart(NULL), ACL_ERROR_INVALID_PARAM);
    FAILS(aclprofStart((const aclprofConfig *)&device));
    FAILS(aclprofStop(NULL));
    FAILS(aclprofWarmup(NULL));
    FAILS(aclprofDestroyConfig(NULL));
    OK(aclprofDestroyConfig(config));
    FAILS(aclprofDestroyConfig(config));
    FAILS(aclprofStart(config));
    OK(aclprofFinalize());
    CODE(aclprofFinalize(), ACL_ERROR_UNINITIALIZE);
}

static void marks(aclrtStream stream)
{
    uint32_t range = 0;
    char too_long[1100];
    void *stamp = aclprofCreateStamp();
    aclprofStepInfo *step = aclprofCreateStepInfo();
    CHECK(stamp != NULL && step != NULL);
    memset(too_long, 'x', sizeof too_long);

    FAILS(aclprofSetStampTraceMessage(NULL, "a", 1));
    FAILS(aclprofSetStampTraceMessage(stamp, NULL, 1));
    FAILS(aclprofSetStampTraceMessage(stamp, "a", 0));
    FAILS(aclprofSetStampTraceMessage(stamp, too_long, sizeof too_long));
    FAILS(aclprofMark(NULL));
    FAILS(aclprofPush(NULL));
    FAILS(aclprofPop());
    FAILS(aclprofRangeStart(NULL, &range));
    FAILS(aclprofRangeStart(stamp, NULL));
    FAILS(aclprofRangeStop(4711));
    FAILS(aclprofMarkEx(NULL, 1, stream));
    FAILS(aclprofMarkEx("a", 0, stream));
    FAILS(aclprofMarkEx("a", 1, stamp));
    FAILS(aclprofGetStepTimestamp(NULL, ACL_STEP_START, stream));
    FAILS(aclprofGetStepTimestamp(step, (aclprofStepTag)7, stream));
    FAILS(aclprofGetStepTimestamp(step, ACL_STEP_END, stream));

    OK(aclprofSetStampTraceMessage(stamp, "one mark", 8));
    OK(aclprofMark(stamp));
    OK(aclprofSetStampTraceMessage(stamp, "pushed", 6));
    OK(aclprofPush(stamp));
    OK(aclprofPush(stamp));
    OK(aclprofPop());
    OK(aclprofPop());
    FAILS(aclprofPop());
    OK(aclprofSetStampTraceMessage(stamp, "started, \"quoted\"", 17));
    OK(aclprofRangeStart(stamp, &range));
    OK(aclprofRangeStop(range));
    FAILS(aclprofRangeStop(range));
    OK(aclprofMarkEx("on the stream", 13, stream));
    OK(aclprofGetStepTimestamp(step, ACL_STEP_START, stream));
    FAILS(aclprofGetStepTimestamp(step, ACL_STEP_START, stream));
    OK(aclprofGetStepTimestamp(step, ACL_STEP_END, stream));
    FAILS(aclprofGetStepTimestamp(step, ACL_STEP_END, stream));
    aclprofDestroyStamp(stamp);
    aclprofDestroyStepInfo(step);
    FAILS(aclprofMark(stamp));
    FAILS(aclprofGetStepTimestamp(step, ACL_STEP_START, stream));
}

/* Operators of models are refused, with a text. */
static void subscriptions(void)
{
    size_t size = 0;
    CHECK(aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, NULL) == NULL);
    CODE(aclprofModelSubscribe(1, NULL), ACL_ERROR_API_NOT_SUPPORT);
    CODE(aclprofModelUnSubscribe(1), ACL_ERROR_API_NOT_SUPPORT);
    CODE(aclprofGetOpDescSize(&size), ACL_ERROR_API_NOT_SUPPORT);
    EQ(aclprofGetOpStart(NULL, 0, 0), 0);
    EQ(aclprofGetOpFlag(NULL, 0, 0), ACL_SUBSCRIBE_NONE);
    CHECK(aclprofGetOpAttriValue(NULL, 0, 0, ACL_SUBSCRIBE_ATTRI_THREADID) == NULL);
}

int main(int count, char **words)
{
    char folder[64] = "/tmp/millpond-profiling-XXXXXX";
    const char *path = count > 1 ? words[1] : mkdtemp(folder);
    uint32_t device = 0;
    aclprofConfig *config, *other;
    aclrtStream stream;
    aclrtEvent event;
    void *host, *block, *big;
    mstxRangeId range;
    int i;

    CHECK(path != NULL);
    OK(aclInit(NULL));
    arguments(path);
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    OK(aclrtMallocHost(&host, 4096));
    OK(aclrtMallocAlign32(&block, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
    /* Not in the profile: it has not begun. */
    OK(aclrtMemsetAsync(block, 4096, 0, 4096, stream));
    OK(aclrtSynchronizeStream(stream));

    OK(aclprofInit(path, strlen(path)));
    config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL,
        ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX | ACL_PROF_TASK_MEMORY);
    other = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_TASK_TIME);
    CHECK(config != NULL && other != NULL);
    OK(aclprofWarmup(config));
    OK(aclprofStart(config));
    CODE(aclprofStart(config), ACL_ERROR_PROF_ALREADY_RUN);
    CODE(aclprofStart(other), ACL_ERROR_PROF_ALREADY_RUN);
    CODE(aclprofStop(other), ACL_ERROR_PROF_NOT_RUN);
    CODE(aclprofDestroyConfig(config), ACL_ERROR_PROF_ALREADY_RUN);
    range = mstxRangeStartA("the copies", stream);
    for (i = 0; i < COPIES; ++i) {
        OK(aclrtMemcpyAsync(block, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    }
    mstxRangeEnd(range);
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtStreamWaitEvent(stream, event));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(host, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtMalloc(&big, 64 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(big, 64, 7, 64));
    OK(aclrtMemcpy(host, 64, big, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtFree(big));
    marks(stream);
    OK(aclprofStop(config));
    CODE(aclprofStop(config), ACL_ERROR_PROF_NOT_RUN);
    /* Not in the profile either: it has ended. */
    OK(aclrtMemcpyAsync(block, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtSynchronizeStream(stream));
    /* The second part of the same profile; aclprofFinalize stops it. */
    OK(aclprofStart(config));
    OK(aclrtMemsetAsync(block, 4096, 1, 4096, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclprofFinalize());
    OK(aclprofDestroyConfig(config));
    OK(aclprofDestroyConfig(other));
    subscriptions();

    OK(aclrtFree(block));
    OK(aclrtFreeHost(host));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    if (count < 2) {
        nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
    return 0;
}
