/* What is a data buffer? An address and a length that never own the memory. */
#include "check.h"

int main(void)
{
    char bytes[100];
    aclDataBuffer *buffer, *empty;
    int i;

    /* It needs neither a start nor a device, and never fails on what it holds. */
    empty = aclCreateDataBuffer(NULL, 0);
    CHECK(empty != NULL);
    EQ_PTR(aclGetDataBufferAddr(empty), NULL);
    EQ(aclGetDataBufferSize(empty), 0);
    EQ(aclGetDataBufferSizeV2(empty), 0);

    buffer = aclCreateDataBuffer(bytes, sizeof bytes);
    CHECK(buffer != NULL && buffer != empty);
    EQ_PTR(aclGetDataBufferAddr(buffer), bytes);
    EQ(aclGetDataBufferSize(buffer), 100);
    EQ(aclGetDataBufferSizeV2(buffer), 100);

    OK(aclUpdateDataBuffer(buffer, bytes + 10, 5 * GIB));
    EQ_PTR(aclGetDataBufferAddr(buffer), bytes + 10);
    EQ(aclGetDataBufferSizeV2(buffer), 5 * GIB);
    OK(aclUpdateDataBuffer(buffer, NULL, 0));
    EQ_PTR(aclGetDataBufferAddr(buffer), NULL);
    EQ(aclGetDataBufferSizeV2(buffer), 0);
    EQ_PTR(aclGetDataBufferAddr(empty), NULL);

    EQ_PTR(aclGetDataBufferAddr(NULL), NULL);
    EQ(aclGetDataBufferSize(NULL), 0);
    EQ(aclGetDataBufferSizeV2(NULL), 0);
    (void)aclGetRecentErrMsg();
    CODE(aclUpdateDataBuffer(NULL, bytes, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclDestroyDataBuffer(NULL), ACL_ERROR_INVALID_PARAM);

    OK(aclDestroyDataBuffer(buffer));
    OK(aclDestroyDataBuffer(empty));

    /* Gone, twice gone, and never one. */
    FAILS(aclDestroyDataBuffer(buffer));
    FAILS(aclUpdateDataBuffer(buffer, bytes, 1));
    EQ_PTR(aclGetDataBufferAddr(buffer), NULL);
    EQ(aclGetDataBufferSizeV2(buffer), 0);
    (void)aclGetRecentErrMsg();
    FAILS(aclDestroyDataBuffer((aclDataBuffer *)bytes));
    FAILS(aclUpdateDataBuffer((aclDataBuffer *)bytes, bytes, 1));
    EQ_PTR(aclGetDataBufferAddr((aclDataBuffer *)bytes), NULL);
    EQ(aclGetDataBufferSize((aclDataBuffer *)bytes), 0);
    (void)aclGetRecentErrMsg();

    for (i = 0; i < 10000; i++) {
        buffer = aclCreateDataBuffer(bytes, (size_t)i);
        CHECK(buffer != NULL);
        EQ(aclGetDataBufferSizeV2(buffer), i);
        OK(aclDestroyDataBuffer(buffer));
    }
    return 0;
}
