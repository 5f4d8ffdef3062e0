/* Products of matrices and vectors: every function, plain and by handle, transposed,
 * with factors in device memory. */
#include "models.h"

#include <math.h>

#include <acl/ops/acl_cblas.h>

/* a: 2 by 3, b: 3 by 2. */
static const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 2, 3, 4, 5, 6};
static const float product[4] = {22, 28, 49, 64};

static void *halves(const float *values, size_t count)
{
    aclFloat16 half[16];
    size_t i;
    for (i = 0; i < count; i++) {
        half[i] = aclFloatToFloat16(values[i]);
    }
    return to_device(half, count * 2);
}

static void *bytes(const float *values, size_t count)
{
    int8_t byte[16];
    size_t i;
    for (i = 0; i < count; i++) {
        byte[i] = (int8_t)values[i];
    }
    return to_device(byte, count);
}

static void *whole(const float *values, size_t count)
{
    int32_t number[16];
    size_t i;
    for (i = 0; i < count; i++) {
        number[i] = (int32_t)values[i];
    }
    return to_device(number, count * 4);
}

static void are(const void *memory, aclDataType type, const float *expected, size_t count)
{
    char raw[64];
    size_t i;
    from_device(raw, memory, count * aclDataTypeSize(type));
    for (i = 0; i < count; i++) {
        float value = type == ACL_FLOAT16 ? aclFloat16ToFloat(((aclFloat16 *)(void *)raw)[i])
                    : type == ACL_INT32   ? (float)((int32_t *)(void *)raw)[i]
                                          : ((float *)(void *)raw)[i];
        if (value != expected[i]) {
            fprintf(stderr, "element %zu is %g, expected %g\n", i, (double)value, (double)expected[i]);
            CHECK(value == expected[i]);
        }
    }
}

static void matrices(aclrtStream stream)
{
    const float one = 1, two = 2, half = 0.5f, c[4] = {2, 4, 6, 8};
    const float scaled[4] = {2 * 22 + 1, 2 * 28 + 2, 2 * 49 + 3, 2 * 64 + 4};
    const float turned_a[6] = {1, 4, 2, 5, 3, 6}, nan[4] = {NAN, NAN, NAN, NAN}, zero = 0;
    void *ha = halves(a, 6), *hb = halves(b, 6), *hc = halves(c, 4), *h1 = halves(&one, 1), *h2 = halves(&two, 1);
    void *hh = halves(&half, 1), *hat = halves(turned_a, 6), *hn = to_device(nan, 16), *h0 = halves(&zero, 1);
    void *f1 = to_device(&one, 4), *f0 = to_device(&zero, 4), *ba = bytes(a, 6), *bb = bytes(b, 6);
    void *ic = whole(c, 4), *i2 = whole(&two, 1), *i1 = whole(&one, 1);
    const float with_c[4] = {2 * 22 + 2, 2 * 28 + 4, 2 * 49 + 6, 2 * 64 + 8};
    aclopHandle *handle = NULL;
    aclDataBuffer *in[5], *out[1];
    size_t i;

    OK(aclblasHgemm(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, 2, 2, 3, h2, ha, -1, hb, -1, hh, hc, -1,
                    ACL_COMPUTE_HIGH_PRECISION, stream));
    OK(aclrtSynchronizeStream(stream));
    are(hc, ACL_FLOAT16, scaled, 4);

    /* Transposed, into 32 bits; a beta of 0 leaves whatever is there unread. */
    OK(aclblasGemmEx(ACL_TRANS_T, ACL_TRANS_N, ACL_TRANS_N, 2, 2, 3, f1, hat, -1, ACL_FLOAT16, hb, -1, ACL_FLOAT16, f0,
                     hn, -1, ACL_FLOAT, ACL_COMPUTE_HIGH_PRECISION, stream));
    OK(aclrtSynchronizeStream(stream));
    are(hn, ACL_FLOAT, product, 4);

    OK(aclblasS8gemm(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, 2, 2, 3, i2, ba, -1, bb, -1, i1, ic, -1,
                     ACL_COMPUTE_HIGH_PRECISION, stream));
    OK(aclrtSynchronizeStream(stream));
    are(ic, ACL_INT32, with_c, 4);

    /* By handle: A, B, C, alpha, beta. */
    OK(aclblasCreateHandleForHgemm(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, 2, 2, 3, ACL_COMPUTE_HIGH_PRECISION, &handle));
    in[0] = aclCreateDataBuffer(ha, 12);
    in[1] = aclCreateDataBuffer(hb, 12);
    in[2] = aclCreateDataBuffer(hc, 8);
    in[3] = aclCreateDataBuffer(h1, 2);
    in[4] = aclCreateDataBuffer(h0, 2);
    out[0] = in[2];
    OK(aclopExecWithHandle(handle, 5, (const aclDataBuffer *const *)in, 1, out, stream));
    OK(aclrtSynchronizeStream(stream));
    are(hc, ACL_FLOAT16, product, 4);
    aclopDestroyHandle(handle);
    for (i = 0; i < 5; i++) {
        OK(aclDestroyDataBuffer(in[i]));
    }
    OK(aclblasCreateHandleForS8gemm(ACL_TRANS_N, ACL_TRANS_T, ACL_TRANS_N, 2, 2, 3, ACL_COMPUTE_HIGH_PRECISION,
                                    &handle));
    aclopDestroyHandle(handle);
    OK(aclblasCreateHandleForGemmEx(ACL_TRANS_N, ACL_TRANS_T, ACL_TRANS_N, 2, 2, 3, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT,
                                    ACL_COMPUTE_LOW_PRECISION, &handle));
    aclopDestroyHandle(handle);

    /* What does not fit. */
    handle = NULL;
    CODE(aclblasHgemm(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, 0, 2, 3, h2, ha, -1, hb, -1, hh, hc, -1,
                      ACL_COMPUTE_HIGH_PRECISION, stream),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclblasHgemm(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, 2, 2, 3, NULL, ha, -1, hb, -1, hh, hc, -1,
                      ACL_COMPUTE_HIGH_PRECISION, stream),
         ACL_ERROR_INVALID_PARAM);
    MENTIONS("alpha");
    CODE(aclblasHgemm(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, 2, 2, 3, h2, ha, 8, hb, -1, hh, hc, -1,
                      ACL_COMPUTE_HIGH_PRECISION, stream),
         ACL_ERROR_INVALID_PARAM);
    MENTIONS("lda");
    CODE(aclblasHgemm(ACL_TRANS_NZ, ACL_TRANS_N, ACL_TRANS_N, 2, 2, 3, h2, ha, -1, hb, -1, hh, hc, -1,
                      ACL_COMPUTE_HIGH_PRECISION, stream),
         ACL_ERROR_API_NOT_SUPPORT);
    CODE(aclblasHgemm((aclTransType)9, ACL_TRANS_N, ACL_TRANS_N, 2, 2, 3, h2, ha, -1, hb, -1, hh, hc, -1,
                      ACL_COMPUTE_HIGH_PRECISION, stream),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclblasCreateHandleForHgemm(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_T, 2, 2, 3, ACL_COMPUTE_HIGH_PRECISION,
                                     &handle),
         ACL_ERROR_API_NOT_SUPPORT);
    CODE(aclblasCreateHandleForHgemm(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, 2, 2, 3, ACL_COMPUTE_HIGH_PRECISION, NULL),
         ACL_ERROR_INVALID_PARAM);
    CODE(aclblasCreateHandleForGemmEx(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, 2, 2, 3, ACL_STRING, ACL_FLOAT16,
                                      ACL_FLOAT, ACL_COMPUTE_HIGH_PRECISION, &handle),
         ACL_ERROR_UNSUPPORTED_DATA_TYPE);
    EQ_PTR(handle, NULL);
    {
        void *all[] = {ha, hb, hc, h1, h2, hh, hat, hn, h0, f1, f0, ba, bb, ic, i2, i1};
        for (i = 0; i < sizeof all / sizeof *all; i++) {
            OK(aclrtFree(all[i]));
        }
    }
}

