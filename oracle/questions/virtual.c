/* Virtual memory, host memory that devices use, and what is shared between processes. */
#include <unistd.h>

#include "../oracle.h"
#define GROUP "virtual"
#define PAGE ((size_t)2 << 20)

static aclrtPhysicalMemProp huge_pages(void)
{
    aclrtPhysicalMemProp properties;
    memset(&properties, 0, sizeof properties);
    properties.memAttr = ACL_HBM_MEM_HUGE;
    properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    return properties;
}

static aclrtDrvMemHandle new_piece(size_t size)
{
    aclrtDrvMemHandle handle = NULL;
    aclrtPhysicalMemProp properties = huge_pages();
    need("aclrtMallocPhysical", CALL(aclrtMallocPhysical)(&handle, size, &properties, 0));
    return handle;
}

static char *new_range(size_t size)
{
    void *range = NULL;
    need("aclrtReserveMemAddress", CALL(aclrtReserveMemAddress)(&range, size, 0, NULL, 1));
    return range;
}

QUESTION(reserve, "aclrtReserveMemAddress aclrtReserveMemAddressNoUCMemory aclrtReleaseMemAddress", "Which sizes, alignments and flags does reserving accept?")
{
    void *range = NULL;
    code("good", CALL(aclrtReserveMemAddress)(&range, PAGE, 0, NULL, 1));
    code("release", CALL(aclrtReleaseMemAddress)(range));
    code("twice", CALL(aclrtReleaseMemAddress)(range));
    code("odd", CALL(aclrtReserveMemAddress)(&range, 1000, 0, NULL, 1));
    code("zero", CALL(aclrtReserveMemAddress)(&range, 0, 0, NULL, 1));
    code("alignment", CALL(aclrtReserveMemAddress)(&range, PAGE, PAGE, NULL, 1));
    code("flag0", CALL(aclrtReserveMemAddress)(&range, PAGE, 0, NULL, 0));
    code("flag2", CALL(aclrtReserveMemAddress)(&range, PAGE, 0, NULL, 2));
    code("address", CALL(aclrtReserveMemAddress)(&range, PAGE, 0, (void *)PAGE, 1));
    code("no_cache", CALL(aclrtReserveMemAddressNoUCMemory)(&range, PAGE, 0, NULL, 1));
}

QUESTION(granularity, "aclrtMemGetAllocationGranularity", "What is the granularity of each kind of physical memory?")
{
    for (int kind = 0; kind <= 17; kind++) {
        aclrtPhysicalMemProp properties = huge_pages();
        size_t least = 0, good = 0;
        char name[16];
        properties.memAttr = (aclrtMemAttr)kind;
        aclError status = CALL(aclrtMemGetAllocationGranularity)(&properties, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &least);
        CALL(aclrtMemGetAllocationGranularity)(&properties, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &good);
        snprintf(name, sizeof name, "k%d", kind);
        fact(name, "%d:%zu:%zu", status, least, good);
    }
}

QUESTION(physical, "aclrtMallocPhysical aclrtFreePhysical aclrtMemGetAllocationPropertiesFromHandle", "Which sizes and properties does aclrtMallocPhysical accept?")
{
    aclrtDrvMemHandle handle = NULL;
    aclrtPhysicalMemProp properties = huge_pages(), read;
    memset(&read, 0, sizeof read);
    code("good", CALL(aclrtMallocPhysical)(&handle, PAGE, &properties, 0));
    RESULT("properties", CALL(aclrtMemGetAllocationPropertiesFromHandle)(handle, &read), read.memAttr);
    code("free", CALL(aclrtFreePhysical)(handle));
    code("twice", CALL(aclrtFreePhysical)(handle));
    code("odd", CALL(aclrtMallocPhysical)(&handle, PAGE + 1, &properties, 0));
    code("zero", CALL(aclrtMallocPhysical)(&handle, 0, &properties, 0));
    code("flags", CALL(aclrtMallocPhysical)(&handle, PAGE, &properties, 1));
    properties.location.id = 4000;
    code("no_device", CALL(aclrtMallocPhysical)(&handle, PAGE, &properties, 0));
}

QUESTION(map, "aclrtMapMem aclrtUnmapMem aclrtReleaseMemAddress aclrtMemRetainAllocationHandle", "What does mapping return for good, repeated and partial ranges?")
{
    char *range = new_range(2 * PAGE);
    aclrtDrvMemHandle piece = new_piece(PAGE), same = NULL;
    code("unmapped_copy", CALL(aclrtMemset)(range, 64, 1, 64));
    code("map", CALL(aclrtMapMem)(range, PAGE, 0, piece, 0));
    code("again", CALL(aclrtMapMem)(range, PAGE, 0, piece, 0));
    code("second", CALL(aclrtMapMem)(range + PAGE, PAGE, 0, piece, 0));
    code("use", CALL(aclrtMemset)(range, 64, 1, 64));
    code("retain", CALL(aclrtMemRetainAllocationHandle)(range, &same));
    fact("handle", "%s", same == piece ? "same" : "other");
    code("release_mapped", CALL(aclrtReleaseMemAddress)(range));
    code("unmap", CALL(aclrtUnmapMem)(range));
    code("unmap_twice", CALL(aclrtUnmapMem)(range));
    code("unmap_second", CALL(aclrtUnmapMem)(range + PAGE));
    code("release", CALL(aclrtReleaseMemAddress)(range));
}

