/* What does MILLPOND_RECORDS tell? Each call comes with the place in the program
 * that made it, from the first time on and from whatever depth of the stack; a
 * refusal comes with what was asked for; a call that fails says with which code;
 * handles, the beginning and the end have lines of their own. */
#include "check.h"
#include <acl/acl_rt_allocator.h>
#include <dlfcn.h>

static char path[] = "/tmp/millpond-records-XXXXXX";
static char text[1 << 20];

static void read_records(void)
{
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
}

/* The line that has both words, behind the one that was found before. */
static const char *behind(const char *start, const char *word, const char *other)
{
    static char line[4096];
    while (*start != '\0') {
        size_t length = strcspn(start, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, start);
        if (strstr(line, word) != NULL && strstr(line, other) != NULL) {
            return start;
        }
        start += length + (start[length] == '\n');
    }
    fprintf(stderr, "no line with '%s' and '%s' in\n%s\n", word, other, text);
    CHECK(0);
    return NULL;
}

static const char *line_with(const char *word, const char *other)
{
    return behind(text, word, other);
}

/* Where a line says that the call came from. */
static char *place_of(const char *line)
{
    Dl_info info;
    char module[512];
    unsigned long offset = 0;
    const char *from = strstr(line, "  from ");
    CHECK(from != NULL && from < line + strcspn(line, "\n"));
    CHECK(sscanf(from, "  from %511[^+]+0x%lx", module, &offset) == 2);
    CHECK(dladdr((void *)place_of, &info) != 0);
    CHECK(strstr(info.dli_fname, module) != NULL);
    return (char *)info.dli_fbase + offset;
}

/* Functions of a size that is not known, but small. */
/* A sanitizer makes functions longer. */
#ifdef __SANITIZE_ADDRESS__
#define NEAR 8192
#else
#define NEAR 512
#endif
#define LIES_IN(place, function) CHECK((place) > (char *)(function) && (place) < (char *)(function) + NEAR)

static __attribute__((noinline)) void *get(size_t bytes)
{
    void *p = NULL;
    OK(aclrtMalloc(&p, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return p;
}

static __attribute__((noinline)) void put(void *p)
{
    OK(aclrtFree(p));
}

/* The same call from another depth of the stack. */
static __attribute__((noinline)) void *get_from(int depth, size_t bytes)
{
    volatile char pad[40];
    pad[0] = (char)depth;
    void *p = depth == 0 ? get(bytes) : get_from(depth - 1, bytes);
    pad[1] = pad[0];
    return p;
}

static void callers(void)
{
    void *p[4];
    char word[64];
    for (int i = 0; i < 4; i++) {
        p[i] = get_from(i, 1000 + (size_t)i);
    }
    for (int i = 0; i < 4; i++) {
        put(p[i]);
    }
    read_records();
    for (int i = 0; i < 4; i++) {
        snprintf(word, sizeof word, "allocated on device 0: %d bytes requested", 1000 + i);
        LIES_IN(place_of(line_with(word, "")), get);
    }
    const char *line = text;
    for (int i = 0; i < 4; i++) {
        line = behind(line, "freed: ", "  from ");
        LIES_IN(place_of(line), put);
        line += strcspn(line, "\n");
    }
}

static __attribute__((noinline)) void refusals(void)
{
    char host[64] = {0};
    void *p = get(64);
    aclrtStream stream;
    OK(aclrtCreateStream(&stream));

    CODE(aclrtMemcpy(p, 8, host, 16, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemsetAsync(p, 8, 0, 24, stream), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtMemcpy2d(p, 8, host, 32, 16, 2, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtMemcpy(p, 1 << 20, host, 1 << 20, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
    CODE(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    put(p);
    CODE(aclrtFree(p), ACL_ERROR_RT_PARAM_INVALID);
    OK(aclrtDestroyStream(stream));

    read_records();
    const char *line = line_with("Copy, reads", "+16, room for 8 inside the call refused");
    LIES_IN(place_of(line), refusals);
    line = behind(line, "the call returned", "destMax");
    LIES_IN(place_of(line), refusals);
    line = behind(line, "Fill, writes", "+24, room for 8 in stream");
    line = behind(line, "Copy, reads", "+16 in 2 rows, 8 apart inside the call refused");
    line = behind(line, "Copy, reads", "+1048576, room for 1048576 inside the call refused");
    line = behind(line, "the call returned", "devPtr");
    line = behind(line, "free of", "refused");
    line = behind(line, "the call returned", "107000");
    line = behind(line, "waited for stream", "  from ");
    line = behind(line, "stream", "destroyed");
}

static void objects(void)
{
    aclrtEvent event;
    aclDataBuffer *buffer = aclCreateDataBuffer(NULL, 0);
    CHECK(buffer != NULL);
    OK(aclDestroyDataBuffer(buffer));
    OK(aclrtCreateEvent(&event));
    OK(aclrtDestroyEvent(event));
    read_records();
    const char *line = line_with("the program initialised AscendCL", "");
    line = behind(line, "DataBuffer", "created");
    line = behind(line, "DataBuffer", "destroyed");
    line = behind(line, "event", "created");
    line = behind(line, "event", "destroyed");
}

static void descriptions(void)
{
    aclrtStream stream;
    OK(aclrtCreateStream(&stream));
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    OK(aclrtAllocatorSetObjToDesc(desc, &desc));
    CODE(aclrtAllocatorRegister(stream, desc), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtAllocatorRegister(NULL, desc), ACL_ERROR_INVALID_PARAM);
    OK(aclrtAllocatorDestroyDesc(desc));
    CODE(aclrtAllocatorSetObjToDesc(desc, &desc), ACL_ERROR_INVALID_PARAM);
    OK(aclrtDestroyStream(stream));
    read_records();
    const char *line = line_with("allocator descriptor", "created");
    line = behind(line, "allocator descriptor", "Object set");
    line = behind(line, "allocator descriptor", "Alloc is not set");
    line = behind(line, "allocator descriptor", "the stream is NULL");
    line = behind(line, "allocator descriptor", "destroyed");
    line = behind(line, "allocator descriptor", "it does not exist");
}

static void ending(void)
{
    void *left = get(100);
    CHECK(left != NULL);
    CLOSE_DEVICE();
    read_records();
    const char *line = line_with("device 0 is being reset", "");
    line = behind(line, "context", "destroyed");
    line = behind(line, "device 0 reset", "");
    behind(line, "the program finalised AscendCL", "");
    unlink(path);
}

int main(void)
{
    int file = mkstemp(path);
    CHECK(file >= 0);
    close(file);
    CHECK(setenv("MILLPOND_RECORDS", path, 1) == 0);
    OPEN_DEVICE();
    callers();
    refusals();
    objects();
    descriptions();
    ending();
    return 0;
}
