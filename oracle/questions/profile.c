/* Profiles: what is accepted, and in which order; steps, marks and ranges. Each question has a folder of its own, and deletes it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <ftw.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../oracle.h"
#define GROUP "profile"

/* What programs usually collect; nothing of it needs counters of the hardware. */
#define SWITCHES (ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX)

static char folder[32];

static const char *new_folder(void)
{
    strcpy(folder, "/tmp/oracle-XXXXXX");
    if (!mkdtemp(folder)) {
        need("mkdtemp", 1);
    }
    return folder;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Begins profiles; the question ends here if the library does not. */
static void begin(void)
{
    new_folder();
    aclError status = CALL(aclprofInit)(folder, strlen(folder));
    if (status != 0) {
        remove_folder();
    }
    need("aclprofInit", status);
}

static void end(void)
{
    CALL(aclprofFinalize)();
    remove_folder();
}

static aclprofConfig *config_of(uint64_t switches)
{
    uint32_t device = 0;
    return CALL(aclprofCreateConfig)(&device, 1, ACL_AICORE_NONE, NULL, switches);
}

/* A profile that runs; the question ends here if there is none. */
static aclprofConfig *running(void)
{
    begin();
    aclprofConfig *config = config_of(SWITCHES);
    aclError status = CALL(aclprofStart)(config);
    if (status != 0) {
        end();
    }
    need("aclprofStart", status);
    return config;
}

QUESTION_ALONE(not_begun, "aclprofFinalize aclprofSetConfig aclprofStart aclprofStop aclprofWarmup aclprofCreateConfig aclprofDestroyConfig", "What do they return before aclprofInit?")
{
    code("finalize", CALL(aclprofFinalize)());
    code("set", CALL(aclprofSetConfig)(ACL_PROF_STORAGE_LIMIT, "200", 3));
    aclprofConfig *config = config_of(SWITCHES);
    fact("config", "%s", pointer(config));
    code("start", CALL(aclprofStart)(config));
    code("warmup", CALL(aclprofWarmup)(config));
    code("stop", CALL(aclprofStop)(config));
    code("destroy", CALL(aclprofDestroyConfig)(config));
}

QUESTION_IN(NOTHING, before_init, "aclprofInit aclprofFinalize", "Can profiling begin before aclInit?")
{
    new_folder();
    code("init", CALL(aclprofInit)(folder, strlen(folder)));
    code("finalize", CALL(aclprofFinalize)());
    remove_folder();
}

QUESTION_IN(INITIALISED, without_device, "aclprofInit aclprofStart aclprofStop aclprofCreateStamp aclprofMark", "Can a profile of a device run in a thread without one?")
{
    begin();
    aclprofConfig *config = config_of(SWITCHES);
    code("start", CALL(aclprofStart)(config));
    void *stamp = CALL(aclprofCreateStamp)();
    fact("stamp", "%s", pointer(stamp));
    code("message", CALL(aclprofSetStampTraceMessage)(stamp, "mark", 4));
    code("mark", CALL(aclprofMark)(stamp));
    code("stop", CALL(aclprofStop)(config));
    code("finalize", CALL(aclprofFinalize)());
    remove_folder();
}

QUESTION_ALONE(paths, "aclprofInit", "Which paths and lengths does aclprofInit accept?")
{
    char below[128], deep[128], long_path[5000];
    size_t length = strlen(new_folder());
    code("null", CALL(aclprofInit)(NULL, length));
    code("no_length", CALL(aclprofInit)(folder, 0));
    memset(long_path, 'x', sizeof long_path);
    long_path[0] = '/';
    long_path[sizeof long_path - 1] = 0;
    code("too_long", CALL(aclprofInit)(long_path, sizeof long_path - 1));
    snprintf(below, sizeof below, "%s/file", folder);
    FILE *file = fopen(below, "w");
    if (file) {
        fclose(file);
        snprintf(deep, sizeof deep, "%s/file/inside", folder);
        code("below_a_file", CALL(aclprofInit)(deep, strlen(deep)));
    }
    snprintf(below, sizeof below, "%s/new", folder);
    code("new_folder", CALL(aclprofInit)(below, strlen(below)));
    code("finalize", CALL(aclprofFinalize)());
    remove_folder();
}

QUESTION_ALONE(path_length, "aclprofInit", "What does aclprofInit return for a length with the final NUL in it?")
{
    new_folder();
    code("code", CALL(aclprofInit)(folder, strlen(folder) + 1));
    CALL(aclprofFinalize)();
    remove_folder();
}

QUESTION_ALONE(begin_twice, "aclprofInit aclprofFinalize", "What do a second beginning and a second end return, and can profiling begin again?")
{
    begin();
    code("init_again", CALL(aclprofInit)(folder, strlen(folder)));
    code("finalize", CALL(aclprofFinalize)());
    code("finalize_again", CALL(aclprofFinalize)());
    code("init_later", CALL(aclprofInit)(folder, strlen(folder)));
    code("finalize_later", CALL(aclprofFinalize)());
    remove_folder();
}

QUESTION_ALONE(config_devices, "aclprofCreateConfig aclprofDestroyConfig", "Which lists of devices does a configuration accept?")
{
    uint32_t one[1] = {0}, none[1] = {4000}, twice[2] = {0, 0};
    begin();
    aclprofConfig *good = CALL(aclprofCreateConfig)(one, 1, ACL_AICORE_NONE, NULL, SWITCHES);
    fact("good", "%s", pointer(good));
    fact("no_list", "%s", pointer(CALL(aclprofCreateConfig)(NULL, 1, ACL_AICORE_NONE, NULL, SWITCHES)));
    fact("no_devices", "%s", pointer(CALL(aclprofCreateConfig)(one, 0, ACL_AICORE_NONE, NULL, SWITCHES)));
    fact("unknown", "%s", pointer(CALL(aclprofCreateConfig)(none, 1, ACL_AICORE_NONE, NULL, SWITCHES)));
    fact("twice", "%s", pointer(CALL(aclprofCreateConfig)(twice, 2, ACL_AICORE_NONE, NULL, SWITCHES)));
    code("destroy", CALL(aclprofDestroyConfig)(good));
    end();
}

QUESTION_ALONE(config_metrics, "aclprofCreateConfig", "Which metrics of cores does a configuration accept?")
{
    static const int metrics[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 99, 255};
    uint32_t device = 0;
    begin();
    for (size_t index = 0; index < sizeof metrics / sizeof *metrics; index++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", metrics[index]);
        aclprofConfig *config = CALL(aclprofCreateConfig)(&device, 1, (aclprofAicoreMetrics)metrics[index], NULL, SWITCHES | ACL_PROF_AICORE_METRICS);
        fact(name, "%s", pointer(config));
        if (config) {
            CALL(aclprofDestroyConfig)(config);
        }
    }
    end();
}

QUESTION_ALONE(config_switches, "aclprofCreateConfig", "Which switches does a configuration accept, known ones, unknown ones and none?")
{
    static const struct { const char *name; uint64_t bits; } rows[] = {
        {"none", 0}, {"api", 1}, {"time", 2}, {"metrics", 4}, {"aicpu", 8}, {"cache", 0x10}, {"hccl", 0x20}, {"training", 0x40}, {"marks", 0x80}, {"runtime", 0x100},
        {"bit9", 0x200}, {"time_l0", 0x800}, {"memory", 0x1000}, {"attributes", 0x4000}, {"last", 1ULL << 63},
    };
    begin();
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        aclprofConfig *config = config_of(rows[index].bits);
        fact(rows[index].name, "%s", pointer(config));
        if (config) {
            CALL(aclprofDestroyConfig)(config);
        }
    }
    end();
}

