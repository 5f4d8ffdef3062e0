/* A stand-in for the CUDA driver, for tests on machines without a GPU.
 *
 * It has the entry points of libcuda.so.1 that Millpond uses. A "GPU" is host memory that programs cannot reach by its device
 * addresses: those are reserved without access, and every copy looks them up in a table of mappings, so that a handle that is
 * mapped at two addresses really is the same bytes, and a program that touches device memory itself faults as it would.
 * A GPU can access mapped memory, its own or another GPU's, only as far as cuMemSetAccess allows.
 *
 * Work runs at once, or, if told to be late, when somebody waits for it. A query lets one piece of work run, so that programs
 * which poll come to an end. Any call can be told to fail. What a program must not do, the real driver's code answers.
 * Physical memory is not zero when it is new, because nothing promises that it is.
 *
 * The environment, read by cuInit: STANDIN_DEVICES (1), of which CUDA_VISIBLE_DEVICES shows some, STANDIN_MEMORY in bytes (1 GiB),
 * STANDIN_LATE (0), STANDIN_PEERS (1: GPUs can access each other's memory), STANDIN_FAIL=[FUNCTION]:NUMBER:CODE. Tests in one process
 * load a copy each and use the functions named standin….
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    CONTEXT_IN_USE = 216,
    PEER_ACCESS_UNSUPPORTED = 217,
    INVALID_HANDLE = 400,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    PEER_ACCESS_ALREADY_ENABLED = 704,
    CONTEXT_IS_DESTROYED = 709,
    HOST_MEMORY_ALREADY_REGISTERED = 712,
    HOST_MEMORY_NOT_REGISTERED = 713,
    LAUNCH_FAILED = 719,
    NOT_SUPPORTED = 801
};

#define MOST_DEVICES 16
#define DEEPEST 64
#define PAGE ((size_t)2 << 20)

static const struct {
    int code;
    const char *name, *text;
} texts[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {PEER_ACCESS_ALREADY_ENABLED, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {HOST_MEMORY_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {HOST_MEMORY_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

/* ---- state: all of it under one lock ---- */

typedef struct Physical {
    uint64_t magic;
    int device;
    size_t bytes;
    char *memory;  /* the program cannot find it: only copies use it */
    int file;      /* -1 unless it can be exported */
    uint64_t part; /* where it is in the file */
    int imported;  /* another owner's, which counts it; then the descriptor is its own */
    int held;      /* not released yet */
    int mapped;
} Physical;

/* What the file has in front of a part that can be exported. */
typedef struct {
    uint64_t magic;
    size_t bytes;
    int device, exported;
} Part;

typedef struct {
    uint64_t start;
    size_t bytes;
    Physical *physical;
    /* A bit for each device that may access it. All are set for memory of cuMemAlloc, which the driver can copy for any device. */
    uint32_t access;
} Mapping;

typedef struct {
    uint64_t start;
    size_t bytes;
} Range;

typedef struct Stream Stream;

typedef struct {
    uint64_t magic;
    int device;
    Stream *stream;
    uint64_t position;
} Event;

typedef struct Work {
    enum { COPY, FILL, WAIT, CALL } kind;
    uint64_t to, from;
    int to_by, from_by; /* the devices that access them */
    size_t bytes;
    char *taken; /* bytes of pageable memory, copied when the work was queued */
    uint32_t value;
    int width;
    Stream *stream;
    uint64_t position;
    void (*function)(void *);
    void *argument;
    struct Work *next;
} Work;

struct Stream {
    uint64_t magic;
    int device;
    int capturing;
    uint64_t queued, done;
    Work *first, **last;
    struct Stream *next;
};

typedef struct {
    int device, retained, reaches[MOST_DEVICES];
    Stream normal;
} Context;

#define PHYSICAL 0x5048595349434131u
#define PART 0x50415254494e4631u
#define STREAM 0x53545245414d2131u
#define EVENT 0x4556454e54213131u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t owner;
static int devices = -1, late, sticky, no_peers;
/* The machine's number of each device that CUDA_VISIBLE_DEVICES shows. */
static int place_of[MOST_DEVICES];
static size_t capacity, used[MOST_DEVICES];
/* Bytes of each device that the driver keeps for requests in the order of streams: not free, but any request takes them. */
static size_t kept;
static Context contexts[MOST_DEVICES];
static Stream *streams;
static Mapping *mappings;
static Range *reserved, *registered;
static size_t mappings_count, mappings_room, reserved_count, reserved_room, registered_count, registered_room;
static __thread Context *stack[DEEPEST];
static __thread Stream *own_streams[MOST_DEVICES];
static __thread int depth;

static struct {
    const char *name;
    uint64_t count;
} counts[128];
static uint64_t calls, fail_number, fail_seen;
static int fail_code;
static char fail_name[64];

/* ---- the plan: what fails, and when ---- */

/* Call number `number` of `name`, or of all functions if it is NULL, returns `code`; the count starts now. */
void standinFail(const char *name, uint64_t number, int code) {
    pthread_mutex_lock(&lock);
    snprintf(fail_name, sizeof fail_name, "%s", name ? name : "");
    fail_number = number;
    fail_code = code;
    fail_seen = 0;
    pthread_mutex_unlock(&lock);
}

/* What cuInit would read from the environment. Called before it. */
void standinSetUp(int count, uint64_t memory) {
    pthread_mutex_lock(&lock);
    devices = count;
    capacity = memory;
    pthread_mutex_unlock(&lock);
}

