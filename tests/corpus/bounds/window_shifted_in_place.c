// rule: memory.overlap
// wrong: the sliding window of the cache is moved to its front by one copy over itself
#include "corpus.h"

enum { SLOTS = 8, SLOT = 1024 };

static void drop_oldest(char *cache, char *spare, aclrtStream stream)
{
    size_t rest = (SLOTS - 1) * SLOT;
#ifdef WRONG
    (void)spare;
    ACL(aclrtMemcpyAsync(cache, SLOTS * SLOT, cache + SLOT, rest, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
#else
    ACL(aclrtMemcpyAsync(spare, SLOTS * SLOT, cache + SLOT, rest, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL(aclrtMemcpyAsync(cache, SLOTS * SLOT, spare, rest, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
#endif
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    char *cache = device_memory(SLOTS * SLOT), *spare = device_memory(SLOTS * SLOT);
    ACL(aclrtMemset(spare, SLOTS * SLOT, 0, SLOTS * SLOT));
    for (int slot = 0; slot < SLOTS; slot++)
        ACL(aclrtMemsetAsync(cache + slot * SLOT, SLOT, slot, SLOT, stream));
    for (int token = 0; token < 3; token++) {
        drop_oldest(cache, spare, stream);
        ACL(aclrtMemsetAsync(cache + (SLOTS - 1) * SLOT, SLOT, SLOTS + token, SLOT, stream));
    }
    ACL(aclrtSynchronizeStream(stream));
    for (int slot = 0; slot < SLOTS; slot++)
        EXPECT(device_bytes(cache + slot * SLOT, SLOT, slot + 3));
    ACL(aclrtFree(spare));
    ACL(aclrtFree(cache));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