QUESTION(map_wrong, "aclrtMapMem", "What does aclrtMapMem return for an offset, another size, and an address that is not reserved?")
{
    char *range = new_range(2 * PAGE);
    aclrtDrvMemHandle piece = new_piece(PAGE);
    code("offset", CALL(aclrtMapMem)(range, PAGE, PAGE, piece, 0));
    code("larger", CALL(aclrtMapMem)(range, 2 * PAGE, 0, piece, 0));
    code("unaligned", CALL(aclrtMapMem)(range + 4096, PAGE, 0, piece, 0));
    code("flags", CALL(aclrtMapMem)(range, PAGE, 0, piece, 1));
    code("foreign", CALL(aclrtMapMem)((void *)PAGE, PAGE, 0, piece, 0));
}

QUESTION(map_access, "aclrtMemMapNoAccess aclrtMemSetAccess aclrtMemGetAccess", "Is a mapping without access usable before and after aclrtMemSetAccess?")
{
    char *range = new_range(PAGE);
    aclrtDrvMemHandle piece = new_piece(PAGE);
    aclrtMemAccessDesc description;
    uint64_t flags = 99;
    memset(&description, 0, sizeof description);
    description.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    description.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    code("map", CALL(aclrtMemMapNoAccess)(range, PAGE, 0, piece, 0));
    code("use", CALL(aclrtMemset)(range, 64, 1, 64));
    RESULT("get", CALL(aclrtMemGetAccess)(range, &description.location, &flags), flags);
    code("set", CALL(aclrtMemSetAccess)(range, PAGE, &description, 1));
    RESULT("get_after", CALL(aclrtMemGetAccess)(range, &description.location, &flags), flags);
    code("use_after", CALL(aclrtMemset)(range, 64, 1, 64));
    description.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
    code("read_only", CALL(aclrtMemSetAccess)(range, PAGE, &description, 1));
}

QUESTION(share, "aclrtMemExportToShareableHandle aclrtMemExportToShareableHandleV2 aclrtMemImportFromShareableHandle aclrtMemImportFromShareableHandleV2 aclrtMemSetPidToShareableHandle aclrtMemSetPidToShareableHandleV2 aclrtDeviceGetBareTgid", "May a process import what it exported?")
{
    aclrtDrvMemHandle piece = new_piece(PAGE), again = NULL;
    uint64_t shared = 0;
    int32_t pid = 0;
    aclrtMemFabricHandle fabric;
    memset(&fabric, 0, sizeof fabric);
    code("pid", CALL(aclrtDeviceGetBareTgid)(&pid));
    fact("own", "%s", pid == getpid() ? "yes" : "no");
    code("export", CALL(aclrtMemExportToShareableHandle)(piece, ACL_MEM_HANDLE_TYPE_NONE, 0, &shared));
    code("name", CALL(aclrtMemSetPidToShareableHandle)(shared, &pid, 1));
    code("import", CALL(aclrtMemImportFromShareableHandle)(shared, 0, &again));
    code("made_up", CALL(aclrtMemImportFromShareableHandle)(12345, 0, &again));
    code("export_v2", CALL(aclrtMemExportToShareableHandleV2)(piece, 0, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &fabric));
    code("name_v2", CALL(aclrtMemSetPidToShareableHandleV2)(&fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &pid, 1));
    code("import_v2", CALL(aclrtMemImportFromShareableHandleV2)(&fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &again));
}

QUESTION(links, "aclrtMemP2PMap aclrtMemMapSelectedLink aclrtMemMapSetLink", "What do calls about links between devices return on one device?")
{
    char *range = new_range(2 * PAGE);
    aclrtDrvMemHandle piece = new_piece(PAGE);
    need("aclrtMapMem", CALL(aclrtMapMem)(range, PAGE, 0, piece, 0));
    code("p2p", CALL(aclrtMemP2PMap)(range, PAGE, 0, 0));
    code("selected", CALL(aclrtMemMapSelectedLink)(range + PAGE, PAGE, range, ACL_RT_MEM_LINK_IDX_0));
    code("advice", CALL(aclrtMemMapSetLink)(piece, ACL_RT_MEM_ACCESS_LINK_HCCS));
}

