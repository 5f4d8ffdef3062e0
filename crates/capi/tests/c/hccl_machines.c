/* One rank of a job on several machines; crates/capi/tests/machines.rs starts it in network namespaces. RANK, MACHINES (the machine of each rank,
 * as digits) and FOLDER, where ranks leave files for each other, come from the environment. CASE says what happens:
 *   all      every operation, sums that depend on their order, sub-communicators
 *   table    the same with a rank table instead of a root info
 *   loses    sums until a machine is lost; then every rank gets the documented error
 *   alone    a rank whose machine cannot join: prints the result and its text
 *   exits    ends right after its last operation, without destroying anything */
#include "check.h"

#include <math.h>
#include <sys/stat.h>

#include "hccl_ranks.h"

#define LATEST 1000

static char folder[4096];
static const char *machines;

static char *path(const char *name, uint32_t number)
{
    static char text[4200];
    snprintf(text, sizeof text, "%s/%s.%u", folder, name, number);
    return text;
}

static void leave(const char *name, uint32_t number, const void *bytes, size_t count)
{
    char made[4200];
    FILE *file;
    snprintf(made, sizeof made, "%s.new", path(name, number));
    file = fopen(made, "wb");
    CHECK(file != NULL);
    EQ(fwrite(bytes, 1, count, file), count);
    EQ(fclose(file), 0);
    EQ(rename(made, path(name, number)), 0);
}

static void await(const char *name, uint32_t number, void *bytes, size_t count)
{
    struct timespec pause = {0, 20 * 1000 * 1000};
    FILE *file;
    while ((file = fopen(path(name, number), "rb")) == NULL) {
        nanosleep(&pause, NULL);
    }
    EQ(fread(bytes, 1, count, file), count);
    fclose(file);
}

static HcclResult meet(Rank *r)
{
    HcclRootInfo info;
    if (r->rank == 0) {
        HOK(HcclGetRootInfo(&info));
        leave("info", 0, &info, sizeof info);
    } else {
        await("info", 0, &info, sizeof info);
    }
    return HcclCommInitRootInfo(r->ranks, &info, r->rank, &r->comm);
}

/* Depends on the order in which it is added up. */
static float rough(uint32_t rank, uint64_t index)
{
    static const float SCALES[] = {1e-3f, 1.0f, 1e4f, 3e7f};
    return ((float)((rank * 7919u + index * 31u + 17u) % 9973u) - 5000.0f) * SCALES[(rank + index) % 4];
}

/* Ranks of a machine in their order, then machines in the order of their lowest rank. */
static float expected(const Rank *r, uint64_t index)
{
    float sum = 0, partial;
    char done[64] = "";
    uint32_t first, rank;
    for (first = 0; first < r->ranks; first++) {
        if (strchr(done, machines[first]) != NULL) {
            continue;
        }
        partial = rough(first, index);
        for (rank = first + 1; rank < r->ranks; rank++) {
            if (machines[rank] == machines[first]) {
                partial += rough(rank, index);
            }
        }
        sum = done[0] == '\0' ? partial : sum + partial;
        strncat(done, &machines[first], 1);
    }
    return sum;
}

static void try_order(const Rank *r)
{
    const uint64_t count = 300001;
    float *host = malloc(count * sizeof *host);
    void *block = NULL;
    uint64_t i;
    OK(aclrtMalloc(&block, count * sizeof *host, ACL_MEM_MALLOC_HUGE_FIRST));
    for (i = 0; i < count; i++) {
        host[i] = rough(r->rank, i);
    }
    OK(aclrtMemcpy(block, count * sizeof *host, host, count * sizeof *host, ACL_MEMCPY_HOST_TO_DEVICE));
    HOK(HcclAllReduce(block, block, count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream));
    OK(aclrtSynchronizeStream(r->stream));
    OK(aclrtMemcpy(host, count * sizeof *host, block, count * sizeof *host, ACL_MEMCPY_DEVICE_TO_HOST));
    for (i = 0; i < count; i++) {
        float sum = expected(r, i);
        CHECK(memcmp(&host[i], &sum, sizeof sum) == 0);
    }
    OK(aclrtFree(block));
    free(host);
}

