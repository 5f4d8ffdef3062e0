/* Memory that a registered allocator gives a run is the run's until its place in the stream has passed, and has no
 * content afterwards: in the first run of a shape, which may happen inside the call, as in every later one. */
#include "ops.h"
#include "parts.h"

#include <acl/acl_rt_allocator.h>

#define SIDE 64
#define ARENA (1 << 20)

/* Gives the bytes of an arena one behind the other, and begins at its start again when all came back. */
typedef struct {
    char *arena;
    size_t used;
    int live;
    /* Recorded when a block comes back, if there is one. */
    aclrtEvent event;
    aclrtStream stream;
} Bump;

static void *bump_alloc(void *object, size_t size)
{
    Bump *bump = object;
    void *block = bump->arena + bump->used;
    bump->used += (size + 63) / 64 * 64;
    CHECK(bump->used <= ARENA);
    bump->live++;
    return block;
}

static void bump_free(void *object, void *block)
{
    Bump *bump = object;
    (void)block;
    if (--bump->live == 0) {
        bump->used = 0;
    }
    if (bump->event != NULL) {
        OK(aclrtRecordEvent(bump->event, bump->stream));
    }
}

static void *bump_address(void *block)
{
    return block;
}

static void use(Bump *bump, char *arena, aclrtStream stream)
{
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    memset(bump, 0, sizeof *bump);
    bump->arena = arena;
    bump->stream = stream;
    OK(aclrtAllocatorSetObjToDesc(desc, bump));
    OK(aclrtAllocatorSetAllocFuncToDesc(desc, bump_alloc));
    OK(aclrtAllocatorSetFreeFuncToDesc(desc, bump_free));
    OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, bump_address));
    OK(aclrtAllocatorRegister(stream, desc));
    OK(aclrtAllocatorDestroyDesc(desc));
}

/* The squares are between input and output, and need memory. */
static void sums_of_squares(Tensor x, Tensor out, aclrtStream stream)
{
    const int64_t axis[1] = {1};
    const aclTensorDesc *descs[1], *results[1];
    const aclDataBuffer *inputs[1];
    aclDataBuffer *outputs[1];
    aclopAttr *attr = aclopCreateAttr();

    descs[0] = x.desc;
    results[0] = out.desc;
    inputs[0] = x.buffer;
    outputs[0] = out.buffer;
    OK(aclopSetAttrListInt(attr, "axis", 1, axis));
    OK(aclopCompileAndExecute("SquareSumV1", 1, descs, inputs, 1, results, outputs, attr, ACL_ENGINE_SYS,
                              ACL_COMPILE_SYS, NULL, stream));
    aclopDestroyAttr(attr);
}

/* Parts with "later" have run the shape before: what is judged is a queued run. */
static void child(void)
{
    static float values[SIDE * SIDE];
    static char host[ARENA];
    const int64_t square[2] = {SIDE, SIDE};
    aclrtStream one, two;
    Tensor x, sums, others;
    void *arena, *copied;
    Bump first, second;
    int i;

    start();
    OK(aclrtCreateStream(&one));
    OK(aclrtCreateStream(&two));
    for (i = 0; i < SIDE * SIDE; i++) {
        values[i] = 1;
    }
    x = tensor(ACL_FLOAT, 2, square, values);
    sums = vector(SIDE, NULL);
    others = vector(SIDE, NULL);
    copied = to_device(NULL, ARENA);
    OK(aclrtMalloc(&arena, ARENA, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(arena, ARENA, 0, ARENA));
    if (is("later")) {
        sums_of_squares(x, sums, one);
        OK(aclrtSynchronizeStream(one));
    }
    use(&first, arena, one);
    use(&second, arena, two);
    if (is("event")) {
        OK(aclrtCreateEventExWithFlag(&first.event, ACL_EVENT_SYNC));
    }
    sums_of_squares(x, sums, one);
    if (is("event")) {
        /* What the allocator recorded when it got the memory back is behind the run. */
        OK(aclrtStreamWaitEvent(two, first.event));
    }
    if (is("waits")) {
        OK(aclrtSynchronizeStream(one));
    }
    if (is("arena")) {
        sums_of_squares(x, others, two);
    }
    if (is("copy")) {
        OK(aclrtMemcpyAsync(arena, ARENA, copied, ARENA, ACL_MEMCPY_DEVICE_TO_DEVICE, two));
    }
    if (is("host")) {
        OK(aclrtMemcpy(arena, ARENA, host, ARENA, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    OK(aclrtSynchronizeDevice());
    if (is("read")) {
        OK(aclrtMemcpy(host, 256, arena, 256, ACL_MEMCPY_DEVICE_TO_HOST));
    }
    OK(aclrtAllocatorUnregister(one));
    OK(aclrtAllocatorUnregister(two));
    if (first.event != NULL) {
        OK(aclrtDestroyEvent(first.event));
    }
    OK(aclrtDestroyStream(one));
    OK(aclrtDestroyStream(two));
    drop_tensor(x);
    drop_tensor(sums);
    drop_tensor(others);
    OK(aclrtFree(copied));
    OK(aclrtFree(arena));
    stop();
}

int main(void)
{
    if (part() != NULL) {
        child();
        return 0;
    }
    breaks("arena", "stream.race");
    breaks("arena later", "stream.race");
    breaks("copy", "stream.race");
    breaks("copy later", "stream.race");
    breaks("host", "stream.race");
    breaks("host later", "stream.race");
    breaks("read", "memory.uninitialised-read");
    breaks("read later", "memory.uninitialised-read");
    keeps("arena waits");
    keeps("arena waits later");
    keeps("arena event");
    keeps("arena event later");
    keeps("copy event");
    keeps("copy event later");
    keeps("host waits");
    return 0;
}
