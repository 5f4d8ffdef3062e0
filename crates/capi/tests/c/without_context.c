/* What may a thread do that has chosen no device? Everything that needs a context
 * says so with one code; wrong arguments are noticed before that. */
#include "check.h"

int main(void)
{
    char plain[64] = {0};
    void *block = &plain;
    aclrtStream stream = &plain;
    aclrtEvent event = NULL;
    aclrtStreamStatus status;
    size_t free_bytes, total_bytes;
    uint32_t count = 0;
    int32_t device;
    aclrtContext context;

    OK(aclInit(NULL));

    /* These need none. */
    OK(aclrtGetDeviceCount(&count));
    CHECK(count >= 1);
    OK(aclrtReserveMemAddress(&block, 1 << 21, 0, NULL, 1));
    OK(aclrtReleaseMemAddress(block));
    OK(aclrtReserveMemAddressNoUCMemory(&block, 1 << 21, 0, NULL, 1));
    OK(aclrtReleaseMemAddress(block));
    block = &plain;

    CODE(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtCtxGetCurrentDefaultStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH), ACL_ERROR_RT_CONTEXT_NULL);
    EQ_PTR(stream, &plain);
    CODE(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtMallocAlign32(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtMallocCached(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtMallocWithCfg(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, NULL), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtMallocHost(&block, 64), ACL_ERROR_RT_CONTEXT_NULL);
    EQ_PTR(block, &plain);
    CODE(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total_bytes), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtSynchronizeStreamWithTimeout(NULL, 10), ACL_ERROR_RT_CONTEXT_NULL);
    CODE(aclrtStreamQuery(NULL, &status), ACL_ERROR_RT_CONTEXT_NULL);
    FAILS(aclrtMemcpyAsync(plain, 32, plain + 32, 32, ACL_MEMCPY_DEVICE_TO_HOST, NULL));

    /* For an event the interface leaves open whether it needs one. */
    if (RETURNS(aclrtCreateEvent(&event)) == 0) {
        OK(aclrtDestroyEvent(event));
    }

    /* Arguments come first. */
    CODE(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMallocAlign32(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMallocHost(&block, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetMemInfo(ACL_HBM_MEM, NULL, &total_bytes), ACL_ERROR_INVALID_PARAM);

    OK(aclFinalize());
    return 0;
}
