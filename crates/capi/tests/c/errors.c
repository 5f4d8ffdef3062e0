/* How does a program learn what went wrong? The text of aclGetRecentErrMsg: none
 * when there is no error, names the argument, gone once read, one per thread. And
 * the runtime's last code: peeked or taken, one per thread, untouched by mistakes
 * that never reached the runtime. */
#include "check.h"
#include <pthread.h>

static void *has_no_text(void *unused)
{
    (void)unused;
    EQ_PTR(aclGetRecentErrMsg(), NULL);
    EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_RT_SUCCESS);
    CODE(aclrtMallocHost(NULL, 1), ACL_ERROR_INVALID_PARAM);
    EQ_PTR(aclGetRecentErrMsg(), NULL);
    return NULL;
}

static void in_a_thread(void *(*body)(void *))
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void text(void)
{
    void *p = NULL;

    EQ_PTR(aclGetRecentErrMsg(), NULL);

    /* Made here, seen here, and by no other thread. */
    EQ(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    in_a_thread(has_no_text);
    CHECK(check_fetch_text());
    MENTIONS("devPtr");
    EQ_PTR(aclGetRecentErrMsg(), NULL);

    /* Success leaves nothing behind. */
    OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtFree(p));
    EQ_PTR(aclGetRecentErrMsg(), NULL);
}

/* How long does a text last? Until it is read, or the thread goes on to something new: programs try what there may not be,
 * and what fails much later must not be explained by that. Looking around and cleaning up do not count as something new. */
static void how_long(void)
{
    aclrtStream stream = NULL, other = NULL;
    aclrtStreamStatus status;
    void *p = NULL;
    int32_t device = -1;

    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&p, 4 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    FAILS(aclrtSetDevice(4711));

    EQ(aclrtSetDevice(4711), ACL_ERROR_RT_INVALID_DEVICEID);
    OK(aclrtCreateStream(&other));
    EQ_PTR(aclGetRecentErrMsg(), NULL);
    EQ(aclrtSetDevice(4711), ACL_ERROR_RT_INVALID_DEVICEID);
    OK(aclrtMemsetAsync(p, 64, 0, 64, stream));
    EQ_PTR(aclGetRecentErrMsg(), NULL);

    EQ(aclrtSetDevice(4711), ACL_ERROR_RT_INVALID_DEVICEID);
    EQ(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    OK(aclrtGetDevice(&device));
    EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtStreamQuery(stream, &status));
    OK(aclrtDestroyStream(other));
    OK(aclrtDestroyStream(stream));
    OK(aclrtFree(p));
    CHECK(check_fetch_text());
    MENTIONS("devPtr");
    EQ_PTR(aclGetRecentErrMsg(), NULL);
}

/* The text names the parameter as the header does. */
static void names(void)
{
    char plain[16] = {0};
    void *p = NULL;
    size_t bytes = 0;

    CODE(aclrtMallocAlign32(&p, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    MENTIONS("size");
    CODE(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("devPtr");
    CODE(aclrtFreeHost(NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("hostPtr");
    CODE(aclrtMemcpy(NULL, 16, plain, 16, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    MENTIONS("dst");
    CODE(aclrtMemcpy(plain, 16, NULL, 16, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_INVALID_PARAM);
    MENTIONS("src");
    CODE(aclrtMemcpy(plain, 16, plain + 8, 8, (aclrtMemcpyKind)77), ACL_ERROR_INVALID_PARAM);
    MENTIONS("kind");
    CODE(aclrtMemcpy(plain, 4, plain + 8, 8, ACL_MEMCPY_HOST_TO_HOST), ACL_ERROR_RT_PARAM_INVALID);
    MENTIONS("destMax");
    CODE(aclrtGetMemInfo(ACL_HBM_MEM, NULL, &bytes), ACL_ERROR_INVALID_PARAM);
    MENTIONS("free");
    CODE(aclrtGetMemInfo(ACL_HBM_MEM, &bytes, NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("total");
    CODE(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("stream");
    CODE(aclrtCreateEvent(NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("event");
    CODE(aclrtGetDeviceCount(NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("count");
    CODE(aclrtGetDevice(NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("deviceId");
    CODE(aclrtCreateContext(NULL, 0), ACL_ERROR_INVALID_PARAM);
    MENTIONS("context");
    CODE(aclrtSetDevice(4711), ACL_ERROR_RT_INVALID_DEVICEID);
    MENTIONS("4711");
    FAILS(aclrtSynchronizeStream((aclrtStream)plain));
    MENTIONS("stream");
    FAILS(aclrtSynchronizeEvent((aclrtEvent)plain));
    MENTIONS("event");
    EQ_PTR(aclGetRecentErrMsg(), NULL);
    (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
}

static void last_code(void)
{
    void *p = NULL;

    EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);

    /* An argument that the outer layer turns down does not get that far. */
    CODE(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);

    CODE(aclrtSetDevice(4711), ACL_ERROR_RT_INVALID_DEVICEID);
    EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    in_a_thread(has_no_text);

    /* Success does not wipe it, taking does. */
    OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtFree(p));
    EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);

    /* The later one counts. */
    CODE(aclrtSetDevice(4711), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtSynchronizeStreamWithTimeout(NULL, -2), ACL_ERROR_RT_PARAM_INVALID);
    EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_PARAM_INVALID);

    /* There is only one level. */
    CHECK(aclrtPeekAtLastError((aclrtLastErrLevel)5) != ACL_SUCCESS);
    CHECK(aclrtGetLastError((aclrtLastErrLevel)5) != ACL_SUCCESS);
}

int main(void)
{
    OPEN_DEVICE();
    text();
    how_long();
    names();
    last_code();
    CLOSE_DEVICE();
    return 0;
}
