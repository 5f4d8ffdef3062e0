// rule: stream.race
// wrong: the program asks whether the event was reached and does not look at the answer
#include "corpus.h"

enum { BYTES = 1 << 20 };

static void wait_by_polling(aclrtEvent event)
{
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
#ifdef WRONG
    ACL(aclrtQueryEventStatus(event, &status));
#else
    while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE)
        ACL(aclrtQueryEventStatus(event, &status));
#endif
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    aclrtEvent done = new_event();
    char *block = device_memory(BYTES), *copy = device_memory(BYTES);
    for (int i = 0; i < 16; i++) {
        ACL(aclrtMemsetAsync(block, BYTES, i, BYTES, stream));
        ACL(aclrtMemcpyAsync(copy, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    }
    ACL(aclrtRecordEvent(done, stream));
    wait_by_polling(done);
    EXPECT(device_bytes(copy, BYTES, 15));
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtFree(copy));
    ACL(aclrtFree(block));
    ACL(aclrtDestroyEvent(done));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
