/* What can be asked of aclrtMallocWithCfg and aclrtMallocHostWithCfg? A page policy
 * with a kind of memory or'ed to it, and a list of attributes, the last of which
 * counts. Runs with two devices. */
#include "check.h"

static size_t free_bytes(void)
{
    size_t free_now = 0, total = 0;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_now, &total));
    return free_now;
}

static void takes(size_t size, unsigned policy, size_t bytes)
{
    size_t before = free_bytes();
    void *block = NULL;
    OK(aclrtMallocWithCfg(&block, size, (aclrtMemMallocPolicy)policy, NULL));
    EQ(before - free_bytes(), bytes);
    OK(aclrtFree(block));
    EQ(free_bytes(), before);
}

static aclrtMallocAttribute device_id(uint32_t id)
{
    aclrtMallocAttribute attribute;
    memset(&attribute, 0, sizeof attribute);
    attribute.attr = ACL_RT_MEM_ATTR_DEVICE_ID;
    attribute.value.deviceId = id;
    return attribute;
}

static aclrtMallocAttribute module_id(uint16_t id)
{
    aclrtMallocAttribute attribute;
    memset(&attribute, 0, sizeof attribute);
    attribute.attr = ACL_RT_MEM_ATTR_MODULE_ID;
    attribute.value.moduleId = id;
    return attribute;
}

static void policies(void)
{
    void *block = NULL;

    takes(4096, ACL_MEM_MALLOC_NORMAL_ONLY, 4096);
    takes(3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST, 4 * MIB);
    takes(1, ACL_MEM_MALLOC_HUGE_ONLY | ACL_MEM_TYPE_HIGH_BAND_WIDTH, 2 * MIB);
    takes(3 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY | ACL_MEM_TYPE_HIGH_BAND_WIDTH, 3 * MIB);
    takes(3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST | ACL_MEM_TYPE_HIGH_BAND_WIDTH, 4 * MIB);

    /* Memory of low bandwidth: which account it comes from depends on the device. */
    OK(aclrtMallocWithCfg(&block, 3 * MIB,
                          (aclrtMemMallocPolicy)(ACL_MEM_MALLOC_NORMAL_ONLY | ACL_MEM_TYPE_LOW_BAND_WIDTH),
                          NULL));
    OK(aclrtMemset(block, 3 * MIB, 1, 3 * MIB));
    OK(aclrtFree(block));

    /* Read-only for the program: offered or refused, but not misunderstood. */
    if (RETURNS(aclrtMallocWithCfg(&block, 1,
                                   (aclrtMemMallocPolicy)(ACL_MEM_MALLOC_HUGE_ONLY |
                                                          ACL_MEM_ACCESS_USER_SPACE_READONLY),
                                   NULL)) == 0) {
        OK(aclrtFree(block));
    }
}

static void attributes(void)
{
    void *const untouched = &check_text;
    void *block = untouched;
    aclrtMallocAttribute list[2];
    aclrtMallocConfig config;
    const aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST;

    config.attrs = NULL;
    config.numAttrs = 0;
    OK(aclrtMallocWithCfg(&block, 64, policy, &config));
    OK(aclrtFree(block));

    block = untouched;
    config.numAttrs = 1;
    CODE(aclrtMallocWithCfg(&block, 64, policy, &config), ACL_ERROR_INVALID_PARAM);

    config.attrs = list;
    list[0] = device_id(0);
    list[1] = module_id(33);
    OK(aclrtMallocWithCfg(&block, 64, policy, &config));
    OK(aclrtFree(block));
    config.numAttrs = 2;
    OK(aclrtMallocWithCfg(&block, 64, policy, &config));
    OK(aclrtFree(block));

    /* Device 1 exists and is not the current one. */
    block = untouched;
    config.numAttrs = 1;
    list[0] = device_id(1);
    CODE(aclrtMallocWithCfg(&block, 64, policy, &config), ACL_ERROR_RT_PARAM_INVALID);
    config.numAttrs = 2;
    list[0] = device_id(0);
    list[1] = device_id(1);
    CODE(aclrtMallocWithCfg(&block, 64, policy, &config), ACL_ERROR_RT_PARAM_INVALID);
    EQ_PTR(block, untouched);

    /* In order, and the last one wins. */
    list[0] = module_id(1);
    list[1] = module_id(33);
    OK(aclrtMallocWithCfg(&block, 64, policy, &config));
    OK(aclrtFree(block));

    block = untouched;
    CODE(aclrtMallocWithCfg(NULL, 64, policy, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMallocWithCfg(&block, 0, policy, NULL), ACL_ERROR_INVALID_PARAM);
    EQ_PTR(block, untouched);

    /* A number that is no attribute: whatever the answer, no crash. */
    list[0].attr = (aclrtMallocAttrType)77;
    config.numAttrs = 1;
    if (RETURNS(aclrtMallocWithCfg(&block, 64, policy, &config)) == 0) {
        OK(aclrtFree(block));
    }
}

static void host(void)
{
    void *const untouched = &check_text;
    void *block = NULL;
    aclrtMallocAttribute attribute;
    aclrtMallocConfig config;

    OK(aclrtMallocHostWithCfg(&block, 1000, NULL));
    EQ((uintptr_t)block % 64, 0);
    memset(block, 1, 1000);
    OK(aclrtFreeHost(block));

    /* One address for host and device. */
    memset(&attribute, 0, sizeof attribute);
    attribute.attr = ACL_RT_MEM_ATTR_VA_FLAG;
    attribute.value.vaFlag = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    OK(aclrtMallocHostWithCfg(&block, 1000, &config));
    memset(block, 2, 1000);
    OK(aclrtFreeHost(block));

    block = untouched;
    CODE(aclrtMallocHostWithCfg(NULL, 1000, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMallocHostWithCfg(&block, 0, NULL), ACL_ERROR_INVALID_PARAM);
    config.attrs = NULL;
    CODE(aclrtMallocHostWithCfg(&block, 1000, &config), ACL_ERROR_INVALID_PARAM);
    FAILS(aclrtMallocHostWithCfg(&block, UINT64_MAX, NULL));
    EQ_PTR(block, untouched);
}

int main(void)
{
    OPEN_DEVICE();
    policies();
    attributes();
    host();
    CLOSE_DEVICE();
    return 0;
}
