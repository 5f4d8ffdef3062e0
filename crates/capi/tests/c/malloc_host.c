/* What is pinned host memory? Ordinary memory to the program, known to the
 * runtime, given back with aclrtFreeHost, at once or after the device is idle. */
#include "check.h"
#include <stdatomic.h>

static void plain_use(void)
{
    static const size_t sizes[] = {1, 31, 32, 33, 4095, 4096, 100000, 3 * MIB};
    size_t i;
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        aclrtPtrAttributes attributes;
        size_t rounded = (sizes[i] + 31) / 32 * 32;
        unsigned char *bytes;
        void *p = NULL;
        OK(aclrtMallocHost(&p, sizes[i]));
        EQ((uintptr_t)p % 64, 0);
        bytes = p;
        memset(bytes, 0xa5, rounded);
        EQ(bytes[rounded - 1], 0xa5);
        OK(aclrtPointerGetAttributes(p, &attributes));
        EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
        OK(aclrtFreeHost(p));
    }
}

static void refused(void)
{
    void *const untouched = &check_text;
    void *p = untouched;
    char local[64];

    CODE(aclrtMallocHost(NULL, 64), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMallocHost(&p, 0), ACL_ERROR_INVALID_PARAM);
    FAILS(aclrtMallocHost(&p, SIZE_MAX));
    FAILS(aclrtMallocHost(&p, SIZE_MAX - 31));
    FAILS(aclrtMallocHost(&p, (size_t)1 << 60));
    EQ_PTR(p, untouched);

    CODE(aclrtFreeHost(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtFreeHostWithDevSync(NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclrtMallocHost(&p, 64));
    /* The interior of a block is not the block. */
    FAILS(aclrtFreeHost((char *)p + 32));
    OK(aclrtFreeHost(p));
    FAILS(aclrtFreeHost(p));
    FAILS(aclrtFreeHostWithDevSync(p));
    /* Memory that we never gave out is not ours to free. */
    FAILS(aclrtFreeHost(local));
}

static void takes_a_while(void *flag)
{
    sleep_ms(60);
    atomic_store((atomic_int *)flag, 1);
}

static void with_device_sync(void)
{
    atomic_int done = 0;
    aclrtStream stream = NULL;
    void *host = NULL, *device = NULL;

    OK(aclrtCreateStream(&stream));
    OK(aclrtMallocHost(&host, 64));
    OK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtLaunchHostFunc(stream, takes_a_while, &done));
    OK(aclrtFreeHostWithDevSync(host));
    EQ(atomic_load(&done), 1);

    atomic_store(&done, 0);
    OK(aclrtLaunchHostFunc(stream, takes_a_while, &done));
    OK(aclrtFreeWithDevSync(device));
    EQ(atomic_load(&done), 1);
    FAILS(aclrtFree(device));
    FAILS(aclrtFreeHost(host));
    OK(aclrtDestroyStream(stream));
}

int main(void)
{
    OPEN_DEVICE();
    plain_use();
    refused();
    with_device_sync();
    CLOSE_DEVICE();
    return 0;
}
