// rule: memory.uninitialised-read
// wrong: the program believes that a block of a pool comes back with the content it had
#include "pool.h"

enum { BYTES = 4096 };

int main(void)
{
    char *back = malloc(BYTES);
    start();
    aclrtMemPool pool = new_pool();
    aclrtStream stream = new_stream();
    void *table = pool_memory(pool, BYTES, stream);
    ACL(aclrtMemsetAsync(table, BYTES, 61, BYTES, stream));
    ACL(aclrtMemPoolFreeAsync(table, stream));
    table = pool_memory(pool, BYTES, stream);
#ifndef WRONG
    ACL(aclrtMemsetAsync(table, BYTES, 61, BYTES, stream));
#endif
    ACL(aclrtSynchronizeStream(stream));
    download(back, table, BYTES);
    EXPECT(all_bytes(back, BYTES, 61));
    ACL(aclrtMemPoolFreeAsync(table, stream));
    ACL(aclrtSynchronizeStream(stream));
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtMemPoolDestroy(pool));
    free(back);
    return finish();
}
