// rule: memory.use-after-free
// wrong: the view keeps the address that the buffer had before it grew
#include "corpus.h"

/* A device vector that doubles when it is full. */
typedef struct {
    char *memory;
    size_t size, capacity;
} Vector;

static void push(Vector *v, const void *bytes, size_t count)
{
    if (v->size + count > v->capacity) {
        char *larger = device_memory(2 * v->capacity);
        ACL(aclrtMemcpy(larger, 2 * v->capacity, v->memory, v->size, ACL_MEMCPY_DEVICE_TO_DEVICE));
        ACL(aclrtFree(v->memory));
        v->memory = larger;
        v->capacity *= 2;
    }
    upload(v->memory + v->size, bytes, count);
    v->size += count;
}

int main(void)
{
    char chunk[1024], back[1024];
    start();
    Vector v = {device_memory(2048), 0, 2048};
    memset(chunk, 5, sizeof chunk);
    push(&v, chunk, sizeof chunk);
    char *first = v.memory;
    for (int i = 0; i < 4; i++)
        push(&v, chunk, sizeof chunk);
#ifndef WRONG
    first = v.memory;
#endif
    if (TRY(aclrtMemcpy(back, sizeof back, first, sizeof back, ACL_MEMCPY_DEVICE_TO_HOST)) == 0)
        EXPECT(memcmp(back, chunk, sizeof back) == 0);
    ACL(aclrtFree(v.memory));
    return finish();
}
