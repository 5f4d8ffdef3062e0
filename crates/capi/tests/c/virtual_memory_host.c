/* Who may touch what is mapped? The program faults on memory of a device, before
 * it is mapped, while it is and after, until it asks for access. Memory of the
 * host is its own, and copies take it like what aclrtMallocHost gives. The memory
 * of a GPU it never touches, so asking is refused. */
#include "vmm.h"
#include <setjmp.h>
#include <signal.h>

#define SIZE (2 * MIB)

static sigjmp_buf back;
static volatile sig_atomic_t caught;

static void on_fault(int number)
{
    caught = number;
    siglongjmp(back, 1);
}

static int on_gpu(void)
{
    const char *device = getenv("MILLPOND_DEVICE");
    return device != NULL && strncmp(device, "cuda", 4) == 0;
}

static int faults(volatile char *address)
{
    caught = 0;
    if (sigsetjmp(back, 1) == 0) {
        *address = *address;
    }
    return caught != 0;
}

int main(void)
{
    aclrtPhysicalMemProp prop = on_device(0);
    aclrtMemAccessDesc access;
    aclrtPtrAttributes attributes;
    aclrtDrvMemHandle piece = NULL, host = NULL;
    aclrtStream stream = NULL;
    struct sigaction action;
    char *range, *pinned;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_fault;
    sigemptyset(&action.sa_mask);
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    CHECK(sigaction(SIGBUS, &action, NULL) == 0);

    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));

    range = reserve(4 * SIZE);
    CHECK(faults(range));
    piece = physical(0, SIZE);
    OK(aclrtMapMem(range, SIZE, 0, piece, 0));
    OK(aclrtMemset(range, SIZE, 0x12, SIZE));
    CHECK(faults(range));
    CHECK(faults(range + SIZE - 1));
    memset(&access, 0, sizeof access);
    access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    access.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    if (on_gpu()) {
        CODE(aclrtMemSetAccess(range, SIZE, &access, 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        MENTIONS("cannot touch");
        CHECK(faults(range));
    } else {
        OK(aclrtMemSetAccess(range, SIZE, &access, 1));
        CHECK(!faults(range));
        EQ(range[SIZE - 1], 0x12);
        range[7] = 0x13;
        EQ(value_of(range + 7, 1), 0x13);
    }

    /* The host's. */
    prop.memAttr = ACL_DDR_MEM_HUGE;
    prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    OK(aclrtMallocPhysical(&host, SIZE, &prop, 0));
    pinned = reserve(4 * SIZE);
    OK(aclrtMapMem(pinned + SIZE, SIZE, 0, host, 0));
    OK(aclrtPointerGetAttributes(pinned + SIZE, &attributes));
    EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    CHECK(faults(pinned));
    memset(pinned + SIZE, 0x44, SIZE);
    OK(aclrtMemcpyAsync(range, SIZE, pinned + SIZE, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtMemsetAsync(range, SIZE, 0x45, 1, stream));
    OK(aclrtMemcpyAsync(pinned + SIZE, SIZE, range, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(pinned[SIZE], 0x45);
    EQ(pinned[SIZE + 1], 0x44);
    EQ(value_of(range + 1, SIZE - 1), 0x44);

    OK(aclrtUnmapMem(range));
    CHECK(faults(range));
    OK(aclrtUnmapMem(pinned + SIZE));
    CHECK(faults(pinned + SIZE));
    OK(aclrtFreePhysical(piece));
    OK(aclrtFreePhysical(host));
    OK(aclrtReleaseMemAddress(range));
    OK(aclrtReleaseMemAddress(pinned));
    OK(aclrtDestroyStream(stream));
    CLOSE_DEVICE();
    return 0;
}
