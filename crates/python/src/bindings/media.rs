//! The functions of `media`.
//!
//! Generated from `functions.tsv` and the headers by `cargo xtask generate`: change the table, not this file.
#![expect(unsafe_code, reason = "calls C functions")]

use std::ffi::{c_char, c_void};

use millpond_abi as abi;

use super::c;
use crate::arguments::{Args, Text, pointer_to};
use crate::gil;
use crate::items::Truth;
use crate::methods::{END, Methods, method, row};
use crate::object::{Answer, Owned, ToObject, text_in, text_or_none, tuple};
use crate::structs::{Element, Struct, zeroed};

pub(crate) static METHODS: Methods<107> = Methods([
row(c"dvpp_malloc", method!("media.dvpp_malloc" ("size") least 1, dvpp_malloc), c"dvpp_malloc(size, /)\n--\n\ndev_ptr, ret = acl.media.dvpp_malloc(size)\n\nDevice memory whose start is a multiple of 128 bytes.\n\nNote: the same memory as aclrtMalloc: every block starts at a multiple of 512.\n\nC: acldvppMalloc"),
row(c"dvpp_free", method!("media.dvpp_free" ("dev_ptr") least 1, dvpp_free), c"dvpp_free(dev_ptr, /)\n--\n\nret = acl.media.dvpp_free(dev_ptr)\n\nDevice memory whose start is a multiple of 128 bytes.\n\nC: acldvppFree"),
row(c"dvpp_create_pic_desc", method!("media.dvpp_create_pic_desc" () least 0, dvpp_create_pic_desc), c"dvpp_create_pic_desc()\n--\n\nvalue = acl.media.dvpp_create_pic_desc()\n\nThe description of a picture. All values are 0 and the format is PIXEL_FORMAT_YUV_400 at first.\n\nC: acldvppCreatePicDesc"),
row(c"dvpp_destroy_pic_desc", method!("media.dvpp_destroy_pic_desc" ("pic_desc") least 1, dvpp_destroy_pic_desc), c"dvpp_destroy_pic_desc(pic_desc, /)\n--\n\nret = acl.media.dvpp_destroy_pic_desc(pic_desc)\n\nThe description of a picture. All values are 0 and the format is PIXEL_FORMAT_YUV_400 at first.\n\nC: acldvppDestroyPicDesc"),
row(c"dvpp_set_pic_desc_data", method!("media.dvpp_set_pic_desc_data" ("pic_desc", "data_dev") least 2, dvpp_set_pic_desc_data), c"dvpp_set_pic_desc_data(pic_desc, data_dev, /)\n--\n\nret = acl.media.dvpp_set_pic_desc_data(pic_desc, data_dev)\n\nDevice memory of the picture: where it is, and how many bytes.\n\nC: acldvppSetPicDescData"),
row(c"dvpp_set_pic_desc_size", method!("media.dvpp_set_pic_desc_size" ("pic_desc", "size") least 2, dvpp_set_pic_desc_size), c"dvpp_set_pic_desc_size(pic_desc, size, /)\n--\n\nret = acl.media.dvpp_set_pic_desc_size(pic_desc, size)\n\nDevice memory of the picture: where it is, and how many bytes.\n\nC: acldvppSetPicDescSize"),
row(c"dvpp_get_pic_desc_data", method!("media.dvpp_get_pic_desc_data" ("pic_desc") least 1, dvpp_get_pic_desc_data), c"dvpp_get_pic_desc_data(pic_desc, /)\n--\n\nvalue = acl.media.dvpp_get_pic_desc_data(pic_desc)\n\nDevice memory of the picture: where it is, and how many bytes.\n\nC: acldvppGetPicDescData"),
row(c"dvpp_get_pic_desc_size", method!("media.dvpp_get_pic_desc_size" ("pic_desc") least 1, dvpp_get_pic_desc_size), c"dvpp_get_pic_desc_size(pic_desc, /)\n--\n\nvalue = acl.media.dvpp_get_pic_desc_size(pic_desc)\n\nDevice memory of the picture: where it is, and how many bytes.\n\nC: acldvppGetPicDescSize"),
row(c"dvpp_set_pic_desc_format", method!("media.dvpp_set_pic_desc_format" ("pic_desc", "format") least 2, dvpp_set_pic_desc_format), c"dvpp_set_pic_desc_format(pic_desc, format, /)\n--\n\nret = acl.media.dvpp_set_pic_desc_format(pic_desc, format)\n\nThe format of its pixels.\n\nC: acldvppSetPicDescFormat"),
row(c"dvpp_get_pic_desc_format", method!("media.dvpp_get_pic_desc_format" ("pic_desc") least 1, dvpp_get_pic_desc_format), c"dvpp_get_pic_desc_format(pic_desc, /)\n--\n\nvalue = acl.media.dvpp_get_pic_desc_format(pic_desc)\n\nThe format of its pixels.\n\nC: acldvppGetPicDescFormat"),
row(c"dvpp_set_pic_desc_width", method!("media.dvpp_set_pic_desc_width" ("pic_desc", "width") least 2, dvpp_set_pic_desc_width), c"dvpp_set_pic_desc_width(pic_desc, width, /)\n--\n\nret = acl.media.dvpp_set_pic_desc_width(pic_desc, width)\n\nIts width and height in pixels.\n\nC: acldvppSetPicDescWidth"),
row(c"dvpp_set_pic_desc_height", method!("media.dvpp_set_pic_desc_height" ("pic_desc", "height") least 2, dvpp_set_pic_desc_height), c"dvpp_set_pic_desc_height(pic_desc, height, /)\n--\n\nret = acl.media.dvpp_set_pic_desc_height(pic_desc, height)\n\nIts width and height in pixels.\n\nC: acldvppSetPicDescHeight"),
row(c"dvpp_get_pic_desc_width", method!("media.dvpp_get_pic_desc_width" ("pic_desc") least 1, dvpp_get_pic_desc_width), c"dvpp_get_pic_desc_width(pic_desc, /)\n--\n\nvalue = acl.media.dvpp_get_pic_desc_width(pic_desc)\n\nIts width and height in pixels.\n\nC: acldvppGetPicDescWidth"),
row(c"dvpp_get_pic_desc_height", method!("media.dvpp_get_pic_desc_height" ("pic_desc") least 1, dvpp_get_pic_desc_height), c"dvpp_get_pic_desc_height(pic_desc, /)\n--\n\nvalue = acl.media.dvpp_get_pic_desc_height(pic_desc)\n\nIts width and height in pixels.\n\nC: acldvppGetPicDescHeight"),
row(c"dvpp_set_pic_desc_width_stride", method!("media.dvpp_set_pic_desc_width_stride" ("pic_desc", "width_stride") least 2, dvpp_set_pic_desc_width_stride), c"dvpp_set_pic_desc_width_stride(pic_desc, width_stride, /)\n--\n\nret = acl.media.dvpp_set_pic_desc_width_stride(pic_desc, width_stride)\n\nBytes from a row to the next, and the rows that the first plane has room for.\n\nC: acldvppSetPicDescWidthStride"),
row(c"dvpp_set_pic_desc_height_stride", method!("media.dvpp_set_pic_desc_height_stride" ("pic_desc", "height_stride") least 2, dvpp_set_pic_desc_height_stride), c"dvpp_set_pic_desc_height_stride(pic_desc, height_stride, /)\n--\n\nret = acl.media.dvpp_set_pic_desc_height_stride(pic_desc, height_stride)\n\nBytes from a row to the next, and the rows that the first plane has room for.\n\nC: acldvppSetPicDescHeightStride"),
row(c"dvpp_get_pic_desc_width_stride", method!("media.dvpp_get_pic_desc_width_stride" ("pic_desc") least 1, dvpp_get_pic_desc_width_stride), c"dvpp_get_pic_desc_width_stride(pic_desc, /)\n--\n\nvalue = acl.media.dvpp_get_pic_desc_width_stride(pic_desc)\n\nBytes from a row to the next, and the rows that the first plane has room for.\n\nC: acldvppGetPicDescWidthStride"),
row(c"dvpp_get_pic_desc_height_stride", method!("media.dvpp_get_pic_desc_height_stride" ("pic_desc") least 1, dvpp_get_pic_desc_height_stride), c"dvpp_get_pic_desc_height_stride(pic_desc, /)\n--\n\nvalue = acl.media.dvpp_get_pic_desc_height_stride(pic_desc)\n\nBytes from a row to the next, and the rows that the first plane has room for.\n\nC: acldvppGetPicDescHeightStride"),
row(c"dvpp_set_pic_desc_ret_code", method!("media.dvpp_set_pic_desc_ret_code" ("pic_desc", "ret_code") least 2, dvpp_set_pic_desc_ret_code), c"dvpp_set_pic_desc_ret_code(pic_desc, ret_code, /)\n--\n\nret = acl.media.dvpp_set_pic_desc_ret_code(pic_desc, ret_code)\n\nHow the last operation that wrote the picture ended: 0, or an error.\n\nC: acldvppSetPicDescRetCode"),
row(c"dvpp_get_pic_desc_ret_code", method!("media.dvpp_get_pic_desc_ret_code" ("pic_desc") least 1, dvpp_get_pic_desc_ret_code), c"dvpp_get_pic_desc_ret_code(pic_desc, /)\n--\n\nvalue = acl.media.dvpp_get_pic_desc_ret_code(pic_desc)\n\nHow the last operation that wrote the picture ended: 0, or an error.\n\nNote: 0, or 1 if the task failed.\n\nC: acldvppGetPicDescRetCode"),
row(c"dvpp_create_batch_pic_desc", method!("media.dvpp_create_batch_pic_desc" ("batch_size") least 1, dvpp_create_batch_pic_desc), c"dvpp_create_batch_pic_desc(batch_size, /)\n--\n\nvalue = acl.media.dvpp_create_batch_pic_desc(batch_size)\n\nSeveral pictures. The descriptions inside live as long as the batch.\n\nC: acldvppCreateBatchPicDesc"),
row(c"dvpp_get_pic_desc", method!("media.dvpp_get_pic_desc" ("batch_pic_desc", "index") least 2, dvpp_get_pic_desc), c"dvpp_get_pic_desc(batch_pic_desc, index, /)\n--\n\nvalue = acl.media.dvpp_get_pic_desc(batch_pic_desc, index)\n\nSeveral pictures. The descriptions inside live as long as the batch.\n\nC: acldvppGetPicDesc"),
row(c"dvpp_destroy_batch_pic_desc", method!("media.dvpp_destroy_batch_pic_desc" ("batch_pic_desc") least 1, dvpp_destroy_batch_pic_desc), c"dvpp_destroy_batch_pic_desc(batch_pic_desc, /)\n--\n\nret = acl.media.dvpp_destroy_batch_pic_desc(batch_pic_desc)\n\nSeveral pictures. The descriptions inside live as long as the batch.\n\nC: acldvppDestroyBatchPicDesc"),
row(c"dvpp_create_roi_config", method!("media.dvpp_create_roi_config" ("left", "right", "top", "bottom") least 4, dvpp_create_roi_config), c"dvpp_create_roi_config(left, right, top, bottom, /)\n--\n\nvalue = acl.media.dvpp_create_roi_config(left, right, top, bottom)\n\nAn area of a picture. right and bottom are the last column and row inside.\n\nC: acldvppCreateRoiConfig"),
row(c"dvpp_destroy_roi_config", method!("media.dvpp_destroy_roi_config" ("roi_config") least 1, dvpp_destroy_roi_config), c"dvpp_destroy_roi_config(roi_config, /)\n--\n\nret = acl.media.dvpp_destroy_roi_config(roi_config)\n\nAn area of a picture. right and bottom are the last column and row inside.\n\nC: acldvppDestroyRoiConfig"),
row(c"dvpp_set_roi_config_left", method!("media.dvpp_set_roi_config_left" ("config", "left") least 2, dvpp_set_roi_config_left), c"dvpp_set_roi_config_left(config, left, /)\n--\n\nret = acl.media.dvpp_set_roi_config_left(config, left)\n\nAn area of a picture. right and bottom are the last column and row inside.\n\nC: acldvppSetRoiConfigLeft"),
row(c"dvpp_set_roi_config_right", method!("media.dvpp_set_roi_config_right" ("config", "right") least 2, dvpp_set_roi_config_right), c"dvpp_set_roi_config_right(config, right, /)\n--\n\nret = acl.media.dvpp_set_roi_config_right(config, right)\n\nAn area of a picture. right and bottom are the last column and row inside.\n\nC: acldvppSetRoiConfigRight"),
row(c"dvpp_set_roi_config_top", method!("media.dvpp_set_roi_config_top" ("config", "top") least 2, dvpp_set_roi_config_top), c"dvpp_set_roi_config_top(config, top, /)\n--\n\nret = acl.media.dvpp_set_roi_config_top(config, top)\n\nAn area of a picture. right and bottom are the last column and row inside.\n\nC: acldvppSetRoiConfigTop"),
row(c"dvpp_set_roi_config_bottom", method!("media.dvpp_set_roi_config_bottom" ("config", "bottom") least 2, dvpp_set_roi_config_bottom), c"dvpp_set_roi_config_bottom(config, bottom, /)\n--\n\nret = acl.media.dvpp_set_roi_config_bottom(config, bottom)\n\nAn area of a picture. right and bottom are the last column and row inside.\n\nC: acldvppSetRoiConfigBottom"),
row(c"dvpp_set_roi_config", method!("media.dvpp_set_roi_config" ("config", "left", "right", "top", "bottom") least 5, dvpp_set_roi_config), c"dvpp_set_roi_config(config, left, right, top, bottom, /)\n--\n\nret = acl.media.dvpp_set_roi_config(config, left, right, top, bottom)\n\nAn area of a picture. right and bottom are the last column and row inside.\n\nC: acldvppSetRoiConfig"),
row(c"dvpp_create_resize_config", method!("media.dvpp_create_resize_config" () least 0, dvpp_create_resize_config), c"dvpp_create_resize_config()\n--\n\nvalue = acl.media.dvpp_create_resize_config()\n\nHow pictures are resized: 0 and 1 are bilinear, 2 takes the nearest pixel.\n\nC: acldvppCreateResizeConfig"),
row(c"dvpp_destroy_resize_config", method!("media.dvpp_destroy_resize_config" ("resize_config") least 1, dvpp_destroy_resize_config), c"dvpp_destroy_resize_config(resize_config, /)\n--\n\nret = acl.media.dvpp_destroy_resize_config(resize_config)\n\nHow pictures are resized: 0 and 1 are bilinear, 2 takes the nearest pixel.\n\nC: acldvppDestroyResizeConfig"),
row(c"dvpp_set_resize_config_interpolation", method!("media.dvpp_set_resize_config_interpolation" ("resize_config", "interpolation") least 2, dvpp_set_resize_config_interpolation), c"dvpp_set_resize_config_interpolation(resize_config, interpolation, /)\n--\n\nret = acl.media.dvpp_set_resize_config_interpolation(resize_config, interpolation)\n\nHow pictures are resized: 0 and 1 are bilinear, 2 takes the nearest pixel.\n\nC: acldvppSetResizeConfigInterpolation"),
row(c"dvpp_get_resize_config_interpolation", method!("media.dvpp_get_resize_config_interpolation" ("resize_config") least 1, dvpp_get_resize_config_interpolation), c"dvpp_get_resize_config_interpolation(resize_config, /)\n--\n\nvalue = acl.media.dvpp_get_resize_config_interpolation(resize_config)\n\nHow pictures are resized: 0 and 1 are bilinear, 2 takes the nearest pixel.\n\nC: acldvppGetResizeConfigInterpolation"),
row(c"dvpp_create_channel_desc", method!("media.dvpp_create_channel_desc" () least 0, dvpp_create_channel_desc), c"dvpp_create_channel_desc()\n--\n\nvalue = acl.media.dvpp_create_channel_desc()\n\nThe description of a channel, and the channel that it describes.\n\nC: acldvppCreateChannelDesc"),
row(c"dvpp_destroy_channel_desc", method!("media.dvpp_destroy_channel_desc" ("channel_desc") least 1, dvpp_destroy_channel_desc), c"dvpp_destroy_channel_desc(channel_desc, /)\n--\n\nret = acl.media.dvpp_destroy_channel_desc(channel_desc)\n\nThe description of a channel, and the channel that it describes.\n\nC: acldvppDestroyChannelDesc"),
row(c"dvpp_get_channel_desc_channel_id", method!("media.dvpp_get_channel_desc_channel_id" ("channel_desc") least 1, dvpp_get_channel_desc_channel_id), c"dvpp_get_channel_desc_channel_id(channel_desc, /)\n--\n\nvalue = acl.media.dvpp_get_channel_desc_channel_id(channel_desc)\n\nThe description of a channel, and the channel that it describes.\n\nC: acldvppGetChannelDescChannelId"),
row(c"dvpp_set_channel_desc_mode", method!("media.dvpp_set_channel_desc_mode" ("channel_desc", "mode") least 2, dvpp_set_channel_desc_mode), c"dvpp_set_channel_desc_mode(channel_desc, mode, /)\n--\n\nret = acl.media.dvpp_set_channel_desc_mode(channel_desc, mode)\n\nThe description of a channel, and the channel that it describes.\n\nC: acldvppSetChannelDescMode"),
row(c"dvpp_set_channel_desc_param", method!("media.dvpp_set_channel_desc_param" ("channel_desc", "param_type", "param") least 3, crate::hand::media_dvpp_set_channel_desc_param), c"dvpp_set_channel_desc_param(channel_desc, param_type, param, /)\n--\n\nThe description of a channel, and the channel that it describes.\n\nNote: the matrix, the mode, and the largest size, which has no effect; the number cannot be set\nand returns 100000.\n\nC: acldvppSetChannelDescParam"),
row(c"dvpp_get_channel_desc_param", method!("media.dvpp_get_channel_desc_param" ("channel_desc", "param_type") least 2, crate::hand::media_dvpp_get_channel_desc_param), c"dvpp_get_channel_desc_param(channel_desc, param_type, /)\n--\n\nThe description of a channel, and the channel that it describes.\n\nC: acldvppGetChannelDescParam"),
row(c"dvpp_create_channel", method!("media.dvpp_create_channel" ("channel_desc") least 1, dvpp_create_channel), c"dvpp_create_channel(channel_desc, /)\n--\n\nret = acl.media.dvpp_create_channel(channel_desc)\n\nThe description of a channel, and the channel that it describes.\n\nNote: the channel has no resources of its own: its description is marked as usable.\n\nC: acldvppCreateChannel"),
row(c"dvpp_destroy_channel", method!("media.dvpp_destroy_channel" ("channel_desc") least 1, dvpp_destroy_channel), c"dvpp_destroy_channel(channel_desc, /)\n--\n\nret = acl.media.dvpp_destroy_channel(channel_desc)\n\nThe description of a channel, and the channel that it describes.\n\nC: acldvppDestroyChannel"),
row(c"dvpp_vpc_resize_async", method!("media.dvpp_vpc_resize_async" ("channel_desc", "input_desc", "output_desc", "resize_config", "stream") least 5, dvpp_vpc_resize_async), c"dvpp_vpc_resize_async(channel_desc, input_desc, output_desc, resize_config, stream, /)\n--\n\nret = acl.media.dvpp_vpc_resize_async(channel_desc, input_desc, output_desc, resize_config,\nstream)\n\nResizes a picture to the size of the output.\n\nNote: formats 0 to 17. Rules of sizes, strides and buffers are those of the chip of the profile;\na broken one returns 100000. Interpolation 0 and 1 are bilinear, 2 is nearest; 5 returns 100000.\n\nC: acldvppVpcResizeAsync"),
row(c"dvpp_vpc_crop_async", method!("media.dvpp_vpc_crop_async" ("channel_desc", "input_desc", "output_desc", "crop_area", "stream") least 5, dvpp_vpc_crop_async), c"dvpp_vpc_crop_async(channel_desc, input_desc, output_desc, crop_area, stream, /)\n--\n\nret = acl.media.dvpp_vpc_crop_async(channel_desc, input_desc, output_desc, crop_area, stream)\n\nResizes a picture to the size of the output.\n\nNote: as acldvppVpcResizeAsync; the area must be inside, at least 10 by 6, and at whole chroma\nsamples.\n\nC: acldvppVpcCropAsync"),
row(c"dvpp_vpc_crop_resize_async", method!("media.dvpp_vpc_crop_resize_async" ("channel_desc", "input_desc", "output_desc", "crop_area", "resize_config", "stream") least 6, dvpp_vpc_crop_resize_async), c"dvpp_vpc_crop_resize_async(channel_desc, input_desc, output_desc, crop_area, resize_config, stream, /)\n--\n\nret = acl.media.dvpp_vpc_crop_resize_async(channel_desc, input_desc, output_desc, crop_area,\nresize_config, stream)\n\nResizes a picture to the size of the output.\n\nNote: as acldvppVpcCropAsync.\n\nC: acldvppVpcCropResizeAsync"),
row(c"dvpp_vpc_crop_and_paste_async", method!("media.dvpp_vpc_crop_and_paste_async" ("channel_desc", "input_desc", "output_desc", "crop_area", "paste_area", "stream") least 6, dvpp_vpc_crop_and_paste_async), c"dvpp_vpc_crop_and_paste_async(channel_desc, input_desc, output_desc, crop_area, paste_area, stream, /)\n--\n\nret = acl.media.dvpp_vpc_crop_and_paste_async(channel_desc, input_desc, output_desc, crop_area,\npaste_area, stream)\n\nResizes a picture to the size of the output.\n\nNote: as acldvppVpcCropAsync; bilinear.\n\nC: acldvppVpcCropAndPasteAsync"),
row(c"dvpp_vpc_crop_resize_paste_async", method!("media.dvpp_vpc_crop_resize_paste_async" ("channel_desc", "input_desc", "output_desc", "crop_area", "paste_area", "resize_config", "stream") least 7, dvpp_vpc_crop_resize_paste_async), c"dvpp_vpc_crop_resize_paste_async(channel_desc, input_desc, output_desc, crop_area, paste_area, resize_config, stream, /)\n--\n\nret = acl.media.dvpp_vpc_crop_resize_paste_async(channel_desc, input_desc, output_desc,\ncrop_area, paste_area, resize_config, stream)\n\nResizes a picture to the size of the output.\n\nNote: as acldvppVpcCropAndPasteAsync.\n\nC: acldvppVpcCropResizePasteAsync"),
row(c"dvpp_vpc_convert_color_async", method!("media.dvpp_vpc_convert_color_async" ("channel_desc", "input_desc", "output_desc", "stream") least 4, dvpp_vpc_convert_color_async), c"dvpp_vpc_convert_color_async(channel_desc, input_desc, output_desc, stream, /)\n--\n\nret = acl.media.dvpp_vpc_convert_color_async(channel_desc, input_desc, output_desc, stream)\n\nResizes a picture to the size of the output.\n\nNote: between formats 0 to 17, with the matrix of the channel, BT.601 wide at first; chroma is\nrepeated or averaged, alpha is 255.\n\nC: acldvppVpcConvertColorAsync"),
row(c"dvpp_vpc_batch_crop_async", method!("media.dvpp_vpc_batch_crop_async" ("channel_desc", "src_batch_pic_descs", "roi_nums", "size", "dst_batch_pic_descs", "crop_areas", "stream") least 7, dvpp_vpc_batch_crop_async), c"dvpp_vpc_batch_crop_async(channel_desc, src_batch_pic_descs, roi_nums, size, dst_batch_pic_descs, crop_areas, stream, /)\n--\n\nret = acl.media.dvpp_vpc_batch_crop_async(channel_desc, src_batch_pic_descs, roi_nums, size,\ndst_batch_pic_descs, crop_areas, stream)\n\nThe same for several areas: roiNums has the number of areas of each of the size inputs, and\nthere is one output for each area.\n\nNote: as acldvppVpcCropAsync; at most 256 areas.\n\nC: acldvppVpcBatchCropAsync"),
row(c"dvpp_vpc_batch_crop_resize_async", method!("media.dvpp_vpc_batch_crop_resize_async" ("channel_desc", "src_batch_pic_descs", "roi_nums", "size", "dst_batch_pic_descs", "crop_areas", "resize_config", "stream") least 8, dvpp_vpc_batch_crop_resize_async), c"dvpp_vpc_batch_crop_resize_async(channel_desc, src_batch_pic_descs, roi_nums, size, dst_batch_pic_descs, crop_areas, resize_config, stream, /)\n--\n\nret = acl.media.dvpp_vpc_batch_crop_resize_async(channel_desc, src_batch_pic_descs, roi_nums,\nsize, dst_batch_pic_descs, crop_areas, resize_config, stream)\n\nThe same for several areas: roiNums has the number of areas of each of the size inputs, and\nthere is one output for each area.\n\nNote: as acldvppVpcBatchCropAsync.\n\nC: acldvppVpcBatchCropResizeAsync"),
row(c"dvpp_vpc_batch_crop_and_paste_async", method!("media.dvpp_vpc_batch_crop_and_paste_async" ("channel_desc", "src_batch_pic_descs", "roi_nums", "size", "dst_batch_pic_descs", "crop_areas", "paste_areas", "stream") least 8, dvpp_vpc_batch_crop_and_paste_async), c"dvpp_vpc_batch_crop_and_paste_async(channel_desc, src_batch_pic_descs, roi_nums, size, dst_batch_pic_descs, crop_areas, paste_areas, stream, /)\n--\n\nret = acl.media.dvpp_vpc_batch_crop_and_paste_async(channel_desc, src_batch_pic_descs, roi_nums,\nsize, dst_batch_pic_descs, crop_areas, paste_areas, stream)\n\nThe same for several areas: roiNums has the number of areas of each of the size inputs, and\nthere is one output for each area.\n\nNote: as acldvppVpcBatchCropAsync.\n\nC: acldvppVpcBatchCropAndPasteAsync"),
row(c"dvpp_vpc_batch_crop_resize_paste_async", method!("media.dvpp_vpc_batch_crop_resize_paste_async" ("channel_desc", "src_batch_pic_descs", "roi_nums", "size", "dst_batch_pic_descs", "crop_areas", "paste_areas", "resize_config", "stream") least 9, dvpp_vpc_batch_crop_resize_paste_async), c"dvpp_vpc_batch_crop_resize_paste_async(channel_desc, src_batch_pic_descs, roi_nums, size, dst_batch_pic_descs, crop_areas, paste_areas, resize_config, stream, /)\n--\n\nret = acl.media.dvpp_vpc_batch_crop_resize_paste_async(channel_desc, src_batch_pic_descs,\nroi_nums, size, dst_batch_pic_descs, crop_areas, paste_areas, resize_config, stream)\n\nThe same for several areas: roiNums has the number of areas of each of the size inputs, and\nthere is one output for each area.\n\nNote: as acldvppVpcBatchCropAsync.\n\nC: acldvppVpcBatchCropResizePasteAsync"),
row(c"dvpp_jpeg_get_image_info", method!("media.dvpp_jpeg_get_image_info" ("data", "size") least 2, dvpp_jpeg_get_image_info), c"dvpp_jpeg_get_image_info(data, size, /)\n--\n\nwidth, height, components, ret = acl.media.dvpp_jpeg_get_image_info(data, size)\n\nWhat a JPEG file in host memory contains.\n\nNote: baseline files of 32 by 32 to 8192 by 8192; others, and files with an EXIF rotation,\nreturn 148052.\n\nC: acldvppJpegGetImageInfo"),
row(c"dvpp_jpeg_get_image_info_v2", method!("media.dvpp_jpeg_get_image_info_v2" ("data", "size") least 2, dvpp_jpeg_get_image_info_v2), c"dvpp_jpeg_get_image_info_v2(data, size, /)\n--\n\nwidth, height, components, format, ret = acl.media.dvpp_jpeg_get_image_info_v2(data, size)\n\nWhat a JPEG file in host memory contains.\n\nNote: as acldvppJpegGetImageInfo.\n\nC: acldvppJpegGetImageInfoV2"),
row(c"dvpp_jpeg_predict_dec_size", method!("media.dvpp_jpeg_predict_dec_size" ("data", "data_size", "output_pixel_format") least 3, dvpp_jpeg_predict_dec_size), c"dvpp_jpeg_predict_dec_size(data, data_size, output_pixel_format, /)\n--\n\ndec_size, ret = acl.media.dvpp_jpeg_predict_dec_size(data, data_size, output_pixel_format)\n\nWhat a JPEG file in host memory contains.\n\nNote: as acldvppJpegGetImageInfo; width rounded up to 128, height to 16.\n\nC: acldvppJpegPredictDecSize"),
row(c"dvpp_jpeg_decode_async", method!("media.dvpp_jpeg_decode_async" ("channel_desc", "data", "size", "output_desc", "stream") least 5, dvpp_jpeg_decode_async), c"dvpp_jpeg_decode_async(channel_desc, data, size, output_desc, stream, /)\n--\n\nret = acl.media.dvpp_jpeg_decode_async(channel_desc, data, size, output_desc, stream)\n\nWhat a JPEG file in host memory contains.\n\nNote: to YUV420SP, or semi-planar with the sampling of the file; a file that cannot be decoded\nfails the task and sets the return code.\n\nC: acldvppJpegDecodeAsync"),
row(c"dvpp_create_jpege_config", method!("media.dvpp_create_jpege_config" () least 0, dvpp_create_jpege_config), c"dvpp_create_jpege_config()\n--\n\nvalue = acl.media.dvpp_create_jpege_config()\n\nEncoding is not supported.\n\nRefused: JPEG files are not encoded; copy the picture to the host and encode it there.\n\nC: acldvppCreateJpegeConfig"),
row(c"dvpp_destroy_jpege_config", method!("media.dvpp_destroy_jpege_config" ("jpege_config") least 1, dvpp_destroy_jpege_config), c"dvpp_destroy_jpege_config(jpege_config, /)\n--\n\nret = acl.media.dvpp_destroy_jpege_config(jpege_config)\n\nEncoding is not supported.\n\nRefused: JPEG files are not encoded; copy the picture to the host and encode it there.\n\nC: acldvppDestroyJpegeConfig"),
row(c"dvpp_set_jpege_config_level", method!("media.dvpp_set_jpege_config_level" ("jpege_config", "level") least 2, dvpp_set_jpege_config_level), c"dvpp_set_jpege_config_level(jpege_config, level, /)\n--\n\nret = acl.media.dvpp_set_jpege_config_level(jpege_config, level)\n\nEncoding is not supported.\n\nRefused: JPEG files are not encoded; copy the picture to the host and encode it there.\n\nC: acldvppSetJpegeConfigLevel"),
row(c"dvpp_get_jpege_config_level", method!("media.dvpp_get_jpege_config_level" ("jpege_config") least 1, dvpp_get_jpege_config_level), c"dvpp_get_jpege_config_level(jpege_config, /)\n--\n\nvalue = acl.media.dvpp_get_jpege_config_level(jpege_config)\n\nEncoding is not supported.\n\nRefused: JPEG files are not encoded; copy the picture to the host and encode it there.\n\nC: acldvppGetJpegeConfigLevel"),
row(c"dvpp_jpeg_predict_enc_size", method!("media.dvpp_jpeg_predict_enc_size" ("input_desc", "config") least 2, dvpp_jpeg_predict_enc_size), c"dvpp_jpeg_predict_enc_size(input_desc, config, /)\n--\n\nsize, ret = acl.media.dvpp_jpeg_predict_enc_size(input_desc, config)\n\nEncoding is not supported.\n\nRefused: JPEG files are not encoded; copy the picture to the host and encode it there.\n\nC: acldvppJpegPredictEncSize"),
row(c"dvpp_jpeg_encode_async", method!("media.dvpp_jpeg_encode_async" ("channel_desc", "input_desc", "data", "size", "config", "stream") least 6, dvpp_jpeg_encode_async), c"dvpp_jpeg_encode_async(channel_desc, input_desc, data, size, config, stream, /)\n--\n\nret = acl.media.dvpp_jpeg_encode_async(channel_desc, input_desc, data, size, config, stream)\n\nEncoding is not supported.\n\nRefused: JPEG files are not encoded; copy the picture to the host and encode it there.\n\nC: acldvppJpegEncodeAsync"),
row(c"dvpp_png_get_image_info", method!("media.dvpp_png_get_image_info" ("data", "data_size") least 2, dvpp_png_get_image_info), c"dvpp_png_get_image_info(data, data_size, /)\n--\n\nwidth, height, components, ret = acl.media.dvpp_png_get_image_info(data, data_size)\n\nPNG files are not supported.\n\nRefused: PNG files are not decoded; decode them on the host and copy the pixels to the device.\n\nC: acldvppPngGetImageInfo"),
row(c"dvpp_png_predict_dec_size", method!("media.dvpp_png_predict_dec_size" ("data", "data_size", "output_pixel_format") least 3, dvpp_png_predict_dec_size), c"dvpp_png_predict_dec_size(data, data_size, output_pixel_format, /)\n--\n\ndec_size, ret = acl.media.dvpp_png_predict_dec_size(data, data_size, output_pixel_format)\n\nPNG files are not supported.\n\nRefused: PNG files are not decoded; decode them on the host and copy the pixels to the device.\n\nC: acldvppPngPredictDecSize"),
row(c"dvpp_png_decode_async", method!("media.dvpp_png_decode_async" ("channel_desc", "data", "size", "output_desc", "stream") least 5, dvpp_png_decode_async), c"dvpp_png_decode_async(channel_desc, data, size, output_desc, stream, /)\n--\n\nret = acl.media.dvpp_png_decode_async(channel_desc, data, size, output_desc, stream)\n\nPNG files are not supported.\n\nRefused: PNG files are not decoded; decode them on the host and copy the pixels to the device.\n\nC: acldvppPngDecodeAsync"),
row(c"dvpp_create_stream_desc", method!("media.dvpp_create_stream_desc" () least 0, dvpp_create_stream_desc), c"dvpp_create_stream_desc()\n--\n\nvalue = acl.media.dvpp_create_stream_desc()\n\nCoded video in memory.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: acldvppCreateStreamDesc"),
row(c"dvpp_destroy_stream_desc", method!("media.dvpp_destroy_stream_desc" ("stream_desc") least 1, dvpp_destroy_stream_desc), c"dvpp_destroy_stream_desc(stream_desc, /)\n--\n\nret = acl.media.dvpp_destroy_stream_desc(stream_desc)\n\nCoded video in memory.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: acldvppDestroyStreamDesc"),
row(c"dvpp_set_stream_desc_data", method!("media.dvpp_set_stream_desc_data" ("stream_desc", "data_dev") least 2, dvpp_set_stream_desc_data), c"dvpp_set_stream_desc_data(stream_desc, data_dev, /)\n--\n\nret = acl.media.dvpp_set_stream_desc_data(stream_desc, data_dev)\n\nCoded video in memory.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: acldvppSetStreamDescData"),
row(c"dvpp_set_stream_desc_size", method!("media.dvpp_set_stream_desc_size" ("stream_desc", "size") least 2, dvpp_set_stream_desc_size), c"dvpp_set_stream_desc_size(stream_desc, size, /)\n--\n\nret = acl.media.dvpp_set_stream_desc_size(stream_desc, size)\n\nCoded video in memory.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: acldvppSetStreamDescSize"),
row(c"dvpp_set_stream_desc_format", method!("media.dvpp_set_stream_desc_format" ("stream_desc", "format") least 2, dvpp_set_stream_desc_format), c"dvpp_set_stream_desc_format(stream_desc, format, /)\n--\n\nret = acl.media.dvpp_set_stream_desc_format(stream_desc, format)\n\nCoded video in memory.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: acldvppSetStreamDescFormat"),
row(c"dvpp_set_stream_desc_timestamp", method!("media.dvpp_set_stream_desc_timestamp" ("stream_desc", "timestamp") least 2, dvpp_set_stream_desc_timestamp), c"dvpp_set_stream_desc_timestamp(stream_desc, timestamp, /)\n--\n\nret = acl.media.dvpp_set_stream_desc_timestamp(stream_desc, timestamp)\n\nCoded video in memory.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: acldvppSetStreamDescTimestamp"),
row(c"dvpp_set_stream_desc_ret_code", method!("media.dvpp_set_stream_desc_ret_code" ("stream_desc", "ret_code") least 2, dvpp_set_stream_desc_ret_code), c"dvpp_set_stream_desc_ret_code(stream_desc, ret_code, /)\n--\n\nret = acl.media.dvpp_set_stream_desc_ret_code(stream_desc, ret_code)\n\nCoded video in memory.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: acldvppSetStreamDescRetCode"),
row(c"dvpp_set_stream_desc_eos", method!("media.dvpp_set_stream_desc_eos" ("stream_desc", "eos") least 2, dvpp_set_stream_desc_eos), c"dvpp_set_stream_desc_eos(stream_desc, eos, /)\n--\n\nret = acl.media.dvpp_set_stream_desc_eos(stream_desc, eos)\n\nCoded video in memory.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: acldvppSetStreamDescEos"),
row(c"vdec_create_channel_desc", method!("media.vdec_create_channel_desc" () least 0, vdec_create_channel_desc), c"vdec_create_channel_desc()\n--\n\nvalue = acl.media.vdec_create_channel_desc()\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecCreateChannelDesc"),
row(c"vdec_destroy_channel_desc", method!("media.vdec_destroy_channel_desc" ("channel_desc") least 1, vdec_destroy_channel_desc), c"vdec_destroy_channel_desc(channel_desc, /)\n--\n\nret = acl.media.vdec_destroy_channel_desc(channel_desc)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecDestroyChannelDesc"),
row(c"vdec_set_channel_desc_channel_id", method!("media.vdec_set_channel_desc_channel_id" ("channel_desc", "channel_id") least 2, vdec_set_channel_desc_channel_id), c"vdec_set_channel_desc_channel_id(channel_desc, channel_id, /)\n--\n\nret = acl.media.vdec_set_channel_desc_channel_id(channel_desc, channel_id)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecSetChannelDescChannelId"),
row(c"vdec_set_channel_desc_thread_id", method!("media.vdec_set_channel_desc_thread_id" ("channel_desc", "thread_id") least 2, vdec_set_channel_desc_thread_id), c"vdec_set_channel_desc_thread_id(channel_desc, thread_id, /)\n--\n\nret = acl.media.vdec_set_channel_desc_thread_id(channel_desc, thread_id)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecSetChannelDescThreadId"),
row(c"vdec_set_channel_desc_callback", method!("media.vdec_set_channel_desc_callback" ("channel_desc", "callback") least 2, crate::hand::media_vdec_set_channel_desc_callback), c"vdec_set_channel_desc_callback(channel_desc, callback, /)\n--\n\nRefused: video is not supported.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecSetChannelDescCallback"),
row(c"vdec_set_channel_desc_en_type", method!("media.vdec_set_channel_desc_en_type" ("channel_desc", "en_type") least 2, vdec_set_channel_desc_en_type), c"vdec_set_channel_desc_en_type(channel_desc, en_type, /)\n--\n\nret = acl.media.vdec_set_channel_desc_en_type(channel_desc, en_type)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecSetChannelDescEnType"),
row(c"vdec_set_channel_desc_out_pic_format", method!("media.vdec_set_channel_desc_out_pic_format" ("channel_desc", "out_pic_format") least 2, vdec_set_channel_desc_out_pic_format), c"vdec_set_channel_desc_out_pic_format(channel_desc, out_pic_format, /)\n--\n\nret = acl.media.vdec_set_channel_desc_out_pic_format(channel_desc, out_pic_format)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecSetChannelDescOutPicFormat"),
row(c"vdec_set_channel_desc_out_pic_width", method!("media.vdec_set_channel_desc_out_pic_width" ("channel_desc", "out_pic_width") least 2, vdec_set_channel_desc_out_pic_width), c"vdec_set_channel_desc_out_pic_width(channel_desc, out_pic_width, /)\n--\n\nret = acl.media.vdec_set_channel_desc_out_pic_width(channel_desc, out_pic_width)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecSetChannelDescOutPicWidth"),
row(c"vdec_set_channel_desc_out_pic_height", method!("media.vdec_set_channel_desc_out_pic_height" ("channel_desc", "out_pic_height") least 2, vdec_set_channel_desc_out_pic_height), c"vdec_set_channel_desc_out_pic_height(channel_desc, out_pic_height, /)\n--\n\nret = acl.media.vdec_set_channel_desc_out_pic_height(channel_desc, out_pic_height)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecSetChannelDescOutPicHeight"),
row(c"vdec_set_channel_desc_ref_frame_num", method!("media.vdec_set_channel_desc_ref_frame_num" ("channel_desc", "ref_frame_num") least 2, vdec_set_channel_desc_ref_frame_num), c"vdec_set_channel_desc_ref_frame_num(channel_desc, ref_frame_num, /)\n--\n\nret = acl.media.vdec_set_channel_desc_ref_frame_num(channel_desc, ref_frame_num)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecSetChannelDescRefFrameNum"),
row(c"vdec_set_channel_desc_out_mode", method!("media.vdec_set_channel_desc_out_mode" ("channel_desc", "out_mode") least 2, vdec_set_channel_desc_out_mode), c"vdec_set_channel_desc_out_mode(channel_desc, out_mode, /)\n--\n\nret = acl.media.vdec_set_channel_desc_out_mode(channel_desc, out_mode)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecSetChannelDescOutMode"),
row(c"vdec_create_frame_config", method!("media.vdec_create_frame_config" () least 0, vdec_create_frame_config), c"vdec_create_frame_config()\n--\n\nvalue = acl.media.vdec_create_frame_config()\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecCreateFrameConfig"),
row(c"vdec_destroy_frame_config", method!("media.vdec_destroy_frame_config" ("vdec_frame_config") least 1, vdec_destroy_frame_config), c"vdec_destroy_frame_config(vdec_frame_config, /)\n--\n\nret = acl.media.vdec_destroy_frame_config(vdec_frame_config)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecDestroyFrameConfig"),
row(c"vdec_create_channel", method!("media.vdec_create_channel" ("channel_desc") least 1, vdec_create_channel), c"vdec_create_channel(channel_desc, /)\n--\n\nret = acl.media.vdec_create_channel(channel_desc)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecCreateChannel"),
row(c"vdec_destroy_channel", method!("media.vdec_destroy_channel" ("channel_desc") least 1, vdec_destroy_channel), c"vdec_destroy_channel(channel_desc, /)\n--\n\nret = acl.media.vdec_destroy_channel(channel_desc)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecDestroyChannel"),
row(c"vdec_send_frame", method!("media.vdec_send_frame" ("channel_desc", "input", "output", "config", "user_data") least 5, vdec_send_frame), c"vdec_send_frame(channel_desc, input, output, config, user_data, /)\n--\n\nret = acl.media.vdec_send_frame(channel_desc, input, output, config, user_data)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecSendFrame"),
row(c"vdec_send_skipped_frame", method!("media.vdec_send_skipped_frame" ("channel_desc", "input", "config", "user_data") least 4, vdec_send_skipped_frame), c"vdec_send_skipped_frame(channel_desc, input, config, user_data, /)\n--\n\nret = acl.media.vdec_send_skipped_frame(channel_desc, input, config, user_data)\n\nDecoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvdecSendSkippedFrame"),
row(c"venc_create_channel_desc", method!("media.venc_create_channel_desc" () least 0, venc_create_channel_desc), c"venc_create_channel_desc()\n--\n\nvalue = acl.media.venc_create_channel_desc()\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencCreateChannelDesc"),
row(c"venc_destroy_channel_desc", method!("media.venc_destroy_channel_desc" ("channel_desc") least 1, venc_destroy_channel_desc), c"venc_destroy_channel_desc(channel_desc, /)\n--\n\nret = acl.media.venc_destroy_channel_desc(channel_desc)\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencDestroyChannelDesc"),
row(c"venc_set_channel_desc_thread_id", method!("media.venc_set_channel_desc_thread_id" ("channel_desc", "thread_id") least 2, venc_set_channel_desc_thread_id), c"venc_set_channel_desc_thread_id(channel_desc, thread_id, /)\n--\n\nret = acl.media.venc_set_channel_desc_thread_id(channel_desc, thread_id)\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencSetChannelDescThreadId"),
row(c"venc_set_channel_desc_callback", method!("media.venc_set_channel_desc_callback" ("channel_desc", "callback") least 2, crate::hand::media_venc_set_channel_desc_callback), c"venc_set_channel_desc_callback(channel_desc, callback, /)\n--\n\nRefused: video is not supported.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencSetChannelDescCallback"),
row(c"venc_set_channel_desc_en_type", method!("media.venc_set_channel_desc_en_type" ("channel_desc", "en_type") least 2, venc_set_channel_desc_en_type), c"venc_set_channel_desc_en_type(channel_desc, en_type, /)\n--\n\nret = acl.media.venc_set_channel_desc_en_type(channel_desc, en_type)\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencSetChannelDescEnType"),
row(c"venc_set_channel_desc_pic_format", method!("media.venc_set_channel_desc_pic_format" ("channel_desc", "pic_format") least 2, venc_set_channel_desc_pic_format), c"venc_set_channel_desc_pic_format(channel_desc, pic_format, /)\n--\n\nret = acl.media.venc_set_channel_desc_pic_format(channel_desc, pic_format)\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencSetChannelDescPicFormat"),
row(c"venc_set_channel_desc_pic_width", method!("media.venc_set_channel_desc_pic_width" ("channel_desc", "pic_width") least 2, venc_set_channel_desc_pic_width), c"venc_set_channel_desc_pic_width(channel_desc, pic_width, /)\n--\n\nret = acl.media.venc_set_channel_desc_pic_width(channel_desc, pic_width)\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencSetChannelDescPicWidth"),
row(c"venc_set_channel_desc_pic_height", method!("media.venc_set_channel_desc_pic_height" ("channel_desc", "pic_height") least 2, venc_set_channel_desc_pic_height), c"venc_set_channel_desc_pic_height(channel_desc, pic_height, /)\n--\n\nret = acl.media.venc_set_channel_desc_pic_height(channel_desc, pic_height)\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencSetChannelDescPicHeight"),
row(c"venc_set_channel_desc_key_frame_interval", method!("media.venc_set_channel_desc_key_frame_interval" ("channel_desc", "key_frame_interval") least 2, venc_set_channel_desc_key_frame_interval), c"venc_set_channel_desc_key_frame_interval(channel_desc, key_frame_interval, /)\n--\n\nret = acl.media.venc_set_channel_desc_key_frame_interval(channel_desc, key_frame_interval)\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencSetChannelDescKeyFrameInterval"),
row(c"venc_create_frame_config", method!("media.venc_create_frame_config" () least 0, venc_create_frame_config), c"venc_create_frame_config()\n--\n\nvalue = acl.media.venc_create_frame_config()\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencCreateFrameConfig"),
row(c"venc_destroy_frame_config", method!("media.venc_destroy_frame_config" ("config") least 1, venc_destroy_frame_config), c"venc_destroy_frame_config(config, /)\n--\n\nret = acl.media.venc_destroy_frame_config(config)\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencDestroyFrameConfig"),
row(c"venc_set_frame_config_force_i_frame", method!("media.venc_set_frame_config_force_i_frame" ("config", "force_iframe") least 2, venc_set_frame_config_force_i_frame), c"venc_set_frame_config_force_i_frame(config, force_iframe, /)\n--\n\nret = acl.media.venc_set_frame_config_force_i_frame(config, force_iframe)\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencSetFrameConfigForceIFrame"),
row(c"venc_set_frame_config_eos", method!("media.venc_set_frame_config_eos" ("config", "eos") least 2, venc_set_frame_config_eos), c"venc_set_frame_config_eos(config, eos, /)\n--\n\nret = acl.media.venc_set_frame_config_eos(config, eos)\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencSetFrameConfigEos"),
row(c"venc_create_channel", method!("media.venc_create_channel" ("channel_desc") least 1, venc_create_channel), c"venc_create_channel(channel_desc, /)\n--\n\nret = acl.media.venc_create_channel(channel_desc)\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencCreateChannel"),
row(c"venc_destroy_channel", method!("media.venc_destroy_channel" ("channel_desc") least 1, venc_destroy_channel), c"venc_destroy_channel(channel_desc, /)\n--\n\nret = acl.media.venc_destroy_channel(channel_desc)\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencDestroyChannel"),
row(c"venc_send_frame", method!("media.venc_send_frame" ("channel_desc", "input", "reserve", "config", "userdata") least 5, venc_send_frame), c"venc_send_frame(channel_desc, input, reserve, config, userdata, /)\n--\n\nret = acl.media.venc_send_frame(channel_desc, input, reserve, config, userdata)\n\nEncoding.\n\nRefused: video is not decoded or encoded; use pictures, or a library on the host.\n\nC: aclvencSendFrame"),
END,
]);

