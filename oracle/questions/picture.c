/* Pictures: descriptions, areas, channels; resizing, cropping, pasting, converting; JPEG files, which are made here. */
#include "../oracle.h"
#define GROUP "picture"

/* Memory of every picture is larger than any rule about sizes and strides asks for, so that a library may read a rule differently. */
enum { ROOM = 256 << 10, WIDTH = 64, HEIGHT = 32 };

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The channel that operations of one process share. */
static acldvppChannelDesc *channel(void)
{
    static acldvppChannelDesc *made;
    if (!made) {
        acldvppChannelDesc *fresh = CALL(acldvppCreateChannelDesc)();
        need("acldvppCreateChannel", CALL(acldvppCreateChannel)(fresh));
        made = fresh;
    }
    return made;
}

static unsigned char *media_block(size_t bytes)
{
    void *block = NULL;
    need("acldvppMalloc", CALL(acldvppMalloc)(&block, bytes));
    need("aclrtMemset", CALL(aclrtMemset)(block, bytes, 7, bytes));
    return block;
}

/* Bytes of a row, and of the whole picture, by its format. */
static uint32_t row_bytes(int format, uint32_t width)
{
    if (format >= PIXEL_FORMAT_ARGB_8888 && format <= PIXEL_FORMAT_BGRA_8888) {
        return width * 4;
    }
    if (format >= PIXEL_FORMAT_YUV_PACKED_444 && format <= PIXEL_FORMAT_BGR_888) {
        return width * 3;
    }
    return format >= PIXEL_FORMAT_YUYV_PACKED_422 && format <= PIXEL_FORMAT_VYUY_PACKED_422 ? width * 2 : width;
}

static uint32_t all_bytes(int format, uint32_t stride, uint32_t rows)
{
    switch (format) {
    case PIXEL_FORMAT_YUV_SEMIPLANAR_420:
    case PIXEL_FORMAT_YVU_SEMIPLANAR_420:
        return stride * rows * 3 / 2;
    case PIXEL_FORMAT_YUV_SEMIPLANAR_422:
    case PIXEL_FORMAT_YVU_SEMIPLANAR_422:
        return stride * rows * 2;
    case PIXEL_FORMAT_YUV_SEMIPLANAR_444:
    case PIXEL_FORMAT_YVU_SEMIPLANAR_444:
        return stride * rows * 3;
    default:
        return stride * rows;
    }
}

static void describe(acldvppPicDesc *picture, void *memory, int format, uint32_t width, uint32_t height, uint32_t stride, uint32_t rows)
{
    need("acldvppSetPicDescData", CALL(acldvppSetPicDescData)(picture, memory));
    need("acldvppSetPicDescFormat", CALL(acldvppSetPicDescFormat)(picture, (acldvppPixelFormat)format));
    need("acldvppSetPicDescWidth", CALL(acldvppSetPicDescWidth)(picture, width));
    need("acldvppSetPicDescHeight", CALL(acldvppSetPicDescHeight)(picture, height));
    need("acldvppSetPicDescWidthStride", CALL(acldvppSetPicDescWidthStride)(picture, stride));
    need("acldvppSetPicDescHeightStride", CALL(acldvppSetPicDescHeightStride)(picture, rows));
    need("acldvppSetPicDescSize", CALL(acldvppSetPicDescSize)(picture, all_bytes(format, stride, rows)));
}

static acldvppPicDesc *picture_of(int format, uint32_t width, uint32_t height)
{
    acldvppPicDesc *picture = CALL(acldvppCreatePicDesc)();
    uint32_t bytes = all_bytes(format, row_bytes(format, width + 16), height + 16);
    describe(picture, media_block(bytes > ROOM ? bytes : ROOM), format, width, height, row_bytes(format, width), height);
    return picture;
}

/* YUV420SP: luma is 2x + 3y, chroma 100 and 150. */
static acldvppPicDesc *source(void)
{
    static unsigned char pixels[WIDTH * HEIGHT * 3 / 2];
    acldvppPicDesc *picture = picture_of(PIXEL_FORMAT_YUV_SEMIPLANAR_420, WIDTH, HEIGHT);
    for (int index = 0; index < WIDTH * HEIGHT * 3 / 2; index++) {
        int x = index % WIDTH, y = index / WIDTH;
        pixels[index] = (unsigned char)(y < HEIGHT ? 2 * x + 3 * y : x % 2 ? 150 : 100);
    }
    void *memory = CALL(acldvppGetPicDescData)(picture);
    need("aclrtMemcpy", CALL(aclrtMemcpy)(memory, sizeof pixels, pixels, sizeof pixels, ACL_MEMCPY_HOST_TO_DEVICE));
    return picture;
}

static acldvppPicDesc *target(uint32_t width, uint32_t height)
{
    return picture_of(PIXEL_FORMAT_YUV_SEMIPLANAR_420, width, height);
}

