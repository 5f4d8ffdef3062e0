// rule: memory.growth
// severity: warning
// wrong: each turn's tensor is put into a list that nobody empties
// environment: TASK_QUEUE_ENABLE=0
#include "heaps.h"

/* A framework's caching allocator, which reports its tensors in a domain of its own. */
enum { ARENA = 32 << 20, TENSOR = 1 << 20, TURNS = 24 };

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
    start();
    arena = device_memory(ARENA);
    domain = mstxDomainCreateA("ptaCaching");
    for (int turn = 0; turn < TURNS; turn++) {
        char *activation = tensor_new(), *loss = tensor_new();
        ACL(aclrtMemset(activation, TENSOR, turn, TENSOR));
        ACL(aclrtMemcpy(loss, TENSOR, activation, TENSOR, ACL_MEMCPY_DEVICE_TO_DEVICE));
        EXPECT(device_bytes(loss, 4096, turn));
        tensor_free(activation);
#ifndef WRONG
        tensor_free(loss);
#endif
    }
    return finish();
}
