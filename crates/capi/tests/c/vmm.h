/* Short forms for programs about virtual memory. */
#ifndef MILLPOND_TESTS_VMM_H
#define MILLPOND_TESTS_VMM_H

#include "check.h"

/* What an allocator asks for: memory of a device on huge pages. */
static inline aclrtPhysicalMemProp on_device(uint32_t device)
{
    aclrtPhysicalMemProp prop;
    memset(&prop, 0, sizeof prop);
    prop.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    prop.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    prop.memAttr = ACL_HBM_MEM_HUGE;
    prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    prop.location.id = device;
    return prop;
}

static inline char *reserve(size_t size)
{
    void *start = NULL;
    OK(aclrtReserveMemAddress(&start, size, 0, NULL, 1));
    CHECK(start != NULL);
    EQ((uintptr_t)start % (2 * MIB), 0);
    return start;
}

static inline aclrtDrvMemHandle physical(uint32_t device, size_t size)
{
    aclrtPhysicalMemProp prop = on_device(device);
    aclrtDrvMemHandle handle = NULL;
    OK(aclrtMallocPhysical(&handle, size, &prop, 0));
    CHECK(handle != NULL);
    return handle;
}

static inline size_t free_memory(void)
{
    size_t free_now = 0, total = 0;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_now, &total));
    return free_now;
}

/* The one value of all bytes of a range on a device. */
static inline int value_of(const void *start, size_t size)
{
    unsigned char *bytes = malloc(size);
    int value;
    OK(aclrtMemcpy(bytes, size, start, size, ACL_MEMCPY_DEVICE_TO_HOST));
    value = bytes[0];
    EQ(memcmp(bytes, bytes + 1, size - 1), 0);
    free(bytes);
    return value;
}

#endif