static unsigned at(const acldvppPicDesc *picture, size_t offset)
{
    unsigned char byte = 0;
    char *memory = CALL(acldvppGetPicDescData)(picture);
    need("aclrtMemcpy", CALL(aclrtMemcpy)(&byte, 1, memory + offset, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    return byte;
}

/* What the call returned; if it was accepted, how waiting ended and the return code of the output. */
static bool ended(const char *name, aclError status, aclrtStream stream, const acldvppPicDesc *output)
{
    if (status != 0) {
        code(name, status);
        return false;
    }
    aclError waited = CALL(aclrtSynchronizeStreamWithTimeout)(stream, 50000);
    fact(name, "%d:%d:%u", status, waited, CALL(acldvppGetPicDescRetCode)(output));
    return waited == 0;
}

QUESTION(description, "acldvppCreatePicDesc acldvppDestroyPicDesc acldvppGetPicDescData acldvppGetPicDescSize acldvppGetPicDescFormat acldvppGetPicDescWidth acldvppGetPicDescHeight acldvppGetPicDescWidthStride acldvppGetPicDescHeightStride acldvppGetPicDescRetCode", "What does a new description of a picture say?")
{
    acldvppPicDesc *picture = CALL(acldvppCreatePicDesc)();
    fact("data", "%s", pointer(CALL(acldvppGetPicDescData)(picture)));
    code("size", CALL(acldvppGetPicDescSize)(picture));
    code("format", CALL(acldvppGetPicDescFormat)(picture));
    code("width", CALL(acldvppGetPicDescWidth)(picture));
    code("height", CALL(acldvppGetPicDescHeight)(picture));
    code("width_stride", CALL(acldvppGetPicDescWidthStride)(picture));
    code("height_stride", CALL(acldvppGetPicDescHeightStride)(picture));
    code("code", CALL(acldvppGetPicDescRetCode)(picture));
    code("destroy", CALL(acldvppDestroyPicDesc)(picture));
}

QUESTION(description_values, "acldvppSetPicDescData acldvppSetPicDescSize acldvppSetPicDescFormat acldvppSetPicDescWidth acldvppSetPicDescHeight acldvppSetPicDescWidthStride acldvppSetPicDescHeightStride acldvppSetPicDescRetCode", "Does a description keep every value as it is set, also one that no picture can have?")
{
    acldvppPicDesc *picture = CALL(acldvppCreatePicDesc)();
    char *memory = (char *)media_block(256);
    code("data", CALL(acldvppSetPicDescData)(picture, memory + 1));
    fact("same", "%s", CALL(acldvppGetPicDescData)(picture) == memory + 1 ? "yes" : "no");
    code("no_data", CALL(acldvppSetPicDescData)(picture, NULL));
    fact("then", "%s", pointer(CALL(acldvppGetPicDescData)(picture)));
    RESULT("size", CALL(acldvppSetPicDescSize)(picture, UINT32_MAX), CALL(acldvppGetPicDescSize)(picture));
    RESULT("rgb", CALL(acldvppSetPicDescFormat)(picture, PIXEL_FORMAT_RGB_888), CALL(acldvppGetPicDescFormat)(picture));
    RESULT("unlisted", CALL(acldvppSetPicDescFormat)(picture, (acldvppPixelFormat)999), CALL(acldvppGetPicDescFormat)(picture));
    RESULT("width", CALL(acldvppSetPicDescWidth)(picture, 1), CALL(acldvppGetPicDescWidth)(picture));
    RESULT("height", CALL(acldvppSetPicDescHeight)(picture, 100000), CALL(acldvppGetPicDescHeight)(picture));
    RESULT("width_stride", CALL(acldvppSetPicDescWidthStride)(picture, 0), CALL(acldvppGetPicDescWidthStride)(picture));
    RESULT("height_stride", CALL(acldvppSetPicDescHeightStride)(picture, 3), CALL(acldvppGetPicDescHeightStride)(picture));
    RESULT("code", CALL(acldvppSetPicDescRetCode)(picture, 77), CALL(acldvppGetPicDescRetCode)(picture));
}

QUESTION_ALONE(description_twice, "acldvppDestroyPicDesc", "What does destroying the description of a picture twice return?")
{
    acldvppPicDesc *picture = CALL(acldvppCreatePicDesc)();
    code("first", CALL(acldvppDestroyPicDesc)(picture));
    code("second", CALL(acldvppDestroyPicDesc)(picture));
}

QUESTION(batch, "acldvppCreateBatchPicDesc acldvppGetPicDesc acldvppDestroyBatchPicDesc", "How many pictures may a batch have, and what are its descriptions?")
{
    static const uint32_t sizes[] = {0, 1, 2, 255, 256, 257};
    for (size_t index = 0; index < sizeof sizes / sizeof *sizes; index++) {
        char name[16];
        snprintf(name, sizeof name, "of%u", sizes[index]);
        acldvppBatchPicDesc *batch = CALL(acldvppCreateBatchPicDesc)(sizes[index]);
        fact(name, "%s", pointer(batch));
        if (batch) {
            CALL(acldvppDestroyBatchPicDesc)(batch);
        }
    }
    acldvppBatchPicDesc *batch = CALL(acldvppCreateBatchPicDesc)(2);
    acldvppPicDesc *first = CALL(acldvppGetPicDesc)(batch, 0), *second = CALL(acldvppGetPicDesc)(batch, 1);
    fact("differ", "%s", first != second ? "yes" : "no");
    fact("again", "%s", CALL(acldvppGetPicDesc)(batch, 1) == second ? "same" : "other");
    fact("outside", "%s", pointer(CALL(acldvppGetPicDesc)(batch, 2)));
    code("width", CALL(acldvppGetPicDescWidth)(second));
    code("destroy", CALL(acldvppDestroyBatchPicDesc)(batch));
}

QUESTION_ALONE(batch_member, "acldvppDestroyPicDesc acldvppDestroyBatchPicDesc acldvppGetPicDesc", "May one description of a batch be destroyed alone?")
{
    acldvppBatchPicDesc *batch = CALL(acldvppCreateBatchPicDesc)(2);
    code("member", CALL(acldvppDestroyPicDesc)(CALL(acldvppGetPicDesc)(batch, 0)));
    fact("other", "%s", pointer(CALL(acldvppGetPicDesc)(batch, 1)));
    code("batch", CALL(acldvppDestroyBatchPicDesc)(batch));
}

QUESTION(area, "acldvppCreateRoiConfig acldvppSetRoiConfig acldvppSetRoiConfigLeft acldvppSetRoiConfigRight acldvppSetRoiConfigTop acldvppSetRoiConfigBottom acldvppDestroyRoiConfig", "Are the edges of an area checked when they are set?")
{
    acldvppRoiConfig *area = CALL(acldvppCreateRoiConfig)(0, 15, 0, 15);
    fact("good", "%s", pointer(area));
    fact("reversed", "%s", pointer(CALL(acldvppCreateRoiConfig)(15, 0, 15, 0)));
    fact("odd", "%s", pointer(CALL(acldvppCreateRoiConfig)(1, 16, 1, 16)));
    fact("far", "%s", pointer(CALL(acldvppCreateRoiConfig)(100000, 200000, 0, 15)));
    code("left", CALL(acldvppSetRoiConfigLeft)(area, 1));
    code("right", CALL(acldvppSetRoiConfigRight)(area, 0));
    code("top", CALL(acldvppSetRoiConfigTop)(area, 100000));
    code("bottom", CALL(acldvppSetRoiConfigBottom)(area, UINT32_MAX));
    code("all", CALL(acldvppSetRoiConfig)(area, 15, 0, 15, 0));
    code("destroy", CALL(acldvppDestroyRoiConfig)(area));
}

QUESTION_ALONE(area_twice, "acldvppDestroyRoiConfig acldvppDestroyResizeConfig", "What does destroying an area and a resize configuration twice return?")
{
    acldvppRoiConfig *area = CALL(acldvppCreateRoiConfig)(0, 15, 0, 15);
    acldvppResizeConfig *config = CALL(acldvppCreateResizeConfig)();
    code("area", CALL(acldvppDestroyRoiConfig)(area));
    code("area_again", CALL(acldvppDestroyRoiConfig)(area));
    code("config", CALL(acldvppDestroyResizeConfig)(config));
    code("config_again", CALL(acldvppDestroyResizeConfig)(config));
}

QUESTION(interpolation, "acldvppCreateResizeConfig acldvppSetResizeConfigInterpolation acldvppGetResizeConfigInterpolation acldvppDestroyResizeConfig", "Which interpolations does a resize configuration accept, and which one has it at first?")
{
    acldvppResizeConfig *config = CALL(acldvppCreateResizeConfig)();
    code("first", CALL(acldvppGetResizeConfigInterpolation)(config));
    for (uint32_t value = 0; value <= 6; value++) {
        char name[16];
        snprintf(name, sizeof name, "set%u", value);
        RESULT(name, CALL(acldvppSetResizeConfigInterpolation)(config, value), CALL(acldvppGetResizeConfigInterpolation)(config));
    }
    code("destroy", CALL(acldvppDestroyResizeConfig)(config));
}

QUESTION(channel_modes, "acldvppSetChannelDescMode", "Which modes does the description of a channel accept?")
{
    static const uint32_t modes[] = {0, 1, 2, 3, 4, 8, 15, 16, 17, UINT32_MAX};
    acldvppChannelDesc *made = CALL(acldvppCreateChannelDesc)();
    for (size_t index = 0; index < sizeof modes / sizeof *modes; index++) {
        char name[16];
        snprintf(name, sizeof name, "m%x", modes[index]);
        code(name, CALL(acldvppSetChannelDescMode)(made, modes[index]));
    }
    code("destroy", CALL(acldvppDestroyChannelDesc)(made));
}

QUESTION(channel_values, "acldvppCreateChannelDesc acldvppGetChannelDescParam acldvppGetChannelDescChannelId", "What does a new description of a channel say?")
{
    static const int kinds[] = {ACL_DVPP_CSC_MATRIX_UINT32, ACL_DVPP_MODE_UINT32, ACL_DVPP_CHANNEL_ID_UINT64, ACL_DVPP_CHANNEL_HEIGHT_UINT32, ACL_DVPP_CHANNEL_WIDTH_UINT32, 99};
    acldvppChannelDesc *made = CALL(acldvppCreateChannelDesc)();
    for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
        uint64_t value = 0;
        size_t bytes = 0;
        char name[16];
        snprintf(name, sizeof name, "p%d", kinds[index]);
        aclError status = CALL(acldvppGetChannelDescParam)(made, (acldvppChannelDescParamType)kinds[index], sizeof value, &bytes, &value);
        fact(name, "%d:%zu:%llu", status, bytes, (unsigned long long)value);
    }
    code("id", (long long)CALL(acldvppGetChannelDescChannelId)(made));
}

QUESTION(channel_parameters, "acldvppSetChannelDescParam acldvppGetChannelDescParam", "Which attributes of a channel can be set, to what, and with which length?")
{
    static const struct { const char *name; int kind; size_t length; uint64_t value; } rows[] = {
        {"matrix5", 0, 4, 5}, {"matrix6", 0, 4, 6}, {"matrix_long", 0, 8, 1}, {"matrix_short", 0, 2, 1}, {"mode1", 1, 4, 1}, {"mode0", 1, 4, 0},
        {"id", 2, 8, 1}, {"id_short", 2, 4, 1}, {"height", 3, 4, 1080}, {"width", 4, 4, 1920}, {"height0", 3, 4, 0}, {"width99999", 4, 4, 99999}, {"unlisted", 99, 4, 1},
    };
    acldvppChannelDesc *made = CALL(acldvppCreateChannelDesc)();
    uint32_t value = 0;
    size_t bytes = 0;
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        code(rows[index].name, CALL(acldvppSetChannelDescParam)(made, (acldvppChannelDescParamType)rows[index].kind, rows[index].length, &rows[index].value));
    }
    code("no_value", CALL(acldvppSetChannelDescParam)(made, ACL_DVPP_CSC_MATRIX_UINT32, 4, NULL));
    RESULT("get", CALL(acldvppGetChannelDescParam)(made, ACL_DVPP_CSC_MATRIX_UINT32, 4, &bytes, &value), value);
    code("get_short", CALL(acldvppGetChannelDescParam)(made, ACL_DVPP_CSC_MATRIX_UINT32, 2, &bytes, &value));
    code("get_no_size", CALL(acldvppGetChannelDescParam)(made, ACL_DVPP_CSC_MATRIX_UINT32, 4, NULL, &value));
    code("get_no_value", CALL(acldvppGetChannelDescParam)(made, ACL_DVPP_CSC_MATRIX_UINT32, 4, &bytes, NULL));
}

