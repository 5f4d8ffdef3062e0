/* Attributes of streams, limits of cores, and what a device says of itself. */
#include "check.h"

static aclrtStreamAttrValue number(uint64_t wide)
{
    aclrtStreamAttrValue value;
    memset(&value, 0, sizeof value);
    value.failureMode = wide;
    return value;
}

static uint64_t of(aclrtStream stream, aclrtStreamAttr attribute)
{
    aclrtStreamAttrValue value;
    memset(&value, 0xee, sizeof value);
    OK(aclrtGetStreamAttribute(stream, attribute, &value));
    return attribute == ACL_STREAM_ATTR_FAILURE_MODE ? value.failureMode : value.userCustomTag;
}

static void attributes(void)
{
    aclrtStream stream, gone;
    aclrtStreamAttrValue zero = number(0), one = number(1), two = number(2), tag = number(0xabcdu);
    uint32_t flag = 77, priority = 77;
    OK(aclrtCreateStreamWithConfig(&stream, 3, 0));
    EQ(of(stream, ACL_STREAM_ATTR_PRIORITY), 3);
    EQ(of(stream, ACL_STREAM_ATTR_FAILURE_MODE), ACL_CONTINUE_ON_FAILURE);
    EQ(of(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK), 0);
    EQ(of(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG), 0);
    EQ(of(stream, ACL_STREAM_ATTR_CACHE_OP_INFO), 0);

    OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &one));
    EQ(of(stream, ACL_STREAM_ATTR_CACHE_OP_INFO), 1);
    OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &zero));
    EQ(of(stream, ACL_STREAM_ATTR_CACHE_OP_INFO), 0);
    OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &tag));
    EQ(of(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG), 0xabcd);
    OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &one));
    EQ(of(stream, ACL_STREAM_ATTR_PRIORITY), 1);
    OK(aclrtStreamGetPriority(stream, &priority));
    EQ(priority, 1);
    OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &one));
    EQ(of(stream, ACL_STREAM_ATTR_FAILURE_MODE), ACL_STOP_ON_FAILURE);
    /* Once per stream, and not for the default stream. */
    CODE(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &zero), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtSetStreamAttribute(NULL, ACL_STREAM_ATTR_FAILURE_MODE, &one), ACL_ERROR_RT_PARAM_INVALID);
    /* The default stream has the others. */
    OK(aclrtSetStreamAttribute(NULL, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &two));
    EQ(of(NULL, ACL_STREAM_ATTR_USER_CUSTOM_TAG), 2);
    EQ(of(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG), 0xabcd);

    OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &zero));
    OK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &one));
    EQ(of(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK), 1);
    CODE(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &two), ACL_ERROR_INVALID_PARAM);
    /* The same switch. */
    OK(aclrtGetStreamOverflowSwitch(stream, &flag));
    EQ(flag, 1);
    CODE(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &two), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &tag), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtSetStreamAttribute(stream, (aclrtStreamAttr)6, &zero), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetStreamAttribute(stream, (aclrtStreamAttr)0, &zero), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, NULL), ACL_ERROR_INVALID_PARAM);

    OK(aclrtSetStreamOverflowSwitch(stream, 0));
    OK(aclrtGetStreamOverflowSwitch(stream, &flag));
    EQ(flag, 0);
    CODE(aclrtSetStreamOverflowSwitch(stream, 2), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetStreamOverflowSwitch(stream, NULL), ACL_ERROR_INVALID_PARAM);
    gone = stream;
    OK(aclrtDestroyStream(stream));
    FAILS(aclrtGetStreamAttribute(gone, ACL_STREAM_ATTR_PRIORITY, &zero));
    FAILS(aclrtSetStreamAttribute(gone, ACL_STREAM_ATTR_PRIORITY, &zero));
}

static uint32_t device_limit(aclrtDevResLimitType type)
{
    uint32_t value = 0;
    OK(aclrtGetDeviceResLimit(0, type, &value));
    return value;
}

static uint32_t stream_limit(aclrtStream stream, aclrtDevResLimitType type)
{
    uint32_t value = 0;
    OK(aclrtGetStreamResLimit(stream, type, &value));
    return value;
}

static uint32_t thread_limit(aclrtDevResLimitType type)
{
    uint32_t value = 0;
    OK(aclrtGetResInCurrentThread(type, &value));
    return value;
}

