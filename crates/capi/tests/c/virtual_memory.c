/* Can an allocator grow one segment in place? It reserves many addresses, maps
 * pieces one behind another, copies across their borders, gives pieces back and
 * maps them elsewhere, where their bytes still are. */
#include "vmm.h"

#define SEGMENT (1 * GIB)
#define SMALL (2 * MIB)
#define LARGE (20 * MIB)

int main(void)
{
    aclrtStream stream = NULL;
    aclrtDrvMemHandle small[3], large, again = NULL;
    aclrtPhysicalMemProp prop = on_device(0), told;
    aclrtPtrAttributes attributes;
    aclrtRunMode mode;
    void *base = NULL, *block = NULL, *staging = NULL;
    char *segment, *other;
    size_t granularity = 0, size = 0, before, i;

    OPEN_DEVICE();
    OK(aclrtGetRunMode(&mode));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity));
    EQ(granularity, SMALL);
    OK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &granularity));
    EQ(granularity, SMALL);

    /* Addresses cost nothing, pieces what they are. */
    before = free_memory();
    segment = reserve(SEGMENT);
    EQ(free_memory(), before);
    for (i = 0; i < 3; i++) {
        small[i] = physical(0, SMALL);
    }
    large = physical(0, LARGE);
    EQ(free_memory(), before - 3 * SMALL - LARGE);
    OK(aclrtMemGetAllocationPropertiesFromHandle(large, &told));
    EQ(told.handleType, prop.handleType);
    EQ(told.allocationType, prop.allocationType);
    EQ(told.memAttr, prop.memAttr);
    EQ(told.location.type, prop.location.type);
    EQ(told.location.id, prop.location.id);

    /* Grow: one behind another. */
    for (i = 0; i < 3; i++) {
        OK(aclrtMapMem(segment + i * SMALL, SMALL, 0, small[i], 0));
    }
    OK(aclrtMapMem(segment + 3 * SMALL, LARGE, 0, large, 0));
    OK(aclrtPointerGetAttributes(segment + 3 * SMALL + 77, &attributes));
    EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EQ(attributes.location.id, 0);
    EQ(attributes.pageSize, SMALL);
    OK(aclrtPointerGetAttributes(segment + SEGMENT / 2, &attributes));
    EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    OK(aclrtMemGetAddressRange(segment + SMALL + 5, &base, &size));
    EQ_PTR(base, segment + SMALL);
    EQ(size, SMALL);

    /* At once and in stream order, across all borders. */
    OK(aclrtMemset(segment, SEGMENT, 0x11, 3 * SMALL + LARGE));
    EQ(value_of(segment, 3 * SMALL + LARGE), 0x11);
    OK(aclrtMemsetAsync(segment + SMALL - 100, SEGMENT, 0x22, SMALL + 200, stream));
    OK(aclrtMemsetD32(segment + 2 * SMALL + 100, SMALL, 0x33333333, 25));
    OK(aclrtMallocAlign32(&block, LARGE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&staging, LARGE));
    memset(staging, 0x44, LARGE);
    OK(aclrtMemcpyAsync(block, LARGE, staging, LARGE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtMemcpyAsync(segment + 2 * SMALL + MIB, LARGE, block, LARGE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    OK(aclrtMemcpy2dAsync(staging, 64, segment + SMALL - 128, 256, 64, 16, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(value_of(segment, SMALL - 100), 0x11);
    EQ(value_of(segment + SMALL - 100, SMALL + 200), 0x22);
    EQ(value_of(segment + 2 * SMALL + 100, 100), 0x33);
    EQ(value_of(segment + 2 * SMALL + 200, MIB - 200), 0x11);
    EQ(value_of(segment + 2 * SMALL + MIB, LARGE), 0x44);
    EQ(((unsigned char *)staging)[27], 0x11);
    EQ(((unsigned char *)staging)[28], 0x22);
    EQ(((unsigned char *)staging)[64], 0x22);
    OK(aclrtMemFlush(segment, 3 * SMALL));

    /* Give the middle back and put it elsewhere: the bytes go along. */
    OK(aclrtUnmapMem(segment + SMALL));
    other = reserve(64 * MIB);
    OK(aclrtMapMem(other + LARGE, SMALL, 0, small[1], 0));
    EQ(value_of(other + LARGE, SMALL), 0x22);
    FAILS(aclrtMemset(segment, SEGMENT, 0, 3 * SMALL));
    MENTIONS("mapped");
    /* The hole takes another piece. */
    OK(aclrtMapMem(segment + SMALL, SMALL, 0, small[0], 0));
    EQ(value_of(segment + SMALL, 100), 0x11);
    OK(aclrtMemset(segment, 100, 0x55, 100));
    EQ(value_of(segment + SMALL, 100), 0x55);

    /* Handles are counted; memory that is mapped stays. */
    OK(aclrtMemRetainAllocationHandle(segment + SMALL + 99, &again));
    EQ_PTR(again, small[0]);
    OK(aclrtFreePhysical(small[0]));
    OK(aclrtFreePhysical(again));
    FAILS(aclrtFreePhysical(small[0]));
    OK(aclrtFreePhysical(small[1]));
    OK(aclrtFreePhysical(small[2]));
    OK(aclrtFreePhysical(large));
    EQ(value_of(segment + SMALL, 100), 0x55);
    EQ(free_memory(), before - 3 * SMALL - LARGE - LARGE);
    OK(aclrtMemRetainAllocationHandle(other + LARGE, &again));
    OK(aclrtMemGetAllocationPropertiesFromHandle(again, &told));
    EQ(told.memAttr, ACL_HBM_MEM_HUGE);

    if (mode == ACL_DEVICE) {
        EQ((unsigned char)segment[SMALL], 0x55);
        segment[SMALL] = 0x66;
        EQ(value_of(segment, 1), 0x66);
    }

    FAILS(aclrtReleaseMemAddress(segment));
    for (i = 0; i < 3; i++) {
        OK(aclrtUnmapMem(segment + i * SMALL));
    }
    OK(aclrtUnmapMem(segment + 3 * SMALL));
    OK(aclrtUnmapMem(other + LARGE));
    OK(aclrtReleaseMemAddress(segment));
    OK(aclrtReleaseMemAddress(other));
    EQ(free_memory(), before - SMALL - LARGE);
    OK(aclrtFreePhysical(again));
    EQ(free_memory(), before - LARGE);
    OK(aclrtFree(block));
    OK(aclrtFreeHost(staging));

    /* A reset ends what is left: memory and mappings, not the addresses. */
    segment = reserve(SEGMENT);
    large = physical(0, LARGE);
    /* What the freed block leaves behind is no obstacle. */
    EQ(free_memory(), before - LARGE);
    OK(aclrtMapMem(segment, LARGE, 0, large, 0));
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
    EQ(free_memory(), before);
    FAILS(aclrtMapMem(segment, LARGE, 0, large, 0));
    FAILS(aclrtUnmapMem(segment));
    OK(aclrtFreePhysical(large));
    OK(aclrtReleaseMemAddress(segment));
    CLOSE_DEVICE();
    return 0;
}
