/*
 * Operators by function: what the functions in aclnnop/ take.
 *
 * Each operator is two functions. The first takes the tensors and says how much device memory the run needs; it
 * answers an executor. The second gives that memory and queues the work in a stream, which uses the executor up.
 * The tensors may be destroyed as soon as the first function has returned.
 */
#ifndef MILLPOND_ACLNN_ACL_META_H
#define MILLPOND_ACLNN_ACL_META_H

#include <stdint.h>

#include "../acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What these functions return: 0, or a code of aclError, with its sentence in aclGetRecentErrMsg. */
typedef int32_t aclnnStatus;

/* A view of memory; a list of integers; an operator that is ready for one run. */
typedef struct aclTensor aclTensor;
typedef struct aclIntArray aclIntArray;
typedef struct aclOpExecutor aclOpExecutor;

/*
 * A view of elements in memory: its sizes, the distance between neighbours along each axis (NULL: one behind the
 * other), where it begins, and how many elements the memory has from tensorData on. Distances and the offset count
 * elements. The memory stays the caller's. NULL on failure.
 */
aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride,
    int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData);
aclnnStatus aclDestroyTensor(const aclTensor *tensor);

/* A list of integers, copied in. NULL on failure. */
aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size);
aclnnStatus aclDestroyIntArray(const aclIntArray *array);

#ifdef __cplusplus
}
#endif

#endif
