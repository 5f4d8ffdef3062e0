/*
 * Functions that return at once, under the names that PyTorch for Ascend calls for a + b: what is left is its own cost.
 * bench/training.py compiles it into a library that is found before ours; everything else comes from ours.
 */
#include <stdint.h>

static int object;

void *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, int dataType, const int64_t *stride, int64_t offset,
                      int format, const int64_t *storageDims, uint64_t storageDimsNum, void *data)
{
    (void)viewDims, (void)viewDimsNum, (void)dataType, (void)stride, (void)offset;
    (void)format, (void)storageDims, (void)storageDimsNum, (void)data;
    return &object;
}

void *aclCreateScalar(void *value, int dataType)
{
    (void)value, (void)dataType;
    return &object;
}

int aclDestroyTensor(const void *tensor)
{
    (void)tensor;
    return 0;
}

int aclDestroyScalar(const void *scalar)
{
    (void)scalar;
    return 0;
}

int aclnnAddGetWorkspaceSize(const void *self, const void *other, const void *alpha, void *out, uint64_t *workspaceSize,
                             void **executor)
{
    (void)self, (void)other, (void)alpha, (void)out;
    *workspaceSize = 0;
    *executor = &object;
    return 0;
}

int aclnnAdd(void *workspace, uint64_t workspaceSize, void *executor, void *stream)
{
    (void)workspace, (void)workspaceSize, (void)executor, (void)stream;
    return 0;
}
