/* Pictures: descriptions, areas, channels; resizing, cropping, pasting and converting, alone and in batches; and what is
 * wrong with arguments. */
#include "check.h"

#include <acl/ops/acl_dvpp.h>

static acldvppChannelDesc *channel;
static aclrtStream stream;

static acldvppPicDesc *picture(void *data, acldvppPixelFormat format, uint32_t width, uint32_t height, uint32_t stride,
    uint32_t rows, uint32_t size)
{
    acldvppPicDesc *desc = acldvppCreatePicDesc();
    CHECK(desc != NULL);
    OK(acldvppSetPicDescData(desc, data));
    OK(acldvppSetPicDescFormat(desc, format));
    OK(acldvppSetPicDescWidth(desc, width));
    OK(acldvppSetPicDescHeight(desc, height));
    OK(acldvppSetPicDescWidthStride(desc, stride));
    OK(acldvppSetPicDescHeightStride(desc, rows));
    OK(acldvppSetPicDescSize(desc, size));
    return desc;
}

static void upload(void *to, const void *from, size_t bytes)
{
    OK(aclrtMemcpy(to, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
}

static void download(void *to, const void *from, size_t bytes)
{
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(to, bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

static void descriptions(void)
{
    int host = 0;
    acldvppPicDesc *desc = acldvppCreatePicDesc();
    EQ(acldvppGetPicDescFormat(desc), PIXEL_FORMAT_YUV_400);
    CHECK(acldvppGetPicDescData(desc) == NULL);
    acldvppDestroyPicDesc(desc);

    desc = picture(&host, PIXEL_FORMAT_RGB_888, 1, 2, 3, 4, 5);
    EQ_PTR(acldvppGetPicDescData(desc), &host);
    EQ(acldvppGetPicDescFormat(desc), PIXEL_FORMAT_RGB_888);
    EQ(acldvppGetPicDescWidth(desc), 1);
    EQ(acldvppGetPicDescHeight(desc), 2);
    EQ(acldvppGetPicDescWidthStride(desc), 3);
    EQ(acldvppGetPicDescHeightStride(desc), 4);
    EQ(acldvppGetPicDescSize(desc), 5);
    OK(acldvppSetPicDescRetCode(desc, 7));
    EQ(acldvppGetPicDescRetCode(desc), 7);
    CODE(acldvppSetPicDescData(desc, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppSetPicDescData(NULL, &host), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppSetPicDescWidth((acldvppPicDesc *)&host, 1), ACL_ERROR_RT_INVALID_HANDLE);
    EQ(acldvppGetPicDescWidth(NULL), 0);
    OK(acldvppDestroyPicDesc(desc));
    CODE(acldvppDestroyPicDesc(desc), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(acldvppDestroyPicDesc(NULL), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppSetPicDescHeight(desc, 1), ACL_ERROR_RT_INVALID_HANDLE);
    EQ(acldvppGetPicDescHeight(desc), 0);

    acldvppBatchPicDesc *batch = acldvppCreateBatchPicDesc(2);
    acldvppPicDesc *second = acldvppGetPicDesc(batch, 1);
    CHECK(acldvppGetPicDesc(batch, 0) != second && second != NULL);
    OK(acldvppSetPicDescWidth(second, 9));
    EQ(acldvppGetPicDescWidth(acldvppGetPicDesc(batch, 1)), 9);
    CHECK(acldvppGetPicDesc(batch, 2) == NULL);
    CHECK(acldvppGetPicDesc(NULL, 0) == NULL);
    CHECK(acldvppCreateBatchPicDesc(0) == NULL);
    CHECK(acldvppCreateBatchPicDesc(257) == NULL);
    OK(acldvppDestroyBatchPicDesc(batch));
    CODE(acldvppDestroyBatchPicDesc(batch), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(acldvppSetPicDescWidth(second, 9), ACL_ERROR_RT_INVALID_HANDLE);

    acldvppRoiConfig *area = acldvppCreateRoiConfig(0, 1, 0, 1);
    OK(acldvppSetRoiConfigLeft(area, 2));
    OK(acldvppSetRoiConfigRight(area, 3));
    OK(acldvppSetRoiConfigTop(area, 4));
    OK(acldvppSetRoiConfigBottom(area, 5));
    OK(acldvppSetRoiConfig(area, 0, 1, 0, 1));
    CODE(acldvppSetRoiConfig(NULL, 0, 1, 0, 1), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppSetRoiConfigTop((acldvppRoiConfig *)channel, 1), ACL_ERROR_RT_INVALID_HANDLE);
    OK(acldvppDestroyRoiConfig(area));
    CODE(acldvppDestroyRoiConfig(area), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(acldvppSetRoiConfigLeft(area, 2), ACL_ERROR_RT_INVALID_HANDLE);

    acldvppResizeConfig *resize = acldvppCreateResizeConfig();
    EQ(acldvppGetResizeConfigInterpolation(resize), 0);
    OK(acldvppSetResizeConfigInterpolation(resize, 2));
    EQ(acldvppGetResizeConfigInterpolation(resize), 2);
    CODE(acldvppSetResizeConfigInterpolation(resize, 5), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppSetResizeConfigInterpolation(resize, 99), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppSetResizeConfigInterpolation(NULL, 1), ACL_ERROR_INVALID_PARAM);
    EQ(acldvppGetResizeConfigInterpolation(NULL), 0);
    OK(acldvppDestroyResizeConfig(resize));
    CODE(acldvppDestroyResizeConfig(resize), ACL_ERROR_RT_INVALID_HANDLE);
}

static void channels(void)
{
    acldvppChannelDesc *desc = acldvppCreateChannelDesc();
    uint32_t matrix = ACL_DVPP_CSC_MATRIX_BT709_NARROW, value = 0;
    uint64_t number = 0;
    size_t bytes = 0;
    OK(acldvppSetChannelDescMode(desc, DVPP_CHNMODE_JPEGD));
    CODE(acldvppSetChannelDescMode(desc, 0), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppSetChannelDescMode(desc, 16), ACL_ERROR_INVALID_PARAM);
    OK(acldvppSetChannelDescParam(desc, ACL_DVPP_CSC_MATRIX_UINT32, 4, &matrix));
    OK(acldvppGetChannelDescParam(desc, ACL_DVPP_CSC_MATRIX_UINT32, 4, &bytes, &value));
    EQ(value, matrix);
    EQ(bytes, 4);
    OK(acldvppGetChannelDescParam(desc, ACL_DVPP_MODE_UINT32, 4, &bytes, &value));
    EQ(value, DVPP_CHNMODE_JPEGD);
    matrix = 6;
    CODE(acldvppSetChannelDescParam(desc, ACL_DVPP_CSC_MATRIX_UINT32, 4, &matrix), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppSetChannelDescParam(desc, ACL_DVPP_CSC_MATRIX_UINT32, 8, &number), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppSetChannelDescParam(desc, ACL_DVPP_CHANNEL_ID_UINT64, 4, &value), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppSetChannelDescParam(desc, ACL_DVPP_CSC_MATRIX_UINT32, 4, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppGetChannelDescParam(desc, ACL_DVPP_CHANNEL_ID_UINT64, 4, &bytes, &value), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppGetChannelDescParam(desc, (acldvppChannelDescParamType)99, 8, &bytes, &number), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppGetChannelDescParam(desc, ACL_DVPP_MODE_UINT32, 4, NULL, &value), ACL_ERROR_INVALID_PARAM);
    EQ(acldvppGetChannelDescChannelId(desc), 0);
    CODE(acldvppDestroyChannel(desc), ACL_ERROR_INVALID_PARAM);
    OK(acldvppCreateChannel(desc));
    CHECK(acldvppGetChannelDescChannelId(desc) != 0);
    OK(acldvppGetChannelDescParam(desc, ACL_DVPP_CHANNEL_ID_UINT64, 8, &bytes, &number));
    EQ(number, acldvppGetChannelDescChannelId(desc));
    CODE(acldvppCreateChannel(desc), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppSetChannelDescMode(desc, 1), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcConvertColorAsync(desc, NULL, NULL, stream), ACL_ERROR_INVALID_PARAM);
    OK(acldvppDestroyChannel(desc));
    CODE(acldvppDestroyChannel(desc), ACL_ERROR_INVALID_PARAM);
    OK(acldvppDestroyChannelDesc(desc));
    CODE(acldvppDestroyChannelDesc(desc), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(acldvppCreateChannel(desc), ACL_ERROR_RT_INVALID_HANDLE);
    CODE(acldvppCreateChannel(NULL), ACL_ERROR_INVALID_PARAM);
    EQ(acldvppGetChannelDescChannelId(NULL), 0);
}

enum { WIDTH = 64, HEIGHT = 32, BYTES = WIDTH * HEIGHT * 3 / 2 };

/* Brightness grows to the right, chroma downwards. */
static void fill(uint8_t *bytes)
{
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            bytes[y * WIDTH + x] = (uint8_t)(x * 4);
        }
    }
    for (int y = 0; y < HEIGHT / 2; y++) {
        for (int x = 0; x < WIDTH; x++) {
            bytes[WIDTH * HEIGHT + y * WIDTH + x] = (uint8_t)(x % 2 ? 200 - y : 50 + y);
        }
    }
}

static void operations(void)
{
    static uint8_t source[BYTES], result[WIDTH * HEIGHT * 4];
    void *in, *out;
    fill(source);
    OK(acldvppMalloc(&in, BYTES));
    OK(acldvppMalloc(&out, sizeof result));
    upload(in, source, BYTES);
    acldvppPicDesc *input = picture(in, PIXEL_FORMAT_YUV_SEMIPLANAR_420, WIDTH, HEIGHT, WIDTH, HEIGHT, BYTES);
    acldvppResizeConfig *resize = acldvppCreateResizeConfig();
    OK(acldvppSetResizeConfigInterpolation(resize, 2));

    /* Half the size, every other pixel. */
    acldvppPicDesc *half = picture(out, PIXEL_FORMAT_YUV_SEMIPLANAR_420, 32, 16, 32, 16, 768);
    OK(acldvppSetPicDescRetCode(half, 9));
    OK(acldvppVpcResizeAsync(channel, input, half, resize, stream));
    download(result, out, 768);
    EQ(acldvppGetPicDescRetCode(half), 0);
    EQ(result[0], 0);
    EQ(result[5], 40);
    EQ(result[15 * 32 + 31], 248);
    EQ(result[512 + 3 * 32], 56);
    EQ(result[512 + 3 * 32 + 1], 194);
    /* Bilinear: between two pixels. */
    OK(acldvppSetResizeConfigInterpolation(resize, 1));
    OK(acldvppVpcResizeAsync(channel, input, half, resize, stream));
    download(result, out, 768);
    EQ(result[5], 42);

    /* An area, and into NV21. */
    acldvppRoiConfig *crop = acldvppCreateRoiConfig(8, 39, 4, 19);
    OK(acldvppSetPicDescFormat(half, PIXEL_FORMAT_YVU_SEMIPLANAR_420));
    OK(acldvppVpcCropAsync(channel, input, half, crop, stream));
    download(result, out, 768);
    EQ(result[0], 32);
    EQ(result[32 + 31], 156);
    EQ(result[512], 198);
    EQ(result[513], 52);
    OK(acldvppSetPicDescFormat(half, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
    OK(acldvppSetRoiConfig(crop, 0, 15, 0, 7));
    OK(acldvppSetResizeConfigInterpolation(resize, 2));
    OK(acldvppVpcCropResizeAsync(channel, input, half, crop, resize, stream));
    download(result, out, 768);
    EQ(result[31], 60);

    /* Pasting leaves the rest as it is. */
    acldvppRoiConfig *paste = acldvppCreateRoiConfig(16, 31, 8, 15);
    OK(aclrtMemset(out, sizeof result, 7, sizeof result));
    OK(acldvppVpcCropAndPasteAsync(channel, input, half, crop, paste, stream));
    download(result, out, 768);
    EQ(result[8 * 32 + 15], 7);
    EQ(result[8 * 32 + 16], 0);
    EQ(result[15 * 32 + 31], 60);
    EQ(result[7 * 32 + 20], 7);
    EQ(result[512 + 4 * 32 + 16], 50);
    OK(acldvppSetRoiConfig(paste, 0, 31, 0, 15));
    OK(acldvppVpcCropResizePasteAsync(channel, input, half, crop, paste, resize, stream));
    download(result, out, 768);
    EQ(result[31], 60);

    /* Colours: gray, and one that is far from gray. */
    memset(source, 128, BYTES);
    source[0] = source[1] = source[WIDTH] = source[WIDTH + 1] = 76;
    source[WIDTH * HEIGHT] = 85;
    source[WIDTH * HEIGHT + 1] = 255;
    upload(in, source, BYTES);
    acldvppPicDesc *colours = picture(out, PIXEL_FORMAT_BGR_888, WIDTH, HEIGHT, WIDTH * 3, HEIGHT, WIDTH * HEIGHT * 3);
    OK(acldvppVpcConvertColorAsync(channel, input, colours, stream));
    download(result, out, WIDTH * HEIGHT * 3);
    EQ(result[0], 0);
    EQ(result[1], 0);
    EQ(result[2], 254);
    EQ(result[6], 128);
    OK(acldvppSetPicDescFormat(colours, PIXEL_FORMAT_ARGB_8888));
    OK(acldvppSetPicDescWidthStride(colours, WIDTH * 4));
    OK(acldvppSetPicDescSize(colours, WIDTH * HEIGHT * 4));
    OK(acldvppVpcConvertColorAsync(channel, input, colours, stream));
    download(result, out, WIDTH * HEIGHT * 4);
    EQ(result[0], 255);
    EQ(result[1], 254);

    /* Batches: two areas of one picture and one of another. */
    fill(source);
    upload(in, source, BYTES);
    acldvppBatchPicDesc *sources = acldvppCreateBatchPicDesc(2), *targets = acldvppCreateBatchPicDesc(3);
    acldvppRoiConfig *crops[3] = {acldvppCreateRoiConfig(0, 31, 0, 15), acldvppCreateRoiConfig(32, 63, 0, 15),
        acldvppCreateRoiConfig(0, 31, 16, 31)};
    acldvppRoiConfig *pastes[3] = {paste, paste, paste};
    uint32_t counts[2] = {2, 1};
    for (uint32_t index = 0; index < 5; index++) {
        int is_source = index < 2;
        acldvppPicDesc *one = acldvppGetPicDesc(is_source ? sources : targets, is_source ? index : index - 2);
        uint32_t width = is_source ? WIDTH : 32, height = is_source ? HEIGHT : 16;
        OK(acldvppSetPicDescData(one, is_source ? in : (char *)out + (index - 2) * 768));
        OK(acldvppSetPicDescFormat(one, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
        OK(acldvppSetPicDescWidth(one, width));
        OK(acldvppSetPicDescHeight(one, height));
        OK(acldvppSetPicDescWidthStride(one, width));
        OK(acldvppSetPicDescHeightStride(one, height));
        OK(acldvppSetPicDescSize(one, width * height * 3 / 2));
    }
    OK(acldvppVpcBatchCropAsync(channel, sources, counts, 2, targets, crops, stream));
    download(result, out, 3 * 768);
    EQ(result[1], 4);
    EQ(result[768 + 1], 132);
    EQ(result[2 * 768 + 512], 58);
    OK(acldvppVpcBatchCropResizeAsync(channel, sources, counts, 2, targets, crops, resize, stream));
    OK(acldvppVpcBatchCropAndPasteAsync(channel, sources, counts, 2, targets, crops, pastes, stream));
    OK(acldvppVpcBatchCropResizePasteAsync(channel, sources, counts, 2, targets, crops, pastes, resize, stream));
    download(result, out, 3 * 768);
    EQ(result[768 + 1], 132);
    counts[1] = 2;
    CODE(acldvppVpcBatchCropAsync(channel, sources, counts, 2, targets, crops, stream), ACL_ERROR_INVALID_PARAM);
    counts[1] = 1;
    CODE(acldvppVpcBatchCropAsync(channel, sources, counts, 3, targets, crops, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcBatchCropAsync(channel, sources, NULL, 2, targets, crops, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcBatchCropAsync(channel, sources, counts, 2, targets, NULL, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcBatchCropAsync(channel, NULL, counts, 2, targets, crops, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcBatchCropAsync(channel, sources, counts, 2, NULL, crops, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcBatchCropResizeAsync(channel, sources, counts, 2, targets, crops, NULL, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcBatchCropAndPasteAsync(channel, sources, counts, 2, targets, crops, NULL, stream),
        ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcBatchCropResizePasteAsync(channel, sources, counts, 2, targets, crops, pastes, NULL, stream),
        ACL_ERROR_INVALID_PARAM);

    /* What is wrong with one call. */
    CODE(acldvppVpcResizeAsync(NULL, input, half, resize, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcResizeAsync(channel, NULL, half, resize, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcResizeAsync(channel, input, NULL, resize, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcResizeAsync(channel, input, half, NULL, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcCropAsync(channel, input, half, NULL, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcCropResizeAsync(channel, input, half, NULL, resize, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcCropAndPasteAsync(channel, input, half, crop, NULL, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcCropResizePasteAsync(channel, input, half, crop, paste, NULL, stream), ACL_ERROR_INVALID_PARAM);
    CODE(acldvppVpcConvertColorAsync(channel, input, half, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("does not resize");
    OK(acldvppSetRoiConfig(crop, 1, 20, 0, 9));
    CODE(acldvppVpcCropAsync(channel, input, half, crop, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("must be even");
    OK(acldvppSetRoiConfig(crop, 0, 65, 0, 9));
    CODE(acldvppVpcCropAsync(channel, input, half, crop, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("not inside the picture, which is 64");
    OK(acldvppSetPicDescSize(half, 767));
    CODE(acldvppVpcResizeAsync(channel, input, half, resize, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("needs 768");
    OK(acldvppSetPicDescSize(half, 768));
    OK(acldvppSetPicDescFormat(half, PIXEL_FORMAT_YVU_PLANAR_420));
    CODE(acldvppVpcResizeAsync(channel, input, half, resize, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("formats 0 to 17");
    OK(acldvppSetPicDescFormat(half, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
    OK(acldvppSetPicDescWidth(half, 31));
    CODE(acldvppVpcResizeAsync(channel, input, half, resize, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("multiple of 2");
    OK(acldvppSetPicDescWidth(half, 32));
    OK(acldvppSetPicDescData(half, source));
    CODE(acldvppVpcResizeAsync(channel, input, half, resize, stream), ACL_ERROR_INVALID_PARAM);
    MENTIONS("acldvppMalloc");
    OK(acldvppSetPicDescData(half, out));

    for (int index = 0; index < 3; index++) {
        OK(acldvppDestroyRoiConfig(crops[index]));
    }
    OK(acldvppDestroyBatchPicDesc(sources));
    OK(acldvppDestroyBatchPicDesc(targets));
    OK(acldvppDestroyRoiConfig(crop));
    OK(acldvppDestroyRoiConfig(paste));
    OK(acldvppDestroyResizeConfig(resize));
    OK(acldvppDestroyPicDesc(colours));
    OK(acldvppDestroyPicDesc(half));
    OK(acldvppDestroyPicDesc(input));
    OK(acldvppFree(in));
    OK(acldvppFree(out));
}

/* An operation is captured as any other work. */
static void captured(void)
{
    static uint8_t source[BYTES], result[768];
    void *in, *out;
    aclmdlRI graph = NULL;
    OK(acldvppMalloc(&in, BYTES));
    OK(acldvppMalloc(&out, 768));
    OK(aclrtMemset(in, BYTES, 3, BYTES));
    OK(aclrtMemset(out, 768, 0, 768));
    acldvppPicDesc *input = picture(in, PIXEL_FORMAT_YUV_SEMIPLANAR_420, WIDTH, HEIGHT, WIDTH, HEIGHT, BYTES);
    acldvppPicDesc *half = picture(out, PIXEL_FORMAT_YUV_SEMIPLANAR_420, 32, 16, 32, 16, 768);
    acldvppResizeConfig *resize = acldvppCreateResizeConfig();
    OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    OK(acldvppVpcResizeAsync(channel, input, half, resize, stream));
    OK(aclmdlRICaptureEnd(stream, &graph));
    download(result, out, 768);
    EQ(result[0], 0);
    fill(source);
    upload(in, source, BYTES);
    OK(aclmdlRIExecuteAsync(graph, stream));
    download(result, out, 768);
    EQ(result[5], 42);
    OK(aclmdlRIDestroy(graph));
    OK(acldvppDestroyResizeConfig(resize));
    OK(acldvppDestroyPicDesc(half));
    OK(acldvppDestroyPicDesc(input));
    OK(acldvppFree(in));
    OK(acldvppFree(out));
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    channel = acldvppCreateChannelDesc();
    OK(acldvppCreateChannel(channel));
    descriptions();
    channels();
    operations();
    captured();
    OK(acldvppDestroyChannel(channel));
    CODE(acldvppVpcConvertColorAsync(channel, NULL, NULL, stream), ACL_ERROR_INVALID_PARAM);
    OK(acldvppDestroyChannelDesc(channel));
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
