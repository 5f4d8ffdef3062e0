/* Ranks as threads of one process, each with a device: every operation with 1, 2, 3 and 8 ranks, sub-communicators,
 * and all devices at once. Runs with MILLPOND_DEVICES=8. */
#include "check.h"

#include <pthread.h>

#include "hccl_ranks.h"

#define MOST 8

typedef struct {
    HcclRootInfo info;
    uint32_t rank, ranks;
    HcclComm given;
} Start;

static void try_half(const Rank *r)
{
    /* The ranks of even numbers, in reverse order, make a communicator of their own. */
    uint32_t ids[MOST], count = 0, place = 0, i;
    HcclCommConfig config;
    Rank part = *r;
    HcclComm whole = r->comm, made = NULL;
    char name[128], expected[160];

    HcclCommConfigInit(&config);
    for (i = 0; i < r->ranks; i += 2) {
        count++;
    }
    for (i = 0; i < count; i++) {
        ids[i] = 2 * (count - 1 - i);
        if (ids[i] == r->rank) {
            place = i;
        }
    }
    if (r->rank % 2 == 1) {
        HOK(HcclCreateSubCommConfig(&whole, count, NULL, 0xFFFFFFFF, 0, &config, &made));
        return;
    }
    HOK(HcclCreateSubCommConfig(&whole, count, ids, 42, place, &config, &made));
    HOK(HcclGetCommName(whole, name));
    snprintf(expected, sizeof expected, "%s_sub_42", name);
    HOK(HcclGetCommName(made, name));
    CHECK(strcmp(name, expected) == 0);
    part.comm = made;
    part.rank = place;
    part.ranks = count;
    try_messages(&part, 1000);
    try_moves(&part, 1000);
    HOK(HcclCommDestroy(made));
}

static void *run(void *argument)
{
    const Start *start = argument;
    Rank r = {NULL, NULL, start->rank, start->ranks};
    OK(aclrtSetDevice((int32_t)start->rank));
    OK(aclrtCreateStream(&r.stream));
    r.comm = start->given;
    if (r.comm == NULL) {
        HcclCommConfig config;
        HcclCommConfigInit(&config);
        snprintf(config.hcclCommName, sizeof config.hcclCommName, "ring_%u", start->ranks);
        HOK(HcclCommInitRootInfoConfig(r.ranks, &start->info, r.rank, &config, &r.comm));
    }
    try_everything(&r);
    if (start->given == NULL) {
        try_half(&r);
    }
    HOK(HcclCommDestroy(r.comm));
    CODE(HcclCommDestroy(r.comm), HCCL_E_PARA);
    OK(aclrtDestroyStream(r.stream));
    return NULL;
}

static void run_all(uint32_t ranks, const HcclComm *given)
{
    pthread_t threads[MOST];
    Start starts[MOST];
    HcclRootInfo info;
    uint32_t i;
    if (given == NULL) {
        HOK(HcclGetRootInfo(&info));
    } else {
        memset(&info, 0, sizeof info);
    }
    for (i = 0; i < ranks; i++) {
        starts[i].info = info;
        starts[i].rank = i;
        starts[i].ranks = ranks;
        starts[i].given = given == NULL ? NULL : given[i];
        EQ(pthread_create(&threads[i], NULL, run, &starts[i]), 0);
    }
    for (i = 0; i < ranks; i++) {
        EQ(pthread_join(threads[i], NULL), 0);
    }
}

int main(void)
{
    static const uint32_t RANKS[] = {1, 2, 3, 8};
    int32_t devices[3] = {2, 0, 1};
    HcclComm comms[3], in_order[3];
    uint32_t i;

    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    EQ(HcclGetCommConfigCapability(), 11);
    for (i = 0; i < sizeof RANKS / sizeof RANKS[0]; i++) {
        run_all(RANKS[i], NULL);
    }
    HOK(HcclCommInitAll(3, devices, comms));
    /* Rank i is on device devices[i]; the threads above use device = rank, so put them in that order. */
    for (i = 0; i < 3; i++) {
        uint32_t rank = 99;
        HOK(HcclGetRankId(comms[i], &rank));
        EQ(rank, i);
        HOK(HcclCommDestroy(comms[i]));
    }
    for (i = 0; i < 3; i++) {
        devices[i] = (int32_t)i;
    }
    HOK(HcclCommInitAll(3, devices, in_order));
    run_all(3, in_order);
    OK(aclrtSetDevice(0));
    OK(aclFinalize());
    return 0;
}
