/* Copies numbers to the device, within the device and back, all on one stream.
 *
 *     cc first.c -I$ASCEND_HOME_PATH/include -L$ASCEND_HOME_PATH/lib64 -lascendcl -o first
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

enum { COUNT = 256 };

int main(void)
{
    const size_t bytes = COUNT * sizeof(int32_t);
    aclrtStream stream;
    void *host, *first, *second;

    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMallocHost(&host, bytes));
    CHECK(aclrtMallocAlign32(&first, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMallocAlign32(&second, bytes, ACL_MEM_MALLOC_HUGE_FIRST));

    int32_t *numbers = host;
    for (int32_t i = 0; i < COUNT; i++) {
        numbers[i] = i;
    }

    /* These four calls return immediately. The stream runs them later, in this order. */
    CHECK(aclrtMemcpyAsync(first, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(aclrtMemcpyAsync(second, bytes, first, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    CHECK(aclrtMemsetAsync(second, bytes, 0, bytes / 2, stream));
    CHECK(aclrtMemcpyAsync(host, bytes, second, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(aclrtSynchronizeStream(stream));

    int64_t sum = 0;
    for (int32_t i = 0; i < COUNT; i++) {
        sum += numbers[i];
    }
    printf("device %s: the second half of 0..%d adds up to %lld\n", aclrtGetSocName(), COUNT - 1,
           (long long)sum);

    CHECK(aclrtFree(second));
    CHECK(aclrtFree(first));
    CHECK(aclrtFreeHost(host));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return sum == 24512 ? 0 : 1;
}
