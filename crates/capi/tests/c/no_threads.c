/* What if no thread can be started, for want of memory or by a limit? Whoever waits
 * for a stream does its work, and a host function that cannot run says so. */
#include "check.h"
#include <errno.h>
#include <hccl/hccl.h>
#include <pthread.h>

/* Stands before the one of the C library for the whole process. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *data)
{
    (void)thread, (void)attr, (void)run, (void)data;
    return EAGAIN;
}

static void never(void *called)
{
    *(int *)called = 1;
}

int main(void)
{
    aclrtStream first = NULL, second = NULL;
    aclrtEvent event = NULL;
    unsigned char bytes[64] = {0};
    void *block = NULL;
    int called = 0, i;
    HcclRootInfo info;
    aclrtNotify notify = NULL;
    aclrtEvent shared = NULL;
    char key[65];

    OPEN_DEVICE();
    OK(aclrtCreateStream(&first));
    OK(aclrtCreateStream(&second));
    OK(aclrtCreateEvent(&event));
    OK(aclrtMalloc(&block, sizeof bytes, ACL_MEM_MALLOC_HUGE_FIRST));

    /* The second stream depends on the first, and only the second is waited for. */
    OK(aclrtStreamWaitEvent(second, event));
    OK(aclrtMemsetAsync(block, sizeof bytes, 2, 32, second));
    OK(aclrtMemsetAsync(block, sizeof bytes, 1, sizeof bytes, first));
    OK(aclrtRecordEvent(event, first));
    OK(aclrtSynchronizeStream(second));
    OK(aclrtMemcpy(bytes, sizeof bytes, block, sizeof bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    for (i = 0; i < 64; i++) {
        EQ(bytes[i], i < 32 ? 2 : 1);
    }

    OK(aclrtLaunchHostFunc(first, never, &called));
    FAILS(aclrtSynchronizeStream(first));
    EQ(called, 0);

    /* What needs a thread to go on is refused, every time. */
    for (i = 0; i < 2; i++) {
        CODE(HcclGetRootInfo(&info), HCCL_E_SYSCALL);
        CODE(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
        CODE(aclrtCreateEventExWithFlag(&shared, ACL_EVENT_IPC), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
        CODE(aclrtIpcMemGetExportKey(block, sizeof bytes, key, sizeof key, 1), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    }
    CHECK(notify == NULL && shared == NULL);

    OK(aclrtFree(block));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(first));
    OK(aclrtDestroyStream(second));
    CLOSE_DEVICE();
    return 0;
}