/* What cuMemAllocAsync's pool keeps on each device of what was freed there. */
void standinKeep(uint64_t bytes) {
    pthread_mutex_lock(&lock);
    kept = bytes;
    pthread_mutex_unlock(&lock);
}

/* How often a function was called; of all functions if it is NULL. */
uint64_t standinCalls(const char *name) {
    uint64_t found = 0;
    pthread_mutex_lock(&lock);
    if (!name) found = calls;
    for (int i = 0; name && counts[i].name; i++)
        if (!strcmp(counts[i].name, name)) found = counts[i].count;
    pthread_mutex_unlock(&lock);
    return found;
}

/* From now on work waits until somebody waits for it; or no longer does. */
void standinLate(int on) {
    pthread_mutex_lock(&lock);
    late = on;
    pthread_mutex_unlock(&lock);
}

/* Every call fails with this code, as after a kernel that failed; 0 ends it. */
void standinSticky(int code) {
    pthread_mutex_lock(&lock);
    sticky = code;
    pthread_mutex_unlock(&lock);
}

/* What cuStreamIsCapturing says of a stream. */
void standinCapture(Stream *stream, int state) {
    pthread_mutex_lock(&lock);
    stream->capturing = state;
    pthread_mutex_unlock(&lock);
}

/* The device whose memory is mapped at an address; -1 if none is. */
int standinDeviceOf(uint64_t address);

/* Bytes of physical memory that a device holds: what a test that looks for leaks compares. */
uint64_t standinUsed(int device) {
    pthread_mutex_lock(&lock);
    uint64_t bytes = used[device];
    pthread_mutex_unlock(&lock);
    return bytes;
}

/* Begins a call, with the lock held if it may go on. */
static int enter(const char *name) {
    pthread_mutex_lock(&lock);
    calls++;
    int i = 0;
    while (i < 127 && counts[i].name && counts[i].name != name) i++;
    counts[i].name = name;
    counts[i].count++;
    int code = SUCCESS;
    if (fail_number && (!fail_name[0] || !strcmp(fail_name, name)) && ++fail_seen == fail_number) code = fail_code;
    else if (!owner || owner != getpid()) code = NOT_INITIALIZED;
    else code = sticky;
    if (code) pthread_mutex_unlock(&lock);
    return code;
}

static int leave(int code) {
    pthread_mutex_unlock(&lock);
    return code;
}

#define BEGIN                              \
    do {                                   \
        int refused = enter(__func__);     \
        if (refused) return refused;       \
    } while (0)

#define BEGIN_IN_CONTEXT                   \
    BEGIN;                                 \
    if (!depth || !stack[depth - 1]) return leave(INVALID_CONTEXT); \
    Context *context = stack[depth - 1];   \
    if (!context->retained) return leave(CONTEXT_IS_DESTROYED)

static int grow(void **array, size_t *room, size_t count, size_t size) {
    if (count < *room) return 1;
    size_t more = *room ? *room * 2 : 64;
    void *grown = realloc(*array, more * size);
    if (!grown) return 0;
    *array = grown;
    *room = more;
    return 1;
}

/* ---- addresses ---- */

