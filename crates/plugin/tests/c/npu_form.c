/* The form for torch_npu's pluggable allocator: the streams of a device share a pool, and a stream gets what another has freed only
 * when that one is past it. The gate keeps the first from getting there. */
#include "shared.h"
#include "gate.h"

#include <millpond/cuda.h>

int main(void)
{
    aclrtStream first = NULL, second = NULL;
    Gate gate;
    void *block, *other, *again;
    int i;

    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&first));
    OK(aclrtCreateStream(&second));

    CHECK(millpondTorchNpuAlloc(0, 0, first) == NULL);
    block = millpondTorchNpuAlloc(8 * MIB, 0, first);
    CHECK(block != NULL);
    gate = gate_close(first);
    OK(aclrtMemsetAsync(block, 8 * MIB, 7, 8 * MIB, first));
    millpondTorchNpuFree(block, 8 * MIB, 0, first);
    /* The first stream has it again and again, although nothing has run. */
    for (i = 0; i < 200; i++) {
        again = millpondTorchNpuAlloc(8 * MIB, 0, first);
        CHECK(again == block);
        millpondTorchNpuFree(again, 8 * MIB, 0, NULL);
    }
    other = millpondTorchNpuAlloc(8 * MIB, 0, second);
    CHECK(other != NULL && other != block);
    OK(aclrtMemsetAsync(other, 8 * MIB, 9, 8 * MIB, second));
    gate_open(gate);
    OK(aclrtSynchronizeStream(first));
    OK(aclrtSynchronizeStream(second));
    millpondTorchNpuFree(other, 8 * MIB, 0, second);
    /* Another device than that of the thread. */
    CHECK(millpondTorchNpuAlloc(8 * MIB, 5, first) == NULL);
    OK(aclrtDestroyStream(first));
    OK(aclrtDestroyStream(second));
    _exit(0);
}
