/* May memory be unmapped while queued work still names it? The call returns at
 * once and does not wait: the stream may be parked on an event that this very
 * thread records later. The work finds the bytes where they were, and nothing
 * else can be mapped there before it is over. */
#include "vmm.h"
#include "gate.h"

#define SIZE (2 * MIB)

static void nothing(void *unused)
{
    (void)unused;
}

/* The call waits for work that ends without the program: also behind an event that another stream records. Only where it depends on the
 * program, on a function or on an event to be recorded, the mapping is refused. `piece` is mapped at `range`, with 0x32. */
static void mapped_again_at_once(char *range, aclrtDrvMemHandle piece, void *target, aclrtStream stream)
{
    aclrtStream other = NULL;
    aclrtEvent event = NULL;
    aclrtDrvMemHandle second = physical(0, SIZE);

    OK(aclrtCreateStream(&other));
    OK(aclrtCreateEvent(&event));
    OK(aclrtMemsetAsync(target, SIZE, 0, SIZE, other));
    OK(aclrtRecordEvent(event, other));
    OK(aclrtStreamWaitEvent(stream, event));
    OK(aclrtMemcpyAsync(target, SIZE, range, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    OK(aclrtUnmapMem(range));
    OK(aclrtMapMem(range, SIZE, 0, second, 0));
    OK(aclrtMemset(range, SIZE, 0x33, SIZE));
    OK(aclrtSynchronizeStream(stream));
    EQ(value_of(target, SIZE), 0x32);
    EQ(value_of(range, SIZE), 0x33);

    OK(aclrtLaunchHostFunc(stream, nothing, NULL));
    OK(aclrtMemcpyAsync(target, SIZE, range, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    OK(aclrtUnmapMem(range));
    RETURNS(aclrtMapMem(range, SIZE, 0, piece, 0));
    OK(aclrtSynchronizeStream(stream));
    EQ(value_of(target, SIZE), 0x33);
    RETURNS(aclrtMapMem(range, SIZE, 0, piece, 0));
    EQ(value_of(range, SIZE), 0x32);

    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(other));
    OK(aclrtFreePhysical(second));
}

int main(void)
{
    aclrtStream stream = NULL;
    aclrtDrvMemHandle piece, fresh;
    void *target = NULL, *at = NULL;
    char *range;
    size_t before;
    Gate gate;

    OPEN_DEVICE();
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&target, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    before = free_memory();
    range = reserve(64 * MIB);
    piece = physical(0, SIZE);
    fresh = physical(0, SIZE);
    OK(aclrtMapMem(range, SIZE, 0, piece, 0));
    OK(aclrtMemset(range, SIZE, 0x31, SIZE));

    gate = gate_close(stream);
    OK(aclrtMemcpyAsync(target, SIZE, range, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    OK(aclrtUnmapMem(range));
    OK(aclrtFreePhysical(piece));
    EQ(free_memory(), before - SIZE);
    FAILS(aclrtUnmapMem(range));
    FAILS(aclrtMemset(range, SIZE, 0, 1));

    /* Not there yet; the text says what to wait for. */
    FAILS(aclrtMapMem(range, SIZE, 0, fresh, 0));
    MENTIONS("of stream ");
    MENTIONS("synchronise");
    OK(aclrtMapMem(range + SIZE, SIZE, 0, fresh, 0));
    OK(aclrtMemset(range + SIZE, SIZE, 0x32, SIZE));
    OK(aclrtUnmapMem(range + SIZE));
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    EQ(value_of(target, SIZE), 0x31);
    OK(aclrtMapMem(range, SIZE, 0, fresh, 0));
    EQ(value_of(range, SIZE), 0x32);
    gate_free(gate);

    mapped_again_at_once(range, fresh, target, stream);

    /* The addresses as well. */
    gate = gate_close(stream);
    OK(aclrtMemsetAsync(range, SIZE, 1, SIZE, stream));
    OK(aclrtUnmapMem(range));
    OK(aclrtReleaseMemAddress(range));
    FAILS(aclrtReleaseMemAddress(range));
    OK(aclrtReserveMemAddress(&at, 64 * MIB, 0, NULL, 1));
    CHECK((char *)at + 64 * MIB <= range || range + 64 * MIB <= (char *)at);
    gate_open(gate);
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMapMem(at, SIZE, 0, fresh, 0));
    EQ(value_of(at, SIZE), 1);
    gate_free(gate);

    /* And the stream goes before its work could run. */
    gate = gate_close(stream);
    OK(aclrtMemsetAsync(at, SIZE, 2, SIZE, stream));
    OK(aclrtUnmapMem(at));
    OK(aclrtDestroyStreamForce(stream));
    OK(aclrtMapMem(at, SIZE, 0, fresh, 0));
    EQ(value_of(at, SIZE), 1);
    gate_open(gate);
    gate_free(gate);

    OK(aclrtUnmapMem(at));
    OK(aclrtFreePhysical(fresh));
    OK(aclrtReleaseMemAddress(at));
    EQ(free_memory(), before);
    CLOSE_DEVICE();
    return 0;
}
