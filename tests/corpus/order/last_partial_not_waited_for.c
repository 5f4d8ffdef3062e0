// rule: stream.race
// wrong: the loop that waits for the workers stops one worker too early
#include "tensors.h"

/* Four streams compute a part each; the main stream adds the parts up. */
enum { WORKERS = 4, COUNT = 256 };

int main(void)
{
    Tensor parts[WORKERS], inputs[WORKERS];
    aclrtStream streams[WORKERS];
    aclrtEvent done[WORKERS];

    start();
    aclrtStream main_stream = new_stream();
    Tensor total = new_vector(COUNT);
    fill(total, 0);
    for (int i = 0; i < WORKERS; i++) {
        streams[i] = new_stream();
        done[i] = new_event();
        inputs[i] = new_vector(COUNT);
        parts[i] = new_vector(COUNT);
        fill(inputs[i], (float)(i + 1));
    }
    for (int i = 0; i < WORKERS; i++) {
        add(inputs[i], inputs[i], parts[i], streams[i]);
        ACL(aclrtRecordEvent(done[i], streams[i]));
    }
#ifdef WRONG
    for (int i = 0; i < WORKERS - 1; i++)
#else
    for (int i = 0; i < WORKERS; i++)
#endif
        ACL(aclrtStreamWaitEvent(main_stream, done[i]));
    for (int i = 0; i < WORKERS; i++)
        add(total, parts[i], total, main_stream);
    ACL(aclrtSynchronizeDevice());
    EXPECT(holds(total, 20));

    for (int i = 0; i < WORKERS; i++) {
        drop(parts[i]);
        drop(inputs[i]);
        ACL(aclrtDestroyEvent(done[i]));
        ACL(aclrtDestroyStream(streams[i]));
    }
    drop(total);
    ACL(aclrtDestroyStream(main_stream));
    return finish();
}
