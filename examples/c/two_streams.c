/* Two streams and one event: the second stream waits for the first; the host does not wait in between.
 *
 *     producer:  copy in ── record(ready)
 *                                  │
 *     consumer:            wait(ready) ── copy on the device ── copy out
 *
 * Without the wait, the consumer could read the block before the producer has written it. Try it:
 * delete the aclrtStreamWaitEvent line and run `millpond run --schedule latest -- ./two_streams`.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"

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

enum { COUNT = 1024 };

int main(void)
{
    const size_t bytes = COUNT * sizeof(int32_t);
    aclrtStream producer, consumer;
    aclrtEvent ready;
    void *input, *output, *shared, *copy;

    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&producer));
    CHECK(aclrtCreateStream(&consumer));
    CHECK(aclrtCreateEventExWithFlag(&ready, ACL_EVENT_SYNC));
    CHECK(aclrtMallocHost(&input, bytes));
    CHECK(aclrtMallocHost(&output, bytes));
    CHECK(aclrtMallocAlign32(&shared, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMallocAlign32(&copy, bytes, ACL_MEM_MALLOC_HUGE_FIRST));

    for (int32_t i = 0; i < COUNT; i++) {
        ((int32_t *)input)[i] = 3 * i;
        ((int32_t *)output)[i] = -1;
    }

    CHECK(aclrtMemcpyAsync(shared, bytes, input, bytes, ACL_MEMCPY_HOST_TO_DEVICE, producer));
    CHECK(aclrtRecordEvent(ready, producer));

    CHECK(aclrtStreamWaitEvent(consumer, ready));
    CHECK(aclrtMemcpyAsync(copy, bytes, shared, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, consumer));
    CHECK(aclrtMemcpyAsync(output, bytes, copy, bytes, ACL_MEMCPY_DEVICE_TO_HOST, consumer));
    CHECK(aclrtSynchronizeStream(consumer));

    int wrong = 0;
    for (int32_t i = 0; i < COUNT; i++) {
        wrong += ((int32_t *)output)[i] != 3 * i;
    }
    printf("two streams: %d of %d values arrived\n", COUNT - wrong, COUNT);

    CHECK(aclrtFree(copy));
    CHECK(aclrtFree(shared));
    CHECK(aclrtFreeHost(output));
    CHECK(aclrtFreeHost(input));
    CHECK(aclrtDestroyEvent(ready));
    CHECK(aclrtDestroyStream(consumer));
    CHECK(aclrtDestroyStream(producer));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return wrong == 0 ? 0 : 1;
}
