/* A CUDA runtime for tests: a library whose functions call those of the driver with the same name. */
#include <dlfcn.h>
#include <stdlib.h>

static void *driver(const char *name) {
    return dlsym(dlopen(getenv("MILLPOND_CUDA_DRIVER"), RTLD_NOW), name);
}

#define FORWARD(name, symbol, declared, passed)                                         \
    int name declared {                                                                 \
        static int (*real) declared;                                                    \
        if (!real) *(void **)&real = driver(symbol);                                    \
        return real passed;                                                             \
    }

FORWARD(cudaEventRecord, "cuEventRecord", (void *event, void *stream), (event, stream))
FORWARD(cudaEventQuery, "cuEventQuery", (void *event), (event))
FORWARD(cudaEventSynchronize, "cuEventSynchronize", (void *event), (event))
FORWARD(cudaEventDestroy, "cuEventDestroy_v2", (void *event), (event))
FORWARD(cudaStreamWaitEvent, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags), (stream, event, flags))
FORWARD(cudaStreamSynchronize, "cuStreamSynchronize", (void *stream), (stream))
FORWARD(cudaStreamQuery, "cuStreamQuery", (void *stream), (stream))
FORWARD(cudaStreamDestroy, "cuStreamDestroy_v2", (void *stream), (stream))
FORWARD(cudaDeviceSynchronize, "cuCtxSynchronize", (void), ())
