/*
 * Tensor descriptions: element type, dimensions and format of one operand of an operator or model.
 *
 * A description is created and destroyed by the caller and owns no tensor data. Getters of a NULL
 * description return 0 or NULL.
 */
#ifndef MILLPOND_ACL_ACL_BASE_MDL_H
#define MILLPOND_ACL_ACL_BASE_MDL_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Description of one tensor. */
typedef struct aclTensorDesc aclTensorDesc;

/* Numbers in one row of a shape range or value range: lowest, highest. */
#define ACL_TENSOR_SHAPE_RANGE_NUM 2
#define ACL_TENSOR_VALUE_RANGE_NUM 2

/* What aclGetTensorDescNumDims returns when the rank is unknown (the first dimension is -2). */
#define ACL_UNKNOWN_RANK 0xFFFFFFFFFFFFFFFE

/*
 * Creating and destroying. No dimensions make a scalar; -1 means a dimension that is not
 * known yet.
 */
aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims,
    aclFormat format);
void aclDestroyTensorDesc(const aclTensorDesc *desc);
aclError aclSetTensorShapeRange(aclTensorDesc *desc, size_t dimsCount,
    int64_t dimsRange[][ACL_TENSOR_SHAPE_RANGE_NUM]);
aclError aclSetTensorValueRange(aclTensorDesc *desc, size_t valueCount,
    int64_t valueRange[][ACL_TENSOR_VALUE_RANGE_NUM]);

/* Reading. Size and element count are 0 while a dimension is unknown. */
aclDataType aclGetTensorDescType(const aclTensorDesc *desc);
aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc);
size_t aclGetTensorDescSize(const aclTensorDesc *desc);
size_t aclGetTensorDescElementCount(const aclTensorDesc *desc);
size_t aclGetTensorDescNumDims(const aclTensorDesc *desc);
ACL_DEPRECATED_MESSAGE("use aclGetTensorDescDimV2")
int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index);
aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize);
aclError aclGetTensorDescDimRange(const aclTensorDesc *desc, size_t index, size_t dimRangeNum,
    int64_t *dimRange);

/* The name is copied in; the one returned belongs to the description. */
void aclSetTensorDescName(aclTensorDesc *desc, const char *name);
const char *aclGetTensorDescName(aclTensorDesc *desc);

/*
 * Format and shape, as stored in memory and as the program first described them.
 * aclTransTensorDescFormat creates a description that the caller destroys.
 */
aclError aclTransTensorDescFormat(const aclTensorDesc *srcDesc, aclFormat dstFormat,
    aclTensorDesc **dstDesc);
ACL_DEPRECATED_MESSAGE("use aclSetTensorFormat")
aclError aclSetTensorStorageFormat(aclTensorDesc *desc, aclFormat format);
ACL_DEPRECATED_MESSAGE("use aclSetTensorShape")
aclError aclSetTensorStorageShape(aclTensorDesc *desc, int numDims, const int64_t *dims);
aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format);
aclError aclSetTensorShape(aclTensorDesc *desc, int numDims, const int64_t *dims);
aclError aclSetTensorOriginFormat(aclTensorDesc *desc, aclFormat format);
aclError aclSetTensorOriginShape(aclTensorDesc *desc, int numDims, const int64_t *dims);

/* Dynamic inputs, constants and placement. */
aclTensorDesc *aclGetTensorDescByIndex(aclTensorDesc *desc, size_t index);
void *aclGetTensorDescAddress(const aclTensorDesc *desc);
aclError aclSetTensorDynamicInput(aclTensorDesc *desc, const char *dynamicInputName);
aclError aclSetTensorConst(aclTensorDesc *desc, void *dataBuffer, size_t length);
aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType);

#ifdef __cplusplus
}
#endif

#endif
