// rule: stream.race
// wrong: both streams copy the even rows; one of them was meant for the odd ones
#include "corpus.h"

enum { ROWS = 16, ROW = 64 };

int main(void)
{
    start();
    aclrtStream even = new_stream(), odd = new_stream();
    char *field = device_memory(2 * ROWS * ROW), *a = device_memory(ROWS * ROW), *b = device_memory(ROWS * ROW);
    char *host = malloc(2 * ROWS * ROW);
    ACL(aclrtMemset(field, 2 * ROWS * ROW, 0, 2 * ROWS * ROW));
    ACL(aclrtMemset(a, ROWS * ROW, 1, ROWS * ROW));
    ACL(aclrtMemset(b, ROWS * ROW, 2, ROWS * ROW));
#ifdef WRONG
    char *second = field;
#else
    char *second = field + ROW;
#endif
    ACL(aclrtMemcpy2dAsync(field, 2 * ROW, a, ROW, ROW, ROWS, ACL_MEMCPY_DEVICE_TO_DEVICE, even));
    ACL(aclrtMemcpy2dAsync(second, 2 * ROW, b, ROW, ROW, ROWS, ACL_MEMCPY_DEVICE_TO_DEVICE, odd));
    ACL(aclrtSynchronizeDevice());
    download(host, field, 2 * ROWS * ROW);
    for (int row = 0; row < 2 * ROWS; row++)
        EXPECT(all_bytes(host + row * ROW, ROW, row % 2 + 1));
    free(host);
    ACL(aclrtFree(b));
    ACL(aclrtFree(a));
    ACL(aclrtFree(field));
    ACL(aclrtDestroyStream(odd));
    ACL(aclrtDestroyStream(even));
    return finish();
}
