/* For the programs of MSTX: assertions that need nothing of ours, what a tool has heard, and what is
 * in the file of records. */
#ifndef MSTX_HEARD_H
#define MSTX_HEARD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOLDS(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

/* A function of a tool, which has been loaded by whoever was to load it. */
static inline void *tool_symbol(const char *variable, const char *name)
{
    const char *path = getenv(variable);
    void *tool = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    void *symbol = tool == NULL ? NULL : dlsym(tool, name);
    if (symbol == NULL) {
        fprintf(stderr, "%s: not loaded: %s\n", variable, path == NULL ? "not given" : path);
        exit(1);
    }
    return symbol;
}

static inline const char *tool_heard(const char *variable)
{
    void *symbol = tool_symbol(variable, "tool_heard");
    const char *(*heard)(void) = NULL;
    memcpy(&heard, &symbol, sizeof symbol);
    return heard();
}

static inline int tool_inits(const char *variable)
{
    void *symbol = tool_symbol(variable, "tool_inits");
    int (*inits)(void) = NULL;
    memcpy(&inits, &symbol, sizeof symbol);
    return inits();
}

#define HEARD(variable, what)                                                            \
    do {                                                                                 \
        if (strcmp(tool_heard(variable), (what)) != 0) {                                 \
            fprintf(stderr, "%s:%d: %s heard\n    %s\nand should have heard\n    %s\n", __FILE__, \
                    __LINE__, (variable), tool_heard(variable), (what));                 \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

/* Loads a tool so that its symbols are everybody's, if the case asks for it. */
static inline void open_globally(void)
{
    if (getenv("OPEN_GLOBALLY") != NULL) {
        HOLDS(dlopen(getenv("TOOL_ONE"), RTLD_NOW | RTLD_GLOBAL) != NULL);
    }
}

/* Leaves the address of a function for the tool that calls it while it is attached. */
static inline void leave_address(int (*function)(void))
{
    unsigned long long address = 0;
    char text[32];
    memcpy(&address, &function, sizeof function);
    snprintf(text, sizeof text, "%llx", address);
    HOLDS(setenv("CALL_MSTX", text, 1) == 0);
}

/* The file of records, which begins empty. */
static inline void no_records_yet(void)
{
    (void)unlink(getenv("MILLPOND_RECORDS"));
}

/* How many lines of the records have this in them. */
static inline int records(const char *what)
{
    char line[4096];
    int found = 0;
    FILE *file = fopen(getenv("MILLPOND_RECORDS"), "r");
    if (file == NULL) {
        return 0;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        found += strstr(line, what) != NULL;
    }
    fclose(file);
    return found;
}

/* Shows the records when a count is wrong. */
#define RECORDS(count, what)                                                               \
    do {                                                                                   \
        if (records(what) != (count)) {                                                    \
            char show[512];                                                                \
            fprintf(stderr, "%s:%d: %d records with \"%s\", expected %d\n", __FILE__, __LINE__, \
                    records(what), (what), (int)(count));                                  \
            snprintf(show, sizeof show, "cat %s >&2", getenv("MILLPOND_RECORDS"));         \
            HOLDS(system(show) == 0);                                                      \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

#endif
