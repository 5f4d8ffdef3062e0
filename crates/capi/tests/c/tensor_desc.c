/* What does a tensor description say? Type, shape, format and what follows from
 * them: counts, sizes, unknown dimensions and unknown ranks. */
#include "check.h"

static aclTensorDesc *desc_of(aclDataType type, int count, const int64_t *dims)
{
    aclTensorDesc *desc = aclCreateTensorDesc(type, count, dims, ACL_FORMAT_ND);
    CHECK(desc != NULL);
    return desc;
}

/* The number of elements and of bytes that a shape leads to. */
static void leads_to(aclDataType type, int count, const int64_t *dims, size_t elements, size_t bytes)
{
    aclTensorDesc *desc = desc_of(type, count, dims);
    EQ(aclGetTensorDescElementCount(desc), elements);
    EQ(aclGetTensorDescSize(desc), bytes);
    aclDestroyTensorDesc(desc);
}

static void creation(void)
{
    const int64_t dims[4] = {2, 3, 4, 5};
    aclTensorDesc *desc;
    int64_t dim = 0;
    int i;

    desc = aclCreateTensorDesc(ACL_FLOAT16, 4, dims, ACL_FORMAT_NCHW);
    CHECK(desc != NULL);
    EQ(aclGetTensorDescType(desc), ACL_FLOAT16);
    EQ(aclGetTensorDescFormat(desc), ACL_FORMAT_NCHW);
    EQ(aclGetTensorDescNumDims(desc), 4);
    EQ(aclGetTensorDescElementCount(desc), 120);
    EQ(aclGetTensorDescSize(desc), 240);
    for (i = 0; i < 4; i++) {
        EQ(aclGetTensorDescDim(desc, (size_t)i), dims[i]);
        OK(aclGetTensorDescDimV2(desc, (size_t)i, &dim));
        EQ(dim, dims[i]);
    }
    FAILS(aclGetTensorDescDimV2(desc, 4, &dim));
    FAILS(aclGetTensorDescDimV2(desc, SIZE_MAX, &dim));
    FAILS(aclGetTensorDescDimV2(desc, 0, NULL));
    (void)aclGetTensorDescDim(desc, 4);
    (void)aclGetTensorDescDim(desc, SIZE_MAX);
    (void)aclGetRecentErrMsg();
    EQ_PTR(aclGetTensorDescAddress(desc), NULL);

    /* An array of one. */
    CHECK(aclGetTensorDescByIndex(desc, 0) != NULL);
    EQ(aclGetTensorDescType(aclGetTensorDescByIndex(desc, 0)), ACL_FLOAT16);
    EQ_PTR(aclGetTensorDescByIndex(desc, 1), NULL);
    EQ_PTR(aclGetTensorDescByIndex(desc, SIZE_MAX), NULL);
    (void)aclGetRecentErrMsg();
    aclDestroyTensorDesc(desc);

    EQ_PTR(aclCreateTensorDesc(ACL_FLOAT, -1, dims, ACL_FORMAT_ND), NULL);
    EQ_PTR(aclCreateTensorDesc(ACL_FLOAT, INT32_MIN, dims, ACL_FORMAT_ND), NULL);
    EQ_PTR(aclCreateTensorDesc(ACL_FLOAT, 2, NULL, ACL_FORMAT_ND), NULL);
    CHECK(check_fetch_text());
}

static void shapes(void)
{
    const int64_t one[] = {7}, unknown[] = {3, -1, 4}, zero[] = {3, 0, 4};
    const int64_t rank[] = {-2}, large[] = {INT64_MAX, INT64_MAX}, near[] = {INT64_MAX};
    aclTensorDesc *desc;

    /* No dimensions: a single value. */
    leads_to(ACL_FLOAT, 0, NULL, 1, 4);
    leads_to(ACL_FLOAT, 0, one, 1, 4);
    leads_to(ACL_FLOAT, 1, one, 7, 28);
    leads_to(ACL_INT8, 3, zero, 0, 0);
    leads_to(ACL_FLOAT, 3, unknown, 0, 0);
    leads_to(ACL_STRING, 1, one, 7, 0);
    leads_to(ACL_INT4, 1, one, 7, 7);
    leads_to(ACL_COMPLEX128, 1, one, 7, 112);
    leads_to(ACL_FLOAT4_E2M1, 1, one, 7, 56);

    /* Not even the number of dimensions is known. */
    desc = desc_of(ACL_FLOAT, 1, rank);
    CHECK(aclGetTensorDescNumDims(desc) == (size_t)ACL_UNKNOWN_RANK);
    EQ(aclGetTensorDescElementCount(desc), 0);
    EQ(aclGetTensorDescSize(desc), 0);
    aclDestroyTensorDesc(desc);

    /* Too many bytes to count. */
    desc = desc_of(ACL_DOUBLE, 1, near);
    EQ(aclGetTensorDescSize(desc), 0);
    aclDestroyTensorDesc(desc);
    desc = desc_of(ACL_INT8, 2, large);
    EQ(aclGetTensorDescSize(desc), 0);
    aclDestroyTensorDesc(desc);
}

