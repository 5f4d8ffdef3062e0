/* A decoding loop that stays on the device: a while whose body has a switch inside, and two streams. */
#include "gate.h"

enum { STEPS = 8, BYTES = 16 };

static aclrtStream a, b, c;

static aclmdlRICondHandle condition(aclmdlRI graph, uint32_t initial, uint32_t flag, uint64_t **value)
{
    aclmdlRICondHandle made;
    OK(aclmdlRICondHandleCreate(graph, initial, flag, &made));
    OK(aclmdlRICondHandleGetCondPtr(made, value));
    return made;
}

static void choose(aclmdlRICondHandle handle, aclmdlRICondTaskType type, uint32_t size, aclmdlRI *branches,
                   aclrtStream stream)
{
    aclmdlRICondTaskParams params;
    params.handle = handle;
    params.type = type;
    params.size = size;
    params.modelRIArray = branches;
    OK(aclmdlRIAddCondTask(params, stream, 0));
}

/* A branch that fills a block. */
static void fills(aclmdlRI branch, void *block, int value)
{
    aclmdlRI same;
    OK(aclmdlRICaptureToModelRIBegin(c, branch, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclrtMemsetAsync(block, BYTES, value, BYTES, c));
    OK(aclmdlRICaptureEnd(c, &same));
    CHECK(same == branch);
}

static void copy(void *to, const void *from, aclrtStream stream)
{
    OK(aclrtMemcpyAsync(to, 8, from, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

int main(void)
{
    const uint64_t tokens[STEPS + 1] = {1, 2, 1, 2, 2, 1, 1, 2, 0};
    uint64_t *list, *left, *goes_on, *token;
    aclmdlRI graph, known, body, same, choices[3];
    aclmdlRICaptureStatus status;
    aclmdlRICondHandle loop, choice;
    aclrtEvent forked, joined;
    void *one, *two;
    unsigned char found[BYTES];
    int i, round;
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&a));
    OK(aclrtCreateStream(&b));
    OK(aclrtCreateStream(&c));
    OK(aclrtCreateEventExWithFlag(&forked, ACL_EVENT_SYNC));
    OK(aclrtCreateEventExWithFlag(&joined, ACL_EVENT_SYNC));
    OK(aclrtMalloc((void **)&list, sizeof tokens, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc((void **)&left, sizeof tokens, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&one, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&two, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(list, sizeof tokens, tokens, sizeof tokens, ACL_MEMCPY_HOST_TO_DEVICE));

    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclmdlRICaptureGetInfo(a, &status, &known));
    loop = condition(known, 0, 0, &goes_on);
    OK(aclrtMemcpyAsync(left, sizeof tokens, list, sizeof tokens, ACL_MEMCPY_DEVICE_TO_DEVICE, a));
    copy(goes_on, left, a);
    choose(loop, ACL_MODEL_RI_COND_TASK_TYPE_WHILE, 1, &body, a);
    OK(aclmdlRICaptureToModelRIBegin(b, body, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    /* Without the copy the number of no branch. */
    choice = condition(body, 7, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &token);
    copy(token, left, b);
    choose(choice, ACL_MODEL_RI_COND_TASK_TYPE_SWITCH, 3, choices, b);
    fills(choices[1], one, 11);
    fills(choices[2], two, 22);
    for (i = 0; i < STEPS; i++) {
        copy(left + i, left + i + 1, b);
    }
    OK(aclrtRecordEvent(forked, b));
    OK(aclrtStreamWaitEvent(c, forked));
    copy(goes_on, left, c);
    OK(aclrtRecordEvent(joined, c));
    OK(aclrtStreamWaitEvent(b, joined));
    OK(aclmdlRICaptureEnd(b, &same));
    OK(aclmdlRICaptureEnd(a, &graph));

    for (round = 0; round < 3; round++) {
        OK(aclrtMemsetAsync(one, BYTES, 0, BYTES, a));
        OK(aclrtMemsetAsync(two, BYTES, 0, BYTES, a));
        OK(aclmdlRIExecuteAsync(graph, a));
        OK(aclrtSynchronizeStream(a));
        OK(aclrtMemcpy(found, BYTES, one, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
        EQ(found[BYTES - 1], 11);
        OK(aclrtMemcpy(found, BYTES, two, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
        EQ(found[BYTES - 1], 22);
    }
    OK(aclmdlRIDestroy(graph));
    OK(aclrtFree(list));
    OK(aclrtFree(left));
    OK(aclrtFree(one));
    OK(aclrtFree(two));
    OK(aclrtDestroyEvent(forked));
    OK(aclrtDestroyEvent(joined));
    OK(aclrtDestroyStream(a));
    OK(aclrtDestroyStream(b));
    OK(aclrtDestroyStream(c));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
