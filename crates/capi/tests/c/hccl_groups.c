/* Is a group one unit? Its operations advance together, on any number of communicators and streams, and messages between two
 * ranks keep the order of the calls. Ranks are threads of one process. Runs with MILLPOND_DEVICES=3. */
#include "check.h"

#include <pthread.h>

#include "hccl_ranks.h"

#define RANKS 3
#define COUNT 300001

/* Communicators of all ranks, of each pair, and two more of all ranks. pairs[i] has every rank but i. */
typedef struct {
    HcclRootInfo all, pairs[RANKS], more[2];
} Infos;

typedef struct {
    const Infos *infos;
    uint32_t rank;
} Start;

typedef struct {
    Rank all;
    HcclComm pairs[RANKS], more[2];
    aclrtStream other;
} Place;

/* The communicator of this rank and another one, and the other one's number in it. */
static HcclComm pair_with(const Place *p, uint32_t other, uint32_t *peer)
{
    *peer = other > p->all.rank;
    return p->pairs[RANKS - p->all.rank - other];
}

/* A ring of pair communicators on one stream: every rank sends first. */
static void ring_of_pairs(const Place *p)
{
    const Rank *r = &p->all;
    uint32_t next = (r->rank + 1) % RANKS, before = (r->rank + RANKS - 1) % RANKS, peer;
    int32_t *in = device_numbers(r, COUNT, 1), *out = device_numbers(r, COUNT, 0), *host;
    HcclComm comm;
    uint64_t i;
    HOK(HcclGroupStart());
    comm = pair_with(p, next, &peer);
    HOK(HcclSend(in, COUNT, HCCL_DATA_TYPE_INT32, peer, comm, r->stream));
    comm = pair_with(p, before, &peer);
    HOK(HcclRecv(out, COUNT, HCCL_DATA_TYPE_INT32, peer, comm, r->stream));
    HOK(HcclGroupEnd());
    host = fetched(r, out, COUNT);
    for (i = 0; i < COUNT; i++) {
        EQ(host[i], number(before, i));
    }
    free(host);
    OK(aclrtFree(in));
    OK(aclrtFree(out));
}

/* Messages of one pair on two streams, to a rank that receives them one after the other. Lengths tell them apart. */
static void two_streams(const Place *p)
{
    const Rank *r = &p->all;
    uint32_t i;
    if (r->rank == 0) {
        int32_t *in = device_numbers(r, 6, 1);
        HOK(HcclGroupStart());
        for (i = 1; i <= 6; i++) {
            HOK(HcclSend(in, i, HCCL_DATA_TYPE_INT32, 1, r->comm, i % 2 ? r->stream : p->other));
        }
        HOK(HcclGroupEnd());
        OK(aclrtSynchronizeStream(r->stream));
        OK(aclrtSynchronizeStream(p->other));
        OK(aclrtFree(in));
    }
    if (r->rank == 1) {
        int32_t *out = device_numbers(r, 6, 0);
        for (i = 1; i <= 6; i++) {
            HOK(HcclRecv(out, i, HCCL_DATA_TYPE_INT32, 0, r->comm, r->stream));
        }
        OK(aclrtSynchronizeStream(r->stream));
        OK(aclrtFree(out));
    }
}

