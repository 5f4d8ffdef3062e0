/* Can a program check itself? It begins, makes mistakes, and reads what was found. */
#include "check.h"
#include <millpond/check.h>

static size_t count(millpondCheckSeverity least)
{
    size_t found = 99;
    OK(millpondCheckCount(least, &found));
    return found;
}

static void __attribute__((noinline)) frees_twice(void)
{
    void *block = NULL;
    OK(aclrtMalloc(&block, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(block, 100, 1, 100));
    OK(aclrtFree(block));
    CHECK(aclrtFree(block) != 0);
}

static void writes_behind(void)
{
    char *block = NULL;
    OK(aclrtMallocHost((void **)&block, 128));
    memset(block, 1, 129);
    OK(aclrtFreeHost(block));
}

static void reads(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "r");
    size_t got;
    CHECK(file != NULL);
    got = fread(text, 1, room - 1, file);
    text[got] = '\0';
    fclose(file);
    unlink(path);
}

static void is_refused_where_it_should_be(void)
{
    millpondCheckOptions options;
    millpondCheckFinding finding;
    size_t found;

    memset(&options, 0, sizeof options);
    memset(&finding, 0, sizeof finding);
    finding.structSize = sizeof finding;
    CODE(millpondCheckEnd(), ACL_ERROR_UNINITIALIZE);
    CODE(millpondCheckCount(MILLPOND_CHECK_HINT, &found), ACL_ERROR_UNINITIALIZE);
    CODE(millpondCheckGet(0, &finding), ACL_ERROR_UNINITIALIZE);
    CODE(millpondCheckReport(MILLPOND_CHECK_TEXT, NULL), ACL_ERROR_UNINITIALIZE);
    FAILS(millpondCheckBegin(&options));
    MENTIONS("structSize");
    options.structSize = sizeof options;
    options.stacks = 257;
    FAILS(millpondCheckBegin(&options));
    MENTIONS("stacks");
    options.stacks = 0;
    options.rules = "memory.leek";
    FAILS(millpondCheckBegin(&options));
    MENTIONS("memory.leak");
}

int main(void)
{
    static char text[1 << 20];
    millpondCheckOptions options;
    millpondCheckFinding finding;
    char path[64];
    size_t i;

    snprintf(path, sizeof path, "/tmp/check_api.%d", (int)getpid());
    is_refused_where_it_should_be();
    OK(millpondCheckBegin(NULL));
    CODE(millpondCheckBegin(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    OPEN_DEVICE();
    EQ(count(MILLPOND_CHECK_WARNING), 0);

    for (i = 0; i < 3; i++) {
        frees_twice();
    }
    EQ(count(MILLPOND_CHECK_ERROR), 1);
    writes_behind();
    EQ(count(MILLPOND_CHECK_ERROR), 2);

    memset(&finding, 0, sizeof finding);
    FAILS(millpondCheckGet(0, &finding));
    MENTIONS("structSize");
    finding.structSize = sizeof finding;
    OK(millpondCheckGet(0, &finding));
    EQ_STR(finding.rule, "memory.double-free");
    EQ(finding.severity, MILLPOND_CHECK_ERROR);
    EQ(finding.times, 3);
    EQ_STR(finding.call, "aclrtFree");
    EQ_STR(finding.function, "frees_twice");
    CHECK(strstr(finding.file, "check_api.c") != NULL);
    EQ(finding.line, 18);
    CHECK(strstr(finding.text, "allocated by aclrtMalloc in frees_twice") != NULL);
    CHECK(strstr(finding.message, "freed") != NULL);
    OK(millpondCheckGet(1, &finding));
    EQ_STR(finding.rule, "memory.guard");
    FAILS(millpondCheckGet(2, &finding));
    FAILS(millpondCheckCount(7, &i));
    FAILS(millpondCheckCount(MILLPOND_CHECK_HINT, NULL));
    FAILS(millpondCheckGet(0, NULL));

    CLOSE_DEVICE();
    OK(millpondCheckEnd());
    CODE(millpondCheckEnd(), ACL_ERROR_UNINITIALIZE);
    /* What comes after the end does not count, and what was found stays. */
    OK(aclrtSetDevice(0));
    frees_twice();
    EQ(count(MILLPOND_CHECK_ERROR), 2);
    OK(millpondCheckGet(0, &finding));
    EQ(finding.times, 3);

    OK(millpondCheckReport(MILLPOND_CHECK_JSON, path));
    reads(path, text, sizeof text);
    CHECK(strstr(text, "\"findings\"") != NULL);
    CHECK(strstr(text, "memory.guard") != NULL);
    for (i = MILLPOND_CHECK_TEXT; i <= MILLPOND_CHECK_HTML; i++) {
        OK(millpondCheckReport((millpondCheckFormat)i, path));
        reads(path, text, sizeof text);
        CHECK(strstr(text, "memory.double-free") != NULL);
    }
    FAILS(millpondCheckReport(MILLPOND_CHECK_TEXT, "/no/such/folder/report"));
    FAILS(millpondCheckReport((millpondCheckFormat)9, NULL));

    /* A second time, with some of the rules. */
    memset(&options, 0, sizeof options);
    options.structSize = sizeof options;
    options.rules = "memory.guard";
    OK(millpondCheckBegin(&options));
    EQ(count(MILLPOND_CHECK_HINT), 0);
    frees_twice();
    writes_behind();
    OK(millpondCheckEnd());
    EQ(count(MILLPOND_CHECK_HINT), 1);
    return 0;
}
