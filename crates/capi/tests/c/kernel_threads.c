/* MILLPOND_THREADS bounds the threads of a kernel, the one that runs it included: EXPECTED_HELPERS says how many more there are. */
#include "gate.h"
#include "models.h"

#include <aclnn/aclnn_base.h>
#include <aclnnop/aclnn_mm.h>
#include <dirent.h>
#include <unistd.h>

enum { SIZE = 512 };

/* How many threads of this process help to compute. */
static int helpers(void)
{
    DIR *threads = opendir("/proc/self/task");
    struct dirent *entry;
    int count = 0;
    CHECK(threads != NULL);
    while ((entry = readdir(threads)) != NULL) {
        char path[300], name[64] = "";
        FILE *file;
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        file = fopen(path, "r");
        if (file == NULL)
            continue;
        if (fgets(name, sizeof name, file) != NULL && strncmp(name, "millpond-kernel", 15) == 0)
            count++;
        fclose(file);
    }
    closedir(threads);
    return count;
}

static aclTensor *square(void *memory)
{
    const int64_t dims[2] = {SIZE, SIZE};
    aclTensor *made = aclCreateTensor(dims, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 2, memory);
    CHECK(made != NULL);
    return made;
}

int main(void)
{
    static float ones[SIZE * SIZE], got[SIZE * SIZE];
    const char *expected = getenv("EXPECTED_HELPERS");
    void *from, *to;
    aclTensor *a, *out;
    aclOpExecutor *executor;
    aclrtStream stream;
    uint64_t size;
    int index;

    CHECK(expected != NULL);
    for (index = 0; index < SIZE * SIZE; index++)
        ones[index] = 1;
    start();
    OK(aclrtCreateStream(&stream));
    from = to_device(ones, sizeof ones);
    to = to_device(NULL, sizeof ones);
    a = square(from);
    out = square(to);
    EQ(helpers(), 0);
    for (index = 0; index < 3; index++) {
        OK(aclnnMmGetWorkspaceSize(a, a, out, 0, &size, &executor));
        EQ(size, 0);
        OK(aclnnMm(NULL, 0, executor, stream));
    }
    OK(aclrtSynchronizeStream(stream));
    /* A thread has its name when it first runs. */
    while (helpers() < atoi(expected))
        usleep(1000);
    EQ(helpers(), atoi(expected));
    from_device(got, to, sizeof got);
    for (index = 0; index < SIZE * SIZE; index++)
        EQ(got[index], SIZE);
    OK(aclDestroyTensor(a));
    OK(aclDestroyTensor(out));
    OK(aclrtFree(from));
    OK(aclrtFree(to));
    OK(aclrtDestroyStream(stream));
    stop();
    return 0;
}
