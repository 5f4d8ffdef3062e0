// rule: memory.guard
// wrong: the loop that fills the pinned buffer goes one row too far
#include "corpus.h"

enum { ROWS = 64, ROW = 32 };

int main(void)
{
    start();
    float *rows = pinned_memory(ROWS * ROW * sizeof(float));
    void *device = device_memory(ROWS * ROW * sizeof(float));
#ifdef WRONG
    for (int row = 0; row <= ROWS; row++)
#else
    for (int row = 0; row < ROWS; row++)
#endif
        for (int i = 0; i < 8; i++)
            rows[row * ROW + i] = (float)row;
    for (int row = 0; row < ROWS; row++)
        for (int i = 8; i < ROW; i++)
            rows[row * ROW + i] = 0;
    upload(device, rows, ROWS * ROW * sizeof(float));
    float last = -1;
    download(&last, (char *)device + (ROWS - 1) * ROW * sizeof(float), sizeof last);
    EXPECT(last == ROWS - 1);
    ACL(aclrtFree(device));
    ACL(aclrtFreeHost(rows));
    return finish();
}