fn dvpp_malloc(args: Args<'_>) -> Answer {
    let mut dev_ptr = std::ptr::null_mut();
    let size = args.usize(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppMalloc(&raw mut dev_ptr, size) };
    tuple([dev_ptr.object()?, ret.object()?])
}

fn dvpp_free(args: Args<'_>) -> Answer {
    let dev_ptr = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppFree(dev_ptr) };
    ret.object()
}

fn dvpp_create_pic_desc(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppCreatePicDesc() };
    ret.object()
}

fn dvpp_destroy_pic_desc(args: Args<'_>) -> Answer {
    let pic_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppDestroyPicDesc(pic_desc) };
    ret.object()
}

fn dvpp_set_pic_desc_data(args: Args<'_>) -> Answer {
    let pic_desc = args.pointer(0)?;
    let data_dev = args.pointer(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetPicDescData(pic_desc, data_dev) };
    ret.object()
}

fn dvpp_set_pic_desc_size(args: Args<'_>) -> Answer {
    let pic_desc = args.pointer(0)?;
    let size = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetPicDescSize(pic_desc, size) };
    ret.object()
}

fn dvpp_get_pic_desc_data(args: Args<'_>) -> Answer {
    let pic_desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppGetPicDescData(pic_desc) };
    ret.object()
}