/* All ranks with an even number, all with an odd one, and every pair of neighbours. */
static void try_parts(Rank *r)
{
    HcclCommConfig config;
    uint32_t first;
    HcclCommConfigInit(&config);
    for (first = 0; first < r->ranks + 1; first++) {
        uint32_t ids[64], count = 0, place = 0, rank;
        Rank part = *r;
        for (rank = 0; rank < r->ranks; rank++) {
            int is_in = first < r->ranks ? rank == first || rank == (first + 1) % r->ranks : rank % 2 == r->rank % 2;
            if (is_in) {
                place = rank == r->rank ? count : place;
                ids[count++] = rank;
            }
        }
        for (rank = 0; rank < count && ids[rank] != r->rank; rank++) {
        }
        if (rank == count || count < 2) {
            continue;
        }
        HOK(HcclCreateSubCommConfig(&r->comm, count, ids, 100 + first * 2 + (first == r->ranks ? r->rank % 2 : 0), place,
                                    &config, &part.comm));
        part.rank = place;
        part.ranks = count;
        try_reductions(&part, 1000);
        try_moves(&part, 1000);
        try_messages(&part, 1000);
        HOK(HcclCommDestroy(part.comm));
    }
}

static void lose(Rank *r)
{
    void *block = NULL;
    int result = ACL_SUCCESS;
    uint32_t round, said = 0;
    HcclResult failed = HCCL_SUCCESS;
    OK(aclrtMalloc(&block, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(block, 1 << 20, 0, 1 << 20));
    for (round = 0; result == ACL_SUCCESS; round++) {
        if (round == 20) {
            leave("ready", r->rank, "x", 1);
        }
        if (!said && access(path("continued", 0), F_OK) == 0) {
            said = 1;
            leave("again", r->rank, "x", 1);
        }
        if (HcclAllReduce(block, block, 1 << 18, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream) != HCCL_SUCCESS) {
            break;
        }
        result = aclrtSynchronizeStream(r->stream);
    }
    EQ(result, 507048);
    CHECK(round > 20);
    HOK(HcclGetCommAsyncError(r->comm, &failed));
    EQ(failed, HCCL_E_REMOTE);
    CHECK(check_fetch_text());
    printf("%s\n", check_text);
    CHECK(strstr(check_text, "EI0002") != NULL);
    CHECK(strstr(check_text, "cannot be reached any more") != NULL);
    /* The communicator is of no use any more, and says so at once. */
    EQ(HcclBarrier(r->comm, r->stream), HCCL_E_REMOTE);
    HOK(HcclCommDestroy(r->comm));
}

int main(void)
{
    const char *what = getenv("CASE");
    Rank r;
    memset(&r, 0, sizeof r);
    machines = getenv("MACHINES");
    CHECK(machines != NULL && what != NULL);
    snprintf(folder, sizeof folder, "%s", getenv("FOLDER"));
    r.rank = (uint32_t)atoi(getenv("RANK"));
    r.ranks = (uint32_t)strlen(machines);
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&r.stream));
    if (strcmp(what, "alone") == 0) {
        HcclResult met = meet(&r);
        check_fetch_text();
        printf("result %d: %s\n", met, check_text);
        return 0;
    }
    if (strcmp(what, "table") == 0) {
        HOK(HcclCommInitClusterInfo(getenv("TABLE"), r.rank, &r.comm));
    } else {
        HOK(meet(&r));
    }
    if (strcmp(what, "loses") == 0) {
        lose(&r);
        return 0;
    }
    if (strcmp(what, "exits") == 0) {
        int32_t *in = device_numbers(&r, LATEST, 1), *host;
        HOK(HcclReduce(in, in, LATEST, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r.ranks - 1, r.comm, r.stream));
        host = fetched(&r, in, LATEST);
        EQ(host[1], r.rank == r.ranks - 1 ? total(r.ranks, 1) : number(r.rank, 1));
        return 0;
    }
    try_everything(&r);
    try_order(&r);
    try_parts(&r);
    HOK(HcclCommDestroy(r.comm));
    OK(aclrtDestroyStream(r.stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
