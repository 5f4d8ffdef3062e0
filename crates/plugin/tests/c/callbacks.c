/* The life of an allocator: registered, found by the runtime, called as the runtime would call it, with
 * work on its blocks, and destroyed in order. */
#include "shared.h"

enum { BLOCKS = 64 };

static void work(Allocator *a, unsigned char *host, size_t bytes, int turn)
{
    void *block = a->alloc(a->object, bytes);
    void *address;
    CHECK(block != NULL);
    address = a->address(block);
    CHECK(address != NULL);
    EQ((uintptr_t)address % 64, 0);
    memset(host, turn & 0xff, bytes);
    OK(aclrtMemcpyAsync(address, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, a->stream));
    OK(aclrtMemsetAsync(address, bytes, 0x55, bytes / 2, a->stream));
    OK(aclrtMemcpyAsync(host, bytes, address, bytes, ACL_MEMCPY_DEVICE_TO_HOST, a->stream));
    /* In stream order: the copies above still find their bytes. */
    a->free(a->object, block);
    OK(aclrtSynchronizeStream(a->stream));
    EQ(host[0], bytes / 2 > 0 ? 0x55 : (turn & 0xff));
    EQ(host[bytes - 1], turn & 0xff);
}

int main(void)
{
    static const size_t sizes[] = {1, 31, 32, 33, 480, 481, 512, 4096, 1000000, 2 * MIB, 7 * MIB + 3, 30 * MIB};
    aclrtStream stream = NULL, other = NULL;
    Allocator a, b;
    void *host = NULL, *blocks[BLOCKS];
    uint64_t released = 0;
    size_t i;
    int turn;
    millpondAllocatorStatistics s;

    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateStream(&other));
    OK(aclrtMallocHost(&host, 32 * MIB));
    a = registered(stream, NULL);

    for (turn = 1; turn < 4; turn++) {
        for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            work(&a, host, sizes[i], turn + (int)i);
        }
    }
    s = numbers(&a);
    EQ(s.device, 0);
    EQ(s.live_blocks, 0);
    EQ(s.used_bytes, 0);
    EQ(s.stream_allocations, 3 * (sizeof sizes / sizeof sizes[0]));
    EQ(s.stream_frees, s.stream_allocations);
    EQ(s.waits, 0);
    CHECK(s.reserved_bytes >= s.peak_used_bytes && s.reserved_bytes <= s.limit_bytes);

    /* Each block has the room that the documentation asks for, to itself. */
    for (i = 0; i < BLOCKS; i++) {
        blocks[i] = a.alloc(a.object, 100 + i);
        CHECK(blocks[i] != NULL);
        OK(aclrtMemsetAsync(a.address(blocks[i]), 100 + i, (int)i, 100 + i, stream));
    }
    for (i = 0; i < BLOCKS; i++) {
        unsigned char *bytes = host;
        size_t j;
        for (j = 0; j < BLOCKS; j++) {
            uintptr_t one = (uintptr_t)a.address(blocks[i]), two = (uintptr_t)a.address(blocks[j]);
            CHECK(i == j || one + (100 + i + 31) / 32 * 32 + 32 <= two || two < one);
        }
        OK(aclrtMemcpyAsync(host, 32 * MIB, a.address(blocks[i]), 100 + i, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        OK(aclrtSynchronizeStream(stream));
        EQ(bytes[0], i);
        EQ(bytes[99 + i], i);
    }

    /* A wish is granted where the memory is free, and is only a wish elsewhere. */
    {
        void *address = a.address(blocks[BLOCKS - 1]);
        void *again;
        a.free(a.object, blocks[BLOCKS - 1]);
        again = a.advise(a.object, 100, address);
        EQ_PTR(a.address(again), address);
        blocks[BLOCKS - 1] = a.advise(a.object, 100, address);
        CHECK(a.address(blocks[BLOCKS - 1]) != address && a.address(blocks[BLOCKS - 1]) != NULL);
        a.free(a.object, again);
        again = a.advise(a.object, 100, host);
        CHECK(again != NULL);
        a.free(a.object, again);
        again = a.advise(a.object, 100, NULL);
        CHECK(again != NULL);
        a.free(a.object, again);
    }

    /* A second stream shares what there is; a block may be freed through it. */
    b = registered(other, NULL);
    EQ(numbers(&b).streams, 2);
    EQ(numbers(&b).live_blocks, BLOCKS);
    EQ(numbers(&b).stream_live_blocks, 0);
    OK(aclrtSynchronizeStream(stream));
    for (i = 0; i < BLOCKS; i++) {
        Allocator *by = i % 2 == 0 ? &a : &b;
        by->free(by->object, blocks[i]);
    }
    EQ(numbers(&a).live_blocks, 0);

    /* An answer that is shorter than what the library knows. */
    memset(&s, 0xee, sizeof s);
    s.struct_size = 16;
    DONE(millpondAllocatorStats(a.desc, &s));
    EQ(s.struct_size, 16);
    EQ(s.device, 0);
    EQ(s.limit_bytes, 0xeeeeeeeeeeeeeeeeULL);

    /* Everything that is idle goes back. */
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtSynchronizeStream(other));
    DONE(millpondAllocatorTrim(a.desc, 0, &released));
    CHECK(released > 30 * MIB);
    EQ(numbers(&a).reserved_bytes, 0);
    EQ(numbers(&a).pieces, 0);
    work(&a, host, MIB, 9);

    unregistered(&a);
    work(&b, host, MIB, 10);
    unregistered(&b);
    DONE(millpondAllocatorTrim(NULL, 0, NULL));

    OK(aclrtFreeHost(host));
    OK(aclrtDestroyStream(other));
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