fn dvpp_get_pic_desc_size(args: Args<'_>) -> Answer {
    let pic_desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppGetPicDescSize(pic_desc) };
    ret.object()
}

fn dvpp_set_pic_desc_format(args: Args<'_>) -> Answer {
    let pic_desc = args.pointer(0)?;
    let format = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetPicDescFormat(pic_desc, format) };
    ret.object()
}

fn dvpp_get_pic_desc_format(args: Args<'_>) -> Answer {
    let pic_desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppGetPicDescFormat(pic_desc) };
    ret.object()
}

fn dvpp_set_pic_desc_width(args: Args<'_>) -> Answer {
    let pic_desc = args.pointer(0)?;
    let width = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetPicDescWidth(pic_desc, width) };
    ret.object()
}

fn dvpp_set_pic_desc_height(args: Args<'_>) -> Answer {
    let pic_desc = args.pointer(0)?;
    let height = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetPicDescHeight(pic_desc, height) };
    ret.object()
}

fn dvpp_get_pic_desc_width(args: Args<'_>) -> Answer {
    let pic_desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppGetPicDescWidth(pic_desc) };
    ret.object()
}

fn dvpp_get_pic_desc_height(args: Args<'_>) -> Answer {
    let pic_desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppGetPicDescHeight(pic_desc) };
    ret.object()
}