/* The first mapping that ends behind `address`. */
static size_t mapping_from(uint64_t address) {
    size_t low = 0, high = mappings_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (mappings[middle].start + mappings[middle].bytes <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

int standinDeviceOf(uint64_t address) {
    pthread_mutex_lock(&lock);
    size_t at = mapping_from(address);
    int found = at < mappings_count && mappings[at].start <= address ? mappings[at].physical->device : -1;
    return leave(found);
}

static int is_reserved(uint64_t address, size_t bytes) {
    for (size_t i = 0; i < reserved_count; i++)
        if (address >= reserved[i].start && address + bytes <= reserved[i].start + reserved[i].bytes) return 1;
    return 0;
}

static int is_device(uint64_t address) {
    for (size_t i = 0; i < reserved_count; i++)
        if (address - reserved[i].start < reserved[i].bytes) return 1;
    return 0;
}

static int is_registered(uint64_t address) {
    for (size_t i = 0; i < registered_count; i++)
        if (address - registered[i].start < registered[i].bytes) return 1;
    return 0;
}

/* Where the byte at a device address really is, and how many follow it there; NULL if `device` can access nothing there. */
static char *place(uint64_t address, size_t *bytes, int device) {
    if (!is_device(address)) return (char *)(uintptr_t)address;
    size_t i = mapping_from(address);
    if (i == mappings_count || mappings[i].start > address || !(mappings[i].access >> device & 1)) return NULL;
    size_t inside = (size_t)(address - mappings[i].start), room = mappings[i].bytes - inside;
    if (room < *bytes) *bytes = room;
    return mappings[i].physical->memory + inside;
}

static int is_mapped(uint64_t address, size_t bytes, int device) {
    while (bytes) {
        size_t part = bytes;
        if (!place(address, &part, device)) return 0;
        address += part;
        bytes -= part;
    }
    return 1;
}

/* ---- work ---- */

static void move_bytes(const Work *work) {
    uint64_t to = work->to, from = work->from;
    char *taken = work->taken;
    size_t bytes = work->bytes;
    /* All of it through a buffer: source and destination may be the same physical memory. */
    char *buffer = taken ? taken : malloc(bytes);
    for (size_t at = 0; !taken && at < bytes;) {
        size_t part = bytes - at;
        char *source = place(from + at, &part, work->from_by);
        if (!source) {
            sticky = ILLEGAL_ADDRESS;
            free(buffer);
            return;
        }
        memcpy(buffer + at, source, part);
        at += part;
    }
    for (size_t at = 0; at < bytes;) {
        size_t part = bytes - at;
        char *target = place(to + at, &part, work->to_by);
        if (!target) {
            sticky = ILLEGAL_ADDRESS;
            break;
        }
        memcpy(target, buffer + at, part);
        at += part;
    }
    free(buffer);
}

/* Sets bytes to zero. Whole pages go back to the system, so that large fills cost little memory. */
static void clear(char *target, size_t bytes) {
    size_t system_page = (size_t)sysconf(_SC_PAGESIZE);
    size_t before = (system_page - (uintptr_t)target % system_page) % system_page;
    if (before > bytes) before = bytes;
    memset(target, 0, before);
    target += before;
    bytes -= before;
    size_t whole = bytes / system_page * system_page;
    /* One of both works, depending on whether a file is behind it. */
    if (whole && madvise(target, whole, MADV_REMOVE) && madvise(target, whole, MADV_DONTNEED)) memset(target, 0, whole);
    memset(target + whole, 0, bytes - whole);
}

static void fill_bytes(const Work *work) {
    uint64_t to = work->to;
    uint32_t value = work->value;
    int width = work->width;
    size_t bytes = work->bytes;
    for (size_t at = 0; at < bytes;) {
        size_t part = bytes - at;
        char *target = place(to + at, &part, work->to_by);
        if (!target) {
            sticky = ILLEGAL_ADDRESS;
            return;
        }
        if (!value) clear(target, part);
        else if (width == 1) memset(target, (int)value, part);
        else
            for (size_t i = 0; i < part; i++) target[i] = (char)(value >> 8 * ((at + i) % (size_t)width));
        at += part;
    }
}

/* Runs the work of a stream up to a position, and what it waits for. */
static void run(Stream *stream, uint64_t position) {
    while (stream->done < position && stream->first) {
        Work *work = stream->first;
        if (work->kind == WAIT) run(work->stream, work->position);
        stream->first = work->next;
        if (!stream->first) stream->last = &stream->first;
        if (!sticky && work->kind == COPY) {
            move_bytes(work);
            work->taken = NULL;
        }
        if (!sticky && work->kind == FILL) fill_bytes(work);
        if (work->kind == CALL) work->function(work->argument);
        stream->done++;
        free(work->taken);
        free(work);
    }
}

static void run_all(int device) {
    run(&contexts[device].normal, contexts[device].normal.queued);
    for (Stream *stream = streams; stream; stream = stream->next)
        if (stream->device == device) run(stream, stream->queued);
}

static int add(Stream *stream, Work work) {
    Work *kept = malloc(sizeof *kept);
    if (!kept) return OUT_OF_MEMORY;
    *kept = work;
    kept->next = NULL;
    *stream->last = kept;
    stream->last = &kept->next;
    stream->queued++;
    if (!late) run(stream, stream->queued);
    return SUCCESS;
}

static Stream *new_stream(int device) {
    Stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    *stream = (Stream){.magic = STREAM, .device = device, .next = streams};
    stream->last = &stream->first;
    streams = stream;
    return stream;
}

/* The stream of a handle; NULL if it is none. 2 is that of the calling thread. */
static Stream *known(Context *context, Stream *stream) {
    if ((uintptr_t)stream == 2) {
        Stream **own = &own_streams[context->device];
        if (!*own) *own = new_stream(context->device);
        return *own;
    }
    if ((uintptr_t)stream < 2) return &context->normal;
    return stream->magic == STREAM ? stream : NULL;
}

/* Whether host memory is in one registration as a whole, or in none. The driver refuses a copy that spans a border. */
static int is_whole(uint64_t address, size_t bytes) {
    for (size_t i = 0; i < registered_count; i++) {
        Range *range = &registered[i];
        int touches = address < range->start + range->bytes && range->start < address + bytes;
        int inside = address >= range->start && address + bytes <= range->start + range->bytes;
        if (touches) return inside;
    }
    return 1;
}

/* A copy. The stream's device accesses both sides, unless `there` or `here` names a context. */
static int queue_copy(Context *context, uint64_t to, Context *there, uint64_t from, Context *here, size_t bytes, Stream *handle) {
    Stream *stream = known(context, handle);
    if (!stream) return INVALID_HANDLE;
    if (!bytes) return SUCCESS;
    int to_by = there ? there->device : stream->device, from_by = here ? here->device : stream->device;
    if (!is_mapped(to, bytes, to_by) || !is_mapped(from, bytes, from_by)) return INVALID_VALUE;
    if (!is_whole(to, bytes) || !is_whole(from, bytes)) return INVALID_VALUE;
    Work work = {.kind = COPY, .to = to, .from = from, .to_by = to_by, .from_by = from_by, .bytes = bytes};
    if (late && !is_device(from) && !is_registered(from)) {
        work.taken = malloc(bytes);
        if (!work.taken) return OUT_OF_MEMORY;
        memcpy(work.taken, (void *)(uintptr_t)from, bytes);
    }
    int code = add(stream, work);
    /* Pageable memory is written before the call returns. */
    if (!is_device(to) && !is_registered(to)) run(stream, stream->queued);
    return code ? code : sticky;
}

static int queue_fill(Context *context, uint64_t to, uint32_t value, int width, size_t count, Stream *handle) {
    Stream *stream = known(context, handle);
    if (!stream) return INVALID_HANDLE;
    if (!count) return SUCCESS;
    if (to % (uint64_t)width || !is_device(to) || !is_mapped(to, count * (size_t)width, stream->device)) return INVALID_VALUE;
    size_t bytes = count * (size_t)width;
    return add(stream, (Work){.kind = FILL, .to = to, .to_by = stream->device, .value = value, .width = width, .bytes = bytes});
}

/* ---- the driver's functions: devices and contexts ---- */

/* Devices that CUDA_VISIBLE_DEVICES lists, up to the first that does not exist. */
static void choose_visible(void) {
    const char *text = getenv("CUDA_VISIBLE_DEVICES");
    char *end;
    int count = 0;
    if (!text) return;
    for (; count < MOST_DEVICES; text = end + 1) {
        long number = strtol(text, &end, 10);
        if (end == text || number < 0 || number >= devices) break;
        place_of[count++] = (int)number;
        if (*end != ',') break;
    }
    devices = count;
}

int cuInit(unsigned flags) {
    pthread_mutex_lock(&lock);
    if (owner && owner != getpid()) return leave(NOT_INITIALIZED);
    if (!owner && !flags) {
        const char *text = getenv("STANDIN_DEVICES");
        int by_program = devices >= 0;
        if (!by_program) devices = text ? atoi(text) : 1;
        if (devices > MOST_DEVICES) devices = MOST_DEVICES;
        for (int i = 0; i < devices; i++) place_of[i] = i;
        if (!by_program) choose_visible();
        text = getenv("STANDIN_PEERS");
        no_peers = text && !atoi(text);
        text = getenv("STANDIN_MEMORY");
        if (!capacity) capacity = text ? strtoull(text, NULL, 10) : (size_t)1 << 30;
        text = getenv("STANDIN_LATE");
        late = text && atoi(text);
        text = getenv("STANDIN_FAIL");
        if (text) sscanf(text, "%63[^:]:%lu:%d", fail_name, &fail_number, &fail_code);
        for (int i = 0; i < devices; i++) {
            contexts[i].device = i;
            contexts[i].normal = (Stream){.magic = STREAM, .device = i};
            contexts[i].normal.last = &contexts[i].normal.first;
        }
    }
    if (devices <= 0) return leave(NO_DEVICE);
    owner = getpid();
    return leave(flags ? INVALID_VALUE : SUCCESS);
}

int cuDriverGetVersion(int *version) {
    *version = 13000;
    return SUCCESS;
}

int cuGetErrorName(int code, const char **name) {
    *name = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].code == code) *name = texts[i].name;
    return *name ? SUCCESS : INVALID_VALUE;
}

