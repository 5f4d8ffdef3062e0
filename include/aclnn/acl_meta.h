/*
 * Operators by function: what the functions in aclnnop/ take.
 *
 * Each operator is two functions. The first takes the arguments, checks them, and returns how much device memory the run
 * needs, with an executor. The second takes that memory and queues the work on a stream, which uses the executor up.
 * Tensors, scalars and arrays may be destroyed as soon as the second function has returned.
 */
#ifndef MILLPOND_ACLNN_ACL_META_H
#define MILLPOND_ACLNN_ACL_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What these functions return: 0, or one of the codes below. aclGetRecentErrMsg explains the last failure. */
typedef int32_t aclnnStatus;

#define ACLNN_SUCCESS 0
/* A required argument is NULL. */
#define ACLNN_ERR_PARAM_NULLPTR 161001
/* An argument has a type, shape or value that the function does not accept. */
#define ACLNN_ERR_PARAM_INVALID 161002
/* A call of the runtime failed. */
#define ACLNN_ERR_RUNTIME_ERROR 361001
/* A bug in the library. */
#define ACLNN_ERR_INNER 561000
/* An executor or tensor is NULL where one is needed. */
#define ACLNN_ERR_INNER_NULLPTR 561103

/* A view of memory; a number; lists of numbers; lists of tensors and numbers; an operator that is ready to run. */
typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;
typedef struct aclOpExecutor aclOpExecutor;

/*
 * A view of elements in memory: its dimensions, the distance between neighbours along each axis (NULL: contiguous), where it
 * begins, and the shape of the storage from tensorData on. Strides and the offset count elements. The memory stays the
 * caller's. tensorData may be NULL if the address is set later. Returns NULL on failure.
 */
aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride,
    int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData);
/* Gives an existing tensor another description. */
aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
    const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
    void *tensorData);
/* Destroys the description. NULL is accepted. */
aclnnStatus aclDestroyTensor(const aclTensor *tensor);

/* A number, copied from value. Returns NULL on failure. */
aclScalar *aclCreateScalar(void *value, aclDataType dataType);
aclnnStatus aclDestroyScalar(const aclScalar *scalar);

/* Lists of numbers, copied from value. Returns NULL on failure. */
aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size);
aclnnStatus aclDestroyIntArray(const aclIntArray *array);
aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size);
aclnnStatus aclDestroyFloatArray(const aclFloatArray *array);
aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size);
aclnnStatus aclDestroyBoolArray(const aclBoolArray *array);

/* Lists of tensors and scalars. A list owns its members: destroying it destroys them. Returns NULL on failure. */
aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size);
aclnnStatus aclDestroyTensorList(const aclTensorList *array);
aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size);
aclnnStatus aclDestroyScalarList(const aclScalarList *array);

/*
 * What a tensor is. Arrays are allocated with malloc; the caller frees them (C++: delete[]). Where contents decide how many
 * elements a result has, aclGetViewShape returns the real shape once the stream has been synchronised.
 */
aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum);
aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum);
aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum);
aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset);
aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format);
aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType);
aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size);
aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size);
aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size);
aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size);
aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size);

/*
 * A repeatable executor can run any number of times, until it is destroyed. Between runs the addresses of its tensors may
 * change: the tensor says which operand is meant, and the index is checked against the number of operands.
 */
aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor);
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor);
aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr);
aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr);
aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr);
aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
    aclTensorList *tensors, void *addr);
aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
    aclTensorList *tensors, void *addr);
aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
    aclTensorList *tensors, void *addr);

/*
 * How a tensor lies in another format: the dimensions of its storage, allocated with malloc for the caller to free (C++: delete[]),
 * and the format that it then has. additionalDtype is the type whose size decides how wide blocks are, -1 that of the tensor.
 */
aclnnStatus aclnnNpuFormatCastCalculateSizeAndFormat(const aclTensor *srcTensor, int dstFormat, int additionalDtype,
    int64_t **dstShape, uint64_t *dstShapeSize, int *actualFormat);

/* How many bytes a matrix of weights needs after aclnnTransMatmulWeight. */
aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray *tensorShape, aclDataType dataType, uint64_t *weightTensorSize);

#ifdef __cplusplus
}
#endif

#endif
