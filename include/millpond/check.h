/*
 * The checker inside a program, for test programs that check themselves.
 *
 *     millpondCheckBegin(NULL);
 *     ...
 *     millpondCheckEnd();
 *     size_t errors;
 *     millpondCheckCount(MILLPOND_CHECK_ERROR, &errors);
 *     if (errors > 0) millpondCheckReport(MILLPOND_CHECK_TEXT, NULL);
 *
 * What happened before millpondCheckBegin is not judged. Redzones and poison are used only if the checker
 * begins before the first call that uses a device. To check a whole program, run
 * it with `millpond check`, which needs no changes to the program.
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

/* The severity of a finding. */
typedef enum millpondCheckSeverity {
    /* Worth knowing; the program is not at fault. */
    MILLPOND_CHECK_HINT = 0,
    /* It works with Millpond, but the documentation does not guarantee that it works elsewhere. */
    MILLPOND_CHECK_WARNING = 1,
    /* A mistake of the program. */
    MILLPOND_CHECK_ERROR = 2
} millpondCheckSeverity;

/* The format of a report, as for `millpond check --format`. */
typedef enum millpondCheckFormat {
    MILLPOND_CHECK_TEXT = 0,
    MILLPOND_CHECK_JSON = 1,
    MILLPOND_CHECK_SARIF = 2,
    MILLPOND_CHECK_JUNIT = 3,
    MILLPOND_CHECK_HTML = 4
} millpondCheckFormat;

/*
 * What to check. With all fields 0 and structSize set to the size, this is the same as no options,
 * except for call stacks.
 */
typedef struct millpondCheckOptions {
    size_t structSize;
    /* Rules to check, such as "memory.leak,stream.*"; NULL for all. */
    const char *rules;
    /* A file with suppressions; NULL for none. */
    const char *suppressions;
    /* Frames of each call stack, at most 256; 0 for the calling function only. 8 without options. */
    uint32_t stacks;
    /* Not 0: leaks are not reported. */
    uint32_t ignoresLeaks;
    /* Not 0: findings are printed to stderr as they happen. */
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
    /* The full report: several lines of text. */
    const char *text;
    /* Where it happened: the AscendCL function, the function that called it, and its file and
     * line. Empty and 0 if unknown. */
    const char *call;
    const char *function;
    const char *file;
    uint32_t line;
    /* millpondCheckSeverity. */
    uint32_t severity;
    /* How often it happened: repeats at the same place are one finding. */
    uint64_t times;
} millpondCheckFinding;

/* Starts to check the process. options may be NULL. Fails if a check is already active. */
aclError millpondCheckBegin(const millpondCheckOptions *options);

/* Ends the check, and checks for leaks as at the end of a program. Findings stay until the next begin. */
aclError millpondCheckEnd(void);

/* The number of findings of at least this severity, without suppressed ones. */
aclError millpondCheckCount(millpondCheckSeverity least, size_t *count);

/* One finding of any severity, counted from 0 in the order in which they were reported. */
aclError millpondCheckGet(size_t index, millpondCheckFinding *finding);

/* Writes all findings to a file, or with NULL to stderr. */
aclError millpondCheckReport(millpondCheckFormat format, const char *path);

#ifdef __cplusplus
}
#endif

#endif
