/*
 * The functions of the CUDA driver that these programs call, found at run time: in the file that MILLPOND_CUDA_DRIVER names, or in
 * libcuda.so.1. And assertions.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <dlfcn.h>
#include <millpond/cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Handle;

static int (*cuInit)(unsigned);
static int (*cuDeviceGet)(int *, int);
static int (*cuDevicePrimaryCtxRetain)(Handle *, int);
static int (*cuCtxSetCurrent)(Handle);
static int (*cuCtxSynchronize)(void);
static int (*cuMemGetInfo)(size_t *, size_t *);
static int (*cuMemHostAlloc)(void **, size_t, unsigned);
static int (*cuStreamCreate)(Handle *, unsigned);
static int (*cuStreamDestroy)(Handle);
static int (*cuStreamSynchronize)(Handle);
static int (*cuStreamWaitEvent)(Handle, Handle, unsigned);
static int (*cuEventCreate)(Handle *, unsigned);
static int (*cuEventDestroy)(Handle);
static int (*cuEventRecord)(Handle, Handle);
static int (*cuEventQuery)(Handle);
static int (*cuEventSynchronize)(Handle);
static int (*cuMemsetD32Async)(uint64_t, unsigned, size_t, Handle);
static int (*cuMemcpyDtoHAsync)(void *, uint64_t, size_t, Handle);
static int (*cuMemcpyDtoDAsync)(uint64_t, uint64_t, size_t, Handle);
static int (*cuMemAlloc)(uint64_t *, size_t);
static int (*cuMemFree)(uint64_t);
static Handle library;

#define CHECK(condition)                                                                             \
    do {                                                                                             \
        if (!(condition)) {                                                                          \
            fprintf(stderr, "%s:%d: %s does not hold; last message: %s\n", __FILE__, __LINE__, #condition, millpondCudaMessage()); \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)

#define CU(call)                                                                                     \
    do {                                                                                             \
        int code_ = (call);                                                                          \
        if (code_ != 0) {                                                                            \
            fprintf(stderr, "%s:%d: %s returned %d\n", __FILE__, __LINE__, #call, code_);            \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)

#define OURS(call)                                                                                   \
    do {                                                                                             \
        int code_ = (call);                                                                          \
        if (code_ != 0) {                                                                            \
            fprintf(stderr, "%s:%d: %s returned %d: %s\n", __FILE__, __LINE__, #call, code_, millpondCudaMessage()); \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)

static void *find_function(const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "the driver has no %s\n", name);
        exit(1);
    }
    return found;
}

/* Opens the driver and makes the primary context of device 0 current. */
static inline void open_driver(void) {
    const char *path = getenv("MILLPOND_CUDA_DRIVER");
    int device;
    Handle context;
    library = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        printf("skip: no CUDA driver: %s\n", dlerror());
        exit(0);
    }
#define FIND(function, name) *(void **)&function = find_function(name)
    FIND(cuInit, "cuInit");
    FIND(cuDeviceGet, "cuDeviceGet");
    FIND(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    FIND(cuCtxSetCurrent, "cuCtxSetCurrent");
    FIND(cuCtxSynchronize, "cuCtxSynchronize");
    FIND(cuMemGetInfo, "cuMemGetInfo_v2");
    FIND(cuMemHostAlloc, "cuMemHostAlloc");
    FIND(cuStreamCreate, "cuStreamCreate");
    FIND(cuStreamDestroy, "cuStreamDestroy_v2");
    FIND(cuStreamSynchronize, "cuStreamSynchronize");
    FIND(cuStreamWaitEvent, "cuStreamWaitEvent");
    FIND(cuEventCreate, "cuEventCreate");
    FIND(cuEventDestroy, "cuEventDestroy_v2");
    FIND(cuEventRecord, "cuEventRecord");
    FIND(cuEventQuery, "cuEventQuery");
    FIND(cuEventSynchronize, "cuEventSynchronize");
    FIND(cuMemsetD32Async, "cuMemsetD32Async");
    FIND(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
    FIND(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
    FIND(cuMemAlloc, "cuMemAlloc_v2");
    FIND(cuMemFree, "cuMemFree_v2");
    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuDevicePrimaryCtxRetain(&context, device));
    CU(cuCtxSetCurrent(context));
}

static inline uint64_t address_of(const void *block) { return (uint64_t)(uintptr_t)block; }

/* Numbers that are the same in every run. */
static inline uint64_t next_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

#endif
