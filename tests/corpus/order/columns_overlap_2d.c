// rule: stream.race
// wrong: two streams copy column blocks of one matrix, and the blocks share a column
#include "corpus.h"

enum { ROWS = 32, COLUMNS = 64, PITCH = COLUMNS * (int)sizeof(float), HALF = PITCH / 2 };

int main(void)
{
    start();
    aclrtStream left = new_stream(), right = new_stream();
    char *matrix = device_memory(ROWS * PITCH), *source = device_memory(2 * ROWS * PITCH);
    char *result = malloc(ROWS * PITCH);
    ACL(aclrtMemset(source, 2 * ROWS * PITCH, 1, ROWS * PITCH));
    ACL(aclrtMemset(source + ROWS * PITCH, ROWS * PITCH, 2, ROWS * PITCH));
#ifdef WRONG
    size_t width = HALF + sizeof(float);
#else
    size_t width = HALF;
#endif
    ACL(aclrtMemcpy2dAsync(matrix, PITCH, source, PITCH, width, ROWS, ACL_MEMCPY_DEVICE_TO_DEVICE, left));
    ACL(aclrtMemcpy2dAsync(matrix + HALF, PITCH, source + ROWS * PITCH, PITCH, HALF, ROWS, ACL_MEMCPY_DEVICE_TO_DEVICE, right));
    ACL(aclrtSynchronizeStream(left));
    ACL(aclrtSynchronizeStream(right));
    download(result, matrix, ROWS * PITCH);
    for (int row = 0; row < ROWS; row++) {
        EXPECT(all_bytes(result + row * PITCH, HALF, 1));
        EXPECT(all_bytes(result + row * PITCH + HALF, HALF, 2));
    }
    free(result);
    ACL(aclrtFree(source));
    ACL(aclrtFree(matrix));
    ACL(aclrtDestroyStream(right));
    ACL(aclrtDestroyStream(left));
    return finish();
}
