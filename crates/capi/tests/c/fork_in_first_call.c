/* A child is forked while another thread is inside something that the library does once: is the child refused, and
 * not stuck behind a thread that it does not have?
 *
 * The program's own getenv and pthread_key_create stop the other thread there; the loader gives them to the library. */
#include "check.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>

/* Where the other thread is to stop; whether it has; whether it may go on. */
enum { NOWHERE, IN_KEY, IN_GETENV };
static atomic_int stop_in;
static atomic_int stopped;
static atomic_int released;
static __thread int is_other;

static void stop_if(int here)
{
    if (is_other && atomic_load(&stop_in) == here) {
        atomic_store(&stop_in, NOWHERE);
        atomic_store(&stopped, 1);
        while (!atomic_load(&released)) {
            sched_yield();
        }
    }
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    typedef int (*create)(pthread_key_t *, void (*)(void *));
    create next = (create)dlsym(RTLD_NEXT, "pthread_key_create");
    stop_if(IN_KEY);
    return next(key, destructor);
}

char *getenv(const char *name)
{
    typedef char *(*get)(const char *);
    get next = (get)dlsym(RTLD_NEXT, "getenv");
    if (strcmp(name, "ASCEND_SLOG_PRINT_TO_STDOUT") == 0) {
        stop_if(IN_GETENV);
    }
    return next(name);
}

/* The thread's first use of the library, and the process's. */
static void *sets_a_device(void *unused)
{
    is_other = 1;
    OK(aclrtSetDevice(0));
    return unused;
}

/* The process's first call that fails. */
static void *fails(void *unused)
{
    is_other = 1;
    (void)aclrtFree(NULL);
    return unused;
}

static void fork_while(void *(*run)(void *), int here)
{
    pthread_t other;
    pid_t child;
    int status = -1;
    atomic_store(&stop_in, here);
    atomic_store(&stopped, 0);
    atomic_store(&released, 0);
    CHECK(pthread_create(&other, NULL, run, NULL) == 0);
    while (!atomic_load(&stopped)) {
        sched_yield();
    }
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        void *block = NULL;
        alarm(50); /* Ends a child that hangs. */
        FAILS(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        MENTIONS("fork");
        _exit(42);
    }
    CHECK(waitpid(child, &status, 0) == child);
    atomic_store(&released, 1);
    CHECK(pthread_join(other, NULL) == 0);
    CHECK(WIFEXITED(status));
    EQ(WEXITSTATUS(status), 42);
}

int main(void)
{
    OK(aclInit(NULL));
    fork_while(sets_a_device, IN_KEY);
    fork_while(fails, IN_GETENV);
    OK(aclrtSetDevice(0));
    CLOSE_DEVICE();
    return 0;
}
