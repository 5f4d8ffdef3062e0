/* A stand-in for CUDA's runtime library, for tests of PyTorch on machines without a GPU.
 *
 * It is preloaded, and passes what PyTorch calls on to the stand-in of the driver (crates/cuda/src/testing/standin.c), which
 * MILLPOND_CUDA_DRIVER names. So tensors can be allocated, copied and freed on streams that are ordered by events. Kernels do
 * nothing: results of computations mean nothing, results of copies do.
 */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef cudaGetDeviceProperties

#define MOST 16

static void *driver;
static void *contexts[MOST];
static int count;
static __thread int current, last_error, captures_relaxed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *find(const char *name) {
    void *found = driver ? dlsym(driver, name) : NULL;
    if (!found) {
        fprintf(stderr, "stand-in runtime: the driver has no %s\n", name);
        abort();
    }
    return found;
}

/* Calls a function of the driver by name, with the arguments' own types. */
#define DRIVER(name, types, ...) (((int (*) types)find(#name))(__VA_ARGS__))

static void open_driver(void) {
    const char *path = getenv("MILLPOND_CUDA_DRIVER");
    driver = path ? dlopen(path, RTLD_NOW) : NULL;
    if (!driver) {
        fprintf(stderr, "stand-in runtime: %s\n", path ? dlerror() : "MILLPOND_CUDA_DRIVER is not set");
        return;
    }
    if (DRIVER(cuInit, (unsigned), 0) == 0) DRIVER(cuDeviceGetCount, (int *), &count);
}

static int done(int code) {
    if (code) last_error = code;
    return code;
}

static void *context_of(int device) {
    if (!contexts[device]) {
        void *made = NULL;
        DRIVER(cuDevicePrimaryCtxRetain, (void **, int), &made, device);
        contexts[device] = made;
    }
    return contexts[device];
}

/* Makes the primary context of the thread's device current. */
static void enter(void) {
    pthread_once(&once, open_driver);
    if (current < count) DRIVER(cuCtxSetCurrent, (void *), context_of(current));
}

/* ---- devices ---- */

cudaError_t cudaGetDeviceCount(int *found) {
    pthread_once(&once, open_driver);
    *found = count;
    return count ? cudaSuccess : done(cudaErrorNoDevice);
}
cudaError_t cudaGetDevice(int *device) {
    *device = current;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    pthread_once(&once, open_driver);
    if (device < 0 || device >= count) return done(cudaErrorInvalidDevice);
    current = device;
    enter();
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "stand-in %d", device);
    properties->major = 9;
    properties->multiProcessorCount = 4;
    properties->maxThreadsPerMultiProcessor = 2048;
    properties->maxThreadsPerBlock = 1024;
    properties->warpSize = 32;
    properties->sharedMemPerBlock = 48 << 10;
    properties->regsPerBlock = 65536;
    properties->maxGridSize[0] = properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
    properties->textureAlignment = 512;
    size_t free = 0;
    enter();
    DRIVER(cuMemGetInfo_v2, (size_t *, size_t *), &free, &properties->totalGlobalMem);
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    (void)attribute, (void)device;
    *value = 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char *text, int room, int device) {
    snprintf(text, (size_t)room, "0000:%02x:00.0", device);
    return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    pthread_once(&once, open_driver);
    return done(DRIVER(cuDeviceCanAccessPeer, (int *, int, int), can, device, peer));
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    enter();
    return done(DRIVER(cuCtxEnablePeerAccess, (void *, unsigned), context_of(peer), flags));
}
cudaError_t cudaDeviceSynchronize(void) {
    enter();
    return done(DRIVER(cuCtxSynchronize, (void)));
}
cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
    enter();
    return done(DRIVER(cuMemGetInfo_v2, (size_t *, size_t *), free, total));
}
cudaError_t cudaDriverGetVersion(int *version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaGetLastError(void) {
    int code = last_error;
    last_error = 0;
    return code;
}
cudaError_t cudaPeekAtLastError(void) {
    return last_error;
}
const char *cudaGetErrorName(cudaError_t code) {
    return code ? "cudaErrorOfTheStandIn" : "cudaSuccess";
}
const char *cudaGetErrorString(cudaError_t code) {
    return code ? "an error of the stand-in" : "no error";
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **found, unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status) {
    (void)version, (void)flags;
    pthread_once(&once, open_driver);
    *found = driver ? dlsym(driver, name) : NULL;
    if (status) *status = *found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

/* ---- memory ---- */

cudaError_t cudaMalloc(void **block, size_t bytes) {
    enter();
    return done(DRIVER(cuMemAlloc_v2, (void **, size_t), block, bytes));
}
cudaError_t cudaFree(void *block) {
    enter();
    return block ? done(DRIVER(cuMemFree_v2, (void *), block)) : cudaSuccess;
}
cudaError_t cudaHostAlloc(void **block, size_t bytes, unsigned flags) {
    enter();
    return done(DRIVER(cuMemHostAlloc, (void **, size_t, unsigned), block, bytes, flags));
}
cudaError_t cudaFreeHost(void *block) {
    enter();
    return done(DRIVER(cuMemFreeHost, (void *), block));
}
cudaError_t cudaHostRegister(void *block, size_t bytes, unsigned flags) {
    enter();
    return done(DRIVER(cuMemHostRegister_v2, (void *, size_t, unsigned), block, bytes, flags));
}
cudaError_t cudaHostUnregister(void *block) {
    enter();
    return done(DRIVER(cuMemHostUnregister, (void *), block));
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    (void)kind;
    enter();
    return done(DRIVER(cuMemcpyAsync, (void *, const void *, size_t, cudaStream_t), to, from, bytes, stream));
}
cudaError_t cudaMemcpyPeerAsync(void *to, int there, const void *from, int here, size_t bytes, cudaStream_t stream) {
    enter();
    return done(DRIVER(cuMemcpyPeerAsync, (void *, void *, const void *, void *, size_t, cudaStream_t), to, context_of(there), from,
        context_of(here), bytes, stream));
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    cudaError_t code = cudaMemcpyAsync(to, from, bytes, kind, NULL);
    return code ? code : cudaDeviceSynchronize();
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
    enter();
    return done(DRIVER(cuMemsetD8Async, (void *, unsigned char, size_t, cudaStream_t), to, (unsigned char)value, bytes, stream));
}
cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    return cudaMemsetAsync(to, value, bytes, NULL);
}
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *address) {
    memset(attributes, 0, sizeof *attributes);
    attributes->type = cudaMemoryTypeDevice;
    int device = DRIVER(standinDeviceOf, (const void *), address);
    attributes->device = device < 0 ? current : device;
    attributes->devicePointer = (void *)address;
    return cudaSuccess;
}