int cuGetErrorString(int code, const char **text) {
    *text = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].code == code) *text = texts[i].text;
    return *text ? SUCCESS : INVALID_VALUE;
}

int cuDeviceGetCount(int *count) {
    BEGIN;
    *count = devices;
    return leave(SUCCESS);
}

int cuDeviceGet(int *device, int index) {
    BEGIN;
    if (index < 0 || index >= devices) return leave(INVALID_DEVICE);
    *device = index;
    return leave(SUCCESS);
}

int cuDeviceGetName(char *name, int bytes, int device) {
    BEGIN;
    if (device < 0 || device >= devices) return leave(INVALID_DEVICE);
    snprintf(name, (size_t)bytes, "stand-in GPU");
    return leave(SUCCESS);
}

int cuDeviceGetPCIBusId(char *id, int bytes, int device) {
    BEGIN;
    if (device < 0 || device >= devices) return leave(INVALID_DEVICE);
    snprintf(id, (size_t)bytes, "0000:%02x:00.0", place_of[device] + 1);
    return leave(SUCCESS);
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    BEGIN;
    if (device < 0 || device >= devices) return leave(INVALID_DEVICE);
    *bytes = capacity;
    return leave(SUCCESS);
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    BEGIN;
    if (device < 0 || device >= devices) return leave(INVALID_DEVICE);
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 1;
    return leave(SUCCESS);
}

int cuDeviceCanAccessPeer(int *can, int device, int peer) {
    BEGIN;
    if (device < 0 || device >= devices || peer < 0 || peer >= devices) return leave(INVALID_DEVICE);
    *can = device != peer && !no_peers;
    return leave(SUCCESS);
}

int cuDevicePrimaryCtxRetain(Context **context, int device) {
    BEGIN;
    if (device < 0 || device >= devices) return leave(INVALID_DEVICE);
    contexts[device].retained++;
    *context = &contexts[device];
    return leave(SUCCESS);
}

int cuDevicePrimaryCtxRelease_v2(int device) {
    BEGIN;
    if (device < 0 || device >= devices) return leave(INVALID_DEVICE);
    if (!contexts[device].retained) return leave(INVALID_CONTEXT);
    if (!--contexts[device].retained) run_all(device);
    return leave(SUCCESS);
}

int cuDevicePrimaryCtxReset_v2(int device) {
    BEGIN;
    if (device < 0 || device >= devices) return leave(INVALID_DEVICE);
    contexts[device].retained = 0;
    return leave(SUCCESS);
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
    BEGIN;
    if (device < 0 || device >= devices) return leave(INVALID_DEVICE);
    *flags = 0;
    *active = contexts[device].retained > 0;
    return leave(SUCCESS);
}

int cuCtxPushCurrent_v2(Context *context) {
    BEGIN;
    if (depth == DEEPEST) return leave(INVALID_CONTEXT);
    stack[depth++] = context;
    return leave(SUCCESS);
}

