/*
 * For bindings of other languages: call stacks of their scripts, and fault injection.
 */
#ifndef MILLPOND_MILLPOND_BINDING_H
#define MILLPOND_MILLPOND_BINDING_H

#include <stddef.h>
#include <stdint.h>

#include "../acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One line of a call stack. The texts live as long as the process, and the same text has the same address. */
typedef struct millpondFrame {
    const char *function;
    const char *file;
    uint32_t line;
} millpondFrame;

/* Writes the frames of the calling thread, innermost first, and returns their number; room is never 0. */
typedef size_t (*millpondFrameProvider)(millpondFrame *frames, size_t room);

/*
 * Calls from the library of this provider have the stacks that it returns, in records and findings. It is
 * called on the thread of the call, before anything else, with no lock held, and only while stacks
 * are wanted. It must not call this library. NULL removes the provider.
 */
aclError millpondSetFrameProvider(millpondFrameProvider provider);

/* How many frames of each call are wanted; 0 if stacks are not recorded. */
uint32_t millpondFramesWanted(void);

/*
 * Makes calls fail from now on. The text has the form of the variable MILLPOND_FAULT, whose plans it replaces; counting
 * starts again. NULL or an empty text turns this off. An invalid plan is an error and changes nothing.
 */
aclError millpondSetFaults(const char *plans);

#ifdef __cplusplus
}
#endif

#endif
