/*
 * For test suites: calls that fail by rule, counts of calls, a reset between tests, and time that does not pass.
 *
 *     uint64_t rule;
 *     millpondFaultAdd("aclrtMemcpyAsync:nth=2:task=ACL_ERROR_RT_AICORE_TIMEOUT", &rule);
 *     millpondCallsBegin();
 *     ... the code under test ...
 *     uint64_t calls, failures;
 *     millpondCallsGet("aclrtMemcpy*", &calls, &failures);
 *     millpondReset(MILLPOND_RESET_DEVICES, NULL);
 *
 * The same is available from the environment (MILLPOND_FAULT, MILLPOND_CALLS, MILLPOND_TIME), in Python (millpond.testing and a pytest
 * plug-in) and in Rust. docs/testing.md explains the rules. All functions may be called from any thread; none of them is itself
 * counted or made to fail.
 */
#ifndef MILLPOND_MILLPOND_TESTING_H
#define MILLPOND_MILLPOND_TESTING_H

#include <stddef.h>
#include <stdint.h>

#include "../acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Adds a rule after the others. id receives its number and may be NULL. An invalid rule is ACL_ERROR_INVALID_PARAM, and
 * aclGetRecentErrMsg says what is wrong with it.
 */
aclError millpondFaultAdd(const char *rule, uint64_t *id);

/* Removes a rule. */
aclError millpondFaultRemove(uint64_t id);

/* Removes all rules, those of the environment too. Devices that rules made lost are there again. */
aclError millpondFaultClear(void);

/* How many calls a rule has counted, and how many it has made fail or wait. */
aclError millpondFaultSeen(uint64_t id, uint64_t *calls, uint64_t *hits);

/* Counts calls from now on, from 0. */
aclError millpondCallsBegin(void);

/* Counts no more. What was counted stays until the next begin. */
aclError millpondCallsEnd(void);

/*
 * How often a function was called, and how often it returned an error. The name may have a * in it: then it is the sum. Either
 * result may be NULL. A name that no function has is an error.
 */
aclError millpondCallsGet(const char *function, uint64_t *calls, uint64_t *failures);

/* Writes all counts to a file, or with NULL to stderr, as JSON: {"aclrtMalloc": {"calls": 3, "failures": 1}, ...}. */
aclError millpondCallsWrite(const char *path);

/* How far a reset goes. */
typedef enum millpondResetLevel {
    /* Rules, counts, time and this thread's error text. Nothing of the program's is touched. */
    MILLPOND_RESET_TESTING = 0,
    /* Also everything on the devices and all handles, as after aclInit. */
    MILLPOND_RESET_DEVICES = 1,
    /* Also aclInit is taken back. */
    MILLPOND_RESET_ALL = 2
} millpondResetLevel;

/*
 * Brings the process back to an earlier state. What the program left is destroyed: handles become stale, memory is freed, work that
 * has not begun is dropped. left receives the number of things that were left, and may be NULL.
 *
 * The levels that touch the program's things are refused with ACL_ERROR_FEATURE_UNSUPPORTED where a library of this process would go on
 * using what it holds (torch_npu keeps memory and streams as long as it is loaded), and inside functions that streams run. Other
 * threads must not use the library meanwhile.
 */
aclError millpondReset(millpondResetLevel level, uint64_t *left);

/*
 * Writes what the last reset found, by kind, as JSON with a terminating 0:
 * {"stream": {"count": 2, "bytes": 0}, "device memory": {"count": 1, "bytes": 64}}. Too little room is ACL_ERROR_INVALID_PARAM.
 */
aclError millpondResetReport(char *text, size_t size);

/* How time passes for limits of waits and for times of events. */
typedef enum millpondTimeMode {
    MILLPOND_TIME_REAL = 0,
    /* It stands still while anything can run. When nothing can, it jumps to the earliest deadline. */
    MILLPOND_TIME_VIRTUAL = 1,
    /* It stands still until millpondTimeAdvance. */
    MILLPOND_TIME_MANUAL = 2
} millpondTimeMode;

/* Changes how time passes from now on. Waits that have begun are not changed. */
aclError millpondTimeSetMode(millpondTimeMode mode);

aclError millpondTimeGetMode(millpondTimeMode *mode);

/* Moves time forward and stops at each deadline on the way. An error in real time. */
aclError millpondTimeAdvance(uint64_t microseconds);

/* The time, from an arbitrary beginning. It never goes back. */
aclError millpondTimeNow(uint64_t *microseconds);

#ifdef __cplusplus
}
#endif

#endif
