/* What if a program hands over nonsense? Nothing may end the process, and nothing may be written
 * where no array is. */
#define MSTX_NO_IMPL
#include "check.h"

#include <mstx/ms_tools_ext.h>
#include <sys/mman.h>

#include "parts/mstx_heard.h"

#define WILD ((void *)0x10)

int main(void)
{
    static const mstxMemRegionHandle_t constant[1] = {NULL};
    mstxMemVirtualRangeDesc_t range = {0, NULL, 64};
    mstxMemHeapDesc_t heap;
    mstxMemRegionsRegisterBatch_t batch;
    mstxMemRegionsUnregisterBatch_t gone;
    mstxMemPermissionsAssignBatch_t permissions;
    mstxMemRegionHandle_t handle = NULL;
    mstxMemRegionRef_t ref;
    char *name = malloc(5000);
    char *page;
    void *pool;
    int kind;

    no_records_yet();
    OPEN_DEVICE();
    OK(aclrtMalloc(&pool, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
    range.ptr = pool;

    /* Texts: none, too long, at the end of what can be read, in device memory. */
    EQ_PTR(mstxDomainCreateA(NULL), NULL);
    EQ_PTR(mstxDomainCreateA(WILD), NULL);
    memset(name, 'x', 4999);
    name[4999] = '\0';
    EQ_PTR(mstxDomainCreateA(name), NULL);
    name[1024] = '\0';
    EQ_PTR(mstxDomainCreateA(name), NULL);
    name[1023] = '\0';
    CHECK(mstxDomainCreateA(name) != NULL);
    mstxMarkA(NULL, NULL);
    mstxMarkA(WILD, WILD);
    mstxMarkA(pool, NULL);
    memset(name, 'm', 4999);
    mstxMarkA(name, NULL);
    mstxRangeEnd(mstxRangeStartA(NULL, NULL));
    mstxRangeEnd(~0ull);
    mstxGetToolId(WILD);
    page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED && munmap(page + 4096, 4096) == 0);
    memset(page + 4090, 'e', 6);
    EQ_PTR(mstxDomainCreateA(page + 4090), NULL);
    page[4095] = '\0';
    CHECK(mstxDomainCreateA(page + 4090) != NULL);

    /* Domains that are none. */
    mstxDomainDestroy(WILD);
    mstxDomainMarkA((mstxDomainHandle_t)pool, "m", NULL);
    EQ(mstxDomainRangeStartA((mstxDomainHandle_t)~(uintptr_t)0, "r", NULL), 0);
    EQ_PTR(mstxMemHeapRegister(WILD, NULL), NULL);

    /* Heaps. */
    memset(&heap, 0, sizeof heap);
    EQ_PTR(mstxMemHeapRegister(globalDomain, NULL), NULL);
    EQ_PTR(mstxMemHeapRegister(globalDomain, WILD), NULL);
    EQ_PTR(mstxMemHeapRegister(globalDomain, pool), NULL);
    EQ_PTR(mstxMemHeapRegister(globalDomain, &heap), NULL);
    heap.typeSpecificDesc = WILD;
    EQ_PTR(mstxMemHeapRegister(globalDomain, &heap), NULL);
    heap.typeSpecificDesc = &range;
    kind = 0x55;
    memcpy(&heap.type, &kind, sizeof kind);
    EQ_PTR(mstxMemHeapRegister(globalDomain, &heap), NULL);
    RECORDS(0, "heap 1 registered");
    mstxMemHeapUnregister(globalDomain, WILD);
    mstxMemHeapUnregister(globalDomain, (mstxMemHeapHandle_t)pool);

    /* Regions. */
    mstxMemRegionsRegister(globalDomain, NULL);
    mstxMemRegionsRegister(globalDomain, WILD);
    memset(&batch, 0, sizeof batch);
    mstxMemRegionsRegister(globalDomain, &batch);
    batch.regionCount = 1;
    mstxMemRegionsRegister(globalDomain, &batch);
    batch.regionDescArray = WILD;
    mstxMemRegionsRegister(globalDomain, &batch);
    batch.regionDescArray = &range;
    batch.regionHandleArrayOut = &handle;
    batch.regionCount = SIZE_MAX;
    mstxMemRegionsRegister(globalDomain, &batch);
    batch.regionCount = SIZE_MAX / 24 + 2;
    mstxMemRegionsRegister(globalDomain, &batch);
    batch.regionCount = 1;
    batch.heap = WILD;
    mstxMemRegionsRegister(globalDomain, &batch);
    EQ_PTR(handle, NULL);
    RECORDS(0, "region 1 registered");

    /* Arrays for handles that are none: the region is there, by its address. */
    batch.heap = NULL;
    batch.regionHandleArrayOut = WILD;
    mstxMemRegionsRegister(globalDomain, &batch);
    batch.regionHandleArrayOut = (mstxMemRegionHandle_t *)constant;
    mstxMemRegionsRegister(globalDomain, &batch);
    EQ_PTR(constant[0], NULL);
    batch.regionHandleArrayOut = (mstxMemRegionHandle_t *)pool;
    mstxMemRegionsRegister(globalDomain, &batch);
    batch.regionHandleArrayOut = NULL;
    mstxMemRegionsRegister(globalDomain, &batch);
    RECORDS(4, " registered on device 0");
    RECORDS(1, "cannot be written");

    mstxMemRegionsUnregister(globalDomain, NULL);
    mstxMemRegionsUnregister(globalDomain, WILD);
    gone.refCount = 3;
    gone.refArray = NULL;
    mstxMemRegionsUnregister(globalDomain, &gone);
    gone.refArray = WILD;
    mstxMemRegionsUnregister(globalDomain, &gone);
    gone.refCount = SIZE_MAX;
    gone.refArray = &ref;
    mstxMemRegionsUnregister(globalDomain, &gone);
    gone.refCount = 1;
    memset(&ref, 0xee, sizeof ref);
    ref.pointer = pool;
    mstxMemRegionsUnregister(globalDomain, &gone);
    RECORDS(1, "region 4 unregistered");

    mstxMemPermissionsAssign(globalDomain, NULL);
    mstxMemPermissionsAssign(globalDomain, WILD);
    permissions.regionCount = 7;
    permissions.regionDescArray = WILD;
    mstxMemPermissionsAssign(globalDomain, &permissions);

    /* Once each, however often it happened. */
    RECORDS(1, "cannot be read");
    RECORDS(1, "implausible number of regions");
    RECORDS(1, "a usage or type is unknown");

    free(name);
    OK(aclrtFree(pool));
    return 0;
}
