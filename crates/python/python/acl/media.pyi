"""The functions of acl.media.

Generated from functions.tsv and the C headers by `cargo xtask generate`.
"""

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

_Text = Union[str, bytes, os.PathLike[str]]

def dvpp_malloc(size: int, /) -> Tuple[int, int]:
    """dev_ptr, ret = acl.media.dvpp_malloc(size)

    Device memory whose start is a multiple of 128 bytes.

    Note: the same memory as aclrtMalloc: every block starts at a multiple of 512.

    C: acldvppMalloc"""

def dvpp_free(dev_ptr: int, /) -> int:
    """ret = acl.media.dvpp_free(dev_ptr)

    Device memory whose start is a multiple of 128 bytes.

    C: acldvppFree"""

def dvpp_create_pic_desc() -> int:
    """value = acl.media.dvpp_create_pic_desc()

    The description of a picture. All values are 0 and the format is PIXEL_FORMAT_YUV_400 at first.

    C: acldvppCreatePicDesc"""

def dvpp_destroy_pic_desc(pic_desc: int, /) -> int:
    """ret = acl.media.dvpp_destroy_pic_desc(pic_desc)

    The description of a picture. All values are 0 and the format is PIXEL_FORMAT_YUV_400 at first.

    C: acldvppDestroyPicDesc"""

def dvpp_set_pic_desc_data(pic_desc: int, data_dev: int, /) -> int:
    """ret = acl.media.dvpp_set_pic_desc_data(pic_desc, data_dev)

    Device memory of the picture: where it is, and how many bytes.

    C: acldvppSetPicDescData"""

def dvpp_set_pic_desc_size(pic_desc: int, size: int, /) -> int:
    """ret = acl.media.dvpp_set_pic_desc_size(pic_desc, size)

    Device memory of the picture: where it is, and how many bytes.

    C: acldvppSetPicDescSize"""

def dvpp_get_pic_desc_data(pic_desc: int, /) -> int:
    """value = acl.media.dvpp_get_pic_desc_data(pic_desc)

    Device memory of the picture: where it is, and how many bytes.

    C: acldvppGetPicDescData"""

def dvpp_get_pic_desc_size(pic_desc: int, /) -> int:
    """value = acl.media.dvpp_get_pic_desc_size(pic_desc)

    Device memory of the picture: where it is, and how many bytes.

    C: acldvppGetPicDescSize"""

def dvpp_set_pic_desc_format(pic_desc: int, format: int, /) -> int:
    """ret = acl.media.dvpp_set_pic_desc_format(pic_desc, format)

    The format of its pixels.

    C: acldvppSetPicDescFormat"""

def dvpp_get_pic_desc_format(pic_desc: int, /) -> int:
    """value = acl.media.dvpp_get_pic_desc_format(pic_desc)

    The format of its pixels.

    C: acldvppGetPicDescFormat"""

def dvpp_set_pic_desc_width(pic_desc: int, width: int, /) -> int:
    """ret = acl.media.dvpp_set_pic_desc_width(pic_desc, width)

    Its width and height in pixels.

    C: acldvppSetPicDescWidth"""

def dvpp_set_pic_desc_height(pic_desc: int, height: int, /) -> int:
    """ret = acl.media.dvpp_set_pic_desc_height(pic_desc, height)

    Its width and height in pixels.

    C: acldvppSetPicDescHeight"""

def dvpp_get_pic_desc_width(pic_desc: int, /) -> int:
    """value = acl.media.dvpp_get_pic_desc_width(pic_desc)

    Its width and height in pixels.

    C: acldvppGetPicDescWidth"""

def dvpp_get_pic_desc_height(pic_desc: int, /) -> int:
    """value = acl.media.dvpp_get_pic_desc_height(pic_desc)

    Its width and height in pixels.

    C: acldvppGetPicDescHeight"""

