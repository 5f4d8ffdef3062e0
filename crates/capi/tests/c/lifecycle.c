/* How does the process start and end? aclInit counts, aclFinalize ends at once,
 * aclFinalizeReference counts down, both can be done again, and callbacks see it. */
#include "check.h"

typedef struct {
    int inits;
    int finalizes;
} Seen;

static aclError on_init(const char *config, size_t length, void *user)
{
    Seen *seen = (Seen *)user;
    /* With a configuration the text is really there; without one length may only be 0. */
    if (length != 0) {
        CHECK(config != NULL);
    }
    seen->inits++;
    return ACL_SUCCESS;
}

static aclError on_finalize(void *user)
{
    Seen *seen = (Seen *)user;
    seen->finalizes++;
    return ACL_SUCCESS;
}

static void counts(void)
{
    uint64_t left = 99;

    OK(aclInit(NULL));
    /* Repeating is counted, and says so with a code that every client ignores. */
    CODE_ONLY(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    /* An empty path is no configuration either, so it is the same request. */
    CODE_ONLY(aclInit(""), ACL_ERROR_REPEAT_INITIALIZE);

    OK(aclFinalizeReference(&left));
    EQ(left, 2);
    OK(aclFinalizeReference(&left));
    EQ(left, 1);
    OK(aclFinalizeReference(&left));
    EQ(left, 0);
    CODE_ONLY(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE);
}

static void finalize_ends_at_once(void)
{
    OK(aclInit(NULL));
    CODE_ONLY(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    CODE_ONLY(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    OK(aclFinalize());
    CODE_ONLY(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    CODE_ONLY(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
}

static void callbacks_see_it(void)
{
    Seen seen = {0, 0};
    uint64_t left;

    OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_OP_EXECUTOR, on_init, &seen));
    OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_OP_EXECUTOR, on_finalize, &seen));
    OK(aclInit(NULL));
    EQ(seen.inits, 1);
    EQ(seen.finalizes, 0);

    /* A counted repetition is not a start, and a counted release is not an end. */
    CODE_ONLY(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    EQ(seen.inits, 1);
    OK(aclFinalizeReference(&left));
    EQ(left, 1);
    EQ(seen.finalizes, 0);

    OK(aclFinalize());
    EQ(seen.finalizes, 1);

    OK(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_OP_EXECUTOR, on_init));
    OK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_ACL_OP_EXECUTOR, on_finalize));
    OK(aclInit(NULL));
    OK(aclFinalize());
    EQ(seen.inits, 1);
    EQ(seen.finalizes, 1);

    FAILS(aclInitCallbackRegister(ACL_REG_TYPE_ACL_OP_EXECUTOR, NULL, &seen));
    FAILS(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_OP_EXECUTOR, NULL, &seen));
    FAILS(aclInitCallbackRegister((aclRegisterCallbackType)1234, on_init, &seen));
    FAILS(aclFinalizeCallbackRegister((aclRegisterCallbackType)1234, on_finalize, &seen));
}

static void work_after_each_start(void)
{
    int round;
    for (round = 0; round < 3; round++) {
        void *block = NULL;
        OPEN_DEVICE();
        OK(aclrtMalloc(&block, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMemset(block, 1000, round, 1000));
        OK(aclrtFree(block));
        CLOSE_DEVICE();
    }
}

int main(void)
{
    /* Ending what never began is accepted. */
    OK(aclFinalize());

    counts();
    finalize_ends_at_once();
    callbacks_see_it();
    work_after_each_start();
    return 0;
}
