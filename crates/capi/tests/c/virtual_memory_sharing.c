/* Do names of physical memory work, inside one process? A number or 128 bytes
 * stand for the memory while it lives; an import is one more handle of it, for
 * another device. What was invented or is stale is refused. And memory of one
 * device is opened to another. Runs with MILLPOND_DEVICES=2. */
#include "vmm.h"

#define SIZE (2 * MIB)
#define MARK ((void *)0x55)

static uint64_t access_of(void *at, uint32_t device)
{
    aclrtMemLocation place = {device, ACL_MEM_LOCATION_TYPE_DEVICE};
    uint64_t flag = 77;
    OK(aclrtMemGetAccess(at, &place, &flag));
    return flag;
}

int main(void)
{
    aclrtDrvMemHandle piece, first = NULL, second = NULL, none = MARK;
    aclrtMemFabricHandle fabric, changed;
    uint64_t number = 0, same = 0, unset = 77;
    int32_t pids[2] = {0, 0};
    void *block = NULL;
    char *range, *other;
    size_t before, i;

    OPEN_DEVICE();
    before = free_memory();
    piece = physical(0, SIZE);
    range = reserve(16 * MIB);
    OK(aclrtMapMem(range, SIZE, 0, piece, 0));
    OK(aclrtMemset(range, SIZE, 0x21, SIZE));

    OK(aclrtDeviceGetBareTgid(&pids[0]));
    EQ(pids[0], getpid());
    CODE(aclrtDeviceGetBareTgid(NULL), ACL_ERROR_INVALID_PARAM);

    /* Export. */
    CODE(aclrtMemExportToShareableHandle(piece, ACL_MEM_HANDLE_TYPE_NONE, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemExportToShareableHandle(piece, ACL_MEM_HANDLE_TYPE_POSIX, 0, &unset), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemExportToShareableHandle(piece, ACL_MEM_HANDLE_TYPE_NONE, 2, &unset), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemExportToShareableHandle(NULL, ACL_MEM_HANDLE_TYPE_NONE, 0, &unset), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemExportToShareableHandle(range, ACL_MEM_HANDLE_TYPE_NONE, 0, &unset), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclrtMemExportToShareableHandleV2(piece, 0, 0, &unset), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemExportToShareableHandleV2(piece, 0, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, NULL), ACL_ERROR_INVALID_PARAM);
    EQ(unset, 77);
    OK(aclrtMemExportToShareableHandle(piece, ACL_MEM_HANDLE_TYPE_NONE, ACL_RT_VMM_EXPORT_FLAG_DEFAULT, &number));
    OK(aclrtMemExportToShareableHandleV2(piece, ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION,
                                         ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &same));
    CHECK(number != 0);
    EQ(number, same);
    OK(aclrtMemExportToShareableHandleV2(piece, 0, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &fabric));

    /* Who may import. */
    pids[1] = 1;
    OK(aclrtMemSetPidToShareableHandle(number, pids, 2));
    OK(aclrtMemSetPidToShareableHandleV2(&fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, pids, 1));
    CODE(aclrtMemSetPidToShareableHandle(number, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemSetPidToShareableHandle(number, pids, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemSetPidToShareableHandle(number + 1, pids, 1), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemSetPidToShareableHandleV2(NULL, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, pids, 1), ACL_ERROR_INVALID_PARAM);

    /* Import, for the other device and for this one. */
    CODE(aclrtMemImportFromShareableHandle(number, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemImportFromShareableHandle(number, 2, &none), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtMemImportFromShareableHandle(number + 1, 0, &none), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemImportFromShareableHandle(0, 0, &none), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemImportFromShareableHandleV2(&fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 1, &none),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemImportFromShareableHandleV2(&fabric, 3, 0, &none), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemImportFromShareableHandleV2(NULL, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &none),
         ACL_ERROR_INVALID_PARAM);
    for (i = 0; i < sizeof fabric; i++) {
        changed = fabric;
        changed.data[i] ^= 0x10;
        CODE(aclrtMemImportFromShareableHandleV2(&changed, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &none),
             ACL_ERROR_INVALID_PARAM);
    }
    EQ_PTR(none, MARK);
    OK(aclrtMemImportFromShareableHandle(number, 1, &first));
    OK(aclrtMemImportFromShareableHandleV2(&fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &second));
    CHECK(first != piece && second != piece && first != second);
    EQ(free_memory(), before - SIZE);

    /* The same bytes, from everywhere. */
    other = reserve(16 * MIB);
    OK(aclrtMapMem(other, SIZE, 0, first, 0));
    EQ(value_of(other, SIZE), 0x21);
    EQ(access_of(range, 0), ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
    EQ(access_of(range, 1), ACL_RT_MEM_ACCESS_FLAGS_NONE);
    EQ(access_of(other, 0), ACL_RT_MEM_ACCESS_FLAGS_NONE);
    EQ(access_of(other, 1), ACL_RT_MEM_ACCESS_FLAGS_READWRITE);

    /* Each handle is freed by itself; the memory goes with the last of them. */
    OK(aclrtUnmapMem(range));
    OK(aclrtFreePhysical(piece));
    OK(aclrtFreePhysical(second));
    EQ(value_of(other, SIZE), 0x21);
    OK(aclrtMemImportFromShareableHandle(number, 0, &second));
    OK(aclrtFreePhysical(second));
    OK(aclrtUnmapMem(other));
    EQ(free_memory(), before - SIZE);
    OK(aclrtFreePhysical(first));
    EQ(free_memory(), before);
    CODE(aclrtMemImportFromShareableHandle(number, 0, &none), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemImportFromShareableHandleV2(&fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &none),
         ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemSetPidToShareableHandle(number, pids, 1), ACL_ERROR_RT_PARAM_INVALID);

    /* Towards another device. */
    piece = physical(0, SIZE);
    OK(aclrtMapMem(range, SIZE, 0, piece, 0));
    OK(aclrtMapMem(range + SIZE, SIZE, 0, piece, 0));
    CODE(aclrtMemP2PMap(NULL, SIZE, 1, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemP2PMap(range, 0, 1, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemP2PMap(range, SIZE, 1, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemP2PMap(range, SIZE, 2, 0), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtMemP2PMap(range, 3 * SIZE, 1, 0), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtMemP2PMap(range + SIZE / 2, SIZE, 1, 0));
    EQ(access_of(range, 1), ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
    EQ(access_of(range + SIZE, 1), ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
    OK(aclrtMallocAlign32(&block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemP2PMap(block, SIZE, 1, 0));
    CODE(aclrtMemP2PMap(block, 2 * SIZE, 1, 0), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtFree(block));

    /* Over a chosen connection: the same memory at one more place. */
    OK(aclrtMemMapSetLink(piece, ACL_RT_MEM_ACCESS_LINK_HCCS));
    CODE(aclrtMemMapSetLink(piece, 4), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemMapSetLink(first, ACL_RT_MEM_ACCESS_LINK_SIO), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(aclrtMemMapSelectedLink(other, SIZE, range, 2), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemMapSelectedLink(NULL, SIZE, range, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemMapSelectedLink(other, SIZE, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemMapSelectedLink(other, 0, range, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemMapSelectedLink(other, SIZE / 2, range, 0), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemMapSelectedLink(other, SIZE, range + 2 * SIZE, 0), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtMemMapSelectedLink(other, SIZE, range, ACL_RT_MEM_LINK_IDX_1));
    CODE(aclrtMemMapSelectedLink(other, SIZE, range, ACL_RT_MEM_LINK_IDX_0), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtMemset(range, SIZE, 0x33, SIZE));
    EQ(value_of(other, SIZE), 0x33);
    EQ(access_of(other, 1), ACL_RT_MEM_ACCESS_FLAGS_READWRITE);

    OK(aclrtUnmapMem(range));
    OK(aclrtUnmapMem(range + SIZE));
    OK(aclrtUnmapMem(other));
    OK(aclrtFreePhysical(piece));
    OK(aclrtReleaseMemAddress(range));
    OK(aclrtReleaseMemAddress(other));
    EQ(free_memory(), before);
    CLOSE_DEVICE();
    return 0;
}
