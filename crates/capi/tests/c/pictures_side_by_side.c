/* Two streams paste into one picture without an order between them: into different columns of the same rows, which is
 * correct, or, if OVERLAP is set, into columns that overlap, which the checker finds. */
#include "check.h"

#include <acl/ops/acl_dvpp.h>

static acldvppPicDesc *picture(void *data, uint32_t width, uint32_t height)
{
    acldvppPicDesc *desc = acldvppCreatePicDesc();
    OK(acldvppSetPicDescData(desc, data));
    OK(acldvppSetPicDescFormat(desc, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
    OK(acldvppSetPicDescWidth(desc, width));
    OK(acldvppSetPicDescHeight(desc, height));
    OK(acldvppSetPicDescWidthStride(desc, width));
    OK(acldvppSetPicDescHeightStride(desc, height));
    OK(acldvppSetPicDescSize(desc, width * height * 3 / 2));
    return desc;
}

int main(void)
{
    aclrtStream streams[2];
    void *in, *out;
    uint32_t right = getenv("OVERLAP") != NULL ? 30 : 32;
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(acldvppMalloc(&in, 32 * 32 * 3 / 2));
    OK(acldvppMalloc(&out, 64 * 32 * 3 / 2));
    OK(aclrtMemset(in, 32 * 32 * 3 / 2, 9, 32 * 32 * 3 / 2));
    acldvppChannelDesc *channel = acldvppCreateChannelDesc();
    OK(acldvppCreateChannel(channel));
    acldvppPicDesc *from = picture(in, 32, 32), *to = picture(out, 64, 32);
    acldvppRoiConfig *crop = acldvppCreateRoiConfig(0, 31, 0, 31), *paste = acldvppCreateRoiConfig(0, 31, 0, 31);
    for (int index = 0; index < 2; index++) {
        OK(aclrtCreateStream(&streams[index]));
        OK(acldvppVpcCropAndPasteAsync(channel, from, to, crop, paste, streams[index]));
        OK(acldvppSetRoiConfig(paste, right, right + 31, 0, 31));
    }
    for (int index = 0; index < 2; index++) {
        OK(aclrtSynchronizeStream(streams[index]));
        OK(aclrtDestroyStream(streams[index]));
    }
    OK(acldvppDestroyRoiConfig(crop));
    OK(acldvppDestroyRoiConfig(paste));
    OK(acldvppDestroyPicDesc(from));
    OK(acldvppDestroyPicDesc(to));
    OK(acldvppDestroyChannel(channel));
    OK(acldvppDestroyChannelDesc(channel));
    OK(acldvppFree(in));
    OK(acldvppFree(out));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
