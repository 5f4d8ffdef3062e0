/* Do notifications order streams, in one process and between two? Set or not, and counted. */
#include "two.h"

#define SIZE (1 * MIB)

static aclrtStream stream;

static void open_device(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
}

static void close_device(void)
{
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

static int done;

static void note(void *unused)
{
    (void)unused;
    __atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST);
}

/* The first process waits, the second one records. */
static void waits(void)
{
    aclrtNotify there, back;
    message said, other;
    void *block;
    int round;
    open_device();
    OK(aclrtCreateNotify(&there, ACL_NOTIFY_DEFAULT));
    OK(aclrtCreateNotify(&back, ACL_NOTIFY_DEFAULT));
    OK(aclrtMalloc(&block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    memset(&said, 0, sizeof said);
    OK(aclrtNotifyGetExportKey(there, said.key, KEY_BYTES, ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    EQ(strlen(said.key), KEY_BYTES - 1);
    say(&said);
    OK(aclrtNotifyGetExportKey(back, said.key, KEY_BYTES, ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT));
    say(&said);
    OK(aclrtIpcMemGetExportKey(block, SIZE, said.key, KEY_BYTES, 1));
    say(&said);
    other = heard();
    OK(aclrtNotifySetImportPid(back, &other.pid, 1));
    say_go();
    for (round = 1; round <= 20; round++) {
        OK(aclrtMemsetAsync(block, SIZE, round, SIZE, stream));
        OK(aclrtRecordNotify(there, stream));
        OK(aclrtWaitAndResetNotify(back, stream, 0));
        OK(aclrtSynchronizeStream(stream));
        CHECK(is_full_of(block, SIZE, 100 + round));
    }
    other_ended_well();
    /* Every record was taken by its wait. */
    OK(aclrtWaitAndResetNotify(back, stream, 20));
    CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT);
    OK(aclrtDestroyNotify(there));
    OK(aclrtDestroyNotify(back));
    OK(aclrtFree(block));
    close_device();
}

static void records(void)
{
    aclrtNotify there, back = NULL;
    message keys[3], own;
    void *block;
    int round;
    open_device();
    keys[0] = heard();
    keys[1] = heard();
    keys[2] = heard();
    OK(aclrtNotifyImportByKey(&there, keys[0].key, ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS));
    CODE(aclrtNotifyImportByKey(&back, keys[1].key, 0), ACL_ERROR_RT_NO_PERMISSION);
    CODE(aclrtNotifyImportByKey(&back, keys[2].key, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(back == NULL);
    OK(aclrtIpcMemImportByKey(&block, keys[2].key, 1));
    memset(&own, 0, sizeof own);
    OK(aclrtDeviceGetBareTgid(&own.pid));
    say(&own);
    heard();
    OK(aclrtNotifyImportByKey(&back, keys[1].key, 0));
    for (round = 1; round <= 20; round++) {
        OK(aclrtWaitAndResetNotify(there, stream, 0));
        OK(aclrtMemsetAsync(block, SIZE, 100 + round, SIZE, stream));
        OK(aclrtRecordNotify(back, stream));
    }
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyNotify(there));
    OK(aclrtDestroyNotify(back));
    OK(aclrtIpcMemClose(keys[2].key));
    close_device();
}

/* One that was to record dies: the wait has a limit, or is aborted. */
static void waits_for_the_dead(void)
{
    aclrtNotify notify;
    message said;
    open_device();
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    memset(&said, 0, sizeof said);
    OK(aclrtNotifyGetExportKey(notify, said.key, KEY_BYTES, 2));
    say(&said);
    heard();
    CHECK(kill(two_other, SIGKILL) == 0);
    CHECK(WIFSIGNALED(end_of_other()));
    OK(aclrtWaitAndResetNotify(notify, stream, 50));
    CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT);
    OK(aclrtRecordNotify(notify, stream));
    OK(aclrtWaitAndResetNotify(notify, stream, 0));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyNotify(notify));
    close_device();
}

static void dies(void)
{
    aclrtNotify notify;
    message said;
    open_device();
    said = heard();
    OK(aclrtNotifyImportByKey(&notify, said.key, 0));
    say_go();
    for (;;) {
        pause();
    }
}

static void alone(void)
{
    aclrtNotify one, two, none = NULL, both[2];
    aclrtCntNotify counted = NULL;
    aclrtCntNotifyRecordInfo record = {ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 0};
    aclrtCntNotifyWaitInfo wait;
    aclrtStream other;
    char key[KEY_BYTES], same[KEY_BYTES];
    uint32_t first = 77, second = 77;
    int32_t pid = getpid();
    open_device();
    OK(aclrtCreateStream(&other));
    CODE(aclrtCreateNotify(NULL, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCreateNotify(&none, 2), ACL_ERROR_INVALID_PARAM);
    OK(aclrtCreateNotify(&one, ACL_NOTIFY_DEFAULT));
    OK(aclrtCreateNotify(&two, ACL_NOTIFY_DEVICE_USE_ONLY));
    OK(aclrtGetNotifyId(one, &first));
    OK(aclrtGetNotifyId(two, &second));
    CHECK(first != second);
    CODE(aclrtGetNotifyId(one, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtRecordNotify(NULL, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtRecordNotify(stream, stream), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclrtWaitAndResetNotify(NULL, stream, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtNotifySetImportPid(one, &pid, 1), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtNotifyGetExportKey(one, key, 64, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtNotifyGetExportKey(one, key, KEY_BYTES, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtNotifyGetExportKey(one, NULL, KEY_BYTES, 0), ACL_ERROR_INVALID_PARAM);
    OK(aclrtNotifyGetExportKey(one, key, KEY_BYTES, 0));
    OK(aclrtNotifyGetExportKey(one, same, KEY_BYTES, 2));
    CHECK(strcmp(key, same) == 0);
    CODE(aclrtNotifySetImportPid(one, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtNotifySetImportPid(one, &pid, 0), ACL_ERROR_INVALID_PARAM);
    OK(aclrtNotifySetImportPid(one, &pid, 1));
    CODE(aclrtNotifyImportByKey(&none, key, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtNotifyImportByKey(&none, "short", 0), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtNotifyImportByKey(NULL, key, 0), ACL_ERROR_INVALID_PARAM);
    CHECK(none == NULL);

    /* A wait is passed once for any number of records before it. */
    OK(aclrtRecordNotify(one, stream));
    OK(aclrtRecordNotify(one, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtWaitAndResetNotify(one, other, 0));
    OK(aclrtSynchronizeStream(other));
    OK(aclrtWaitAndResetNotify(one, other, 0));
    OK(aclrtLaunchHostFunc(other, note, NULL));
    OK(aclrtNotifyImportByKey(&none, key, 0));
    EQ(__atomic_load_n(&done, __ATOMIC_SEQ_CST), 0);
    OK(aclrtRecordNotify(none, NULL));
    OK(aclrtSynchronizeStream(NULL));
    OK(aclrtSynchronizeStream(other));
    EQ(__atomic_load_n(&done, __ATOMIC_SEQ_CST), 1);
    OK(aclrtDestroyNotify(none));
    /* Cleared at once. */
    OK(aclrtRecordNotify(one, stream));
    OK(aclrtRecordNotify(two, stream));
    OK(aclrtSynchronizeStream(stream));
    both[0] = one;
    both[1] = two;
    CODE(aclrtNotifyBatchReset(NULL, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtNotifyBatchReset(both, 0), ACL_ERROR_INVALID_PARAM);
    OK(aclrtNotifyBatchReset(both, 2));
    OK(aclrtWaitAndResetNotify(two, other, 20));
    CODE(aclrtSynchronizeStream(other), ACL_ERROR_RT_WAIT_TIMEOUT);

    /* A wait that nobody wants any more takes nothing. */
    OK(aclrtWaitAndResetNotify(one, other, 0));
    OK(aclrtStreamAbort(other));
    OK(aclrtSynchronizeStream(other));
    OK(aclrtRecordNotify(one, stream));
    OK(aclrtWaitAndResetNotify(one, stream, 0));
    OK(aclrtSynchronizeStream(stream));

    /* Counted. */
    CODE(aclrtCntNotifyCreate(NULL, 0), ACL_ERROR_INVALID_PARAM);
    OK(aclrtCntNotifyCreate(&counted, 0));
    OK(aclrtCntNotifyGetId(counted, &first));
    memset(&wait, 0, sizeof wait);
    CODE(aclrtCntNotifyRecord(counted, stream, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCntNotifyWaitWithTimeout(counted, stream, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCntNotifyRecord(one, stream, &record), ACL_ERROR_RT_INVALID_HANDLE);
    record.mode = 3;
    CODE(aclrtCntNotifyRecord(counted, stream, &record), ACL_ERROR_INVALID_PARAM);
    wait.mode = 5;
    CODE(aclrtCntNotifyWaitWithTimeout(counted, stream, &wait), ACL_ERROR_INVALID_PARAM);
    /* 0 < 1, then 5, 5 + 2 = 7, 7 | 8 = 15, 15 & 6 = 6. */
    wait.mode = ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE;
    wait.value = 1;
    OK(aclrtCntNotifyWaitWithTimeout(counted, stream, &wait));
    record.mode = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE;
    record.value = 5;
    OK(aclrtCntNotifyRecord(counted, stream, &record));
    record.mode = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE;
    record.value = 2;
    OK(aclrtCntNotifyRecord(counted, stream, &record));
    wait.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
    wait.value = 7;
    OK(aclrtCntNotifyWaitWithTimeout(counted, stream, &wait));
    record.mode = ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE;
    record.value = 8;
    OK(aclrtCntNotifyRecord(counted, stream, &record));
    wait.mode = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE;
    wait.value = 14;
    OK(aclrtCntNotifyWaitWithTimeout(counted, stream, &wait));
    record.mode = ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE;
    record.value = 6;
    OK(aclrtCntNotifyRecord(counted, stream, &record));
    wait.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE;
    wait.value = 4;
    OK(aclrtCntNotifyWaitWithTimeout(counted, stream, &wait));
    wait.mode = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE;
    wait.value = 6;
    wait.isClear = 1;
    OK(aclrtCntNotifyWaitWithTimeout(counted, stream, &wait));
    OK(aclrtSynchronizeStream(stream));
    /* It is 0 again. */
    wait.mode = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE;
    wait.value = 0;
    wait.timeout = 20;
    OK(aclrtCntNotifyWaitWithTimeout(counted, stream, &wait));
    CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT);
    record.mode = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE;
    OK(aclrtCntNotifyRecord(counted, stream, &record));
    OK(aclrtCntNotifyReset(counted, stream));
    wait.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
    wait.timeout = 0;
    OK(aclrtCntNotifyWaitWithTimeout(counted, stream, &wait));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtCntNotifyDestroy(counted));
    CODE(aclrtCntNotifyDestroy(counted), ACL_ERROR_RT_INVALID_HANDLE);
    OK(aclrtDestroyNotify(one));
    OK(aclrtDestroyNotify(two));
    CODE(aclrtDestroyNotify(one), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclrtNotifyImportByKey(&none, key, 0), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtDestroyStream(other));
    close_device();
}

/* A reset ends waits that nothing else would end. */
static void reset(void)
{
    aclrtNotify notify;
    open_device();
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    OK(aclrtWaitAndResetNotify(notify, stream, 0));
    OK(aclrtDestroyNotify(notify));
    OK(aclrtResetDeviceForce(0));
    OK(aclFinalize());
}

/* Two streams use a block, ordered by a notification alone: that is no race. The wait comes first. */
static void ordered(void)
{
    aclrtNotify notify;
    aclrtStream other;
    void *block;
    open_device();
    OK(aclrtCreateStream(&other));
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    OK(aclrtMalloc(&block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtWaitAndResetNotify(notify, other, 0));
    OK(aclrtMemsetAsync(block, SIZE, 2, SIZE, other));
    OK(aclrtMemsetAsync(block, SIZE, 1, SIZE, stream));
    OK(aclrtRecordNotify(notify, stream));
    OK(aclrtSynchronizeStream(other));
    CHECK(is_full_of(block, SIZE, 2));
    OK(aclrtFree(block));
    OK(aclrtDestroyNotify(notify));
    OK(aclrtDestroyStream(other));
    close_device();
}

static void nothing(void)
{
}

int main(int argc, char **argv)
{
    static const scene scenes[] = {
        {"waits", waits, records, 0},
        {"waits for the dead", waits_for_the_dead, dies, 1},
        {"alone", alone, nothing, 0},
        {"reset", reset, nothing, 0},
        {"ordered", ordered, nothing, 0},
    };
    return play(argc, argv, scenes, sizeof scenes / sizeof scenes[0]);
}
