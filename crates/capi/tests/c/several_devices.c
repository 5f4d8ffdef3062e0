/* Are four devices four devices? Each has its own memory, its own account of it
 * and its own streams; pointers know where they live; data goes across.
 * Runs with MILLPOND_DEVICES=4. */
#include "check.h"

#define DEVICES 4
#define SIZE (2 * MIB)

static size_t free_bytes(void)
{
    size_t free_now = 0, total = 0;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_now, &total));
    CHECK(free_now <= total);
    return free_now;
}

int main(void)
{
    void *blocks[DEVICES];
    size_t before[DEVICES];
    aclrtStream streams[DEVICES];
    unsigned char *host = malloc(SIZE);
    uint32_t count = 0;
    int d, i;

    OK(aclInit(NULL));
    OK(aclrtGetDeviceCount(&count));
    EQ(count, DEVICES);
    CODE(aclrtSetDevice(DEVICES), ACL_ERROR_RT_INVALID_DEVICEID);

    for (d = 0; d < DEVICES; d++) {
        OK(aclrtSetDevice(d));
        before[d] = free_bytes();
    }

    /* An allocation shows on its device and on no other. */
    for (d = 0; d < DEVICES; d++) {
        aclrtPtrAttributes attributes;
        OK(aclrtSetDevice(d));
        OK(aclrtMallocAlign32(&blocks[d], SIZE, ACL_MEM_MALLOC_HUGE_ONLY));
        OK(aclrtCreateStream(&streams[d]));
        OK(aclrtMemsetAsync(blocks[d], SIZE, 0x10 + d, SIZE, streams[d]));
        memset(&attributes, 0xff, sizeof attributes);
        OK(aclrtPointerGetAttributes(blocks[d], &attributes));
        EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
        EQ(attributes.location.id, d);
        for (i = 0; i < DEVICES; i++) {
            OK(aclrtSetDevice(i));
            EQ(before[i] - free_bytes(), i <= d ? SIZE : 0);
        }
    }

    /* A stream belongs to its device. */
    OK(aclrtSetDevice(0));
    CODE(aclrtMemsetAsync(blocks[0], SIZE, 0, SIZE, streams[1]), ACL_ERROR_RT_STREAM_CONTEXT);

    for (d = 0; d < DEVICES; d++) {
        OK(aclrtSetDevice(d));
        OK(aclrtSynchronizeStream(streams[d]));
        OK(aclrtMemcpy(host, SIZE, blocks[d], SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
        EQ(host[0], 0x10 + d);
        EQ(host[SIZE - 1], 0x10 + d);
    }

    /* From device 3 to device 0, while device 0 is the current one. */
    OK(aclrtSetDevice(0));
    OK(aclrtMemcpy(blocks[0], SIZE, blocks[3], SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE));
    OK(aclrtMemcpy(host, SIZE, blocks[0], SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(host[0], 0x13);
    EQ(host[SIZE - 1], 0x13);

    /* A block may be given back while another device is current. */
    for (d = 0; d < DEVICES; d++) {
        OK(aclrtFree(blocks[d]));
    }
    for (d = 0; d < DEVICES; d++) {
        OK(aclrtSetDevice(d));
        OK(aclrtDestroyStream(streams[d]));
        EQ(free_bytes(), before[d]);
    }

    /* Resetting one leaves the others alone. */
    OK(aclrtResetDeviceForce(2));
    for (d = 0; d < DEVICES; d++) {
        if (d != 2) {
            OK(aclrtSetDevice(d));
            OK(aclrtSynchronizeDevice());
            OK(aclrtResetDeviceForce(d));
        }
    }
    free(host);
    OK(aclFinalize());
    return 0;
}
