/* Memory that a program gives a model for its work and its weights is the model's as long as it runs: it may not be
 * freed before, and two models that work in the same bytes need an order. */
#include "models.h"
#include "parts.h"

#define INPUT (3 * 4 * sizeof(float))
#define OUTPUT (3 * 2 * sizeof(float))

typedef struct {
    uint32_t model;
    aclmdlDataset *input, *output;
} Job;

static void *work, *weights;
static size_t work_size, weight_size;

/* A model in memory of the program's. */
static Job job(void)
{
    static const float ones[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    Job made;
    OK(aclmdlLoadFromFileWithMem(model_path("fixed.om"), &made.model, work, work_size, weights, weight_size));
    made.input = aclmdlCreateDataset();
    made.output = aclmdlCreateDataset();
    add_buffer(made.input, to_device(ones, INPUT), INPUT);
    add_buffer(made.output, to_device(NULL, OUTPUT), OUTPUT);
    return made;
}

static void end(Job ended)
{
    OK(aclmdlUnload(ended.model));
    drop_dataset(ended.input);
    drop_dataset(ended.output);
}

static aclError run(Job it, aclrtStream stream)
{
    return is("waited") ? aclmdlExecute(it.model, it.input, it.output)
                        : aclmdlExecuteAsync(it.model, it.input, it.output, stream);
}

static void child(void)
{
    aclrtStream one, two;
    Job first, second;
    float out[6];
    int i;

    start();
    OK(aclrtCreateStream(&one));
    OK(aclrtCreateStream(&two));
    OK(aclmdlQuerySize(model_path("fixed.om"), &work_size, &weight_size));
    OK(aclrtMalloc(&work, work_size, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&weights, weight_size, ACL_MEM_MALLOC_HUGE_FIRST));
    first = job();
    if (is("later")) {
        OK(run(first, one));
        OK(aclrtSynchronizeStream(one));
    }
    if (is("freed")) {
        if (is("queued")) {
            OK(run(first, one));
        }
        OK(aclrtFree(is("work") ? work : weights));
        *(is("work") ? &work : &weights) = NULL;
        if (!is("queued")) {
            FAILS(run(first, one));
        }
    } else {
        OK(run(first, one));
        /* Loading one does not run it. */
        second = job();
        if (is("after")) {
            OK(aclrtSynchronizeStream(one));
        }
        OK(run(second, is("same") ? one : two));
        OK(aclrtSynchronizeDevice());
        from_device(out, aclGetDataBufferAddr(aclmdlGetDatasetBuffer(second.output, 0)), OUTPUT);
        for (i = 0; i < 6; i++) {
            CHECK(out[i] == 4);
        }
        if (is("read")) {
            from_device(out, work, sizeof out);
        }
        end(second);
    }
    OK(aclrtSynchronizeDevice());
    end(first);
    if (work != NULL) {
        OK(aclrtFree(work));
    }
    if (weights != NULL) {
        OK(aclrtFree(weights));
    }
    OK(aclrtDestroyStream(one));
    OK(aclrtDestroyStream(two));
    stop();
}

int main(void)
{
    if (part() != NULL) {
        child();
        return 0;
    }
    breaks("work freed", "memory.use-after-free");
    breaks("work freed later", "memory.use-after-free");
    breaks("work freed waited", "memory.use-after-free");
    breaks("work freed waited later", "memory.use-after-free");
    breaks("weights freed", "memory.use-after-free");
    breaks("weights freed later", "memory.use-after-free");
    breaks("weights freed waited", "memory.use-after-free");
    breaks("work freed queued", "memory.freed-in-use");
    breaks("work freed queued later", "memory.freed-in-use");
    breaks("weights freed queued", "memory.freed-in-use");
    breaks("shared", "stream.race");
    breaks("shared later", "stream.race");
    breaks("read after", "memory.uninitialised-read");
    breaks("read after later", "memory.uninitialised-read");
    keeps("shared after");
    keeps("shared after later");
    keeps("shared same");
    keeps("shared same later");
    keeps("shared waited");
    return 0;
}
