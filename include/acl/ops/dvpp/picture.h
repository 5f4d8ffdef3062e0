/*
 * Descriptions of pictures, areas, resizing and channels. They are host objects: the memory that a
 * picture names belongs to the caller.
 */
#ifndef MILLPOND_ACL_OPS_DVPP_PICTURE_H
#define MILLPOND_ACL_OPS_DVPP_PICTURE_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The description of a picture. All values are 0 and the format is PIXEL_FORMAT_YUV_400 at first. */
acldvppPicDesc *acldvppCreatePicDesc(void);
aclError acldvppDestroyPicDesc(acldvppPicDesc *picDesc);

/* Device memory of the picture: where it is, and how many bytes. */
aclError acldvppSetPicDescData(acldvppPicDesc *picDesc, void *dataDev);
aclError acldvppSetPicDescSize(acldvppPicDesc *picDesc, uint32_t size);
void *acldvppGetPicDescData(const acldvppPicDesc *picDesc);
uint32_t acldvppGetPicDescSize(const acldvppPicDesc *picDesc);

/* The format of its pixels. */
aclError acldvppSetPicDescFormat(acldvppPicDesc *picDesc, acldvppPixelFormat format);
acldvppPixelFormat acldvppGetPicDescFormat(const acldvppPicDesc *picDesc);

/* Its width and height in pixels. */
aclError acldvppSetPicDescWidth(acldvppPicDesc *picDesc, uint32_t width);
aclError acldvppSetPicDescHeight(acldvppPicDesc *picDesc, uint32_t height);
uint32_t acldvppGetPicDescWidth(const acldvppPicDesc *picDesc);
uint32_t acldvppGetPicDescHeight(const acldvppPicDesc *picDesc);

/* Bytes from a row to the next, and the rows that the first plane has room for. */
aclError acldvppSetPicDescWidthStride(acldvppPicDesc *picDesc, uint32_t widthStride);
aclError acldvppSetPicDescHeightStride(acldvppPicDesc *picDesc, uint32_t heightStride);
uint32_t acldvppGetPicDescWidthStride(const acldvppPicDesc *picDesc);
uint32_t acldvppGetPicDescHeightStride(const acldvppPicDesc *picDesc);

/* How the last operation that wrote the picture ended: 0, or an error. */
aclError acldvppSetPicDescRetCode(acldvppPicDesc *picDesc, uint32_t retCode);
uint32_t acldvppGetPicDescRetCode(const acldvppPicDesc *picDesc);

/* Several pictures. The descriptions inside live as long as the batch. */
acldvppBatchPicDesc *acldvppCreateBatchPicDesc(uint32_t batchSize);
acldvppPicDesc *acldvppGetPicDesc(acldvppBatchPicDesc *batchPicDesc, uint32_t index);
aclError acldvppDestroyBatchPicDesc(acldvppBatchPicDesc *batchPicDesc);

/* An area of a picture. right and bottom are the last column and row inside. */
acldvppRoiConfig *acldvppCreateRoiConfig(uint32_t left, uint32_t right, uint32_t top,
    uint32_t bottom);
aclError acldvppDestroyRoiConfig(acldvppRoiConfig *roiConfig);
aclError acldvppSetRoiConfigLeft(acldvppRoiConfig *config, uint32_t left);
aclError acldvppSetRoiConfigRight(acldvppRoiConfig *config, uint32_t right);
aclError acldvppSetRoiConfigTop(acldvppRoiConfig *config, uint32_t top);
aclError acldvppSetRoiConfigBottom(acldvppRoiConfig *config, uint32_t bottom);
aclError acldvppSetRoiConfig(acldvppRoiConfig *config, uint32_t left, uint32_t right, uint32_t top,
    uint32_t bottom);

/* How pictures are resized: 0 and 1 are bilinear, 2 takes the nearest pixel. */
acldvppResizeConfig *acldvppCreateResizeConfig(void);
aclError acldvppDestroyResizeConfig(acldvppResizeConfig *resizeConfig);
aclError acldvppSetResizeConfigInterpolation(acldvppResizeConfig *resizeConfig,
    uint32_t interpolation);
uint32_t acldvppGetResizeConfigInterpolation(const acldvppResizeConfig *resizeConfig);

/* The description of a channel, and the channel that it describes. */
acldvppChannelDesc *acldvppCreateChannelDesc(void);
aclError acldvppDestroyChannelDesc(acldvppChannelDesc *channelDesc);
uint64_t acldvppGetChannelDescChannelId(const acldvppChannelDesc *channelDesc);
aclError acldvppSetChannelDescMode(acldvppChannelDesc *channelDesc, uint32_t mode);
aclError acldvppSetChannelDescParam(acldvppChannelDesc *channelDesc,
    acldvppChannelDescParamType paramType, size_t length, const void *param);
aclError acldvppGetChannelDescParam(const acldvppChannelDesc *channelDesc,
    acldvppChannelDescParamType paramType, size_t length, size_t *paramRetSize, void *param);
aclError acldvppCreateChannel(acldvppChannelDesc *channelDesc);
aclError acldvppDestroyChannel(acldvppChannelDesc *channelDesc);

#ifdef __cplusplus
}
#endif

#endif
