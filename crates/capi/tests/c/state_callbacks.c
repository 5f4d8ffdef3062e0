/* Who hears of streams and devices that come and go? Everybody who registered a
 * callback under a name: after a stream is made and before it goes, before and
 * after a device is set and reset. */
#include "check.h"
#include <acl/acl_rt_allocator.h>
#include <pthread.h>
#include <time.h>

#define CAPACITY 64

typedef struct {
    int count;
    aclrtStream streams[CAPACITY];
    int states[CAPACITY];
} StreamLog;

typedef struct {
    int count;
    int32_t devices[CAPACITY];
    int states[CAPACITY];
} DeviceLog;

static void on_stream(aclrtStream stream, aclrtStreamState state, void *args)
{
    StreamLog *log = (StreamLog *)args;
    CHECK(log->count < CAPACITY);
    log->streams[log->count] = stream;
    log->states[log->count] = state;
    log->count++;
    /* In both states the stream exists, and may be talked about. */
    OK(aclrtAllocatorUnregister(stream));
}

static void on_device(int32_t device, aclrtDeviceState state, void *args)
{
    DeviceLog *log = (DeviceLog *)args;
    CHECK(log->count < CAPACITY);
    log->devices[log->count] = device;
    log->states[log->count] = state;
    log->count++;
}

/* How often this stream was reported with this state. */
static int reports(const StreamLog *log, aclrtStream stream, int state)
{
    int i, found = 0;
    for (i = 0; i < log->count; i++) {
        found += log->streams[i] == stream && log->states[i] == state;
    }
    return found;
}

static void streams(void)
{
    static StreamLog first, second;
    aclrtStream stream = NULL, other = NULL;

    OK(aclrtRegStreamStateCallback("first", on_stream, &first));
    OK(aclrtRegStreamStateCallback("second", on_stream, &second));

    OK(aclrtCreateStream(&stream));
    EQ(reports(&first, stream, ACL_RT_STREAM_STATE_CREATE_POST), 1);
    EQ(reports(&second, stream, ACL_RT_STREAM_STATE_CREATE_POST), 1);
    EQ(reports(&first, stream, ACL_RT_STREAM_STATE_DESTROY_PRE), 0);
    OK(aclrtDestroyStream(stream));
    EQ(reports(&first, stream, ACL_RT_STREAM_STATE_DESTROY_PRE), 1);
    EQ(reports(&second, stream, ACL_RT_STREAM_STATE_DESTROY_PRE), 1);

    OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH));
    EQ(reports(&first, stream, ACL_RT_STREAM_STATE_CREATE_POST), 1);
    OK(aclrtDestroyStreamForce(stream));
    EQ(reports(&first, stream, ACL_RT_STREAM_STATE_DESTROY_PRE), 1);
    /* A destroy that is refused is none. */
    FAILS(aclrtDestroyStream(stream));
    EQ(reports(&first, stream, ACL_RT_STREAM_STATE_DESTROY_PRE), 1);

    /* NULL takes one name off, and only that one. */
    OK(aclrtRegStreamStateCallback("first", NULL, NULL));
    OK(aclrtCreateStream(&other));
    EQ(reports(&first, other, ACL_RT_STREAM_STATE_CREATE_POST), 0);
    EQ(reports(&second, other, ACL_RT_STREAM_STATE_CREATE_POST), 1);
    OK(aclrtRegStreamStateCallback("second", NULL, NULL));
    OK(aclrtDestroyStream(other));
    EQ(reports(&second, other, ACL_RT_STREAM_STATE_DESTROY_PRE), 0);

    FAILS(aclrtRegStreamStateCallback(NULL, on_stream, &first));
}

static void devices(void)
{
    static DeviceLog log;

    OK(aclrtRegDeviceStateCallback("devices", on_device, &log));
    OK(aclrtSetDevice(0));
    EQ(log.count, 2);
    EQ(log.states[0], ACL_RT_DEVICE_STATE_SET_PRE);
    EQ(log.states[1], ACL_RT_DEVICE_STATE_SET_POST);
    EQ(log.devices[0], 0);
    OK(aclrtResetDevice(0));
    EQ(log.count, 4);
    EQ(log.states[2], ACL_RT_DEVICE_STATE_RESET_PRE);
    EQ(log.states[3], ACL_RT_DEVICE_STATE_RESET_POST);
    EQ(log.devices[3], 0);

    OK(aclrtRegDeviceStateCallback("devices", NULL, NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtResetDevice(0));
    EQ(log.count, 4);
    FAILS(aclrtRegDeviceStateCallback(NULL, on_device, &log));
}

/* Two threads reset a device that was set once. The callback keeps the first inside until the second has come
 * as far as it can. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int pre, post, returned;
} Meeting;

static Meeting meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};

static void on_meeting(int32_t device, aclrtDeviceState state, void *args)
{
    struct timespec limit;
    (void)args;
    EQ(device, 0);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 300;
    pthread_mutex_lock(&meeting.lock);
    meeting.pre += state == ACL_RT_DEVICE_STATE_RESET_PRE;
    meeting.post += state == ACL_RT_DEVICE_STATE_RESET_POST;
    pthread_cond_broadcast(&meeting.changed);
    while (state == ACL_RT_DEVICE_STATE_RESET_PRE && meeting.pre < 2 && meeting.returned < 1) {
        CHECK(pthread_cond_timedwait(&meeting.changed, &meeting.lock, &limit) == 0);
    }
    pthread_mutex_unlock(&meeting.lock);
}

static void *resets(void *force)
{
    aclError code = force != NULL ? aclrtResetDeviceForce(0) : aclrtResetDevice(0);
    pthread_mutex_lock(&meeting.lock);
    meeting.returned++;
    pthread_cond_broadcast(&meeting.changed);
    pthread_mutex_unlock(&meeting.lock);
    return code == ACL_SUCCESS ? &meeting : NULL;
}

static void resets_that_meet(void *first, void *second)
{
    pthread_t threads[2];
    void *won[2];

    OK(aclrtSetDevice(0));
    meeting.pre = meeting.post = meeting.returned = 0;
    OK(aclrtRegDeviceStateCallback("meeting", on_meeting, NULL));
    CHECK(pthread_create(&threads[0], NULL, resets, first) == 0);
    CHECK(pthread_create(&threads[1], NULL, resets, second) == 0);
    CHECK(pthread_join(threads[0], &won[0]) == 0);
    CHECK(pthread_join(threads[1], &won[1]) == 0);
    OK(aclrtRegDeviceStateCallback("meeting", NULL, NULL));
    /* One reset took the one set back, and it alone was told. */
    EQ((won[0] != NULL) + (won[1] != NULL), 1);
    EQ(meeting.pre, 1);
    EQ(meeting.post, 1);
}

int main(void)
{
    OK(aclInit(NULL));
    devices();
    resets_that_meet(NULL, NULL);
    resets_that_meet(&meeting, NULL);
    resets_that_meet(&meeting, &meeting);
    OK(aclrtSetDevice(0));
    streams();
    CLOSE_DEVICE();
    return 0;
}
