/* Stream-ordered pools. */
#include "../oracle.h"
#define GROUP "pool"

static aclrtMemPool new_pool(size_t most)
{
    aclrtMemPool pool = NULL;
    aclrtMemPoolProps properties;
    memset(&properties, 0, sizeof properties);
    properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    properties.maxSize = most;
    need("aclrtMemPoolCreate", CALL(aclrtMemPoolCreate)(&pool, &properties));
    return pool;
}

QUESTION(create, "aclrtMemPoolCreate aclrtMemPoolDestroy", "Which properties does aclrtMemPoolCreate accept?")
{
    aclrtMemPool pool = NULL;
    aclrtMemPoolProps properties;
    memset(&properties, 0, sizeof properties);
    properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    code("good", CALL(aclrtMemPoolCreate)(&pool, &properties));
    code("destroy", CALL(aclrtMemPoolDestroy)(pool));
    code("twice", CALL(aclrtMemPoolDestroy)(pool));
    properties.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    code("host", CALL(aclrtMemPoolCreate)(&pool, &properties));
    properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = 4000;
    code("no_device", CALL(aclrtMemPoolCreate)(&pool, &properties));
    properties.location.id = 0;
    properties.reserved[0] = 1;
    code("reserved", CALL(aclrtMemPoolCreate)(&pool, &properties));
}

QUESTION(attributes, "aclrtMemPoolGetAttr aclrtMemPoolSetAttr aclrtMemPoolTrimTo", "What are the attributes of a new pool, and which can be set?")
{
    aclrtMemPool pool = new_pool(0);
    for (int attribute = 0; attribute <= 9; attribute++) {
        uint64_t value = 0;
        char name[16];
        snprintf(name, sizeof name, "get%d", attribute);
        RESULT(name, CALL(aclrtMemPoolGetAttr)(pool, (aclrtMemPoolAttr)attribute, &value), value);
        value = 0;
        snprintf(name, sizeof name, "set%d", attribute);
        code(name, CALL(aclrtMemPoolSetAttr)(pool, (aclrtMemPoolAttr)attribute, &value));
    }
    code("trim", CALL(aclrtMemPoolTrimTo)(pool, 0));
}

QUESTION(allocate, "aclrtMemPoolMallocAsync aclrtMemPoolFreeAsync", "What do sizes of 0 and of 100 bytes return, and is memory usable at once?")
{
    aclrtMemPool pool = new_pool(0);
    aclrtStream stream = new_stream();
    void *block = (void *)1;
    uint64_t used = 0;
    code("zero", CALL(aclrtMemPoolMallocAsync)(&block, 0, pool, stream));
    fact("written", "%s", block == (void *)1 ? "no" : "yes");
    code("some", CALL(aclrtMemPoolMallocAsync)(&block, 100, pool, stream));
    code("fill", CALL(aclrtMemsetAsync)(block, 100, 1, 100, stream));
    RESULT("used", CALL(aclrtMemPoolGetAttr)(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &used), used);
    code("free", CALL(aclrtMemPoolFreeAsync)(block, stream));
    code("twice", CALL(aclrtMemPoolFreeAsync)(block, stream));
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    code("null", CALL(aclrtMemPoolFreeAsync)(NULL, stream));
}

QUESTION(full, "aclrtMemPoolMallocAsync", "What does a pool of 4 MiB return for 8 MiB?")
{
    void *block = NULL;
    code("code", CALL(aclrtMemPoolMallocAsync)(&block, 8 << 20, new_pool(4 << 20), new_stream()));
}

QUESTION(destroy_used, "aclrtMemPoolDestroy", "What does aclrtMemPoolDestroy return while a block is in use?")
{
    aclrtMemPool pool = new_pool(0);
    void *block = NULL;
    need("aclrtMemPoolMallocAsync", CALL(aclrtMemPoolMallocAsync)(&block, 100, pool, new_stream()));
    code("code", CALL(aclrtMemPoolDestroy)(pool));
}

QUESTION(reuse, "aclrtMemPoolMallocAsync aclrtMemPoolFreeAsync", "Does the same stream get freed memory back before its work is done?")
{
    aclrtMemPool pool = new_pool(0);
    aclrtStream stream = new_stream();
    void *first = NULL, *second = NULL;
    struct gate *gate = new_gate(stream);
    need("aclrtMemPoolMallocAsync", CALL(aclrtMemPoolMallocAsync)(&first, 4096, pool, stream));
    need("aclrtMemPoolFreeAsync", CALL(aclrtMemPoolFreeAsync)(first, stream));
    code("malloc", CALL(aclrtMemPoolMallocAsync)(&second, 4096, pool, stream));
    fact("same", "%s", first == second ? "yes" : "no");
    open_gate(gate);
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
}
