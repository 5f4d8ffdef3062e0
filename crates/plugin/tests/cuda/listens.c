/* A callback may destroy a pool: no lock is held while it runs, also when pages of another pool that was destroyed go back. */
#include "driver.h"

static millpondCudaPool *third;
static int heard;

static int listen(void *user, const millpondCudaNews *news) {
    (void)user;
    if (news->moment == MILLPOND_CUDA_UNMAPPING && third != NULL) {
        millpondCudaPool *pool = third;
        third = NULL;
        heard++;
        OURS(millpondCudaDestroy(pool));
    }
    return 0;
}

int main(void) {
    millpondCudaOptions options = {.struct_size = sizeof options};
    millpondCudaPool *pool, *destroyed;
    Handle stream;
    void *block, *of_third;
    open_driver();
    CU(cuStreamCreate(&stream, 1));
    OURS(millpondCudaCreate(0, &options, &pool));
    OURS(millpondCudaCreate(0, &options, &destroyed));
    OURS(millpondCudaCreate(0, &options, &third));
    block = millpondCudaAlloc(destroyed, 1 << 20, stream);
    of_third = millpondCudaAlloc(third, 1 << 20, stream);
    CHECK(block != NULL && of_third != NULL);
    OURS(millpondCudaDestroy(destroyed));
    /* Its last block goes, and with it its pages, when another pool takes memory. */
    OURS(millpondCudaFree(block));
    OURS(millpondCudaListen(listen, NULL));
    CHECK(millpondCudaAlloc(pool, 1 << 20, stream) != NULL);
    CHECK(heard == 1);
    OURS(millpondCudaFree(of_third));
    return 0;
}
