/* Ranks as processes: each gets a device of its own, a stream, memory and a place in one communicator. */
#ifndef MILLPOND_CORPUS_RANKS_H
#define MILLPOND_CORPUS_RANKS_H

#include <sys/wait.h>
#include <unistd.h>

#include "corpus.h"
#include "hccl/hccl.h"

enum { RANKS = 3, ELEMENTS = 1024 };

#define HCCL(call) EXPECT((call) == HCCL_SUCCESS)

typedef struct {
    int rank;
    HcclComm comm;
    aclrtStream stream;
    float *values, *results;
} Rank;

/* A communicator of all ranks. The root info goes through a pipe, once for each of the others. */
static inline HcclComm join(int rank, const int ends[2])
{
    HcclRootInfo info;
    HcclComm comm = NULL;
    if (rank == 0) {
        HCCL(HcclGetRootInfo(&info));
        for (int other = 1; other < RANKS; other++) {
            EXPECT(write(ends[1], &info, sizeof info) == (ssize_t)sizeof info);
        }
    } else {
        size_t got = 0;
        while (got < sizeof info) {
            ssize_t some = read(ends[0], (char *)&info + got, sizeof info - got);
            if (some <= 0) {
                exit(2);
            }
            got += (size_t)some;
        }
    }
    HCCL(HcclCommInitRootInfo(RANKS, &info, (uint32_t)rank, &comm));
    return comm;
}

/* Runs `body` on every rank. What it returns is the exit status. */
static inline int on_ranks(void (*body)(Rank *r, const int more[2]))
{
    int ends[2], more[2], failed = 0, status;
    if (pipe(ends) != 0 || pipe(more) != 0) {
        return 2;
    }
    for (int rank = 0; rank < RANKS; rank++) {
        if (fork() == 0) {
            Rank r = {rank, NULL, NULL, NULL, NULL};
            ACL(aclInit(NULL));
            ACL(aclrtSetDevice(rank));
            r.stream = new_stream();
            r.values = device_memory(ELEMENTS * sizeof(float));
            r.results = device_memory(ELEMENTS * sizeof(float));
            ACL(aclrtMemset(r.values, ELEMENTS * sizeof(float), 0, ELEMENTS * sizeof(float)));
            r.comm = join(rank, ends);
            body(&r, more);
            TRY(aclrtSynchronizeStream(r.stream));
            HCCL(HcclCommDestroy(r.comm));
            ACL(aclrtFree(r.results));
            ACL(aclrtFree(r.values));
            ACL(aclrtDestroyStream(r.stream));
            ACL(aclrtResetDevice(rank));
            ACL(aclFinalize());
            exit(corpus_mistakes ? 3 : 0);
        }
    }
    while (wait(&status) > 0) {
        failed |= status;
    }
    return failed ? 3 : 0;
}

#endif