fn dvpp_set_pic_desc_width_stride(args: Args<'_>) -> Answer {
    let pic_desc = args.pointer(0)?;
    let width_stride = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetPicDescWidthStride(pic_desc, width_stride) };
    ret.object()
}

fn dvpp_set_pic_desc_height_stride(args: Args<'_>) -> Answer {
    let pic_desc = args.pointer(0)?;
    let height_stride = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetPicDescHeightStride(pic_desc, height_stride) };
    ret.object()
}

fn dvpp_get_pic_desc_width_stride(args: Args<'_>) -> Answer {
    let pic_desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppGetPicDescWidthStride(pic_desc) };
    ret.object()
}

fn dvpp_get_pic_desc_height_stride(args: Args<'_>) -> Answer {
    let pic_desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppGetPicDescHeightStride(pic_desc) };
    ret.object()
}

fn dvpp_set_pic_desc_ret_code(args: Args<'_>) -> Answer {
    let pic_desc = args.pointer(0)?;
    let ret_code = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetPicDescRetCode(pic_desc, ret_code) };
    ret.object()
}

fn dvpp_get_pic_desc_ret_code(args: Args<'_>) -> Answer {
    let pic_desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppGetPicDescRetCode(pic_desc) };
    ret.object()
}

fn dvpp_create_batch_pic_desc(args: Args<'_>) -> Answer {
    let batch_size = args.u32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppCreateBatchPicDesc(batch_size) };
    ret.object()
}

