// rule: memory.out-of-bounds
// wrong: the last batch is shorter, and the program copies a whole one past the end of the data set
#include "corpus.h"

enum { SAMPLES = 100, SAMPLE = 256, BATCH = 32 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    char *all = device_memory(SAMPLES * SAMPLE), *batch = device_memory(BATCH * SAMPLE);
    int seen = 0;
    ACL(aclrtMemset(all, SAMPLES * SAMPLE, 8, SAMPLES * SAMPLE));
    for (int begin = 0; begin < SAMPLES; begin += BATCH) {
        int count = SAMPLES - begin < BATCH ? SAMPLES - begin : BATCH;
#ifdef WRONG
        size_t bytes = BATCH * SAMPLE;
#else
        size_t bytes = (size_t)count * SAMPLE;
#endif
        ACL(aclrtMemcpyAsync(batch, BATCH * SAMPLE, all + begin * SAMPLE, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        ACL(aclrtSynchronizeStream(stream));
        EXPECT(device_bytes(batch, bytes, 8));
        seen += count;
    }
    EXPECT(seen == SAMPLES);
    ACL(aclrtFree(batch));
    ACL(aclrtFree(all));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
