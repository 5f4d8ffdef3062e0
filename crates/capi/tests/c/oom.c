/* What happens when the device is full? 207001, an untouched pointer, a message
 * with the numbers, and everything works again once something is freed.
 * Runs with MILLPOND_CAPACITY=64M. */
#include "check.h"
#include <ctype.h>

#define CAPACITY (64 * MIB)

static size_t free_bytes(void)
{
    size_t free_now = 0, total = 0;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_now, &total));
    EQ(total, CAPACITY);
    CHECK(free_now <= total);
    return free_now;
}

static int has_digit(const char *text)
{
    while (*text != '\0') {
        if (isdigit((unsigned char)*text++)) {
            return 1;
        }
    }
    return 0;
}

static void full(size_t size, aclrtMemMallocPolicy policy)
{
    void *const untouched = &check_text;
    void *block = untouched;
    CODE(aclrtMallocAlign32(&block, size, policy), ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK(has_digit(check_text));
    EQ_PTR(block, untouched);
    CODE(aclrtMalloc(&block, size, policy), ACL_ERROR_RT_MEMORY_ALLOCATION);
    CODE(aclrtMallocCached(&block, size, policy), ACL_ERROR_RT_MEMORY_ALLOCATION);
    CODE(aclrtMallocWithCfg(&block, size, policy, NULL), ACL_ERROR_RT_MEMORY_ALLOCATION);
    EQ_PTR(block, untouched);
}

static void to_the_brim(aclrtMemMallocPolicy policy, size_t size)
{
    void *blocks[CAPACITY / (64 * KIB) + 1];
    size_t count = 0, i;
    size_t before = free_bytes();

    for (;;) {
        aclError code = aclrtMallocAlign32(&blocks[count], size, policy);
        if (code != ACL_SUCCESS) {
            EQ(code, ACL_ERROR_RT_MEMORY_ALLOCATION);
            CHECK(check_fetch_text());
            break;
        }
        count++;
        CHECK(count <= before / size);
    }
    /* It is really full, not just reluctant. */
    EQ(count, before / size);
    CHECK(free_bytes() < size);
    full(size, policy);

    /* The last one is as good as the first. */
    OK(aclrtMemset(blocks[count - 1], size, 1, size));

    /* One out, one in. */
    OK(aclrtFree(blocks[count / 2]));
    OK(aclrtMallocAlign32(&blocks[count / 2], size, policy));
    full(size, policy);

    for (i = 0; i < count; i++) {
        OK(aclrtFree(blocks[i]));
    }
    EQ(free_bytes(), before);
}

/* Too few huge pages are left: "first" falls back to normal ones, "only" does not. */
static void fallback(void)
{
    void *most = NULL, *rest = NULL;
    aclrtPtrAttributes attributes;
    size_t before = free_bytes();

    OK(aclrtMallocAlign32(&most, before - 3 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
    EQ(free_bytes(), 3 * MIB);
    CODE(aclrtMallocAlign32(&rest, 3 * MIB, ACL_MEM_MALLOC_HUGE_ONLY), ACL_ERROR_RT_MEMORY_ALLOCATION);
    EQ_PTR(rest, NULL);
    OK(aclrtMallocAlign32(&rest, 3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtPointerGetAttributes(rest, &attributes));
    EQ(attributes.pageSize, 4096);
    EQ(free_bytes(), 0);
    full(1, ACL_MEM_MALLOC_HUGE_FIRST);
    OK(aclrtFree(rest));
    OK(aclrtFree(most));
    EQ(free_bytes(), before);
}

int main(void)
{
    void *everything = NULL;

    OPEN_DEVICE();

    /* More than there is, from the start. */
    full(CAPACITY + 1, ACL_MEM_MALLOC_HUGE_FIRST);
    full(CAPACITY * 1000, ACL_MEM_MALLOC_NORMAL_ONLY);

    to_the_brim(ACL_MEM_MALLOC_NORMAL_ONLY, MIB);
    to_the_brim(ACL_MEM_MALLOC_NORMAL_ONLY, 64 * KIB);
    to_the_brim(ACL_MEM_MALLOC_HUGE_ONLY, 2 * MIB);
    to_the_brim(ACL_MEM_MALLOC_HUGE_FIRST, 2 * MIB);
    fallback();

    /* No pieces are left behind: all of it in one block. */
    OK(aclrtMallocAlign32(&everything, free_bytes(), ACL_MEM_MALLOC_HUGE_FIRST));
    EQ(free_bytes(), 0);
    OK(aclrtFree(everything));

    /* An error about memory spoils nothing else. */
    OK(aclrtSynchronizeDevice());
    CLOSE_DEVICE();
    return 0;
}