/* ---- streams and events ---- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    (void)priority;
    enter();
    return done(DRIVER(cuStreamCreate, (cudaStream_t *, unsigned), stream, flags));
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return done(DRIVER(cuStreamDestroy_v2, (cudaStream_t), stream));
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    enter();
    int code = DRIVER(cuStreamQuery, (cudaStream_t), stream);
    return code == cudaErrorNotReady ? code : done(code);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    enter();
    return done(DRIVER(cuStreamSynchronize, (cudaStream_t), stream));
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    enter();
    return done(DRIVER(cuStreamWaitEvent, (cudaStream_t, cudaEvent_t, unsigned), stream, event, flags));
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    enter();
    return done(DRIVER(cuEventCreate, (cudaEvent_t *, unsigned), event, flags));
}
cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return done(DRIVER(cuEventDestroy_v2, (cudaEvent_t), event));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    enter();
    return done(DRIVER(cuEventRecord, (cudaEvent_t, cudaStream_t), event, stream));
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    (void)flags;
    return cudaEventRecord(event, stream);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    int code = DRIVER(cuEventQuery, (cudaEvent_t), event);
    return code == cudaErrorNotReady ? code : done(code);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return done(DRIVER(cuEventSynchronize, (cudaEvent_t), event));
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return done(DRIVER(cuEventElapsedTime, (float *, cudaEvent_t, cudaEvent_t), milliseconds, start, end));
}
/* An event has no other process to go to: its own address stands for it. */
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &event, sizeof event);
    return cudaSuccess;
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
    (void)handle;
    return cudaEventCreate(event);
}

/* ---- captures: none can be made ---- */

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    enter();
    int state = 0;
    int code = DRIVER(cuStreamIsCapturing, (cudaStream_t, int *), stream, &state);
    *status = state;
    return done(code);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    int before = captures_relaxed;
    captures_relaxed = *mode;
    *mode = before;
    return cudaSuccess;
}

/* ---- kernels: nothing happens ---- */

void **__cudaRegisterFatBinary(void *binary) {
    (void)binary;
    static void *handle;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }
void __cudaRegisterFunction(void) {}
void __cudaRegisterVar(void) {}
int __cudaPushCallConfiguration(void) { return 0; }
int __cudaPopCallConfiguration(void) { return 0; }
int __cudaLaunchKernel(void) { return 0; }
int __cudaGetKernel(void **kernel, const void *function) {
    *kernel = (void *)function;
    return 0;
}
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
    (void)function;
    memset(attributes, 0, sizeof *attributes);
    attributes->maxThreadsPerBlock = 1024;
    attributes->binaryVersion = attributes->ptxVersion = 90;
    return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value) {
    (void)function, (void)attribute, (void)value;
    return cudaSuccess;
}
