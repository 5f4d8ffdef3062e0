/* Without a driver there is an error that says what is missing. */
#include <millpond/cuda.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    millpondCudaPool *pool;
    unsigned replaced = 7;
    if (millpondCudaCreate(0, NULL, &pool) != MILLPOND_CUDA_NO_DRIVER) return 1;
    if (!strstr(millpondCudaMessage(), "no CUDA driver: /nowhere/libcuda.so.1 cannot be opened")) {
        puts(millpondCudaMessage());
        return 2;
    }
    if (millpondTorchCudaAlloc(4096, 0, NULL) != NULL) return 3;
    if (millpondCudaWatch(&replaced) != 0 || replaced != 0) return 4;
    return 0;
}
