/* Can the program read device memory through a device pointer? No: it faults, as it
 * does on an NPU, for reading and writing, at the first byte and at the last. The
 * fault is the program's own; the runtime works on. */
#include "check.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static volatile sig_atomic_t caught;

static void on_fault(int number)
{
    caught = number;
    siglongjmp(back, 1);
}

static int faults_on_read(const volatile char *address)
{
    caught = 0;
    if (sigsetjmp(back, 1) == 0) {
        (void)*address;
    }
    return caught != 0;
}

static int faults_on_write(volatile char *address)
{
    caught = 0;
    if (sigsetjmp(back, 1) == 0) {
        *address = 1;
    }
    return caught != 0;
}

int main(void)
{
    static const size_t sizes[] = {1, 100, 4096, 70000, 5 * MIB};
    struct sigaction action;
    size_t i;
    void *host = NULL;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_fault;
    sigemptyset(&action.sa_mask);
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    CHECK(sigaction(SIGBUS, &action, NULL) == 0);

    OPEN_DEVICE();
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *block = NULL;
        char byte = 0;
        char *last;
        OK(aclrtMalloc(&block, sizes[i], ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMemset(block, sizes[i], 0x6b, sizes[i]));
        last = (char *)block + sizes[i] - 1;
        CHECK(faults_on_read(block));
        CHECK(faults_on_read(last));
        CHECK(faults_on_write(block));
        CHECK(faults_on_write(last));

        /* The contents are as they were. */
        OK(aclrtMemcpy(&byte, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
        EQ(byte, 0x6b);
        OK(aclrtMemcpy(&byte, 1, last, 1, ACL_MEMCPY_DEVICE_TO_HOST));
        EQ(byte, 0x6b);
        OK(aclrtFree(block));
        CHECK(faults_on_read(block));
    }

    /* Host memory is for reading. */
    OK(aclrtMallocHost(&host, 64));
    CHECK(!faults_on_write(host));
    CHECK(!faults_on_read(host));
    OK(aclrtFreeHost(host));

    CLOSE_DEVICE();
    return 0;
}
