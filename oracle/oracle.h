/*
 * What every file of questions uses.
 *
 * A question is one row: an id, the functions whose compatibility rows it supports, what it asks, and the code that asks. The
 * code states facts; the facts of a question are its answer. Nothing is judged here: `millpond oracle compare` compares files.
 *
 *     QUESTION(malloc_zero, "aclrtMalloc", "What does aclrtMalloc return for a size of 0?")
 *     {
 *         void *block = NULL;
 *         code("code", CALL(aclrtMalloc)(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST));
 *     }
 *
 * Functions are looked up by name while the program runs. One that the library does not have ends its question with the answer
 * `missing=NAME`, so the program builds and runs with every release. A question that crashes or hangs is answered with
 * `crashed=SIGNAL` or `timeout`, and the next one is asked in a new process.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MSTX_NO_IMPL
#include "acl/acl.h"
#include "acl/acl_mdl.h"
#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_allocator.h"
#include "acl/acl_rt_memory_soma.h"
#include "acl/acl_tdt.h"
#include "acl/ops/acl_cblas.h"
#include "acl/ops/acl_dvpp.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "driver/ascend_hal.h"
#include "hccl/hccl.h"
#include "mstx/ms_tools_ext.h"
#include "mstx/ms_tools_ext_tool.h"

/* What was done in the process before a question is asked. */
enum state {
    NOTHING,     /* not even aclInit */
    INITIALISED, /* aclInit(NULL) */
    DEVICE       /* aclInit(NULL) and aclrtSetDevice(0) */
};

/* One question. */
struct question {
    const char *id;
    const char *functions; /* names with spaces between them */
    const char *asks;
    enum state state;
    bool alone; /* it changes the process: it gets one of its own */
    void (*ask)(void);
};

void oracle_add(const struct question *question);
/* The function of this name, or the end of the question. */
void *oracle_find(const char *name);
/* Adds `name=value` to the answer. A name that begins with `~` is information that differs between machines: it is not compared. */
void fact(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A fact that is a status code or another number. */
void code(const char *name, long long value);
/* A fact of two numbers: what a call returned, and what it wrote. */
#define RESULT(name, call, written)                                       \
    do {                                                                  \
        long long status_ = (call);                                       \
        fact(name, "%lld:%lld", status_, (long long)(written));           \
    } while (0)
/* Ends the question if something that it needs failed. */
void need(const char *what, long long status);

#define CALL(function) ((__typeof__(&function))oracle_find(#function))

#define ORACLE_JOIN(a, b) a##b
#define ORACLE_ROW(name, functions_, asks_, state_, alone_)                                                   \
    static void name(void);                                                                                   \
    static const struct question ORACLE_JOIN(row_, name) = {GROUP "." #name, functions_, asks_, state_, alone_, name}; \
    __attribute__((constructor)) static void ORACLE_JOIN(add_, name)(void)                                    \
    {                                                                                                         \
        oracle_add(&ORACLE_JOIN(row_, name));                                                                 \
    }                                                                                                         \
    static void name(void)

/* With a device; the usual case. GROUP is the name of the file. */
#define QUESTION(name, functions, asks) ORACLE_ROW(name, functions, asks, DEVICE, false)
/* In a process of its own. */
#define QUESTION_ALONE(name, functions, asks) ORACLE_ROW(name, functions, asks, DEVICE, true)
/* In a process of its own, with less done before. */
#define QUESTION_IN(state, name, functions, asks) ORACLE_ROW(name, functions, asks, state, true)

/* Objects that questions need; a failure ends the question. */
aclrtStream new_stream(void);
void *new_block(size_t bytes);
void *new_pinned(size_t bytes);

/* A host function of a stream that waits until the gate is opened, so that work stays queued for as long as a question wants. */
struct gate;
struct gate *new_gate(aclrtStream stream);
void open_gate(struct gate *gate);

/* "NULL" or "set". */
const char *pointer(const void *value);

#endif
