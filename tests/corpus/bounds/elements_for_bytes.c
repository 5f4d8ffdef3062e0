// rule: memory.out-of-bounds
// wrong: the buffer is allocated by its number of elements, not of bytes
#include "corpus.h"

typedef struct {
    float *values;
    size_t count;
} Embedding;

static Embedding embedding(size_t count)
{
    Embedding e = {NULL, count};
#ifdef WRONG
    e.values = device_memory(count);
#else
    e.values = device_memory(count * sizeof(float));
#endif
    return e;
}

int main(void)
{
    enum { COUNT = 4096 };
    static float host[COUNT], back[COUNT];
    start();
    Embedding table = embedding(COUNT);
    for (int i = 0; i < COUNT; i++)
        host[i] = (float)i;
    upload(table.values, host, sizeof host);
    download(back, table.values, sizeof back);
    EXPECT(memcmp(host, back, sizeof host) == 0);
    ACL(aclrtFree(table.values));
    return finish();
}
