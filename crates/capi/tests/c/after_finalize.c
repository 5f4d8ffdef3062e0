/* What happens to calls after aclFinalize? Whatever they answer, they answer:
 * nothing crashes or hangs, an error explains itself, and a new start works. */
#include "check.h"

/* Contexts of the program's own end with the library too, and their memory goes. */
static void own_contexts(void)
{
    aclrtContext context = NULL;
    aclrtStream stream = NULL;
    void *block = NULL;
    size_t before, after, total;
    int32_t device = -1;

    OK(aclInit(NULL));
    OK(aclrtCreateContext(&context, 0));
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclFinalize());
    FAILS(aclrtSetCurrentContext(context));
    OK(aclrtGetDevice(&device));
    EQ(device, 0);
    FAILS(aclrtSynchronizeStream(stream));
    FAILS(aclrtFree(block));
    OPEN_DEVICE();
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    EQ(after, before);
    CLOSE_DEVICE();
}

int main(void)
{
    aclrtStream stream = NULL, other = NULL;
    aclrtEvent event = NULL;
    aclrtContext context = NULL;
    aclrtStreamStatus status;
    void *block = NULL, *host = NULL, *fresh = NULL;
    size_t free_bytes, total_bytes;
    int32_t device;
    int round;

    own_contexts();
    for (round = 0; round < 3; round++) {
        OK(aclInit(NULL));
        /* A new beginning knows nothing of the device of the last one. */
        CODE(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
        OK(aclrtSetDevice(0));
        OK(aclrtGetCurrentContext(&context));
        OK(aclrtCreateStream(&stream));
        OK(aclrtCreateEvent(&event));
        OK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMallocHost(&host, 4096));
        OK(aclrtMemsetAsync(block, 4096, 1, 4096, stream));
        OK(aclrtRecordEvent(event, stream));

        /* Work is queued, and everything is still open. */
        OK(aclFinalize());

        RETURNS(aclrtSynchronizeStream(stream));
        RETURNS(aclrtStreamQuery(stream, &status));
        RETURNS(aclrtMemsetAsync(block, 4096, 2, 4096, stream));
        RETURNS(aclrtMemcpy(host, 4096, block, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
        RETURNS(aclrtSynchronizeEvent(event));
        /* A library that is ended later asks which device it was on. */
        device = -1;
        OK(aclrtGetDevice(&device));
        EQ(device, 0);
        RETURNS(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total_bytes));
        RETURNS(aclrtSynchronizeDevice());
        if (RETURNS(aclrtCreateStream(&other)) == 0) {
            RETURNS(aclrtDestroyStream(other));
        }
        if (RETURNS(aclrtMalloc(&fresh, 64, ACL_MEM_MALLOC_HUGE_FIRST)) == 0) {
            RETURNS(aclrtFree(fresh));
        }
        RETURNS(aclrtDestroyEvent(event));
        RETURNS(aclrtDestroyStream(stream));
        RETURNS(aclrtFree(block));
        RETURNS(aclrtFreeHost(host));
        RETURNS(aclrtSetCurrentContext(context));
        RETURNS(aclrtResetDeviceForce(0));

        /* By now each of them is gone, by one way or the other. */
        FAILS(aclrtDestroyEvent(event));
        FAILS(aclrtDestroyStream(stream));
        FAILS(aclrtFree(block));
        FAILS(aclrtFreeHost(host));
    }
    return 0;
}
