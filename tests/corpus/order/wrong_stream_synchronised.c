// rule: stream.race
// wrong: the program synchronises the stream of the uploads and reads what the other one computed
#include "corpus.h"

typedef struct {
    aclrtStream h2d, compute;
    void *input, *output;
    size_t bytes;
} Engine;

static Engine engine_create(size_t bytes)
{
    Engine e = {new_stream(), new_stream(), device_memory(bytes), device_memory(bytes), bytes};
    return e;
}

static void engine_infer(Engine *e, const void *host, void *result)
{
    aclrtEvent uploaded = new_event();
    ACL(aclrtMemcpyAsync(e->input, e->bytes, host, e->bytes, ACL_MEMCPY_HOST_TO_DEVICE, e->h2d));
    ACL(aclrtRecordEvent(uploaded, e->h2d));
    ACL(aclrtStreamWaitEvent(e->compute, uploaded));
    ACL(aclrtMemcpyAsync(e->output, e->bytes, e->input, e->bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, e->compute));
#ifdef WRONG
    ACL(aclrtSynchronizeStream(e->h2d));
#else
    ACL(aclrtSynchronizeStream(e->compute));
#endif
    download(result, e->output, e->bytes);
    ACL(aclrtSynchronizeDevice());
    ACL(aclrtDestroyEvent(uploaded));
}

static void engine_destroy(Engine *e)
{
    ACL(aclrtFree(e->output));
    ACL(aclrtFree(e->input));
    ACL(aclrtDestroyStream(e->compute));
    ACL(aclrtDestroyStream(e->h2d));
}

int main(void)
{
    enum { BYTES = 10000 };
    start();
    Engine engine = engine_create(BYTES);
    char *host = pinned_memory(BYTES), *result = malloc(BYTES);
    for (int request = 0; request < 4; request++) {
        memset(host, 'A' + request, BYTES);
        engine_infer(&engine, host, result);
        EXPECT(memcmp(host, result, BYTES) == 0);
    }
    free(result);
    ACL(aclrtFreeHost(host));
    engine_destroy(&engine);
    return finish();
}