QUESTION_ALONE(channel_life, "acldvppCreateChannel acldvppDestroyChannel acldvppGetChannelDescChannelId acldvppSetChannelDescMode acldvppDestroyChannelDesc", "In which order may a channel be created, changed and destroyed?")
{
    acldvppChannelDesc *made = CALL(acldvppCreateChannelDesc)();
    code("destroy_early", CALL(acldvppDestroyChannel)(made));
    code("create", CALL(acldvppCreateChannel)(made));
    fact("~id", "%llu", (unsigned long long)CALL(acldvppGetChannelDescChannelId)(made));
    code("create_again", CALL(acldvppCreateChannel)(made));
    code("change", CALL(acldvppSetChannelDescMode)(made, DVPP_CHNMODE_VPC));
    code("destroy", CALL(acldvppDestroyChannel)(made));
    code("destroy_again", CALL(acldvppDestroyChannel)(made));
    code("create_later", CALL(acldvppCreateChannel)(made));
    code("destroy_later", CALL(acldvppDestroyChannel)(made));
    code("description", CALL(acldvppDestroyChannelDesc)(made));
}

QUESTION_ALONE(channel_description_first, "acldvppDestroyChannelDesc acldvppCreateChannel", "May the description of a channel be destroyed while the channel exists?")
{
    acldvppChannelDesc *made = CALL(acldvppCreateChannelDesc)();
    need("acldvppCreateChannel", CALL(acldvppCreateChannel)(made));
    code("description", CALL(acldvppDestroyChannelDesc)(made));
}

QUESTION_IN(INITIALISED, channel_without_device, "acldvppCreateChannelDesc acldvppCreateChannel acldvppCreatePicDesc", "What do a channel and descriptions return in a thread without a device?")
{
    acldvppChannelDesc *made = CALL(acldvppCreateChannelDesc)();
    fact("description", "%s", pointer(made));
    code("create", CALL(acldvppCreateChannel)(made));
    fact("picture", "%s", pointer(CALL(acldvppCreatePicDesc)()));
}

QUESTION_ALONE(channel_needed, "acldvppVpcResizeAsync acldvppVpcConvertColorAsync acldvppCreateChannel acldvppSetChannelDescMode", "What does an operation return for a channel that is not created, is for another mode, or was destroyed?")
{
    acldvppPicDesc *input = source(), *output = target(128, 64);
    acldvppResizeConfig *config = CALL(acldvppCreateResizeConfig)();
    acldvppChannelDesc *made = CALL(acldvppCreateChannelDesc)(), *decoder = CALL(acldvppCreateChannelDesc)();
    aclrtStream stream = new_stream();
    code("not_created", CALL(acldvppVpcResizeAsync)(made, input, output, config, stream));
    need("mode", CALL(acldvppSetChannelDescMode)(decoder, DVPP_CHNMODE_JPEGD));
    need("acldvppCreateChannel", CALL(acldvppCreateChannel)(decoder));
    code("other_mode", CALL(acldvppVpcResizeAsync)(decoder, input, output, config, stream));
    need("acldvppCreateChannel", CALL(acldvppCreateChannel)(made));
    need("acldvppDestroyChannel", CALL(acldvppDestroyChannel)(made));
    code("destroyed", CALL(acldvppVpcResizeAsync)(made, input, output, config, stream));
    code("none", CALL(acldvppVpcConvertColorAsync)(NULL, input, output, stream));
}

QUESTION(resize, "acldvppVpcResizeAsync acldvppGetPicDescRetCode", "What are the pixels of a ramp that is enlarged two times?")
{
    acldvppPicDesc *input = source(), *output = target(128, 64);
    aclrtStream stream = new_stream();
    acldvppResizeConfig *config = CALL(acldvppCreateResizeConfig)();
    if (ended("resize", CALL(acldvppVpcResizeAsync)(channel(), input, output, config, stream), stream, output)) {
        fact("row", "%u,%u,%u,%u", at(output, 0), at(output, 1), at(output, 2), at(output, 127));
        fact("inside", "%u,%u", at(output, 20 * 128 + 40), at(output, 20 * 128 + 41));
        fact("chroma", "%u,%u", at(output, 64 * 128), at(output, 64 * 128 + 1));
        code("behind", at(output, 128 * 64 * 3 / 2));
    }
}

QUESTION(resize_nearest, "acldvppVpcResizeAsync acldvppSetResizeConfigInterpolation", "Which pixels does interpolation 2 take when a ramp is enlarged and shrunk?")
{
    acldvppPicDesc *input = source(), *larger = target(128, 64), *smaller = target(32, 16);
    aclrtStream stream = new_stream();
    acldvppResizeConfig *config = CALL(acldvppCreateResizeConfig)();
    code("set", CALL(acldvppSetResizeConfigInterpolation)(config, 2));
    if (ended("larger", CALL(acldvppVpcResizeAsync)(channel(), input, larger, config, stream), stream, larger)) {
        fact("large", "%u,%u,%u,%u", at(larger, 0), at(larger, 1), at(larger, 2), at(larger, 3));
    }
    if (ended("smaller", CALL(acldvppVpcResizeAsync)(channel(), input, smaller, config, stream), stream, smaller)) {
        fact("small", "%u,%u,%u,%u", at(smaller, 0), at(smaller, 1), at(smaller, 2), at(smaller, 32));
    }
}

QUESTION(resize_reads, "acldvppVpcResizeAsync acldvppSetPicDescWidth acldvppDestroyPicDesc", "Does a queued operation use its descriptions as they were at the call?")
{
    acldvppPicDesc *input = source(), *output = target(128, 64);
    aclrtStream stream = new_stream();
    acldvppResizeConfig *config = CALL(acldvppCreateResizeConfig)();
    struct gate *gate = new_gate(stream);
    code("resize", CALL(acldvppVpcResizeAsync)(channel(), input, output, config, stream));
    code("change", CALL(acldvppSetPicDescWidth)(input, 32));
    code("interpolation", CALL(acldvppSetResizeConfigInterpolation)(config, 2));
    open_gate(gate);
    code("synchronize", CALL(aclrtSynchronizeStream)(stream));
    fact("row", "%u,%u,%u", at(output, 0), at(output, 1), at(output, 127));
}

QUESTION_ALONE(resize_destroyed, "acldvppVpcResizeAsync acldvppDestroyPicDesc acldvppDestroyResizeConfig", "May the input's description and the configuration be destroyed before the operation runs?")
{
    acldvppPicDesc *input = source(), *output = target(128, 64);
    aclrtStream stream = new_stream();
    acldvppResizeConfig *config = CALL(acldvppCreateResizeConfig)();
    acldvppChannelDesc *shared = channel();
    struct gate *gate = new_gate(stream);
    code("resize", CALL(acldvppVpcResizeAsync)(shared, input, output, config, stream));
    code("input", CALL(acldvppDestroyPicDesc)(input));
    code("config", CALL(acldvppDestroyResizeConfig)(config));
    open_gate(gate);
    code("synchronize", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 50000));
    fact("row", "%u,%u,%u", at(output, 0), at(output, 1), at(output, 127));
}

