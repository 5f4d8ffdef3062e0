// rule: memory.leak
// wrong: the function returns early for an empty request and forgets its buffer
#include "corpus.h"

static int handle(const char *request, size_t size)
{
    void *device = device_memory(4096);
    if (size == 0) {
#ifndef WRONG
        ACL(aclrtFree(device));
#endif
        return 0;
    }
    upload(device, request, size);
    int right = 0;
    char *back = malloc(size);
    download(back, device, size);
    right = memcmp(back, request, size) == 0;
    free(back);
    ACL(aclrtFree(device));
    return right;
}

int main(void)
{
    start();
    EXPECT(handle("hello", 5) == 1);
    EXPECT(handle("", 0) == 0);
    EXPECT(handle("world!", 6) == 1);
    return finish();
}
