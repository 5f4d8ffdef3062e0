/* Ranks as processes: every operation with 2 and 3 of them. With RANKS set: a few operations with so many. With KILLS set: one is killed, or ends, and the others get an error
 * instead of waiting. */
#include "check.h"

#include <signal.h>
#include <sys/wait.h>

#include "hccl_ranks.h"

#define MOST 64

static void open_device(Rank *r)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&r->stream));
}

/* Whether a rank may be gone already while the others meet. */
static int may_fail;

/* The root info goes from rank 0 to the others through pipes. */
static void meet(Rank *r, int pipes[MOST][2])
{
    HcclRootInfo info;
    uint32_t i;
    if (r->rank == 0) {
        HOK(HcclGetRootInfo(&info));
        for (i = 1; i < r->ranks; i++) {
            EQ(write(pipes[i][1], &info, sizeof info), sizeof info);
        }
    } else {
        size_t got = 0;
        while (got < sizeof info) {
            ssize_t some = read(pipes[r->rank][0], (char *)&info + got, sizeof info - got);
            if (some <= 0 && may_fail) {
                exit(0);
            }
            CHECK(some > 0);
            got += (size_t)some;
        }
    }
    if (may_fail) {
        HcclResult met = HcclCommInitRootInfo(r->ranks, &info, r->rank, &r->comm);
        /* Nobody knows of a rank that is gone before it came: the others wait for it as long as the limit says. */
        CHECK(met == HCCL_SUCCESS || met == HCCL_E_REMOTE || met == HCCL_E_TIMEOUT);
        if (met != HCCL_SUCCESS) {
            exit(0);
        }
        return;
    }
    HOK(HcclCommInitRootInfo(r->ranks, &info, r->rank, &r->comm));
}

static void start(uint32_t ranks, pid_t *children, void (*body)(Rank *))
{
    int pipes[MOST][2];
    uint32_t i;
    for (i = 0; i < ranks; i++) {
        EQ(pipe(pipes[i]), 0);
    }
    for (i = 0; i < ranks; i++) {
        children[i] = fork();
        CHECK(children[i] >= 0);
        if (children[i] == 0) {
            Rank r = {NULL, NULL, i, ranks};
            uint32_t other;
            /* The end of rank 0 must close its pipes. */
            for (other = 0; other < ranks && i != 0; other++) {
                close(pipes[other][1]);
            }
            open_device(&r);
            meet(&r, pipes);
            body(&r);
            exit(0);
        }
    }
    for (i = 0; i < ranks; i++) {
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
}

static void everything(Rank *r)
{
    try_everything(r);
    HOK(HcclCommDestroy(r->comm));
    OK(aclrtDestroyStream(r->stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

static void a_few(Rank *r)
{
    int i;
    for (i = 0; i < 3; i++) {
        try_reductions(r, 1000);
        try_messages(r, 1000);
        HOK(HcclBarrier(r->comm, r->stream));
    }
    OK(aclrtSynchronizeStream(r->stream));
    HOK(HcclCommDestroy(r->comm));
    OK(aclrtDestroyStream(r->stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

/* Rank 1 ends in the middle, in one of these ways; the others see it. */
static int way;

static void one_ends(Rank *r)
{
    int32_t *block = device_numbers(r, 1000, 1);
    HcclResult failed = HCCL_SUCCESS;
    int rounds = 0, code = 0;
    if (r->rank == 1) {
        for (rounds = 0; rounds < 3; rounds++) {
            HOK(HcclAllReduce(block, block, 1000, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, r->comm, r->stream));
        }
        OK(aclrtSynchronizeStream(r->stream));
        if (way == 0) {
            kill(getpid(), SIGKILL);
        }
        if (way == 2) {
            /* As a program does that ends in order: it has left before its process has ended. */
            HOK(HcclCommDestroy(r->comm));
        }
        _exit(0);
    }
    while (code == 0) {
        HcclResult called =
            HcclAllReduce(block, block, 1000, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, r->comm, r->stream);
        CHECK(called == HCCL_SUCCESS || called == HCCL_E_REMOTE);
        code = aclrtSynchronizeStream(r->stream);
        rounds++;
    }
    EQ(code, ACL_ERROR_RT_FFTS_PLUS_TIMEOUT);
    CHECK(rounds > 3);
    HOK(HcclGetCommAsyncError(r->comm, &failed));
    EQ(failed, HCCL_E_REMOTE);
    CHECK(strstr(aclGetRecentErrMsg(), "rank 1") != NULL);
    HOK(HcclCommDestroy(r->comm));
}

/* Works until a rank is gone. */
static void until_one_is_gone(Rank *r)
{
    int32_t *block = device_numbers(r, 100000, 1);
    int code = 0;
    while (code == 0) {
        HcclResult called =
            HcclAllReduce(block, block, 100000, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, r->comm, r->stream);
        CHECK(called == HCCL_SUCCESS || called == HCCL_E_REMOTE);
        code = aclrtSynchronizeStream(r->stream);
    }
    EQ(code, ACL_ERROR_RT_FFTS_PLUS_TIMEOUT);
    HOK(HcclCommDestroy(r->comm));
}

/* A random rank is killed at a random point, also while the ranks meet. */
static void kill_at_random(unsigned seed)
{
    pid_t children[MOST];
    uint32_t i, victim;
    srand(seed);
    victim = (uint32_t)rand() % 3;
    may_fail = 1;
    OK(setenv("HCCL_CONNECT_TIMEOUT", "2", 1));
    start(3, children, until_one_is_gone);
    usleep((unsigned)rand() % 120000);
    EQ(kill(children[victim], SIGKILL), 0);
    for (i = 0; i < 3; i++) {
        int status = -1;
        EQ(waitpid(children[i], &status, 0), children[i]);
        if (i != victim) {
            EQ(status, 0);
        }
    }
    may_fail = 0;
}

int main(void)
{
    uint32_t ranks, i;
    int kills = getenv("KILLS") != NULL;
    if (getenv("RANKS") != NULL) {
        pid_t children[MOST];
        ranks = (uint32_t)atoi(getenv("RANKS"));
        start(ranks, children, a_few);
        for (i = 0; i < ranks; i++) {
            int status = -1;
            EQ(waitpid(children[i], &status, 0), children[i]);
            EQ(status, 0);
        }
        return 0;
    }
    for (ranks = 2; ranks <= 3 && !kills; ranks++) {
        pid_t children[MOST];
        start(ranks, children, everything);
        for (i = 0; i < ranks; i++) {
            int status = -1;
            EQ(waitpid(children[i], &status, 0), children[i]);
            EQ(status, 0);
        }
    }
    for (way = 0; way < 3 && kills; way++) {
        pid_t children[MOST];
        start(3, children, one_ends);
        for (i = 0; i < 3; i++) {
            int status = -1;
            EQ(waitpid(children[i], &status, 0), children[i]);
            if (i == 1 && way == 0) {
                CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
            } else {
                EQ(status, 0);
            }
        }
    }
    for (i = 0; kills && i < (uint32_t)atoi(getenv("KILLS")); i++) {
        kill_at_random(i);
    }
    return 0;
}
