/* What the programs of the corpus share: calls that must succeed, results that must be right, and short forms. */
#ifndef MILLPOND_CORPUS_H
#define MILLPOND_CORPUS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

static int corpus_mistakes;

/* A call that must succeed; the program gives up if it does not. */
#define ACL(call) acl_succeeded((call), #call, __FILE__, __LINE__)
/* A call whose failure is logged, as in programs that carry on. */
#define TRY(call) acl_tried((call), #call, __FILE__, __LINE__)
/* A result that must be right. The exit status says whether all were. */
#define EXPECT(condition) expected((condition), #condition, __FILE__, __LINE__)

static inline int acl_tried(aclError code, const char *call, const char *file, int line)
{
    if (code != ACL_SUCCESS) {
        const char *message = aclGetRecentErrMsg();
        fprintf(stderr, "%s:%d: %s returned %d: %s\n", file, line, call, code, message ? message : "");
        corpus_mistakes++;
    }
    return code;
}

static inline void acl_succeeded(aclError code, const char *call, const char *file, int line)
{
    if (acl_tried(code, call, file, line) != ACL_SUCCESS) {
        exit(2);
    }
}

static inline void expected(int holds, const char *condition, const char *file, int line)
{
    if (!holds) {
        fprintf(stderr, "%s:%d: %s does not hold\n", file, line, condition);
        corpus_mistakes++;
    }
}

static inline void start(void)
{
    ACL(aclInit(NULL));
    ACL(aclrtSetDevice(0));
}

/* Ends the use of device 0 and of everything; what it returns is the exit status. */
static inline int finish(void)
{
    ACL(aclrtResetDevice(0));
    ACL(aclFinalize());
    return corpus_mistakes ? 3 : 0;
}

static inline void *device_memory(size_t size)
{
    void *memory = NULL;
    ACL(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

static inline void *pinned_memory(size_t size)
{
    void *memory = NULL;
    ACL(aclrtMallocHost(&memory, size));
    return memory;
}

static inline aclrtStream new_stream(void)
{
    aclrtStream stream = NULL;
    ACL(aclrtCreateStream(&stream));
    return stream;
}

/* An event that may be recorded again and again. */
static inline aclrtEvent new_event(void)
{
    aclrtEvent event = NULL;
    ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    return event;
}

/* Copies that are waited for. */
static inline void upload(void *device, const void *host, size_t size)
{
    ACL(aclrtMemcpy(device, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE));
}

static inline void download(void *host, const void *device, size_t size)
{
    ACL(aclrtMemcpy(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
}

/* Whether all bytes have this value. */
static inline int all_bytes(const void *memory, size_t size, int value)
{
    const unsigned char *bytes = (const unsigned char *)memory;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != (unsigned char)value) {
            return 0;
        }
    }
    return 1;
}

/* The same of device memory that nothing is queued for. */
static inline int device_bytes(const void *device, size_t size, int value)
{
    void *host = malloc(size);
    download(host, device, size);
    int same = all_bytes(host, size, value);
    free(host);
    return same;
}

#endif
