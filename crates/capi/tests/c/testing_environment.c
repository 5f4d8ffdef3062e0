/* The variables of test suites, each in a process of its own that begins with it: MILLPOND_FAULT makes calls of an unchanged program fail,
 * MILLPOND_CALLS writes how often functions were called when the program ends, MILLPOND_TIME lets a limit of an hour pass at once. */
#include "check.h"

#include <fcntl.h>
#include <sys/wait.h>

#define HOUR 3600000

/* What the children do: as a program would that knows nothing of the variables. */

static int calls(void)
{
    void *p = NULL;
    OPEN_DEVICE();
    for (int i = 0; i < 3; i++) {
        OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtFree(p));
    }
    FAILS(aclrtFree(NULL));
    CLOSE_DEVICE();
    return 0;
}

static int faults(void)
{
    void *p = NULL;
    aclrtStream stream;
    OPEN_DEVICE();
    CODE(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    MENTIONS("injected by the rule 'aclrtMalloc:nth=1'");
    OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMemsetAsync(p, 64, 1, 64, stream));
    CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_TIMEOUT);
    OK(aclrtMemsetAsync(p, 64, 1, 64, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyStream(stream));
    OK(aclrtFree(p));
    CLOSE_DEVICE();
    return 0;
}

static int wrong_rule(void)
{
    CODE(aclInit(NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("MILLPOND_FAULT");
    MENTIONS("similar names: aclrtMalloc");
    FAILS(aclrtSetDevice(0));
    MENTIONS("MILLPOND_FAULT");
    return 0;
}

/* A notification that nobody records, and an hour until the wait is given up. */
static int waits(void)
{
    aclrtNotify notify;
    aclrtStream stream;
    aclrtEvent before, after;
    float elapsed = 0;
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    OK(aclrtCreateEvent(&before));
    OK(aclrtCreateEvent(&after));
    OK(aclrtRecordEvent(before, stream));
    OK(aclrtWaitAndResetNotify(notify, stream, HOUR));
    OK(aclrtRecordEvent(after, stream));
    CODE(aclrtSynchronizeStreamWithTimeout(stream, HOUR / 2), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT);
    OK(aclrtEventElapsedTime(&elapsed, before, after));
    EQ(elapsed, HOUR);
    OK(aclrtDestroyEvent(before));
    OK(aclrtDestroyEvent(after));
    OK(aclrtDestroyNotify(notify));
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}

/* A clock that only the test moves stands still. */
static int stands(void)
{
    aclrtStream stream;
    aclrtEvent before, after;
    float elapsed = 7;
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&before));
    OK(aclrtCreateEvent(&after));
    OK(aclrtRecordEvent(before, stream));
    OK(aclrtSynchronizeStream(stream));
    sleep_ms(20);
    OK(aclrtRecordEvent(after, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtEventElapsedTime(&elapsed, before, after));
    EQ(elapsed, 0);
    OK(aclrtDestroyEvent(before));
    OK(aclrtDestroyEvent(after));
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}

static int wrong_time(void)
{
    FAILS(aclrtSetDevice(0));
    MENTIONS("MILLPOND_TIME");
    MENTIONS("virtual");
    return 0;
}

static const struct scene {
    const char *name;
    int (*run)(void);
} SCENES[] = {
    {"calls", calls},           {"faults", faults}, {"wrong_rule", wrong_rule}, {"waits", waits},
    {"stands", stands}, {"wrong_time", wrong_time},
};

/* Runs a scene in a new process with one more variable. Returns what it wrote to stderr. */
static const char *with(const char *variable, const char *value, const char *scene)
{
    static char text[65536];
    size_t length = 0;
    int ends[2], status = 0;
    ssize_t got;
    EQ(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        setenv(variable, value, 1);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/proc/self/exe", "testing_environment", scene, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    while (length < sizeof text - 1 && (got = read(ends[0], text + length, sizeof text - 1 - length)) > 0) {
        length += (size_t)got;
    }
    text[length] = '\0';
    close(ends[0]);
    EQ(waitpid(child, &status, 0), child);
    if (status != 0) {
        fprintf(stderr, "%s=%s %s: status %d\n%s", variable, value, scene, status, text);
    }
    EQ(status, 0);
    return text;
}

static const char *contents(const char *path)
{
    static char text[65536];
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

/* What is written of a function: the text is JSON with a name and two numbers each. */
static void counted(const char *text, const char *function, const char *calls, const char *failures)
{
    char name[64], entry[256] = "";
    snprintf(name, sizeof name, "\"%s\":", function);
    const char *at = strstr(text, name), *end;
    CHECK(at != NULL);
    end = strchr(at, '}');
    CHECK(end != NULL && (size_t)(end - at) < sizeof entry);
    memcpy(entry, at, (size_t)(end - at));
    CHECK(strstr(entry, calls) != NULL);
    CHECK(strstr(entry, failures) != NULL);
}

static void written(const char *text)
{
    counted(text, "aclrtMalloc", "\"calls\": 3", "\"failures\": 0");
    counted(text, "aclrtFree", "\"calls\": 4", "\"failures\": 1");
    counted(text, "aclInit", "\"calls\": 1", "\"failures\": 0");
    CHECK(strstr(text, "aclrtMallocHost") == NULL);
}

int main(int count, char **arguments)
{
    char path[] = "/tmp/millpond-calls-XXXXXX";
    if (count > 1) {
        for (size_t i = 0; i < sizeof SCENES / sizeof SCENES[0]; i++) {
            if (strcmp(SCENES[i].name, arguments[1]) == 0) {
                return SCENES[i].run();
            }
        }
        return 99;
    }
    /* A file that an earlier run wrote is replaced. */
    int file = mkstemp(path);
    CHECK(file >= 0);
    EQ(write(file, "earlier", 7), 7);
    close(file);
    CHECK(strstr(with("MILLPOND_CALLS", path, "calls"), "millpond:") == NULL);
    CHECK(strstr(contents(path), "earlier") == NULL);
    written(contents(path));
    unlink(path);
    written(with("MILLPOND_CALLS", "stderr", "calls"));
    CHECK(strstr(with("MILLPOND_CALLS", "/nowhere/calls.json", "calls"), "'/nowhere/calls.json' cannot be written") != NULL);

    with("MILLPOND_FAULT", "aclrtMalloc:nth=1; aclrtMemsetAsync:nth=1:task=ACL_ERROR_RT_AICORE_TIMEOUT", "faults");
    with("MILLPOND_FAULT", "aclrtMaloc:nth=1", "wrong_rule");

    with("MILLPOND_TIME", "virtual", "waits");
    with("MILLPOND_TIME", "manual", "stands");
    with("MILLPOND_TIME", "tomorrow", "wrong_time");
    return 0;
}