QUESTION_ALONE(config_twice, "aclprofDestroyConfig", "What does destroying a configuration twice return?")
{
    begin();
    aclprofConfig *config = config_of(SWITCHES);
    code("first", CALL(aclprofDestroyConfig)(config));
    code("second", CALL(aclprofDestroyConfig)(config));
    end();
}

QUESTION_ALONE(options, "aclprofSetConfig", "Which options and values does aclprofSetConfig accept?")
{
    static const struct { const char *name; int option; const char *value; } rows[] = {
        {"first", ACL_PROF_ARGS_MIN, "200"}, {"limit200", ACL_PROF_STORAGE_LIMIT, "200"}, {"limit199", ACL_PROF_STORAGE_LIMIT, "199"}, {"limit_most", ACL_PROF_STORAGE_LIMIT, "4294967295"},
        {"limit_more", ACL_PROF_STORAGE_LIMIT, "4294967296"}, {"limit_text", ACL_PROF_STORAGE_LIMIT, "many"}, {"limit_unit", ACL_PROF_STORAGE_LIMIT, "200MB"}, {"gap", 2, "50"},
        {"memory1", ACL_PROF_SYS_HARDWARE_MEM_FREQ, "1"}, {"memory100", ACL_PROF_SYS_HARDWARE_MEM_FREQ, "100"}, {"memory0", ACL_PROF_SYS_HARDWARE_MEM_FREQ, "0"},
        {"memory101", ACL_PROF_SYS_HARDWARE_MEM_FREQ, "101"}, {"cache", ACL_PROF_LLC_MODE, "read"}, {"io", ACL_PROF_SYS_IO_FREQ, "50"}, {"links", ACL_PROF_SYS_INTERCONNECTION_FREQ, "50"},
        {"media", ACL_PROF_DVPP_FREQ, "50"}, {"host", ACL_PROF_HOST_SYS, "cpu"}, {"usage", ACL_PROF_HOST_SYS_USAGE, "cpu"}, {"usage_rate", ACL_PROF_HOST_SYS_USAGE_FREQ, "50"},
        {"last", ACL_PROF_ARGS_MAX, "50"},
    };
    begin();
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        code(rows[index].name, CALL(aclprofSetConfig)((aclprofConfigType)rows[index].option, rows[index].value, strlen(rows[index].value)));
    }
    end();
}

