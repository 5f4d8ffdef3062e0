/* Does a binding's provider give the stacks of its own calls, and only while somebody wants them? Do faults
 * that a program sets begin and end when it says so? */
#include "check.h"

#include <millpond/binding.h>
#include <millpond/check.h>

static int asked;

static size_t frames(millpondFrame *place, size_t room)
{
    asked++;
    CHECK(room == 8);
    place[0].function = "Pool.take";
    place[0].file = "pool.lang";
    place[0].line = 42;
    place[1].function = "main";
    place[1].file = "main.lang";
    place[1].line = 7;
    return 2;
}

int main(void)
{
    void *p = NULL;
    size_t found = 0;
    millpondCheckFinding finding = {0};

    OK(millpondSetFrameProvider(frames));
    EQ(millpondFramesWanted(), 0);
    OK(aclInit(NULL));
    EQ(asked, 0);

    OK(millpondCheckBegin(NULL));
    EQ(millpondFramesWanted(), 8);
    OK(aclrtSetDevice(0));
    CHECK(asked > 0);
    OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(p, 64, 0, 64));
    OK(aclrtFree(p));
    CHECK(aclrtFree(p) != ACL_SUCCESS);
    OK(millpondCheckCount(MILLPOND_CHECK_ERROR, &found));
    EQ(found, 1);
    finding.structSize = sizeof finding;
    OK(millpondCheckGet(0, &finding));
    CHECK(strcmp(finding.rule, "memory.double-free") == 0);
    CHECK(strcmp(finding.function, "Pool.take") == 0);
    CHECK(strcmp(finding.file, "pool.lang") == 0);
    EQ(finding.line, 42);
    CHECK(strstr(finding.text, "main.lang:7") != NULL);

    /* Without it the stacks are those of C again. */
    OK(millpondSetFrameProvider(NULL));
    asked = 0;
    CHECK(aclrtFree(p) != ACL_SUCCESS);
    EQ(asked, 0);
    OK(millpondCheckEnd());
    EQ(millpondFramesWanted(), 0);

    OK(millpondSetFaults("aclrtMalloc:nth=2:code=207001"));
    OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtFree(p));
    CODE(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    /* What cannot be understood changes nothing; the same again begins to count anew. */
    CODE(millpondSetFaults("aclrtMalloc:sometimes"), ACL_ERROR_INVALID_PARAM);
    OK(millpondSetFaults("aclrtMalloc:nth=2:code=207001"));
    OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtFree(p));
    OK(millpondSetFaults(NULL));
    OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtFree(p));

    CLOSE_DEVICE();
    return 0;
}
