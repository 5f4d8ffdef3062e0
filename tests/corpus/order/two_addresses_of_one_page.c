// rule: stream.race
// wrong: one stream writes a page at one address while another reads it at its second address
#include "vmm.h"

int main(void)
{
    start();
    aclrtStream writer = new_stream(), reader = new_stream();
    aclrtEvent written = new_event();
    char *first = reserve(PAGE), *second = reserve(PAGE);
    aclrtDrvMemHandle page = physical(PAGE);
    char *result = pinned_memory(4096);
    ACL(aclrtMapMem(first, PAGE, 0, page, 0));
    ACL(aclrtMapMem(second, PAGE, 0, page, 0));

    ACL(aclrtMemsetAsync(first + 8192, PAGE - 8192, 6, 4096, writer));
    ACL(aclrtRecordEvent(written, writer));
#ifndef WRONG
    ACL(aclrtStreamWaitEvent(reader, written));
#endif
    ACL(aclrtMemcpyAsync(result, 4096, second + 8192, 4096, ACL_MEMCPY_DEVICE_TO_HOST, reader));
    ACL(aclrtSynchronizeStream(reader));
    ACL(aclrtSynchronizeStream(writer));
    EXPECT(all_bytes(result, 4096, 6));

    ACL(aclrtUnmapMem(second));
    ACL(aclrtUnmapMem(first));
    ACL(aclrtFreePhysical(page));
    ACL(aclrtReleaseMemAddress(second));
    ACL(aclrtReleaseMemAddress(first));
    ACL(aclrtFreeHost(result));
    ACL(aclrtDestroyEvent(written));
    ACL(aclrtDestroyStream(reader));
    ACL(aclrtDestroyStream(writer));
    return finish();
}