/* Operations of all ranks belong to the group as well: the other rank makes the same calls without one. */
static void collectives_too(const Place *p)
{
    const Rank *r = &p->all;
    int32_t *in = device_numbers(r, COUNT, 1), *out = device_numbers(r, COUNT, 0), *host;
    int32_t *sum = device_numbers(r, COUNT, 0);
    uint64_t i;
    if (r->rank == 0) {
        HOK(HcclGroupStart());
        HOK(HcclSend(in, COUNT, HCCL_DATA_TYPE_INT32, 1, r->comm, r->stream));
    } else if (r->rank == 1) {
        HOK(HcclRecv(out, COUNT, HCCL_DATA_TYPE_INT32, 0, r->comm, r->stream));
    }
    HOK(HcclAllReduce(in, sum, COUNT, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
    if (r->rank == 0) {
        HOK(HcclGroupEnd());
    }
    host = fetched(r, sum, COUNT);
    for (i = 0; i < COUNT; i++) {
        EQ(host[i], total(RANKS, i));
    }
    free(host);
    OK(aclrtFree(in));
    OK(aclrtFree(out));
    OK(aclrtFree(sum));
}

/* Two communicators in another order on each rank. */
static void crossed(const Place *p)
{
    const Rank *r = &p->all;
    int32_t *in = device_numbers(r, COUNT, 1), *sums[2], *host;
    uint32_t which, step;
    uint64_t i;
    sums[0] = device_numbers(r, COUNT, 0);
    sums[1] = device_numbers(r, COUNT, 0);
    HOK(HcclGroupStart());
    for (step = 0; step < 2; step++) {
        which = (step + r->rank) % 2;
        HOK(HcclAllReduce(in, sums[which], COUNT, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, p->more[which], r->stream));
    }
    HOK(HcclGroupEnd());
    for (which = 0; which < 2; which++) {
        host = fetched(r, sums[which], COUNT);
        for (i = 0; i < COUNT; i++) {
            EQ(host[i], total(RANKS, i));
        }
        free(host);
        OK(aclrtFree(sums[which]));
    }
    OK(aclrtFree(in));
}

/* To itself, in a group and outside of one, on two streams. */
static void to_itself(const Place *p)
{
    const Rank *r = &p->all;
    const uint64_t count = 8 * COUNT;
    int32_t *in = device_numbers(r, count, 1), *out = device_numbers(r, count, 0), *host;
    int way;
    uint64_t i;
    for (way = 0; way < 2; way++) {
        if (way == 0) {
            HOK(HcclGroupStart());
        }
        HOK(HcclSend(in, count, HCCL_DATA_TYPE_INT32, r->rank, r->comm, way ? p->other : r->stream));
        HOK(HcclRecv(out, count, HCCL_DATA_TYPE_INT32, r->rank, r->comm, r->stream));
        if (way == 0) {
            HOK(HcclGroupEnd());
        }
        host = fetched(r, out, count);
        for (i = 0; i < count; i++) {
            EQ(host[i], number(r->rank, i));
        }
        free(host);
        OK(aclrtSynchronizeStream(p->other));
        OK(aclrtMemset(out, count * sizeof *out, 0, count * sizeof *out));
    }
    OK(aclrtFree(in));
    OK(aclrtFree(out));
}

/* Refused, and nothing of the group is queued: the ranks that it names wait for nothing. */
static void refused(const Place *p)
{
    const Rank *r = &p->all;
    int32_t *in = device_numbers(r, 100, 1), *out = device_numbers(r, 100, 0);
    HcclResult failed = HCCL_E_INTERNAL;
    uint32_t peer, next = (r->rank + 1) % RANKS, before = (r->rank + RANKS - 1) % RANKS;
    HcclComm comm = pair_with(p, next, &peer);
    CODE(HcclGroupEnd(), HCCL_E_PARA);
    HOK(HcclGroupStart());
    CODE(HcclSend(in, 100, HCCL_DATA_TYPE_INT32, RANKS, r->comm, r->stream), HCCL_E_PARA);
    CODE(HcclSend(in, 100, HCCL_DATA_TYPE_INT32, 0, r->comm, r->comm), HCCL_E_PARA);
    HOK(HcclGroupEnd());
    /* One receives what the other sends, on two communicators: nothing says which is first. */
    HOK(HcclGroupStart());
    HOK(HcclSend(in, 100, HCCL_DATA_TYPE_INT32, peer, comm, r->stream));
    comm = pair_with(p, before, &peer);
    HOK(HcclRecv(in + 50, 50, HCCL_DATA_TYPE_INT32, peer, comm, r->stream));
    CODE(HcclGroupEnd(), HCCL_E_PARA);
    HOK(HcclGetCommAsyncError(comm, &failed));
    EQ(failed, HCCL_SUCCESS);
    ring_of_pairs(p);
    OK(aclrtFree(in));
    OK(aclrtFree(out));
}

static void *run(void *argument)
{
    const Start *start = argument;
    const Infos *infos = start->infos;
    Place p;
    uint32_t i;
    memset(&p, 0, sizeof p);
    p.all.rank = start->rank;
    p.all.ranks = RANKS;
    OK(aclrtSetDevice((int32_t)start->rank));
    OK(aclrtCreateStream(&p.all.stream));
    OK(aclrtCreateStream(&p.other));
    HOK(HcclCommInitRootInfo(RANKS, &infos->all, start->rank, &p.all.comm));
    for (i = 0; i < 2; i++) {
        HOK(HcclCommInitRootInfo(RANKS, &infos->more[i], start->rank, &p.more[i]));
    }
    for (i = 0; i < RANKS; i++) {
        if (i != start->rank) {
            HOK(HcclCommInitRootInfo(2, &infos->pairs[i], start->rank > RANKS - start->rank - i, &p.pairs[i]));
        }
    }
    ring_of_pairs(&p);
    two_streams(&p);
    collectives_too(&p);
    crossed(&p);
    to_itself(&p);
    refused(&p);
    HOK(HcclBarrier(p.all.comm, p.all.stream));
    OK(aclrtSynchronizeStream(p.all.stream));
    for (i = 0; i < RANKS; i++) {
        if (i != start->rank) {
            HOK(HcclCommDestroy(p.pairs[i]));
        }
    }
    for (i = 0; i < 2; i++) {
        HOK(HcclCommDestroy(p.more[i]));
    }
    HOK(HcclCommDestroy(p.all.comm));
    OK(aclrtDestroyStream(p.all.stream));
    OK(aclrtDestroyStream(p.other));
    return NULL;
}

int main(void)
{
    pthread_t threads[RANKS];
    Start starts[RANKS];
    Infos infos;
    uint32_t i;
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    HOK(HcclGetRootInfo(&infos.all));
    for (i = 0; i < RANKS; i++) {
        HOK(HcclGetRootInfo(&infos.pairs[i]));
    }
    for (i = 0; i < 2; i++) {
        HOK(HcclGetRootInfo(&infos.more[i]));
    }
    for (i = 0; i < RANKS; i++) {
        starts[i].infos = &infos;
        starts[i].rank = i;
        EQ(pthread_create(&threads[i], NULL, run, &starts[i]), 0);
    }
    for (i = 0; i < RANKS; i++) {
        EQ(pthread_join(threads[i], NULL), 0);
    }
    OK(aclFinalize());
    return 0;
}