def dvpp_set_pic_desc_width_stride(pic_desc: int, width_stride: int, /) -> int:
    """ret = acl.media.dvpp_set_pic_desc_width_stride(pic_desc, width_stride)

    Bytes from a row to the next, and the rows that the first plane has room for.

    C: acldvppSetPicDescWidthStride"""

def dvpp_set_pic_desc_height_stride(pic_desc: int, height_stride: int, /) -> int:
    """ret = acl.media.dvpp_set_pic_desc_height_stride(pic_desc, height_stride)

    Bytes from a row to the next, and the rows that the first plane has room for.

    C: acldvppSetPicDescHeightStride"""

def dvpp_get_pic_desc_width_stride(pic_desc: int, /) -> int:
    """value = acl.media.dvpp_get_pic_desc_width_stride(pic_desc)

    Bytes from a row to the next, and the rows that the first plane has room for.

    C: acldvppGetPicDescWidthStride"""

def dvpp_get_pic_desc_height_stride(pic_desc: int, /) -> int:
    """value = acl.media.dvpp_get_pic_desc_height_stride(pic_desc)

    Bytes from a row to the next, and the rows that the first plane has room for.

    C: acldvppGetPicDescHeightStride"""

def dvpp_set_pic_desc_ret_code(pic_desc: int, ret_code: int, /) -> int:
    """ret = acl.media.dvpp_set_pic_desc_ret_code(pic_desc, ret_code)

    How the last operation that wrote the picture ended: 0, or an error.

    C: acldvppSetPicDescRetCode"""

def dvpp_get_pic_desc_ret_code(pic_desc: int, /) -> int:
    """value = acl.media.dvpp_get_pic_desc_ret_code(pic_desc)

    How the last operation that wrote the picture ended: 0, or an error.

    Note: 0, or 1 if the task failed.

    C: acldvppGetPicDescRetCode"""

def dvpp_create_batch_pic_desc(batch_size: int, /) -> int:
    """value = acl.media.dvpp_create_batch_pic_desc(batch_size)

    Several pictures. The descriptions inside live as long as the batch.

    C: acldvppCreateBatchPicDesc"""

def dvpp_get_pic_desc(batch_pic_desc: int, index: int, /) -> int:
    """value = acl.media.dvpp_get_pic_desc(batch_pic_desc, index)

    Several pictures. The descriptions inside live as long as the batch.

    C: acldvppGetPicDesc"""

def dvpp_destroy_batch_pic_desc(batch_pic_desc: int, /) -> int:
    """ret = acl.media.dvpp_destroy_batch_pic_desc(batch_pic_desc)

    Several pictures. The descriptions inside live as long as the batch.

    C: acldvppDestroyBatchPicDesc"""

def dvpp_create_roi_config(left: int, right: int, top: int, bottom: int, /) -> int:
    """value = acl.media.dvpp_create_roi_config(left, right, top, bottom)

    An area of a picture. right and bottom are the last column and row inside.

    C: acldvppCreateRoiConfig"""

def dvpp_destroy_roi_config(roi_config: int, /) -> int:
    """ret = acl.media.dvpp_destroy_roi_config(roi_config)

    An area of a picture. right and bottom are the last column and row inside.

    C: acldvppDestroyRoiConfig"""

def dvpp_set_roi_config_left(config: int, left: int, /) -> int:
    """ret = acl.media.dvpp_set_roi_config_left(config, left)

    An area of a picture. right and bottom are the last column and row inside.

    C: acldvppSetRoiConfigLeft"""

def dvpp_set_roi_config_right(config: int, right: int, /) -> int:
    """ret = acl.media.dvpp_set_roi_config_right(config, right)

    An area of a picture. right and bottom are the last column and row inside.

    C: acldvppSetRoiConfigRight"""

def dvpp_set_roi_config_top(config: int, top: int, /) -> int:
    """ret = acl.media.dvpp_set_roi_config_top(config, top)

    An area of a picture. right and bottom are the last column and row inside.

    C: acldvppSetRoiConfigTop"""