QUESTION_ALONE(option_lengths, "aclprofSetConfig", "Which lengths of a value does aclprofSetConfig accept?")
{
    char text[300] = "200";
    begin();
    code("null", CALL(aclprofSetConfig)(ACL_PROF_STORAGE_LIMIT, NULL, 3));
    code("no_length", CALL(aclprofSetConfig)(ACL_PROF_STORAGE_LIMIT, text, 0));
    code("with_end", CALL(aclprofSetConfig)(ACL_PROF_STORAGE_LIMIT, text, 4));
    code("too_long", CALL(aclprofSetConfig)(ACL_PROF_STORAGE_LIMIT, text, 257));
    end();
}

QUESTION_ALONE(order, "aclprofStart aclprofStop aclprofDestroyConfig", "In which order may a profile be started, stopped and destroyed?")
{
    begin();
    aclprofConfig *config = config_of(SWITCHES);
    code("stop_early", CALL(aclprofStop)(config));
    code("start", CALL(aclprofStart)(config));
    code("start_again", CALL(aclprofStart)(config));
    code("destroy_running", CALL(aclprofDestroyConfig)(config));
    code("stop", CALL(aclprofStop)(config));
    code("stop_again", CALL(aclprofStop)(config));
    code("start_later", CALL(aclprofStart)(config));
    code("stop_later", CALL(aclprofStop)(config));
    code("destroy", CALL(aclprofDestroyConfig)(config));
    end();
}

