/* What happens after fork in a process that uses the runtime? In the child every
 * call is refused with an explanation that says fork. The parent's device memory
 * stays as it was, and the parent goes on. */
#include "check.h"
#include "gate.h"
#include <sys/wait.h>

#define SIZE (64 * KIB)

/* A leak checker that runs when the child exits misses the stacks of the threads that
 * stayed behind, and takes what they hold for leaked. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static aclrtStream stream;
static aclrtEvent event;
static aclrtContext context;
static void *device, *host;

#define REFUSED_AFTER_FORK(call) \
    do {                         \
        FAILS(call);             \
        MENTIONS("fork");        \
    } while (0)

static void everything_is_refused(void)
{
    char plain[64] = {0};
    void *p = NULL;
    aclrtStream s = NULL;
    aclrtEvent e = NULL;
    aclrtContext c = NULL;
    aclrtStreamStatus status;
    aclrtPtrAttributes attributes;
    size_t free_bytes, total_bytes;
    uint32_t count;
    int32_t id;

    REFUSED_AFTER_FORK(aclInit(NULL));
    REFUSED_AFTER_FORK(aclrtGetDeviceCount(&count));
    REFUSED_AFTER_FORK(aclrtSetDevice(0));
    REFUSED_AFTER_FORK(aclrtGetDevice(&id));
    REFUSED_AFTER_FORK(aclrtCreateContext(&c, 0));
    REFUSED_AFTER_FORK(aclrtSetCurrentContext(context));
    REFUSED_AFTER_FORK(aclrtGetCurrentContext(&c));
    REFUSED_AFTER_FORK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total_bytes));
    REFUSED_AFTER_FORK(aclrtPointerGetAttributes(device, &attributes));
    REFUSED_AFTER_FORK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    REFUSED_AFTER_FORK(aclrtMallocAlign32(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    REFUSED_AFTER_FORK(aclrtMallocHost(&p, 64));
    REFUSED_AFTER_FORK(aclrtMemcpy(device, SIZE, plain, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    REFUSED_AFTER_FORK(aclrtMemcpy(plain, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    REFUSED_AFTER_FORK(aclrtMemcpyAsync(device, SIZE, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    REFUSED_AFTER_FORK(aclrtMemset(device, SIZE, 0, SIZE));
    REFUSED_AFTER_FORK(aclrtMemsetAsync(device, SIZE, 0, SIZE, stream));
    REFUSED_AFTER_FORK(aclrtCreateStream(&s));
    REFUSED_AFTER_FORK(aclrtStreamQuery(stream, &status));
    REFUSED_AFTER_FORK(aclrtSynchronizeStream(stream));
    REFUSED_AFTER_FORK(aclrtCreateEvent(&e));
    REFUSED_AFTER_FORK(aclrtRecordEvent(event, stream));
    REFUSED_AFTER_FORK(aclrtStreamWaitEvent(stream, event));
    REFUSED_AFTER_FORK(aclrtSynchronizeEvent(event));
    REFUSED_AFTER_FORK(aclrtSynchronizeDevice());
    REFUSED_AFTER_FORK(aclrtFree(device));
    REFUSED_AFTER_FORK(aclrtFreeHost(host));
    REFUSED_AFTER_FORK(aclrtDestroyEvent(event));
    REFUSED_AFTER_FORK(aclrtDestroyStream(stream));
    REFUSED_AFTER_FORK(aclrtDestroyStreamForce(stream));
    REFUSED_AFTER_FORK(aclrtResetDevice(0));
    REFUSED_AFTER_FORK(aclFinalize());
}

static void run_child(void (*body)(void), int through_exit)
{
    int status = -1;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        body();
        if (through_exit) {
            exit(0);
        }
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    EQ(WEXITSTATUS(status), 0);
}

static void nothing(void)
{
}

/* The usual way to start another program. */
static void another_program(void)
{
    execlp("true", "true", (char *)NULL);
    _exit(127);
}

static void expect_bytes(int value)
{
    unsigned char *bytes = malloc(SIZE);
    size_t i;
    OK(aclrtMemcpy(bytes, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    for (i = 0; i < SIZE; i++) {
        EQ(bytes[i], value);
    }
    free(bytes);
}

int main(void)
{
    Gate gate;

    OPEN_DEVICE();
    OK(aclrtGetCurrentContext(&context));
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    OK(aclrtMalloc(&device, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&host, SIZE));
    OK(aclrtMemset(device, SIZE, 0x11, SIZE));

    /* Fork while work is held back, so that there is something to disturb. */
    gate = gate_close(stream);
    OK(aclrtMemsetAsync(device, SIZE, 0x22, SIZE, stream));
    run_child(everything_is_refused, 0);
    run_child(everything_is_refused, 1);
    run_child(nothing, 1);
    run_child(another_program, 0);

    EQ_PTR(aclGetRecentErrMsg(), NULL);
    expect_bytes(0x11);
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    expect_bytes(0x22);

    gate_free(gate);
    OK(aclrtFree(device));
    OK(aclrtFreeHost(host));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
