/* Code of the program that touches device memory: it is recorded, and then the program ends as it
 * would have. Its own handlers are called as before. */
#include "checked.h"
#include <setjmp.h>

static volatile char *target;
static sigjmp_buf back;

static void own_handler(int number)
{
    (void)number;
    _exit(55);
}

static void own_full_handler(int number, siginfo_t *info, void *context)
{
    _exit(number == SIGSEGV && info->si_addr == (void *)target && context != NULL ? 56 : 57);
}

static void jumps(int number)
{
    siglongjmp(back, number);
}

static void install(void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
}

static void __attribute__((noinline)) touch_it(volatile char *address, int writes)
{
    if (writes) {
        *address = 1;
    } else {
        (void)*address;
    }
}

static void plays(const char *name)
{
    void *block = NULL;
    struct sigaction action;

    if (strcmp(name, "before") == 0) {
        install(own_handler);
    }
    if (strcmp(name, "jumps") == 0) {
        install(jumps);
    }
    if (strcmp(name, "full") == 0) {
        memset(&action, 0, sizeof action);
        action.sa_sigaction = own_full_handler;
        action.sa_flags = SA_SIGINFO | SA_NODEFER;
        CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    }
    OPEN_DEVICE();
    OK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(block, 4096, 1, 4096));
    target = (volatile char *)block + 100;
    if (strcmp(name, "after") == 0) {
        install(own_handler);
    }
    if (strcmp(name, "null") == 0) {
        target = (volatile char *)8;
    }
    if (strcmp(name, "abort") == 0) {
        abort();
    }
    if (strcmp(name, "sent") == 0) {
        kill(getpid(), SIGSEGV);
        sleep(5);
    }
    if (strcmp(name, "jumps") == 0) {
        volatile int i;
        for (i = 0; i < 3; i++) {
            if (sigsetjmp(back, 1) == 0) {
                touch_it(target + i, 0);
                _exit(54);
            }
        }
        OK(aclrtFree(block));
        CLOSE_DEVICE();
        exit(0);
    }
    if (strcmp(name, "forked") == 0) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            touch_it(target, 1);
            _exit(53);
        }
        CHECK(waitpid(child, &status, 0) == child);
        exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV ? 0 : 52);
    }
    touch_it(target, strcmp(name, "read") != 0);
    exit(51);
}

#define TOUCHED "touched device memory"

int main(void)
{
    int status;

    if (part() != NULL) {
        plays(part());
    }

    if (relaxed()) {
        SKIP("a sanitizer has handlers of its own for these signals");
        return 0;
    }
    status = play("write", NULL);
    KILLED(status, SIGSEGV);
    TIMES(records, TOUCHED, 1);
    TIMES(found, "\"memory.host-access\"", 1);
    HAS(found, "touch_it");
    HAS(found, "plays");
    HAS(said, "memory.host-access");
    /* Whoever reports for the thread that faulted is not that thread. */
    TIMES(said, "(thread 2", 0);

    status = play("read", NULL);
    KILLED(status, SIGSEGV);
    TIMES(records, TOUCHED, 1);

    /* Handlers of the program: those that were there are called after the record. */
    status = play("before", NULL);
    LEFT(status, 55);
    TIMES(records, TOUCHED, 1);
    status = play("full", NULL);
    LEFT(status, 56);
    TIMES(records, TOUCHED, 1);
    status = play("after", NULL);
    LEFT(status, 55);
    status = play("jumps", NULL);
    LEFT(status, 0);
    TIMES(records, TOUCHED, 3);

    /* What is none of ours. */
    status = play("null", NULL);
    KILLED(status, SIGSEGV);
    TIMES(records, TOUCHED, 0);
    TIMES(found, "\"finding\"", 0);
    status = play("abort", NULL);
    KILLED(status, SIGABRT);
    status = play("sent", NULL);
    KILLED(status, SIGSEGV);
    TIMES(records, TOUCHED, 0);
    status = play("forked", NULL);
    LEFT(status, 0);
    TIMES(records, TOUCHED, 0);
    return 0;
}