fn dvpp_get_pic_desc(args: Args<'_>) -> Answer {
    let batch_pic_desc = args.pointer(0)?;
    let index = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppGetPicDesc(batch_pic_desc, index) };
    ret.object()
}

fn dvpp_destroy_batch_pic_desc(args: Args<'_>) -> Answer {
    let batch_pic_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppDestroyBatchPicDesc(batch_pic_desc) };
    ret.object()
}

fn dvpp_create_roi_config(args: Args<'_>) -> Answer {
    let left = args.u32(0)?;
    let right = args.u32(1)?;
    let top = args.u32(2)?;
    let bottom = args.u32(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppCreateRoiConfig(left, right, top, bottom) };
    ret.object()
}

fn dvpp_destroy_roi_config(args: Args<'_>) -> Answer {
    let roi_config = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppDestroyRoiConfig(roi_config) };
    ret.object()
}

fn dvpp_set_roi_config_left(args: Args<'_>) -> Answer {
    let config = args.pointer(0)?;
    let left = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetRoiConfigLeft(config, left) };
    ret.object()
}

fn dvpp_set_roi_config_right(args: Args<'_>) -> Answer {
    let config = args.pointer(0)?;
    let right = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetRoiConfigRight(config, right) };
    ret.object()
}

fn dvpp_set_roi_config_top(args: Args<'_>) -> Answer {
    let config = args.pointer(0)?;
    let top = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetRoiConfigTop(config, top) };
    ret.object()
}

