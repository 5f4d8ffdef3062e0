// rule: memory.written-after-free
// wrong: a producer that was not told of the end writes its last sample into the freed pinned buffer
#include "corpus.h"

typedef struct {
    int32_t *samples;
    int count;
} Recorder;

static void sample(Recorder *recorder, int value)
{
    recorder->samples[recorder->count++] = value;
}

int main(void)
{
    enum { CAPACITY = 256 };
    Recorder recorder = {NULL, 0};
    int32_t back[10];
    start();
    void *device = device_memory(sizeof back);
    recorder.samples = pinned_memory(CAPACITY * sizeof(int32_t));
    for (int i = 0; i < 10; i++)
        sample(&recorder, i * i);
    upload(device, recorder.samples, sizeof back);
#ifdef WRONG
    ACL(aclrtFreeHost(recorder.samples));
    sample(&recorder, -1);
#else
    sample(&recorder, -1);
    ACL(aclrtFreeHost(recorder.samples));
#endif
    download(back, device, sizeof back);
    for (int i = 0; i < 10; i++)
        EXPECT(back[i] == i * i);
    ACL(aclrtFree(device));
    return finish();
}
