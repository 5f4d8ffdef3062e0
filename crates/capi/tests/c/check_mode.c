/* Does the checking mode say what it should, where it should, and leave the program alone? */
#include "checked.h"

static int clean(void)
{
    void *block = NULL;
    char byte = 0;
    OPEN_DEVICE();
    OK(aclrtMalloc(&block, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(block, 100, 1, 100));
    OK(aclrtMemcpy(&byte, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(byte, 1);
    OK(aclrtFree(block));
    if (strcmp(part(), "wrong") == 0) {
        CHECK(aclrtFree(block) != 0);
    }
    CLOSE_DEVICE();
    return 7;
}

/* A forked child leaves by exit as well, and has nothing to tell. */
static int forks(void)
{
    int status = 0;
    pid_t child;
    clean();
    child = fork();
    if (child == 0) {
        exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    EQ(status, 0);
    return 0;
}

/* Memory that an object of the program gives back when the process ends is no mistake: that runs
 * before the last judgement. */
static void *kept;

static void give_back(void)
{
    if (aclrtFree(kept) != 0) {
        _exit(96);
    }
}

static int late(void)
{
    atexit(give_back);
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc(&kept, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(kept, 100, 1, 100));
    return 0;
}

int main(void)
{
    static const char *const alone[] = {"MILLPOND_CHECK_FINDINGS=", NULL};
    static const char *const quiet[] = {"MILLPOND_CHECK_TEXT=no", NULL};
    static const char *const off[] = {"MILLPOND_CHECK=0", NULL};
    static const char *const bad[] = {"MILLPOND_CHECK_RULES=memory.leek",
                                      "MILLPOND_CHECK_LEAKS=perhaps",
                                      "MILLPOND_CHECK_COLOUR=blue",
                                      "MILLPOND_CHECK_FINDINGS=/no/such/folder/file", NULL};
    int status;

    if (part() != NULL) {
        return strcmp(part(), "forks") == 0  ? forks()
               : strcmp(part(), "late") == 0 ? late()
                                             : clean();
    }

    /* With a file of findings whoever reads that says how it was. */
    status = play("clean", NULL);
    LEFT(status, 7);
    EQ_STR(said, "");
    HAS(found, ",\"begin\":{");
    HAS(found, "\"version\":");
    HAS(found, ",\"times\":[]}");
    HAS(found, ",\"end\":{");
    TIMES(found, "\n", 3);

    /* Without one a line on stderr does. */
    status = play("clean", alone);
    LEFT(status, 7);
    HAS(said, "millpond check: no findings\n");

    /* A mistake is told on stderr and in the file, or in the file alone. */
    status = play("wrong", NULL);
    LEFT(status, 7);
    TIMES(said, "memory.double-free", 1);
    TIMES(found, "\"memory.double-free\"", 1);
    status = play("wrong", quiet);
    LEFT(status, 7);
    EQ_STR(said, "");
    TIMES(found, "\"memory.double-free\"", 1);
    status = play("wrong", alone);
    LEFT(status, 7);
    HAS(said, "millpond check: 1 error");

    status = play("clean", off);
    LEFT(status, 7);
    EQ_STR(said, "");
    EQ_STR(found, "");

    /* What cannot be understood is said, and the program runs. */
    status = play("clean", bad);
    LEFT(status, 7);
    HAS(said, "memory.leek");
    HAS(said, "'perhaps'");
    HAS(said, "'blue'");
    HAS(said, "cannot write findings to /no/such/folder/file");
    HAS(said, "no findings");

    status = play("forks", NULL);
    LEFT(status, 0);
    TIMES(found, ",\"end\":{", 1);

    status = play("late", alone);
    LEFT(status, 0);
    HAS(records, "freed");
    HAS(said, "millpond check: no findings\n");
    return 0;
}