def dvpp_set_roi_config_bottom(config: int, bottom: int, /) -> int:
    """ret = acl.media.dvpp_set_roi_config_bottom(config, bottom)

    An area of a picture. right and bottom are the last column and row inside.

    C: acldvppSetRoiConfigBottom"""

def dvpp_set_roi_config(config: int, left: int, right: int, top: int, bottom: int, /) -> int:
    """ret = acl.media.dvpp_set_roi_config(config, left, right, top, bottom)

    An area of a picture. right and bottom are the last column and row inside.

    C: acldvppSetRoiConfig"""

def dvpp_create_resize_config() -> int:
    """value = acl.media.dvpp_create_resize_config()

    How pictures are resized: 0 and 1 are bilinear, 2 takes the nearest pixel.

    C: acldvppCreateResizeConfig"""

def dvpp_destroy_resize_config(resize_config: int, /) -> int:
    """ret = acl.media.dvpp_destroy_resize_config(resize_config)

    How pictures are resized: 0 and 1 are bilinear, 2 takes the nearest pixel.

    C: acldvppDestroyResizeConfig"""

def dvpp_set_resize_config_interpolation(resize_config: int, interpolation: int, /) -> int:
    """ret = acl.media.dvpp_set_resize_config_interpolation(resize_config, interpolation)

    How pictures are resized: 0 and 1 are bilinear, 2 takes the nearest pixel.

    C: acldvppSetResizeConfigInterpolation"""

def dvpp_get_resize_config_interpolation(resize_config: int, /) -> int:
    """value = acl.media.dvpp_get_resize_config_interpolation(resize_config)

    How pictures are resized: 0 and 1 are bilinear, 2 takes the nearest pixel.

    C: acldvppGetResizeConfigInterpolation"""

def dvpp_create_channel_desc() -> int:
    """value = acl.media.dvpp_create_channel_desc()

    The description of a channel, and the channel that it describes.

    C: acldvppCreateChannelDesc"""

def dvpp_destroy_channel_desc(channel_desc: int, /) -> int:
    """ret = acl.media.dvpp_destroy_channel_desc(channel_desc)

    The description of a channel, and the channel that it describes.

    C: acldvppDestroyChannelDesc"""

def dvpp_get_channel_desc_channel_id(channel_desc: int, /) -> int:
    """value = acl.media.dvpp_get_channel_desc_channel_id(channel_desc)

    The description of a channel, and the channel that it describes.

    C: acldvppGetChannelDescChannelId"""

def dvpp_set_channel_desc_mode(channel_desc: int, mode: int, /) -> int:
    """ret = acl.media.dvpp_set_channel_desc_mode(channel_desc, mode)

    The description of a channel, and the channel that it describes.

    C: acldvppSetChannelDescMode"""

def dvpp_set_channel_desc_param(channel_desc: int, param_type: int, param: int, /) -> int:
    """The description of a channel, and the channel that it describes.

    Note: the matrix, the mode, and the largest size, which has no effect; the number cannot be set
    and returns 100000.

    C: acldvppSetChannelDescParam"""

def dvpp_get_channel_desc_param(channel_desc: int, param_type: int, /) -> Tuple[int, int]:
    """The description of a channel, and the channel that it describes.

    C: acldvppGetChannelDescParam"""

def dvpp_create_channel(channel_desc: int, /) -> int:
    """ret = acl.media.dvpp_create_channel(channel_desc)

    The description of a channel, and the channel that it describes.

    Note: the channel has no resources of its own: its description is marked as usable.

    C: acldvppCreateChannel"""

def dvpp_destroy_channel(channel_desc: int, /) -> int:
    """ret = acl.media.dvpp_destroy_channel(channel_desc)

    The description of a channel, and the channel that it describes.

    C: acldvppDestroyChannel"""

