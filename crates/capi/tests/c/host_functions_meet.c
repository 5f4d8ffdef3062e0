/* May host functions of different streams wait for each other? Yes: each runs on a
 * thread of its own, so 64 of them can stand in one place until all have come.
 * Meanwhile the streams without one go on. */
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>

#define FUNCTIONS 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int here;

static void meets(void *left)
{
    pthread_mutex_lock(&lock);
    here++;
    pthread_cond_broadcast(&all_here);
    while (here < FUNCTIONS) {
        pthread_cond_wait(&all_here, &lock);
    }
    pthread_mutex_unlock(&lock);
    atomic_fetch_add((atomic_int *)left, 1);
}

int main(void)
{
    aclrtStream streams[FUNCTIONS], other = NULL;
    atomic_int left = 0;
    void *device = NULL, *host = NULL;
    int i;

    OPEN_DEVICE();
    OK(aclrtCreateStream(&other));
    OK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&host, 64));

    /* All but one are there: they stand, and a stream of plain work passes. */
    for (i = 0; i < FUNCTIONS; i++) {
        OK(aclrtCreateStream(&streams[i]));
    }
    for (i = 0; i < FUNCTIONS - 1; i++) {
        OK(aclrtLaunchHostFunc(streams[i], meets, &left));
    }
    OK(aclrtMemsetAsync(device, 64, 0x5c, 64, other));
    OK(aclrtMemcpyAsync(host, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, other));
    OK(aclrtSynchronizeStream(other));
    EQ(*(unsigned char *)host, 0x5c);
    EQ(atomic_load(&left), 0);

    OK(aclrtLaunchHostFunc(streams[FUNCTIONS - 1], meets, &left));
    for (i = 0; i < FUNCTIONS; i++) {
        OK(aclrtSynchronizeStream(streams[i]));
    }
    EQ(atomic_load(&left), FUNCTIONS);

    for (i = 0; i < FUNCTIONS; i++) {
        OK(aclrtDestroyStream(streams[i]));
    }
    OK(aclrtDestroyStream(other));
    OK(aclrtFree(device));
    OK(aclrtFreeHost(host));
    CLOSE_DEVICE();
    return 0;
}