QUESTION_ALONE(two_configs, "aclprofStart aclprofStop", "Can two profiles of one device run, and can one be stopped with another configuration?")
{
    begin();
    aclprofConfig *first = config_of(SWITCHES), *second = config_of(ACL_PROF_ACL_API);
    code("first", CALL(aclprofStart)(first));
    code("second", CALL(aclprofStart)(second));
    code("stop_second", CALL(aclprofStop)(second));
    code("stop_first", CALL(aclprofStop)(first));
    code("none", CALL(aclprofStart)(NULL));
    end();
}

QUESTION_ALONE(option_running, "aclprofSetConfig", "Can an option be set while a profile runs?")
{
    aclprofConfig *config = running();
    code("code", CALL(aclprofSetConfig)(ACL_PROF_STORAGE_LIMIT, "200", 3));
    CALL(aclprofStop)(config);
    end();
}

QUESTION_ALONE(warm, "aclprofWarmup aclprofStart aclprofStop", "When may a profile be warmed up?")
{
    oracle_find("aclprofWarmup");
    begin();
    aclprofConfig *config = config_of(SWITCHES);
    code("warmup", CALL(aclprofWarmup)(config));
    code("again", CALL(aclprofWarmup)(config));
    code("start", CALL(aclprofStart)(config));
    code("running", CALL(aclprofWarmup)(config));
    code("stop", CALL(aclprofStop)(config));
    code("after_stop", CALL(aclprofWarmup)(config));
    code("none", CALL(aclprofWarmup)(NULL));
    end();
}

QUESTION_ALONE(end_running, "aclprofFinalize aclprofStop aclprofDestroyConfig", "Does the end of profiling stop a profile that runs?")
{
    begin();
    aclprofConfig *config = config_of(SWITCHES);
    code("start", CALL(aclprofStart)(config));
    code("finalize", CALL(aclprofFinalize)());
    code("stop", CALL(aclprofStop)(config));
    code("destroy", CALL(aclprofDestroyConfig)(config));
    remove_folder();
}

/* How many entries of the folder have names that begin so. */
static int entries(const char *prefix)
{
    int count = 0;
    DIR *open_folder = opendir(folder);
    for (struct dirent *entry = open_folder ? readdir(open_folder) : NULL; entry; entry = readdir(open_folder)) {
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    }
    if (open_folder) {
        closedir(open_folder);
    }
    return count;
}

QUESTION_ALONE(folders, "aclprofInit aclprofStart aclprofStop aclprofFinalize", "When is the folder of a profile there, and do two profiles of one beginning have one?")
{
    begin();
    aclprofConfig *config = config_of(SWITCHES);
    code("begun", entries("PROF_"));
    code("start", CALL(aclprofStart)(config));
    code("started", entries("PROF_"));
    code("stop", CALL(aclprofStop)(config));
    code("start_again", CALL(aclprofStart)(config));
    code("stop_again", CALL(aclprofStop)(config));
    code("finalize", CALL(aclprofFinalize)());
    code("ended", entries("PROF_"));
    remove_folder();
}

