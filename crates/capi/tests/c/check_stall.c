/* What does the checking mode say of a call that never returns? It says so while the call
 * hangs: the parent reads what the child says until it has said that, and ends it. A call
 * that only takes long, because another thread takes its time, is left alone. */
#include "checked.h"

#include <pthread.h>
#include <stdatomic.h>

enum { BYTES = 4096 };

static aclrtStream stream, other;
static void *block;

static void nothing(void *unused)
{
    (void)unused;
}

static void begin(void)
{
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateStream(&other));
    OK(aclrtMalloc(&block, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
}

/* The copy waits for the stream, the stream for an event, and the event for this thread. */
static int pageable(void)
{
    static char host[BYTES];
    aclrtEvent event;

    begin();
    OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
    OK(aclrtStreamWaitEvent(stream, event));
    OK(aclrtMemcpyAsync(block, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtRecordEvent(event, other));
    return 0;
}

/* Each stream records what the other waits for, behind its own wait. */
static int circle(void)
{
    aclrtEvent here, there;

    begin();
    OK(aclrtCreateEventWithFlag(&here, ACL_EVENT_SYNC));
    OK(aclrtCreateEventWithFlag(&there, ACL_EVENT_SYNC));
    OK(aclrtStreamWaitEvent(stream, there));
    OK(aclrtRecordEvent(here, stream));
    OK(aclrtStreamWaitEvent(other, here));
    OK(aclrtRecordEvent(there, other));
    OK(aclrtSynchronizeStream(stream));
    return 0;
}

static atomic_int subscribed;

static void *processes_one(void *unused)
{
    OK(aclrtSetDevice(0));
    while (!atomic_load(&subscribed)) {
        sched_yield();
    }
    OK(aclrtProcessReport(-1));
    return unused;
}

/* The thread that processed reports has ended before the last one came. */
static int report(void)
{
    pthread_t thread;

    begin();
    EQ(pthread_create(&thread, NULL, processes_one, NULL), 0);
    OK(aclrtSubscribeReport((uint64_t)thread, stream));
    atomic_store(&subscribed, 1);
    OK(aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, stream));
    EQ(pthread_join(thread, NULL), 0);
    OK(aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, stream));
    OK(aclrtDestroyStream(stream));
    return 0;
}

static void *waits_for_an_event(void *unused)
{
    OK(aclrtSetDevice(0));
    OK(aclrtSynchronizeStream(other));
    return unused;
}

/* A launch waits for a word that nobody writes, and another stream for an event that is recorded outside of graphs. */
static int outside(void)
{
    aclrtEvent event;
    pthread_t thread;
    aclmdlRI graph;

    begin();
    OK(aclrtMemset(block, BYTES, 0, BYTES));
    OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclrtValueWait(block, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
    OK(aclmdlRICaptureEnd(stream, &graph));
    OK(aclmdlRIExecuteAsync(graph, stream));
    OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_EXTERNAL));
    OK(aclrtStreamWaitEvent(other, event));
    EQ(pthread_create(&thread, NULL, waits_for_an_event, NULL), 0);
    OK(aclrtSynchronizeStream(stream));
    return 0;
}

static aclrtEvent late;

static void *records_late(void *unused)
{
    OK(aclrtSetDevice(0));
    /* Longer than a wait lasts before it is looked at: whatever the machine does, nothing is found. */
    usleep(500 * 1000);
    OK(aclrtRecordEvent(late, other));
    return unused;
}

/* Another thread takes its time. */
static int patient(void)
{
    pthread_t thread;

    begin();
    OK(aclrtCreateEventWithFlag(&late, ACL_EVENT_SYNC));
    OK(aclrtStreamWaitEvent(stream, late));
    EQ(pthread_create(&thread, NULL, records_late, NULL), 0);
    OK(aclrtSynchronizeStream(stream));
    EQ(pthread_join(thread, NULL), 0);
    OK(aclrtSynchronizeStream(other));
    OK(aclrtDestroyEvent(late));
    OK(aclrtMemset(block, BYTES, 0, BYTES));
    OK(aclrtFree(block));
    OK(aclrtDestroyStream(other));
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDeviceForce(0));
    OK(aclFinalize());
    return 0;
}

/* Plays a part that hangs, until it has said these words. */
static void hangs(const char *name, const char *schedule, const char *const *words)
{
    char self[4096];
    int ends[2], status;
    size_t got = 0;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    pid_t child;

    CHECK(length > 0);
    self[length] = '\0';
    EQ(pipe(ends), 0);
    fflush(NULL);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        char *const arguments[] = {self, NULL};
        setenv("TEST_PART", name, 1);
        setenv("MILLPOND_CHECK", "1", 1);
        setenv("MILLPOND_SCHEDULE", schedule, 1);
        unsetenv("MILLPOND_CHECK_FINDINGS");
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execve(self, arguments, environ);
        _exit(97);
    }
    close(ends[1]);
    while (*words != NULL) {
        ssize_t more;
        while (*words != NULL && strstr(said, *words) != NULL) {
            words++;
        }
        if (*words == NULL) {
            break;
        }
        more = read(ends[0], said + got, sizeof said - 1 - got);
        if (more <= 0) {
            fprintf(stderr, "%s under %s never said \"%s\":\n%s\n", name, schedule, *words, said);
            _exit(1);
        }
        got += (size_t)more;
        said[got] = '\0';
    }
    kill(child, SIGKILL);
    CHECK(waitpid(child, &status, 0) == child);
    close(ends[0]);
    memset(said, 0, sizeof said);
}

int main(void)
{
    static const char *const pageable_says[] = {"stream.deadlock", "aclrtMemcpyAsync", "aclrtStreamWaitEvent",
                                                "was not recorded", "rule", NULL};
    static const char *const circle_says[] = {"stream.deadlock", "aclrtSynchronizeStream", "aclrtStreamWaitEvent",
                                              "waits for stream", "rule", NULL};
    static const char *const report_says[] = {"stream.deadlock", "aclrtDestroyStream", "aclrtLaunchCallback",
                                              "reports", "rule", NULL};
    static const char *const outside_says[] = {"stream.stalled", "aclrtSynchronizeStream", "aclrtValueWait", "word", "aclrtStreamWaitEvent",
                                               "(ACL_EVENT_EXTERNAL)", "check_stall.c", "rule", NULL};
    static const char *const schedules[] = {"eager", "latest", "seed=1"};
    int i;

    if (part() != NULL) {
        return strcmp(part(), "pageable") == 0  ? pageable()
               : strcmp(part(), "circle") == 0  ? circle()
               : strcmp(part(), "report") == 0  ? report()
               : strcmp(part(), "outside") == 0 ? outside()
                                                : patient();
    }
    for (i = 0; i < 3; i++) {
        hangs("pageable", schedules[i], pageable_says);
        hangs("circle", schedules[i], circle_says);
        hangs("report", schedules[i], report_says);
    }
    /* Once: it takes ten seconds until such a wait is reported. */
    hangs("outside", schedules[0], outside_says);
    EQ(play("patient", NULL), 0);
    EQ_STR(strstr(found, "\"rule\"") == NULL ? "silent" : found, "silent");
    return 0;
}
