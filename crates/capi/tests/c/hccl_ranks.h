/* What one rank does to try every operation: every result is compared with what the definition says. */
#ifndef MILLPOND_TESTS_HCCL_RANKS_H
#define MILLPOND_TESTS_HCCL_RANKS_H

#include <hccl/hccl.h>

#define HOK(call) EQ(call, HCCL_SUCCESS)

typedef struct {
    HcclComm comm;
    aclrtStream stream;
    uint32_t rank, ranks;
} Rank;

/* A number that differs by rank and place. */
static int32_t number(uint32_t rank, uint64_t index)
{
    return (int32_t)((rank + 1) * 7919u + index * 31u) % 100003;
}

static int32_t total(uint32_t ranks, uint64_t index)
{
    int32_t sum = 0;
    uint32_t r;
    for (r = 0; r < ranks; r++) {
        sum += number(r, index);
    }
    return sum;
}

/* Device memory with this rank's numbers, or with -1. */
static __attribute__((unused)) int32_t *device_numbers(const Rank *r, uint64_t count, int own)
{
    int32_t *host = malloc((count + 1) * sizeof *host);
    void *block = NULL;
    uint64_t i;
    OK(aclrtMalloc(&block, (count + 1) * sizeof *host, ACL_MEM_MALLOC_HUGE_FIRST));
    for (i = 0; i <= count; i++) {
        host[i] = own && i < count ? number(r->rank, i) : -1;
    }
    OK(aclrtMemcpy(block, (count + 1) * sizeof *host, host, (count + 1) * sizeof *host, ACL_MEMCPY_HOST_TO_DEVICE));
    free(host);
    return block;
}

/* What is there when the stream is done, with the -1 behind it. */
static int32_t *fetched(const Rank *r, const int32_t *block, uint64_t count)
{
    int32_t *host = malloc((count + 1) * sizeof *host);
    OK(aclrtSynchronizeStream(r->stream));
    OK(aclrtMemcpy(host, (count + 1) * sizeof *host, block, (count + 1) * sizeof *host, ACL_MEMCPY_DEVICE_TO_HOST));
    EQ(host[count], -1);
    return host;
}

