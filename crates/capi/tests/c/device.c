/* How are devices chosen and given back? Each set is counted and wants its reset;
 * one reset too many is told; force ends all at once; threads start with none. */
#include "check.h"
#include "gate.h"
#include <pthread.h>
#include <stdatomic.h>

static void none_yet(void)
{
    int32_t device = 77;
    CODE(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    EQ(device, 77);
    CODE(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
}

static void ids(void)
{
    uint32_t count = 0;
    int32_t device = -1;

    OK(aclrtGetDeviceCount(&count));
    CHECK(count >= 1);
    CODE(aclrtSetDevice((int32_t)count), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtSetDevice(INT32_MIN), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtSetDevice(INT32_MAX), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtResetDevice((int32_t)count), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtResetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    FAILS(aclrtResetDeviceForce(-1));

    OK(aclrtSetDevice((int32_t)count - 1));
    OK(aclrtGetDevice(&device));
    EQ(device, (int32_t)count - 1);
    OK(aclrtResetDevice((int32_t)count - 1));
    none_yet();
}

static void counting(void)
{
    int32_t device = -1;

    OK(aclrtSetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtResetDevice(0));
    OK(aclrtGetDevice(&device));
    EQ(device, 0);
    OK(aclrtResetDevice(0));
    OK(aclrtGetDevice(&device));
    OK(aclrtResetDevice(0));
    none_yet();
    CODE(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    CODE(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);

    /* And again from the start. */
    OK(aclrtSetDevice(0));
    OK(aclrtResetDevice(0));
}

static void force(void)
{
    OK(aclrtSetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtResetDeviceForce(0));
    none_yet();
    FAILS(aclrtResetDeviceForce(0));
    CODE(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

static void *fresh_thread(void *unused)
{
    int32_t device = -1;
    (void)unused;
    none_yet();
    OK(aclrtSetDevice(0));
    OK(aclrtGetDevice(&device));
    EQ(device, 0);
    OK(aclrtResetDevice(0));
    return NULL;
}

static void threads(void)
{
    pthread_t thread;
    int32_t device = -1;

    OK(aclrtSetDevice(0));
    CHECK(pthread_create(&thread, NULL, fresh_thread, NULL) == 0);
    pthread_join(thread, NULL);
    /* The thread gave back its own reference, not ours. */
    OK(aclrtGetDevice(&device));
    EQ(device, 0);
    OK(aclrtSynchronizeDevice());
    OK(aclrtResetDevice(0));
}

static void takes_a_while(void *flag)
{
    sleep_ms(60);
    atomic_store((atomic_int *)flag, 1);
}

/* The last reset waits for what is queued, then takes the streams with it. */
static void teardown(void)
{
    atomic_int done = 0;
    aclrtStream stream = NULL;
    aclrtStreamStatus status;

    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtLaunchHostFunc(stream, takes_a_while, &done));
    OK(aclrtResetDevice(0));
    EQ(atomic_load(&done), 1);

    OK(aclrtSetDevice(0));
    FAILS(aclrtStreamQuery(stream, &status));
    FAILS(aclrtSynchronizeStream(stream));
    OK(aclrtResetDevice(0));
}

static void synchronize(void)
{
    atomic_int done = 0;
    aclrtStream stream = NULL;
    Gate gate;

    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtLaunchHostFunc(stream, takes_a_while, &done));
    OK(aclrtSynchronizeDevice());
    EQ(atomic_load(&done), 1);

    atomic_store(&done, 0);
    OK(aclrtLaunchHostFunc(stream, takes_a_while, &done));
    OK(aclrtSynchronizeDeviceWithTimeout(30000));
    EQ(atomic_load(&done), 1);
    OK(aclrtSynchronizeDeviceWithTimeout(-1));
    FAILS(aclrtSynchronizeDeviceWithTimeout(-2));

    /* Work that is held back does not end in time, and goes on all the same. */
    atomic_store(&done, 0);
    gate = gate_close(stream);
    OK(aclrtLaunchHostFunc(stream, takes_a_while, &done));
    FAILS(aclrtSynchronizeDeviceWithTimeout(5));
    EQ(atomic_load(&done), 0);
    gate_open(gate);
    OK(aclrtSynchronizeDevice());
    EQ(atomic_load(&done), 1);

    gate_free(gate);
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
}

static void mode_and_ts(void)
{
    aclrtRunMode mode = (aclrtRunMode)55;
    OK(aclrtSetDevice(0));
    OK(aclrtGetRunMode(&mode));
    EQ(mode, ACL_HOST);
    CODE(aclrtGetRunMode(NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclrtSetTsDevice(ACL_TS_ID_AICORE));
    FAILS(aclrtSetTsDevice((aclrtTsId)99));
    FAILS(aclrtSetTsDevice((aclrtTsId)-1));
    OK(aclrtResetDevice(0));
}

int main(void)
{
    OK(aclInit(NULL));
    none_yet();
    ids();
    counting();
    force();
    threads();
    teardown();
    synchronize();
    mode_and_ts();
    OK(aclFinalize());
    return 0;
}