static void vectors(aclrtStream stream)
{
    const float x[3] = {1, 10, 100}, y[2] = {1, 1}, expected[2] = {322, 655}, one = 1;
    const float turned[6] = {1, 4, 2, 5, 3, 6};
    void *ha = halves(a, 6), *hx = halves(x, 3), *hy = halves(y, 2), *h1 = halves(&one, 1);
    void *ba = bytes(a, 6), *bx = bytes(x, 3), *iy = whole(y, 2), *i1 = whole(&one, 1), *hat = halves(turned, 6);
    aclopHandle *handle = NULL;
    size_t i;

    OK(aclblasHgemv(ACL_TRANS_N, 2, 3, h1, ha, -1, hx, 1, h1, hy, 1, ACL_COMPUTE_HIGH_PRECISION, stream));
    OK(aclblasS8gemv(ACL_TRANS_N, 2, 3, i1, ba, -1, bx, -1, i1, iy, -1, ACL_COMPUTE_HIGH_PRECISION, stream));
    OK(aclrtSynchronizeStream(stream));
    are(hy, ACL_FLOAT16, expected, 2);
    are(iy, ACL_INT32, expected, 2);
    OK(aclrtMemset(hy, 4, 0, 4));
    OK(aclblasGemvEx(ACL_TRANS_T, 2, 3, h1, hat, -1, ACL_FLOAT16, hx, -1, ACL_FLOAT16, h1, hy, -1, ACL_FLOAT16,
                     ACL_COMPUTE_HIGH_PRECISION, stream));
    OK(aclrtSynchronizeStream(stream));
    {
        const float without[2] = {321, 654};
        are(hy, ACL_FLOAT16, without, 2);
    }
    OK(aclblasCreateHandleForHgemv(ACL_TRANS_N, 2, 3, ACL_COMPUTE_HIGH_PRECISION, &handle));
    aclopDestroyHandle(handle);
    OK(aclblasCreateHandleForS8gemv(ACL_TRANS_N, 2, 3, ACL_COMPUTE_HIGH_PRECISION, &handle));
    aclopDestroyHandle(handle);
    OK(aclblasCreateHandleForGemvEx(ACL_TRANS_N, 2, 3, ACL_INT8, ACL_INT8, ACL_INT32, ACL_COMPUTE_HIGH_PRECISION,
                                    &handle));
    aclopDestroyHandle(handle);
    CODE(aclblasHgemv(ACL_TRANS_N, 2, 3, h1, ha, -1, hx, 2, h1, hy, 1, ACL_COMPUTE_HIGH_PRECISION, stream),
         ACL_ERROR_INVALID_PARAM);
    MENTIONS("incx");
    {
        void *all[] = {ha, hx, hy, h1, ba, bx, iy, i1, hat};
        for (i = 0; i < sizeof all / sizeof *all; i++) {
            OK(aclrtFree(all[i]));
        }
    }
}

int main(void)
{
    aclrtStream stream;

    start();
    OK(aclrtCreateStream(&stream));
    matrices(stream);
    vectors(stream);
    OK(aclrtDestroyStream(stream));
    stop();
    return 0;
}
