/* Does physical memory travel by its number or its 128 bytes? Pages stay until all processes have freed them. */
#include "two.h"
#include "vmm.h"

#define SIZE (2 * MIB)

static message numbered(aclrtDrvMemHandle piece, uint64_t flags)
{
    message said;
    memset(&said, 0, sizeof said);
    OK(aclrtMemExportToShareableHandle(piece, ACL_MEM_HANDLE_TYPE_NONE, flags, &said.number));
    OK(aclrtMemExportToShareableHandleV2(piece, flags, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, said.bytes));
    return said;
}

static void exporter(void)
{
    aclrtDrvMemHandle piece, fresh;
    message said, other;
    char *range, *again;
    OPEN_DEVICE();
    piece = physical(0, SIZE);
    range = reserve(2 * SIZE);
    OK(aclrtMapMem(range, SIZE, 0, piece, 0));
    OK(aclrtMemset(range, SIZE, 5, SIZE));
    said = numbered(piece, ACL_RT_VMM_EXPORT_FLAG_DEFAULT);
    say(&said);
    other = heard();
    OK(aclrtMemSetPidToShareableHandle(said.number, &other.pid, 1));
    say_go();
    heard();
    CHECK(is_full_of(range, SIZE, 6));
    /* Freed here first; another piece gets other pages. */
    OK(aclrtUnmapMem(range));
    OK(aclrtFreePhysical(piece));
    fresh = physical(0, SIZE);
    again = reserve(SIZE);
    OK(aclrtMapMem(again, SIZE, 0, fresh, 0));
    OK(aclrtMemset(again, SIZE, 9, SIZE));
    say_go();
    other_ended_well();
    OK(aclrtUnmapMem(again));
    OK(aclrtFreePhysical(fresh));
    OK(aclrtReleaseMemAddress(again));
    OK(aclrtReleaseMemAddress(range));
    CLOSE_DEVICE();
}

static void importer(void)
{
    aclrtDrvMemHandle first = NULL, second = NULL, none = NULL;
    aclrtPhysicalMemProp prop;
    message said;
    char *range;
    OPEN_DEVICE();
    said = heard();
    CODE(aclrtMemImportFromShareableHandle(said.number, 0, &none), ACL_ERROR_RT_NO_PERMISSION);
    say_go();
    heard();
    CODE(aclrtMemImportFromShareableHandle(said.number ^ 1, 0, &none), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemImportFromShareableHandle(0x123456789abcdef0, 0, &none), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemImportFromShareableHandle(said.number, 7, &none), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK(none == NULL);
    OK(aclrtMemImportFromShareableHandle(said.number, 0, &first));
    OK(aclrtMemImportFromShareableHandleV2(said.bytes, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &second));
    OK(aclrtMemGetAllocationPropertiesFromHandle(first, &prop));
    EQ(prop.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    range = reserve(4 * SIZE);
    OK(aclrtMapMem(range, SIZE, 0, first, 0));
    OK(aclrtMapMem(range + SIZE, SIZE, 0, second, 0));
    CHECK(is_full_of(range, 2 * SIZE, 5));
    OK(aclrtMemset(range, SIZE, 6, SIZE));
    CHECK(is_full_of(range + SIZE, SIZE, 6));
    say_go();
    heard();
    CHECK(is_full_of(range, 2 * SIZE, 6));
    CODE(aclrtMemImportFromShareableHandle(said.number, 0, &none), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtUnmapMem(range));
    OK(aclrtUnmapMem(range + SIZE));
    OK(aclrtFreePhysical(first));
    OK(aclrtFreePhysical(second));
    OK(aclrtReleaseMemAddress(range));
    CLOSE_DEVICE();
}

/* The exporter is killed: what is mapped stays, and the number is dead. */
static void survivor(void)
{
    aclrtDrvMemHandle piece, none = NULL;
    message said;
    char *range;
    OPEN_DEVICE();
    said = heard();
    OK(aclrtMemImportFromShareableHandle(said.number, 0, &piece));
    CHECK(kill(two_other, SIGKILL) == 0);
    CHECK(WIFSIGNALED(end_of_other()));
    range = reserve(SIZE);
    OK(aclrtMapMem(range, SIZE, 0, piece, 0));
    CHECK(is_full_of(range, SIZE, 5));
    CHECK(aclrtMemImportFromShareableHandle(said.number, 0, &none) != ACL_SUCCESS);
    CHECK(none == NULL);
    OK(aclrtUnmapMem(range));
    OK(aclrtFreePhysical(piece));
    CODE(aclrtMemImportFromShareableHandle(said.number, 0, &none), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtReleaseMemAddress(range));
    CLOSE_DEVICE();
}

static void killed(void)
{
    aclrtDrvMemHandle piece;
    message said;
    char *range;
    OPEN_DEVICE();
    piece = physical(0, SIZE);
    range = reserve(SIZE);
    OK(aclrtMapMem(range, SIZE, 0, piece, 0));
    OK(aclrtMemset(range, SIZE, 5, SIZE));
    said = numbered(piece, ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION);
    say(&said);
    for (;;) {
        pause();
    }
}

int main(int argc, char **argv)
{
    static const scene scenes[] = {
        {"travels", exporter, importer, 0},
        {"survives", survivor, killed, 1},
    };
    return play(argc, argv, scenes, sizeof scenes / sizeof scenes[0]);
}
