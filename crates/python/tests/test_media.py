"""Pictures: descriptions, JPEG files, resizing and colours."""

import pathlib

import acl

from conftest import DEVICE_TO_HOST, HOST_TO_DEVICE, ok

SAMPLES = pathlib.Path(__file__).parents[2] / "media" / "samples"
NV12, RGB = 1, 12


def picture(data, pixels, width, height, size, stride=None):
    desc = acl.media.dvpp_create_pic_desc()
    ok(acl.media.dvpp_set_pic_desc_data(desc, data))
    ok(acl.media.dvpp_set_pic_desc_format(desc, pixels))
    ok(acl.media.dvpp_set_pic_desc_width(desc, width))
    ok(acl.media.dvpp_set_pic_desc_height(desc, height))
    ok(acl.media.dvpp_set_pic_desc_width_stride(desc, stride or width))
    ok(acl.media.dvpp_set_pic_desc_height_stride(desc, height))
    ok(acl.media.dvpp_set_pic_desc_size(desc, size))
    return desc


def test_a_file_is_decoded_resized_and_converted(device):
    file = (SAMPLES / "420.jpg").read_bytes()
    address = acl.util.bytes_to_ptr(file)
    assert acl.media.dvpp_jpeg_get_image_info(address, len(file)) == (66, 50, 3, 0)
    assert acl.media.dvpp_jpeg_get_image_info_v2(address, len(file)) == (66, 50, 3, 2, 0)
    needed = ok(acl.media.dvpp_jpeg_predict_dec_size(address, len(file), NV12))
    assert needed == 128 * 64 * 3 // 2

    stream = ok(acl.rt.create_stream())
    channel = acl.media.dvpp_create_channel_desc()
    ok(acl.media.dvpp_set_channel_desc_param(channel, 0, 1))
    assert acl.media.dvpp_get_channel_desc_param(channel, 0) == (1, 0)
    ok(acl.media.dvpp_set_channel_desc_param(channel, 0, 0))
    ok(acl.media.dvpp_create_channel(channel))
    inside = ok(acl.media.dvpp_malloc(len(file)))
    ok(acl.rt.memcpy(inside, len(file), address, len(file), HOST_TO_DEVICE))
    decoded = ok(acl.media.dvpp_malloc(needed))
    whole = acl.media.dvpp_create_pic_desc()
    ok(acl.media.dvpp_set_pic_desc_data(whole, decoded))
    ok(acl.media.dvpp_set_pic_desc_size(whole, needed))
    ok(acl.media.dvpp_set_pic_desc_format(whole, NV12))
    ok(acl.media.dvpp_jpeg_decode_async(channel, inside, len(file), whole, stream))
    ok(acl.rt.synchronize_stream(stream))
    assert acl.media.dvpp_get_pic_desc_width(whole) == 66
    assert acl.media.dvpp_get_pic_desc_ret_code(whole) == 0

    size = 32 * 32 * 3
    memory = ok(acl.media.dvpp_malloc(size))
    small = picture(memory, RGB, 32, 32, size, 96)
    resize = acl.media.dvpp_create_resize_config()
    ok(acl.media.dvpp_set_resize_config_interpolation(resize, 2))
    ok(acl.media.dvpp_vpc_resize_async(channel, whole, small, resize, stream))
    ok(acl.rt.synchronize_stream(stream))
    result = bytearray(size)
    ok(acl.rt.memcpy(acl.util.bytes_to_ptr(result), size, memory, size, DEVICE_TO_HOST))
    # Y 30, U 100, V 90 of the first pixel, in BT.601 wide.
    for ours, expected in zip(result, (0, 66, 0)):
        assert abs(ours - expected) <= 8

    ok(acl.media.dvpp_destroy_resize_config(resize))
    for desc in (whole, small):
        ok(acl.media.dvpp_destroy_pic_desc(desc))
    ok(acl.media.dvpp_destroy_channel(channel))
    ok(acl.media.dvpp_destroy_channel_desc(channel))
    for block in (inside, decoded, memory):
        ok(acl.media.dvpp_free(block))
    ok(acl.rt.destroy_stream(stream))


def test_areas_of_several_pictures(device):
    stream = ok(acl.rt.create_stream())
    channel = acl.media.dvpp_create_channel_desc()
    ok(acl.media.dvpp_create_channel(channel))
    size = 32 * 32 * 3 // 2
    source, target = (ok(acl.media.dvpp_malloc(size)) for _ in range(2))
    ok(acl.rt.memset(source, size, 5, size))
    batches = []
    for data in (source, target):
        batch = acl.media.dvpp_create_batch_pic_desc(1)
        desc = acl.media.dvpp_get_pic_desc(batch, 0)
        for name, value in [
            ("data", data), ("format", NV12), ("width", 32), ("height", 32), ("width_stride", 32),
            ("height_stride", 32), ("size", size),
        ]:
            ok(getattr(acl.media, f"dvpp_set_pic_desc_{name}")(desc, value))
        batches.append(batch)
    area = acl.media.dvpp_create_roi_config(0, 31, 0, 31)
    ok(acl.media.dvpp_vpc_batch_crop_async(channel, batches[0], [1], 1, batches[1], [area], stream))
    ok(acl.rt.synchronize_stream(stream))
    result = bytearray(size)
    ok(acl.rt.memcpy(acl.util.bytes_to_ptr(result), size, target, size, DEVICE_TO_HOST))
    assert result == bytes([5]) * size
    assert acl.media.dvpp_vpc_batch_crop_async(channel, batches[0], [2], 1, batches[1], [area], stream) == 100000
    ok(acl.media.dvpp_destroy_roi_config(area))
    for batch in batches:
        ok(acl.media.dvpp_destroy_batch_pic_desc(batch))
    ok(acl.media.dvpp_destroy_channel(channel))
    ok(acl.media.dvpp_destroy_channel_desc(channel))
    ok(acl.media.dvpp_free(source))
    ok(acl.media.dvpp_free(target))
    ok(acl.rt.destroy_stream(stream))


def test_video_is_refused(device):
    assert acl.media.vdec_create_channel_desc() == 0
    assert "video" in acl.get_recent_err_msg()
    assert acl.media.vdec_set_channel_desc_callback(0, None) == 200001