static void names(void)
{
    aclTensorDesc *desc = desc_of(ACL_FLOAT, 0, NULL);
    const char *name = aclGetTensorDescName(desc);

    CHECK(name == NULL || name[0] == '\0');
    aclSetTensorDescName(desc, "input");
    EQ_STR(aclGetTensorDescName(desc), "input");
    aclSetTensorDescName(desc, "a longer name than the first one, to be kept as well as that one was");
    EQ_STR(aclGetTensorDescName(desc), "a longer name than the first one, to be kept as well as that one was");
    aclSetTensorDescName(desc, "");
    EQ_STR(aclGetTensorDescName(desc), "");
    aclSetTensorDescName(desc, NULL);
    aclSetTensorDescName(NULL, "nobody");
    name = aclGetTensorDescName(NULL);
    CHECK(name == NULL || name[0] == '\0');
    (void)aclGetRecentErrMsg();
    aclDestroyTensorDesc(desc);
}

static void ranges(void)
{
    const int64_t dims[2] = {-1, 8};
    int64_t shape[2][ACL_TENSOR_SHAPE_RANGE_NUM] = {{1, 16}, {8, 8}};
    int64_t values[1][ACL_TENSOR_VALUE_RANGE_NUM] = {{0, 255}};
    int64_t range[2] = {-7, -7};
    aclTensorDesc *desc = desc_of(ACL_FLOAT, 2, dims);

    OK(aclSetTensorShapeRange(desc, 2, shape));
    OK(aclGetTensorDescDimRange(desc, 0, 2, range));
    EQ(range[0], 1);
    EQ(range[1], 16);
    OK(aclGetTensorDescDimRange(desc, 1, 2, range));
    EQ(range[0], 8);
    EQ(range[1], 8);
    FAILS(aclGetTensorDescDimRange(desc, 2, 2, range));
    FAILS(aclGetTensorDescDimRange(desc, 0, 2, NULL));
    FAILS(aclGetTensorDescDimRange(desc, 0, 1, range));
    OK(aclSetTensorValueRange(desc, 1, values));
    aclDestroyTensorDesc(desc);
}

static void setters(void)
{
    const int64_t dims[4] = {1, 3, 4, 5}, storage[5] = {1, 1, 4, 5, 16};
    float number = 1.0f;
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 4, dims, ACL_FORMAT_NCHW);

    CHECK(desc != NULL);
    OK(aclSetTensorFormat(desc, ACL_FORMAT_NC1HWC0));
    OK(aclSetTensorShape(desc, 5, storage));
    OK(aclSetTensorOriginFormat(desc, ACL_FORMAT_NCHW));
    OK(aclSetTensorOriginShape(desc, 4, dims));
    OK(aclSetTensorStorageFormat(desc, ACL_FORMAT_NC1HWC0));
    OK(aclSetTensorStorageShape(desc, 5, storage));
    OK(aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST));
    OK(aclSetTensorDynamicInput(desc, "x"));
    OK(aclSetTensorConst(desc, &number, sizeof number));

    FAILS(aclSetTensorShape(desc, -1, storage));
    FAILS(aclSetTensorShape(desc, 2, NULL));
    FAILS(aclSetTensorStorageShape(desc, -1, storage));
    FAILS(aclSetTensorStorageShape(desc, 2, NULL));
    FAILS(aclSetTensorOriginShape(desc, -1, storage));
    FAILS(aclSetTensorOriginShape(desc, 2, NULL));
    FAILS(aclSetTensorDynamicInput(desc, NULL));
    aclDestroyTensorDesc(desc);
}

