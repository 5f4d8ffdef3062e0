// rule: graph.freed-memory
// wrong: the framework drops the input tensor that the graph was captured with, and its cache gives the memory to the next tensor
// environment: TASK_QUEUE_ENABLE=0
#include "heaps.h"

/* A framework's caching allocator, which reports its tensors in a domain of its own. */
enum { ARENA = 1 << 20, TENSOR = 4096, STEPS = 3 };

static mstxDomainHandle_t domain;
static char *arena;
static int live[ARENA / TENSOR];

static char *tensor_new(void)
{
    int slot = 0;
    while (live[slot])
        slot++;
    live[slot] = 1;
    mstxMemVirtualRangeDesc_t range = {0, arena + slot * TENSOR, TENSOR};
    mstxMemRegionsRegisterBatch_t batch = {NULL, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 1, &range, NULL};
    mstxMemRegionsRegister(domain, &batch);
    return arena + slot * TENSOR;
}

static void tensor_free(char *tensor)
{
    mstxMemRegionRef_t ref;
    memset(&ref, 0, sizeof ref);
    ref.pointer = tensor;
    mstxMemRegionsUnregisterBatch_t batch = {1, &ref};
    mstxMemRegionsUnregister(domain, &batch);
    live[(tensor - arena) / TENSOR] = 0;
}

int main(void)
{
    aclmdlRI graph = NULL;
    start();
    aclrtStream stream = new_stream();
    arena = device_memory(ARENA);
    domain = mstxDomainCreateA("ptaCaching");
    char *input = tensor_new(), *output = tensor_new();
    ACL(aclrtMemset(input, TENSOR, 1, TENSOR));

    /* The intermediate result goes back to the cache during the capture, and is never taken from the graph. */
    ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    char *middle = tensor_new();
    ACL(aclrtMemcpyAsync(middle, TENSOR, input, TENSOR, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL(aclrtMemcpyAsync(output, TENSOR, middle, TENSOR, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL(aclmdlRICaptureEnd(stream, &graph));
    mstxMemRegionRef_t ref;
    memset(&ref, 0, sizeof ref);
    ref.pointer = middle;
    mstxMemRegionsUnregisterBatch_t batch = {1, &ref};
    mstxMemRegionsUnregister(domain, &batch);

    for (int step = 1; step <= STEPS; step++) {
#ifdef WRONG
        /* The next batch is a new tensor; the last one is not needed any more. */
        tensor_free(input);
        char *unrelated = tensor_new();
        input = tensor_new();
        ACL(aclrtMemset(unrelated, TENSOR, 77, TENSOR));
#endif
        ACL(aclrtMemset(input, TENSOR, step, TENSOR));
        ACL(aclmdlRIExecuteAsync(graph, stream));
        ACL(aclrtSynchronizeStream(stream));
#ifdef WRONG
        if (step == 1) {
            EXPECT(device_bytes(output, TENSOR, 77));
        }
        tensor_free(unrelated);
#else
        EXPECT(device_bytes(output, TENSOR, step));
#endif
    }
    tensor_free(input);
    tensor_free(output);
    ACL(aclmdlRIDestroy(graph));
    ACL(aclrtFree(arena));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
