/* Two mistakes: on an idle machine every test passes, but `millpond check` finds both.
 *
 *     loader:   copy batch in ── record(loaded)
 *                                     ╳  1. the worker does not wait for it
 *     worker:                    copy batch to result ── copy result out
 *
 *     host:     … ── free(batch)   2. while the worker may still read it
 *
 * Run it:  millpond check -- ./two_mistakes
 * Compile it with -DFIXED and run it again: there are no findings.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"

enum { BYTES = 4096 };

int main(void)
{
    aclrtStream loader, worker;
    aclrtEvent loaded;
    void *input, *output, *batch, *result;

    aclInit(NULL);
    aclrtSetDevice(0);
    aclrtCreateStream(&loader);
    aclrtCreateStream(&worker);
    aclrtCreateEventExWithFlag(&loaded, ACL_EVENT_SYNC);
    aclrtMallocHost(&input, BYTES);
    aclrtMallocHost(&output, BYTES);
    aclrtMalloc(&batch, BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&result, BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
    memset(input, 7, BYTES);

    aclrtMemcpyAsync(batch, BYTES, input, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, loader);
    aclrtRecordEvent(loaded, loader);

#ifdef FIXED
    aclrtStreamWaitEvent(worker, loaded);
#endif
    aclrtMemcpyAsync(result, BYTES, batch, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, worker);
    aclrtMemcpyAsync(output, BYTES, result, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, worker);

#ifdef FIXED
    aclrtSynchronizeStream(worker);
#endif
    aclrtFree(batch);

    aclrtSynchronizeDevice();
    printf("the first byte is %d\n", *(uint8_t *)output);

    aclrtFree(result);
    aclrtFreeHost(output);
    aclrtFreeHost(input);
    aclrtDestroyEvent(loaded);
    aclrtDestroyStream(worker);
    aclrtDestroyStream(loader);
    aclrtResetDevice(0);
    aclFinalize();
    return 0;
}
