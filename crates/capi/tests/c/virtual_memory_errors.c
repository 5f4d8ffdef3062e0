/* What is refused? Every argument that must not be NULL, zero or something else;
 * ranges that do not fit, overlap or have holes; handles that are gone or another
 * kind's. Nothing is written and nothing changes. Runs with MILLPOND_DEVICES=2. */
#include "vmm.h"

#define SIZE (2 * MIB)
#define MARK ((void *)0x55)

/* The system's pages, or those that the whole test pretends. */
static size_t system_page(void)
{
    const char *pretended = getenv("MILLPOND_TEST_PAGE");

    return pretended ? strtoul(pretended, NULL, 10) : (size_t)sysconf(_SC_PAGESIZE);
}

static void reserving(void)
{
    void *at = MARK, *wish = (void *)(uintptr_t)0x170000000000, *first = NULL;
    int stack = 0;

    CODE(aclrtReserveMemAddress(NULL, SIZE, 0, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtReserveMemAddress(&at, 0, 0, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtReserveMemAddress(&at, SIZE, 4096, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtReserveMemAddress(&at, SIZE, 0, NULL, 2), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtReserveMemAddress(&at, SIZE, 0, (void *)4096, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtReserveMemAddressNoUCMemory(&at, SIZE, 1, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtReserveMemAddress(&at, SIZE_MAX, 0, NULL, 1), ACL_ERROR_RT_MEMORY_ALLOCATION);
    CODE(aclrtReserveMemAddress(&at, (size_t)1 << 60, 0, NULL, 1), ACL_ERROR_RT_MEMORY_ALLOCATION);
    EQ_PTR(at, MARK);

    /* A wish is one: kept if the place is free, else somewhere. */
    OK(aclrtReserveMemAddress(&first, SIZE, 0, wish, 0));
    OK(aclrtReserveMemAddressNoUCMemory(&at, SIZE, 0, wish, 1));
    CHECK(at != first);
    if (!relaxed()) {
        EQ_PTR(first, wish);
    }

    CODE(aclrtReleaseMemAddress(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtReleaseMemAddress(&stack), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtReleaseMemAddress((char *)at + 4096), ACL_ERROR_RT_PARAM_INVALID);
    MENTIONS("start");
    OK(aclrtReleaseMemAddress(at));
    CODE(aclrtReleaseMemAddress(at), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtReleaseMemAddress(first));
}

static void allocating(void)
{
    aclrtPhysicalMemProp good = on_device(0), prop;
    aclrtDrvMemHandle handle = MARK;
    size_t granularity = 77, before = free_memory();
    int attr;

    CODE(aclrtMallocPhysical(NULL, SIZE, &good, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMallocPhysical(&handle, 0, &good, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMallocPhysical(&handle, SIZE, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMallocPhysical(&handle, SIZE, &good, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMallocPhysical(&handle, SIZE + 4096, &good, 0), ACL_ERROR_INVALID_PARAM);
    MENTIONS("multiple");
    CODE(aclrtMallocPhysical(&handle, (size_t)1 << 46, &good, 0), ACL_ERROR_RT_MEMORY_ALLOCATION);
#define WITH(change, code)                                                                   \
    prop = good;                                                                             \
    prop.change;                                                                             \
    CODE(aclrtMallocPhysical(&handle, SIZE, &prop, 0), code);                                \
    CODE(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity), code)
    WITH(handleType = 1, ACL_ERROR_INVALID_PARAM);
    WITH(handleType = ACL_MEM_HANDLE_TYPE_POSIX, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    WITH(allocationType = 1, ACL_ERROR_INVALID_PARAM);
    WITH(memAttr = 18, ACL_ERROR_INVALID_PARAM);
    WITH(memAttr = ACL_DDR_MEM_HUGE, ACL_ERROR_INVALID_PARAM);
    MENTIONS("host");
    WITH(location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED, ACL_ERROR_INVALID_PARAM);
    WITH(location.id = 2, ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtMemGetAllocationGranularity(NULL, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemGetAllocationGranularity(&good, ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &granularity),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemGetAllocationGranularity(&good, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, NULL),
         ACL_ERROR_INVALID_PARAM);
    EQ_PTR(handle, MARK);
    EQ(granularity, 77);
    EQ(free_memory(), before);

    /* Every kind of memory has pages of one size. */
    for (attr = 0; attr <= ACL_MEM_P2P_HUGE1G; attr++) {
        prop = good;
        prop.memAttr = (aclrtMemAttr)attr;
        prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
        OK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity));
        CHECK(granularity == system_page() || granularity == SIZE || granularity == GIB);
    }
}

static void mapping(void)
{
    aclrtDrvMemHandle piece = physical(0, SIZE), foreign = physical(1, SIZE), gone = physical(0, SIZE);
    aclrtMemAccessDesc access;
    aclrtMemLocation place;
    aclrtStream stream = NULL;
    char *range = reserve(4 * SIZE);
    void *base = MARK, *block = NULL;
    aclrtDrvMemHandle handle = MARK;
    size_t size = 77;
    uint64_t flag = 77;
    char bytes[16] = {0};

    OK(aclrtFreePhysical(gone));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMallocAlign32(&block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));

    CODE(aclrtMapMem(NULL, SIZE, 0, piece, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMapMem(range, 0, 0, piece, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMapMem(range, SIZE / 2, 0, piece, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMapMem(range, 2 * SIZE, 0, piece, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMapMem(range, SIZE, 4096, piece, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMapMem(range, SIZE, 0, piece, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMapMem(range, SIZE, 0, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMapMem(range, SIZE, 0, gone, 0), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclrtMapMem(range, SIZE, 0, stream, 0), ACL_ERROR_RT_INVALID_HANDLE);
    MENTIONS("stream");
    CODE(aclrtMapMem(range + 4096, SIZE, 0, piece, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMapMem(range + 4 * SIZE, SIZE, 0, piece, 0), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMapMem(block, SIZE, 0, piece, 0), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemMapNoAccess(range, SIZE, 4096, piece, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtFreePhysical(gone), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclrtFreePhysical(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemGetAllocationPropertiesFromHandle(gone, &(aclrtPhysicalMemProp){0}), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclrtMemGetAllocationPropertiesFromHandle(piece, NULL), ACL_ERROR_INVALID_PARAM);

    /* Nothing is mapped. */
    CODE(aclrtUnmapMem(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtUnmapMem(range), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtUnmapMem(block), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemcpy(bytes, 16, range, 16, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemsetAsync(range, SIZE, 0, SIZE, stream), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemRetainAllocationHandle(range, &handle), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemGetAddressRange(range, &base, &size), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemFlush(range, 16), ACL_ERROR_RT_PARAM_INVALID);

    /* One is. */
    OK(aclrtMapMem(range + SIZE, SIZE, 0, piece, 0));
    CODE(aclrtMapMem(range + SIZE, SIZE, 0, piece, 0), ACL_ERROR_RT_PARAM_INVALID);
    MENTIONS("mapped already");
    CODE(aclrtMapMem(range, SIZE, 0, foreign, 0), ACL_ERROR_RT_PARAM_INVALID);
    MENTIONS("device 1");
    CODE(aclrtUnmapMem(range + SIZE + 4096), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemsetAsync(range + SIZE, 2 * SIZE, 0, SIZE + 1, stream), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemcpy(block, SIZE, range + SIZE + 1, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtReleaseMemAddress(range), ACL_ERROR_RT_PARAM_INVALID);
    MENTIONS("unmap");
    CODE(aclrtFree(range + SIZE), ACL_ERROR_RT_PARAM_INVALID);
    MENTIONS("unmapped");
    CODE(aclrtFreeHost(range + SIZE), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemRetainAllocationHandle(NULL, &handle), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemRetainAllocationHandle(range + SIZE, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemGetAddressRange(NULL, &base, &size), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemGetAddressRange(range + SIZE, NULL, &size), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemGetAddressRange(range + SIZE, &base, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemGetAddressRange(bytes, &base, &size), ACL_ERROR_RT_PARAM_INVALID);
    EQ_PTR(handle, MARK);
    EQ_PTR(base, MARK);
    EQ(size, 77);

    /* Access. */
    memset(&access, 0, sizeof access);
    access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    access.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    place = access.location;
    CODE(aclrtMemSetAccess(NULL, SIZE, &access, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemSetAccess(range + SIZE, 0, &access, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemSetAccess(range + SIZE, SIZE, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemSetAccess(range + SIZE, SIZE, &access, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemSetAccess(range + SIZE, SIZE, &access, 2), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemSetAccess(range, 2 * SIZE, &access, 1), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemSetAccess(range + SIZE, SIZE / 2, &access, 1), ACL_ERROR_RT_PARAM_INVALID);
    access.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
    CODE(aclrtMemSetAccess(range + SIZE, SIZE, &access, 1), ACL_ERROR_INVALID_PARAM);
    access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    access.location.id = 9;
    CODE(aclrtMemSetAccess(range + SIZE, SIZE, &access, 1), ACL_ERROR_RT_INVALID_DEVICEID);
    access.location.type = ACL_MEM_LOCATION_TYPE_MANAGED;
    CODE(aclrtMemSetAccess(range + SIZE, SIZE, &access, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemGetAccess(NULL, &place, &flag), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemGetAccess(range + SIZE, NULL, &flag), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemGetAccess(range + SIZE, &place, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemGetAccess(range, &place, &flag), ACL_ERROR_RT_PARAM_INVALID);
    EQ(flag, 77);
    OK(aclrtMemGetAccess(range + SIZE, &place, &flag));
    EQ(flag, ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
    place.id = 1;
    OK(aclrtMemGetAccess(range + SIZE, &place, &flag));
    EQ(flag, ACL_RT_MEM_ACCESS_FLAGS_NONE);

    OK(aclrtUnmapMem(range + SIZE));
    CODE(aclrtUnmapMem(range + SIZE), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtMemMapNoAccess(range + SIZE, SIZE, 0, piece, 0));
    CODE(aclrtMemset(range + SIZE, SIZE, 0, 1), ACL_ERROR_RT_PARAM_INVALID);
    MENTIONS("access");
    access.location = place;
    OK(aclrtMemSetAccess(range + SIZE, SIZE, &access, 1));
    OK(aclrtMemset(range + SIZE, SIZE, 0, 1));
    OK(aclrtMemGetAccess(range + SIZE, &place, &flag));
    EQ(flag, ACL_RT_MEM_ACCESS_FLAGS_READWRITE);

    OK(aclrtUnmapMem(range + SIZE));
    OK(aclrtReleaseMemAddress(range));
    CODE(aclrtMapMem(range, SIZE, 0, piece, 0), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtFreePhysical(piece));
    OK(aclrtFreePhysical(foreign));
    OK(aclrtFree(block));
    OK(aclrtDestroyStream(stream));
}

int main(void)
{
    aclrtDrvMemHandle handle = MARK;
    aclrtPhysicalMemProp prop = on_device(0);
    void *at = MARK;

    OK(aclInit(NULL));
    CODE(aclrtMallocPhysical(&handle, SIZE, &prop, 0), ACL_ERROR_RT_CONTEXT_NULL);
    EQ_PTR(at, MARK);
    EQ_PTR(handle, MARK);
    OK(aclrtSetDevice(0));
    reserving();
    allocating();
    mapping();
    CLOSE_DEVICE();
    return 0;
}
