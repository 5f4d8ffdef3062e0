/* For programs that play several parts in the checking mode: which rule each breaks, or that it breaks none. */
#ifndef MILLPOND_TESTS_PARTS_H
#define MILLPOND_TESTS_PARTS_H

#include "checked.h"

/* Whether the name of the part that is played has this word. */
static inline int is(const char *word)
{
    return strstr(part(), word) != NULL;
}

static inline void part_true(int held, const char *name, const char *what)
{
    if (!held) {
        fprintf(stderr, "part '%s': expected %s\n", name, what);
        checked_true(0, 0, name);
    }
}

/* The part breaks this rule and no other, hints aside. */
static inline void breaks(const char *name, const char *rule)
{
    char quoted[64];
    int status = play(name, NULL), loud;
    part_true(WIFEXITED(status) && WEXITSTATUS(status) == 0, name, "status 0");
    snprintf(quoted, sizeof quoted, "\"rule\":\"%s\"", rule);
    loud = times(found, "\"severity\":\"error\"") + times(found, "\"severity\":\"warning\"");
    part_true(times(found, quoted) > 0, name, rule);
    part_true(loud == times(found, quoted), name, "no other rule");
}

/* The part is correct: there are no findings but hints. */
static inline void keeps(const char *name)
{
    int status = play(name, NULL);
    part_true(WIFEXITED(status) && WEXITSTATUS(status) == 0, name, "status 0");
    part_true(times(found, "\"severity\":\"error\"") == 0, name, "no error");
    part_true(times(found, "\"severity\":\"warning\"") == 0, name, "no warning");
}

#endif
