// rule: handle.use-after-destroy
// wrong: both the worker and its owner destroy the stream
#include "corpus.h"

typedef struct {
    aclrtStream stream;
    void *block;
} Worker;

static void worker_end(Worker *worker)
{
    ACL(aclrtSynchronizeStream(worker->stream));
    ACL(aclrtFree(worker->block));
    ACL(aclrtDestroyStream(worker->stream));
}

int main(void)
{
    enum { BYTES = 4096 };
    start();
    Worker worker = {new_stream(), device_memory(BYTES)};
    ACL(aclrtMemsetAsync(worker.block, BYTES, 1, BYTES, worker.stream));
    ACL(aclrtSynchronizeStream(worker.stream));
    EXPECT(device_bytes(worker.block, BYTES, 1));
    worker_end(&worker);
#ifdef WRONG
    TRY(aclrtDestroyStream(worker.stream));
#endif
    return finish();
}
