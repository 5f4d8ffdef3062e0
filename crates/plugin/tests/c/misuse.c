/* What is wrong is refused, and never a crash. */
#include "shared.h"

int main(void)
{
    millpondAllocatorOptions options;
    millpondAllocatorStatistics stats;
    struct {
        millpondAllocatorOptions known;
        uint64_t later;
    } longer;
    aclrtAllocatorDesc desc = &options, untouched = &options;
    aclrtStream stream = NULL, far = NULL;
    Allocator a, b;
    void *block, *again, *live;
    size_t i;
    int local = 0;
    uint64_t released;

    /* Before there is a device. */
    REFUSED(millpondAllocatorCreate(NULL, NULL, &desc), MILLPOND_ALLOCATOR_INVALID, "stream");
    OK(aclInit(NULL));
    REFUSED(millpondAllocatorCreate((aclrtStream)&local, NULL, &desc), MILLPOND_ALLOCATOR_REFUSED, "aclrtGetDevice");
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));

    /* Arguments. */
    REFUSED(millpondAllocatorCreate(NULL, NULL, &desc), MILLPOND_ALLOCATOR_INVALID, "stream");
    REFUSED(millpondAllocatorCreate(stream, NULL, NULL), MILLPOND_ALLOCATOR_INVALID, "desc");
    memset(&options, 0, sizeof options);
    REFUSED(millpondAllocatorCreate(stream, &options, &desc), MILLPOND_ALLOCATOR_INVALID, "struct_size");
    options.struct_size = sizeof options;
    options.flags = 0x100;
    REFUSED(millpondAllocatorCreate(stream, &options, &desc), MILLPOND_ALLOCATOR_INVALID, "0x100");
    options.flags = 0;
    options.slack_permille = 1001;
    REFUSED(millpondAllocatorCreate(stream, &options, &desc), MILLPOND_ALLOCATOR_INVALID, "slack_permille");
    options.slack_permille = 0;
    memset(&longer, 0, sizeof longer);
    longer.known.struct_size = sizeof longer;
    longer.later = 1;
    REFUSED(millpondAllocatorCreate(stream, &longer.known, &desc), MILLPOND_ALLOCATOR_INVALID, "does not support");
    EQ_PTR(desc, untouched);
    REFUSED(millpondAllocatorDestroy(NULL), MILLPOND_ALLOCATOR_INVALID, "desc");
    REFUSED(millpondAllocatorDestroy(&local), MILLPOND_ALLOCATOR_NOT_OURS, "millpondAllocatorCreate");
    REFUSED(millpondAllocatorTrim(&local, 0, &released), MILLPOND_ALLOCATOR_NOT_OURS, "millpondAllocatorCreate");
    DONE(millpondAllocatorTrim(NULL, 0, &released));
    EQ(released, 0);

    /* Options of a later version that this one need not know, and of an earlier one. */
    longer.later = 0;
    DONE(millpondAllocatorCreate(stream, &longer.known, &desc));
    DONE(millpondAllocatorDestroy(desc));
    options.struct_size = 16;
    options.flags = 0xffff;
    DONE(millpondAllocatorCreate(stream, &options, &desc));
    DONE(millpondAllocatorDestroy(desc));
    REFUSED(millpondAllocatorDestroy(desc), MILLPOND_ALLOCATOR_NOT_OURS, "destroyed");

    a = registered(stream, NULL);
    options.struct_size = sizeof options;
    options.flags = 0;
    options.limit_bytes = MIB;
    REFUSED(millpondAllocatorCreate(stream, &options, &desc), MILLPOND_ALLOCATOR_OTHER_OPTIONS, "device 0");
    stats.struct_size = 4;
    REFUSED(millpondAllocatorStats(a.desc, &stats), MILLPOND_ALLOCATOR_INVALID, "struct_size");
    REFUSED(millpondAllocatorStats(a.desc, NULL), MILLPOND_ALLOCATOR_INVALID, "stats");
    REFUSED(millpondAllocatorStats(NULL, &stats), MILLPOND_ALLOCATOR_INVALID, "desc");

    /* Blocks. */
    live = a.alloc(a.object, 100);
    block = a.alloc(a.object, 100);
    a.free(a.object, block);
    a.free(a.object, block);
    CHECK(strstr(millpondAllocatorMessage(), "double free") != NULL);
    CHECK(a.address(block) == NULL);
    for (i = 0; i < 32; i++) {
        again = a.alloc(a.object, 100);
        CHECK(again != block && again != live);
        a.free(a.object, again);
    }
    {
        void *wild[] = {NULL, &local, (void *)(uintptr_t)64, (void *)UINTPTR_MAX, (char *)live + 8,
                        (char *)live - 64 * 4096, (char *)live + (1 << 29), a.address(live), a.desc, a.object, stream};
        for (i = 0; i < sizeof wild / sizeof wild[0]; i++) {
            a.free(a.object, wild[i]);
            CHECK(strstr(millpondAllocatorMessage(), "not a block") != NULL ||
                  strstr(millpondAllocatorMessage(), "double free") != NULL);
            CHECK(a.address(wild[i]) == NULL);
            CHECK(a.address(live) != NULL);
        }
    }
    EQ(numbers(&a).live_blocks, 1);

    /* Objects. */
    {
        void *wild[] = {NULL, &local, (void *)UINTPTR_MAX, (char *)a.object + 1, (char *)a.object + (1 << 16), a.desc};
        for (i = 0; i < sizeof wild / sizeof wild[0]; i++) {
            CHECK(a.alloc(wild[i], 100) == NULL);
            CHECK(a.advise(wild[i], 100, NULL) == NULL);
            a.free(wild[i], live);
            CHECK(strstr(millpondAllocatorMessage(), "descriptor") != NULL);
        }
    }
    EQ(numbers(&a).live_blocks, 1);

    /* A block of another device. */
    OK(aclrtSetDevice(1));
    OK(aclrtCreateStream(&far));
    b = registered(far, &options);
    EQ(numbers(&b).device, 1);
    b.free(b.object, live);
    CHECK(strstr(millpondAllocatorMessage(), "another device") != NULL);
    unregistered(&b);
    OK(aclrtDestroyStream(far));
    OK(aclrtResetDevice(1));
    OK(aclrtSetDevice(0));

    /* The end of a descriptor with a live block, and what is called after the end. */
    REFUSED(millpondAllocatorDestroy(a.desc), MILLPOND_ALLOCATOR_BUSY, "has 1 block;");
    a.free(a.object, live);
    unregistered(&a);
    CHECK(a.alloc(a.object, 100) == NULL);
    a.free(a.object, live);
    CHECK(a.address(live) == NULL);
    stats.struct_size = sizeof stats;
    REFUSED(millpondAllocatorStats(a.desc, &stats), MILLPOND_ALLOCATOR_NOT_OURS, "destroyed");

    /* The end of a stream before its descriptor's, with memory that may be in use: it stays. */
    b = registered(stream, NULL);
    block = b.alloc(b.object, 100);
    b.free(b.object, block);
    OK(aclrtDestroyStream(stream));
    REFUSED(millpondAllocatorDestroy(b.desc), MILLPOND_ALLOCATOR_REFUSED, "aclrtRecordEvent");
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
