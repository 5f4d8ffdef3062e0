/* What does a wrong free do? It is refused and changes nothing: twice, inside a
 * block, memory of others, the wrong function for the kind of memory. */
#include "check.h"

static void *device_block(size_t size)
{
    void *p = NULL;
    OK(aclrtMalloc(&p, size, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(p, size, 0x77, size));
    return p;
}

static void still_there(void *device, size_t size)
{
    unsigned char last = 0;
    OK(aclrtMemcpy(&last, 1, (char *)device + size - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(last, 0x77);
}

int main(void)
{
    enum { SIZE = 10000 };
    aclrtContext primary = NULL, other = NULL;
    void *device, *second, *host = NULL, *heap = malloc(64);
    char local[64] = "mine";
    size_t before = 0, after = 0, total = 0;

    OPEN_DEVICE();
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    device = device_block(SIZE);
    OK(aclrtMallocHost(&host, SIZE));
    memset(host, 0x55, SIZE);

    CODE(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtFreeWithDevSync(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtFreeHost(NULL), ACL_ERROR_INVALID_PARAM);

    FAILS(aclrtFree((char *)device + 1));
    FAILS(aclrtFree((char *)device + 512));
    FAILS(aclrtFree((char *)device + SIZE));
    FAILS(aclrtFree((char *)device - 1));
    FAILS(aclrtFreeWithDevSync((char *)device + 64));
    still_there(device, SIZE);

    FAILS(aclrtFree(local));
    FAILS(aclrtFree(heap));
    FAILS(aclrtFree((void *)0x1234));
    FAILS(aclrtFree((void *)UINTPTR_MAX));
    EQ_STR(local, "mine");

    /* Host memory has its own function, and so has the device's. */
    FAILS(aclrtFree(host));
    EQ(((unsigned char *)host)[SIZE - 1], 0x55);
    CODE(aclrtFreeHost(device), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtFreeHostWithDevSync(device), ACL_ERROR_RT_PARAM_INVALID);
    still_there(device, SIZE);

    /* Twice, also when something else lives in between. */
    OK(aclrtFree(device));
    FAILS(aclrtFree(device));
    FAILS(aclrtFreeWithDevSync(device));
    FAILS(aclrtFreeHost(device));
    second = device_block(3 * MIB);
    if (second != device) {
        FAILS(aclrtFree(device));
    }
    still_there(second, 3 * MIB);

    /* The context of the allocation need not be the current one. */
    OK(aclrtGetCurrentContext(&primary));
    OK(aclrtCreateContext(&other, 0));
    OK(aclrtFree(second));
    OK(aclrtDestroyContext(other));
    OK(aclrtSetCurrentContext(primary));

    OK(aclrtFreeHost(host));
    FAILS(aclrtFreeHost(host));

    CODE(aclrtMemFlush(NULL, 64), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemInvalidate(NULL, 64), ACL_ERROR_INVALID_PARAM);
    OK(aclrtMallocCached(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CODE(aclrtMemFlush(device, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemInvalidate(device, 0), ACL_ERROR_INVALID_PARAM);
    OK(aclrtMemFlush(device, 64));
    OK(aclrtMemInvalidate(device, 64));
    OK(aclrtFree(device));

    OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    EQ(after, before);
    free(heap);
    CLOSE_DEVICE();
    return 0;
}
