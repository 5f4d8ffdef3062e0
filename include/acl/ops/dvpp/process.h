/*
 * Operations on pictures, in stream order. The descriptions are read by the call. When the operation has
 * ended, the return code of the output's description says how.
 */
#ifndef MILLPOND_ACL_OPS_DVPP_PROCESS_H
#define MILLPOND_ACL_OPS_DVPP_PROCESS_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Resizes a picture to the size of the output. */
aclError acldvppVpcResizeAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc,
    acldvppPicDesc *outputDesc, acldvppResizeConfig *resizeConfig, aclrtStream stream);
/* Takes an area out of a picture, and resizes it if the output has another size. */
aclError acldvppVpcCropAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc,
    acldvppPicDesc *outputDesc, acldvppRoiConfig *cropArea, aclrtStream stream);
aclError acldvppVpcCropResizeAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc,
    acldvppPicDesc *outputDesc, acldvppRoiConfig *cropArea, acldvppResizeConfig *resizeConfig,
    aclrtStream stream);
/* Takes an area out of a picture and writes it to an area of the output, in that area's size. */
aclError acldvppVpcCropAndPasteAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc,
    acldvppPicDesc *outputDesc, acldvppRoiConfig *cropArea, acldvppRoiConfig *pasteArea,
    aclrtStream stream);
aclError acldvppVpcCropResizePasteAsync(acldvppChannelDesc *channelDesc,
    acldvppPicDesc *inputDesc, acldvppPicDesc *outputDesc, acldvppRoiConfig *cropArea,
    acldvppRoiConfig *pasteArea, acldvppResizeConfig *resizeConfig, aclrtStream stream);
/* Converts a picture to the format of the output, which has the same size. */
aclError acldvppVpcConvertColorAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc,
    acldvppPicDesc *outputDesc, aclrtStream stream);

/*
 * The same for several areas: roiNums has the number of areas of each of the size inputs, and there is
 * one output for each area.
 */
aclError acldvppVpcBatchCropAsync(acldvppChannelDesc *channelDesc,
    acldvppBatchPicDesc *srcBatchPicDescs, uint32_t *roiNums, uint32_t size,
    acldvppBatchPicDesc *dstBatchPicDescs, acldvppRoiConfig *cropAreas[], aclrtStream stream);
aclError acldvppVpcBatchCropResizeAsync(acldvppChannelDesc *channelDesc,
    acldvppBatchPicDesc *srcBatchPicDescs, uint32_t *roiNums, uint32_t size,
    acldvppBatchPicDesc *dstBatchPicDescs, acldvppRoiConfig *cropAreas[],
    acldvppResizeConfig *resizeConfig, aclrtStream stream);
aclError acldvppVpcBatchCropAndPasteAsync(acldvppChannelDesc *channelDesc,
    acldvppBatchPicDesc *srcBatchPicDescs, uint32_t *roiNums, uint32_t size,
    acldvppBatchPicDesc *dstBatchPicDescs, acldvppRoiConfig *cropAreas[],
    acldvppRoiConfig *pasteAreas[], aclrtStream stream);
aclError acldvppVpcBatchCropResizePasteAsync(acldvppChannelDesc *channelDesc,
    acldvppBatchPicDesc *srcBatchPicDescs, uint32_t *roiNums, uint32_t size,
    acldvppBatchPicDesc *dstBatchPicDescs, acldvppRoiConfig *cropAreas[],
    acldvppRoiConfig *pasteAreas[], acldvppResizeConfig *resizeConfig, aclrtStream stream);

/* What a JPEG file in host memory contains. */
aclError acldvppJpegGetImageInfo(const void *data, uint32_t size, uint32_t *width,
    uint32_t *height, int32_t *components);
aclError acldvppJpegGetImageInfoV2(const void *data, uint32_t size, uint32_t *width,
    uint32_t *height, int32_t *components, acldvppJpegFormat *format);
/* Bytes of device memory that a JPEG file in host memory needs when it is decoded to a format. */
aclError acldvppJpegPredictDecSize(const void *data, uint32_t dataSize,
    acldvppPixelFormat outputPixelFormat, uint32_t *decSize);
/*
 * Decodes a JPEG file in device memory. Width, height and strides of the output's description may be 0;
 * they are set when the file has been decoded.
 */
aclError acldvppJpegDecodeAsync(acldvppChannelDesc *channelDesc, const void *data, uint32_t size,
    acldvppPicDesc *outputDesc, aclrtStream stream);

/* Encoding is not supported. */
acldvppJpegeConfig *acldvppCreateJpegeConfig(void);
aclError acldvppDestroyJpegeConfig(acldvppJpegeConfig *jpegeConfig);
aclError acldvppSetJpegeConfigLevel(acldvppJpegeConfig *jpegeConfig, uint32_t level);
uint32_t acldvppGetJpegeConfigLevel(const acldvppJpegeConfig *jpegeConfig);
aclError acldvppJpegPredictEncSize(const acldvppPicDesc *inputDesc,
    const acldvppJpegeConfig *config, uint32_t *size);
aclError acldvppJpegEncodeAsync(acldvppChannelDesc *channelDesc, acldvppPicDesc *inputDesc,
    const void *data, uint32_t *size, acldvppJpegeConfig *config, aclrtStream stream);

/* PNG files are not supported. */
aclError acldvppPngGetImageInfo(const void *data, uint32_t dataSize, uint32_t *width,
    uint32_t *height, int32_t *components);
aclError acldvppPngPredictDecSize(const void *data, uint32_t dataSize,
    acldvppPixelFormat outputPixelFormat, uint32_t *decSize);
aclError acldvppPngDecodeAsync(acldvppChannelDesc *channelDesc, const void *data, uint32_t size,
    acldvppPicDesc *outputDesc, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
