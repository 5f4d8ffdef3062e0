/* Code of the program that touches pinned memory while queued work uses it: that is found, and the program goes on as if
 * nothing had happened. What is ordered is not found. */
#define _GNU_SOURCE
#include "checked.h"
#include "millpond/check.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define SIZE 8192
#define RULE "\"stream.host-buffer\""

static aclrtStream stream;
static aclrtEvent event;
static unsigned char *device, *host, *other;

static void begins(void)
{
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    OK(aclrtMalloc((void **)&device, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(device, SIZE, 0x11, SIZE));
    OK(aclrtMallocHost((void **)&host, SIZE));
    OK(aclrtMallocHost((void **)&other, 64));
    memset(host, 0x22, SIZE);
    memset(other, 0x33, 64);
}

static void ends(void)
{
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtFreeHost(other));
    OK(aclrtFreeHost(host));
    OK(aclrtFree(device));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
}

static void from_device(void)
{
    OK(aclrtMemcpyAsync(host, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
}

static void to_device(void)
{
    OK(aclrtMemcpyAsync(device, SIZE, host, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
}

static int __attribute__((noinline)) reads_it(const volatile unsigned char *from)
{
    return *from;
}

static void __attribute__((noinline)) writes_it(volatile unsigned char *to)
{
    *to = 0x44;
}

/* Touches. */

static void read_early(void)
{
    from_device();
    (void)reads_it(host + 5000);
}

static void write_early(void)
{
    to_device();
    /* The copy may read it, and so may we. */
    EQ(reads_it(host), 0x22);
    writes_it(host + 1);
}

static void write_destination(void)
{
    from_device();
    writes_it(host + SIZE - 1);
}

static void read_done(void)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    aclrtStream second;
    int i;
    from_device();
    /* It is done, but who says so? Another stream does not. */
    OK(aclrtCreateStream(&second));
    OK(aclrtSynchronizeStream(second));
    OK(aclrtStreamQuery(second, &status));
    OK(aclrtDestroyStream(second));
    for (i = 0; i < 2; i++) {
        (void)reads_it(host);
    }
}

/* What is ordered. */

static void after_stream(void)
{
    from_device();
    OK(aclrtSynchronizeStream(stream));
    EQ(reads_it(host + 1), 0x11);
    to_device();
    OK(aclrtSynchronizeStreamWithTimeout(stream, -1));
    writes_it(host);
}

static void after_event(void)
{
    from_device();
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtSynchronizeEvent(event));
    EQ(reads_it(host + 1), 0x11);
}

static void after_device(void)
{
    from_device();
    OK(aclrtSynchronizeDevice());
    EQ(reads_it(host + 1), 0x11);
}

static void after_query(void)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    from_device();
    while (status != ACL_STREAM_STATUS_COMPLETE) {
        OK(aclrtStreamQuery(stream, &status));
    }
    EQ(reads_it(host + 1), 0x11);
    from_device();
    OK(aclrtRecordEvent(event, stream));
    while (recorded != ACL_EVENT_RECORDED_STATUS_COMPLETE) {
        OK(aclrtQueryEventStatus(event, &recorded));
    }
    EQ(reads_it(host + 1), 0x11);
}

static void after_destroy(void)
{
    aclrtStream second;
    OK(aclrtCreateStream(&second));
    OK(aclrtMemcpyAsync(host, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, second));
    OK(aclrtDestroyStream(second));
    EQ(reads_it(host), 0x11);
}

static void after_pageable(void)
{
    unsigned char plain[64];
    from_device();
    /* A copy to memory that is not pinned waits for the stream. */
    OK(aclrtMemcpyAsync(plain, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    EQ(reads_it(host), 0x11);
    EQ(plain[0], 0x11);
}

static void other_memory(void)
{
    int i;
    OK(aclrtMemcpyAsync(host, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    /* The same page, another page and another block. */
    for (i = 0; i < 3; i++) {
        EQ(reads_it(host + 64), i == 0 ? 0x22 : 0x44);
        writes_it(host + 64);
    }
    writes_it(host + 4096);
    writes_it(other);
}

static void callback_reads(void *data)
{
    EQ(reads_it(host + 7), 0x11);
    *(int *)data = 1;
}

static void callback_fills(void *data)
{
    memset(host, 0x55, SIZE);
    *(int *)data = 1;
}

static void callbacks(void)
{
    static int called[2];
    unsigned char seen = 0;
    from_device();
    OK(aclrtLaunchHostFunc(stream, callback_reads, &called[0]));
    OK(aclrtSynchronizeStream(stream));
    EQ(called[0], 1);
    /* A function fills what the copy behind it reads. */
    OK(aclrtLaunchHostFunc(stream, callback_fills, &called[1]));
    to_device();
    OK(aclrtSynchronizeStream(stream));
    EQ(called[1], 1);
    OK(aclrtMemcpy(&seen, 1, device, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(seen, 0x55);
}

static void *waits(void *unused)
{
    (void)unused;
    OK(aclrtSetDevice(0));
    OK(aclrtSynchronizeStream(stream));
    return NULL;
}

static void two_threads(void)
{
    pthread_t thread;
    from_device();
    /* One thread waits, and lets the other know in a way that is not seen. */
    CHECK(pthread_create(&thread, NULL, waits, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    EQ(reads_it(host), 0x11);
}

static void reuse(void)
{
    int i;
    for (i = 0; i < 300; i++) {
        unsigned char *block = NULL;
        OK(aclrtMallocHost((void **)&block, SIZE));
        memset(block, i, SIZE);
        OK(aclrtMemcpyAsync(device, SIZE, block, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        OK(aclrtSynchronizeStream(stream));
        OK(aclrtFreeHost(block));
    }
}

/* Calls of the system. */

static FILE *file;

static void opens(void)
{
    char text[SIZE];
    memset(text, 0x66, sizeof text);
    file = tmpfile();
    CHECK(file != NULL);
    CHECK(write(fileno(file), text, sizeof text) == sizeof text);
    CHECK(lseek(fileno(file), 0, SEEK_SET) == 0);
}

static void sys_read(void)
{
    opens();
    from_device();
    CHECK(read(fileno(file), host, SIZE) == SIZE);
}

static void sys_pread(void)
{
    opens();
    from_device();
    CHECK(pread(fileno(file), host, 100, 5) == 100);
}

static void sys_readv(void)
{
    char first[10];
    struct iovec parts[2] = {{first, 10}, {host, 100}};
    opens();
    from_device();
    CHECK(readv(fileno(file), parts, 2) == 110);
    EQ(first[9], 0x66);
}

static void sys_write(void)
{
    opens();
    from_device();
    CHECK(write(fileno(file), host, SIZE) == SIZE);
}

static void sys_writev(void)
{
    struct iovec parts[2] = {{"abc", 3}, {host + 4096, 100}};
    opens();
    from_device();
    CHECK(writev(fileno(file), parts, 2) == 103);
}

static void sys_fwrite(void)
{
    opens();
    from_device();
    CHECK(fwrite(host, 1, SIZE, file) == SIZE);
    CHECK(fflush(file) == 0);
}

static void sys_fread(void)
{
    opens();
    from_device();
    CHECK(fread(host, 4, SIZE / 4, file) == SIZE / 4);
}

static void sys_recv(void)
{
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
    CHECK(send(ends[0], "hello", 5, 0) == 5);
    from_device();
    CHECK(recv(ends[1], host, SIZE, 0) == 5);
}

static void sys_send(void)
{
    int ends[2];
    char got[8];
    struct msghdr message;
    struct iovec part = {host + 10, 8};
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
    from_device();
    CHECK(sendmsg(ends[0], &message, 0) == 8);
    CHECK(recv(ends[1], got, 8, 0) == 8);
}

/* The source of a copy may be written to a file, and a call that uses nothing does no harm. */
static void sys_right(void)
{
    opens();
    to_device();
    CHECK(write(fileno(file), host, SIZE) == SIZE);
    CHECK(read(fileno(file), host, SIZE) == 0);
    OK(aclrtSynchronizeStream(stream));
    from_device();
    CHECK(read(-1, host, SIZE) == -1);
    EQ(errno, EBADF);
    OK(aclrtSynchronizeStream(stream));
    CHECK(lseek(fileno(file), 0, SEEK_SET) == 0);
    CHECK(read(fileno(file), host, SIZE) == SIZE);
    EQ(reads_it(host), 0x22);
}

/* A call that fails has touched nothing, and the page is as closed as before. */
static void sys_nothing(void)
{
    from_device();
    CHECK(read(-1, host, SIZE) == -1);
    EQ(errno, EBADF);
    (void)reads_it(host);
}

static int pipe_ends[2];

static void *receives(void *unused)
{
    (void)unused;
    CHECK(read(pipe_ends[0], host + 64, 4) == 4);
    return NULL;
}

/* While a call waits with a part of a page, the rest of the page is used by a copy. */
static void sys_meanwhile(void)
{
    pthread_t thread;
    CHECK(pipe(pipe_ends) == 0);
    CHECK(pthread_create(&thread, NULL, receives, NULL) == 0);
    OK(aclrtMemcpyAsync(host, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(write(pipe_ends[1], "abcd", 4) == 4);
    CHECK(pthread_join(thread, NULL) == 0);
    OK(aclrtSynchronizeStream(stream));
    CHECK(memcmp(host + 64, "abcd", 4) == 0);
    EQ(host[63], 0x11);
}

static void sys_later(void)
{
    ssize_t (*later_read)(int, void *, size_t);
    void *module = dlopen(getenv("LATER"), RTLD_NOW | RTLD_LOCAL);
    CHECK(module != NULL);
    *(void **)&later_read = dlsym(module, "later_read");
    CHECK(later_read != NULL);
    opens();
    from_device();
    CHECK(later_read(fileno(file), host, SIZE) == SIZE);
    OK(aclrtSynchronizeStream(stream));
    CHECK(dlclose(module) == 0);
}

/* Handlers and masks of the program. */

static volatile int handled;

static void own_handler(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    handled++;
    CHECK(info->si_addr == NULL || handled == 1);
    /* What was null is there now. */
    CHECK(mmap((void *)0x600000000000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
}

static void install(int flags)
{
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = own_handler;
    action.sa_flags = SA_SIGINFO | flags;
    sigfillset(&action.sa_mask);
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    CHECK(sigaction(SIGSEGV, NULL, &old) == 0);
    CHECK(old.sa_sigaction == own_handler);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
}

/* A fault that is none of ours is still the program's. */
static void own_fault(void)
{
    (void)reads_it((unsigned char *)0x600000000000);
    EQ(handled, 1);
}

static void handler_before(void)
{
    read_early();
    own_fault();
}

static void handler_after(void)
{
    install(0);
    from_device();
    (void)reads_it(host);
    EQ(handled, 0);
    own_fault();
}

static void handler_by_signal(void)
{
    void (*before)(int) = signal(SIGSEGV, SIG_IGN);
    CHECK(before == SIG_DFL);
    before = signal(SIGSEGV, SIG_DFL);
    CHECK(before == SIG_IGN);
    read_early();
}

static void *blocked(void *unused)
{
    sigset_t all;
    (void)unused;
    sigfillset(&all);
    CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
    (void)reads_it(host);
    return NULL;
}

static void blocked_signals(void)
{
    pthread_t thread;
    from_device();
    CHECK(pthread_create(&thread, NULL, blocked, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

/* A thread that has blocked the signal before there was pinned memory: nothing is closed, because it could not be helped. */
static int started[2], ended[2];

static void *blocked_long_ago(void *unused)
{
    char byte;
    sigset_t all;
    (void)unused;
    sigfillset(&all);
    CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
    CHECK(write(started[1], "x", 1) == 1);
    CHECK(read(ended[0], &byte, 1) == 1);
    (void)reads_it(host);
    return NULL;
}

static pthread_t long_ago;

static void blocks_early(void)
{
    char byte;
    CHECK(pipe(started) == 0 && pipe(ended) == 0);
    CHECK(pthread_create(&long_ago, NULL, blocked_long_ago, NULL) == 0);
    CHECK(read(started[0], &byte, 1) == 1);
}

static void blocked_before(void)
{
    from_device();
    CHECK(write(ended[1], "x", 1) == 1);
    CHECK(pthread_join(long_ago, NULL) == 0);
}

static void touches_in_handler(int number)
{
    (void)number;
    (void)reads_it(host);
}

static void in_handler(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = touches_in_handler;
    sigfillset(&action.sa_mask);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    from_device();
    raise(SIGUSR1);
}

static void small_stack(void)
{
    static char small[8192];
    stack_t stack;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = small;
    stack.ss_size = sizeof small;
    CHECK(sigaltstack(&stack, NULL) == 0);
    read_early();
}

/* The rest. */

static void thousand(void)
{
    static unsigned char *blocks[1000];
    int i;
    for (i = 0; i < 1000; i++) {
        OK(aclrtMallocHost((void **)&blocks[i], 64));
        blocks[i][0] = 1;
    }
    for (i = 0; i < 1000; i++) {
        OK(aclrtMemcpyAsync(blocks[i], 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    }
    (void)reads_it(blocks[517]);
    OK(aclrtSynchronizeStream(stream));
    for (i = 0; i < 1000; i++) {
        EQ(blocks[i][63], 0x11);
        OK(aclrtFreeHost(blocks[i]));
    }
}

/* Many threads run into the same copy at once. */
static pthread_barrier_t together;

static void *reads_with_others(void *from)
{
    pthread_barrier_wait(&together);
    (void)reads_it(from);
    return NULL;
}

static void many_threads(void)
{
    pthread_t threads[8];
    int i, round;
    CHECK(pthread_barrier_init(&together, NULL, 8) == 0);
    for (round = 0; round < 20; round++) {
        from_device();
        for (i = 0; i < 8; i++) {
            CHECK(pthread_create(&threads[i], NULL, reads_with_others, host + (i * 1000)) == 0);
        }
        for (i = 0; i < 8; i++) {
            CHECK(pthread_join(threads[i], NULL) == 0);
        }
        OK(aclrtSynchronizeStream(stream));
    }
}

/* A check that the program asks for itself. Nothing is closed before and after. */
static void session(void)
{
    size_t count = 0;
    int i;
    for (i = 0; i < 2; i++) {
        from_device();
        (void)reads_it(host);
        OK(aclrtSynchronizeStream(stream));
        OK(millpondCheckBegin(NULL));
        OK(aclrtMallocHost((void **)&other, 64));
        OK(aclrtMemcpyAsync(other, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        (void)reads_it(other);
        OK(millpondCheckCount(MILLPOND_CHECK_ERROR, &count));
        EQ(count, 1);
        OK(aclrtMemcpyAsync(other, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        OK(millpondCheckEnd());
        EQ(reads_it(other) != 0, 1);
        OK(aclrtSynchronizeStream(stream));
        OK(aclrtFreeHost(other));
    }
    OK(aclrtMallocHost((void **)&other, 64));
}

static void forks(void)
{
    int status = 0;
    pid_t child;
    from_device();
    OK(aclrtSynchronizeStream(stream));
    host[0] = 1;
    to_device();
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        /* All of it is there, may be touched, and is the child's own. */
        int good = host[0] == 1 && host[SIZE - 1] == 0x11 && other[0] == 0x33;
        memset(host, 9, SIZE);
        child = fork();
        if (child == 0) {
            _exit(host[5] == 9 ? 0 : 1);
        }
        good = good && waitpid(child, &status, 0) == child && status == 0;
        _exit(good ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    OK(aclrtSynchronizeStream(stream));
    EQ(host[0], 1);
    EQ(host[1], 0x11);
    EQ(system("true"), 0);
}

static void freed(void)
{
    from_device();
    OK(aclrtFreeHost(host));
    host = NULL;
    OK(aclrtMallocHost((void **)&host, SIZE));
    memset(host, 1, SIZE);
}

static const struct {
    const char *name;
    void (*play)(void);
    /* Findings, and the function that is named. */
    int count;
    const char *where;
} parts[] = {
    {"read_early", read_early, 1, "reads_it"},
    {"write_early", write_early, 1, "writes_it"},
    {"write_destination", write_destination, 1, "writes_it"},
    {"read_done", read_done, 1, "read_done"},
    {"after_stream", after_stream, 0, NULL},
    {"after_event", after_event, 0, NULL},
    {"after_device", after_device, 0, NULL},
    {"after_query", after_query, 0, NULL},
    {"after_destroy", after_destroy, 0, NULL},
    {"after_pageable", after_pageable, 0, NULL},
    {"other_memory", other_memory, 0, NULL},
    {"callbacks", callbacks, 0, NULL},
    {"two_threads", two_threads, 0, NULL},
    {"reuse", reuse, 0, NULL},
    {"sys_read", sys_read, 1, "sys_read"},
    {"sys_pread", sys_pread, 1, "sys_pread"},
    {"sys_readv", sys_readv, 1, "sys_readv"},
    {"sys_write", sys_write, 1, "sys_write"},
    {"sys_writev", sys_writev, 1, "sys_writev"},
    {"sys_fwrite", sys_fwrite, 1, "sys_fwrite"},
    {"sys_fread", sys_fread, 1, "sys_fread"},
    {"sys_recv", sys_recv, 1, "sys_recv"},
    {"sys_send", sys_send, 1, "sys_send"},
    {"sys_right", sys_right, 0, NULL},
    {"sys_nothing", sys_nothing, 1, "reads_it"},
    {"sys_meanwhile", sys_meanwhile, 0, NULL},
    {"sys_later", sys_later, 1, "later_read"},
    {"handler_before", handler_before, 1, "reads_it"},
    {"handler_after", handler_after, 1, "reads_it"},
    {"handler_by_signal", handler_by_signal, 1, "reads_it"},
    {"blocked_signals", blocked_signals, 1, "blocked"},
    {"many_threads", many_threads, 1, "reads_it"},
    {"in_handler", in_handler, 1, "reads_it"},
    {"small_stack", small_stack, 1, "reads_it"},
    {"thousand", thousand, 1, "reads_it"},
    {"forks", forks, 0, NULL},
    {"freed", freed, 1, "freed"},
};

int main(void)
{
    static const char *const schedules[] = {"eager", "latest"};
    static const char *const off[] = {"MILLPOND_CHECK_PINNED=no", NULL};
    static const char *const unchecked[] = {"MILLPOND_CHECK=", NULL};
    char schedule[64];
    const char *variables[] = {schedule, NULL};
    size_t i, j;
    int status;

    if (part() != NULL) {
        if (strcmp(part(), "handler_before") == 0) {
            install(SA_ONSTACK);
        }
        if (strcmp(part(), "blocked_before") == 0) {
            blocks_early();
        }
        if (strcmp(part(), "session") == 0) {
            /* What a session needs is decided when the runtime is made. */
            OK(millpondCheckBegin(NULL));
            OK(millpondCheckEnd());
        }
        begins();
        if (strcmp(part(), "blocked_before") == 0) {
            blocked_before();
        }
        if (strcmp(part(), "session") == 0) {
            session();
        }
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
        for (j = 0; j < 2; j++) {
            snprintf(schedule, sizeof schedule, "MILLPOND_SCHEDULE=%s", schedules[j]);
            fprintf(stderr, "%s, %s\n", parts[i].name, schedules[j]);
            status = play(parts[i].name, variables);
            LEFT(status, 0);
            TIMES(found, "\"finding\"", parts[i].count);
            TIMES(found, RULE, parts[i].count);
            if (parts[i].where != NULL) {
                checked_true(strstr(found, parts[i].where) != NULL, __LINE__, parts[i].where);
                HAS(found, "check_pinned.c");
            }
        }
    }
    status = play("blocked_before", NULL);
    LEFT(status, 0);
    TIMES(found, "\"finding\"", 0);
    HAS(said, "accesses to pinned memory are not checked: the thread");
    HAS(said, "blocks SIGSEGV");
    status = play("session", unchecked);
    LEFT(status, 0);
    /* Turned off, nothing is closed. */
    status = play("read_early", off);
    LEFT(status, 0);
    TIMES(found, "\"finding\"", 0);
    return 0;
}