fn dvpp_set_roi_config_bottom(args: Args<'_>) -> Answer {
    let config = args.pointer(0)?;
    let bottom = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetRoiConfigBottom(config, bottom) };
    ret.object()
}

fn dvpp_set_roi_config(args: Args<'_>) -> Answer {
    let config = args.pointer(0)?;
    let left = args.u32(1)?;
    let right = args.u32(2)?;
    let top = args.u32(3)?;
    let bottom = args.u32(4)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetRoiConfig(config, left, right, top, bottom) };
    ret.object()
}

fn dvpp_create_resize_config(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppCreateResizeConfig() };
    ret.object()
}

fn dvpp_destroy_resize_config(args: Args<'_>) -> Answer {
    let resize_config = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppDestroyResizeConfig(resize_config) };
    ret.object()
}

fn dvpp_set_resize_config_interpolation(args: Args<'_>) -> Answer {
    let resize_config = args.pointer(0)?;
    let interpolation = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetResizeConfigInterpolation(resize_config, interpolation) };
    ret.object()
}

fn dvpp_get_resize_config_interpolation(args: Args<'_>) -> Answer {
    let resize_config = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppGetResizeConfigInterpolation(resize_config) };
    ret.object()
}

fn dvpp_create_channel_desc(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppCreateChannelDesc() };
    ret.object()
}

