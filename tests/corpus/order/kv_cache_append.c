// rule: stream.race
// wrong: attention reads the cache while the append of the new token is still on its way on another stream
#include "tensors.h"

/* Decoding: each token's key is appended on a copy stream, attention reads all keys so far. */
enum { TOKENS = 6, HEAD = 64 };

int main(void)
{
    start();
    aclrtStream append = new_stream(), attention = new_stream();
    aclrtEvent appended = new_event(), attended = new_event();
    float *keys = pinned_memory(TOKENS * HEAD * sizeof(float));
    float *cache = device_memory(TOKENS * HEAD * sizeof(float));
    Tensor one = new_vector(HEAD), out = new_vector(HEAD);
    fill(one, 1);
    fill(out, 0);

    for (int token = 0; token < TOKENS; token++) {
        float *key = keys + token * HEAD, *place = cache + token * HEAD;
        size_t bytes = HEAD * sizeof(float);
        for (int i = 0; i < HEAD; i++)
            key[i] = (float)token;
        ACL(aclrtMemcpyAsync(place, bytes, key, bytes, ACL_MEMCPY_HOST_TO_DEVICE, append));
        ACL(aclrtRecordEvent(appended, append));
#ifdef WRONG
        if (token == 0)
#endif
            ACL(aclrtStreamWaitEvent(attention, appended));
        for (int past = 0; past <= token; past++) {
            Tensor view = vector_at(cache + past * HEAD, HEAD);
            add(out, view, out, attention);
            forget(view);
        }
        ACL(aclrtRecordEvent(attended, attention));
    }
    ACL(aclrtSynchronizeEvent(attended));
    ACL(aclrtSynchronizeStream(append));
    EXPECT(holds(out, 35));

    drop(out);
    drop(one);
    ACL(aclrtFree(cache));
    ACL(aclrtFreeHost(keys));
    ACL(aclrtDestroyEvent(attended));
    ACL(aclrtDestroyEvent(appended));
    ACL(aclrtDestroyStream(attention));
    ACL(aclrtDestroyStream(append));
    return finish();
}
