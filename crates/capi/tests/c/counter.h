/* An allocator that counts. It lives on one thread: a call from another one fails. */
#ifndef MILLPOND_TESTS_COUNTER_H
#define MILLPOND_TESTS_COUNTER_H

#include "check.h"

#include <pthread.h>

#include <acl/acl_rt_allocator.h>

typedef struct {
    pthread_t thread;
    int allocs, frees, live;
    /* While set, there is no memory. */
    int refuse;
    size_t largest;
} Counter;

static inline void *counter_alloc(void *object, size_t size)
{
    Counter *counter = object;
    void *block = NULL;
    CHECK(pthread_equal(pthread_self(), counter->thread));
    if (counter->refuse) {
        return NULL;
    }
    /* Functions of the runtime may be called from here: nothing of it is locked. */
    OK(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST));
    counter->allocs++;
    counter->live++;
    if (size > counter->largest) {
        counter->largest = size;
    }
    return block;
}

static inline void counter_free(void *object, void *block)
{
    Counter *counter = object;
    CHECK(pthread_equal(pthread_self(), counter->thread));
    OK(aclrtFree(block));
    counter->frees++;
    counter->live--;
}

static inline void *counter_address(void *block)
{
    return block;
}

/* Registers a fresh counter on a stream. */
static inline void counter_use(aclrtStream stream, Counter *counter)
{
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    memset(counter, 0, sizeof *counter);
    counter->thread = pthread_self();
    OK(aclrtAllocatorSetObjToDesc(desc, counter));
    OK(aclrtAllocatorSetAllocFuncToDesc(desc, counter_alloc));
    OK(aclrtAllocatorSetFreeFuncToDesc(desc, counter_free));
    OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, counter_address));
    OK(aclrtAllocatorRegister(stream, desc));
    /* The registration is a copy. */
    OK(aclrtAllocatorDestroyDesc(desc));
}

#endif