def dvpp_vpc_resize_async(channel_desc: int, input_desc: int, output_desc: int, resize_config: int, stream: int, /) -> int:
    """ret = acl.media.dvpp_vpc_resize_async(channel_desc, input_desc, output_desc, resize_config,
    stream)

    Resizes a picture to the size of the output.

    Note: formats 0 to 17. Rules of sizes, strides and buffers are those of the chip of the profile;
    a broken one returns 100000. Interpolation 0 and 1 are bilinear, 2 is nearest; 5 returns 100000.

    C: acldvppVpcResizeAsync"""

def dvpp_vpc_crop_async(channel_desc: int, input_desc: int, output_desc: int, crop_area: int, stream: int, /) -> int:
    """ret = acl.media.dvpp_vpc_crop_async(channel_desc, input_desc, output_desc, crop_area, stream)

    Resizes a picture to the size of the output.

    Note: as acldvppVpcResizeAsync; the area must be inside, at least 10 by 6, and at whole chroma
    samples.

    C: acldvppVpcCropAsync"""

def dvpp_vpc_crop_resize_async(channel_desc: int, input_desc: int, output_desc: int, crop_area: int, resize_config: int, stream: int, /) -> int:
    """ret = acl.media.dvpp_vpc_crop_resize_async(channel_desc, input_desc, output_desc, crop_area,
    resize_config, stream)

    Resizes a picture to the size of the output.

    Note: as acldvppVpcCropAsync.

    C: acldvppVpcCropResizeAsync"""

def dvpp_vpc_crop_and_paste_async(channel_desc: int, input_desc: int, output_desc: int, crop_area: int, paste_area: int, stream: int, /) -> int:
    """ret = acl.media.dvpp_vpc_crop_and_paste_async(channel_desc, input_desc, output_desc, crop_area,
    paste_area, stream)

    Resizes a picture to the size of the output.

    Note: as acldvppVpcCropAsync; bilinear.

    C: acldvppVpcCropAndPasteAsync"""

def dvpp_vpc_crop_resize_paste_async(channel_desc: int, input_desc: int, output_desc: int, crop_area: int, paste_area: int, resize_config: int, stream: int, /) -> int:
    """ret = acl.media.dvpp_vpc_crop_resize_paste_async(channel_desc, input_desc, output_desc,
    crop_area, paste_area, resize_config, stream)

    Resizes a picture to the size of the output.

    Note: as acldvppVpcCropAndPasteAsync.

    C: acldvppVpcCropResizePasteAsync"""

def dvpp_vpc_convert_color_async(channel_desc: int, input_desc: int, output_desc: int, stream: int, /) -> int:
    """ret = acl.media.dvpp_vpc_convert_color_async(channel_desc, input_desc, output_desc, stream)

    Resizes a picture to the size of the output.

    Note: between formats 0 to 17, with the matrix of the channel, BT.601 wide at first; chroma is
    repeated or averaged, alpha is 255.

    C: acldvppVpcConvertColorAsync"""

def dvpp_vpc_batch_crop_async(channel_desc: int, src_batch_pic_descs: int, roi_nums: Sequence[int], size: int, dst_batch_pic_descs: int, crop_areas: Sequence[int], stream: int, /) -> int:
    """ret = acl.media.dvpp_vpc_batch_crop_async(channel_desc, src_batch_pic_descs, roi_nums, size,
    dst_batch_pic_descs, crop_areas, stream)

    The same for several areas: roiNums has the number of areas of each of the size inputs, and
    there is one output for each area.

    Note: as acldvppVpcCropAsync; at most 256 areas.

    C: acldvppVpcBatchCropAsync"""

def dvpp_vpc_batch_crop_resize_async(channel_desc: int, src_batch_pic_descs: int, roi_nums: Sequence[int], size: int, dst_batch_pic_descs: int, crop_areas: Sequence[int], resize_config: int, stream: int, /) -> int:
    """ret = acl.media.dvpp_vpc_batch_crop_resize_async(channel_desc, src_batch_pic_descs, roi_nums,
    size, dst_batch_pic_descs, crop_areas, resize_config, stream)

    The same for several areas: roiNums has the number of areas of each of the size inputs, and
    there is one output for each area.

    Note: as acldvppVpcBatchCropAsync.

    C: acldvppVpcBatchCropResizeAsync"""

