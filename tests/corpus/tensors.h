/* Operators: tensors, and runs of an operator by its name. */
#ifndef MILLPOND_CORPUS_TENSORS_H
#define MILLPOND_CORPUS_TENSORS_H

#include "corpus.h"

#include "acl/acl_op_compiler.h"

typedef struct {
    aclTensorDesc *desc;
    aclDataBuffer *buffer;
    void *memory;
    size_t size;
} Tensor;

/* A tensor over memory that somebody else owns. */
static inline Tensor tensor_at(void *memory, int count, const int64_t *dims)
{
    Tensor t;
    t.desc = aclCreateTensorDesc(ACL_FLOAT, count, dims, ACL_FORMAT_ND);
    t.size = aclGetTensorDescSize(t.desc);
    t.memory = memory;
    t.buffer = aclCreateDataBuffer(memory, t.size);
    return t;
}

static inline Tensor vector_at(void *memory, int64_t count)
{
    return tensor_at(memory, 1, &count);
}

static inline Tensor new_vector(int64_t count)
{
    return vector_at(device_memory((size_t)count * sizeof(float)), count);
}

static inline Tensor new_matrix(int64_t rows, int64_t columns)
{
    const int64_t dims[] = {rows, columns};
    return tensor_at(device_memory((size_t)(rows * columns) * sizeof(float)), 2, dims);
}

/* All elements get this value, before the call returns. */
static inline void fill(Tensor t, float value)
{
    float *host = (float *)malloc(t.size);
    for (size_t i = 0; i < t.size / sizeof(float); i++) {
        host[i] = value;
    }
    upload(t.memory, host, t.size);
    free(host);
}

/* Whether all elements have this value. */
static inline int holds(Tensor t, float value)
{
    float *host = (float *)malloc(t.size);
    int same = 1;
    download(host, t.memory, t.size);
    for (size_t i = 0; i < t.size / sizeof(float); i++) {
        same = same && host[i] == value;
    }
    free(host);
    return same;
}

/* Ends the description, not the memory. */
static inline void forget(Tensor t)
{
    ACL(aclDestroyDataBuffer(t.buffer));
    aclDestroyTensorDesc(t.desc);
}

static inline void drop(Tensor t)
{
    forget(t);
    ACL(aclrtFree(t.memory));
}

/* out = a OP b */
static inline void binary(const char *type, Tensor a, Tensor b, Tensor out, aclrtStream stream)
{
    const aclTensorDesc *in[] = {a.desc, b.desc}, *results[] = {out.desc};
    const aclDataBuffer *inputs[] = {a.buffer, b.buffer};
    aclDataBuffer *outputs[] = {out.buffer};
    ACL(aclopCompileAndExecute(type, 2, in, inputs, 1, results, outputs, NULL, ACL_ENGINE_SYS,
                               ACL_COMPILE_SYS, NULL, stream));
}

static inline void add(Tensor a, Tensor b, Tensor out, aclrtStream stream)
{
    binary("Add", a, b, out, stream);
}

/* The sum of the squares of each row. Between the two there is a matrix that needs memory. */
static inline void square_sums(Tensor matrix, Tensor rows, aclrtStream stream)
{
    const int64_t axis[] = {1};
    const aclTensorDesc *in[] = {matrix.desc}, *out[] = {rows.desc};
    const aclDataBuffer *inputs[] = {matrix.buffer};
    aclDataBuffer *outputs[] = {rows.buffer};
    aclopAttr *attr = aclopCreateAttr();
    ACL(aclopSetAttrListInt(attr, "axis", 1, axis));
    ACL(aclopCompileAndExecute("SquareSumV1", 1, in, inputs, 1, out, outputs, attr, ACL_ENGINE_SYS,
                               ACL_COMPILE_SYS, NULL, stream));
    aclopDestroyAttr(attr);
}

#endif