fn dvpp_destroy_channel_desc(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppDestroyChannelDesc(channel_desc) };
    ret.object()
}

fn dvpp_get_channel_desc_channel_id(args: Args<'_>) -> Answer {
    let channel_desc = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppGetChannelDescChannelId(channel_desc) };
    ret.object()
}

fn dvpp_set_channel_desc_mode(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let mode = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetChannelDescMode(channel_desc, mode) };
    ret.object()
}

fn dvpp_create_channel(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppCreateChannel(channel_desc) };
    ret.object()
}

fn dvpp_destroy_channel(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppDestroyChannel(channel_desc) };
    ret.object()
}

fn dvpp_vpc_resize_async(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let input_desc = args.pointer(1)?;
    let output_desc = args.pointer(2)?;
    let resize_config = args.pointer(3)?;
    let stream = args.pointer(4)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::acldvppVpcResizeAsync(channel_desc, input_desc, output_desc, resize_config, stream)
        }
    });
    ret.object()
}

fn dvpp_vpc_crop_async(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let input_desc = args.pointer(1)?;
    let output_desc = args.pointer(2)?;
    let crop_area = args.pointer(3)?;
    let stream = args.pointer(4)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::acldvppVpcCropAsync(channel_desc, input_desc, output_desc, crop_area, stream) }
    });
    ret.object()
}

fn dvpp_vpc_crop_resize_async(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let input_desc = args.pointer(1)?;
    let output_desc = args.pointer(2)?;
    let crop_area = args.pointer(3)?;
    let resize_config = args.pointer(4)?;
    let stream = args.pointer(5)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::acldvppVpcCropResizeAsync(
                channel_desc,
                input_desc,
                output_desc,
                crop_area,
                resize_config,
                stream,
            )
        }
    });
    ret.object()
}

fn dvpp_vpc_crop_and_paste_async(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let input_desc = args.pointer(1)?;
    let output_desc = args.pointer(2)?;
    let crop_area = args.pointer(3)?;
    let paste_area = args.pointer(4)?;
    let stream = args.pointer(5)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::acldvppVpcCropAndPasteAsync(
                channel_desc,
                input_desc,
                output_desc,
                crop_area,
                paste_area,
                stream,
            )
        }
    });
    ret.object()
}

fn dvpp_vpc_crop_resize_paste_async(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let input_desc = args.pointer(1)?;
    let output_desc = args.pointer(2)?;
    let crop_area = args.pointer(3)?;
    let paste_area = args.pointer(4)?;
    let resize_config = args.pointer(5)?;
    let stream = args.pointer(6)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::acldvppVpcCropResizePasteAsync(
                channel_desc,
                input_desc,
                output_desc,
                crop_area,
                paste_area,
                resize_config,
                stream,
            )
        }
    });
    ret.object()
}

fn dvpp_vpc_convert_color_async(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let input_desc = args.pointer(1)?;
    let output_desc = args.pointer(2)?;
    let stream = args.pointer(3)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::acldvppVpcConvertColorAsync(channel_desc, input_desc, output_desc, stream) }
    });
    ret.object()
}

fn dvpp_vpc_batch_crop_async(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let src_batch_pic_descs = args.pointer(1)?;
    let mut roi_nums: Vec<u32> = args.list(2)?;
    let size = args.u32(3)?;
    let dst_batch_pic_descs = args.pointer(4)?;
    let mut crop_areas: Vec<*mut c_void> = args.list(5)?;
    let stream = args.pointer(6)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::acldvppVpcBatchCropAsync(
                channel_desc,
                src_batch_pic_descs,
                roi_nums.as_mut_ptr().cast(),
                size,
                dst_batch_pic_descs,
                crop_areas.as_mut_ptr().cast(),
                stream,
            )
        }
    });
    ret.object()
}

fn dvpp_vpc_batch_crop_resize_async(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let src_batch_pic_descs = args.pointer(1)?;
    let mut roi_nums: Vec<u32> = args.list(2)?;
    let size = args.u32(3)?;
    let dst_batch_pic_descs = args.pointer(4)?;
    let mut crop_areas: Vec<*mut c_void> = args.list(5)?;
    let resize_config = args.pointer(6)?;
    let stream = args.pointer(7)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::acldvppVpcBatchCropResizeAsync(
                channel_desc,
                src_batch_pic_descs,
                roi_nums.as_mut_ptr().cast(),
                size,
                dst_batch_pic_descs,
                crop_areas.as_mut_ptr().cast(),
                resize_config,
                stream,
            )
        }
    });
    ret.object()
}

fn dvpp_vpc_batch_crop_and_paste_async(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let src_batch_pic_descs = args.pointer(1)?;
    let mut roi_nums: Vec<u32> = args.list(2)?;
    let size = args.u32(3)?;
    let dst_batch_pic_descs = args.pointer(4)?;
    let mut crop_areas: Vec<*mut c_void> = args.list(5)?;
    let mut paste_areas: Vec<*mut c_void> = args.list(6)?;
    let stream = args.pointer(7)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::acldvppVpcBatchCropAndPasteAsync(
                channel_desc,
                src_batch_pic_descs,
                roi_nums.as_mut_ptr().cast(),
                size,
                dst_batch_pic_descs,
                crop_areas.as_mut_ptr().cast(),
                paste_areas.as_mut_ptr().cast(),
                stream,
            )
        }
    });
    ret.object()
}

fn dvpp_vpc_batch_crop_resize_paste_async(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let src_batch_pic_descs = args.pointer(1)?;
    let mut roi_nums: Vec<u32> = args.list(2)?;
    let size = args.u32(3)?;
    let dst_batch_pic_descs = args.pointer(4)?;
    let mut crop_areas: Vec<*mut c_void> = args.list(5)?;
    let mut paste_areas: Vec<*mut c_void> = args.list(6)?;
    let resize_config = args.pointer(7)?;
    let stream = args.pointer(8)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::acldvppVpcBatchCropResizePasteAsync(
                channel_desc,
                src_batch_pic_descs,
                roi_nums.as_mut_ptr().cast(),
                size,
                dst_batch_pic_descs,
                crop_areas.as_mut_ptr().cast(),
                paste_areas.as_mut_ptr().cast(),
                resize_config,
                stream,
            )
        }
    });
    ret.object()
}

fn dvpp_jpeg_get_image_info(args: Args<'_>) -> Answer {
    let data = args.constant(0)?;
    let size = args.u32(1)?;
    let mut width = 0;
    let mut height = 0;
    let mut components = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::acldvppJpegGetImageInfo(
            data,
            size,
            &raw mut width,
            &raw mut height,
            &raw mut components,
        )
    };
    tuple([
        width.object()?,
        height.object()?,
        components.object()?,
        ret.object()?,
    ])
}

fn dvpp_jpeg_get_image_info_v2(args: Args<'_>) -> Answer {
    let data = args.constant(0)?;
    let size = args.u32(1)?;
    let mut width = 0;
    let mut height = 0;
    let mut components = 0;
    let mut format = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::acldvppJpegGetImageInfoV2(
            data,
            size,
            &raw mut width,
            &raw mut height,
            &raw mut components,
            &raw mut format,
        )
    };
    tuple([
        width.object()?,
        height.object()?,
        components.object()?,
        format.object()?,
        ret.object()?,
    ])
}

fn dvpp_jpeg_predict_dec_size(args: Args<'_>) -> Answer {
    let data = args.constant(0)?;
    let data_size = args.u32(1)?;
    let output_pixel_format = args.i32(2)?;
    let mut dec_size = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::acldvppJpegPredictDecSize(data, data_size, output_pixel_format, &raw mut dec_size)
    };
    tuple([dec_size.object()?, ret.object()?])
}

fn dvpp_jpeg_decode_async(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let data = args.constant(1)?;
    let size = args.u32(2)?;
    let output_desc = args.pointer(3)?;
    let stream = args.pointer(4)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::acldvppJpegDecodeAsync(channel_desc, data, size, output_desc, stream) }
    });
    ret.object()
}