/* Works after a failure too, so that callers leave what they entered. */
int cuCtxPopCurrent_v2(Context **context) {
    pthread_mutex_lock(&lock);
    if (!depth) return leave(INVALID_CONTEXT);
    *context = stack[--depth];
    return leave(SUCCESS);
}

int cuCtxGetCurrent(Context **context) {
    BEGIN;
    *context = depth ? stack[depth - 1] : NULL;
    return leave(SUCCESS);
}

int cuCtxSetCurrent(Context *context) {
    BEGIN;
    if (!depth) depth = 1;
    stack[depth - 1] = context;
    return leave(SUCCESS);
}

int cuCtxGetDevice(int *device) {
    BEGIN_IN_CONTEXT;
    *device = context->device;
    return leave(SUCCESS);
}

int cuCtxSynchronize(void) {
    BEGIN_IN_CONTEXT;
    run_all(context->device);
    return leave(sticky);
}

int cuCtxEnablePeerAccess(Context *peer, unsigned flags) {
    BEGIN_IN_CONTEXT;
    if (flags || peer == context) return leave(INVALID_VALUE);
    if (no_peers) return leave(PEER_ACCESS_UNSUPPORTED);
    if (context->reaches[peer->device]++) return leave(PEER_ACCESS_ALREADY_ENABLED);
    return leave(SUCCESS);
}

/* ---- memory ---- */

int cuMemGetInfo_v2(size_t *free, size_t *total) {
    BEGIN_IN_CONTEXT;
    size_t rest = capacity - used[context->device];
    *total = capacity;
    *free = rest - (kept < rest ? kept : rest);
    return leave(SUCCESS);
}

typedef struct {
    int kind, exported_as, where, device;
    void *windows_only;
    unsigned char rest[8];
} Property;

typedef struct {
    int where, device, flags;
} Access;

int cuMemGetAllocationGranularity(size_t *bytes, const Property *property, int option) {
    BEGIN;
    if (property->where != 1 || property->device < 0 || property->device >= devices || option < 0 || option > 1)
        return leave(INVALID_VALUE);
    *bytes = PAGE;
    return leave(SUCCESS);
}

