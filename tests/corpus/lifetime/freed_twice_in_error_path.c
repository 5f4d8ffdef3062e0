// rule: memory.double-free
// wrong: the error path frees a buffer that the step before has freed already
#include "corpus.h"

typedef struct {
    void *scratch, *output;
} Session;

static int run(Session *session, int fail)
{
    int code = -1;
    session->scratch = device_memory(2048);
    session->output = device_memory(2048);
    ACL(aclrtMemset(session->scratch, 2048, 1, 2048));
    ACL(aclrtMemcpy(session->output, 2048, session->scratch, 2048, ACL_MEMCPY_DEVICE_TO_DEVICE));
    ACL(aclrtFree(session->scratch));
#ifndef WRONG
    session->scratch = NULL;
#endif
    if (fail)
        goto failed;
    EXPECT(device_bytes(session->output, 2048, 1));
    code = 0;
failed:
    if (fail && session->scratch)
        TRY(aclrtFree(session->scratch));
    ACL(aclrtFree(session->output));
    return code;
}

int main(void)
{
    Session session = {NULL, NULL};
    start();
    EXPECT(run(&session, 0) == 0);
    EXPECT(run(&session, 1) == -1);
    return finish();
}
