// rule: stream.race
// wrong: the first stream's half is rounded up and reaches into the half of the second
#include "corpus.h"

/* A vector of an odd number of rows, filled by two streams. */
enum { ROWS = 101, ROW = 128 };

int main(void)
{
    start();
    aclrtStream streams[2] = {new_stream(), new_stream()};
    char *rows = device_memory(ROWS * ROW);
    char *check = malloc(ROWS * ROW);
    int half = ROWS / 2;
#ifdef WRONG
    int first_rows = (ROWS + 1) / 2;
#else
    int first_rows = half;
#endif
    ACL(aclrtMemsetAsync(rows, ROWS * ROW, 1, first_rows * ROW, streams[0]));
    ACL(aclrtMemsetAsync(rows + half * ROW, (ROWS - half) * ROW, 2, (ROWS - half) * ROW, streams[1]));
    ACL(aclrtSynchronizeStream(streams[0]));
    ACL(aclrtSynchronizeStream(streams[1]));
    download(check, rows, ROWS * ROW);
    EXPECT(all_bytes(check, half * ROW, 1));
    EXPECT(all_bytes(check + half * ROW, (ROWS - half) * ROW, 2));

    free(check);
    ACL(aclrtFree(rows));
    ACL(aclrtDestroyStream(streams[1]));
    ACL(aclrtDestroyStream(streams[0]));
    return finish();
}
