/* A program that millpond check cannot see gets no pool, or the check would pass without having checked. */
#include <millpond/cuda.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    millpondCudaPool *pool;
    if (millpondCudaRecording() != 0) return 1;
    for (int time = 0; time < 2; time++) {
        if (millpondCudaCreate(0, NULL, &pool) != MILLPOND_CUDA_INVALID) return 2;
        if (!strstr(millpondCudaMessage(), "millpond check cannot write records to /proc/nowhere/")
            || !strstr(millpondCudaMessage(), "set TMPDIR to a folder that can be written")) {
            puts(millpondCudaMessage());
            return 3;
        }
    }
    return 0;
}
