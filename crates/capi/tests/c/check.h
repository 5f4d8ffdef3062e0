/* Assertions for the C test programs. Include this header first.
 *
 * A failed assertion prints the place, the expression, both values and the
 * runtime's own explanation, then leaves the process with status 1. Nothing here
 * returns an error: a test program reads as the sequence of calls it is about. */
#ifndef MILLPOND_TESTS_CHECK_H
#define MILLPOND_TESTS_CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include <acl/acl.h>

/* The explanation that belonged to the last refused call of this thread. */
static __thread char check_text[2048];

/* Fetches the runtime's explanation into check_text. Reading it also clears it. */
static inline int check_fetch_text(void)
{
    const char *text = aclGetRecentErrMsg();
    check_text[0] = '\0';
    if (text == NULL || text[0] == '\0') {
        return 0;
    }
    snprintf(check_text, sizeof check_text, "%s", text);
    return 1;
}

static inline void check_die(const char *file, int line, const char *what)
{
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    if (check_text[0] != '\0' || check_fetch_text()) {
        fprintf(stderr, "    runtime says: %s\n", check_text);
    } else {
        fprintf(stderr, "    runtime says nothing\n");
    }
    fflush(stderr);
    _exit(1);
}

static inline void check_true(int held, const char *file, int line, const char *expression)
{
    if (!held) {
        char what[512];
        snprintf(what, sizeof what, "does not hold: %s", expression);
        check_fetch_text();
        check_die(file, line, what);
    }
}

static inline void check_equal(long long actual, long long expected, const char *file, int line,
                               const char *expression)
{
    if (actual != expected) {
        char what[512];
        snprintf(what, sizeof what, "%s\n    is %lld (0x%llx), expected %lld (0x%llx)", expression,
                 actual, (unsigned long long)actual, expected, (unsigned long long)expected);
        check_fetch_text();
        check_die(file, line, what);
    }
}

static inline void check_same(const void *actual, const void *expected, const char *file, int line,
                              const char *expression)
{
    if (actual != expected) {
        char what[512];
        snprintf(what, sizeof what, "%s\n    is %p, expected %p", expression, actual, expected);
        check_fetch_text();
        check_die(file, line, what);
    }
}

static inline void check_string(const char *actual, const char *expected, const char *file,
                                int line, const char *expression)
{
    if (actual == NULL || strcmp(actual, expected) != 0) {
        char what[512];
        snprintf(what, sizeof what, "%s\n    is \"%s\", expected \"%s\"", expression,
                 actual == NULL ? "(null)" : actual, expected);
        check_fetch_text();
        check_die(file, line, what);
    }
}

/* `wanted` is the code a call must return; -1 stands for "any but 0". */
static inline void check_code(aclError actual, aclError wanted, int wants_text, const char *file,
                              int line, const char *call)
{
    char what[512];
    int matches = wanted == -1 ? actual != 0 : actual == wanted;
    if (!matches) {
        if (wanted == -1) {
            snprintf(what, sizeof what, "%s\n    returned 0, expected an error", call);
        } else {
            snprintf(what, sizeof what, "%s\n    returned %d, expected %d", call, actual, wanted);
        }
        check_fetch_text();
        check_die(file, line, what);
    }
    if (wants_text && !check_fetch_text()) {
        snprintf(what, sizeof what, "%s\n    returned %d but aclGetRecentErrMsg() has no text",
                 call, actual);
        check_die(file, line, what);
    }
}

/* Does the explanation of the last refused call contain this word (in any case)? */
static inline void check_mentions(const char *word, const char *file, int line)
{
    if (strcasestr(check_text, word) == NULL) {
        char what[512];
        snprintf(what, sizeof what, "the error text does not mention \"%s\"", word);
        check_die(file, line, what);
    }
}

/* A condition, two integers, two pointers, two strings. */
#define CHECK(condition) check_true((condition) ? 1 : 0, __FILE__, __LINE__, #condition)
#define EQ(actual, expected) \
    check_equal((long long)(actual), (long long)(expected), __FILE__, __LINE__, #actual " == " #expected)
#define EQ_PTR(actual, expected) \
    check_same((const void *)(actual), (const void *)(expected), __FILE__, __LINE__, #actual " == " #expected)
#define EQ_STR(actual, expected) \
    check_string((actual), (expected), __FILE__, __LINE__, #actual " == " #expected)

/* A call that succeeds. */
#define OK(call) check_code((call), 0, 0, __FILE__, __LINE__, #call)
/* A call that is refused with exactly this code, and explains itself. */
#define CODE(call, code) check_code((call), (code), 1, __FILE__, __LINE__, #call)
/* A call that is refused with exactly this code; whether it explains itself is open. */
#define CODE_ONLY(call, code) check_code((call), (code), 0, __FILE__, __LINE__, #call)
/* A call that is refused with a code that the interface does not fix, and explains itself. */
#define FAILS(call) check_code((call), -1, 1, __FILE__, __LINE__, #call)
/* The last refused call named this in its explanation. */
#define MENTIONS(word) check_mentions((word), __FILE__, __LINE__)

/* A call whose answer is open; what matters is that it comes back. An error has to explain itself. */
#define RETURNS(call) check_returns((call), __FILE__, __LINE__, #call)
static inline aclError check_returns(aclError actual, const char *file, int line, const char *call)
{
    if (actual != 0) {
        check_code(actual, -1, 1, file, line, call);
    }
    return actual;
}

/* Says that part of a program was left out; the harness shows the line. */
#define SKIP(reason) (printf("skip: %s\n", (reason)), fflush(stdout))

/* Under valgrind or a sanitizer: timing and resident memory say nothing about the library. */
static inline int relaxed(void)
{
    return getenv("MILLPOND_TEST_RELAXED") != NULL;
}

static inline double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline void sleep_ms(int ms)
{
    struct timespec t;
    t.tv_sec = ms / 1000;
    t.tv_nsec = (long)(ms % 1000) * 1000000L;
    nanosleep(&t, NULL);
}

/* A line of /proc/self/status in bytes, for instance "VmRSS:". */
static inline size_t status_bytes(const char *key)
{
    char line[256];
    unsigned long long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    if (f == NULL) {
        return 0;
    }
    while (fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0) {
            kib = strtoull(line + strlen(key), NULL, 10);
        }
    }
    fclose(f);
    return (size_t)kib * 1024;
}

/* How most programs begin and end: device 0 is set, and everything is given back. */
#define OPEN_DEVICE()          \
    do {                       \
        OK(aclInit(NULL));     \
        OK(aclrtSetDevice(0)); \
    } while (0)
#define CLOSE_DEVICE()           \
    do {                         \
        OK(aclrtResetDevice(0)); \
        OK(aclFinalize());       \
    } while (0)

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

#endif
