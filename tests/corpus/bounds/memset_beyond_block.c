// rule: memory.out-of-bounds memory.dest-max
// wrong: the whole padded tensor is cleared, but only the unpadded one was allocated
#include "corpus.h"

enum { ROWS = 30, ROW = 100, PADDED_ROW = 128 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
#ifdef WRONG
    size_t allocated = ROWS * ROW;
#else
    size_t allocated = ROWS * PADDED_ROW;
#endif
    void *tensor = device_memory(allocated);
    TRY(aclrtMemsetAsync(tensor, ROWS * PADDED_ROW, 0, ROWS * PADDED_ROW, stream));
    TRY(aclrtSynchronizeStream(stream));
    EXPECT(device_bytes(tensor, ROWS * ROW, 0));
    ACL(aclrtFree(tensor));
    ACL(aclrtDestroyStream(stream));
    return finish();
}