static void limits(void)
{
    const aclrtDevResLimitType cube = ACL_RT_DEV_RES_CUBE_CORE, vector = ACL_RT_DEV_RES_VECTOR_CORE;
    aclrtStream stream;
    int64_t cubes, vectors;
    uint32_t value = 77;
    OK(aclrtCreateStream(&stream));
    OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &cubes));
    OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &vectors));
    /* Without a limit it is what the device has. */
    EQ(device_limit(cube), cubes);
    EQ(stream_limit(stream, vector), vectors);
    EQ(thread_limit(cube), cubes);
    OK(aclrtSetDeviceResLimit(0, cube, 3));
    EQ(device_limit(cube), 3);
    EQ(device_limit(vector), vectors);
    EQ(stream_limit(stream, cube), 3);
    EQ(thread_limit(cube), 3);
    OK(aclrtSetStreamResLimit(stream, cube, 2));
    OK(aclrtSetStreamResLimit(stream, vector, 5));
    EQ(stream_limit(stream, cube), 2);
    EQ(stream_limit(stream, vector), 5);
    EQ(stream_limit(NULL, cube), 3);
    EQ(thread_limit(cube), 3);
    OK(aclrtUseStreamResInCurrentThread(stream));
    EQ(thread_limit(cube), 2);
    EQ(thread_limit(vector), 5);
    OK(aclrtUseStreamResInCurrentThread(NULL));
    EQ(thread_limit(cube), 3);
    OK(aclrtUseStreamResInCurrentThread(stream));
    OK(aclrtUnuseStreamResInCurrentThread(stream));
    EQ(thread_limit(cube), 3);
    OK(aclrtResetStreamResLimit(stream));
    EQ(stream_limit(stream, cube), 3);
    OK(aclrtResetDeviceResLimit(0));
    EQ(device_limit(cube), cubes);

    CODE(aclrtSetDeviceResLimit(0, cube, 0), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtSetDeviceResLimit(0, cube, (uint32_t)cubes + 1), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtSetStreamResLimit(stream, vector, 0), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtSetDeviceResLimit(0, (aclrtDevResLimitType)2, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtSetDeviceResLimit(9, cube, 1), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtGetDeviceResLimit(-1, cube, &value), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtGetDeviceResLimit(0, cube, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetStreamResLimit(stream, cube, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetResInCurrentThread((aclrtDevResLimitType)9, &value), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtResetDeviceResLimit(9), ACL_ERROR_RT_INVALID_DEVICEID);
    EQ(value, 77);
    OK(aclrtDestroyStream(stream));
}

static void devices(void)
{
    aclrtUtilizationInfo load;
    aclrtErrorInfo error;
    aclrtMemUceInfo faults[2];
    aclrtHostMemMapCapability maps = ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;
    size_t count = 77, free_bytes, total;
    int32_t value = 77;
    void *block;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    memset(&load, 0, sizeof load);
    OK(aclrtGetDeviceUtilizationRate(0, &load));
    EQ(load.cubeUtilization, -1);
    EQ(load.memoryUtilization, 0);
    OK(aclrtMalloc(&block, total / 2, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtGetDeviceUtilizationRate(0, &load));
    CHECK(load.memoryUtilization >= 50 && load.memoryUtilization < 60);
    OK(aclrtFree(block));
    CODE(aclrtGetDeviceUtilizationRate(9, &load), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtGetDeviceUtilizationRate(0, NULL), ACL_ERROR_INVALID_PARAM);

    memset(&error, 0xee, sizeof error);
    OK(aclrtGetErrorVerbose(0, &error));
    EQ(error.errorType, ACL_RT_NO_ERROR);
    EQ(error.hasDetail, 0);
    CODE(aclrtGetErrorVerbose(0, NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclrtGetMemUceInfo(0, faults, 2, &count));
    EQ(count, 0);
    CODE(aclrtGetMemUceInfo(0, NULL, 2, &count), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetMemUceInfo(9, faults, 2, &count), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtRepairError(0, &error), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);

    OK(aclrtGetDeviceCapability(0, ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, &value));
    EQ(value, 1);
    OK(aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &value));
    EQ(value, 0);
    CODE(aclrtGetDeviceCapability(0, (aclrtDevFeatureType)2, &value), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetDeviceCapability(9, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &value), ACL_ERROR_RT_INVALID_DEVICEID);
    OK(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_SDMA, &maps));
    EQ(maps, ACL_RT_HOST_MEM_MAP_SUPPORTED);
    CODE(aclrtHostMemMapCapabilities(0, (aclrtHacType)10, &maps), ACL_ERROR_INVALID_PARAM);

    OK(aclrtDeviceL2CacheFlush(NULL));
    CODE(aclrtDeviceL2CacheFlush(&load), ACL_ERROR_INVALID_PARAM);
    OK(aclrtMallocForTaskScheduler(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
    OK(aclrtMemset(block, 64, 1, 64));
    OK(aclrtFree(block));
    CODE(aclrtMallocForTaskScheduler(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMallocForTaskScheduler(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST, NULL), ACL_ERROR_INVALID_PARAM);
}

/* What kernels may use: kept and returned, as long as it can be. */
static void bytes(void)
{
    const aclrtDeviceLimit stack = ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE;
    size_t value = 77, free_bytes, total;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    CODE(aclrtDeviceGetLimit(stack, &value), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    MENTIONS("was not set");
    OK(aclrtDeviceSetLimit(stack, 32768));
    OK(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, total));
    OK(aclrtDeviceGetLimit(stack, &value));
    EQ(value, 32768);
    OK(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, &value));
    EQ(value, total);
    CODE(aclrtDeviceSetLimit(stack, 0), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtDeviceSetLimit(stack, total + 1), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtDeviceSetLimit((aclrtDeviceLimit)5, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtDeviceGetLimit((aclrtDeviceLimit)-1, &value), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtDeviceGetLimit(stack, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE, &value), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    OK(aclrtDeviceGetLimit(stack, &value));
    EQ(value, 32768);
}

/* Streams that are made from a configuration. */
static void configured(void)
{
    aclrtStreamConfigHandle *config = aclrtCreateStreamConfigHandle();
    aclrtStream stream = NULL, none = NULL;
    uint32_t priority = 3, flags = 0;
    size_t flag = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC, size = 4096, bad = (size_t)1 << 40;
    void *work, *nothing = NULL;
    CHECK(config != NULL);
    OK(aclrtMalloc(&work, size, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority, sizeof priority));
    OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, sizeof flag));
    OK(aclrtCreateStreamV2(&stream, config));
    priority = 77;
    OK(aclrtStreamGetPriority(stream, &priority));
    EQ(priority, 3);
    OK(aclrtStreamGetFlags(stream, &flags));
    EQ(flags, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC);
    OK(aclrtMemsetAsync(work, size, 1, size, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyStream(stream));

    OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_WORK_ADDR_PTR, &work, sizeof work));
    CODE(aclrtCreateStreamV2(&none, config), ACL_ERROR_INVALID_PARAM);
    OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_WORK_SIZE, &size, sizeof size));
    OK(aclrtCreateStreamV2(&stream, config));
    OK(aclrtDestroyStream(stream));
    OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_WORK_SIZE, &bad, sizeof bad));
    FAILS(aclrtCreateStreamV2(&none, config));
    size = 0;
    OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_WORK_SIZE, &size, sizeof size));
    OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_WORK_ADDR_PTR, &nothing, sizeof nothing));
    OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &bad, sizeof bad));
    CODE(aclrtCreateStreamV2(&none, config), ACL_ERROR_INVALID_PARAM);

    CODE(aclrtSetStreamConfigOpt(config, (aclrtStreamConfigAttr)4, &size, sizeof size), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &size, sizeof size), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, NULL, 4), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtSetStreamConfigOpt(NULL, ACL_RT_STREAM_PRIORITY, &priority, 4), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCreateStreamV2(NULL, config), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCreateStreamV2(&none, NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclrtDestroyStreamConfigHandle(config));
    CODE(aclrtDestroyStreamConfigHandle(config), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclrtCreateStreamV2(&none, config), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority, 4), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclrtDestroyStreamConfigHandle(NULL), ACL_ERROR_INVALID_PARAM);
    EQ_PTR(none, NULL);
    OK(aclrtFree(work));
}

int main(void)
{
    OPEN_DEVICE();
    attributes();
    limits();
    devices();
    bytes();
    configured();
    CLOSE_DEVICE();
    return 0;
}
