/* What may the argument of aclInit be? A missing file, broken JSON, a second and
 * different configuration, and two keys whose effect can be seen. Each case is a
 * process of its own: this program starts itself again with the name of a case.
 * Runs with two devices. */
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>

static const char *write_config(const char *name, const char *text)
{
    static char path[4096];
    FILE *f;
    CHECK(getcwd(path, sizeof path - 128) != NULL);
    snprintf(path + strlen(path), 128, "/config_file_%s_%d.json", name, (int)getpid());
    f = fopen(path, "w");
    CHECK(f != NULL);
    fputs(text, f);
    fclose(f);
    return path;
}

static void missing_file(void)
{
    CODE(aclInit("there/is/no/such/file.json"), ACL_ERROR_INVALID_FILE);
    MENTIONS("file.json");
    /* It did not count as a start. */
    OK(aclInit(NULL));
    OK(aclFinalize());
}

static void broken_json(void)
{
    const char *path = write_config("broken", "{ \"dump\": { ");
    CODE(aclInit(path), ACL_ERROR_PARSE_FILE);
    remove(path);
    path = write_config("empty", "");
    FAILS(aclInit(path));
    remove(path);
    OK(aclInit(NULL));
    OK(aclFinalize());
}

static void another_configuration(void)
{
    const char *path = write_config("first", "{}");
    OK(aclInit(path));
    /* The same file again is a repetition. */
    CODE_ONLY(aclInit(path), ACL_ERROR_REPEAT_INITIALIZE);
    remove(path);
    path = write_config("second", "{ \"max_opqueue_num\": \"200\" }");
    CODE(aclInit(path), ACL_ERROR_INVALID_PARAM);
    remove(path);
    OK(aclFinalize());
}

static void *uses_no_device(void *unused)
{
    int32_t device = -1;
    void *block = NULL;
    (void)unused;
    OK(aclrtGetDevice(&device));
    EQ(device, 1);
    OK(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtFree(block));
    return NULL;
}

static void default_device(void)
{
    pthread_t thread;
    const char *path =
        write_config("device", "{ \"defaultDevice\": { \"default_device\": \"1\" } }");
    OK(aclInit(path));
    remove(path);
    /* Threads that never choose a device get this one. */
    uses_no_device(NULL);
    pthread_create(&thread, NULL, uses_no_device, NULL);
    pthread_join(thread, NULL);
    OK(aclFinalize());
}

static void *makes_an_error(void *unused)
{
    (void)unused;
    EQ(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    return NULL;
}

static void errors_of_the_process(void)
{
    pthread_t thread;
    const char *path = write_config("errors", "{ \"err_msg_mode\": \"1\" }");
    OK(aclInit(path));
    remove(path);
    EQ_PTR(aclGetRecentErrMsg(), NULL);
    pthread_create(&thread, NULL, makes_an_error, NULL);
    pthread_join(thread, NULL);
    /* In this mode the text of another thread is ours to read. */
    CHECK(aclGetRecentErrMsg() != NULL);
    EQ_PTR(aclGetRecentErrMsg(), NULL);
    OK(aclFinalize());
}

/* How many operators are kept ready: a number above 0, as a text or not. */
static void operators_kept(void)
{
    const char *path = write_config("none", "{ \"max_opqueue_num\": \"0\" }");
    CODE(aclInit(path), ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG);
    MENTIONS("max_opqueue_num");
    remove(path);
    path = write_config("words", "{ \"max_opqueue_num\": \"many\" }");
    CODE(aclInit(path), ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG);
    remove(path);
    path = write_config("some", "{ \"max_opqueue_num\": 200 }");
    OK(aclInit(path));
    remove(path);
    OK(aclFinalize());
}

static const struct {
    const char *name;
    void (*body)(void);
} cases[] = {
    {"missing_file", missing_file},
    {"broken_json", broken_json},
    {"another_configuration", another_configuration},
    {"default_device", default_device},
    {"errors_of_the_process", errors_of_the_process},
    {"operators_kept", operators_kept},
};

int main(int argc, char **argv)
{
    size_t i;
    int failed = 0;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (argc > 1) {
            if (strcmp(argv[1], cases[i].name) == 0) {
                cases[i].body();
                return 0;
            }
        } else {
            int status = -1;
            pid_t child = fork();
            CHECK(child >= 0);
            if (child == 0) {
                execl("/proc/self/exe", argv[0], cases[i].name, (char *)NULL);
                _exit(127);
            }
            CHECK(waitpid(child, &status, 0) == child);
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
                fprintf(stderr, "case %s ended with status 0x%x\n", cases[i].name, status);
                failed = 1;
            }
        }
    }
    return failed;
}
