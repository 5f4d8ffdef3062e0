/* What the programs of this folder share: a descriptor that is registered, and the functions in it as
 * the runtime would find them. */
#ifndef MILLPOND_TESTS_SHARED_H
#define MILLPOND_TESTS_SHARED_H

#include "check.h"
#include <millpond/plugin.h>

typedef struct {
    aclrtStream stream;
    aclrtAllocatorDesc desc;
    aclrtAllocator object;
    aclrtAllocatorAllocFunc alloc;
    aclrtAllocatorFreeFunc free;
    aclrtAllocatorAllocAdviseFunc advise;
    aclrtAllocatorGetAddrFromBlockFunc address;
} Allocator;

/* A call of the plug-in that succeeds; otherwise its own explanation is shown. */
#define DONE(call) done((call), __FILE__, __LINE__, #call)
static inline void done(int code, const char *file, int line, const char *call)
{
    if (code != MILLPOND_ALLOCATOR_OK) {
        fprintf(stderr, "%s:%d: %s\n    returned %d: %s\n", file, line, call, code,
                millpondAllocatorMessage());
        _exit(1);
    }
}

/* A call of the plug-in that is refused with this code, and explains itself. */
#define REFUSED(call, code, word)                                        \
    do {                                                                 \
        EQ((call), (code));                                              \
        if (strstr(millpondAllocatorMessage(), (word)) == NULL) {        \
            fprintf(stderr, "said: %s\n", millpondAllocatorMessage());   \
        }                                                                \
        CHECK(strstr(millpondAllocatorMessage(), (word)) != NULL);       \
    } while (0)

static inline Allocator registered(aclrtStream stream, const millpondAllocatorOptions *given)
{
    /* The harness runs programs with both sources of memory. */
    int without_virtual = getenv("WITHOUT_VIRTUAL") != NULL;
    millpondAllocatorOptions own, *options = NULL;
    millpondAllocatorStatistics s;
    Allocator a;
    aclrtAllocatorDesc found = NULL;
    if (given != NULL || without_virtual) {
        memset(&own, 0, sizeof own);
        if (given != NULL) {
            own = *given;
        }
        own.struct_size = sizeof own;
        own.flags |= without_virtual ? MILLPOND_ALLOCATOR_NO_VIRTUAL : 0;
        options = &own;
    }
    memset(&a, 0, sizeof a);
    a.stream = stream;
    DONE(millpondAllocatorCreate(stream, options, &a.desc));
    OK(aclrtAllocatorRegister(stream, a.desc));
    OK(aclrtAllocatorGetByStream(stream, &found, &a.object, &a.alloc, &a.free, &a.advise, &a.address));
    EQ_PTR(found, a.desc);
    s.struct_size = sizeof s;
    DONE(millpondAllocatorStats(a.desc, &s));
    /* valgrind leaves too few addresses to reserve. */
    if (without_virtual || !relaxed()) {
        EQ(s.source, without_virtual ? MILLPOND_ALLOCATOR_SEGMENTS : MILLPOND_ALLOCATOR_MAPPED);
    }
    CHECK(a.object != NULL && a.alloc != NULL && a.free != NULL && a.advise != NULL && a.address != NULL);
    return a;
}

static inline void unregistered(Allocator *a)
{
    OK(aclrtAllocatorUnregister(a->stream));
    DONE(millpondAllocatorDestroy(a->desc));
}

static inline millpondAllocatorStatistics numbers(const Allocator *a)
{
    millpondAllocatorStatistics s;
    memset(&s, 0xee, sizeof s);
    s.struct_size = sizeof s;
    DONE(millpondAllocatorStats(a->desc, &s));
    EQ(s.struct_size, sizeof s);
    return s;
}

#endif