static int reserve(uint64_t *address, size_t bytes, size_t alignment, uint64_t wanted) {
    if (!bytes || bytes % PAGE || alignment & (alignment - 1)) return INVALID_VALUE;
    if (!grow((void **)&reserved, &reserved_room, reserved_count, sizeof *reserved)) return OUT_OF_MEMORY;
    if (alignment < PAGE) alignment = PAGE;
    size_t whole = bytes + alignment;
    char *start = mmap((void *)(uintptr_t)wanted, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return OUT_OF_MEMORY;
    uint64_t aligned = ((uint64_t)(uintptr_t)start + alignment - 1) / alignment * alignment;
    size_t before = (size_t)(aligned - (uint64_t)(uintptr_t)start);
    if (before) munmap(start, before);
    if (alignment - before) munmap((void *)(uintptr_t)(aligned + bytes), alignment - before);
    reserved[reserved_count++] = (Range){aligned, bytes};
    *address = aligned;
    return SUCCESS;
}

int cuMemAddressReserve(uint64_t *address, size_t bytes, size_t alignment, uint64_t wanted, uint64_t flags) {
    BEGIN;
    return leave(flags ? INVALID_VALUE : reserve(address, bytes, alignment, wanted));
}

static int address_free(uint64_t address, size_t bytes) {
    for (size_t i = 0; i < reserved_count; i++) {
        if (reserved[i].start != address || reserved[i].bytes != bytes) continue;
        size_t next = mapping_from(address);
        if (next < mappings_count && mappings[next].start < address + bytes) return INVALID_VALUE;
        munmap((void *)(uintptr_t)address, bytes);
        reserved[i] = reserved[--reserved_count];
        return SUCCESS;
    }
    return INVALID_VALUE;
}

int cuMemAddressFree(uint64_t address, size_t bytes) {
    BEGIN;
    return leave(address_free(address, bytes));
}

static int create(Physical **handle, Physical wanted) {
    if (!wanted.bytes || wanted.bytes % PAGE) return INVALID_VALUE;
    if (!wanted.imported && wanted.bytes > capacity - used[wanted.device]) return OUT_OF_MEMORY;
    Physical *physical = malloc(sizeof *physical);
    if (!physical) return OUT_OF_MEMORY;
    int flags = wanted.file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED | MAP_NORESERVE;
    wanted.memory = mmap(NULL, wanted.bytes, PROT_READ | PROT_WRITE, flags, wanted.file, (off_t)wanted.part);
    if (wanted.memory == MAP_FAILED) {
        free(physical);
        return OUT_OF_MEMORY;
    }
    wanted.magic = PHYSICAL;
    wanted.held = 1;
    *physical = wanted;
    if (!wanted.imported) used[wanted.device] += wanted.bytes;
    *handle = physical;
    return SUCCESS;
}

/* Memory that can be exported is in one file of the process, so that it costs no descriptor before it is. */
static int arena = -1;
static uint64_t arena_end;

/* A new part of the file; 0 if there is none. Places are not used twice: another process may still have them. */
static uint64_t add_part(int device, size_t bytes) {
    if (arena < 0) {
        arena = memfd_create("standin", MFD_CLOEXEC);
        if (arena < 0 || ftruncate(arena, (off_t)1 << 50)) return 0;
    }
    Part about = {PART, bytes, place_of[device], 0};
    uint64_t part = arena_end + PAGE;
    if (pwrite(arena, &about, sizeof about, (off_t)(part - PAGE)) != sizeof about) return 0;
    arena_end = part + bytes;
    return part;
}

static int part_of(int file, uint64_t part, Part *about) {
    if (part < PAGE || pread(file, about, sizeof *about, (off_t)(part - PAGE)) != sizeof *about) return 0;
    return about->magic == PART;
}

/* The device with this number in the machine; -1 if the process does not see it. */
static int device_at(int place) {
    for (int i = 0; i < devices; i++)
        if (place_of[i] == place) return i;
    return -1;
}

int cuMemCreate(Physical **handle, size_t bytes, const Property *property, uint64_t flags) {
    BEGIN;
    if (flags || property->kind != 1 || property->where != 1) return leave(INVALID_VALUE);
    if (property->device < 0 || property->device >= devices) return leave(INVALID_DEVICE);
    if (property->exported_as > 1) return leave(NOT_SUPPORTED);
    Physical wanted = {.device = property->device, .bytes = bytes, .file = -1};
    if (property->exported_as == 1) {
        wanted.part = add_part(property->device, bytes);
        wanted.file = arena;
        if (!wanted.part) return leave(OUT_OF_MEMORY);
    }
    int code = create(handle, wanted);
    /* Something is left of whoever had the memory before. */
    for (size_t at = 0; !code && at < bytes; at += PAGE) (*handle)->memory[at] = (*handle)->memory[at + PAGE - 1] = 0x5a;
    return leave(code);
}

/* Ends physical memory that nobody holds and that is mapped nowhere. The record stays, so that a stale handle is seen. */
static void end_if_unused(Physical *physical) {
    Part about;
    if (physical->held || physical->mapped) return;
    if (physical->imported) close(physical->file);
    /* What was exported stays: another process may have it. */
    else if (physical->file >= 0 && part_of(physical->file, physical->part, &about) && !about.exported)
        madvise(physical->memory, physical->bytes, MADV_REMOVE);
    munmap(physical->memory, physical->bytes);
    if (!physical->imported) used[physical->device] -= physical->bytes;
    physical->magic = 0;
}

static int release(Physical *physical) {
    if (physical->magic != PHYSICAL || !physical->held) return INVALID_VALUE;
    physical->held = 0;
    end_if_unused(physical);
    return SUCCESS;
}

int cuMemRelease(Physical *physical) {
    BEGIN;
    return leave(release(physical));
}

static int map(uint64_t address, size_t bytes, Physical *physical) {
    if (physical->magic != PHYSICAL || !physical->held || physical->bytes != bytes) return INVALID_VALUE;
    if (address % PAGE || !is_reserved(address, bytes)) return INVALID_VALUE;
    size_t at = mapping_from(address);
    if (at < mappings_count && mappings[at].start < address + bytes) return INVALID_VALUE;
    if (!grow((void **)&mappings, &mappings_room, mappings_count, sizeof *mappings)) return OUT_OF_MEMORY;
    memmove(mappings + at + 1, mappings + at, (mappings_count - at) * sizeof *mappings);
    mappings[at] = (Mapping){address, bytes, physical, 0};
    mappings_count++;
    physical->mapped++;
    return SUCCESS;
}

int cuMemMap(uint64_t address, size_t bytes, size_t offset, Physical *physical, uint64_t flags) {
    BEGIN;
    return leave(offset || flags ? INVALID_VALUE : map(address, bytes, physical));
}

/* The mappings that make up exactly this range: how many, from which; 0 if they do not. */
static size_t exactly(uint64_t address, size_t bytes, size_t *first) {
    size_t at = *first = mapping_from(address), count = 0;
    uint64_t next = address;
    while (at + count < mappings_count && mappings[at + count].start == next && next < address + bytes)
        next += mappings[at + count++].bytes;
    return next == address + bytes ? count : 0;
}

static int unmap(uint64_t address, size_t bytes) {
    size_t first, count = exactly(address, bytes, &first);
    if (!count) return INVALID_VALUE;
    for (size_t i = first; i < first + count; i++) {
        mappings[i].physical->mapped--;
        end_if_unused(mappings[i].physical);
    }
    memmove(mappings + first, mappings + first + count, (mappings_count - first - count) * sizeof *mappings);
    mappings_count -= count;
    return SUCCESS;
}

int cuMemUnmap(uint64_t address, size_t bytes) {
    BEGIN;
    return leave(unmap(address, bytes));
}

static int set_access(uint64_t address, size_t bytes, uint32_t more, uint32_t less) {
    size_t first, count = exactly(address, bytes, &first);
    for (size_t i = first; i < first + count; i++) mappings[i].access = (mappings[i].access & ~less) | more;
    return count ? SUCCESS : INVALID_VALUE;
}

int cuMemSetAccess(uint64_t address, size_t bytes, const Access *access, size_t count) {
    BEGIN;
    size_t first, mapped = exactly(address, bytes, &first);
    uint32_t more = 0, less = 0;
    for (size_t i = 0; i < count; i++) {
        if (access[i].where != 1 || access[i].device < 0 || access[i].device >= devices) return leave(INVALID_DEVICE);
        for (size_t at = first; no_peers && at < first + mapped; at++)
            if (mappings[at].physical->device != access[i].device) return leave(INVALID_DEVICE);
        *(access[i].flags == 3 ? &more : &less) |= 1u << access[i].device;
    }
    return leave(count ? set_access(address, bytes, more, less) : INVALID_VALUE);
}

/* A descriptor stands for the part at which its position is. */
int cuMemExportToShareableHandle(int *file, Physical *physical, int kind, uint64_t flags) {
    BEGIN;
    Part about;
    char path[40];
    if (flags || kind != 1 || physical->magic != PHYSICAL || physical->file < 0) return leave(INVALID_VALUE);
    if (!part_of(physical->file, physical->part, &about)) return leave(INVALID_VALUE);
    snprintf(path, sizeof path, "/proc/self/fd/%d", physical->file);
    int made = open(path, O_RDWR | O_CLOEXEC);
    about.exported = 1;
    if (made < 0 || lseek(made, (off_t)physical->part, SEEK_SET) < 0) return leave(OUT_OF_MEMORY);
    if (pwrite(made, &about, sizeof about, (off_t)(physical->part - PAGE)) != sizeof about) return leave(OUT_OF_MEMORY);
    *file = made;
    return leave(SUCCESS);
}

int cuMemImportFromShareableHandle(Physical **handle, void *file, int kind) {
    BEGIN;
    Part about;
    int own = kind == 1 ? fcntl((int)(intptr_t)file, F_DUPFD_CLOEXEC, 0) : -1;
    off_t part = own < 0 ? -1 : lseek(own, 0, SEEK_CUR);
    if (part < 0 || !part_of(own, (uint64_t)part, &about)) {
        if (own >= 0) close(own);
        return leave(INVALID_VALUE);
    }
    int device = device_at(about.device);
    if (device < 0) {
        close(own);
        return leave(INVALID_DEVICE);
    }
    Physical wanted = {.device = device, .bytes = about.bytes, .file = own, .part = (uint64_t)part, .imported = 1};
    int code = create(handle, wanted);
    if (code) close(own);
    return leave(code);
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    BEGIN_IN_CONTEXT;
    size_t whole = (bytes + PAGE - 1) / PAGE * PAGE;
    Physical *physical;
    if (!bytes) return leave(INVALID_VALUE);
    int code = create(&physical, (Physical){.device = context->device, .bytes = whole, .file = -1});
    if (code) return leave(code);
    code = reserve(address, whole, 0, 0);
    if (!code) code = map(*address, whole, physical);
    if (!code) code = set_access(*address, whole, ~0u, 0);
    release(physical);
    return leave(code);
}

int cuMemFree_v2(uint64_t address) {
    BEGIN_IN_CONTEXT;
    run_all(context->device);
    size_t at = mapping_from(address);
    if (at == mappings_count || mappings[at].start != address) return leave(INVALID_VALUE);
    size_t bytes = mappings[at].bytes;
    int code = unmap(address, bytes);
    return leave(code ? code : address_free(address, bytes));
}

static int add_registered(uint64_t address, size_t bytes) {
    for (size_t i = 0; i < registered_count; i++)
        if (address < registered[i].start + registered[i].bytes && registered[i].start < address + bytes)
            return HOST_MEMORY_ALREADY_REGISTERED;
    if (!grow((void **)&registered, &registered_room, registered_count, sizeof *registered)) return OUT_OF_MEMORY;
    registered[registered_count++] = (Range){address, bytes};
    return SUCCESS;
}

static int end_registered(uint64_t address) {
    for (size_t i = 0; i < registered_count; i++) {
        if (registered[i].start != address) continue;
        registered[i] = registered[--registered_count];
        return SUCCESS;
    }
    return HOST_MEMORY_NOT_REGISTERED;
}

int cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
    (void)flags;
    BEGIN_IN_CONTEXT;
    (void)context;
    if (!bytes) return leave(INVALID_VALUE);
    *address = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!*address) return leave(OUT_OF_MEMORY);
    return leave(add_registered((uintptr_t)*address, bytes));
}

