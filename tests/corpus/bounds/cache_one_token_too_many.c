// rule: memory.out-of-bounds
// wrong: the check for a full cache is made after the append instead of before
#include "corpus.h"

enum { CAPACITY = 16, TOKEN = 640 };

typedef struct {
    char *keys;
    int count;
} Cache;

static int append(Cache *cache, const void *key, aclrtStream stream)
{
#ifdef WRONG
    if (cache->count > CAPACITY)
        return 0;
#else
    if (cache->count >= CAPACITY)
        return 0;
#endif
    TRY(aclrtMemcpyAsync(cache->keys + cache->count * TOKEN, TOKEN, key, TOKEN, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    cache->count++;
    return 1;
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Cache cache = {device_memory(CAPACITY * TOKEN), 0};
    void *key = device_memory(TOKEN);
    ACL(aclrtMemset(key, TOKEN, 12, TOKEN));
    while (append(&cache, key, stream))
        continue;
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(cache.count == CAPACITY);
    EXPECT(device_bytes(cache.keys, CAPACITY * TOKEN, 12));
    ACL(aclrtFree(key));
    ACL(aclrtFree(cache.keys));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
