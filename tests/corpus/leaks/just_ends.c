// rule: memory.leak
// severity: hint
// wrong: the program ends without freeing its buffers, and without aclFinalize
#include "corpus.h"

enum { LAYERS = 4, BYTES = 1 << 12 };

int main(void)
{
    void *layers[LAYERS];
    start();
    for (int i = 0; i < LAYERS; i++) {
        layers[i] = device_memory(BYTES);
        ACL(aclrtMemset(layers[i], BYTES, i, BYTES));
    }
    for (int i = 0; i < LAYERS; i++)
        EXPECT(device_bytes(layers[i], BYTES, i));
#ifndef WRONG
    for (int i = 0; i < LAYERS; i++)
        ACL(aclrtFree(layers[i]));
#endif
    return corpus_mistakes ? 3 : 0;
}
