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
 * Compiles an ONNX model into what aclmdlLoadFromMem loads. The model must contain its weights; its name is name, which
 * may be NULL. Options that affect only code for an NPU are ignored; unknown options are errors.
 * model receives read-only memory, which is freed with millpondFreeModel. Needs neither aclInit nor a device.
 */
aclError millpondCompileModel(const char *name, const void *onnx, size_t onnxSize,
    const millpondCompileOption *options, size_t optionCount, void **model, size_t *modelSize);

/* Writes a compiled model to a file, replacing an existing one. */
aclError millpondSaveModel(const char *path, const void *model, size_t modelSize);

/* Frees a model of millpondCompileModel. NULL is allowed. */
aclError millpondFreeModel(void *model);

#ifdef __cplusplus
}
#endif

#endif
