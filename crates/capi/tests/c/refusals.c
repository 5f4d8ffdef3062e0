/* What does a function answer that is declared, exported and not implemented? A
 * code that says so and a sentence that names it; or NULL and the same sentence.
 * Never a silent success. The functions here are ones with no plan behind them. */
#include "check.h"

#include <dlfcn.h>

#define REFUSED(call, name)                          \
    do {                                             \
        CODE((call), ACL_ERROR_API_NOT_SUPPORT);     \
        MENTIONS(name);                              \
        CHECK(strchr(check_text, ' ') != NULL);      \
    } while (0)

/* Kernels for NPU cores, labels and groups of cores: programs that have another way compile, and learn that they need it. */
static void kernels(void)
{
    char bytes[16] = {0};
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle function = NULL;
    aclrtArgsHandle arguments = NULL;
    aclrtPlaceHolderInfo place = {0, 8};
    aclrtLabel label = NULL;
    uint32_t groups = 77;
    CHECK(aclrtCreateBinary(bytes, sizeof bytes) == NULL);
    REFUSED(aclrtBinaryLoadFromData(bytes, sizeof bytes, NULL, &binary), "aclrtBinaryLoadFromData");
    REFUSED(aclrtBinaryLoadFromFile("kernel.o", NULL, &binary), "aclrtBinaryLoadFromFile");
    REFUSED(aclrtBinaryGetFunction(binary, "add", &function), "aclrtBinaryGetFunction");
    REFUSED(aclrtKernelArgsInit(function, &arguments), "aclrtKernelArgsInit");
    REFUSED(aclrtLaunchKernel(function, 1, bytes, sizeof bytes, NULL), "aclrtLaunchKernel");
    REFUSED(aclrtLaunchKernelWithHostArgs(function, 1, NULL, NULL, bytes, sizeof bytes, &place, 1), "aclrtLaunchKernelWithHostArgs");
    REFUSED(aclrtCreateLabel(&label), "aclrtCreateLabel");
    REFUSED(aclrtGetGroupCount(&groups), "aclrtGetGroupCount");
    CHECK(aclrtCreateGroupInfo() == NULL);
    CHECK(binary == NULL && function == NULL && arguments == NULL && label == NULL);
    EQ(groups, 77);
    CODE(aclrtCmoWaitBarrier(NULL, NULL, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

/* What no header declares: programs that look it up find it and are refused; or it is absent, because finding it would lead them astray. */
static void looked_up(void)
{
    const char *const there[] = {"acltdtCreateQueue", "aclrtAllocBuf", "aclrtGetHardwareSyncAddr", "acldumpRegCallback", "aclrtLaunchKernelWithArgsArray"};
    const char *const absent[] = {"aclmdlRIUpdate", "aclmdlRIBuildBegin", "aclrtCacheLastTaskOpInfo", "aclrtSnapShotProcessLock", "aclrtTaskUpdateAsync"};
    size_t i;
    for (i = 0; i < sizeof there / sizeof there[0]; i++) {
        aclError (*function)(void) = NULL;
        void *found = dlsym(RTLD_DEFAULT, there[i]);
        CHECK(found != NULL);
        memcpy(&function, &found, sizeof function);
        REFUSED(function(), there[i]);
    }
    for (i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        CHECK(dlsym(RTLD_DEFAULT, absent[i]) == NULL);
    }
}

int main(void)
{
    uint32_t model = 77;
    uint32_t queues[1] = {0};
    char bytes[16] = {0};

    OPEN_DEVICE();

    REFUSED(aclmdlLoadFromFileWithQ("model.om", &model, queues, 1, queues, 1), "aclmdlLoadFromFileWithQ");
    REFUSED(aclmdlLoadFromMemWithQ(bytes, sizeof bytes, &model, queues, 1, queues, 1), "aclmdlLoadFromMemWithQ");
    EQ(model, 77);
    REFUSED(aclrtSubscribeHostFunc(1, NULL), "aclrtSubscribeHostFunc");

    /* Programs try these to see whether the device has the feature. */
    CODE(aclrtMemUceRepair(0, NULL, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    MENTIONS("aclrtMemUceRepair");
    CODE(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, 1024), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    kernels();
    looked_up();
    CLOSE_DEVICE();
    return 0;
}
