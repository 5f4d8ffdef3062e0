/* May a program look at what there is, or call aclInit, and fork then? Yes, as long as no device was used: the children
 * have devices of their own, and so has the parent. Frameworks count the devices before they start workers. A process
 * that uses a device does not hand it to children that are forked afterwards. */
#include "check.h"
#include <sys/wait.h>

static void use_a_device(int value)
{
    void *block = NULL;
    unsigned char byte = 0;
    aclrtStream stream = NULL;
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemsetAsync(block, 4096, value, 4096, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(&byte, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(byte, value);
    OK(aclrtFree(block));
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
}

static void look(void)
{
    uint32_t count = 0;
    aclrtRunMode mode;
    int64_t cores = 0;
    int32_t number = -1, active = -1;
    OK(aclrtGetDeviceCount(&count));
    EQ(count, 2);
    OK(aclrtGetRunMode(&mode));
    CHECK(aclrtGetSocName() != NULL);
    OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &cores));
    CHECK(cores > 0);
    OK(aclrtGetPrimaryCtxState(1, NULL, &active));
    EQ(active, 0);
    OK(aclrtDeviceCanAccessPeer(&number, 0, 1));
    CODE(aclrtGetDevice(&number), ACL_ERROR_RT_CONTEXT_NULL);
}

static void in_a_child(void (*body)(int), int value)
{
    int status = -1;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        body(value);
        exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    EQ(WEXITSTATUS(status), 0);
}

static void begin_and_use(int value)
{
    OK(aclInit(NULL));
    use_a_device(value);
    OK(aclFinalize());
}

/* The parent has called aclInit, so the child has. */
static void use_and_end(int value)
{
    CODE_ONLY(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    use_a_device(value);
    OK(aclFinalize());
}

static void is_refused(int value)
{
    (void)value;
    FAILS(aclrtSetDevice(0));
    MENTIONS("fork");
}

int main(void)
{
    look();
    in_a_child(begin_and_use, 1);
    in_a_child(begin_and_use, 2);
    OK(aclInit(NULL));
    look();
    in_a_child(use_and_end, 3);
    use_a_device(4);
    in_a_child(is_refused, 5);
    use_a_device(6);
    OK(aclFinalize());
    return 0;
}
