/* A stream-ordered pool: memory moves from one stream to another through an event.
 *
 *     first:   allocate ── fill ── free ── record(past)
 *                                                │
 *     second:        allocate (another block)    wait(past) ── allocate (the same block) ── fill ── free
 *
 * The host never waits in between: the free is only queued when the second stream gets the memory.
 * Without ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES the pool would allocate new memory instead.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"

/* Exits at the first failing call and prints the call, its code and the reason. */
#define CHECK(call)                                                                          \
    do {                                                                                     \
        aclError code_ = (call);                                                             \
        if (code_ != ACL_SUCCESS) {                                                          \
            const char *why_ = aclGetRecentErrMsg();                                         \
            fprintf(stderr, "line %d: %s returned %d: %s\n", __LINE__, #call, (int)code_,    \
                    why_ != NULL ? why_ : "no message");                                     \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

int main(void)
{
    const size_t bytes = 2 << 20; /* a whole page: a smaller block might fit beside the second stream's other block */
    const aclrtMemPoolProps props = {
        .allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
        .handleType = ACL_MEM_HANDLE_TYPE_NONE,
        .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE},
        .maxSize = 64 << 20,
    };
    uint32_t on = 1;
    uint64_t used = 0;
    aclrtMemPool pool;
    aclrtStream first, second;
    aclrtEvent past;
    void *one, *early, *late;

    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&first));
    CHECK(aclrtCreateStream(&second));
    CHECK(aclrtCreateEventExWithFlag(&past, ACL_EVENT_SYNC));
    CHECK(aclrtMemPoolCreate(&pool, &props));
    CHECK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, &on));

    CHECK(aclrtMemPoolMallocAsync(&one, bytes, pool, first));
    CHECK(aclrtMemsetAsync(one, bytes, 1, bytes, first));
    CHECK(aclrtMemPoolFreeAsync(one, first));
    CHECK(aclrtRecordEvent(past, first));

    /* Nothing orders the second stream after the first yet. */
    CHECK(aclrtMemPoolMallocAsync(&early, bytes, pool, second));
    CHECK(aclrtStreamWaitEvent(second, past));
    /* From here on its work is ordered after the free. */
    CHECK(aclrtMemPoolMallocAsync(&late, bytes, pool, second));
    CHECK(aclrtMemsetAsync(late, bytes, 2, bytes, second));

    printf("first stream:               %p\n", one);
    printf("second, before the event:   %p\n", early);
    printf("second, after the event:    %p\n", late);
    printf("pool: the second stream got %s block before the event, %s block after it\n",
           early == one ? "the same" : "another", late == one ? "the same" : "another");

    CHECK(aclrtMemPoolFreeAsync(late, second));
    CHECK(aclrtMemPoolFreeAsync(early, second));
    CHECK(aclrtSynchronizeStream(second));
    CHECK(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &used));
    printf("at most %llu bytes used at a time, in whole pages\n", (unsigned long long)used);

    CHECK(aclrtMemPoolDestroy(pool));
    CHECK(aclrtDestroyEvent(past));
    CHECK(aclrtDestroyStream(second));
    CHECK(aclrtDestroyStream(first));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return early != one && late == one ? 0 : 1;
}