QUESTION_ALONE(work, "aclprofStart aclprofStop aclrtMemcpyAsync aclrtSynchronizeStream", "Does work during a profile end as without one?")
{
    char *block = new_block(64), *host = new_pinned(64);
    aclrtStream stream = new_stream();
    begin();
    aclprofConfig *config = config_of(SWITCHES);
    code("start", CALL(aclprofStart)(config));
    code("set", CALL(aclrtMemsetAsync)(block, 64, 5, 64, stream));
    code("copy", CALL(aclrtMemcpyAsync)(host, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    code("sees", host[0]);
    code("stop", CALL(aclprofStop)(config));
    code("destroy", CALL(aclprofDestroyConfig)(config));
    end();
}

/* Steps, in the state that the caller made. */
static void step_order(void)
{
    aclrtStream stream = new_stream();
    aclprofStepInfo *step = CALL(aclprofCreateStepInfo)(), *reversed = CALL(aclprofCreateStepInfo)();
    fact("step", "%s", pointer(step));
    code("start", CALL(aclprofGetStepTimestamp)(step, ACL_STEP_START, stream));
    code("start_again", CALL(aclprofGetStepTimestamp)(step, ACL_STEP_START, stream));
    code("end", CALL(aclprofGetStepTimestamp)(step, ACL_STEP_END, stream));
    code("end_again", CALL(aclprofGetStepTimestamp)(step, ACL_STEP_END, stream));
    code("end_first", CALL(aclprofGetStepTimestamp)(reversed, ACL_STEP_END, stream));
    code("unlisted", CALL(aclprofGetStepTimestamp)(reversed, (aclprofStepTag)7, stream));
    code("no_step", CALL(aclprofGetStepTimestamp)(NULL, ACL_STEP_START, stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    CALL(aclprofDestroyStepInfo)(step);
    fact("destroyed", "yes");
}

QUESTION_ALONE(steps, "aclprofCreateStepInfo aclprofGetStepTimestamp aclprofDestroyStepInfo", "In which order are the ends of a step accepted, without a profile?")
{
    step_order();
}

QUESTION_ALONE(steps_profiled, "aclprofCreateStepInfo aclprofGetStepTimestamp aclprofDestroyStepInfo", "In which order are the ends of a step accepted, during a profile?")
{
    aclprofConfig *config = running();
    step_order();
    code("stop", CALL(aclprofStop)(config));
    end();
}

QUESTION_ALONE(step_default_stream, "aclprofGetStepTimestamp aclprofMarkEx", "May steps and marks be in the default stream?")
{
    code("mark", CALL(aclprofMarkEx)("mark", 4, NULL));
    code("start", CALL(aclprofGetStepTimestamp)(CALL(aclprofCreateStepInfo)(), ACL_STEP_START, NULL));
}

/* Marks and ranges, in the state that the caller made. */
static void stamp_order(void)
{
    uint32_t range = 0, other = 0;
    void *stamp = CALL(aclprofCreateStamp)(), *empty = CALL(aclprofCreateStamp)();
    fact("stamp", "%s", pointer(stamp));
    code("no_message", CALL(aclprofMark)(empty));
    code("message", CALL(aclprofSetStampTraceMessage)(stamp, "text", 4));
    code("mark", CALL(aclprofMark)(stamp));
    code("mark_again", CALL(aclprofMark)(stamp));
    code("pop_none", CALL(aclprofPop)());
    code("push", CALL(aclprofPush)(stamp));
    code("push_again", CALL(aclprofPush)(stamp));
    code("pop", CALL(aclprofPop)());
    code("pop_again", CALL(aclprofPop)());
    code("pop_more", CALL(aclprofPop)());
    code("range", CALL(aclprofRangeStart)(stamp, &range));
    code("range_again", CALL(aclprofRangeStart)(stamp, &other));
    fact("differ", "%s", range != other ? "yes" : "no");
    code("stop", CALL(aclprofRangeStop)(range));
    code("stop_again", CALL(aclprofRangeStop)(range));
    code("stop_other", CALL(aclprofRangeStop)(other));
    code("stop_unknown", CALL(aclprofRangeStop)(0x7fffffff));
    CALL(aclprofDestroyStamp)(stamp);
    CALL(aclprofDestroyStamp)(empty);
}

QUESTION_ALONE(stamps, "aclprofCreateStamp aclprofSetStampTraceMessage aclprofMark aclprofPush aclprofPop aclprofRangeStart aclprofRangeStop aclprofDestroyStamp", "What do marks and ranges return without a profile?")
{
    stamp_order();
}

QUESTION_ALONE(stamps_profiled, "aclprofCreateStamp aclprofSetStampTraceMessage aclprofMark aclprofPush aclprofPop aclprofRangeStart aclprofRangeStop aclprofDestroyStamp", "What do marks and ranges return during a profile?")
{
    aclprofConfig *config = running();
    stamp_order();
    code("stop_profile", CALL(aclprofStop)(config));
    end();
}

/* Messages, in the state that the caller made. */
static void message_lengths(void)
{
    static char text[2048];
    static const uint32_t lengths[] = {0, 1, 127, 128, 129, 255, 256, 1023, 1024, 2047};
    aclrtStream stream = new_stream();
    void *stamp = CALL(aclprofCreateStamp)();
    memset(text, 'x', sizeof text - 1);
    for (size_t index = 0; index < sizeof lengths / sizeof *lengths; index++) {
        char exact[2048], name[16];
        memcpy(exact, text, lengths[index]);
        exact[lengths[index]] = 0;
        snprintf(name, sizeof name, "l%u", lengths[index]);
        aclError status = CALL(aclprofSetStampTraceMessage)(stamp, exact, lengths[index]);
        fact(name, "%d:%d", status, CALL(aclprofMarkEx)(exact, lengths[index], stream));
    }
    code("shorter", CALL(aclprofSetStampTraceMessage)(stamp, text, 4));
    code("with_end", CALL(aclprofSetStampTraceMessage)(stamp, "text", 5));
    code("null", CALL(aclprofSetStampTraceMessage)(stamp, NULL, 4));
    code("null_stamp", CALL(aclprofSetStampTraceMessage)(NULL, "text", 4));
    code("mark_null", CALL(aclprofMarkEx)(NULL, 4, stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
}

QUESTION_ALONE(messages, "aclprofSetStampTraceMessage aclprofMarkEx", "How long may the text of a stamp and of a mark be, without a profile?")
{
    message_lengths();
}

QUESTION_ALONE(messages_profiled, "aclprofSetStampTraceMessage aclprofMarkEx", "How long may the text of a stamp and of a mark be, during a profile?")
{
    oracle_find("aclprofMarkEx");
    aclprofConfig *config = running();
    message_lengths();
    code("stop", CALL(aclprofStop)(config));
    end();
}

static void *pop_elsewhere(void *range)
{
    static long long codes[2];
    codes[0] = CALL(aclprofPop)();
    codes[1] = CALL(aclprofRangeStop)(*(uint32_t *)range);
    return codes;
}

QUESTION_ALONE(stamp_threads, "aclprofPush aclprofPop aclprofRangeStart aclprofRangeStop", "Can another thread end a range, of both kinds?")
{
    uint32_t range = 0;
    void *result = NULL, *stamp = CALL(aclprofCreateStamp)();
    pthread_t thread;
    oracle_find("aclprofPop");
    oracle_find("aclprofRangeStop");
    need("aclprofSetStampTraceMessage", CALL(aclprofSetStampTraceMessage)(stamp, "text", 4));
    aclprofConfig *config = running();
    code("push", CALL(aclprofPush)(stamp));
    code("range", CALL(aclprofRangeStart)(stamp, &range));
    need("pthread_create", pthread_create(&thread, NULL, pop_elsewhere, &range));
    pthread_join(thread, &result);
    code("pop", ((long long *)result)[0]);
    code("stop", ((long long *)result)[1]);
    code("pop_here", CALL(aclprofPop)());
    code("stop_profile", CALL(aclprofStop)(config));
    end();
}

QUESTION_ALONE(stamp_destroyed, "aclprofDestroyStamp aclprofPop aclprofRangeStop", "May a stamp be destroyed while its ranges are open?")
{
    uint32_t range = 0;
    void *stamp = CALL(aclprofCreateStamp)();
    need("aclprofSetStampTraceMessage", CALL(aclprofSetStampTraceMessage)(stamp, "text", 4));
    aclprofConfig *config = running();
    code("push", CALL(aclprofPush)(stamp));
    code("range", CALL(aclprofRangeStart)(stamp, &range));
    CALL(aclprofDestroyStamp)(stamp);
    code("pop", CALL(aclprofPop)());
    code("stop", CALL(aclprofRangeStop)(range));
    code("stop_profile", CALL(aclprofStop)(config));
    end();
}
