/*
 * The checker inside a program: for test programs that want to know themselves what they did wrong.
 *
 *     millpondCheckBegin(NULL);
 *     ...
 *     millpondCheckEnd();
 *     size_t errors;
 *     millpondCheckCount(MILLPOND_CHECK_ERROR, &errors);
 *     if (errors > 0) millpondCheckReport(MILLPOND_CHECK_TEXT, NULL);
 *
 * What happened before it began is not known, and nothing is said of it. Guards and poison are put into
 * memory only if the checker begins before the first call that uses a device. To check a whole program, run
 * it with `millpond check`: that needs none of this.
 *
 * All functions may be called from any thread, but not in callbacks of the runtime.
 */
#ifndef MILLPOND_MILLPOND_CHECK_H
#define MILLPOND_MILLPOND_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "../acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How bad a finding is. */
typedef enum millpondCheckSeverity {
    /* Worth knowing; the program is not at fault. */
    MILLPOND_CHECK_HINT = 0,
    /* It works here, and the documentation does not promise that it works elsewhere. */
    MILLPOND_CHECK_WARNING = 1,
    /* It is wrong. */
    MILLPOND_CHECK_ERROR = 2
} millpondCheckSeverity;

/* The form of a report: as `millpond check --format`. */
typedef enum millpondCheckFormat {
    MILLPOND_CHECK_TEXT = 0,
    MILLPOND_CHECK_JSON = 1,
    MILLPOND_CHECK_SARIF = 2,
    MILLPOND_CHECK_JUNIT = 3,
    MILLPOND_CHECK_HTML = 4
} millpondCheckFormat;

/*
 * What is looked for. Set everything to 0 and structSize to the size: that is the same as no options,
 * but for call stacks.
 */
typedef struct millpondCheckOptions {
    size_t structSize;
    /* Rules that count, such as "memory.leak,stream.*"; NULL for all. */
    const char *rules;
    /* A file with suppressions; NULL for none. */
    const char *suppressions;
    /* Frames of each call stack, 256 at most; 0 for the calling function alone. Without options 8. */
    uint32_t stacks;
    /* Not 0: what is left at the end does not count. */
    uint32_t ignoresLeaks;
    /* Not 0: findings are written to stderr as they happen. */
    uint32_t prints;
} millpondCheckOptions;

/* A finding. The texts are never NULL, and live until the next millpondCheckBegin. */
typedef struct millpondCheckFinding {
    /* Set by the caller to the size. */
    size_t structSize;
    /* The rule, such as "memory.double-free": docs/rules has a page for it. */
    const char *rule;
    /* What happened, in one sentence. */
    const char *message;
    /* Everything, as people read it: several lines. */
    const char *text;
    /* Where the program did it: the AscendCL function, the function that called it, and the line of
     * that. Empty and 0 where it is not known. */
    const char *call;
    const char *function;
    const char *file;
    uint32_t line;
    /* millpondCheckSeverity. */
    uint32_t severity;
    /* How often: the same at the same place is one finding. */
    uint64_t times;
} millpondCheckFinding;

/* Begins to check what the process does from now on. options may be NULL. Fails if it has begun. */
aclError millpondCheckBegin(const millpondCheckOptions *options);

/* Ends that, and judges what is left as at the end of a program. Findings stay until the next begin. */
aclError millpondCheckEnd(void);

/* How many findings there are that are as bad as this, or worse. What is suppressed does not count. */
aclError millpondCheckCount(millpondCheckSeverity least, size_t *count);

/* One finding, counted from 0 in the order in which they were found, of any severity. */
aclError millpondCheckGet(size_t index, millpondCheckFinding *finding);

/* Writes all findings to a file, or with NULL to stderr. */
aclError millpondCheckReport(millpondCheckFormat format, const char *path);

#ifdef __cplusplus
}
#endif

#endif
