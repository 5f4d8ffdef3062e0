/* May memory be freed while queued work still names it? The call returns at once
 * and does not wait: the stream may be parked on an event that this very thread
 * records later. The work runs on the old contents, and nobody gets the memory
 * before the work is over. */
#include "check.h"
#include "gate.h"

#define SIZE (64 * KIB)
#define TRIES 40

int main(void)
{
    aclrtStream stream = NULL;
    void *source = NULL, *target = NULL, *staging = NULL;
    void *others[TRIES];
    unsigned char *bytes = malloc(SIZE);
    Gate gate;
    size_t i;

    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&source, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&target, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&staging, SIZE));

    /* Device memory. */
    OK(aclrtMemset(source, SIZE, 0x31, SIZE));
    gate = gate_close(stream);
    OK(aclrtMemcpyAsync(target, SIZE, source, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    OK(aclrtFree(source));
    FAILS(aclrtFree(source));
    for (i = 0; i < TRIES; i++) {
        OK(aclrtMalloc(&others[i], SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK((char *)others[i] + SIZE <= (char *)source || (char *)source + SIZE <= (char *)others[i]);
        OK(aclrtMemset(others[i], SIZE, 0x99, SIZE));
    }
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(bytes, SIZE, target, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    for (i = 0; i < SIZE; i++) {
        EQ(bytes[i], 0x31);
    }
    for (i = 0; i < TRIES; i++) {
        OK(aclrtFree(others[i]));
    }
    gate_free(gate);

    /* Pinned host memory. */
    memset(staging, 0x42, SIZE);
    gate = gate_close(stream);
    OK(aclrtMemcpyAsync(target, SIZE, staging, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtFreeHost(staging));
    for (i = 0; i < TRIES; i++) {
        OK(aclrtMallocHost(&others[i], SIZE));
        memset(others[i], 0x98, SIZE);
    }
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(bytes, SIZE, target, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    for (i = 0; i < SIZE; i++) {
        EQ(bytes[i], 0x42);
    }
    for (i = 0; i < TRIES; i++) {
        OK(aclrtFreeHost(others[i]));
    }
    gate_free(gate);

    /* The target as well, and the stream goes before its work could run. */
    gate = gate_close(stream);
    OK(aclrtMemsetAsync(target, SIZE, 1, SIZE, stream));
    OK(aclrtFree(target));
    OK(aclrtDestroyStreamForce(stream));
    gate_open(gate);
    gate_free(gate);

    free(bytes);
    CLOSE_DEVICE();
    return 0;
}