int cuMemFreeHost(void *address) {
    BEGIN_IN_CONTEXT;
    run_all(context->device);
    int code = end_registered((uintptr_t)address);
    if (!code) free(address);
    return leave(code ? INVALID_VALUE : SUCCESS);
}

int cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags) {
    (void)flags;
    BEGIN_IN_CONTEXT;
    (void)context;
    return leave(bytes ? add_registered((uintptr_t)address, bytes) : INVALID_VALUE);
}

int cuMemHostUnregister(void *address) {
    BEGIN_IN_CONTEXT;
    (void)context;
    return leave(end_registered((uintptr_t)address));
}

int cuMemHostGetDevicePointer_v2(uint64_t *device, void *host, unsigned flags) {
    BEGIN_IN_CONTEXT;
    (void)context;
    if (flags || !is_registered((uintptr_t)host)) return leave(INVALID_VALUE);
    *device = (uintptr_t)host;
    return leave(SUCCESS);
}

/* ---- copies and fills ---- */

int cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, Stream *stream) {
    BEGIN_IN_CONTEXT;
    return leave(queue_copy(context, to, NULL, from, NULL, bytes, stream));
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, Stream *stream) {
    BEGIN_IN_CONTEXT;
    if (bytes && !is_device(to)) return leave(INVALID_VALUE);
    return leave(queue_copy(context, to, NULL, (uintptr_t)from, NULL, bytes, stream));
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, Stream *stream) {
    BEGIN_IN_CONTEXT;
    if (bytes && !is_device(from)) return leave(INVALID_VALUE);
    return leave(queue_copy(context, (uintptr_t)to, NULL, from, NULL, bytes, stream));
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, Stream *stream) {
    BEGIN_IN_CONTEXT;
    if (bytes && (!is_device(to) || !is_device(from))) return leave(INVALID_VALUE);
    return leave(queue_copy(context, to, NULL, from, NULL, bytes, stream));
}