fn dvpp_create_jpege_config(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppCreateJpegeConfig() };
    ret.object()
}

fn dvpp_destroy_jpege_config(args: Args<'_>) -> Answer {
    let jpege_config = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppDestroyJpegeConfig(jpege_config) };
    ret.object()
}

fn dvpp_set_jpege_config_level(args: Args<'_>) -> Answer {
    let jpege_config = args.pointer(0)?;
    let level = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetJpegeConfigLevel(jpege_config, level) };
    ret.object()
}

fn dvpp_get_jpege_config_level(args: Args<'_>) -> Answer {
    let jpege_config = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppGetJpegeConfigLevel(jpege_config) };
    ret.object()
}

fn dvpp_jpeg_predict_enc_size(args: Args<'_>) -> Answer {
    let input_desc = args.constant(0)?;
    let config = args.constant(1)?;
    let mut size = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppJpegPredictEncSize(input_desc, config, &raw mut size) };
    tuple([size.object()?, ret.object()?])
}

fn dvpp_jpeg_encode_async(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let input_desc = args.pointer(1)?;
    let data = args.constant(2)?;
    let size = args.pointer(3)?;
    let config = args.pointer(4)?;
    let stream = args.pointer(5)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::acldvppJpegEncodeAsync(channel_desc, input_desc, data, size, config, stream) }
    });
    ret.object()
}

fn dvpp_png_get_image_info(args: Args<'_>) -> Answer {
    let data = args.constant(0)?;
    let data_size = args.u32(1)?;
    let mut width = 0;
    let mut height = 0;
    let mut components = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::acldvppPngGetImageInfo(
            data,
            data_size,
            &raw mut width,
            &raw mut height,
            &raw mut components,
        )
    };
    tuple([
        width.object()?,
        height.object()?,
        components.object()?,
        ret.object()?,
    ])
}

fn dvpp_png_predict_dec_size(args: Args<'_>) -> Answer {
    let data = args.constant(0)?;
    let data_size = args.u32(1)?;
    let output_pixel_format = args.i32(2)?;
    let mut dec_size = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::acldvppPngPredictDecSize(data, data_size, output_pixel_format, &raw mut dec_size)
    };
    tuple([dec_size.object()?, ret.object()?])
}

fn dvpp_png_decode_async(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let data = args.constant(1)?;
    let size = args.u32(2)?;
    let output_desc = args.pointer(3)?;
    let stream = args.pointer(4)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::acldvppPngDecodeAsync(channel_desc, data, size, output_desc, stream) }
    });
    ret.object()
}

fn dvpp_create_stream_desc(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppCreateStreamDesc() };
    ret.object()
}

fn dvpp_destroy_stream_desc(args: Args<'_>) -> Answer {
    let stream_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppDestroyStreamDesc(stream_desc) };
    ret.object()
}

fn dvpp_set_stream_desc_data(args: Args<'_>) -> Answer {
    let stream_desc = args.pointer(0)?;
    let data_dev = args.pointer(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetStreamDescData(stream_desc, data_dev) };
    ret.object()
}

fn dvpp_set_stream_desc_size(args: Args<'_>) -> Answer {
    let stream_desc = args.pointer(0)?;
    let size = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetStreamDescSize(stream_desc, size) };
    ret.object()
}

fn dvpp_set_stream_desc_format(args: Args<'_>) -> Answer {
    let stream_desc = args.pointer(0)?;
    let format = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetStreamDescFormat(stream_desc, format) };
    ret.object()
}

fn dvpp_set_stream_desc_timestamp(args: Args<'_>) -> Answer {
    let stream_desc = args.pointer(0)?;
    let timestamp = args.u64(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetStreamDescTimestamp(stream_desc, timestamp) };
    ret.object()
}

fn dvpp_set_stream_desc_ret_code(args: Args<'_>) -> Answer {
    let stream_desc = args.pointer(0)?;
    let ret_code = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetStreamDescRetCode(stream_desc, ret_code) };
    ret.object()
}

fn dvpp_set_stream_desc_eos(args: Args<'_>) -> Answer {
    let stream_desc = args.pointer(0)?;
    let eos = args.u8(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppSetStreamDescEos(stream_desc, eos) };
    ret.object()
}

fn vdec_create_channel_desc(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecCreateChannelDesc() };
    ret.object()
}

fn vdec_destroy_channel_desc(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecDestroyChannelDesc(channel_desc) };
    ret.object()
}

fn vdec_set_channel_desc_channel_id(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let channel_id = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecSetChannelDescChannelId(channel_desc, channel_id) };
    ret.object()
}

fn vdec_set_channel_desc_thread_id(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let thread_id = args.u64(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecSetChannelDescThreadId(channel_desc, thread_id) };
    ret.object()
}

fn vdec_set_channel_desc_en_type(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let en_type = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecSetChannelDescEnType(channel_desc, en_type) };
    ret.object()
}

fn vdec_set_channel_desc_out_pic_format(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let out_pic_format = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecSetChannelDescOutPicFormat(channel_desc, out_pic_format) };
    ret.object()
}

fn vdec_set_channel_desc_out_pic_width(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let out_pic_width = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecSetChannelDescOutPicWidth(channel_desc, out_pic_width) };
    ret.object()
}

fn vdec_set_channel_desc_out_pic_height(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let out_pic_height = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecSetChannelDescOutPicHeight(channel_desc, out_pic_height) };
    ret.object()
}

fn vdec_set_channel_desc_ref_frame_num(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let ref_frame_num = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecSetChannelDescRefFrameNum(channel_desc, ref_frame_num) };
    ret.object()
}

fn vdec_set_channel_desc_out_mode(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let out_mode = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecSetChannelDescOutMode(channel_desc, out_mode) };
    ret.object()
}

fn vdec_create_frame_config(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecCreateFrameConfig() };
    ret.object()
}

fn vdec_destroy_frame_config(args: Args<'_>) -> Answer {
    let vdec_frame_config = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecDestroyFrameConfig(vdec_frame_config) };
    ret.object()
}

fn vdec_create_channel(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecCreateChannel(channel_desc) };
    ret.object()
}

fn vdec_destroy_channel(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecDestroyChannel(channel_desc) };
    ret.object()
}

fn vdec_send_frame(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let input = args.pointer(1)?;
    let output = args.pointer(2)?;
    let config = args.pointer(3)?;
    let user_data = args.pointer(4)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecSendFrame(channel_desc, input, output, config, user_data) };
    ret.object()
}

fn vdec_send_skipped_frame(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let input = args.pointer(1)?;
    let config = args.pointer(2)?;
    let user_data = args.pointer(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvdecSendSkippedFrame(channel_desc, input, config, user_data) };
    ret.object()
}

fn venc_create_channel_desc(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencCreateChannelDesc() };
    ret.object()
}

fn venc_destroy_channel_desc(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencDestroyChannelDesc(channel_desc) };
    ret.object()
}

fn venc_set_channel_desc_thread_id(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let thread_id = args.u64(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencSetChannelDescThreadId(channel_desc, thread_id) };
    ret.object()
}

fn venc_set_channel_desc_en_type(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let en_type = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencSetChannelDescEnType(channel_desc, en_type) };
    ret.object()
}

fn venc_set_channel_desc_pic_format(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let pic_format = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencSetChannelDescPicFormat(channel_desc, pic_format) };
    ret.object()
}

fn venc_set_channel_desc_pic_width(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let pic_width = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencSetChannelDescPicWidth(channel_desc, pic_width) };
    ret.object()
}

fn venc_set_channel_desc_pic_height(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let pic_height = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencSetChannelDescPicHeight(channel_desc, pic_height) };
    ret.object()
}

fn venc_set_channel_desc_key_frame_interval(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let key_frame_interval = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencSetChannelDescKeyFrameInterval(channel_desc, key_frame_interval) };
    ret.object()
}

fn venc_create_frame_config(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencCreateFrameConfig() };
    ret.object()
}

fn venc_destroy_frame_config(args: Args<'_>) -> Answer {
    let config = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencDestroyFrameConfig(config) };
    ret.object()
}

fn venc_set_frame_config_force_i_frame(args: Args<'_>) -> Answer {
    let config = args.pointer(0)?;
    let force_iframe = args.u8(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencSetFrameConfigForceIFrame(config, force_iframe) };
    ret.object()
}

fn venc_set_frame_config_eos(args: Args<'_>) -> Answer {
    let config = args.pointer(0)?;
    let eos = args.u8(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencSetFrameConfigEos(config, eos) };
    ret.object()
}

fn venc_create_channel(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencCreateChannel(channel_desc) };
    ret.object()
}

fn venc_destroy_channel(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencDestroyChannel(channel_desc) };
    ret.object()
}

fn venc_send_frame(args: Args<'_>) -> Answer {
    let channel_desc = args.pointer(0)?;
    let input = args.pointer(1)?;
    let reserve = args.pointer(2)?;
    let config = args.pointer(3)?;
    let userdata = args.pointer(4)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclvencSendFrame(channel_desc, input, reserve, config, userdata) };
    ret.object()
}
