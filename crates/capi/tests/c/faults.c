/* Does MILLPOND_FAULT make exactly the calls fail that it names? They answer the
 * code, say why, and do nothing else; all others work. */
#include "check.h"

int main(void)
{
    void *p[5] = {NULL};
    const aclError fails = ACL_ERROR_RT_MEMORY_ALLOCATION;

    /* The first call of all is one of them. */
    CODE(aclInit(NULL), ACL_ERROR_RT_INTERNAL_ERROR);
    MENTIONS("injected by the rule 'aclInit:nth=1'");
    OPEN_DEVICE();

    /* Also where a block of that size is at hand. */
    for (int i = 0; i < 5; i++) {
        aclError code = aclrtMalloc(&p[i], 64, ACL_MEM_MALLOC_HUGE_FIRST);
        EQ(code, i == 2 ? fails : ACL_SUCCESS);
        CHECK((p[i] == NULL) == (i == 2));
        if (i == 2) {
            CHECK(check_fetch_text());
            MENTIONS("injected by the rule");
            EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), fails);
        }
    }
    /* Every second one, and what it was to free is still there. */
    OK(aclrtFree(p[0]));
    CODE(aclrtFree(p[1]), ACL_ERROR_RT_INTERNAL_ERROR);
    OK(aclrtFree(p[1]));
    CODE(aclrtFree(p[3]), ACL_ERROR_RT_INTERNAL_ERROR);
    OK(aclrtFree(p[3]));
    CHECK(aclCreateDataBuffer(NULL, 0) == NULL);
    aclDataBuffer *buffer = aclCreateDataBuffer(NULL, 0);
    CHECK(buffer != NULL);
    OK(aclDestroyDataBuffer(buffer));
    OK(aclFinalize());
    return 0;
}
