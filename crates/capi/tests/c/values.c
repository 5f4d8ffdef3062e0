/* Do words in memory order streams? All comparisons, all that may write a word, and what is refused. */
#include "gate.h"

static aclrtStream first, second;

static uint64_t word_at(const void *at)
{
    uint64_t value = 0;
    OK(aclrtMemcpy(&value, sizeof value, at, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
    return value;
}

static int is_waiting(aclrtStream stream)
{
    aclrtStreamStatus status;
    settle(stream);
    OK(aclrtStreamQuery(stream, &status));
    return status == ACL_STREAM_STATUS_NOT_READY;
}

/* A wait passes with one word, and not with another. */
static void compares(uint32_t *words, uint32_t flag, uint64_t value, uint64_t not_yet, uint64_t then)
{
    OK(aclrtMemcpy(words, 8, &not_yet, 8, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtValueWait(words, value, flag, first));
    CHECK(is_waiting(first));
    OK(aclrtValueWrite(words, then, 0, second));
    OK(aclrtSynchronizeStream(first));
    EQ(word_at(words), then);
    OK(aclrtSynchronizeStream(second));
}

static void comparisons(uint32_t *words)
{
    uint64_t top = UINT64_C(1) << 63;
    compares(words, ACL_STREAM_WAIT_VALUE_GEQ, 5, 4, 5);
    compares(words, ACL_STREAM_WAIT_VALUE_GEQ, 5, 4, 900);
    /* Numbers that wrap around: 2 comes after 2^64 - 1. */
    compares(words, ACL_STREAM_WAIT_VALUE_GEQ, UINT64_MAX, UINT64_MAX - 1, 2);
    compares(words, ACL_STREAM_WAIT_VALUE_GEQ, 0, top, top - 1);
    compares(words, ACL_STREAM_WAIT_VALUE_EQ, 5, 6, 5);
    compares(words, ACL_STREAM_WAIT_VALUE_AND, 6, 9, 4);
    compares(words, ACL_STREAM_WAIT_VALUE_NOR, UINT64_MAX - 1, 1, 2);
}

/* What one stream wrote before the word is there after the wait. */
static void orders(uint32_t *words)
{
    unsigned char *from, *to;
    unsigned char host[64];
    uint64_t round;
    OK(aclrtMalloc((void **)&from, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&to, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(words, 32, 0, 32));
    for (round = 1; round <= 20; round++) {
        /* The reader is queued first; the writer waits until the reader has read. */
        OK(aclrtValueWait(words, round, ACL_STREAM_WAIT_VALUE_GEQ, first));
        OK(aclrtMemcpyAsync(to, 64, from, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, first));
        OK(aclrtValueWrite(words + 2, round, 0, first));
        OK(aclrtValueWait(words + 2, round - 1, ACL_STREAM_WAIT_VALUE_EQ, second));
        OK(aclrtMemsetAsync(from, 64, (int)round, 64, second));
        OK(aclrtValueWrite(words, round, 0, second));
    }
    OK(aclrtSynchronizeStream(first));
    OK(aclrtMemcpy(host, 64, to, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(host[0], 20);
    EQ(host[63], 20);
    OK(aclrtSynchronizeStream(second));
    OK(aclrtFree(from));
    OK(aclrtFree(to));
}

/* One word that is set and cleared again, as by an event that is used in every round. */
static void sets_and_clears(uint32_t *words)
{
    int round;
    OK(aclrtMemset(words, 32, 0, 32));
    for (round = 0; round < 10; round++) {
        OK(aclrtValueWait(words, 1, ACL_STREAM_WAIT_VALUE_EQ, first));
        OK(aclrtValueWrite(words, 0, 0, first));
        CHECK(is_waiting(first));
        OK(aclrtValueWrite(words, 1, 0, second));
        OK(aclrtSynchronizeStream(first));
        EQ(word_at(words), 0);
        OK(aclrtSynchronizeStream(second));
    }
}

static void wakes(uint32_t *words)
{
    aclrtStream third;
    aclrtEvent event;
    uint64_t *pinned;
    void *other;
    OK(aclrtCreateStream(&third));
    OK(aclrtMallocHost((void **)&pinned, 64));
    OK(aclrtMalloc(&other, 64, ACL_MEM_MALLOC_HUGE_FIRST));

    /* A fill, in a stream and by a call. */
    OK(aclrtMemset(words, 32, 0, 32));
    OK(aclrtValueWait(words, UINT64_C(0x0101010101010101), ACL_STREAM_WAIT_VALUE_EQ, first));
    CHECK(is_waiting(first));
    OK(aclrtMemsetAsync(words, 32, 1, 8, second));
    OK(aclrtSynchronizeStream(first));
    OK(aclrtSynchronizeStream(second));
    OK(aclrtValueWait(words, 0, ACL_STREAM_WAIT_VALUE_EQ, first));
    CHECK(is_waiting(first));
    OK(aclrtMemset(words, 32, 0, 32));
    OK(aclrtSynchronizeStream(first));

    /* A copy, in a stream and by a call. */
    pinned[0] = 3;
    OK(aclrtValueWait(words, 3, ACL_STREAM_WAIT_VALUE_EQ, first));
    CHECK(is_waiting(first));
    OK(aclrtMemcpyAsync(words, 32, pinned, 8, ACL_MEMCPY_HOST_TO_DEVICE, second));
    OK(aclrtSynchronizeStream(first));
    OK(aclrtSynchronizeStream(second));
    pinned[0] = 4;
    OK(aclrtValueWait(words, 4, ACL_STREAM_WAIT_VALUE_EQ, first));
    CHECK(is_waiting(first));
    OK(aclrtMemcpy(words, 32, pinned, 8, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtSynchronizeStream(first));

    /* Two wait for one word, and an event behind a wait is reached with it. */
    OK(aclrtCreateEvent(&event));
    OK(aclrtValueWait(words, 5, ACL_STREAM_WAIT_VALUE_GEQ, first));
    OK(aclrtRecordEvent(event, first));
    OK(aclrtStreamWaitEvent(second, event));
    OK(aclrtValueWait(words, 5, ACL_STREAM_WAIT_VALUE_GEQ, third));
    CHECK(is_waiting(second) && is_waiting(third));
    OK(aclrtValueWrite(words, 7, 0, NULL));
    OK(aclrtSynchronizeStream(second));
    OK(aclrtSynchronizeStream(third));
    OK(aclrtSynchronizeStream(NULL));
    OK(aclrtDestroyEvent(event));

    /* Code of the program: it writes pinned memory itself. */
    pinned[0] = 0;
    OK(aclrtValueWait(pinned, 9, ACL_STREAM_WAIT_VALUE_EQ, first));
    CHECK(is_waiting(first));
    __atomic_store_n(pinned, 9, __ATOMIC_SEQ_CST);
    OK(aclrtSynchronizeStream(first));
    OK(aclrtValueWrite(pinned, 10, 0, first));
    OK(aclrtSynchronizeStream(first));
    EQ(pinned[0], 10);

    /* A wait that is not wanted any more. */
    OK(aclrtValueWait(words, 100, ACL_STREAM_WAIT_VALUE_EQ, third));
    OK(aclrtMemsetAsync(other, 64, 1, 64, third));
    CHECK(is_waiting(third));
    OK(aclrtStreamAbort(third));
    RETURNS(aclrtSynchronizeStream(third));
    OK(aclrtDestroyStreamForce(third));

    OK(aclrtFree(other));
    OK(aclrtFreeHost(pinned));
}

static void is_refused(uint32_t *words)
{
    uint64_t own = 0;
    aclrtStream gone;
    OK(aclrtCreateStream(&gone));
    OK(aclrtDestroyStream(gone));
    CODE(aclrtValueWrite(NULL, 1, 0, first), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtValueWait(NULL, 1, 0, first), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtValueWrite(words, 1, 1, first), ACL_ERROR_INVALID_PARAM);
    MENTIONS("flag");
    CODE(aclrtValueWait(words, 1, 4, first), ACL_ERROR_INVALID_PARAM);
    MENTIONS("flag");
    CODE(aclrtValueWrite(words + 1, 1, 0, first), ACL_ERROR_INVALID_PARAM);
    MENTIONS("multiple of 8");
    CODE(aclrtValueWait(words + 1, 1, 0, first), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtValueWrite(&own, 1, 0, first), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtValueWait(&own, 1, 0, first), ACL_ERROR_RT_PARAM_INVALID);
    EQ(own, 0);
    FAILS(aclrtValueWrite(words, 1, 0, gone));
    FAILS(aclrtValueWait(words, 1, 0, gone));
}

int main(void)
{
    uint32_t *words;
    OPEN_DEVICE();
    OK(aclrtCreateStream(&first));
    OK(aclrtCreateStream(&second));
    OK(aclrtMalloc((void **)&words, 32, ACL_MEM_MALLOC_HUGE_FIRST));
    comparisons(words);
    orders(words);
    sets_and_clears(words);
    wakes(words);
    is_refused(words);
    OK(aclrtFree(words));
    OK(aclrtDestroyStream(first));
    OK(aclrtDestroyStream(second));
    CLOSE_DEVICE();
    return 0;
}