QUESTION_ALONE(resize_captured, "acldvppVpcResizeAsync", "Can an operation on pictures be captured in a graph?")
{
    acldvppPicDesc *input = source(), *output = target(128, 64);
    aclrtStream stream = new_stream();
    acldvppResizeConfig *config = CALL(acldvppCreateResizeConfig)();
    acldvppChannelDesc *shared = channel();
    aclmdlRI graph = NULL;
    need("aclmdlRICaptureBegin", CALL(aclmdlRICaptureBegin)(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    code("resize", CALL(acldvppVpcResizeAsync)(shared, input, output, config, stream));
    code("end", CALL(aclmdlRICaptureEnd)(stream, &graph));
    fact("graph", "%s", pointer(graph));
    code("before", at(output, 127));
    if (graph) {
        code("run", CALL(aclmdlRIExecuteAsync)(graph, stream));
        code("synchronize", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 50000));
        code("after", at(output, 127));
    }
}

QUESTION(resize_default_stream, "acldvppVpcResizeAsync", "Do operations on pictures run in the default stream?")
{
    acldvppPicDesc *input = source(), *output = target(128, 64);
    ended("resize", CALL(acldvppVpcResizeAsync)(channel(), input, output, CALL(acldvppCreateResizeConfig)(), NULL), NULL, output);
}

QUESTION(resize_null, "acldvppVpcResizeAsync", "What does acldvppVpcResizeAsync return if one argument is missing?")
{
    acldvppPicDesc *input = source(), *output = target(128, 64), *empty = CALL(acldvppCreatePicDesc)();
    acldvppResizeConfig *config = CALL(acldvppCreateResizeConfig)();
    aclrtStream stream = new_stream();
    code("input", CALL(acldvppVpcResizeAsync)(channel(), NULL, output, config, stream));
    code("output", CALL(acldvppVpcResizeAsync)(channel(), input, NULL, config, stream));
    code("config", CALL(acldvppVpcResizeAsync)(channel(), input, output, NULL, stream));
    code("empty_input", CALL(acldvppVpcResizeAsync)(channel(), empty, output, config, stream));
    code("empty_output", CALL(acldvppVpcResizeAsync)(channel(), input, empty, config, stream));
}

/* Resizes from one size to another. */
static void resized(const char *name, uint32_t width, uint32_t height, uint32_t to_width, uint32_t to_height)
{
    acldvppPicDesc *input = target(width, height), *output = target(to_width, to_height);
    aclrtStream stream = new_stream();
    ended(name, CALL(acldvppVpcResizeAsync)(channel(), input, output, CALL(acldvppCreateResizeConfig)(), stream), stream, output);
    CALL(aclrtDestroyStream)(stream);
    CALL(acldvppFree)(CALL(acldvppGetPicDescData)(input));
    CALL(acldvppFree)(CALL(acldvppGetPicDescData)(output));
}

QUESTION_ALONE(resize_least, "acldvppVpcResizeAsync", "Which sizes are too small for a picture?")
{
    resized("input_10x6", 10, 6, 64, 32);
    resized("input_8x6", 8, 6, 64, 32);
    resized("input_10x4", 10, 4, 64, 32);
    resized("output_10x6", 64, 32, 10, 6);
    resized("output_8x6", 64, 32, 8, 6);
    resized("output_10x4", 64, 32, 10, 4);
}

QUESTION_ALONE(resize_most, "acldvppVpcResizeAsync", "Which sizes are too large for a picture?")
{
    resized("input_8192", 8192, 16, 512, 16);
    resized("input_8194", 8194, 16, 512, 16);
    resized("input_high_8192", 16, 8192, 16, 512);
    resized("input_high_8194", 16, 8194, 16, 512);
    resized("output_4096", 512, 16, 4096, 16);
    resized("output_4098", 512, 16, 4098, 16);
    resized("output_high_4096", 16, 512, 16, 4096);
    resized("output_high_4098", 16, 512, 16, 4098);
    resized("output_high_8192", 16, 1024, 16, 8192);
    resized("output_high_8194", 16, 1024, 16, 8194);
}

QUESTION_ALONE(resize_factors, "acldvppVpcResizeAsync", "How far may a picture shrink and grow?")
{
    resized("shrink_32", 1024, 32, 32, 32);
    resized("shrink_more", 1058, 32, 32, 32);
    resized("grow_16", 32, 32, 512, 32);
    resized("grow_more", 32, 32, 514, 32);
    resized("high_shrink_32", 32, 1024, 32, 32);
    resized("high_grow_more", 32, 32, 32, 514);
    resized("both", 1024, 32, 32, 512);
    resized("same", 64, 32, 64, 32);
}

QUESTION_ALONE(resize_odd, "acldvppVpcResizeAsync", "May a YUV420SP picture have an odd width or height?")
{
    resized("input_width", 63, 32, 128, 64);
    resized("input_height", 64, 31, 128, 64);
    resized("output_width", 64, 32, 127, 64);
    resized("output_height", 64, 32, 128, 63);
}

QUESTION_ALONE(resize_strides, "acldvppVpcResizeAsync acldvppSetPicDescWidthStride acldvppSetPicDescHeightStride", "Which strides may an input of 64 by 32 pixels have?")
{
    static const struct { uint32_t stride, rows; } rows[] = {
        {64, 32}, {62, 32}, {66, 32}, {68, 32}, {72, 32}, {80, 32}, {65, 32}, {64, 30}, {64, 33}, {64, 34}, {0, 32}, {64, 0}, {16384, 32}, {16400, 32},
    };
    acldvppPicDesc *output = target(128, 64);
    unsigned char *memory = media_block(16400 * 48 * 3 / 2);
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        acldvppPicDesc *input = CALL(acldvppCreatePicDesc)();
        aclrtStream stream = new_stream();
        char name[32];
        describe(input, memory, PIXEL_FORMAT_YUV_SEMIPLANAR_420, 64, 32, rows[index].stride, rows[index].rows);
        snprintf(name, sizeof name, "s%ux%u", rows[index].stride, rows[index].rows);
        ended(name, CALL(acldvppVpcResizeAsync)(channel(), input, output, CALL(acldvppCreateResizeConfig)(), stream), stream, output);
    }
}

QUESTION_ALONE(resize_rgb_strides, "acldvppVpcResizeAsync acldvppSetPicDescWidthStride", "Which strides may an RGB888 input of 64 by 32 pixels have?")
{
    static const struct { uint32_t stride, rows; } rows[] = {{192, 32}, {64, 32}, {191, 32}, {193, 32}, {194, 32}, {195, 32}, {208, 32}, {240, 32}, {192, 33}, {192, 34}};
    acldvppPicDesc *output = picture_of(PIXEL_FORMAT_RGB_888, 128, 64);
    unsigned char *memory = media_block(ROOM);
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        acldvppPicDesc *input = CALL(acldvppCreatePicDesc)();
        aclrtStream stream = new_stream();
        char name[32];
        describe(input, memory, PIXEL_FORMAT_RGB_888, 64, 32, rows[index].stride, rows[index].rows);
        snprintf(name, sizeof name, "s%ux%u", rows[index].stride, rows[index].rows);
        ended(name, CALL(acldvppVpcResizeAsync)(channel(), input, output, CALL(acldvppCreateResizeConfig)(), stream), stream, output);
    }
}

QUESTION_ALONE(resize_sizes, "acldvppVpcResizeAsync acldvppSetPicDescSize", "Does the size of a picture's memory have to be that of its rows?")
{
    static const struct { const char *name; int more; } rows[] = {{"exact", 0}, {"one_less", -1}, {"one_more", 1}, {"chroma_less", -64 * 16}, {"none", -64 * 48}};
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        acldvppPicDesc *input = source(), *output = target(128, 64);
        aclrtStream stream = new_stream();
        need("size", CALL(acldvppSetPicDescSize)(input, (uint32_t)(64 * 48 + rows[index].more)));
        ended(rows[index].name, CALL(acldvppVpcResizeAsync)(channel(), input, output, CALL(acldvppCreateResizeConfig)(), stream), stream, output);
    }
}

QUESTION_ALONE(resize_memory, "acldvppVpcResizeAsync acldvppSetPicDescData", "May a picture be in memory of aclrtMalloc, and begin 1, 8 or 16 bytes behind the start of a block?")
{
    static const unsigned offsets[] = {0, 1, 2, 8, 16};
    char *memory = new_block(ROOM);
    for (size_t index = 0; index < sizeof offsets / sizeof *offsets; index++) {
        acldvppPicDesc *input = source(), *output = target(128, 64);
        aclrtStream stream = new_stream();
        char name[16];
        need("data", CALL(acldvppSetPicDescData)(input, memory + offsets[index]));
        snprintf(name, sizeof name, "at%u", offsets[index]);
        ended(name, CALL(acldvppVpcResizeAsync)(channel(), input, output, CALL(acldvppCreateResizeConfig)(), stream), stream, output);
    }
}

QUESTION_ALONE(resize_formats, "acldvppVpcResizeAsync acldvppSetPicDescFormat", "Pictures of which formats are resized?")
{
    for (int format = 0; format <= 22; format++) {
        acldvppPicDesc *input = picture_of(format, WIDTH, HEIGHT), *output = picture_of(format, 128, 64);
        aclrtStream stream = new_stream();
        char name[16];
        snprintf(name, sizeof name, "f%d", format);
        ended(name, CALL(acldvppVpcResizeAsync)(channel(), input, output, CALL(acldvppCreateResizeConfig)(), stream), stream, output);
    }
}

QUESTION_ALONE(resize_converts, "acldvppVpcResizeAsync", "May the output of a resize have another format than the input?")
{
    static const int formats[] = {PIXEL_FORMAT_YVU_SEMIPLANAR_420, PIXEL_FORMAT_YUV_400, PIXEL_FORMAT_YUV_SEMIPLANAR_444, PIXEL_FORMAT_RGB_888, PIXEL_FORMAT_BGRA_8888};
    for (size_t index = 0; index < sizeof formats / sizeof *formats; index++) {
        acldvppPicDesc *input = source(), *output = picture_of(formats[index], 128, 64);
        aclrtStream stream = new_stream();
        char name[16];
        snprintf(name, sizeof name, "f%d", formats[index]);
        ended(name, CALL(acldvppVpcResizeAsync)(channel(), input, output, CALL(acldvppCreateResizeConfig)(), stream), stream, output);
    }
}

QUESTION(crop, "acldvppVpcCropAsync", "Which pixels does a crop of the same size take, and one that is enlarged?")
{
    acldvppPicDesc *input = source(), *output = target(16, 8), *larger = target(32, 16);
    acldvppRoiConfig *area = CALL(acldvppCreateRoiConfig)(8, 23, 4, 11);
    aclrtStream stream = new_stream();
    if (ended("crop", CALL(acldvppVpcCropAsync)(channel(), input, output, area, stream), stream, output)) {
        fact("pixels", "%u,%u,%u", at(output, 0), at(output, 15), at(output, 7 * 16));
        fact("chroma", "%u,%u", at(output, 8 * 16), at(output, 8 * 16 + 1));
    }
    if (ended("larger", CALL(acldvppVpcCropAsync)(channel(), input, larger, area, stream), stream, larger)) {
        fact("large", "%u,%u,%u", at(larger, 0), at(larger, 1), at(larger, 31));
    }
    code("no_area", CALL(acldvppVpcCropAsync)(channel(), input, output, NULL, stream));
}