def dvpp_vpc_batch_crop_and_paste_async(channel_desc: int, src_batch_pic_descs: int, roi_nums: Sequence[int], size: int, dst_batch_pic_descs: int, crop_areas: Sequence[int], paste_areas: Sequence[int], stream: int, /) -> int:
    """ret = acl.media.dvpp_vpc_batch_crop_and_paste_async(channel_desc, src_batch_pic_descs, roi_nums,
    size, dst_batch_pic_descs, crop_areas, paste_areas, stream)

    The same for several areas: roiNums has the number of areas of each of the size inputs, and
    there is one output for each area.

    Note: as acldvppVpcBatchCropAsync.

    C: acldvppVpcBatchCropAndPasteAsync"""

def dvpp_vpc_batch_crop_resize_paste_async(channel_desc: int, src_batch_pic_descs: int, roi_nums: Sequence[int], size: int, dst_batch_pic_descs: int, crop_areas: Sequence[int], paste_areas: Sequence[int], resize_config: int, stream: int, /) -> int:
    """ret = acl.media.dvpp_vpc_batch_crop_resize_paste_async(channel_desc, src_batch_pic_descs,
    roi_nums, size, dst_batch_pic_descs, crop_areas, paste_areas, resize_config, stream)

    The same for several areas: roiNums has the number of areas of each of the size inputs, and
    there is one output for each area.

    Note: as acldvppVpcBatchCropAsync.

    C: acldvppVpcBatchCropResizePasteAsync"""

def dvpp_jpeg_get_image_info(data: int, size: int, /) -> Tuple[int, int, int, int]:
    """width, height, components, ret = acl.media.dvpp_jpeg_get_image_info(data, size)

    What a JPEG file in host memory contains.

    Note: baseline files of 32 by 32 to 8192 by 8192; others, and files with an EXIF rotation,
    return 148052.

    C: acldvppJpegGetImageInfo"""

def dvpp_jpeg_get_image_info_v2(data: int, size: int, /) -> Tuple[int, int, int, int, int]:
    """width, height, components, format, ret = acl.media.dvpp_jpeg_get_image_info_v2(data, size)

    What a JPEG file in host memory contains.

    Note: as acldvppJpegGetImageInfo.

    C: acldvppJpegGetImageInfoV2"""

def dvpp_jpeg_predict_dec_size(data: int, data_size: int, output_pixel_format: int, /) -> Tuple[int, int]:
    """dec_size, ret = acl.media.dvpp_jpeg_predict_dec_size(data, data_size, output_pixel_format)

    What a JPEG file in host memory contains.

    Note: as acldvppJpegGetImageInfo; width rounded up to 128, height to 16.

    C: acldvppJpegPredictDecSize"""

def dvpp_jpeg_decode_async(channel_desc: int, data: int, size: int, output_desc: int, stream: int, /) -> int:
    """ret = acl.media.dvpp_jpeg_decode_async(channel_desc, data, size, output_desc, stream)

    What a JPEG file in host memory contains.

    Note: to YUV420SP, or semi-planar with the sampling of the file; a file that cannot be decoded
    fails the task and sets the return code.

    C: acldvppJpegDecodeAsync"""

def dvpp_create_jpege_config() -> int:
    """value = acl.media.dvpp_create_jpege_config()

    Encoding is not supported.

    Refused: JPEG files are not encoded; copy the picture to the host and encode it there.

    C: acldvppCreateJpegeConfig"""

