/* Are call stacks in the records those of the calls? The functions that were on
 * the stack, the innermost first, each by a return address inside it; the same
 * stack always with the same number; other stacks with others. */
#include "check.h"

static char path[] = "/tmp/millpond-stacks-XXXXXX";
static char text[1 << 20];

#define NEAR 512
#define MOST 16

static __attribute__((noinline)) void leaf(size_t bytes)
{
    void *p = NULL;
    OK(aclrtMalloc(&p, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtFree(p));
}

static __attribute__((noinline)) void left(size_t bytes)
{
    volatile char pad[32];
    pad[0] = 1;
    leaf(bytes);
    pad[1] = pad[0];
}

static __attribute__((noinline)) void right(size_t bytes)
{
    volatile char pad[32];
    pad[0] = 1;
    leaf(bytes);
    pad[1] = pad[0];
}

static __attribute__((noinline)) void deep(int depth, size_t bytes)
{
    volatile char pad[24];
    pad[0] = (char)depth;
    if (depth == 0) {
        left(bytes);
    } else {
        deep(depth - 1, bytes);
    }
    pad[1] = pad[0];
}

/* The last stack that was seen before a block of so many bytes was allocated. */
static int stack_of(size_t bytes, char **frames)
{
    char word[64];
    snprintf(word, sizeof word, ": %zu bytes requested", bytes);
    const char *allocated = strstr(text, word);
    CHECK(allocated != NULL);
    const char *stack = NULL;
    for (const char *next = text; (next = strstr(next, "  stack ")) != NULL && next < allocated; next++) {
        stack = next;
    }
    CHECK(stack != NULL);
    int number = 0;
    int length = 0;
    CHECK(sscanf(stack, "  stack %d:%n", &number, &length) == 1);
    stack += length;
    memset(frames, 0, MOST * sizeof *frames);
    for (int i = 0; i < MOST && *stack == ' '; i++) {
        unsigned long address = 0;
        CHECK(sscanf(stack, " 0x%lx%n", &address, &length) == 1);
        stack += length;
        frames[i] = (char *)address;
    }
    return number;
}

#define LIES_IN(place, function) CHECK((place) > (char *)(function) && (place) < (char *)(function) + NEAR)

static int count(const char *word)
{
    int found = 0;
    for (const char *next = text; (next = strstr(next, word)) != NULL; next++) {
        found++;
    }
    return found;
}

int main(void)
{
    char *frames[MOST];
    int file = mkstemp(path);
    CHECK(file >= 0);
    close(file);
    CHECK(setenv("MILLPOND_RECORDS", path, 1) == 0);
    OPEN_DEVICE();
    for (int i = 0; i < 3; i++) {
        left(1001);
        right(1002);
        deep(0, 1003);
        deep(2, 1004);
    }
    CLOSE_DEVICE();

    FILE *records = fopen(path, "r");
    CHECK(records != NULL);
    size_t length = fread(text, 1, sizeof text - 1, records);
    text[length] = '\0';
    fclose(records);
    unlink(path);

    int first = stack_of(1001, frames);
    LIES_IN(frames[0], leaf);
    LIES_IN(frames[1], left);
    LIES_IN(frames[2], main);
    int second = stack_of(1002, frames);
    LIES_IN(frames[0], leaf);
    LIES_IN(frames[1], right);
    CHECK(second > first);
    stack_of(1003, frames);
    LIES_IN(frames[1], left);
    LIES_IN(frames[2], deep);
    LIES_IN(frames[3], main);
    stack_of(1004, frames);
    LIES_IN(frames[4], deep);
    LIES_IN(frames[5], main);
    EQ_PTR(frames[6], NULL);
    /* Four ways to the allocation, four to the free, and no more however often they are gone. */
    CHECK(count("  stack ") >= 8 && count("  stack ") <= 12);
    return 0;
}