QUESTION_ALONE(crop_areas, "acldvppVpcCropAsync acldvppSetRoiConfig", "Which areas of a picture of 64 by 32 may be taken?")
{
    static const struct { const char *name; uint32_t left, right, top, bottom; } rows[] = {
        {"all", 0, 63, 0, 31}, {"least", 0, 9, 0, 5}, {"narrow", 0, 7, 0, 5}, {"low", 0, 9, 0, 3}, {"odd_left", 1, 16, 0, 7}, {"even_right", 0, 16, 0, 7}, {"odd_top", 0, 15, 1, 8},
        {"even_bottom", 0, 15, 0, 8}, {"right_outside", 0, 65, 0, 7}, {"bottom_outside", 0, 15, 0, 33}, {"reversed", 15, 0, 7, 0},
    };
    acldvppPicDesc *input = source();
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        acldvppPicDesc *output = target(32, 16);
        acldvppRoiConfig *area = CALL(acldvppCreateRoiConfig)(rows[index].left, rows[index].right, rows[index].top, rows[index].bottom);
        aclrtStream stream = new_stream();
        ended(rows[index].name, CALL(acldvppVpcCropAsync)(channel(), input, output, area, stream), stream, output);
    }
}

QUESTION(crop_resize, "acldvppVpcCropResizeAsync", "Which pixels does a crop take that is enlarged by the nearest pixel, and may the configuration be missing?")
{
    acldvppPicDesc *input = source(), *output = target(32, 16);
    acldvppRoiConfig *area = CALL(acldvppCreateRoiConfig)(8, 23, 4, 11);
    acldvppResizeConfig *config = CALL(acldvppCreateResizeConfig)();
    aclrtStream stream = new_stream();
    need("interpolation", CALL(acldvppSetResizeConfigInterpolation)(config, 2));
    if (ended("code", CALL(acldvppVpcCropResizeAsync)(channel(), input, output, area, config, stream), stream, output)) {
        fact("pixels", "%u,%u,%u,%u", at(output, 0), at(output, 1), at(output, 2), at(output, 31));
    }
    code("no_config", CALL(acldvppVpcCropResizeAsync)(channel(), input, output, area, NULL, stream));
    code("no_area", CALL(acldvppVpcCropResizeAsync)(channel(), input, output, NULL, config, stream));
}

QUESTION(paste, "acldvppVpcCropAndPasteAsync", "Does a paste leave the rest of the output as it is?")
{
    acldvppPicDesc *input = source(), *output = target(64, 32);
    acldvppRoiConfig *crop = CALL(acldvppCreateRoiConfig)(8, 23, 4, 11), *paste = CALL(acldvppCreateRoiConfig)(16, 31, 8, 15);
    aclrtStream stream = new_stream();
    if (ended("code", CALL(acldvppVpcCropAndPasteAsync)(channel(), input, output, crop, paste, stream), stream, output)) {
        fact("pixels", "%u,%u", at(output, 8 * 64 + 16), at(output, 15 * 64 + 31));
        fact("around", "%u,%u,%u", at(output, 0), at(output, 8 * 64 + 15), at(output, 8 * 64 + 32));
        fact("chroma", "%u,%u", at(output, 32 * 64), at(output, 36 * 64 + 16));
    }
    code("no_crop", CALL(acldvppVpcCropAndPasteAsync)(channel(), input, output, NULL, paste, stream));
    code("no_paste", CALL(acldvppVpcCropAndPasteAsync)(channel(), input, output, crop, NULL, stream));
}

QUESTION_ALONE(paste_areas, "acldvppVpcCropAndPasteAsync", "To which areas of an output of 64 by 32 may be pasted?")
{
    static const struct { const char *name; uint32_t left, right, top, bottom; } rows[] = {
        {"at16", 16, 31, 8, 15}, {"at2", 2, 17, 8, 15}, {"at8", 8, 23, 8, 15}, {"odd_left", 1, 16, 8, 15}, {"odd_top", 16, 31, 7, 14},
        {"outside", 56, 71, 8, 15}, {"below", 16, 31, 28, 35}, {"narrow", 16, 23, 8, 15}, {"low", 16, 31, 8, 11},
    };
    acldvppPicDesc *input = source();
    acldvppRoiConfig *crop = CALL(acldvppCreateRoiConfig)(8, 23, 4, 11);
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        acldvppPicDesc *output = target(64, 32);
        acldvppRoiConfig *paste = CALL(acldvppCreateRoiConfig)(rows[index].left, rows[index].right, rows[index].top, rows[index].bottom);
        aclrtStream stream = new_stream();
        ended(rows[index].name, CALL(acldvppVpcCropAndPasteAsync)(channel(), input, output, crop, paste, stream), stream, output);
    }
}

QUESTION(resize_paste, "acldvppVpcCropResizePasteAsync", "Which pixels are in an area that was enlarged by the nearest pixel and pasted?")
{
    acldvppPicDesc *input = source(), *output = target(64, 32);
    acldvppRoiConfig *crop = CALL(acldvppCreateRoiConfig)(8, 23, 4, 11), *paste = CALL(acldvppCreateRoiConfig)(16, 47, 8, 23);
    acldvppResizeConfig *config = CALL(acldvppCreateResizeConfig)();
    aclrtStream stream = new_stream();
    need("interpolation", CALL(acldvppSetResizeConfigInterpolation)(config, 2));
    if (ended("code", CALL(acldvppVpcCropResizePasteAsync)(channel(), input, output, crop, paste, config, stream), stream, output)) {
        fact("pixels", "%u,%u,%u,%u", at(output, 8 * 64 + 16), at(output, 8 * 64 + 17), at(output, 8 * 64 + 18), at(output, 23 * 64 + 47));
        fact("around", "%u,%u", at(output, 8 * 64 + 15), at(output, 8 * 64 + 48));
    }
    code("no_config", CALL(acldvppVpcCropResizePasteAsync)(channel(), input, output, crop, paste, NULL, stream));
}

/* A YUV420SP picture of one colour. */
static acldvppPicDesc *coloured(unsigned luma, unsigned u, unsigned v)
{
    static unsigned char pixels[WIDTH * HEIGHT * 3 / 2];
    acldvppPicDesc *picture = target(WIDTH, HEIGHT);
    memset(pixels, (int)luma, WIDTH * HEIGHT);
    for (int index = WIDTH * HEIGHT; index < WIDTH * HEIGHT * 3 / 2; index++) {
        pixels[index] = (unsigned char)(index % 2 ? v : u);
    }
    void *memory = CALL(acldvppGetPicDescData)(picture);
    need("aclrtMemcpy", CALL(aclrtMemcpy)(memory, sizeof pixels, pixels, sizeof pixels, ACL_MEMCPY_HOST_TO_DEVICE));
    return picture;
}

QUESTION(convert, "acldvppVpcConvertColorAsync", "Which colours do grey, black, white and red of YUV420SP become in RGB888?")
{
    static const struct { const char *name; unsigned luma, u, v; } rows[] = {{"grey", 128, 128, 128}, {"black", 0, 128, 128}, {"white", 255, 128, 128}, {"red", 76, 85, 255}};
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        acldvppPicDesc *input = coloured(rows[index].luma, rows[index].u, rows[index].v), *output = picture_of(PIXEL_FORMAT_RGB_888, WIDTH, HEIGHT);
        aclrtStream stream = new_stream();
        char name[32];
        snprintf(name, sizeof name, "%s_code", rows[index].name);
        if (ended(name, CALL(acldvppVpcConvertColorAsync)(channel(), input, output, stream), stream, output)) {
            fact(rows[index].name, "%u,%u,%u", at(output, 0), at(output, 1), at(output, 2));
        }
    }
}

QUESTION(convert_back, "acldvppVpcConvertColorAsync", "Which YUV420SP do colours of RGB888 become, and what is the alpha of ARGB8888?")
{
    acldvppPicDesc *input = picture_of(PIXEL_FORMAT_RGB_888, WIDTH, HEIGHT), *output = target(WIDTH, HEIGHT), *alpha = picture_of(PIXEL_FORMAT_ARGB_8888, WIDTH, HEIGHT);
    static unsigned char pixels[WIDTH * HEIGHT * 3];
    aclrtStream stream = new_stream();
    for (int index = 0; index < WIDTH * HEIGHT; index++) {
        bool left = index % WIDTH < WIDTH / 2;
        pixels[index * 3] = left ? 255 : 10;
        pixels[index * 3 + 1] = left ? 0 : 200;
        pixels[index * 3 + 2] = left ? 0 : 90;
    }
    void *memory = CALL(acldvppGetPicDescData)(input);
    need("aclrtMemcpy", CALL(aclrtMemcpy)(memory, sizeof pixels, pixels, sizeof pixels, ACL_MEMCPY_HOST_TO_DEVICE));
    if (ended("code", CALL(acldvppVpcConvertColorAsync)(channel(), input, output, stream), stream, output)) {
        fact("left", "%u,%u,%u", at(output, 0), at(output, WIDTH * HEIGHT), at(output, WIDTH * HEIGHT + 1));
        fact("right", "%u,%u,%u", at(output, WIDTH - 1), at(output, WIDTH * HEIGHT + WIDTH - 2), at(output, WIDTH * HEIGHT + WIDTH - 1));
    }
    if (ended("argb", CALL(acldvppVpcConvertColorAsync)(channel(), input, alpha, stream), stream, alpha)) {
        fact("pixel", "%u,%u,%u,%u", at(alpha, 0), at(alpha, 1), at(alpha, 2), at(alpha, 3));
    }
}

