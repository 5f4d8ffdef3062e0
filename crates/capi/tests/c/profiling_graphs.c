/* Profiling: a profile of launches of a graph with two lanes, a task group and branches, in the folder of the first argument. Every operator is
 * there once for each time it ran. */
#include "check.h"

#include <acl/acl_prof.h>
#include <aclnnop/aclnn_add.h>
#include <aclnnop/aclnn_mul.h>
#include <aclnnop/aclnn_sub.h>
#include <ftw.h>

enum { COUNT = 8, BYTES = COUNT * sizeof(float), LAUNCHES = 5 };

static aclrtStream a, b, c;

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

/* out = out + x, out * x or out - x. */
static void operator(char which, void *x, void *out, aclrtStream stream)
{
    const int64_t dims[1] = {COUNT};
    float one = 1;
    aclTensor *left = aclCreateTensor(dims, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 1, out);
    aclTensor *right = aclCreateTensor(dims, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 1, x);
    aclTensor *to = aclCreateTensor(dims, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 1, out);
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    aclOpExecutor *executor;
    uint64_t size;
    switch (which) {
    case '+':
        OK(aclnnAddGetWorkspaceSize(left, right, alpha, to, &size, &executor));
        OK(aclnnAdd(NULL, 0, executor, stream));
        break;
    case '-':
        OK(aclnnSubGetWorkspaceSize(left, right, alpha, to, &size, &executor));
        OK(aclnnSub(NULL, 0, executor, stream));
        break;
    default:
        OK(aclnnMulGetWorkspaceSize(left, right, to, &size, &executor));
        OK(aclnnMul(NULL, 0, executor, stream));
    }
    OK(aclDestroyTensor(left));
    OK(aclDestroyTensor(right));
    OK(aclDestroyTensor(to));
    OK(aclDestroyScalar(alpha));
}

static void *block(void)
{
    void *made;
    OK(aclrtMalloc(&made, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(made, BYTES, 0, BYTES));
    return made;
}

/* A branch that runs once: always, or until the value is 0. */
static void branch(aclmdlRI graph, aclmdlRICondTaskType type, char which, void *x, void *out)
{
    aclmdlRICondTaskParams params;
    aclmdlRICondHandle condition;
    aclmdlRI made, same;
    uint64_t *value;
    OK(aclmdlRICondHandleCreate(graph, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &condition));
    OK(aclmdlRICondHandleGetCondPtr(condition, &value));
    params.handle = condition;
    params.type = type;
    params.size = 1;
    params.modelRIArray = &made;
    OK(aclmdlRIAddCondTask(params, a, 0));
    OK(aclmdlRICaptureToModelRIBegin(c, made, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    operator(which, x, out, c);
    OK(aclrtMemsetAsync(value, 8, 0, 8, c));
    OK(aclmdlRICaptureEnd(c, &same));
}

int main(int count, char **words)
{
    char folder[64] = "/tmp/millpond-profiling-XXXXXX";
    const char *path = count > 1 ? words[1] : mkdtemp(folder);
    uint32_t device = 0;
    aclprofConfig *config;
    aclrtEvent out_of_a, out_of_b;
    aclmdlRICaptureStatus status;
    aclmdlRI graph, known;
    aclrtTaskGrp group;
    void *x, *left, *right;
    int launch;

    CHECK(path != NULL);
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&a));
    OK(aclrtCreateStream(&b));
    OK(aclrtCreateStream(&c));
    OK(aclrtCreateEventExWithFlag(&out_of_a, ACL_EVENT_SYNC));
    OK(aclrtCreateEventExWithFlag(&out_of_b, ACL_EVENT_SYNC));
    x = block();
    left = block();
    right = block();

    /* In each launch: additions 3, products 2, differences 2. */
    OK(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclmdlRICaptureGetInfo(a, &status, &known));
    OK(aclrtRecordEvent(out_of_a, a));
    OK(aclrtStreamWaitEvent(b, out_of_a));
    operator('+', x, left, a);
    operator('+', x, left, a);
    operator('+', x, right, b);
    OK(aclrtRecordEvent(out_of_b, b));
    OK(aclrtStreamWaitEvent(a, out_of_b));
    OK(aclmdlRICaptureTaskGrpBegin(a));
    operator('*', x, left, a);
    OK(aclmdlRICaptureTaskGrpEnd(a, &group));
    branch(known, ACL_MODEL_RI_COND_TASK_TYPE_IF, '*', x, left);
    branch(known, ACL_MODEL_RI_COND_TASK_TYPE_WHILE, '-', x, left);
    operator('-', x, left, a);
    OK(aclmdlRICaptureEnd(a, &graph));
    /* Not in the profile. */
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclrtSynchronizeStream(a));

    OK(aclprofInit(path, strlen(path)));
    config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_ACL_API | ACL_PROF_TASK_TIME);
    CHECK(config != NULL);
    OK(aclprofStart(config));
    for (launch = 0; launch < LAUNCHES; launch++) {
        /* The first ones are queued behind each other. */
        OK(aclmdlRIExecuteAsync(graph, launch > 2 ? b : a));
        if (launch == 2) {
            OK(aclmdlRICaptureTaskUpdateBegin(b, group));
            operator('*', x, right, b);
            OK(aclmdlRICaptureTaskUpdateEnd(b));
        }
        if (launch >= 2) {
            OK(aclrtSynchronizeDevice());
        }
    }
    OK(aclprofStop(config));
    OK(aclmdlRIExecuteAsync(graph, a));
    OK(aclrtSynchronizeStream(a));
    OK(aclprofFinalize());
    OK(aclprofDestroyConfig(config));

    OK(aclmdlRIDestroy(graph));
    OK(aclrtFree(x));
    OK(aclrtFree(left));
    OK(aclrtFree(right));
    OK(aclrtDestroyEvent(out_of_a));
    OK(aclrtDestroyEvent(out_of_b));
    OK(aclrtDestroyStream(a));
    OK(aclrtDestroyStream(b));
    OK(aclrtDestroyStream(c));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    if (count < 2) {
        nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
    return 0;
}