def dvpp_destroy_jpege_config(jpege_config: int, /) -> int:
    """ret = acl.media.dvpp_destroy_jpege_config(jpege_config)

    Encoding is not supported.

    Refused: JPEG files are not encoded; copy the picture to the host and encode it there.

    C: acldvppDestroyJpegeConfig"""

def dvpp_set_jpege_config_level(jpege_config: int, level: int, /) -> int:
    """ret = acl.media.dvpp_set_jpege_config_level(jpege_config, level)

    Encoding is not supported.

    Refused: JPEG files are not encoded; copy the picture to the host and encode it there.

    C: acldvppSetJpegeConfigLevel"""

def dvpp_get_jpege_config_level(jpege_config: int, /) -> int:
    """value = acl.media.dvpp_get_jpege_config_level(jpege_config)

    Encoding is not supported.

    Refused: JPEG files are not encoded; copy the picture to the host and encode it there.

    C: acldvppGetJpegeConfigLevel"""

def dvpp_jpeg_predict_enc_size(input_desc: int, config: int, /) -> Tuple[int, int]:
    """size, ret = acl.media.dvpp_jpeg_predict_enc_size(input_desc, config)

    Encoding is not supported.

    Refused: JPEG files are not encoded; copy the picture to the host and encode it there.

    C: acldvppJpegPredictEncSize"""

def dvpp_jpeg_encode_async(channel_desc: int, input_desc: int, data: int, size: int, config: int, stream: int, /) -> int:
    """ret = acl.media.dvpp_jpeg_encode_async(channel_desc, input_desc, data, size, config, stream)

    Encoding is not supported.

    Refused: JPEG files are not encoded; copy the picture to the host and encode it there.

    C: acldvppJpegEncodeAsync"""

def dvpp_png_get_image_info(data: int, data_size: int, /) -> Tuple[int, int, int, int]:
    """width, height, components, ret = acl.media.dvpp_png_get_image_info(data, data_size)

    PNG files are not supported.

    Refused: PNG files are not decoded; decode them on the host and copy the pixels to the device.

    C: acldvppPngGetImageInfo"""

def dvpp_png_predict_dec_size(data: int, data_size: int, output_pixel_format: int, /) -> Tuple[int, int]:
    """dec_size, ret = acl.media.dvpp_png_predict_dec_size(data, data_size, output_pixel_format)

    PNG files are not supported.

    Refused: PNG files are not decoded; decode them on the host and copy the pixels to the device.

    C: acldvppPngPredictDecSize"""

def dvpp_png_decode_async(channel_desc: int, data: int, size: int, output_desc: int, stream: int, /) -> int:
    """ret = acl.media.dvpp_png_decode_async(channel_desc, data, size, output_desc, stream)

    PNG files are not supported.

    Refused: PNG files are not decoded; decode them on the host and copy the pixels to the device.

    C: acldvppPngDecodeAsync"""

def dvpp_create_stream_desc() -> int:
    """value = acl.media.dvpp_create_stream_desc()

    Coded video in memory.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: acldvppCreateStreamDesc"""

def dvpp_destroy_stream_desc(stream_desc: int, /) -> int:
    """ret = acl.media.dvpp_destroy_stream_desc(stream_desc)

    Coded video in memory.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: acldvppDestroyStreamDesc"""

def dvpp_set_stream_desc_data(stream_desc: int, data_dev: int, /) -> int:
    """ret = acl.media.dvpp_set_stream_desc_data(stream_desc, data_dev)

    Coded video in memory.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: acldvppSetStreamDescData"""

def dvpp_set_stream_desc_size(stream_desc: int, size: int, /) -> int:
    """ret = acl.media.dvpp_set_stream_desc_size(stream_desc, size)

    Coded video in memory.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: acldvppSetStreamDescSize"""

def dvpp_set_stream_desc_format(stream_desc: int, format: int, /) -> int:
    """ret = acl.media.dvpp_set_stream_desc_format(stream_desc, format)

    Coded video in memory.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: acldvppSetStreamDescFormat"""

