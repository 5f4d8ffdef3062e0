// rule: memory.uninitialised-read
// wrong: the last row of the batch has no sample, nothing is written there, and the operator reads all rows
#include "tensors.h"

enum { ROWS = 4, COLUMNS = 128, SAMPLES = 3 };

int main(void)
{
    float row[COLUMNS], sums[ROWS];
    start();
    aclrtStream stream = new_stream();
    Tensor batch = new_matrix(ROWS, COLUMNS), out = new_vector(ROWS);
    for (int i = 0; i < COLUMNS; i++)
        row[i] = 2;
    for (int sample = 0; sample < SAMPLES; sample++)
        upload((float *)batch.memory + sample * COLUMNS, row, sizeof row);
#ifndef WRONG
    ACL(aclrtMemset((float *)batch.memory + SAMPLES * COLUMNS, sizeof row, 0, sizeof row));
#endif
    square_sums(batch, out, stream);
    ACL(aclrtSynchronizeStream(stream));
    download(sums, out.memory, sizeof sums);
    for (int i = 0; i < ROWS; i++)
        EXPECT(sums[i] == (i < SAMPLES ? 4 * COLUMNS : 0));
    drop(out);
    drop(batch);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
