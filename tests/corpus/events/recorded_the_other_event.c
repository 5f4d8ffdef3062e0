// rule: event.never-recorded stream.race
// severity: warning
// wrong: the wait names an event that is never recorded, because the recording names another one
#include "corpus.h"

enum { BYTES = 4096 };

typedef struct {
    aclrtEvent copied, computed;
} Marks;

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Marks marks = {new_event(), new_event()};
    void *block = device_memory(BYTES);
    ACL(aclrtMemsetAsync(block, BYTES, 1, BYTES, stream));
#ifdef WRONG
    ACL(aclrtRecordEvent(marks.copied, stream));
#else
    ACL(aclrtRecordEvent(marks.computed, stream));
#endif
    ACL(aclrtSynchronizeEvent(marks.computed));
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(block, BYTES, 1));
    ACL(aclrtFree(block));
    ACL(aclrtDestroyEvent(marks.computed));
    ACL(aclrtDestroyEvent(marks.copied));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
