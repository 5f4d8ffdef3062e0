/* Short forms for programs that run operators. */
#ifndef MILLPOND_TESTS_OPS_H
#define MILLPOND_TESTS_OPS_H

#include "models.h"

#include <acl/acl_op_compiler.h>

/* A tensor: its description, its buffer, and its memory on the device. */
typedef struct {
    aclTensorDesc *desc;
    aclDataBuffer *buffer;
    void *memory;
    size_t size;
} Tensor;

static inline Tensor tensor(aclDataType type, int count, const int64_t *dims, const void *values)
{
    Tensor t;
    t.desc = aclCreateTensorDesc(type, count, dims, ACL_FORMAT_ND);
    CHECK(t.desc != NULL);
    t.size = aclGetTensorDescSize(t.desc);
    t.memory = to_device(values, t.size);
    t.buffer = aclCreateDataBuffer(t.memory, t.size);
    return t;
}

/* A vector of floats; without values it is an output. */
static inline Tensor vector(int64_t count, const float *values)
{
    return tensor(ACL_FLOAT, 1, &count, values);
}

/* A single number in the program's own memory. */
static inline Tensor host_number(aclDataType type, void *value)
{
    Tensor t;
    t.desc = aclCreateTensorDesc(type, 0, NULL, ACL_FORMAT_ND);
    OK(aclSetTensorPlaceMent(t.desc, ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT));
    t.size = aclGetTensorDescSize(t.desc);
    t.memory = NULL;
    t.buffer = aclCreateDataBuffer(value, t.size);
    return t;
}

static inline void drop_tensor(Tensor t)
{
    aclDestroyTensorDesc(t.desc);
    OK(aclDestroyDataBuffer(t.buffer));
    if (t.memory != NULL) {
        OK(aclrtFree(t.memory));
    }
}

static inline void floats_are(Tensor t, const float *expected, size_t count)
{
    float *values = malloc(count * sizeof *values);
    size_t i;
    CHECK(t.size >= count * sizeof *values);
    from_device(values, t.memory, count * sizeof *values);
    for (i = 0; i < count; i++) {
        if (values[i] != expected[i]) {
            fprintf(stderr, "element %zu is %g, expected %g\n", i, (double)values[i], (double)expected[i]);
            CHECK(values[i] == expected[i]);
        }
    }
    free(values);
}

/* An operator of two inputs and one output, compiled now. */
static inline aclError binary(const char *type, Tensor a, Tensor b, Tensor out, aclopAttr *attr,
                              aclrtStream stream)
{
    const aclTensorDesc *descs[2], *results[1];
    const aclDataBuffer *inputs[2];
    aclDataBuffer *outputs[1];
    descs[0] = a.desc;
    descs[1] = b.desc;
    results[0] = out.desc;
    inputs[0] = a.buffer;
    inputs[1] = b.buffer;
    outputs[0] = out.buffer;
    return aclopCompileAndExecute(type, 2, descs, inputs, 1, results, outputs, attr, ACL_ENGINE_SYS,
                                  ACL_COMPILE_SYS, NULL, stream);
}

#endif
