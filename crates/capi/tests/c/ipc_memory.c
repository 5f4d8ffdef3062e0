/* Is device memory the same in two processes, by a key? Whoever frees, exits or dies first: the other keeps what it has,
 * or gets an error. */
#include "two.h"

#define SIZE (4 * MIB)

static void open_device(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
}

static message exported(void *at, size_t bytes, uint64_t flags)
{
    message said;
    memset(&said, 0, sizeof said);
    OK(aclrtIpcMemGetExportKey(at, bytes, said.key, KEY_BYTES, flags));
    EQ(strlen(said.key), KEY_BYTES - 1);
    return said;
}

/* Everything of the device is written: nothing of it may be what the other process uses. */
static void use_everything(int value)
{
    void *blocks[32];
    int i;
    for (i = 0; i < 32; i++) {
        OK(aclrtMalloc(&blocks[i], SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMemset(blocks[i], SIZE, value, SIZE));
    }
    for (i = 0; i < 32; i++) {
        OK(aclrtFree(blocks[i]));
    }
}

/* Both see the same bytes; the importer works with the address as with any device memory. */
static void both_exporter(void)
{
    void *block;
    message said;
    open_device();
    OK(aclrtMalloc(&block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(block, SIZE, 5, SIZE));
    said = exported(block, SIZE, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION);
    say(&said);
    heard();
    CHECK(is_full_of(block, SIZE, 6));
    OK(aclrtIpcMemClose(said.key));
    CODE(aclrtIpcMemClose(said.key), ACL_ERROR_RT_PARAM_INVALID);
    /* Freed while the other maps it. */
    OK(aclrtFree(block));
    CODE(aclrtFree(block), ACL_ERROR_RT_PARAM_INVALID);
    use_everything(9);
    say_go();
    other_ended_well();
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

static void both_importer(void)
{
    const char *device = getenv("MILLPOND_DEVICE");
    void *at = NULL, *again = NULL, *late = NULL;
    aclrtPtrAttributes attributes;
    aclrtStream stream;
    void *own, *pinned, *start;
    char *end;
    size_t size;
    message said;
    open_device();
    said = heard();
    OK(aclrtIpcMemImportByKey(&at, said.key, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS));
    CHECK(at != NULL);
    OK(aclrtPointerGetAttributes(at, &attributes));
    EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EQ(attributes.location.id, 0);
    CHECK(is_full_of(at, SIZE, 5));
    OK(aclrtMalloc(&own, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    /* The range ends where the exporter's does, or where the last page of a GPU ends. */
    OK(aclrtMemGetAddressRange(at, &start, &size));
    CHECK(start == at || device != NULL);
    end = (char *)start + size;
    CHECK(end == (char *)at + SIZE || device != NULL);
    CODE(aclrtMemcpy(own, SIZE, end - SIZE + 1, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    /* The same key again, and closed as often. */
    OK(aclrtIpcMemImportByKey(&again, said.key, 0));
    CHECK(again == at);
    OK(aclrtIpcMemClose(said.key));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMallocHost(&pinned, SIZE));
    memset(pinned, 6, SIZE);
    OK(aclrtMemcpyAsync(at, SIZE, pinned, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtMemcpyAsync(own, SIZE, at, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    OK(aclrtSynchronizeStream(stream));
    CHECK(is_full_of(own, SIZE, 6));
    CODE(aclrtFree(at), ACL_ERROR_RT_PARAM_INVALID);
    say_go();
    heard();
    CHECK(is_full_of(at, SIZE, 6));
    CODE(aclrtIpcMemImportByKey(&late, "0000", 0), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtIpcMemClose(said.key));
    CODE(aclrtMemcpy(own, SIZE, at, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtIpcMemClose(said.key), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtIpcMemImportByKey(&late, said.key, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(late == NULL);
    OK(aclrtFreeHost(pinned));
    OK(aclrtFree(own));
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

/* Only listed processes import, unless the exporter says otherwise. */
static void list_exporter(void)
{
    void *block;
    message said, other;
    open_device();
    OK(aclrtMalloc(&block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    said = exported(block, SIZE, ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT);
    say(&said);
    other = heard();
    EQ(other.pid, two_other);
    CODE(aclrtIpcMemSetImportPid(said.key, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtIpcMemSetImportPid(said.key, &other.pid, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtIpcMemSetImportPid("nothing", &other.pid, 1), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtIpcMemSetImportPid(said.key, &other.pid, 1));
    say_go();
    other_ended_well();
    OK(aclrtIpcMemClose(said.key));
    OK(aclrtFree(block));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

static void list_importer(void)
{
    void *at = NULL;
    message said, own;
    open_device();
    said = heard();
    CODE(aclrtIpcMemImportByKey(&at, said.key, 0), ACL_ERROR_RT_NO_PERMISSION);
    CHECK(at == NULL);
    memset(&own, 0, sizeof own);
    OK(aclrtDeviceGetBareTgid(&own.pid));
    say(&own);
    heard();
    OK(aclrtIpcMemImportByKey(&at, said.key, 0));
    OK(aclrtIpcMemClose(said.key));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

/* The exporter ends first: the second process exports here. */
static void exporter_ends(int killed)
{
    void *at = NULL, *late = NULL;
    message said, second;
    int status;
    open_device();
    said = heard();
    second = heard();
    OK(aclrtIpcMemImportByKey(&at, said.key, 1));
    if (killed) {
        CHECK(kill(two_other, SIGKILL) == 0);
        status = end_of_other();
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    } else {
        say_go();
        other_ended_well();
    }
    CHECK(is_full_of(at, SIZE, 7));
    OK(aclrtMemset(at, SIZE, 8, SIZE));
    CHECK(is_full_of(at, SIZE, 8));
    CODE(aclrtIpcMemImportByKey(&late, second.key, 1), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    /* What is mapped can be imported again. */
    OK(aclrtIpcMemImportByKey(&late, said.key, 1));
    CHECK(late == at);
    OK(aclrtIpcMemClose(said.key));
    OK(aclrtIpcMemClose(said.key));
    CODE(aclrtIpcMemImportByKey(&late, said.key, 1), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

static void exits_first(void)
{
    exporter_ends(0);
}

static void killed_first(void)
{
    exporter_ends(1);
}

static void ending_exporter(void)
{
    void *block, *more;
    message said;
    open_device();
    OK(aclrtMalloc(&block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMalloc(&more, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(block, SIZE, 7, SIZE));
    said = exported(block, SIZE, 1);
    say(&said);
    said = exported(more, SIZE, 1);
    say(&said);
    heard();
    OK(aclrtFree(block));
    OK(aclrtFree(more));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

/* The importer dies with the memory mapped: the exporter goes on. */
static void importer_dies(void)
{
    void *block;
    message said;
    int status;
    open_device();
    OK(aclrtMalloc(&block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(block, SIZE, 3, SIZE));
    said = exported(block, SIZE, 1);
    say(&said);
    heard();
    CHECK(kill(two_other, SIGKILL) == 0);
    status = end_of_other();
    CHECK(WIFSIGNALED(status));
    CHECK(is_full_of(block, SIZE, 4));
    OK(aclrtIpcMemClose(said.key));
    OK(aclrtFree(block));
    use_everything(1);
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

static void dying_importer(void)
{
    void *at;
    message said;
    open_device();
    said = heard();
    OK(aclrtIpcMemImportByKey(&at, said.key, 1));
    OK(aclrtMemset(at, SIZE, 4, SIZE));
    say_go();
    for (;;) {
        pause();
    }
}

/* A range inside a block, at any address; a reset ends imports; many at once. */
static void parts_exporter(void)
{
    char *block;
    message said;
    int i;
    open_device();
    OK(aclrtMalloc((void **)&block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemset(block, SIZE, 1, SIZE));
    for (i = 0; i < 8; i++) {
        OK(aclrtMemset(block + 1000 * i, 10, 10 + i, 10));
        said = exported(block + 1000 * i, 10, 1);
        say(&said);
    }
    other_ended_well();
    OK(aclrtFree(block));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

static void parts_importer(void)
{
    message said[8];
    void *at[8];
    int i;
    open_device();
    for (i = 0; i < 8; i++) {
        said[i] = heard();
        OK(aclrtIpcMemImportByKey(&at[i], said[i].key, 1));
        CHECK(is_full_of(at[i], 10, 10 + i));
    }
    OK(aclrtIpcMemClose(said[3].key));
    CHECK(is_full_of(at[4], 10, 14));
    OK(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
    /* What the reset ended can be imported anew. */
    OK(aclrtIpcMemImportByKey(&at[0], said[0].key, 1));
    CHECK(is_full_of(at[0], 10, 10));
    OK(aclrtIpcMemClose(said[0].key));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

/* Wrong arguments, and everything in one process. */
static void alone(void)
{
    char key[KEY_BYTES] = "unset", other[KEY_BYTES];
    void *block, *host, *at = NULL, *same = NULL;
    char outside[16];
    open_device();
    OK(aclrtMalloc(&block, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&host, 64));
    CODE(aclrtIpcMemGetExportKey(NULL, SIZE, key, KEY_BYTES, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtIpcMemGetExportKey(block, SIZE, NULL, KEY_BYTES, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtIpcMemGetExportKey(block, 0, key, KEY_BYTES, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtIpcMemGetExportKey(block, SIZE, key, 64, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtIpcMemGetExportKey(block, SIZE, key, KEY_BYTES, 2), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtIpcMemGetExportKey(block, 2 * SIZE, key, KEY_BYTES, 0), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtIpcMemGetExportKey(host, 64, key, KEY_BYTES, 0), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtIpcMemGetExportKey(outside, 16, key, KEY_BYTES, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(strcmp(key, "unset") == 0);
    OK(aclrtIpcMemGetExportKey(block, SIZE, key, KEY_BYTES, 0));
    OK(aclrtIpcMemGetExportKey(block, SIZE, other, KEY_BYTES, 0));
    CHECK(strcmp(key, other) != 0);
    CODE(aclrtIpcMemImportByKey(NULL, key, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtIpcMemImportByKey(&at, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtIpcMemImportByKey(&at, key, 2), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtIpcMemClose(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtIpcMemClose("short"), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(at == NULL);
    /* The exporter needs no entry in the list. */
    OK(aclrtMemset(block, SIZE, 2, SIZE));
    OK(aclrtIpcMemImportByKey(&at, key, 0));
    CHECK(at != block && is_full_of(at, SIZE, 2));
    OK(aclrtIpcMemImportByKey(&same, other, 0));
    OK(aclrtMemset(at, SIZE, 3, SIZE));
    CHECK(is_full_of(block, SIZE, 3) && is_full_of(same, SIZE, 3));
    /* The import first, then the key. */
    OK(aclrtIpcMemClose(key));
    OK(aclrtIpcMemClose(key));
    CODE(aclrtIpcMemClose(key), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtIpcMemImportByKey(&at, key, 0), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtFree(block));
    /* A key of memory that is gone. */
    OK(aclrtIpcMemClose(other));
    CODE(aclrtIpcMemImportByKey(&at, other, 0), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtIpcMemClose(other));
    OK(aclrtFreeHost(host));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

static void nothing(void)
{
}

int main(int argc, char **argv)
{
    static const scene scenes[] = {
        {"both", both_exporter, both_importer, 0},
        {"list", list_exporter, list_importer, 0},
        {"exits first", exits_first, ending_exporter, 0},
        {"killed first", killed_first, ending_exporter, 1},
        {"importer dies", importer_dies, dying_importer, 1},
        {"parts", parts_exporter, parts_importer, 0},
        {"alone", alone, nothing, 0},
    };
    return play(argc, argv, scenes, sizeof scenes / sizeof scenes[0]);
}
