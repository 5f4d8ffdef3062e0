/* Cache maintenance: prefetching costs nothing, but has its place in the stream, can be captured, and finds ranges that are not there. */
#include "models.h"

static void ranges(aclrtStream stream)
{
    void *memory = to_device(NULL, 4096), *gone = to_device(NULL, 64);
    char local[64];
    aclmdlRI graph = NULL;
    OK(aclrtCmoAsync(memory, 4096, ACL_RT_CMO_TYPE_PREFETCH, stream));
    OK(aclrtCmoAsync((char *)memory + 64, 1, ACL_RT_CMO_TYPE_PREFETCH, stream));
    OK(aclrtCmoAsync(memory, 4096, ACL_RT_CMO_TYPE_PREFETCH, NULL));
    OK(aclrtMemset(memory, 4096, 3, 4096));
    OK(aclrtSynchronizeDevice());

    OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(aclrtCmoAsync(memory, 4096, ACL_RT_CMO_TYPE_PREFETCH, stream));
    OK(aclrtMemsetAsync(memory, 4096, 5, 4096, stream));
    OK(aclmdlRICaptureEnd(stream, &graph));
    OK(aclmdlRIExecuteAsync(graph, stream));
    OK(aclrtSynchronizeStream(stream));
    from_device(local, memory, sizeof local);
    EQ(local[9], 5);
    OK(aclmdlRIDestroy(graph));

    CODE(aclrtCmoAsync(NULL, 64, ACL_RT_CMO_TYPE_PREFETCH, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCmoAsync(memory, 0, ACL_RT_CMO_TYPE_PREFETCH, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCmoAsync(memory, 64, (aclrtCmoType)4, stream), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCmoAsync(memory, 64, ACL_RT_CMO_TYPE_WRITEBACK, stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtCmoAsync(memory, 64, ACL_RT_CMO_TYPE_INVALID, stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtCmoAsync(memory, 64, ACL_RT_CMO_TYPE_FLUSH, stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    FAILS(aclrtCmoAsync(memory, (size_t)1 << 40, ACL_RT_CMO_TYPE_PREFETCH, stream));
    FAILS(aclrtCmoAsync(local, 64, ACL_RT_CMO_TYPE_PREFETCH, stream));
    FAILS(aclrtCmoAsync(memory, 64, ACL_RT_CMO_TYPE_PREFETCH, (aclrtStream)local));
    OK(aclrtFree(gone));
    FAILS(aclrtCmoAsync(gone, 64, ACL_RT_CMO_TYPE_PREFETCH, stream));
    OK(aclrtFree(memory));
}

static void descriptors(aclrtStream stream)
{
    size_t size = 0;
    void *range = to_device(NULL, 4096), *descriptor, *empty;
    OK(aclrtCmoGetDescSize(&size));
    CHECK(size >= 16);
    descriptor = to_device(NULL, size);
    empty = to_device(NULL, size);
    OK(aclrtMemset(empty, size, 0, size));
    OK(aclrtCmoSetDesc(descriptor, range, 4096));
    OK(aclrtCmoAsyncWithDesc(descriptor, ACL_RT_CMO_TYPE_PREFETCH, stream, NULL));
    OK(aclrtSynchronizeStream(stream));

    /* What the descriptor has when the stream gets there: nothing, or a range that is gone. */
    OK(aclrtCmoAsyncWithDesc(empty, ACL_RT_CMO_TYPE_PREFETCH, stream, NULL));
    FAILS(aclrtSynchronizeStream(stream));
    MENTIONS("aclrtCmoSetDesc");
    OK(aclrtFree(range));
    OK(aclrtCmoAsyncWithDesc(descriptor, ACL_RT_CMO_TYPE_PREFETCH, stream, NULL));
    FAILS(aclrtSynchronizeStream(stream));

    CODE(aclrtCmoGetDescSize(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCmoSetDesc(NULL, empty, 64), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCmoSetDesc(descriptor, NULL, 64), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCmoSetDesc(descriptor, empty, 0), ACL_ERROR_INVALID_PARAM);
    FAILS(aclrtCmoSetDesc(descriptor, range, 64));
    CODE(aclrtCmoAsyncWithDesc(NULL, ACL_RT_CMO_TYPE_PREFETCH, stream, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCmoAsyncWithDesc(descriptor, ACL_RT_CMO_TYPE_FLUSH, stream, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CODE(aclrtCmoAsyncWithDesc(descriptor, ACL_RT_CMO_TYPE_PREFETCH, stream, &size), ACL_ERROR_INVALID_PARAM);
    FAILS(aclrtCmoAsyncWithDesc(&size, ACL_RT_CMO_TYPE_PREFETCH, stream, NULL));
    OK(aclrtFree(descriptor));
    OK(aclrtFree(empty));
}

int main(void)
{
    aclrtStream stream;
    start();
    OK(aclrtCreateStream(&stream));
    ranges(stream);
    descriptors(stream);
    OK(aclrtDestroyStream(stream));
    stop();
    return 0;
}
