// rule: stream.race
// wrong: the third stage waits for the first stage instead of the second
#include "corpus.h"

enum { FRAMES = 4, BYTES = 2048 };

typedef struct {
    aclrtStream stream;
    aclrtEvent done[FRAMES];
    char *frames;
} Stage;

static Stage stage(void)
{
    Stage s;
    s.stream = new_stream();
    s.frames = device_memory(FRAMES * BYTES);
    for (int i = 0; i < FRAMES; i++)
        s.done[i] = new_event();
    return s;
}

static void pass(Stage *from, Stage *to, Stage *after, int frame)
{
    ACL(aclrtStreamWaitEvent(to->stream, after->done[frame]));
    ACL(aclrtMemcpyAsync(to->frames + frame * BYTES, BYTES, from->frames + frame * BYTES, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, to->stream));
    ACL(aclrtRecordEvent(to->done[frame], to->stream));
}

int main(void)
{
    start();
    Stage decode = stage(), resize = stage(), infer = stage();
    for (int frame = 0; frame < FRAMES; frame++) {
        ACL(aclrtMemsetAsync(decode.frames + frame * BYTES, BYTES, frame, BYTES, decode.stream));
        ACL(aclrtRecordEvent(decode.done[frame], decode.stream));
        pass(&decode, &resize, &decode, frame);
#ifdef WRONG
        pass(&resize, &infer, &decode, frame);
#else
        pass(&resize, &infer, &resize, frame);
#endif
    }
    ACL(aclrtSynchronizeStream(infer.stream));
    for (int frame = 0; frame < FRAMES; frame++)
        EXPECT(device_bytes(infer.frames + frame * BYTES, BYTES, frame));
    ACL(aclrtSynchronizeDevice());
    Stage *all[] = {&decode, &resize, &infer};
    for (int i = 0; i < 3; i++) {
        for (int frame = 0; frame < FRAMES; frame++)
            ACL(aclrtDestroyEvent(all[i]->done[frame]));
        ACL(aclrtFree(all[i]->frames));
        ACL(aclrtDestroyStream(all[i]->stream));
    }
    return finish();
}
