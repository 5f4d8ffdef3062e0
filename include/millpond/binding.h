/*
 * For bindings of other languages: call stacks in their own words, and faults that a test asks for.
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

/* Writes the frames of the calling thread, the innermost first, and returns how many; room is never 0. */
typedef size_t (*millpondFrameProvider)(millpondFrame *frames, size_t room);

/*
 * From now on the calls of this provider's own library have the stacks that it gives, in records and in findings. It is
 * called on the thread that made the call, before anything else of it, with no lock held, and only while somebody
 * wants stacks. It must not call this library. NULL ends that.
 */
aclError millpondSetFrameProvider(millpondFrameProvider provider);

/* How many frames of each call somebody wants; 0 if nobody does. */
uint32_t millpondFramesWanted(void);

/*
 * Makes calls fail from now on, in the words of the variable MILLPOND_FAULT, whose plans this replaces; counting
 * begins anew. NULL or an empty text lets all calls be. A plan that cannot be understood is an error and changes nothing.
 */
aclError millpondSetFaults(const char *plans);

#ifdef __cplusplus
}
#endif

#endif
