/* Datasets: a list of buffers with descriptions beside them. Who owns what, and
 * what of places that are not there? And the options of loading and running. */
#include "check.h"

static void buffers(void)
{
    char memory[16];
    aclDataBuffer *one = aclCreateDataBuffer(memory, sizeof memory);
    aclDataBuffer *two = aclCreateDataBuffer(NULL, 0);
    aclmdlDataset *dataset = aclmdlCreateDataset();

    CHECK(dataset != NULL);
    EQ(aclmdlGetDatasetNumBuffers(dataset), 0);
    EQ_PTR(aclmdlGetDatasetBuffer(dataset, 0), NULL);
    OK(aclmdlAddDatasetBuffer(dataset, one));
    OK(aclmdlAddDatasetBuffer(dataset, two));
    OK(aclmdlAddDatasetBuffer(dataset, one));
    EQ(aclmdlGetDatasetNumBuffers(dataset), 3);
    EQ_PTR(aclmdlGetDatasetBuffer(dataset, 0), one);
    EQ_PTR(aclmdlGetDatasetBuffer(dataset, 1), two);
    EQ_PTR(aclmdlGetDatasetBuffer(dataset, 2), one);
    EQ_PTR(aclmdlGetDatasetBuffer(dataset, 3), NULL);
    EQ_PTR(aclmdlGetDatasetBuffer(dataset, SIZE_MAX), NULL);
    CODE(aclmdlAddDatasetBuffer(dataset, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlAddDatasetBuffer(NULL, one), ACL_ERROR_INVALID_PARAM);

    /* The dataset goes, the buffers stay. */
    OK(aclmdlDestroyDataset(dataset));
    EQ_PTR(aclGetDataBufferAddr(one), memory);
    FAILS(aclmdlDestroyDataset(dataset));
    FAILS(aclmdlAddDatasetBuffer(dataset, one));
    EQ(aclmdlGetDatasetNumBuffers(dataset), 0);
    EQ_PTR(aclmdlGetDatasetBuffer(dataset, 0), NULL);
    CODE(aclmdlDestroyDataset(NULL), ACL_ERROR_INVALID_PARAM);
    FAILS(aclmdlDestroyDataset((aclmdlDataset *)(void *)one));
    MENTIONS("data buffer");
    OK(aclDestroyDataBuffer(one));
    OK(aclDestroyDataBuffer(two));
}

static void descriptions(void)
{
    const int64_t dims[] = {3, 5}, others[] = {7};
    aclDataBuffer *buffer = aclCreateDataBuffer(NULL, 0);
    aclmdlDataset *dataset = aclmdlCreateDataset();
    aclTensorDesc *mine = aclCreateTensorDesc(ACL_FLOAT16, 2, dims, ACL_FORMAT_ND);
    aclTensorDesc *kept, *later;

    OK(aclmdlAddDatasetBuffer(dataset, buffer));
    EQ_PTR(aclmdlGetDatasetTensorDesc(dataset, 0), NULL);
    OK(aclmdlSetDatasetTensorDesc(dataset, mine, 0));
    kept = aclmdlGetDatasetTensorDesc(dataset, 0);
    CHECK(kept != NULL && kept != mine);

    /* A copy: the program's own may go, or change. */
    OK(aclSetTensorConst(mine, (void *)(uintptr_t)dims, 8));
    aclDestroyTensorDesc(mine);
    EQ(aclGetTensorDescType(kept), ACL_FLOAT16);
    EQ(aclGetTensorDescSize(kept), 30);
    EQ_PTR(aclmdlGetDatasetTensorDesc(dataset, 0), kept);

    mine = aclCreateTensorDesc(ACL_INT8, 1, others, ACL_FORMAT_ND);
    OK(aclmdlSetDatasetTensorDesc(dataset, mine, 0));
    later = aclmdlGetDatasetTensorDesc(dataset, 0);
    EQ(aclGetTensorDescSize(later), 7);
    /* What was replaced is gone. */
    EQ(aclGetTensorDescSize(kept), 0);
    CODE(aclmdlSetDatasetTensorDesc(dataset, mine, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlSetDatasetTensorDesc(NULL, mine, 0), ACL_ERROR_INVALID_PARAM);
    EQ_PTR(aclmdlGetDatasetTensorDesc(dataset, 1), NULL);
    EQ_PTR(aclmdlGetDatasetTensorDesc(NULL, 0), NULL);

    OK(aclmdlSetDatasetTensorDesc(dataset, NULL, 0));
    EQ_PTR(aclmdlGetDatasetTensorDesc(dataset, 0), NULL);
    EQ(aclGetTensorDescSize(later), 0);

    /* A program that ends the dataset's own description harms nobody. */
    OK(aclmdlSetDatasetTensorDesc(dataset, mine, 0));
    aclDestroyTensorDesc(aclmdlGetDatasetTensorDesc(dataset, 0));
    aclDestroyTensorDesc(mine);
    FAILS(aclmdlSetDatasetTensorDesc(dataset, mine, 0));
    OK(aclmdlDestroyDataset(dataset));
    OK(aclDestroyDataBuffer(buffer));
}

static void options(void)
{
    aclmdlConfigHandle *load = aclmdlCreateConfigHandle();
    aclmdlExecConfigHandle *run = aclmdlCreateExecConfigHandle();
    const char *path = "model.onnx";
    size_t type = ACL_MDL_LOAD_FROM_FILE;
    int32_t number = 3;

    OK(aclmdlSetConfigOpt(load, ACL_MDL_LOAD_TYPE_SIZET, &type, sizeof type));
    OK(aclmdlSetConfigOpt(load, ACL_MDL_PATH_PTR, &path, sizeof path));
    OK(aclmdlSetConfigOpt(load, ACL_MDL_PRIORITY_INT32, &number, sizeof number));
    CODE(aclmdlSetConfigOpt(load, ACL_MDL_PRIORITY_INT32, &type, sizeof type), ACL_ERROR_INVALID_PARAM);
    MENTIONS("4 bytes");
    CODE(aclmdlSetConfigOpt(load, ACL_MDL_LOAD_TYPE_SIZET, &number, sizeof number), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlSetConfigOpt(load, ACL_MDL_LOAD_TYPE_SIZET, NULL, sizeof type), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlSetConfigOpt(NULL, ACL_MDL_LOAD_TYPE_SIZET, &type, sizeof type), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlSetConfigOpt(load, (aclmdlConfigAttr)4711, &type, sizeof type), ACL_ERROR_INVALID_PARAM);
    path = NULL;
    CODE(aclmdlSetConfigOpt(load, ACL_MDL_PATH_PTR, &path, sizeof path), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlSetConfigOpt(load, ACL_MDL_INPUTQ_NUM_SIZET, &type, sizeof type), ACL_ERROR_API_NOT_SUPPORT);
    MENTIONS("queue");
    OK(aclmdlDestroyConfigHandle(load));
    FAILS(aclmdlDestroyConfigHandle(load));
    CODE(aclmdlDestroyConfigHandle(NULL), ACL_ERROR_INVALID_PARAM);

    OK(aclmdlSetExecConfigOpt(run, ACL_MDL_STREAM_SYNC_TIMEOUT, &number, sizeof number));
    OK(aclmdlSetExecConfigOpt(run, ACL_MDL_WORK_SIZET, &type, sizeof type));
    CODE(aclmdlSetExecConfigOpt(run, ACL_MDL_STREAM_SYNC_TIMEOUT, &type, sizeof type), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlSetExecConfigOpt(run, (aclmdlExecConfigAttr)4711, &type, sizeof type), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlSetExecConfigOpt(run, ACL_MDL_AICQOS_SIZET, &type, sizeof type), ACL_ERROR_API_NOT_SUPPORT);
    CODE(aclmdlSetExecConfigOpt(NULL, ACL_MDL_WORK_SIZET, &type, sizeof type), ACL_ERROR_INVALID_PARAM);
    OK(aclmdlDestroyExecConfigHandle(run));
    FAILS(aclmdlDestroyExecConfigHandle(run));
    CODE(aclmdlDestroyExecConfigHandle(NULL), ACL_ERROR_INVALID_PARAM);
}

int main(void)
{
    /* Plain host objects: neither a start nor a device is needed. */
    buffers();
    descriptions();
    options();
    return 0;
}
