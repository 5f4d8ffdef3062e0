/* What programs do that classify images: a JPEG file is decoded, resized, and given to a model that preprocesses it. And
 * the functions that read JPEG files and describe preprocessing. */
#include "gate.h"
#include "models.h"

#include <acl/ops/acl_dvpp.h>
#include <math.h>

enum { WIDTH = 40, HEIGHT = 32, BYTES = WIDTH * HEIGHT * 3 / 2 };

static acldvppChannelDesc *channel;
static aclrtStream stream;

static unsigned char *file(const char *name, uint32_t *size)
{
    static unsigned char bytes[16384];
    char path[512];
    FILE *from;
    snprintf(path, sizeof path, "%s/%s", getenv("TEST_MODELS"), name);
    from = fopen(path, "rb");
    CHECK(from != NULL);
    *size = (uint32_t)fread(bytes, 1, sizeof bytes, from);
    fclose(from);
    return bytes;
}

static void *uploaded(const void *bytes, size_t size)
{
    void *memory = NULL;
    OK(acldvppMalloc(&memory, size));
    OK(aclrtMemcpy(memory, size, bytes, size, ACL_MEMCPY_HOST_TO_DEVICE));
    return memory;
}

static void headers(void)
{
    uint32_t size, width = 0, height = 0, needed = 0;
    int32_t components = 0;
    acldvppJpegFormat format = ACL_JPEG_CSS_UNKNOWN;
    unsigned char *bytes = file("420.jpg", &size);
    OK(acldvppJpegGetImageInfo(bytes, size, &width, &height, &components));
    EQ(width, 66);
    EQ(height, 50);
    EQ(components, 3);
    OK(acldvppJpegGetImageInfoV2(bytes, size, &width, &height, &components, &format));
    EQ(format, ACL_JPEG_CSS_420);
    OK(acldvppJpegPredictDecSize(bytes, size, PIXEL_FORMAT_YUV_SEMIPLANAR_420, &needed));
    EQ(needed, 128 * 64 * 3 / 2);
    OK(acldvppJpegPredictDecSize(bytes, size, PIXEL_FORMAT_UNKNOWN, &needed));
    EQ(needed, 128 * 64 * 3 / 2);
    CODE(acldvppJpegPredictDecSize(bytes, size, PIXEL_FORMAT_YUV_SEMIPLANAR_444, &needed), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppJpegPredictDecSize(bytes, size, PIXEL_FORMAT_RGB_888, &needed), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppJpegPredictDecSize(bytes, size, PIXEL_FORMAT_UNKNOWN, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppJpegGetImageInfo(NULL, size, &width, &height, &components), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppJpegGetImageInfo(bytes, 0, &width, &height, &components), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppJpegGetImageInfo(bytes, size, NULL, &height, &components), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppJpegGetImageInfoV2(bytes, size, &width, &height, &components, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppJpegGetImageInfo(bytes, 40, &width, &height, &components), ACL_ERROR_INVALID_PARAM);
    MENTIONS("ends before its frame header");
    void *memory = uploaded(bytes, size);
    CODE(acldvppJpegGetImageInfo(memory, size, &width, &height, &components), ACL_ERROR_INVALID_PARAM);
    MENTIONS("host memory");
    OK(acldvppFree(memory));
    bytes = file("progressive.jpg", &size);
    CODE(acldvppJpegGetImageInfo(bytes, size, &width, &height, &components), ACL_ERROR_UNSUPPORTED_JPEG);
    bytes = file("gray.jpg", &size);
    OK(acldvppJpegGetImageInfoV2(bytes, size, &width, &height, &components, &format));
    EQ(components, 1);
    EQ(format, ACL_JPEG_CSS_GRAY);
}

/* Decodes a file whose size the description does not say, and one that is damaged. */
static void decoding(void)
{
    static unsigned char pixels[128 * 64 * 3 / 2];
    uint32_t size;
    unsigned char *bytes = file("odd.jpg", &size);
    void *in = uploaded(bytes, size), *out = NULL;
    acldvppPicDesc *picture = acldvppCreatePicDesc();
    OK(acldvppMalloc(&out, sizeof pixels));
    CODE(acldvppJpegDecodeAsync(channel, in, size, picture, stream), ACL_ERROR_INVALID_PARAM);
    OK(acldvppSetPicDescData(picture, out));
    OK(acldvppSetPicDescSize(picture, sizeof pixels));
    OK(acldvppSetPicDescFormat(picture, PIXEL_FORMAT_UNKNOWN));
    OK(acldvppJpegDecodeAsync(channel, in, size, picture, stream));
    OK(aclrtSynchronizeStream(stream));
    EQ(acldvppGetPicDescRetCode(picture), 0);
    EQ(acldvppGetPicDescFormat(picture), PIXEL_FORMAT_YVU_SEMIPLANAR_420);
    EQ(acldvppGetPicDescWidth(picture), 68);
    EQ(acldvppGetPicDescHeight(picture), 52);
    EQ(acldvppGetPicDescWidthStride(picture), 128);
    EQ(acldvppGetPicDescHeightStride(picture), 64);
    from_device(pixels, out, sizeof pixels);
    /* The file is made by crates/media/samples/make.py: 30 + (3x + 2y) % 180. V comes first. */
    CHECK(abs(pixels[3 * 128 + 10] - (30 + 36)) <= 2);
    CHECK(abs(pixels[3 * 128 + 67] - pixels[3 * 128 + 66]) == 0);
    CHECK(abs(pixels[64 * 128 + 2 * 128 + 6] - (90 + (3 * 7 + 2 * 11) % 70)) <= 4);
    CHECK(abs(pixels[64 * 128 + 2 * 128 + 7] - (100 + 56 * ((3 + 2) % 2))) <= 4);

    OK(acldvppSetPicDescWidthStride(picture, 80));
    CODE(acldvppJpegDecodeAsync(channel, in, size, picture, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("multiple of 64");
    OK(acldvppSetPicDescWidthStride(picture, 128));
    OK(acldvppSetPicDescSize(picture, 100));
    CODE(acldvppJpegDecodeAsync(channel, in, size, picture, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("acldvppJpegPredictDecSize");
    OK(acldvppSetPicDescSize(picture, sizeof pixels));
    CODE(acldvppJpegDecodeAsync(channel, NULL, size, picture, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppJpegDecodeAsync(channel, in, 0, picture, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppJpegDecodeAsync(channel, in, size, NULL, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppJpegDecodeAsync(NULL, in, size, picture, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppJpegDecodeAsync(channel, bytes, size, picture, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("acldvppMalloc");
    OK(acldvppSetPicDescFormat(picture, PIXEL_FORMAT_BGR_888));
    CODE(acldvppJpegDecodeAsync(channel, in, size, picture, stream), ACL_ERROR_INVALID_PARAM);

    /* Half of the file: the task fails, and says so in the description and on the stream. */
    aclrtStream broken = NULL;
    OK(aclrtCreateStream(&broken));
    OK(acldvppSetPicDescFormat(picture, PIXEL_FORMAT_YVU_SEMIPLANAR_420));
    OK(acldvppJpegDecodeAsync(channel, in, size / 2, picture, broken));
    FAILS(aclrtSynchronizeStream(broken));
    MENTIONS("JPEG");
    EQ(acldvppGetPicDescRetCode(picture), 1);
    RETURNS(aclrtDestroyStream(broken));
    OK(acldvppDestroyPicDesc(picture));
    OK(acldvppFree(in));
    OK(acldvppFree(out));
}

static uint32_t loaded(const char *name, size_t bytes)
{
    char path[512];
    uint32_t model = 0;
    aclmdlDesc *desc = aclmdlCreateDesc();
    snprintf(path, sizeof path, "%s/%s", getenv("TEST_MODELS"), name);
    OK(aclmdlLoadFromFile(path, &model));
    OK(aclmdlGetDesc(desc, model));
    EQ(aclmdlGetInputSizeByIndex(desc, 0), bytes);
    EQ(aclmdlGetInputDataType(desc, 0), ACL_UINT8);
    OK(aclmdlDestroyDesc(desc));
    return model;
}

static void run(uint32_t model, void *image, size_t bytes, float *result, size_t size)
{
    aclmdlDataset *input = aclmdlCreateDataset(), *output = aclmdlCreateDataset();
    void *memory = to_device(NULL, size);
    add_buffer(input, image, bytes);
    add_buffer(output, memory, size);
    OK(aclmdlExecuteAsync(model, input, output, stream));
    OK(aclrtSynchronizeStream(stream));
    from_device(result, memory, size);
    OK(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(input, 0)));
    OK(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(output, 0)));
    OK(aclmdlDestroyDataset(input));
    OK(aclmdlDestroyDataset(output));
    OK(aclrtFree(memory));
}

static void close_to(float actual, float expected)
{
    if (!(fabsf(actual - expected) < 1e-3f)) {
        fprintf(stderr, "%f instead of %f\n", (double)actual, (double)expected);
        CHECK(0);
    }
}

static int byte(int value)
{
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

/* The whole way; the reference is the manual's formula, on the pixels that went in. */
static void classified(void)
{
    static unsigned char pixels[BYTES];
    static float result[3 * 24 * 32];
    static aclAippInfo info;
    static const int matrix[3][3] = {{256, 0, 359}, {256, -88, -183}, {256, 454, 0}};
    static const float mean[3] = {104, 117.5f, 123}, factor[3] = {0.5f, 1, 0.25f};
    uint32_t size, width, height;
    int32_t components;
    aclmdlInputAippType type;
    size_t attached = 0;
    unsigned char *bytes = file("420.jpg", &size);
    OK(acldvppJpegGetImageInfo(bytes, size, &width, &height, &components));
    void *in = uploaded(bytes, size), *decoded = NULL, *small = NULL;
    uint32_t stride = (width + 127) / 128 * 128, rows = (height + 15) / 16 * 16, needed = stride * rows * 3 / 2;
    OK(acldvppMalloc(&decoded, needed));
    OK(acldvppMalloc(&small, BYTES));

    acldvppPicDesc *whole = acldvppCreatePicDesc(), *part = acldvppCreatePicDesc();
    OK(acldvppSetPicDescData(whole, decoded));
    OK(acldvppSetPicDescSize(whole, needed));
    OK(acldvppSetPicDescFormat(whole, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
    OK(acldvppSetPicDescWidth(whole, width));
    OK(acldvppSetPicDescHeight(whole, height));
    OK(acldvppSetPicDescWidthStride(whole, stride));
    OK(acldvppSetPicDescHeightStride(whole, rows));
    OK(acldvppJpegDecodeAsync(channel, in, size, whole, stream));
    OK(acldvppSetPicDescData(part, small));
    OK(acldvppSetPicDescSize(part, BYTES));
    OK(acldvppSetPicDescFormat(part, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
    OK(acldvppSetPicDescWidth(part, WIDTH));
    OK(acldvppSetPicDescHeight(part, HEIGHT));
    OK(acldvppSetPicDescWidthStride(part, WIDTH));
    OK(acldvppSetPicDescHeightStride(part, HEIGHT));
    acldvppRoiConfig *crop = acldvppCreateRoiConfig(2, 61, 0, 49), *paste = acldvppCreateRoiConfig(0, 39, 0, 31);
    OK(acldvppVpcCropAndPasteAsync(channel, whole, part, crop, paste, stream));

    uint32_t model = loaded("aipp_yuv.om", BYTES);
    run(model, small, BYTES, result, sizeof result);
    from_device(pixels, small, BYTES);
    CHECK(pixels[0] != pixels[20]);
    for (int y = 0; y < 24; y++) {
        for (int x = 0; x < 32; x++) {
            int left = x - 1, top = y - 2, inside = left >= 0 && left < 28 && top >= 0 && top < 20;
            int column = left + 4, row = top + 2;
            for (int channels = 0; channels < 3; channels++) {
                float actual = result[(channels * 24 + y) * 32 + x];
                if (!inside) {
                    close_to(actual, 7);
                    continue;
                }
                const unsigned char *chroma = pixels + WIDTH * HEIGHT + row / 2 * WIDTH + column / 2 * 2;
                int sum = matrix[channels][0] * pixels[row * WIDTH + column] + matrix[channels][1] * (chroma[0] - 128) +
                    matrix[channels][2] * (chroma[1] - 128);
                close_to(actual, ((float)byte(sum >> 8) - mean[channels]) * factor[channels]);
            }
        }
    }

    OK(aclmdlGetAippType(model, 0, &type, &attached));
    EQ(type, ACL_DATA_WITH_STATIC_AIPP);
    EQ(attached, ACL_INVALID_NODE_INDEX);
    OK(aclmdlGetFirstAippInfo(model, 0, &info));
    EQ(info.inputFormat, ACL_YUV420SP_U8);
    EQ(info.srcImageSizeW, WIDTH);
    EQ(info.srcImageSizeH, HEIGHT);
    EQ(info.cropSizeW, 28);
    EQ(info.rightPaddingSize, 3);
    EQ(info.matrixR1C2, -183);
    EQ(info.meanChn2, 123);
    CHECK(info.varReciChn0 == 0.5f);
    EQ(info.shapeCount, 1);
    EQ(info.outDims[0].srcSize, BYTES);
    EQ(info.outDims[0].aippOutdims.dims[1], 3);
    EQ(info.outDims[0].aippOutSize, sizeof result);
    CODE(aclmdlGetAippType(model, 1, &type, &attached), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlGetAippType(model, 0, NULL, &attached), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlGetAippType(model, 0, &type, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlGetFirstAippInfo(model, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclmdlGetFirstAippInfo(model, 7, &info), ACL_ERROR_INVALID_PARAM);
    OK(aclmdlUnload(model));
    FAILS(aclmdlGetAippType(model, 0, &type, &attached));
    FAILS(aclmdlGetFirstAippInfo(model, 0, &info));

    OK(acldvppDestroyRoiConfig(crop));
    OK(acldvppDestroyRoiConfig(paste));
    OK(acldvppDestroyPicDesc(whole));
    OK(acldvppDestroyPicDesc(part));
    OK(acldvppFree(in));
    OK(acldvppFree(decoded));
    OK(acldvppFree(small));
}

/* The other kinds of images. */
static void formats(void)
{
    static unsigned char bytes[2 * 6 * 8 * 4];
    static float result[2 * 3 * 6 * 8];
    static const float least[3] = {123.675f, 116.28f, 103.53f}, factor[3] = {0.0171f, 0.0175f, 1};
    aclmdlInputAippType type;
    aclAippInfo *info = malloc(sizeof *info);
    size_t attached;
    for (size_t index = 0; index < sizeof bytes; index++) {
        bytes[index] = (unsigned char)(index * 37);
    }
    void *image = uploaded(bytes, sizeof bytes);

    uint32_t model = loaded("aipp_rgb.om", 2 * 6 * 8 * 3);
    run(model, image, 2 * 6 * 8 * 3, result, 2 * 3 * 6 * 8 * sizeof(float));
    for (int batch = 0; batch < 2; batch++) {
        for (int place = 0; place < 48; place++) {
            for (int channels = 0; channels < 3; channels++) {
                float pixel = bytes[(batch * 48 + place) * 3 + 2 - channels];
                close_to(result[(batch * 3 + channels) * 48 + place], (pixel - least[channels]) * factor[channels]);
            }
        }
    }
    OK(aclmdlUnload(model));

    /* Four channels; alpha comes last in memory and first in the model. */
    model = loaded("aipp_xrgb.om", 6 * 8 * 4);
    run(model, image, 6 * 8 * 4, result, 4 * 48 * sizeof(float));
    for (int place = 0; place < 48; place++) {
        close_to(result[place], bytes[place * 4 + 3]);
        close_to(result[48 + place], bytes[place * 4]);
        close_to(result[3 * 48 + place], (float)bytes[place * 4 + 2] - 10);
    }
    OK(aclmdlUnload(model));

    model = loaded("aipp_gray.om", 48);
    run(model, image, 48, result, 48 * sizeof(float));
    for (int place = 0; place < 48; place++) {
        close_to(result[place], 2 * (float)bytes[place]);
    }
    OK(aclmdlUnload(model));

    /* Colours to brightness: the first row of the matrix, and its bias. */
    model = loaded("aipp_luma.om", 48 * 3);
    run(model, image, 48 * 3, result, 48 * sizeof(float));
    for (int place = 0; place < 48; place++) {
        const unsigned char *pixel = bytes + place * 3;
        close_to(result[place], (float)byte(((76 * pixel[0] + 150 * pixel[1] + 30 * pixel[2]) >> 8) + 5));
    }
    OK(aclmdlUnload(model));
    OK(acldvppFree(image));

    char path[512];
    snprintf(path, sizeof path, "%s/add.onnx", getenv("TEST_MODELS"));
    OK(aclmdlLoadFromFile(path, &model));
    OK(aclmdlGetAippType(model, 1, &type, &attached));
    EQ(type, ACL_DATA_WITHOUT_AIPP);
    CODE(aclmdlGetFirstAippInfo(model, 1, info), ACL_ERROR_NOT_STATIC_AIPP);
    OK(aclmdlUnload(model));
    free(info);
}

/* Video and encoding say that they are not there. */
static void refused(void)
{
    CHECK(aclvdecCreateChannelDesc() == NULL);
    check_fetch_text();
    MENTIONS("video");
    CODE(aclvencCreateChannel(NULL), ACL_ERROR_API_NOT_SUPPORT);
    CODE(acldvppJpegEncodeAsync(channel, NULL, NULL, NULL, NULL, stream), ACL_ERROR_API_NOT_SUPPORT);
    CODE(acldvppPngDecodeAsync(channel, NULL, 0, NULL, stream), ACL_ERROR_API_NOT_SUPPORT);
    CHECK(aclmdlCreateAIPP(1) == NULL);
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    channel = acldvppCreateChannelDesc();
    OK(acldvppCreateChannel(channel));
    headers();
    decoding();
    classified();
    formats();
    refused();
    OK(acldvppDestroyChannel(channel));
    OK(acldvppDestroyChannelDesc(channel));
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
