/* Rare ways to meet closed pages of pinned memory: under other masks and handlers of signals, with bad arguments, out of calls
 * that never return. Every program here goes on as it would without a check. */
#define _GNU_SOURCE
#include "checked.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define SIZE 8192
#define RULE "\"stream.host-buffer\""
#define BIT(number) (1 << ((number) - 1))
/* Where nothing is, and a number: not for the compiler to see. */
#define NOWHERE ((void *)nowhere)

static volatile uintptr_t nowhere = 8;
static volatile int many_parts = 100000, two_parts = 2, less = -1;

typedef void (*Handler)(int);

static aclrtStream stream;
static unsigned char *device, *host;

static void begins(void)
{
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc((void **)&device, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(device, SIZE, 0x11, SIZE));
    OK(aclrtMallocHost((void **)&host, SIZE));
    memset(host, 0x22, SIZE);
}

static void ends(void)
{
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtFreeHost(host));
    OK(aclrtFree(device));
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
}

/* Closes all of it. */
static void from_device(void)
{
    OK(aclrtMemcpyAsync(host, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
}

/* Closes the first page, of which all but 64 bytes may be used. */
static void uses_64(void)
{
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpyAsync(host, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
}

static int __attribute__((noinline)) reads_it(const volatile unsigned char *from)
{
    return *from;
}

/* Masks. */

static volatile int handled;

static void touches(int number)
{
    (void)number;
    handled++;
    EQ(reads_it(host + 64), 0x22);
}

/* SIGUSR1 is blocked and pending, and comes as soon as the mask that is returned counts. */
static sigset_t pending(void)
{
    sigset_t own, all;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = touches;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    sigemptyset(&own);
    sigaddset(&own, SIGUSR1);
    CHECK(sigprocmask(SIG_BLOCK, &own, NULL) == 0);
    CHECK(raise(SIGUSR1) == 0);
    sigfillset(&all);
    sigdelset(&all, SIGUSR1);
    uses_64();
    return all;
}

static void interrupted(int result, int count)
{
    EQ(result, -1);
    EQ(errno, EINTR);
    EQ(handled, count);
}

static void mask_sigsuspend(void)
{
    sigset_t all = pending();
    interrupted(sigsuspend(&all), 1);
    CHECK(sigismember(&all, SIGSEGV) == 1);
    CHECK(sigsuspend(NOWHERE) == -1);
    EQ(errno, EFAULT);
}

static void mask_ppoll(void)
{
    struct timespec none = {0, 0};
    sigset_t all = pending();
    interrupted(ppoll(NULL, 0, NULL, &all), 1);
    EQ(ppoll(NULL, 0, &none, NULL), 0);
    EQ(ppoll(NULL, 0, &none, NOWHERE), -1);
    EQ(errno, EFAULT);
}

static void mask_pselect(void)
{
    struct timespec none = {0, 0};
    sigset_t all = pending();
    interrupted(pselect(0, NULL, NULL, NULL, NULL, &all), 1);
    EQ(pselect(0, NULL, NULL, NULL, &none, NULL), 0);
    EQ(pselect(0, NULL, NULL, NULL, &none, NOWHERE), -1);
    EQ(errno, EFAULT);
}

static void mask_epoll(void)
{
    struct epoll_event event;
    int group = epoll_create1(0);
    sigset_t all = pending();
    interrupted(epoll_pwait(group, &event, 1, -1, &all), 1);
    EQ(epoll_pwait(group, &event, 1, 0, NULL), 0);
    EQ(epoll_pwait(group, &event, 1, 0, NOWHERE), -1);
    EQ(errno, EFAULT);
}

static void mask_epoll2(void)
{
    /* Not every library has it. */
    extern int epoll_pwait2(int, struct epoll_event *, int, const struct timespec *, const sigset_t *) __attribute__((weak));
    struct epoll_event event;
    sigset_t all = pending();
    int result = epoll_pwait2 == NULL ? -1 : epoll_pwait2(epoll_create1(0), &event, 1, NULL, &all);
    if (epoll_pwait2 != NULL && errno != ENOSYS) {
        interrupted(result, 1);
    }
}

static void mask_old(void)
{
    int before;
    uses_64();
    before = sigblock(-1);
    EQ(before & BIT(SIGUSR1), 0);
    EQ(reads_it(host + 64), 0x22);
    uses_64();
    CHECK((sigsetmask(-1) & BIT(SIGUSR1)) != 0);
    EQ(reads_it(host + 64), 0x22);
    CHECK((sigsetmask(0) & BIT(SIGUSR1)) != 0);
    uses_64();
    EQ(sighold(SIGSEGV), 0);
    EQ(reads_it(host + 64), 0x22);
    EQ(sighold(10000), -1);
    EQ(errno, EINVAL);
    uses_64();
    CHECK(sigset(SIGSEGV, SIG_HOLD) == SIG_DFL);
    EQ(reads_it(host + 64), 0x22);
}

static void mask_sigpause(void)
{
    extern int __sigpause(int, int);
    (void)pending();
    interrupted(__sigpause(~BIT(SIGUSR1), 0), 1);
    CHECK(raise(SIGUSR1) == 0);
    uses_64();
    interrupted(__sigpause(SIGUSR1, 1), 2);
}

static void *in_thread(void *unused)
{
    EQ(reads_it(host + 64), 0x22);
    return unused;
}

static void mask_attribute(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all;
    sigfillset(&all);
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setsigmask_np(&attributes, &all) == 0);
    uses_64();
    CHECK(pthread_create(&thread, &attributes, in_thread, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(pthread_attr_setsigmask_np(&attributes, NULL) == 0);
    CHECK(pthread_attr_destroy(&attributes) == 0);
}

/* Handlers. */

#define PLACE ((unsigned char *)0x600000000000)

static void own_handler(int number)
{
    EQ(number, SIGSEGV);
    handled++;
    CHECK(mmap(PLACE, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == PLACE);
}

static Handler now(void)
{
    struct sigaction action;
    CHECK(sigaction(SIGSEGV, NULL, &action) == 0);
    return action.sa_handler;
}

/* A touch of pinned memory is found, and a fault elsewhere is the program's. */
static void faults(void)
{
    from_device();
    (void)reads_it(host);
    EQ(handled, 0);
    (void)reads_it(PLACE);
    EQ(handled, 1);
}

static void handler_sysv(void)
{
    extern Handler __sysv_signal(int, Handler);
    CHECK(__sysv_signal(SIGSEGV, SIG_IGN) == SIG_DFL);
    CHECK(sysv_signal(SIGSEGV, own_handler) == SIG_IGN);
    CHECK(sysv_signal(10000, own_handler) == SIG_ERR);
    EQ(errno, EINVAL);
    faults();
    /* It serves once. */
    CHECK(now() == SIG_DFL);
}

static void handler_bsd(void)
{
    extern Handler bsd_signal(int, Handler);
    CHECK(bsd_signal(SIGSEGV, SIG_IGN) == SIG_DFL);
    CHECK(ssignal(SIGSEGV, own_handler) == SIG_IGN);
    faults();
    CHECK(now() == own_handler);
}

static void handler_sigset(void)
{
    CHECK(sigset(SIGSEGV, SIG_IGN) == SIG_DFL);
    CHECK(sigset(SIGSEGV, own_handler) == SIG_IGN);
    faults();
    CHECK(now() == own_handler);
    EQ(sigignore(SIGSEGV), 0);
    CHECK(now() == SIG_IGN);
    OK(aclrtSynchronizeStream(stream));
    uses_64();
    EQ(reads_it(host + 64), 0x11);
}

static void handler_underscored(void)
{
    extern int __sigaction(int, const struct sigaction *, struct sigaction *);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = own_handler;
    CHECK(__sigaction(SIGSEGV, &action, NULL) == 0);
    CHECK(now() == own_handler);
    faults();
}

/* Arguments. */

static void refused(ssize_t result, int error)
{
    EQ(result, -1);
    EQ(errno, error);
}

static void bad_lists(void)
{
    struct iovec few[2] = {{host + 64, 8}, {host + 128, 8}};
    struct msghdr message;
    struct iovec *many = calloc(2000, sizeof *many);
    unsigned char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct iovec *last = (struct iovec *)(pages + 4096) - 1;
    int ends[2], files[2];
    CHECK(many != NULL && pages != MAP_FAILED && mprotect(pages + 4096, 4096, PROT_NONE) == 0);
    CHECK(pipe(files) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
    CHECK(write(files[1], "some bytes", 10) == 10);
    from_device();
    refused(readv(files[0], NOWHERE, 2), EFAULT);
    refused(writev(files[1], NOWHERE, 2), EFAULT);
    refused(writev(files[1], few, many_parts), EINVAL);
    refused(writev(files[1], few, less), EINVAL);
    refused(readv(files[0], many, 1024 + two_parts), EINVAL);
    refused(preadv(files[0], NOWHERE, 2, 0), ESPIPE);
    refused(pwritev(fileno(stdin), NOWHERE, 1, 0), EBADF);
    *last = few[0];
    refused(readv(files[0], last, two_parts), EFAULT);
    refused(sendmsg(ends[0], NOWHERE, 0), EFAULT);
    refused(recvmsg(ends[0], NOWHERE, MSG_DONTWAIT), EFAULT);
    memset(&message, 0, sizeof message);
    message.msg_iov = NOWHERE;
    message.msg_iovlen = 2;
    refused(sendmsg(ends[0], &message, 0), EFAULT);
    message.msg_iovlen = 100000;
    refused(sendmsg(ends[0], &message, 0), EMSGSIZE);
    /* A list may lie at any address, and be long. */
    memcpy(pages + 1, few, sizeof few);
    OK(aclrtSynchronizeStream(stream));
    from_device();
    EQ(readv(files[0], (struct iovec *)(pages + 1), 2), 10);
    OK(aclrtSynchronizeStream(stream));
    EQ(writev(files[1], many, 1024), 0);
    free(many);
}

/* The list itself lies in a page that is closed. */
static void list_in_page(void)
{
    struct iovec part = {"abcd", 4};
    int files[2];
    CHECK(pipe(files) == 0);
    memcpy(host + 64, &part, sizeof part);
    uses_64();
    EQ(writev(files[1], (struct iovec *)(host + 64), 1), 4);
}

/* Faults at a page that is open by then: a thread ran into it just before. */
static void open_by_then(void)
{
    int i;
    for (i = 0; i < 3000; i++) {
        uses_64();
        OK(aclrtSynchronizeStream(stream));
        CHECK(mprotect(host, 4096, PROT_NONE) == 0);
        EQ(reads_it(host + 64), 0x22);
    }
}

/* Calls that do not return. */

static sigjmp_buf away;

static ssize_t leaves(void *unused, char *to, size_t room)
{
    (void)unused;
    (void)to;
    (void)room;
    siglongjmp(away, 1);
}

static void left_by_jump(void)
{
    cookie_io_functions_t functions = {leaves, NULL, NULL, NULL};
    FILE *file = fopencookie(NULL, "r", functions);
    CHECK(file != NULL && setvbuf(file, NULL, _IONBF, 0) == 0);
    if (sigsetjmp(away, 1) == 0) {
        (void)!fread_unlocked(host, 1, SIZE, file);
        CHECK(0);
    }
    from_device();
    (void)reads_it(host);
}

static int files[2];
static sem_t ready;
static pthread_t jumper;
#define JUMPS 2000

static void jumps(int number)
{
    (void)number;
    siglongjmp(away, 1);
}

static void *interrupts(void *unused)
{
    int i;
    for (i = 0; i < JUMPS; i++) {
        CHECK(sem_wait(&ready) == 0);
        CHECK(pthread_kill(jumper, SIGUSR1) == 0);
    }
    return unused;
}

/* A handler leaves a call wherever it is. */
static void left_anywhere(void)
{
    struct sigaction action;
    pthread_t thread;
    volatile int i;
    memset(&action, 0, sizeof action);
    action.sa_handler = jumps;
    CHECK(pipe(files) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    jumper = pthread_self();
    CHECK(sem_init(&ready, 0, 0) == 0);
    CHECK(pthread_create(&thread, NULL, interrupts, NULL) == 0);
    uses_64();
    for (i = 0; i < JUMPS; i++) {
        if (i % 16 == 0) {
            uses_64();
        }
        if (sigsetjmp(away, 1) == 0) {
            CHECK(sem_post(&ready) == 0);
            (void)!read(files[0], host + 64, 64);
            CHECK(0);
        }
    }
    CHECK(pthread_join(thread, NULL) == 0);
    OK(aclrtSynchronizeStream(stream));
    from_device();
    (void)reads_it(host);
}

static void *waits_plain(void *unused)
{
    char byte;
    CHECK(read(files[0], &byte, 1) < 0);
    return unused;
}

static void *waits_pinned(void *unused)
{
    CHECK(read(files[0], host, SIZE) < 0);
    return unused;
}

static void *waits_signal(void *unused)
{
    sigset_t none;
    sigemptyset(&none);
    sigsuspend(&none);
    return unused;
}

static void *waits_poll(void *unused)
{
    sigset_t none;
    sigemptyset(&none);
    (void)ppoll(NULL, 0, NULL, &none);
    return unused;
}

/* A thread that waits is cancelled, and has gone. */
static void cancelled(void)
{
    void *(*const ways[])(void *) = {waits_plain, waits_pinned, waits_signal, waits_poll};
    size_t i;
    CHECK(pipe(files) == 0);
    for (i = 0; i < sizeof ways / sizeof *ways; i++) {
        pthread_t thread;
        void *result = NULL;
        CHECK(pthread_create(&thread, NULL, ways[i], NULL) == 0);
        CHECK(pthread_cancel(thread) == 0);
        CHECK(pthread_join(thread, &result) == 0);
        CHECK(result == PTHREAD_CANCELED);
    }
    from_device();
    (void)reads_it(host);
}

/* Other calls with memory. */

static void other_calls(void)
{
    struct stat *status = (struct stat *)(host + 256);
    uses_64();
    EQ(getrandom(host + 64, 8, 0), 8);
    uses_64();
    EQ(getentropy(host + 64, 8), 0);
    uses_64();
    CHECK(getcwd((char *)host + 64, 2048) == (char *)host + 64);
    uses_64();
    CHECK(readlink("/proc/self/exe", (char *)host + 64, 2048) > 0);
    uses_64();
    EQ(stat("/", status), 0);
    CHECK(S_ISDIR(status->st_mode));
    uses_64();
    EQ(lstat("/", status), 0);
    uses_64();
    EQ(fstat(0, status), 0);
    uses_64();
    EQ(fstatat(AT_FDCWD, "/", status, 0), 0);
    uses_64();
    EQ(pipe((int *)(host + 64)), 0);
    uses_64();
    EQ(pipe2((int *)(host + 64), 0), 0);
    uses_64();
    CHECK(mlock(host + 64, 8) == 0 || errno == EPERM);
}

static void random_early(void)
{
    from_device();
    EQ(getrandom(host, 8, 0), 8);
}

static const struct {
    const char *name;
    void (*play)(void);
    int count;
} parts[] = {
    {"mask_sigsuspend", mask_sigsuspend, 0},
    {"mask_ppoll", mask_ppoll, 0},
    {"mask_pselect", mask_pselect, 0},
    {"mask_epoll", mask_epoll, 0},
    {"mask_epoll2", mask_epoll2, 0},
    {"mask_old", mask_old, 0},
    {"mask_sigpause", mask_sigpause, 0},
    {"mask_attribute", mask_attribute, 0},
    {"handler_sysv", handler_sysv, 1},
    {"handler_bsd", handler_bsd, 1},
    {"handler_sigset", handler_sigset, 1},
    {"handler_underscored", handler_underscored, 1},
    {"bad_lists", bad_lists, 1},
    {"list_in_page", list_in_page, 0},
    {"open_by_then", open_by_then, 0},
    {"left_by_jump", left_by_jump, 1},
    {"left_anywhere", left_anywhere, 1},
    {"cancelled", cancelled, 1},
    {"other_calls", other_calls, 0},
    {"random_early", random_early, 1},
};

int main(void)
{
    const char *only = getenv("ONLY");
    size_t i;
    int status;

    if (part() != NULL) {
        begins();
        for (i = 0; i < sizeof parts / sizeof *parts; i++) {
            if (strcmp(part(), parts[i].name) == 0) {
                parts[i].play();
            }
        }
        ends();
        return 0;
    }
    if (relaxed()) {
        SKIP("a sanitizer has handlers of its own for these signals");
        return 0;
    }
    for (i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (only != NULL && strcmp(only, parts[i].name) != 0) {
            continue;
        }
        fprintf(stderr, "%s\n", parts[i].name);
        status = play(parts[i].name, NULL);
        LEFT(status, 0);
        TIMES(found, "\"finding\"", parts[i].count);
        TIMES(found, RULE, parts[i].count);
    }
    return 0;
}
