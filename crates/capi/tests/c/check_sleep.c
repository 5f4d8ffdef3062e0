/* A sleep mode: memory that a caching allocator cuts up is saved, goes, comes back at the same addresses and is
 * filled again. The parts that are no tensor go with it, and it is kept to the end. */
#include "parts.h"
#include "vmm.h"

#include <mstx/ms_tools_ext.h>

#define SEGMENT (2 * MIB)

static mstxDomainHandle_t cache;

static void tensor(char *place, size_t size)
{
    mstxMemVirtualRangeDesc_t range = {0, place, size};
    mstxMemRegionsRegisterBatch_t batch = {NULL, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 1, &range, NULL};
    mstxMemRegionsRegister(cache, &batch);
}

static void child(void)
{
    size_t saved = is("part") ? SEGMENT - 512 : SEGMENT;
    char *place, *host = malloc(SEGMENT);
    aclrtDrvMemHandle handle;

    OPEN_DEVICE();
    cache = mstxDomainCreateA("ptaCaching");
    place = reserve(SEGMENT);
    handle = physical(0, SEGMENT);
    OK(aclrtMapMem(place, SEGMENT, 0, handle, 0));
    tensor(place, 512);
    tensor(place + 1024, 512);
    OK(aclrtMemset(place, 512, 7, 512));

    OK(aclrtMemcpy(host, SEGMENT, place, saved, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtUnmapMem(place));
    OK(aclrtFreePhysical(handle));
    handle = physical(0, SEGMENT);
    OK(aclrtMapMem(place, SEGMENT, 0, handle, 0));
    OK(aclrtMemcpy(place, SEGMENT, host, saved, ACL_MEMCPY_HOST_TO_DEVICE));
    EQ(value_of(place, 512), 7);
    free(host);
    CLOSE_DEVICE();
}

int main(void)
{
    static const char *const alone[] = {"TASK_QUEUE_ENABLE=0", NULL};

    if (part() != NULL) {
        child();
        return 0;
    }
    setenv("TASK_QUEUE_ENABLE", "0", 1);
    keeps("whole");
    TIMES(found, "\"finding\"", 0);
    /* Less than all of it may be a tensor that is too long. */
    LEFT(play("part", alone), 0);
    HAS(found, "\"memory.out-of-bounds\"");
    return 0;
}
