/* Channels, data sets and items inside a process; and the driver's few functions. */
#include "check.h"

#include <acl/acl_tdt.h>
#include <driver/ascend_hal.h>
#include <pthread.h>

static acltdtChannelHandle *sends, *receives;

static void items(void)
{
    float numbers[6] = {1, 2, 3, 4, 5, 6};
    const int64_t dims[2] = {2, 3};
    int64_t read[3] = {0, 0, 77};
    size_t a = 77, b = 77;
    acltdtDataItem *item = acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, dims, 2, ACL_FLOAT, numbers, sizeof numbers);
    acltdtDataItem *end = acltdtCreateDataItem(ACL_TENSOR_DATA_END_OF_SEQUENCE, NULL, 0, ACL_DT_UNDEFINED, NULL, 0);
    acltdtDataset *set = acltdtCreateDataset();
    CHECK(item != NULL && end != NULL && set != NULL);
    EQ(acltdtGetTensorTypeFromItem(item), ACL_TENSOR_DATA_TENSOR);
    EQ(acltdtGetTensorTypeFromItem(end), ACL_TENSOR_DATA_END_OF_SEQUENCE);
    EQ(acltdtGetDataTypeFromItem(item), ACL_FLOAT);
    EQ_PTR(acltdtGetDataAddrFromItem(item), numbers);
    EQ(acltdtGetDataSizeFromItem(item), 24);
    EQ(acltdtGetDimNumFromItem(item), 2);
    OK(acltdtGetDimsFromItem(item, read, 3));
    EQ(read[0], 2);
    EQ(read[1], 3);
    EQ(read[2], 77);
    OK(acltdtGetDimsFromItem(end, NULL, 0));
    CODE(acltdtGetDimsFromItem(item, read, 1), ACL_ERROR_INVALID_PARAM);
    CODE(acltdtGetSliceInfoFromItem(item, &a, &b), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK(acltdtCreateDataItem(ACL_TENSOR_DATA_UNDEFINED, NULL, 0, ACL_FLOAT, NULL, 0) == NULL);
    CHECK(acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, NULL, 2, ACL_FLOAT, numbers, 4) == NULL);
    CHECK(acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, dims, 2, ACL_FLOAT, NULL, 4) == NULL);

    EQ(acltdtGetDatasetSize(set), 0);
    EQ_STR(acltdtGetDatasetName(set), "");
    OK(acltdtAddDataItem(set, item));
    OK(acltdtAddDataItem(set, end));
    EQ(acltdtGetDatasetSize(set), 2);
    EQ_PTR(acltdtGetDataItem(set, 1), end);
    CHECK(acltdtGetDataItem(set, 2) == NULL);
    OK(acltdtDestroyDataset(set));
    /* Its items are the program's. */
    EQ(acltdtGetDataSizeFromItem(item), 24);
    OK(acltdtDestroyDataItem(item));
    OK(acltdtDestroyDataItem(end));
    EQ(acltdtGetDataSizeFromItem(item), 0);
    EQ(acltdtGetTensorTypeFromItem(item), ACL_TENSOR_DATA_UNDEFINED);
    FAILS(acltdtDestroyDataItem(item));
    FAILS(acltdtAddDataItem(set, item));
    FAILS(acltdtDestroyDataset(set));
    FAILS(acltdtDestroyDataset(NULL));
}

static void send_number(int32_t number, int32_t timeout, aclError code)
{
    const int64_t one = 1;
    acltdtDataItem *item = acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, &one, 1, ACL_INT32, &number, sizeof number);
    acltdtDataset *set = acltdtCreateDataset();
    OK(acltdtAddDataItem(set, item));
    if (code == 0) {
        OK(acltdtSendTensor(sends, set, timeout));
    } else {
        CODE(acltdtSendTensor(sends, set, timeout), code);
    }
    number = -1;
    OK(acltdtDestroyDataset(set));
    OK(acltdtDestroyDataItem(item));
}

static int32_t received(acltdtDataset *set, int32_t timeout)
{
    acltdtDataItem *item;
    OK(acltdtReceiveTensor(receives, set, timeout));
    EQ(acltdtGetDatasetSize(set), 1);
    EQ_STR(acltdtGetDatasetName(set), "numbers");
    item = acltdtGetDataItem(set, 0);
    EQ(acltdtGetDataTypeFromItem(item), ACL_INT32);
    EQ(acltdtGetDataSizeFromItem(item), 4);
    return *(int32_t *)acltdtGetDataAddrFromItem(item);
}

static void *send_later(void *unused)
{
    (void)unused;
    sleep_ms(20);
    send_number(9, -1, 0);
    return NULL;
}

