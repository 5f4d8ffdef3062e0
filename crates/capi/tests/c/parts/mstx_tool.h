/* A tool for the tests: it writes down what it hears. Included with FIRST, the number of the first
 * handle that it gives. Handles, heaps and regions share one count, so that each is told apart. */
#ifndef MSTX_TOOL_H
#define MSTX_TOOL_H

#define MSTX_NO_IMPL
#include <mstx/ms_tools_ext_tool.h>

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#define EXPORTED __attribute__((visibility("default")))

static char heard[1 << 20];
static size_t used;
static uintptr_t last = FIRST;
static int inits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (used < sizeof heard - 256) {
        int length = vsnprintf(heard + used, 256, format, arguments);
        used += length < 256 ? (size_t)length : 255;
    }
    va_end(arguments);
}

/* Everything heard so far, and how often the tool was attached. */
EXPORTED const char *tool_heard(void)
{
    return heard;
}

EXPORTED int tool_inits(void)
{
    return inits;
}

#define LOCKED pthread_mutex_lock(&lock)
#define UNLOCKED pthread_mutex_unlock(&lock)

static void on_mark(const char *message, aclrtStream stream)
{
    (void)stream;
    LOCKED;
    say("mark %s;", message);
    UNLOCKED;
}

static mstxRangeId on_range_start(const char *message, aclrtStream stream)
{
    mstxRangeId id;
    (void)stream;
    LOCKED;
    id = last++;
    say("range %s=%d;", message, (int)id);
    UNLOCKED;
    return id;
}

static void on_range_end(mstxRangeId id)
{
    LOCKED;
    say("end %d;", (int)id);
    UNLOCKED;
}

static void on_tool_id(uint64_t *id)
{
    *id = 0x1111;
}

static mstxDomainHandle_t on_domain_create(const char *name)
{
    uintptr_t domain;
    LOCKED;
    domain = last++;
    say("domain %s=%d;", name, (int)domain);
    UNLOCKED;
    return (mstxDomainHandle_t)domain;
}

static void on_domain_destroy(mstxDomainHandle_t domain)
{
    LOCKED;
    say("destroy %d;", (int)(uintptr_t)domain);
    UNLOCKED;
}

static void on_domain_mark(mstxDomainHandle_t domain, const char *message, aclrtStream stream)
{
    (void)stream;
    LOCKED;
    say("mark %s in %d;", message, (int)(uintptr_t)domain);
    UNLOCKED;
}

static mstxRangeId on_domain_range_start(mstxDomainHandle_t domain, const char *message,
    aclrtStream stream)
{
    mstxRangeId id;
    (void)stream;
    LOCKED;
    id = last++;
    say("range %s=%d in %d;", message, (int)id, (int)(uintptr_t)domain);
    UNLOCKED;
    return id;
}

static void on_domain_range_end(mstxDomainHandle_t domain, mstxRangeId id)
{
    LOCKED;
    say("end %d in %d;", (int)id, (int)(uintptr_t)domain);
    UNLOCKED;
}

static mstxMemHeapHandle_t on_heap(mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc)
{
    uintptr_t heap;
    (void)desc;
    LOCKED;
    heap = last++;
    say("heap %d in %d;", (int)heap, (int)(uintptr_t)domain);
    UNLOCKED;
    return (mstxMemHeapHandle_t)heap;
}

static void on_heap_end(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap)
{
    (void)domain;
    LOCKED;
    say("heap-end %d;", (int)(uintptr_t)heap);
    UNLOCKED;
}

static void on_regions(mstxDomainHandle_t domain, mstxMemRegionsRegisterBatch_t const *batch)
{
    size_t i;
    (void)domain;
    LOCKED;
    for (i = 0; i < batch->regionCount; i++) {
        batch->regionHandleArrayOut[i] = (mstxMemRegionHandle_t)last++;
        say("region %d in heap %d;", (int)(uintptr_t)batch->regionHandleArrayOut[i],
            (int)(uintptr_t)batch->heap);
    }
    UNLOCKED;
}

static void on_regions_end(mstxDomainHandle_t domain, mstxMemRegionsUnregisterBatch_t const *batch)
{
    size_t i;
    (void)domain;
    LOCKED;
    for (i = 0; i < batch->refCount; i++) {
        say("region-end %lx;", (unsigned long)(uintptr_t)batch->refArray[i].pointer);
    }
    UNLOCKED;
}

static void on_permissions(mstxDomainHandle_t domain, mstxMemPermissionsAssignBatch_t const *batch)
{
    size_t i;
    (void)domain;
    LOCKED;
    for (i = 0; i < batch->regionCount; i++) {
        say("permit %d=%u;", (int)(uintptr_t)batch->regionDescArray[i].region.handle,
            batch->regionDescArray[i].flags);
    }
    UNLOCKED;
}

#define INSTALL(id, function) *(table[id]) = (mstxFuncPointer)(function)

/* Stores all functions. The tables are looked at closely: they are what is tested. */
static int install(mstxGetModuleFuncTableFunc get)
{
    mstxFuncTable table = NULL;
    unsigned int size = 0;
    inits++;
    if (get(MSTX_API_MODULE_INVALID, &table, &size) != MSTX_FAIL
        || get(MSTX_API_MODULE_SIZE, &table, &size) != MSTX_FAIL
        || get(MSTX_API_MODULE_CORE, NULL, &size) != MSTX_FAIL
        || get(MSTX_API_MODULE_CORE, &table, NULL) != MSTX_FAIL) {
        return MSTX_FAIL;
    }
    if (get(MSTX_API_MODULE_CORE, &table, &size) != MSTX_SUCCESS || size != 5 || table[0] != NULL
        || table[size] != NULL) {
        return MSTX_FAIL;
    }
    INSTALL(MSTX_API_CORE_MARK_A, on_mark);
    INSTALL(MSTX_API_CORE_RANGE_START_A, on_range_start);
    INSTALL(MSTX_API_CORE_RANGE_END, on_range_end);
    INSTALL(MSTX_API_CORE_GET_TOOL_ID, on_tool_id);
    if (get(MSTX_API_MODULE_CORE_DOMAIN, &table, &size) != MSTX_SUCCESS || size != 6
        || table[0] != NULL || table[size] != NULL) {
        return MSTX_FAIL;
    }
    INSTALL(MSTX_API_CORE_DOMAIN_CREATE_A, on_domain_create);
    INSTALL(MSTX_API_CORE_DOMAIN_DESTROY, on_domain_destroy);
    INSTALL(MSTX_API_CORE_DOMAIN_MARK_A, on_domain_mark);
    INSTALL(MSTX_API_CORE_DOMAIN_RANGE_START_A, on_domain_range_start);
    INSTALL(MSTX_API_CORE_DOMAIN_RANGE_END, on_domain_range_end);
    if (get(MSTX_API_MODULE_CORE_MEM, &table, &size) != MSTX_SUCCESS || size != 6 || table[0] != NULL
        || table[size] != NULL) {
        return MSTX_FAIL;
    }
    INSTALL(MSTX_API_CORE_MEMHEAP_REGISTER, on_heap);
    INSTALL(MSTX_API_CORE_MEMHEAP_UNREGISTER, on_heap_end);
    INSTALL(MSTX_API_CORE_MEM_REGIONS_REGISTER, on_regions);
    INSTALL(MSTX_API_CORE_MEM_REGIONS_UNREGISTER, on_regions_end);
    INSTALL(MSTX_API_CORE_MEM_PERMISSIONS_ASSIGN, on_permissions);
    return MSTX_SUCCESS;
}

#endif
