/*
 * Compiling models inside a program: what `millpond atc` does, from memory to memory.
 */
#ifndef MILLPOND_MILLPOND_COMPILE_H
#define MILLPOND_MILLPOND_COMPILE_H

#include <stddef.h>
#include <stdint.h>

#include "../acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One option: a name of `millpond atc` without the dashes, or the one that graphs are built with ("ge.socVersion"). */
typedef struct millpondCompileOption {
    const char *name;
    const char *value;
} millpondCompileOption;

/*
 * Makes of an ONNX model what aclmdlLoadFromMem loads. The model has its weights inside, and is called name, which
 * may be NULL. Options that only steer code for an NPU have no effect; options that are not known are errors.
 * model receives memory that is read only, and is given back with millpondFreeModel. Needs neither aclInit nor a device.
 */
aclError millpondCompileModel(const char *name, const void *onnx, size_t onnxSize,
    const millpondCompileOption *options, size_t optionCount, void **model, size_t *modelSize);

/* Writes a compiled model to a file, which is replaced if it is there. */
aclError millpondSaveModel(const char *path, const void *model, size_t modelSize);

/* Gives back what millpondCompileModel made. NULL is nothing to give back. */
aclError millpondFreeModel(void *model);

#ifdef __cplusplus
}
#endif

#endif