static void *stop_later(void *unused)
{
    (void)unused;
    sleep_ms(20);
    OK(acltdtStopChannel(receives));
    return NULL;
}

static void channels(void)
{
    acltdtDataset *set = acltdtCreateDataset();
    acltdtDataItem *kept;
    acltdtChannelHandle *third;
    pthread_t thread;
    size_t size = 77;
    sends = acltdtCreateChannelWithCapacity(0, "numbers", 2);
    receives = acltdtCreateChannel(0, "numbers");
    CHECK(sends != NULL && receives != NULL);
    CODE(acltdtReceiveTensor(receives, set, 0), ACL_ERROR_RT_QUEUE_EMPTY);
    CODE(acltdtReceiveTensor(receives, set, 5), ACL_ERROR_RT_QUEUE_EMPTY);
    send_number(5, 0, 0);
    send_number(6, -1, 0);
    send_number(7, 0, ACL_ERROR_RT_QUEUE_FULL);
    send_number(7, 5, ACL_ERROR_RT_QUEUE_FULL);
    OK(acltdtQueryChannelSize(receives, &size));
    EQ(size, 2);
    EQ(received(set, 0), 5);
    kept = acltdtGetDataItem(set, 0);
    EQ(received(set, -1), 6);
    /* What was received before is gone. */
    EQ(acltdtGetDataSizeFromItem(kept), 0);
    kept = acltdtGetDataItem(set, 0);
    FAILS(acltdtAddDataItem(set, kept));
    CHECK(pthread_create(&thread, NULL, send_later, NULL) == 0);
    EQ(received(set, -1), 9);
    CHECK(pthread_join(thread, NULL) == 0);
    send_number(1, 0, 0);
    OK(acltdtCleanChannel(receives));
    OK(acltdtQueryChannelSize(sends, &size));
    EQ(size, 0);
    /* Another device, another channel. */
    third = acltdtCreateChannel(1, "numbers");
    send_number(3, 0, 0);
    OK(acltdtQueryChannelSize(third, &size));
    EQ(size, 0);
    OK(acltdtDestroyChannel(third));
    EQ(received(set, 0), 3);
    CHECK(pthread_create(&thread, NULL, stop_later, NULL) == 0);
    CODE(acltdtReceiveTensor(receives, set, -1), ACL_ERROR_RT_QUEUE_EMPTY);
    MENTIONS("stopped");
    CHECK(pthread_join(thread, NULL) == 0);

    CODE(acltdtReceiveTensor(receives, set, -2), ACL_ERROR_INVALID_PARAM);
    CODE(acltdtQueryChannelSize(receives, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK(acltdtCreateChannel(9, "numbers") == NULL);
    CHECK(acltdtCreateChannel(0, NULL) == NULL);
    CHECK(acltdtCreateChannel(0, "") == NULL);
    CHECK(acltdtCreateChannelWithCapacity(0, "more", 0) == NULL);
    OK(acltdtDestroyChannel(sends));
    OK(acltdtDestroyChannel(receives));
    FAILS(acltdtDestroyChannel(receives));
    FAILS(acltdtSendTensor(sends, set, 0));
    /* The last handle ended the channel. */
    sends = acltdtCreateChannel(0, "numbers");
    OK(acltdtQueryChannelSize(sends, &size));
    EQ(size, 0);
    OK(acltdtDestroyChannel(sends));
    OK(acltdtDestroyDataset(set));
}

static void driver(void)
{
    uint32_t count = 0, known = 0;
    int version = 77;
    int64_t value = 77;
    OK(aclrtGetDeviceCount(&known));
    EQ(drvGetDevNum(&count), DRV_ERROR_NONE);
    EQ(count, known);
    EQ(drvGetDevNum(NULL), DRV_ERROR_INVALID_VALUE);
    EQ(halGetAPIVersion(&version), DRV_ERROR_NONE);
    EQ(version, 0);
    EQ(halGetAPIVersion(NULL), DRV_ERROR_INVALID_VALUE);
    EQ(halGetDeviceInfo(0, 0, 0, &value), DRV_ERROR_NOT_SUPPORT);
    EQ(value, 77);
    EQ(halGetDeviceInfo(0, 0, 0, NULL), DRV_ERROR_INVALID_VALUE);
    EQ(halGetDeviceInfo(9, 0, 0, &value), DRV_ERROR_INVALID_VALUE);
}

int main(void)
{
    OPEN_DEVICE();
    items();
    channels();
    driver();
    CLOSE_DEVICE();
    return 0;
}