QUESTION(convert_matrices, "acldvppVpcConvertColorAsync acldvppSetChannelDescParam", "Which RGB does one colour become with each matrix of a channel?")
{
    acldvppPicDesc *input = coloured(120, 90, 170);
    for (uint32_t matrix = 0; matrix <= 5; matrix++) {
        acldvppChannelDesc *own = CALL(acldvppCreateChannelDesc)();
        acldvppPicDesc *output = picture_of(PIXEL_FORMAT_RGB_888, WIDTH, HEIGHT);
        aclrtStream stream = new_stream();
        char name[16];
        need("matrix", CALL(acldvppSetChannelDescParam)(own, ACL_DVPP_CSC_MATRIX_UINT32, sizeof matrix, &matrix));
        need("acldvppCreateChannel", CALL(acldvppCreateChannel)(own));
        snprintf(name, sizeof name, "m%u_code", matrix);
        if (ended(name, CALL(acldvppVpcConvertColorAsync)(own, input, output, stream), stream, output)) {
            snprintf(name, sizeof name, "m%u", matrix);
            fact(name, "%u,%u,%u", at(output, 0), at(output, 1), at(output, 2));
        }
        CALL(acldvppDestroyChannel)(own);
    }
}

QUESTION(convert_sizes, "acldvppVpcConvertColorAsync", "May the output of a conversion have another size or the same format?")
{
    acldvppPicDesc *input = source(), *larger = picture_of(PIXEL_FORMAT_RGB_888, 128, 64), *smaller = picture_of(PIXEL_FORMAT_RGB_888, 32, 16), *same = target(WIDTH, HEIGHT);
    aclrtStream stream = new_stream();
    ended("larger", CALL(acldvppVpcConvertColorAsync)(channel(), input, larger, stream), stream, larger);
    ended("smaller", CALL(acldvppVpcConvertColorAsync)(channel(), input, smaller, stream), stream, smaller);
    ended("same", CALL(acldvppVpcConvertColorAsync)(channel(), input, same, stream), stream, same);
    code("no_output", CALL(acldvppVpcConvertColorAsync)(channel(), input, NULL, stream));
}

/* A batch whose pictures are the source, or empty ones of 32 by 16. */
static acldvppBatchPicDesc *batch_of(uint32_t count, bool filled)
{
    acldvppBatchPicDesc *batch = CALL(acldvppCreateBatchPicDesc)(count);
    for (uint32_t index = 0; index < count; index++) {
        void *memory = CALL(acldvppGetPicDescData)(filled ? source() : target(32, 16));
        uint32_t width = filled ? WIDTH : 32, height = filled ? HEIGHT : 16;
        describe(CALL(acldvppGetPicDesc)(batch, index), memory, PIXEL_FORMAT_YUV_SEMIPLANAR_420, width, height, width, height);
    }
    return batch;
}

static void batch_pixels(const char *name, acldvppBatchPicDesc *batch, uint32_t count, size_t offset)
{
    unsigned values[3] = {0, 0, 0};
    for (uint32_t index = 0; index < least(count, 3); index++) {
        values[index] = at(CALL(acldvppGetPicDesc)(batch, index), offset);
    }
    fact(name, "%u,%u,%u", values[0], values[1], values[2]);
}

QUESTION(batch_crop, "acldvppVpcBatchCropAsync acldvppGetPicDesc", "Which output belongs to which area of which input of a batch?")
{
    acldvppBatchPicDesc *inputs = batch_of(2, true), *outputs = batch_of(3, false);
    uint32_t counts[2] = {2, 1};
    acldvppRoiConfig *areas[3] = {CALL(acldvppCreateRoiConfig)(0, 31, 0, 15), CALL(acldvppCreateRoiConfig)(16, 47, 0, 15), CALL(acldvppCreateRoiConfig)(32, 63, 16, 31)};
    aclrtStream stream = new_stream();
    if (ended("code", CALL(acldvppVpcBatchCropAsync)(channel(), inputs, counts, 2, outputs, areas, stream), stream, CALL(acldvppGetPicDesc)(outputs, 2))) {
        batch_pixels("pixels", outputs, 3, 0);
    }
}

QUESTION_ALONE(batch_counts, "acldvppVpcBatchCropAsync", "What does a batch return whose counts and pictures do not fit together?")
{
    acldvppBatchPicDesc *inputs = batch_of(2, true), *outputs = batch_of(2, false);
    uint32_t good[2] = {1, 1}, few[2] = {1, 0}, many[2] = {2, 2};
    acldvppRoiConfig *areas[4] = {NULL, NULL, NULL, NULL};
    for (int index = 0; index < 4; index++) {
        areas[index] = CALL(acldvppCreateRoiConfig)(0, 31, 0, 15);
    }
    aclrtStream stream = new_stream();
    ended("good", CALL(acldvppVpcBatchCropAsync)(channel(), inputs, good, 2, outputs, areas, stream), stream, CALL(acldvppGetPicDesc)(outputs, 0));
    code("no_inputs", CALL(acldvppVpcBatchCropAsync)(channel(), inputs, good, 0, outputs, areas, stream));
    code("few_areas", CALL(acldvppVpcBatchCropAsync)(channel(), inputs, few, 2, outputs, areas, stream));
    code("many_areas", CALL(acldvppVpcBatchCropAsync)(channel(), inputs, many, 2, outputs, areas, stream));
    code("fewer_inputs", CALL(acldvppVpcBatchCropAsync)(channel(), inputs, good, 1, outputs, areas, stream));
    code("null_counts", CALL(acldvppVpcBatchCropAsync)(channel(), inputs, NULL, 2, outputs, areas, stream));
    code("null_areas", CALL(acldvppVpcBatchCropAsync)(channel(), inputs, good, 2, outputs, NULL, stream));
    areas[1] = NULL;
    code("null_area", CALL(acldvppVpcBatchCropAsync)(channel(), inputs, good, 2, outputs, areas, stream));
    code("synchronize", CALL(aclrtSynchronizeStreamWithTimeout)(stream, 50000));
}

QUESTION(batch_crop_resize, "acldvppVpcBatchCropResizeAsync", "Does one resize configuration apply to all pictures of a batch?")
{
    acldvppBatchPicDesc *inputs = batch_of(1, true), *outputs = batch_of(2, false);
    uint32_t counts[1] = {2};
    acldvppRoiConfig *areas[2] = {CALL(acldvppCreateRoiConfig)(0, 15, 0, 7), CALL(acldvppCreateRoiConfig)(8, 23, 4, 11)};
    acldvppResizeConfig *config = CALL(acldvppCreateResizeConfig)();
    aclrtStream stream = new_stream();
    need("interpolation", CALL(acldvppSetResizeConfigInterpolation)(config, 2));
    if (ended("code", CALL(acldvppVpcBatchCropResizeAsync)(channel(), inputs, counts, 1, outputs, areas, config, stream), stream, CALL(acldvppGetPicDesc)(outputs, 1))) {
        batch_pixels("first", outputs, 2, 0);
        batch_pixels("third", outputs, 2, 2);
    }
    code("no_config", CALL(acldvppVpcBatchCropResizeAsync)(channel(), inputs, counts, 1, outputs, areas, NULL, stream));
}

QUESTION(batch_paste, "acldvppVpcBatchCropAndPasteAsync acldvppVpcBatchCropResizePasteAsync", "Where do batches paste, and what stays around it?")
{
    acldvppBatchPicDesc *inputs = batch_of(1, true), *outputs = batch_of(2, false), *resized_outputs = batch_of(2, false);
    uint32_t counts[1] = {2};
    acldvppRoiConfig *areas[2] = {CALL(acldvppCreateRoiConfig)(0, 15, 0, 7), CALL(acldvppCreateRoiConfig)(8, 23, 4, 11)};
    acldvppRoiConfig *places[2] = {CALL(acldvppCreateRoiConfig)(0, 15, 0, 7), CALL(acldvppCreateRoiConfig)(16, 31, 0, 7)};
    acldvppResizeConfig *config = CALL(acldvppCreateResizeConfig)();
    aclrtStream stream = new_stream();
    if (ended("paste", CALL(acldvppVpcBatchCropAndPasteAsync)(channel(), inputs, counts, 1, outputs, areas, places, stream), stream, CALL(acldvppGetPicDesc)(outputs, 1))) {
        batch_pixels("left", outputs, 2, 0);
        batch_pixels("right", outputs, 2, 16);
    }
    if (ended("resize", CALL(acldvppVpcBatchCropResizePasteAsync)(channel(), inputs, counts, 1, resized_outputs, areas, places, config, stream), stream, CALL(acldvppGetPicDesc)(resized_outputs, 1))) {
        batch_pixels("resized_left", resized_outputs, 2, 0);
        batch_pixels("resized_right", resized_outputs, 2, 16);
    }
    code("no_places", CALL(acldvppVpcBatchCropAndPasteAsync)(channel(), inputs, counts, 1, outputs, areas, NULL, stream));
    code("no_config", CALL(acldvppVpcBatchCropResizePasteAsync)(channel(), inputs, counts, 1, outputs, areas, places, NULL, stream));
}