static __attribute__((unused)) void try_reductions(const Rank *r, uint64_t n)
{
    int32_t *in = device_numbers(r, n, 1), *out = device_numbers(r, n, 0), *host;
    uint32_t root;
    uint64_t i;

    HOK(HcclAllReduce(in, out, n, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
    host = fetched(r, out, n);
    for (i = 0; i < n; i++) {
        EQ(host[i], total(r->ranks, i));
    }
    free(host);
    HOK(HcclAllReduce(in, in, n, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, r->comm, r->stream));
    host = fetched(r, in, n);
    for (i = 0; i < n; i++) {
        int32_t most = number(0, i);
        uint32_t rank;
        for (rank = 1; rank < r->ranks; rank++) {
            most = number(rank, i) > most ? number(rank, i) : most;
        }
        EQ(host[i], most);
    }
    free(host);
    OK(aclrtFree(in));
    for (root = 0; root < r->ranks; root++) {
        in = device_numbers(r, n, 1);
        HOK(HcclReduce(in, in, n, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, root, r->comm, r->stream));
        host = fetched(r, in, n);
        for (i = 0; i < n; i++) {
            EQ(host[i], r->rank == root ? total(r->ranks, i) : number(r->rank, i));
        }
        free(host);
        OK(aclrtFree(in));
    }
    OK(aclrtFree(out));
}

static __attribute__((unused)) void try_moves(const Rank *r, uint64_t n)
{
    int32_t *in = device_numbers(r, n, 1), *all = device_numbers(r, n * r->ranks, 0);
    int32_t *parts = device_numbers(r, n * r->ranks, 1), *out = device_numbers(r, n, 0), *host;
    uint32_t root, rank;
    uint64_t i;

    HOK(HcclAllGather(in, all, n, HCCL_DATA_TYPE_INT32, r->comm, r->stream));
    host = fetched(r, all, n * r->ranks);
    for (rank = 0; rank < r->ranks; rank++) {
        for (i = 0; i < n; i++) {
            EQ(host[rank * n + i], number(rank, i));
        }
    }
    free(host);
    HOK(HcclReduceScatter(parts, out, n, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
    host = fetched(r, out, n);
    for (i = 0; i < n; i++) {
        EQ(host[i], total(r->ranks, r->rank * n + i));
    }
    free(host);
    HOK(HcclAlltoAll(parts, n, HCCL_DATA_TYPE_INT32, all, n, HCCL_DATA_TYPE_INT32, r->comm, r->stream));
    host = fetched(r, all, n * r->ranks);
    for (rank = 0; rank < r->ranks; rank++) {
        for (i = 0; i < n; i++) {
            EQ(host[rank * n + i], number(rank, r->rank * n + i));
        }
    }
    free(host);
    for (root = 0; root < r->ranks; root++) {
        HOK(HcclScatter(parts, out, n, HCCL_DATA_TYPE_INT32, root, r->comm, r->stream));
        host = fetched(r, out, n);
        for (i = 0; i < n; i++) {
            EQ(host[i], number(root, r->rank * n + i));
        }
        free(host);
        HOK(HcclBroadcast(in, n, HCCL_DATA_TYPE_INT32, root, r->comm, r->stream));
        host = fetched(r, in, n);
        for (i = 0; i < n; i++) {
            EQ(host[i], number(root, i));
        }
        free(host);
        OK(aclrtFree(in));
        in = device_numbers(r, n, 1);
    }
    OK(aclrtFree(in));
    OK(aclrtFree(all));
    OK(aclrtFree(parts));
    OK(aclrtFree(out));
}

/* Rank r has n / (r + 1) elements, each part behind the one before. */
static __attribute__((unused)) void try_uneven(const Rank *r, uint64_t n)
{
    uint64_t counts[64], starts[64], back_counts[64], back_starts[64], matrix[64 * 64], end = 0, i;
    uint64_t own = n / (r->rank + 1);
    int32_t *in = device_numbers(r, own, 1), *all, *parts, *out = device_numbers(r, own, 0), *host;
    uint32_t rank, other;

    for (rank = 0; rank < r->ranks; rank++) {
        counts[rank] = n / (rank + 1);
        /* Where nothing is does not matter. */
        starts[rank] = counts[rank] == 0 ? UINT64_MAX : end;
        end += counts[rank];
        back_counts[rank] = own;
        back_starts[rank] = own == 0 ? UINT64_MAX : rank * own;
        for (other = 0; other < r->ranks; other++) {
            matrix[rank * r->ranks + other] = n / (other + 1);
        }
    }
    all = device_numbers(r, end, 0);
    parts = device_numbers(r, end, 1);
    HOK(HcclAllGatherV(in, own, all, counts, starts, HCCL_DATA_TYPE_INT32, r->comm, r->stream));
    host = fetched(r, all, end);
    for (rank = 0; rank < r->ranks; rank++) {
        for (i = 0; i < counts[rank]; i++) {
            EQ(host[starts[rank] + i], number(rank, i));
        }
    }
    free(host);
    HOK(HcclReduceScatterV(parts, counts, starts, out, own, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm,
                           r->stream));
    host = fetched(r, out, own);
    for (i = 0; i < own; i++) {
        EQ(host[i], total(r->ranks, starts[r->rank] + i));
    }
    free(host);
    OK(aclrtFree(all));
    all = device_numbers(r, own * r->ranks, 0);
    HOK(HcclAlltoAllV(parts, counts, starts, HCCL_DATA_TYPE_INT32, all, back_counts, back_starts, HCCL_DATA_TYPE_INT32,
                      r->comm, r->stream));
    host = fetched(r, all, own * r->ranks);
    for (rank = 0; rank < r->ranks; rank++) {
        for (i = 0; i < own; i++) {
            EQ(host[rank * own + i], number(rank, starts[r->rank] + i));
        }
    }
    free(host);
    HOK(HcclAlltoAllVC(parts, matrix, HCCL_DATA_TYPE_INT32, all, HCCL_DATA_TYPE_INT32, r->comm, r->stream));
    host = fetched(r, all, own * r->ranks);
    for (rank = 0; rank < r->ranks; rank++) {
        for (i = 0; i < own; i++) {
            EQ(host[rank * own + i], number(rank, starts[r->rank] + i));
        }
    }
    free(host);
    OK(aclrtFree(in));
    OK(aclrtFree(all));
    OK(aclrtFree(parts));
    OK(aclrtFree(out));
}

/* A ring: to the next rank, from the one before; alone, as a batch and as a group. */
static __attribute__((unused)) void try_messages(const Rank *r, uint64_t n)
{
    uint32_t next = (r->rank + 1) % r->ranks, before = (r->rank + r->ranks - 1) % r->ranks, way;
    for (way = 0; way < 3; way++) {
        int32_t *in = device_numbers(r, n, 1), *out = device_numbers(r, n, 0), *host;
        uint64_t i;
        if (way == 0 && r->ranks > 1) {
            /* Sends wait for their receivers: rank 0 receives first. */
            if (r->rank == 0) {
                HOK(HcclRecv(out, n, HCCL_DATA_TYPE_INT32, before, r->comm, r->stream));
                HOK(HcclSend(in, n, HCCL_DATA_TYPE_INT32, next, r->comm, r->stream));
            } else {
                HOK(HcclSend(in, n, HCCL_DATA_TYPE_INT32, next, r->comm, r->stream));
                HOK(HcclRecv(out, n, HCCL_DATA_TYPE_INT32, before, r->comm, r->stream));
            }
        } else if (way == 1) {
            HcclSendRecvItem items[2] = {
                {HCCL_SEND, in, n, HCCL_DATA_TYPE_INT32, next},
                {HCCL_RECV, out, n, HCCL_DATA_TYPE_INT32, before},
            };
            HOK(HcclBatchSendRecv(items, 2, r->comm, r->stream));
        } else {
            HOK(HcclGroupStart());
            HOK(HcclGroupStart());
            HOK(HcclSend(in, n / 2, HCCL_DATA_TYPE_INT32, next, r->comm, r->stream));
            HOK(HcclGroupEnd());
            HOK(HcclSend(in + n / 2, n - n / 2, HCCL_DATA_TYPE_INT32, next, r->comm, r->stream));
            HOK(HcclRecv(out, n / 2, HCCL_DATA_TYPE_INT32, before, r->comm, r->stream));
            HOK(HcclRecv(out + n / 2, n - n / 2, HCCL_DATA_TYPE_INT32, before, r->comm, r->stream));
            HOK(HcclGroupEnd());
        }
        host = fetched(r, out, n);
        for (i = 0; i < n; i++) {
            EQ(host[i], number(before, i));
        }
        free(host);
        OK(aclrtFree(in));
        OK(aclrtFree(out));
    }
}

static __attribute__((unused)) void try_everything(const Rank *r)
{
    static const uint64_t SIZES[] = {0, 1, 1000, 300001};
    uint32_t size, got = 0;
    HcclResult failed = HCCL_E_INTERNAL;
    char name[128];

    HOK(HcclGetRankId(r->comm, &got));
    EQ(got, r->rank);
    HOK(HcclGetRankSize(r->comm, &got));
    EQ(got, r->ranks);
    HOK(HcclGetCommName(r->comm, name));
    CHECK(name[0] != '\0');
    for (size = 0; size < sizeof SIZES / sizeof SIZES[0]; size++) {
        try_reductions(r, SIZES[size]);
        try_moves(r, SIZES[size]);
        try_uneven(r, SIZES[size]);
        try_messages(r, SIZES[size]);
        HOK(HcclBarrier(r->comm, r->stream));
    }
    OK(aclrtSynchronizeStream(r->stream));
    HOK(HcclGetCommAsyncError(r->comm, &failed));
    EQ(failed, HCCL_SUCCESS);
}

#endif
