/* Does freed memory go back to the machine? Not inside aclrtFree, which has to be
 * quick, but when it is asked for: after millpondMemTrim the resident memory is
 * what it was before. */
#include "check.h"
#include <millpond/millpond.h>

#define BLOCKS 4
#define SIZE (64 * MIB)

static size_t resident(void)
{
    return status_bytes("VmRSS:");
}

static size_t shared(void)
{
    return status_bytes("RssShmem:");
}

int main(void)
{
    void *blocks[BLOCKS];
    size_t before, before_shared, returned = 0;
    int i, round;

    OPEN_DEVICE();
    before = resident();
    before_shared = shared();

    for (round = 0; round < 2; round++) {
        for (i = 0; i < BLOCKS; i++) {
            OK(aclrtMalloc(&blocks[i], SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
            OK(aclrtMemset(blocks[i], SIZE, i + 1, SIZE));
        }
        if (relaxed()) {
            SKIP("resident memory is not measured under a tool");
        } else {
            CHECK(resident() > before + BLOCKS * SIZE * 9 / 10);
        }

        /* Live blocks stay. */
        OK(millpondMemTrim(&returned));
        for (i = 0; i < BLOCKS; i++) {
            unsigned char byte = 0;
            OK(aclrtMemcpy(&byte, 1, (char *)blocks[i] + SIZE - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST));
            EQ(byte, i + 1);
        }

        for (i = 0; i < BLOCKS; i++) {
            OK(aclrtFree(blocks[i]));
        }
        returned = 0;
        OK(millpondMemTrim(&returned));
        if (!relaxed()) {
            CHECK(returned >= BLOCKS * SIZE * 9 / 10);
            CHECK(resident() < before + 32 * MIB);
            CHECK(shared() < before_shared + 32 * MIB);
        }
    }

    /* One of many, in the middle of the others. */
    for (i = 0; i < BLOCKS; i++) {
        OK(aclrtMalloc(&blocks[i], SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMemset(blocks[i], SIZE, i + 1, SIZE));
    }
    OK(aclrtFree(blocks[1]));
    OK(millpondMemTrim(&returned));
    if (!relaxed()) {
        CHECK(resident() < before + (BLOCKS - 1) * SIZE + 32 * MIB);
    }
    for (i = 0; i < BLOCKS; i++) {
        unsigned char byte = 0;
        if (i != 1) {
            OK(aclrtMemcpy(&byte, 1, blocks[i], 1, ACL_MEMCPY_DEVICE_TO_HOST));
            EQ(byte, i + 1);
            OK(aclrtFree(blocks[i]));
        }
    }

    CLOSE_DEVICE();
    return 0;
}