/* A JPEG file of one colour: luma 178, chroma 108 and 158. */
struct jpeg {
    unsigned frame, bits, components, across, down, width, height, orientation;
};

struct writer {
    unsigned char *bytes;
    size_t used;
    unsigned kept, held;
};

static void put(struct writer *to, const void *bytes, size_t count)
{
    memcpy(to->bytes + to->used, bytes, count);
    to->used += count;
}

static void put_bits(struct writer *to, unsigned value, unsigned count)
{
    while (count-- > 0) {
        to->kept = to->kept << 1 | (value >> count & 1);
        if (++to->held == 8) {
            unsigned char byte = (unsigned char)to->kept;
            put(to, &byte, 1);
            if (byte == 0xff) {
                put(to, "\0", 1);
            }
            to->kept = to->held = 0;
        }
    }
}

enum { LARGEST_FILE = 4096 };

static uint32_t make_jpeg(unsigned char *bytes, struct jpeg file)
{
    static const struct { unsigned code, code_bits, value, value_bits; } levels[] = {{6, 3, 50, 6}, {2, 2, 11, 5}, {2, 2, 30, 5}, {2, 2, 30, 5}};
    struct writer to = {bytes, 0, 0, 0};
    unsigned char table[64], frame[32] = {0xff, (unsigned char)file.frame, 0, (unsigned char)(8 + 3 * file.components), (unsigned char)file.bits,
        (unsigned char)(file.height >> 8), (unsigned char)file.height, (unsigned char)(file.width >> 8), (unsigned char)file.width, (unsigned char)file.components};
    unsigned char scan[32] = {0xff, 0xda, 0, (unsigned char)(6 + 2 * file.components), (unsigned char)file.components};
    memset(table, 8, sizeof table);
    put(&to, "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0", 20);
    if (file.orientation) {
        char exif[] = "\xff\xe1\0\x22" "Exif\0\0MM\0\x2a\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\0\0\0\0\0\0\0";
        exif[29] = (char)file.orientation;
        put(&to, exif, 36);
    }
    put(&to, "\xff\xdb\0\x43\0", 5);
    put(&to, table, 64);
    for (unsigned index = 0; index < file.components; index++) {
        unsigned char one[3] = {(unsigned char)(index + 1), index == 0 ? (unsigned char)(file.across << 4 | file.down) : 0x11, 0}, used[2] = {(unsigned char)(index + 1), 0};
        memcpy(frame + 10 + 3 * index, one, 3);
        memcpy(scan + 5 + 2 * index, used, 2);
    }
    put(&to, frame, 10 + 3 * file.components);
    /* Differences of 0, 5 and 6 bits have the codes 0, 10 and 110; the end of a block has the code 0. */
    put(&to, "\xff\xc4\0\x16\0\1\1\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\6", 24);
    put(&to, "\xff\xc4\0\x14\x10\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
    scan[5 + 2 * file.components + 1] = file.frame == 0xc2 ? 0 : 63;
    put(&to, scan, 8 + 2 * file.components);
    unsigned wide = 8 * file.across, high = 8 * file.down;
    unsigned parts = (file.width + wide - 1) / wide * ((file.height + high - 1) / high);
    for (unsigned part = 0; part < parts && to.used < LARGEST_FILE - 64; part++) {
        for (unsigned component = 0; component < file.components; component++) {
            unsigned blocks = component == 0 ? file.across * file.down : 1;
            for (unsigned block = 0; block < blocks; block++) {
                if (part == 0 && block == 0) {
                    put_bits(&to, levels[component].code, levels[component].code_bits);
                    put_bits(&to, levels[component].value, levels[component].value_bits);
                    put_bits(&to, 0, 1);
                } else {
                    put_bits(&to, 0, 2);
                }
            }
        }
    }
    while (to.held) {
        put_bits(&to, 1, 1);
    }
    put(&to, "\xff\xd9", 2);
    return (uint32_t)to.used;
}

static const struct jpeg plain = {0xc0, 8, 3, 2, 2, 32, 32, 0};

static void jpeg_says(const char *name, struct jpeg file)
{
    unsigned char bytes[LARGEST_FILE];
    uint32_t size = make_jpeg(bytes, file), width = 0, height = 0;
    int32_t components = 0;
    acldvppJpegFormat format = ACL_JPEG_CSS_UNKNOWN;
    aclError status = CALL(acldvppJpegGetImageInfoV2)(bytes, size, &width, &height, &components, &format);
    fact(name, "%d:%u:%u:%d:%d", status, width, height, components, (int)format);
}

QUESTION(jpeg_kinds, "acldvppJpegGetImageInfoV2", "What does acldvppJpegGetImageInfoV2 say of files of each kind?")
{
    jpeg_says("c420", plain);
    jpeg_says("c444", (struct jpeg){0xc0, 8, 3, 1, 1, 32, 32, 0});
    jpeg_says("c422", (struct jpeg){0xc0, 8, 3, 2, 1, 32, 32, 0});
    jpeg_says("c440", (struct jpeg){0xc0, 8, 3, 1, 2, 32, 32, 0});
    jpeg_says("c411", (struct jpeg){0xc0, 8, 3, 4, 1, 32, 32, 0});
    jpeg_says("gray", (struct jpeg){0xc0, 8, 1, 1, 1, 32, 32, 0});
    jpeg_says("four", (struct jpeg){0xc0, 8, 4, 1, 1, 32, 32, 0});
    jpeg_says("extended", (struct jpeg){0xc1, 8, 3, 2, 2, 32, 32, 0});
    jpeg_says("progressive", (struct jpeg){0xc2, 8, 3, 2, 2, 32, 32, 0});
    jpeg_says("twelve_bits", (struct jpeg){0xc1, 12, 3, 2, 2, 32, 32, 0});
    jpeg_says("upright", (struct jpeg){0xc0, 8, 3, 2, 2, 32, 32, 1});
    jpeg_says("turned", (struct jpeg){0xc0, 8, 3, 2, 2, 32, 64, 6});
}

QUESTION(jpeg_sizes, "acldvppJpegGetImageInfoV2", "Which sizes may a JPEG file have?")
{
    static const struct { unsigned width, height; } rows[] = {{32, 32}, {31, 32}, {32, 31}, {30, 30}, {16, 16}, {33, 35}, {8192, 32}, {8193, 32}, {32, 8192}, {32, 8193}};
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        char name[32];
        snprintf(name, sizeof name, "s%ux%u", rows[index].width, rows[index].height);
        jpeg_says(name, (struct jpeg){0xc0, 8, 3, 2, 2, rows[index].width, rows[index].height, 0});
    }
}

QUESTION(jpeg_info, "acldvppJpegGetImageInfo", "What does acldvppJpegGetImageInfo return for a good file, a short one, another one, and missing arguments?")
{
    unsigned char bytes[LARGEST_FILE], other[256] = "not a file of this kind";
    uint32_t size = make_jpeg(bytes, plain), width = 0, height = 0;
    int32_t components = 0;
    aclError status = CALL(acldvppJpegGetImageInfo)(bytes, size, &width, &height, &components);
    fact("good", "%d:%u:%u:%d", status, width, height, components);
    code("only_header", CALL(acldvppJpegGetImageInfo)(bytes, 160, &width, &height, &components));
    code("cut_in_header", CALL(acldvppJpegGetImageInfo)(bytes, 60, &width, &height, &components));
    code("two_bytes", CALL(acldvppJpegGetImageInfo)(bytes, 2, &width, &height, &components));
    code("other", CALL(acldvppJpegGetImageInfo)(other, sizeof other, &width, &height, &components));
    code("no_width", CALL(acldvppJpegGetImageInfo)(bytes, size, NULL, &height, &components));
    code("no_components", CALL(acldvppJpegGetImageInfo)(bytes, size, &width, &height, NULL));
}