QUESTION(ipc, "aclrtIpcMemGetExportKey aclrtIpcMemSetImportPid aclrtIpcMemImportByKey aclrtIpcMemClose aclrtIpcMemSetAttr", "May a process import memory that it exported by key, and how often is it closed?")
{
    char key[65] = "", *block = new_block(4096);
    void *import = NULL;
    int32_t pid = 0;
    need("aclrtDeviceGetBareTgid", CALL(aclrtDeviceGetBareTgid)(&pid));
    code("export", CALL(aclrtIpcMemGetExportKey)(block, 4096, key, sizeof key, 0));
    code("short_key", CALL(aclrtIpcMemGetExportKey)(block, 4096, key, 10, 0));
    code("length", (long long)strlen(key));
    code("name", CALL(aclrtIpcMemSetImportPid)(key, &pid, 1));
    code("attribute", CALL(aclrtIpcMemSetAttr)(key, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 0));
    code("import", CALL(aclrtIpcMemImportByKey)(&import, key, 0));
    code("close", CALL(aclrtIpcMemClose)(key));
    code("close_again", CALL(aclrtIpcMemClose)(key));
    code("close_more", CALL(aclrtIpcMemClose)(key));
    code("made_up", CALL(aclrtIpcMemImportByKey)(&import, "nonsense", 0));
}

QUESTION(ipc_events, "aclrtIpcGetEventHandle aclrtIpcOpenEventHandle", "Which events can be exported?")
{
    aclrtEvent shared = NULL, plain = NULL, opened = NULL;
    aclrtIpcEventHandle handle;
    memset(&handle, 0, sizeof handle);
    code("open_made_up", CALL(aclrtIpcOpenEventHandle)(handle, &opened));
    code("create", CALL(aclrtCreateEventExWithFlag)(&shared, ACL_EVENT_IPC));
    need("aclrtCreateEvent", CALL(aclrtCreateEvent)(&plain));
    code("export", CALL(aclrtIpcGetEventHandle)(shared, &handle));
    code("open", CALL(aclrtIpcOpenEventHandle)(handle, &opened));
    code("export_plain", CALL(aclrtIpcGetEventHandle)(plain, &handle));
}

QUESTION(host_register, "aclrtHostRegister aclrtHostRegisterV2 aclrtHostGetDevicePointer aclrtHostUnregister aclrtHostMemMapCapabilities", "How is plain host memory registered, and what is its device address?")
{
    char *memory = aligned_alloc(4096, 8192);
    void *device = NULL;
    aclrtHostMemMapCapability can = (aclrtHostMemMapCapability)9;
    code("unregistered", CALL(aclrtHostGetDevicePointer)(memory, &device, 0));
    code("register", CALL(aclrtHostRegister)(memory, 8192, ACL_HOST_REGISTER_MAPPED, &device));
    fact("address", "%s", device == memory ? "same" : "other");
    code("twice", CALL(aclrtHostRegister)(memory, 8192, ACL_HOST_REGISTER_MAPPED, &device));
    code("get", CALL(aclrtHostGetDevicePointer)(memory, &device, 0));
    code("unregister", CALL(aclrtHostUnregister)(memory));
    code("unregister_twice", CALL(aclrtHostUnregister)(memory));
    code("odd", CALL(aclrtHostRegister)(memory + 1, 100, ACL_HOST_REGISTER_MAPPED, &device));
    code("v2", CALL(aclrtHostRegisterV2)(memory, 8192, ACL_HOST_REG_MAPPED));
    code("v2_flags", CALL(aclrtHostRegisterV2)(memory, 8192, 1));
    RESULT("capability", CALL(aclrtHostMemMapCapabilities)(0, ACL_RT_HAC_TYPE_SDMA, &can), can);
}

QUESTION(managed, "aclrtMemAllocManaged aclrtMemManagedAdvise aclrtMemManagedGetAttr aclrtMemManagedGetAttrs aclrtMemManagedPrefetchAsync aclrtMemManagedPrefetchBatchAsync", "What is managed memory before and after advice?")
{
    void *memory = NULL;
    int32_t value = 99;
    aclrtMemManagedLocation place = {ACL_MEM_LOCATIONTYPE_DEVICE, 0};
    code("zero", CALL(aclrtMemAllocManaged)(&memory, 0, ACL_RT_MEM_ATTACH_GLOBAL));
    code("flag", CALL(aclrtMemAllocManaged)(&memory, PAGE, 0));
    code("allocate", CALL(aclrtMemAllocManaged)(&memory, PAGE, ACL_RT_MEM_ATTACH_GLOBAL));
    RESULT("before", CALL(aclrtMemManagedGetAttr)(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, PAGE, &value, sizeof value), value);
    code("advise", CALL(aclrtMemManagedAdvise)(memory, PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, place));
    RESULT("after", CALL(aclrtMemManagedGetAttr)(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, PAGE, &value, sizeof value), value);
    RESULT("preferred", CALL(aclrtMemManagedGetAttr)(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, PAGE, &value, sizeof value), value);
    code("prefetch", CALL(aclrtMemManagedPrefetchAsync)(memory, PAGE, place, 0, NULL));
    code("synchronize", CALL(aclrtSynchronizeStream)(NULL));
    RESULT("last", CALL(aclrtMemManagedGetAttr)(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, memory, PAGE, &value, sizeof value), value);
    ((char *)memory)[0] = 5;
    code("host_store", ((char *)memory)[0]);
    code("free", CALL(aclrtFree)(memory));
}