def dvpp_set_stream_desc_timestamp(stream_desc: int, timestamp: int, /) -> int:
    """ret = acl.media.dvpp_set_stream_desc_timestamp(stream_desc, timestamp)

    Coded video in memory.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: acldvppSetStreamDescTimestamp"""

def dvpp_set_stream_desc_ret_code(stream_desc: int, ret_code: int, /) -> int:
    """ret = acl.media.dvpp_set_stream_desc_ret_code(stream_desc, ret_code)

    Coded video in memory.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: acldvppSetStreamDescRetCode"""

def dvpp_set_stream_desc_eos(stream_desc: int, eos: int, /) -> int:
    """ret = acl.media.dvpp_set_stream_desc_eos(stream_desc, eos)

    Coded video in memory.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: acldvppSetStreamDescEos"""

def vdec_create_channel_desc() -> int:
    """value = acl.media.vdec_create_channel_desc()

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecCreateChannelDesc"""

def vdec_destroy_channel_desc(channel_desc: int, /) -> int:
    """ret = acl.media.vdec_destroy_channel_desc(channel_desc)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecDestroyChannelDesc"""

def vdec_set_channel_desc_channel_id(channel_desc: int, channel_id: int, /) -> int:
    """ret = acl.media.vdec_set_channel_desc_channel_id(channel_desc, channel_id)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecSetChannelDescChannelId"""

def vdec_set_channel_desc_thread_id(channel_desc: int, thread_id: int, /) -> int:
    """ret = acl.media.vdec_set_channel_desc_thread_id(channel_desc, thread_id)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecSetChannelDescThreadId"""

def vdec_set_channel_desc_callback(channel_desc: int, callback: Optional[Callable[[int, int, Any], Any]], /) -> int:
    """Refused: video is not supported.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecSetChannelDescCallback"""

def vdec_set_channel_desc_en_type(channel_desc: int, en_type: int, /) -> int:
    """ret = acl.media.vdec_set_channel_desc_en_type(channel_desc, en_type)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecSetChannelDescEnType"""

def vdec_set_channel_desc_out_pic_format(channel_desc: int, out_pic_format: int, /) -> int:
    """ret = acl.media.vdec_set_channel_desc_out_pic_format(channel_desc, out_pic_format)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecSetChannelDescOutPicFormat"""

def vdec_set_channel_desc_out_pic_width(channel_desc: int, out_pic_width: int, /) -> int:
    """ret = acl.media.vdec_set_channel_desc_out_pic_width(channel_desc, out_pic_width)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecSetChannelDescOutPicWidth"""

def vdec_set_channel_desc_out_pic_height(channel_desc: int, out_pic_height: int, /) -> int:
    """ret = acl.media.vdec_set_channel_desc_out_pic_height(channel_desc, out_pic_height)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecSetChannelDescOutPicHeight"""

def vdec_set_channel_desc_ref_frame_num(channel_desc: int, ref_frame_num: int, /) -> int:
    """ret = acl.media.vdec_set_channel_desc_ref_frame_num(channel_desc, ref_frame_num)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecSetChannelDescRefFrameNum"""

def vdec_set_channel_desc_out_mode(channel_desc: int, out_mode: int, /) -> int:
    """ret = acl.media.vdec_set_channel_desc_out_mode(channel_desc, out_mode)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecSetChannelDescOutMode"""

def vdec_create_frame_config() -> int:
    """value = acl.media.vdec_create_frame_config()

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecCreateFrameConfig"""

def vdec_destroy_frame_config(vdec_frame_config: int, /) -> int:
    """ret = acl.media.vdec_destroy_frame_config(vdec_frame_config)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecDestroyFrameConfig"""

def vdec_create_channel(channel_desc: int, /) -> int:
    """ret = acl.media.vdec_create_channel(channel_desc)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecCreateChannel"""

