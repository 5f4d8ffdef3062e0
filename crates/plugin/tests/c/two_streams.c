/* Who may have memory that a stream freed? The stream itself at once; another only when the first is
 * past it. The gate keeps the first from getting there. */
#include "shared.h"
#include "gate.h"

int main(void)
{
    millpondAllocatorOptions options;
    aclrtStream first = NULL, second = NULL;
    Allocator a, b;
    Gate gate;
    void *block, *host = NULL;
    uint64_t released = 1;
    int i;

    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&first));
    OK(aclrtCreateStream(&second));
    OK(aclrtMallocHost(&host, 64));

    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.limit_bytes = 64 * MIB;
    a = registered(first, &options);
    b = registered(second, &options);
    EQ(numbers(&a).limit_bytes, 64 * MIB);

    gate = gate_close(first);
    block = a.alloc(a.object, 40 * MIB);
    CHECK(block != NULL);
    OK(aclrtMemsetAsync(a.address(block), 40 * MIB, 7, 40 * MIB, first));
    a.free(a.object, block);

    /* The first stream has it again and again, although nothing has run. */
    for (i = 0; i < 200; i++) {
        block = a.alloc(a.object, 40 * MIB);
        CHECK(block != NULL);
        a.free(a.object, block);
    }
    EQ(numbers(&a).growths, 1);

    /* The second must not have it. It says why, and nobody waits. */
    CHECK(b.alloc(b.object, 40 * MIB) == NULL);
    CHECK(strstr(millpondAllocatorMessage(), "limit is 67108864 bytes") != NULL);
    CHECK(strstr(millpondAllocatorMessage(), "has passed callback") != NULL);
    CHECK(b.alloc(b.object, 40 * MIB) == NULL);
    EQ(numbers(&b).waits, 0);
    EQ(numbers(&b).failures, 2);
    /* Nor may it go back to the device. */
    DONE(millpondAllocatorTrim(b.desc, 0, &released));
    EQ(released, 0);
    /* What does not need it is there. */
    block = b.alloc(b.object, 8 * MIB);
    CHECK(block != NULL);
    b.free(b.object, block);

    gate_open(gate);
    OK(aclrtSynchronizeStream(first));
    block = b.alloc(b.object, 40 * MIB);
    CHECK(block != NULL);
    OK(aclrtMemsetAsync(b.address(block), 40 * MIB, 9, 40 * MIB, second));
    OK(aclrtMemcpyAsync(host, 64, b.address(block), 64, ACL_MEMCPY_DEVICE_TO_HOST, second));
    OK(aclrtSynchronizeStream(second));
    EQ(((unsigned char *)host)[0], 9);
    b.free(b.object, block);

    /* A descriptor may go while its stream is held; its memory follows later. */
    {
        Gate again = gate_close(second);
        block = b.alloc(b.object, 30 * MIB);
        CHECK(block != NULL);
        OK(aclrtMemsetAsync(b.address(block), 30 * MIB, 1, 30 * MIB, second));
        b.free(b.object, block);
        unregistered(&b);
        CHECK(a.alloc(a.object, 60 * MIB) == NULL);
        gate_open(again);
        OK(aclrtSynchronizeStream(second));
        gate_free(again);
    }
    block = a.alloc(a.object, 60 * MIB);
    CHECK(block != NULL);
    a.free(a.object, block);

    gate_free(gate);
    unregistered(&a);
    DONE(millpondAllocatorTrim(NULL, 0, NULL));
    OK(aclrtFreeHost(host));
    OK(aclrtDestroyStream(first));
    OK(aclrtDestroyStream(second));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