int cuMemcpyPeerAsync(uint64_t to, Context *there, uint64_t from, Context *here, size_t bytes, Stream *stream) {
    BEGIN_IN_CONTEXT;
    if (bytes && (!is_device(to) || !is_device(from))) return leave(INVALID_VALUE);
    return leave(queue_copy(context, to, there, from, here, bytes, stream));
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, Stream *stream) {
    BEGIN_IN_CONTEXT;
    return leave(queue_fill(context, to, value, 1, count, stream));
}

int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, Stream *stream) {
    BEGIN_IN_CONTEXT;
    return leave(queue_fill(context, to, value, 2, count, stream));
}

int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, Stream *stream) {
    BEGIN_IN_CONTEXT;
    return leave(queue_fill(context, to, value, 4, count, stream));
}

/* ---- streams and events. Their records stay, so that a stale handle is seen. ---- */

int cuStreamCreate(Stream **handle, unsigned flags) {
    (void)flags;
    BEGIN_IN_CONTEXT;
    *handle = new_stream(context->device);
    return leave(*handle ? SUCCESS : OUT_OF_MEMORY);
}

/* Returns at once: work that is late stays so. */
int cuStreamDestroy_v2(Stream *stream) {
    BEGIN;
    if ((uintptr_t)stream <= 2 || stream->magic != STREAM) return leave(INVALID_HANDLE);
    stream->magic = 0;
    return leave(SUCCESS);
}

int cuStreamQuery(Stream *handle) {
    BEGIN_IN_CONTEXT;
    Stream *stream = known(context, handle);
    if (!stream) return leave(INVALID_HANDLE);
    if (stream->done == stream->queued) return leave(SUCCESS);
    run(stream, stream->done + 1);
    return leave(sticky ? sticky : NOT_READY);
}

int cuStreamSynchronize(Stream *handle) {
    BEGIN_IN_CONTEXT;
    Stream *stream = known(context, handle);
    if (!stream) return leave(INVALID_HANDLE);
    run(stream, stream->queued);
    return leave(sticky);
}

int cuStreamWaitEvent(Stream *handle, Event *event, unsigned flags) {
    BEGIN_IN_CONTEXT;
    Stream *stream = known(context, handle);
    if (!stream || event->magic != EVENT) return leave(INVALID_HANDLE);
    if (flags) return leave(INVALID_VALUE);
    if (!event->stream) return leave(SUCCESS);
    return leave(add(stream, (Work){.kind = WAIT, .stream = event->stream, .position = event->position}));
}

int cuStreamIsCapturing(Stream *handle, int *state) {
    BEGIN_IN_CONTEXT;
    Stream *stream = known(context, handle);
    if (!stream) return leave(INVALID_HANDLE);
    *state = stream->capturing;
    return leave(SUCCESS);
}

int cuStreamGetCtx(Stream *handle, Context **of) {
    BEGIN_IN_CONTEXT;
    Stream *stream = known(context, handle);
    if (!stream) return leave(INVALID_HANDLE);
    *of = &contexts[stream->device];
    return leave(SUCCESS);
}

int cuLaunchHostFunc(Stream *handle, void (*function)(void *), void *argument) {
    BEGIN_IN_CONTEXT;
    Stream *stream = known(context, handle);
    if (!stream) return leave(INVALID_HANDLE);
    return leave(add(stream, (Work){.kind = CALL, .function = function, .argument = argument}));
}

int cuEventCreate(Event **handle, unsigned flags) {
    (void)flags;
    BEGIN_IN_CONTEXT;
    Event *event = calloc(1, sizeof *event);
    if (!event) return leave(OUT_OF_MEMORY);
    event->magic = EVENT;
    event->device = context->device;
    *handle = event;
    return leave(SUCCESS);
}

int cuEventDestroy_v2(Event *event) {
    BEGIN;
    if (event->magic != EVENT) return leave(INVALID_HANDLE);
    event->magic = 0;
    return leave(SUCCESS);
}

int cuEventRecord(Event *event, Stream *handle) {
    BEGIN_IN_CONTEXT;
    Stream *stream = known(context, handle);
    if (!stream || event->magic != EVENT || event->device != stream->device) return leave(INVALID_HANDLE);
    event->stream = stream;
    event->position = stream->queued;
    return leave(SUCCESS);
}

int cuEventQuery(Event *event) {
    BEGIN;
    if (event->magic != EVENT) return leave(INVALID_HANDLE);
    if (!event->stream || event->stream->done >= event->position) return leave(SUCCESS);
    run(event->stream, event->stream->done + 1);
    return leave(sticky ? sticky : NOT_READY);
}

int cuEventSynchronize(Event *event) {
    BEGIN;
    if (event->magic != EVENT) return leave(INVALID_HANDLE);
    if (event->stream) run(event->stream, event->position);
    return leave(sticky);
}

int cuEventElapsedTime(float *milliseconds, Event *start, Event *end) {
    BEGIN;
    if (start->magic != EVENT || end->magic != EVENT) return leave(INVALID_HANDLE);
    *milliseconds = 0;
    return leave(SUCCESS);
}
