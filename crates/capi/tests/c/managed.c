/* Memory that the program and the device use at one address; advice on it, and what is asked back. */
#include "gate.h"

#define PAGE ((size_t)2 * MIB)

static aclrtStream stream;

static aclrtMemManagedLocation at(aclrtMemManagedLocationType type, int32_t id)
{
    aclrtMemManagedLocation place;
    place.type = type;
    place.id = id;
    return place;
}

static int32_t asked(aclrtMemManagedRangeAttribute attribute, const void *ptr, size_t size)
{
    int32_t value = 77;
    OK(aclrtMemManagedGetAttr(attribute, ptr, size, &value, sizeof value));
    return value;
}

static void is_used_by_both(void)
{
    unsigned char *shared, *device;
    aclrtPtrAttributes attributes;
    size_t before, after, total, i;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    OK(aclrtMemAllocManaged((void **)&shared, 3 * MIB, ACL_RT_MEM_ATTACH_GLOBAL));
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    CHECK(before - after >= 2 * PAGE);
    OK(aclrtPointerGetAttributes(shared + 5, &attributes));
    EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_MANAGED);
    EQ(attributes.location.id, 0);
    EQ(attributes.pageSize, PAGE);

    /* The host writes, the device copies, the host reads. */
    for (i = 0; i < 3 * MIB; i++) {
        shared[i] = (unsigned char)(i % 251);
    }
    OK(aclrtMalloc((void **)&device, 3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpyAsync(device, 3 * MIB, shared, 3 * MIB, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    /* What the host has written counts as written, wherever the device reads it. */
    OK(aclrtReduceAsync(shared, shared + MIB, MIB, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8, stream, NULL));
    OK(aclrtSynchronizeStream(stream));
    EQ(shared[0], MIB % 251);
    OK(aclrtMemsetAsync(shared, 3 * MIB, 9, 1 * MIB, stream));
    OK(aclrtMemcpyAsync(shared + 2 * MIB, 1 * MIB, device, 1 * MIB, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(shared[0], 9);
    EQ(shared[1 * MIB - 1], 9);
    EQ(shared[1 * MIB], (1 * MIB) % 251);
    EQ(shared[2 * MIB + 7], 7);
    OK(aclrtFree(device));
    OK(aclrtFree(shared));
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    EQ(after, before);
    FAILS(aclrtFree(shared));
}

static void remembers_advice(void)
{
    unsigned char *shared;
    int32_t places[4], numbers[2];
    void *results[2];
    size_t sizes[2];
    aclrtMemManagedRangeAttribute asks[2];
    const void *ranges[2];
    size_t lengths[2] = {PAGE, PAGE}, begins[2] = {0, 1};
    aclrtMemManagedLocation where[2];
    OK(aclrtMemAllocManaged((void **)&shared, 4 * PAGE, ACL_RT_MEM_ATTACH_GLOBAL));
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, shared, 4 * PAGE), 0);
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, shared, 4 * PAGE), -2);
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, shared, 4 * PAGE), ACL_MEM_LOCATIONTYPE_INVALID);
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, shared, 4 * PAGE), -2);

    OK(aclrtMemManagedAdvise(shared + PAGE, 2 * PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, at(ACL_MEM_LOCATIONTYPE_INVALID, 0)));
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, shared, 4 * PAGE), 0);
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, shared + PAGE, 2 * PAGE), 1);
    OK(aclrtMemManagedAdvise(shared + PAGE, PAGE, ACL_MEM_ADVISE_UNSET_READ_MOSTLY, at(ACL_MEM_LOCATIONTYPE_INVALID, 0)));
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, shared + PAGE, 2 * PAGE), 0);
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, shared + 2 * PAGE, PAGE), 1);

    OK(aclrtMemManagedAdvise(shared, 4 * PAGE, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, at(ACL_MEM_LOCATIONTYPE_DEVICE, 1)));
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, shared, 4 * PAGE), 1);
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, shared, 4 * PAGE), ACL_MEM_LOCATIONTYPE_DEVICE);
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID, shared, 4 * PAGE), 1);
    OK(aclrtMemManagedAdvise(shared, PAGE, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, at(ACL_MEM_LOCATIONTYPE_HOST, 5)));
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, shared, 4 * PAGE), -2);
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, shared, 1), -1);
    OK(aclrtMemManagedAdvise(shared, PAGE, ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION, at(ACL_MEM_LOCATIONTYPE_HOST, 0)));
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, shared, PAGE), -2);

    OK(aclrtMemManagedAdvise(shared, 4 * PAGE, ACL_MEM_ADVISE_SET_ACCESSED_BY, at(ACL_MEM_LOCATIONTYPE_DEVICE, 0)));
    OK(aclrtMemManagedAdvise(shared, 4 * PAGE, ACL_MEM_ADVISE_SET_ACCESSED_BY, at(ACL_MEM_LOCATIONTYPE_DEVICE, 1)));
    OK(aclrtMemManagedAdvise(shared, 2 * PAGE, ACL_MEM_ADVISE_SET_ACCESSED_BY, at(ACL_MEM_LOCATIONTYPE_HOST, 0)));
    OK(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, shared, 4 * PAGE, places, sizeof places));
    EQ(places[0], 0);
    EQ(places[1], 1);
    EQ(places[2], -2);
    EQ(places[3], -2);
    OK(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, shared, PAGE, places, sizeof places));
    EQ(places[2], -1);
    OK(aclrtMemManagedAdvise(shared, 4 * PAGE, ACL_MEM_ADVISE_UNSET_ACCESSED_BY, at(ACL_MEM_LOCATIONTYPE_DEVICE, 0)));
    OK(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, shared, 4 * PAGE, places, 4));
    EQ(places[0], 1);

    OK(aclrtMemManagedPrefetchAsync(shared, 4 * PAGE, at(ACL_MEM_LOCATIONTYPE_DEVICE, 0), 0, stream));
    ranges[0] = shared;
    ranges[1] = shared + PAGE;
    where[0] = at(ACL_MEM_LOCATIONTYPE_HOST, 0);
    where[1] = at(ACL_MEM_LOCATIONTYPE_HOST_NUMA, 3);
    OK(aclrtMemManagedPrefetchBatchAsync(ranges, lengths, 2, where, begins, 2, 0, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, shared, PAGE), -1);
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, shared + PAGE, PAGE), 3);
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, shared + PAGE, PAGE), ACL_MEM_LOCATIONTYPE_HOST_NUMA);
    EQ(asked(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID, shared + 2 * PAGE, 2 * PAGE), 0);

    asks[0] = ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
    asks[1] = ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
    results[0] = numbers;
    results[1] = numbers + 1;
    sizes[0] = sizes[1] = 4;
    OK(aclrtMemManagedGetAttrs(asks, 2, shared + 2 * PAGE, PAGE, results, sizes));
    EQ(numbers[0], 0);
    EQ(numbers[1], 1);

    /* What is refused. */
    sizes[1] = 3;
    CODE(aclrtMemManagedGetAttrs(asks, 2, shared, PAGE, results, sizes), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemManagedGetAttrs(asks, 0, shared, PAGE, results, sizes), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, shared, PAGE, numbers, 8), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, shared, PAGE, numbers, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemManagedGetAttr((aclrtMemManagedRangeAttribute)9, shared, PAGE, numbers, 4), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, shared, PAGE, NULL, 4), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, shared, 5 * PAGE, numbers, 4), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemManagedAdvise(NULL, PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, where[0]), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemManagedAdvise(shared, 0, ACL_MEM_ADVISE_SET_READ_MOSTLY, where[0]), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemManagedAdvise(numbers, 4, ACL_MEM_ADVISE_SET_READ_MOSTLY, where[0]), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemManagedAdvise(shared, PAGE, (aclrtMemManagedAdviseType)6, where[0]), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemManagedAdvise(shared, PAGE, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, at(ACL_MEM_LOCATIONTYPE_DEVICE, 9)), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtMemManagedAdvise(shared, PAGE, ACL_MEM_ADVISE_SET_ACCESSED_BY, at(ACL_MEM_LOCATIONTYPE_INVALID, 0)), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemManagedPrefetchAsync(shared, PAGE, where[0], 1, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemManagedPrefetchAsync(shared, 9 * PAGE, where[0], 0, stream), ACL_ERROR_RT_PARAM_INVALID);
    begins[1] = 0;
    CODE(aclrtMemManagedPrefetchBatchAsync(ranges, lengths, 2, where, begins, 2, 0, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemManagedPrefetchBatchAsync(ranges, lengths, 0, where, begins, 1, 0, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemManagedPrefetchBatchAsync(ranges, lengths, 1, where, begins, 2, 0, stream), ACL_ERROR_INVALID_PARAM);
    OK(aclrtFree(shared));
}

static void is_refused(void)
{
    void *shared = (void *)77;
    CODE(aclrtMemAllocManaged(NULL, PAGE, ACL_RT_MEM_ATTACH_GLOBAL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemAllocManaged(&shared, 0, ACL_RT_MEM_ATTACH_GLOBAL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemAllocManaged(&shared, PAGE, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemAllocManaged(&shared, UINT64_MAX, ACL_RT_MEM_ATTACH_GLOBAL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemAllocManaged(&shared, 64 * GIB, ACL_RT_MEM_ATTACH_GLOBAL), ACL_ERROR_RT_MEMORY_ALLOCATION);
    EQ_PTR(shared, (void *)77);
}

int main(void)
{
    void *left;
    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    is_used_by_both();
    remembers_advice();
    is_refused();
    OK(aclrtDestroyStream(stream));
    /* A reset of the device ends what is left. */
    OK(aclrtMemAllocManaged(&left, PAGE, ACL_RT_MEM_ATTACH_GLOBAL));
    OK(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
    {
        int32_t value = 0;
        CODE(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, left, PAGE, &value, 4), ACL_ERROR_RT_PARAM_INVALID);
    }
    CLOSE_DEVICE();
    return 0;
}