QUESTION(jpeg_predict, "acldvppJpegPredictDecSize", "How many bytes does decoding need, by format of the output, for a file of 32 by 32 and one of 130 by 50?")
{
    static const int formats[] = {0, 1, 2, 3, 4, 5, 6, 7, 12, 10000};
    unsigned char bytes[LARGEST_FILE], larger[LARGEST_FILE];
    uint32_t size = make_jpeg(bytes, plain), larger_size = make_jpeg(larger, (struct jpeg){0xc0, 8, 3, 2, 2, 130, 50, 0});
    for (size_t index = 0; index < sizeof formats / sizeof *formats; index++) {
        uint32_t first = 0, second = 0;
        char name[16];
        snprintf(name, sizeof name, "f%d", formats[index]);
        aclError status = CALL(acldvppJpegPredictDecSize)(bytes, size, (acldvppPixelFormat)formats[index], &first);
        aclError other = CALL(acldvppJpegPredictDecSize)(larger, larger_size, (acldvppPixelFormat)formats[index], &second);
        fact(name, "%d:%u:%d:%u", status, first, other, second);
    }
}

QUESTION(jpeg_predict_wrong, "acldvppJpegPredictDecSize", "What does acldvppJpegPredictDecSize return for another file, a small picture, and missing arguments?")
{
    unsigned char bytes[LARGEST_FILE], small[LARGEST_FILE], other[256] = "not a file of this kind";
    uint32_t size = make_jpeg(bytes, plain), small_size = make_jpeg(small, (struct jpeg){0xc0, 8, 3, 2, 2, 16, 16, 0}), needed = 0;
    code("other", CALL(acldvppJpegPredictDecSize)(other, sizeof other, PIXEL_FORMAT_YUV_SEMIPLANAR_420, &needed));
    code("small", CALL(acldvppJpegPredictDecSize)(small, small_size, PIXEL_FORMAT_YUV_SEMIPLANAR_420, &needed));
    code("no_result", CALL(acldvppJpegPredictDecSize)(bytes, size, PIXEL_FORMAT_YUV_SEMIPLANAR_420, NULL));
    code("no_size", CALL(acldvppJpegPredictDecSize)(bytes, 0, PIXEL_FORMAT_YUV_SEMIPLANAR_420, &needed));
}

/* The file in device memory, in a block that is larger. */
static unsigned char *uploaded(const unsigned char *bytes, uint32_t size)
{
    unsigned char *memory = media_block(LARGEST_FILE);
    need("aclrtMemcpy", CALL(aclrtMemcpy)(memory, LARGEST_FILE, bytes, size, ACL_MEMCPY_HOST_TO_DEVICE));
    return memory;
}

static void decoded(const char *name, struct jpeg file, int format)
{
    unsigned char bytes[LARGEST_FILE];
    uint32_t size = make_jpeg(bytes, file);
    acldvppPicDesc *output = CALL(acldvppCreatePicDesc)();
    aclrtStream stream = new_stream();
    char second[32];
    need("data", CALL(acldvppSetPicDescData)(output, media_block(ROOM)));
    need("size", CALL(acldvppSetPicDescSize)(output, ROOM));
    need("format", CALL(acldvppSetPicDescFormat)(output, (acldvppPixelFormat)format));
    if (!ended(name, CALL(acldvppJpegDecodeAsync)(channel(), uploaded(bytes, size), size, output, stream), stream, output)) {
        return;
    }
    uint32_t stride = CALL(acldvppGetPicDescWidthStride)(output), rows = CALL(acldvppGetPicDescHeightStride)(output);
    snprintf(second, sizeof second, "%s_is", name);
    fact(second, "%d:%ux%u:%ux%u", (int)CALL(acldvppGetPicDescFormat)(output), CALL(acldvppGetPicDescWidth)(output), CALL(acldvppGetPicDescHeight)(output), stride, rows);
    if (stride && rows && stride * rows + 1 < ROOM) {
        snprintf(second, sizeof second, "%s_pixel", name);
        fact(second, "%u,%u,%u", at(output, 0), at(output, (size_t)stride * rows), at(output, (size_t)stride * rows + 1));
    }
}

QUESTION_ALONE(jpeg_decode, "acldvppJpegDecodeAsync", "What are size, strides and pixels of a file of 32 by 32, decoded without saying them?")
{
    decoded("yuv", plain, PIXEL_FORMAT_YUV_SEMIPLANAR_420);
    decoded("yvu", plain, PIXEL_FORMAT_YVU_SEMIPLANAR_420);
    decoded("unknown", plain, PIXEL_FORMAT_UNKNOWN);
    decoded("odd", (struct jpeg){0xc0, 8, 3, 2, 2, 67, 35, 0}, PIXEL_FORMAT_YUV_SEMIPLANAR_420);
}

QUESTION_ALONE(jpeg_decode_kinds, "acldvppJpegDecodeAsync", "What does a file of other sampling become if the format is unknown?")
{
    decoded("c444", (struct jpeg){0xc0, 8, 3, 1, 1, 32, 32, 0}, PIXEL_FORMAT_UNKNOWN);
    decoded("c422", (struct jpeg){0xc0, 8, 3, 2, 1, 32, 32, 0}, PIXEL_FORMAT_UNKNOWN);
    decoded("c440", (struct jpeg){0xc0, 8, 3, 1, 2, 32, 32, 0}, PIXEL_FORMAT_UNKNOWN);
    decoded("gray", (struct jpeg){0xc0, 8, 1, 1, 1, 32, 32, 0}, PIXEL_FORMAT_UNKNOWN);
    decoded("c444_as_420", (struct jpeg){0xc0, 8, 3, 1, 1, 32, 32, 0}, PIXEL_FORMAT_YUV_SEMIPLANAR_420);
    decoded("c420_as_444", plain, PIXEL_FORMAT_YUV_SEMIPLANAR_444);
    decoded("c420_as_rgb", plain, PIXEL_FORMAT_RGB_888);
}

QUESTION_ALONE(jpeg_decode_strides, "acldvppJpegDecodeAsync", "Which strides may the output of a file of 32 by 32 have?")
{
    static const struct { uint32_t stride, rows; } rows[] = {{64, 32}, {128, 32}, {128, 48}, {32, 32}, {48, 32}, {80, 32}, {128, 34}, {128, 16}};
    unsigned char bytes[LARGEST_FILE];
    uint32_t size = make_jpeg(bytes, plain);
    unsigned char *file = uploaded(bytes, size);
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        acldvppPicDesc *output = target(32, 32);
        aclrtStream stream = new_stream();
        char name[32];
        describe(output, CALL(acldvppGetPicDescData)(output), PIXEL_FORMAT_YUV_SEMIPLANAR_420, 32, 32, rows[index].stride, rows[index].rows);
        need("size", CALL(acldvppSetPicDescSize)(output, ROOM));
        snprintf(name, sizeof name, "s%ux%u", rows[index].stride, rows[index].rows);
        ended(name, CALL(acldvppJpegDecodeAsync)(channel(), file, size, output, stream), stream, output);
    }
}

QUESTION_ALONE(jpeg_decode_broken, "acldvppJpegDecodeAsync acldvppGetPicDescRetCode", "How does decoding half a file end, and one that is not a JPEG file?")
{
    unsigned char bytes[LARGEST_FILE], other[256] = "not a file of this kind";
    uint32_t size = make_jpeg(bytes, (struct jpeg){0xc0, 8, 3, 2, 2, 256, 256, 0});
    acldvppPicDesc *output = target(32, 32);
    need("format", CALL(acldvppSetPicDescFormat)(output, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
    need("size", CALL(acldvppSetPicDescSize)(output, ROOM));
    for (int part = 0; part < 2; part++) {
        aclrtStream stream = new_stream();
        describe(output, CALL(acldvppGetPicDescData)(output), PIXEL_FORMAT_YUV_SEMIPLANAR_420, 0, 0, 0, 0);
        need("size", CALL(acldvppSetPicDescSize)(output, ROOM));
        aclError status = part == 0 ? CALL(acldvppJpegDecodeAsync)(channel(), uploaded(bytes, size), 250, output, stream)
                                    : CALL(acldvppJpegDecodeAsync)(channel(), uploaded(other, sizeof other), sizeof other, output, stream);
        ended(part == 0 ? "half" : "other", status, stream, output);
    }
}

QUESTION(jpeg_decode_arguments, "acldvppJpegDecodeAsync", "What does acldvppJpegDecodeAsync return if an argument is missing or the output is too small?")
{
    unsigned char bytes[LARGEST_FILE];
    uint32_t size = make_jpeg(bytes, plain);
    unsigned char *file = uploaded(bytes, size);
    acldvppPicDesc *output = target(32, 32), *empty = CALL(acldvppCreatePicDesc)();
    aclrtStream stream = new_stream();
    code("channel", CALL(acldvppJpegDecodeAsync)(NULL, file, size, output, stream));
    code("file", CALL(acldvppJpegDecodeAsync)(channel(), NULL, size, output, stream));
    code("no_size", CALL(acldvppJpegDecodeAsync)(channel(), file, 0, output, stream));
    code("output", CALL(acldvppJpegDecodeAsync)(channel(), file, size, NULL, stream));
    code("no_memory", CALL(acldvppJpegDecodeAsync)(channel(), file, size, empty, stream));
}
