/*
 * Channels that carry tensors. A channel is a queue of data sets with a name on a device; handles with
 * the same device and name share it. Sending copies the bytes of every item; receiving fills a data set
 * with items of its own, whose bytes stay until the set is destroyed or receives again.
 */
#ifndef MILLPOND_ACL_ACL_TDT_H
#define MILLPOND_ACL_ACL_TDT_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an item is: a tensor, or a mark between tensors. */
typedef enum acltdtTensorType {
    ACL_TENSOR_DATA_UNDEFINED = -1,
    ACL_TENSOR_DATA_TENSOR = 0,
    ACL_TENSOR_DATA_END_OF_SEQUENCE = 1,
    ACL_TENSOR_DATA_ABNORMAL = 2,
    ACL_TENSOR_DATA_SLICE_TENSOR = 3,
    ACL_TENSOR_DATA_END_TENSOR = 4
} acltdtTensorType;

typedef struct acltdtDataItem acltdtDataItem;
typedef struct acltdtDataset acltdtDataset;
typedef struct acltdtChannelHandle acltdtChannelHandle;

/* Items. An item names host memory of the caller; it is not copied before it is sent. */
acltdtDataItem *acltdtCreateDataItem(acltdtTensorType tdtType, const int64_t *dims, size_t dimNum,
    aclDataType dataType, void *data, size_t size);
aclError acltdtDestroyDataItem(acltdtDataItem *dataItem);
acltdtTensorType acltdtGetTensorTypeFromItem(const acltdtDataItem *dataItem);
aclDataType acltdtGetDataTypeFromItem(const acltdtDataItem *dataItem);
void *acltdtGetDataAddrFromItem(const acltdtDataItem *dataItem);
size_t acltdtGetDataSizeFromItem(const acltdtDataItem *dataItem);
size_t acltdtGetDimNumFromItem(const acltdtDataItem *dataItem);
aclError acltdtGetDimsFromItem(const acltdtDataItem *dataItem, int64_t *dims, size_t dimNum);
aclError acltdtGetSliceInfoFromItem(const acltdtDataItem *dataItem, size_t *sliceNum,
    size_t *sliceId);

/* Data sets. Destroying one leaves the items that the caller added, and ends those that it received. */
acltdtDataset *acltdtCreateDataset(void);
aclError acltdtDestroyDataset(acltdtDataset *dataset);
aclError acltdtAddDataItem(acltdtDataset *dataset, acltdtDataItem *dataItem);
acltdtDataItem *acltdtGetDataItem(const acltdtDataset *dataset, size_t index);
size_t acltdtGetDatasetSize(const acltdtDataset *dataset);
const char *acltdtGetDatasetName(const acltdtDataset *dataset);

/*
 * Channels. A timeout is in milliseconds; -1 waits without a limit, 0 not at all. A full channel is
 * ACL_ERROR_RT_QUEUE_FULL, an empty one ACL_ERROR_RT_QUEUE_EMPTY. Stopping wakes the threads that wait,
 * and calls that would wait return from then on.
 */
acltdtChannelHandle *acltdtCreateChannel(uint32_t deviceId, const char *name);
acltdtChannelHandle *acltdtCreateChannelWithCapacity(uint32_t deviceId, const char *name,
    size_t capacity);
aclError acltdtDestroyChannel(acltdtChannelHandle *handle);
aclError acltdtStopChannel(acltdtChannelHandle *handle);
aclError acltdtCleanChannel(acltdtChannelHandle *handle);
aclError acltdtSendTensor(const acltdtChannelHandle *handle, const acltdtDataset *dataset,
    int32_t timeout);
aclError acltdtReceiveTensor(const acltdtChannelHandle *handle, acltdtDataset *dataset,
    int32_t timeout);
aclError acltdtQueryChannelSize(const acltdtChannelHandle *handle, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
