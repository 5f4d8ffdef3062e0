/* Stream-ordered pools, and an allocator that a program registers on its stream. */
#ifndef MILLPOND_CORPUS_POOL_H
#define MILLPOND_CORPUS_POOL_H

#include "corpus.h"

#include "acl/acl_rt_allocator.h"
#include "acl/acl_rt_memory_soma.h"

static inline aclrtMemPool new_pool(void)
{
    aclrtMemPoolProps props;
    aclrtMemPool pool = NULL;
    memset(&props, 0, sizeof props);
    props.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    ACL(aclrtMemPoolCreate(&pool, &props));
    return pool;
}

static inline void *pool_memory(aclrtMemPool pool, size_t size, aclrtStream stream)
{
    void *memory = NULL;
    ACL(aclrtMemPoolMallocAsync(&memory, size, pool, stream));
    return memory;
}

/* Cuts blocks from an arena, one behind the other, and begins again when all came back. */
typedef struct {
    char *arena;
    size_t size, used, live, served;
} Arena;

static inline void *arena_alloc(void *object, size_t size)
{
    Arena *arena = (Arena *)object;
    size_t begin = (arena->used + 63) / 64 * 64;
    if (begin + size > arena->size) {
        return NULL;
    }
    arena->used = begin + size;
    arena->live++;
    arena->served++;
    return arena->arena + begin;
}

static inline void arena_free(void *object, void *block)
{
    Arena *arena = (Arena *)object;
    (void)block;
    if (--arena->live == 0) {
        arena->used = 0;
    }
}

static inline void *arena_address(void *block)
{
    return block;
}

/* A description of an allocator, complete. */
static inline aclrtAllocatorDesc arena_desc(Arena *arena)
{
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    ACL(aclrtAllocatorSetObjToDesc(desc, arena));
    ACL(aclrtAllocatorSetAllocFuncToDesc(desc, arena_alloc));
    ACL(aclrtAllocatorSetFreeFuncToDesc(desc, arena_free));
    ACL(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, arena_address));
    return desc;
}

static inline void arena_register(Arena *arena, aclrtStream stream)
{
    aclrtAllocatorDesc desc = arena_desc(arena);
    ACL(aclrtAllocatorRegister(stream, desc));
    ACL(aclrtAllocatorDestroyDesc(desc));
}

#endif