def vdec_destroy_channel(channel_desc: int, /) -> int:
    """ret = acl.media.vdec_destroy_channel(channel_desc)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecDestroyChannel"""

def vdec_send_frame(channel_desc: int, input: int, output: int, config: int, user_data: int, /) -> int:
    """ret = acl.media.vdec_send_frame(channel_desc, input, output, config, user_data)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecSendFrame"""

def vdec_send_skipped_frame(channel_desc: int, input: int, config: int, user_data: int, /) -> int:
    """ret = acl.media.vdec_send_skipped_frame(channel_desc, input, config, user_data)

    Decoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvdecSendSkippedFrame"""

def venc_create_channel_desc() -> int:
    """value = acl.media.venc_create_channel_desc()

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencCreateChannelDesc"""

def venc_destroy_channel_desc(channel_desc: int, /) -> int:
    """ret = acl.media.venc_destroy_channel_desc(channel_desc)

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencDestroyChannelDesc"""

def venc_set_channel_desc_thread_id(channel_desc: int, thread_id: int, /) -> int:
    """ret = acl.media.venc_set_channel_desc_thread_id(channel_desc, thread_id)

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencSetChannelDescThreadId"""

def venc_set_channel_desc_callback(channel_desc: int, callback: Optional[Callable[[int, int, Any], Any]], /) -> int:
    """Refused: video is not supported.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencSetChannelDescCallback"""

def venc_set_channel_desc_en_type(channel_desc: int, en_type: int, /) -> int:
    """ret = acl.media.venc_set_channel_desc_en_type(channel_desc, en_type)

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencSetChannelDescEnType"""

def venc_set_channel_desc_pic_format(channel_desc: int, pic_format: int, /) -> int:
    """ret = acl.media.venc_set_channel_desc_pic_format(channel_desc, pic_format)

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencSetChannelDescPicFormat"""

def venc_set_channel_desc_pic_width(channel_desc: int, pic_width: int, /) -> int:
    """ret = acl.media.venc_set_channel_desc_pic_width(channel_desc, pic_width)

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencSetChannelDescPicWidth"""

def venc_set_channel_desc_pic_height(channel_desc: int, pic_height: int, /) -> int:
    """ret = acl.media.venc_set_channel_desc_pic_height(channel_desc, pic_height)

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencSetChannelDescPicHeight"""

def venc_set_channel_desc_key_frame_interval(channel_desc: int, key_frame_interval: int, /) -> int:
    """ret = acl.media.venc_set_channel_desc_key_frame_interval(channel_desc, key_frame_interval)

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencSetChannelDescKeyFrameInterval"""

def venc_create_frame_config() -> int:
    """value = acl.media.venc_create_frame_config()

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencCreateFrameConfig"""

def venc_destroy_frame_config(config: int, /) -> int:
    """ret = acl.media.venc_destroy_frame_config(config)

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencDestroyFrameConfig"""

def venc_set_frame_config_force_i_frame(config: int, force_iframe: int, /) -> int:
    """ret = acl.media.venc_set_frame_config_force_i_frame(config, force_iframe)

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencSetFrameConfigForceIFrame"""

def venc_set_frame_config_eos(config: int, eos: int, /) -> int:
    """ret = acl.media.venc_set_frame_config_eos(config, eos)

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencSetFrameConfigEos"""

def venc_create_channel(channel_desc: int, /) -> int:
    """ret = acl.media.venc_create_channel(channel_desc)

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencCreateChannel"""

def venc_destroy_channel(channel_desc: int, /) -> int:
    """ret = acl.media.venc_destroy_channel(channel_desc)

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencDestroyChannel"""

def venc_send_frame(channel_desc: int, input: int, reserve: int, config: int, userdata: int, /) -> int:
    """ret = acl.media.venc_send_frame(channel_desc, input, reserve, config, userdata)

    Encoding.

    Refused: video is not decoded or encoded; use pictures, or a library on the host.

    C: aclvencSendFrame"""
