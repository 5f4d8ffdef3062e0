/* The device has less than is asked for: no block, the runtime's code in the message, and what is freed
 * serves again. */
#include "shared.h"

int main(void)
{
    aclrtStream stream = NULL;
    Allocator a;
    void *blocks[64], *taken = NULL, *block;
    size_t count = 0, i, free_before = 0, free_after = 0, total = 0;

    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_before, &total));
    a = registered(stream, NULL);
    EQ(numbers(&a).limit_bytes, total);

    CHECK(a.alloc(a.object, 65 * MIB) == NULL);
    CHECK(a.alloc(a.object, SIZE_MAX) == NULL);
    CHECK(a.alloc(a.object, SIZE_MAX - 40) == NULL);

    /* Others have a part of the device. */
    OK(aclrtMalloc(&taken, 30 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    while (count < 64 && (blocks[count] = a.alloc(a.object, 3 * MIB)) != NULL) {
        count++;
    }
    CHECK(count >= 5 && count < 12);
    CHECK(strstr(millpondAllocatorMessage(), "no block of 3145728 bytes") != NULL);
    CHECK(strstr(millpondAllocatorMessage(), "returned 207") != NULL);
    for (i = 0; i < count; i++) {
        a.free(a.object, blocks[i]);
    }
    block = a.alloc(a.object, 15 * MIB);
    CHECK(block != NULL);
    a.free(a.object, block);

    /* When the others give theirs up, there is room for one that needs nearly all. */
    OK(aclrtFree(taken));
    block = a.alloc(a.object, 55 * MIB);
    CHECK(block != NULL);
    a.free(a.object, block);

    OK(aclrtSynchronizeStream(stream));
    unregistered(&a);
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_after, &total));
    EQ(free_after, free_before);
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