/* Into another format: a new description, or an error that explains itself. */
static void another_format(void)
{
    const int64_t dims[4] = {1, 3, 4, 5};
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 4, dims, ACL_FORMAT_NCHW);
    aclTensorDesc *result = NULL;

    CHECK(desc != NULL);
    if (RETURNS(aclTransTensorDescFormat(desc, ACL_FORMAT_NHWC, &result)) == 0) {
        CHECK(result != NULL && result != desc);
        EQ(aclGetTensorDescFormat(result), ACL_FORMAT_NHWC);
        EQ(aclGetTensorDescElementCount(result), 60);
        aclDestroyTensorDesc(result);
    } else {
        EQ_PTR(result, NULL);
    }
    FAILS(aclTransTensorDescFormat(NULL, ACL_FORMAT_NHWC, &result));
    FAILS(aclTransTensorDescFormat(desc, ACL_FORMAT_NHWC, NULL));
    aclDestroyTensorDesc(desc);
}

/* NULL, one that is gone, and something else: nothing is read and nothing happens. */
static void bad_ones(void)
{
    const int64_t dims[2] = {4, 4};
    int64_t shape[2][2] = {{1, 2}, {1, 2}};
    char other_memory[256];
    aclTensorDesc *bad[3], *result = NULL;
    int64_t value = 0;
    size_t i;

    memset(other_memory, 0x41, sizeof other_memory);
    bad[0] = NULL;
    bad[1] = desc_of(ACL_FLOAT16, 2, dims);
    aclDestroyTensorDesc(bad[1]);
    bad[2] = (aclTensorDesc *)(void *)other_memory;
    for (i = 0; i < 3; i++) {
        aclTensorDesc *d = bad[i];
        const char *name;
        /* "0" for a type or a format may be the first or the undefined one. */
        CHECK(aclGetTensorDescType(d) == ACL_DT_UNDEFINED || aclGetTensorDescType(d) == ACL_FLOAT);
        CHECK(aclGetTensorDescFormat(d) == ACL_FORMAT_UNDEFINED || aclGetTensorDescFormat(d) == ACL_FORMAT_NCHW);
        EQ(aclGetTensorDescSize(d), 0);
        EQ(aclGetTensorDescElementCount(d), 0);
        EQ(aclGetTensorDescNumDims(d), 0);
        CHECK(aclGetTensorDescDim(d, 0) <= 0);
        EQ_PTR(aclGetTensorDescAddress(d), NULL);
        EQ_PTR(aclGetTensorDescByIndex(d, 0), NULL);
        name = aclGetTensorDescName(d);
        CHECK(name == NULL || name[0] == '\0');
        aclSetTensorDescName(d, "nobody");
        aclDestroyTensorDesc(d);
        (void)aclGetRecentErrMsg();

        FAILS(aclGetTensorDescDimV2(d, 0, &value));
        FAILS(aclGetTensorDescDimRange(d, 0, 2, shape[0]));
        FAILS(aclSetTensorShapeRange(d, 2, shape));
        FAILS(aclSetTensorValueRange(d, 2, shape));
        FAILS(aclSetTensorFormat(d, ACL_FORMAT_ND));
        FAILS(aclSetTensorShape(d, 2, dims));
        FAILS(aclSetTensorOriginFormat(d, ACL_FORMAT_ND));
        FAILS(aclSetTensorOriginShape(d, 2, dims));
        FAILS(aclSetTensorStorageFormat(d, ACL_FORMAT_ND));
        FAILS(aclSetTensorStorageShape(d, 2, dims));
        FAILS(aclSetTensorDynamicInput(d, "x"));
        FAILS(aclSetTensorConst(d, other_memory, 4));
        FAILS(aclSetTensorPlaceMent(d, ACL_MEMTYPE_HOST));
        FAILS(aclTransTensorDescFormat(d, ACL_FORMAT_NHWC, &result));
    }
    for (i = 0; i < sizeof other_memory; i++) {
        EQ(other_memory[i], 0x41);
    }
}

int main(void)
{
    /* Descriptions need neither a start nor a device. */
    creation();
    shapes();
    names();
    ranges();
    setters();
    another_format();
    bad_ones();
    return 0;
}
