"""Memory: allocation, copies, pools, virtual memory, and the bytes of Python's objects."""

import ctypes

import pytest

import acl

from conftest import DEVICE_TO_HOST, HOST_TO_DEVICE, ok, wrong_on_purpose


def test_malloc_align32_gives_a_pointer_and_a_code(device):
    pointer, code = acl.rt.malloc_align32(100, 0)
    assert code == 0 and pointer % 64 == 0
    assert acl.rt.memset(pointer, 128, 0, 128) == 0
    assert acl.rt.free(pointer) == 0


def test_size_0_is_refused(device):
    pointer, code = acl.rt.malloc_align32(0, 0)
    assert (pointer, code) == (0, 100000) or code != 0
    assert "size" in acl.get_recent_err_msg()
    assert acl.get_recent_err_msg() is None


@pytest.mark.parametrize("count", [1, 4096, 1 << 20])
def test_bytes_go_there_and_come_back(device, count):
    data = bytes(range(256)) * (count // 256 + 1)
    data = data[:count]
    block = ok(acl.rt.malloc(count, 0))
    ok(acl.rt.memcpy(block, count, acl.util.bytes_to_ptr(data), count, HOST_TO_DEVICE))
    # As scripts for pyACL do it: a copy into a bytes object of the script's own.
    back = bytes(count + 1)[1:] if count > 1 else bytes(bytearray(1))
    ok(acl.rt.memcpy(acl.util.bytes_to_ptr(back), count, block, count, DEVICE_TO_HOST))
    assert back == data
    ok(acl.rt.free(block))


def test_host_memory_is_seen_by_both(device):
    pointer = ok(acl.rt.malloc_host(64))
    ctypes.memset(pointer, 7, 64)
    assert acl.util.ptr_to_bytes(pointer, 64) == bytes([7]) * 64
    ok(acl.rt.free_host(pointer))


def test_device_memory_is_not_read_by_the_host(device):
    block = ok(acl.rt.malloc(64, 0))
    ok(acl.rt.memset(block, 64, 0, 64))
    with pytest.raises(ValueError, match="device memory"):
        acl.util.ptr_to_bytes(block, 1)
    numpy = pytest.importorskip("numpy")
    with pytest.raises(ValueError, match="device memory"):
        acl.util.ptr_to_numpy(block, (4,), numpy.dtype("f4"))
    with pytest.raises(ValueError, match="address is 0"):
        acl.util.ptr_to_bytes(0, 1)
    ok(acl.rt.free(block))


def test_arrays_need_no_copy(device):
    numpy = pytest.importorskip("numpy")
    pointer = ok(acl.rt.malloc_host(48))
    view = acl.util.ptr_to_numpy(pointer, (3, 4), 11)
    view[:] = numpy.arange(12).reshape(3, 4)
    assert view.dtype == numpy.float32 and acl.util.numpy_to_ptr(view) == pointer
    assert acl.util.ptr_to_bytes(pointer, 48) == view.tobytes()
    again = acl.util.ptr_to_numpy(pointer, (12,), numpy.float32)
    again[0] = 99
    assert view[0, 0] == 99
    del view, again
    ok(acl.rt.free_host(pointer))


def test_arrays_with_gaps_are_copied_on_request():
    numpy = pytest.importorskip("numpy")
    gaps = numpy.arange(16, dtype=numpy.int32)[::2]
    with pytest.raises(ValueError, match="contiguous"):
        acl.util.numpy_to_ptr(gaps)
    pointer, copy = acl.util.numpy_contiguous_to_ptr(gaps)
    assert acl.util.ptr_to_bytes(pointer, 32) == gaps.tobytes() and copy.flags.c_contiguous
    whole = numpy.arange(4)
    assert acl.util.numpy_contiguous_to_ptr(whole)[1] is whole


def test_bytes_that_cannot_be_lent_are_refused():
    with pytest.raises(TypeError, match="'data' must be bytes"):
        acl.util.bytes_to_ptr("text")
    with pytest.raises(TypeError, match="'array' must be a NumPy array"):
        acl.util.numpy_to_ptr([1, 2])
    pointer, vector = acl.util.vector_to_ptr([1, 2, 3])
    assert acl.util.ptr_to_bytes(pointer, 24) == vector.tobytes()
    assert acl.util.bytes_to_ptr(vector) == pointer


def test_shapes_and_types_that_cannot_be_are_named(device):
    numpy = pytest.importorskip("numpy")
    host = ok(acl.rt.malloc_host(64))
    for shape, kind, error, words in [
        (5, 11, TypeError, "argument 'shape' must be a list, not int"),
        ((1 << 40, 1 << 40), 11, OverflowError, "argument 'shape' is too large"),
        ((2,), None, TypeError, "argument 'npy_type' must be int or a dtype"),
    ]:
        with pytest.raises(error, match=words):
            acl.util.ptr_to_numpy(host, shape, kind)
    ok(acl.rt.free_host(host))
    for function in (acl.util.numpy_to_ptr, acl.util.numpy_contiguous_to_ptr):
        with pytest.raises(TypeError, match="contains Python objects"):
            function(numpy.array([object()]))


def test_memory_that_is_not_there_is_a_code(device):
    free, total = ok(acl.rt.get_mem_info(1))
    assert 0 < free <= total
    pointer, code = acl.rt.malloc(total * 2, 0)
    assert pointer == 0 and code == 207001
    assert acl.get_recent_err_msg()


def test_who_uses_memory(device):
    (before,) = ok(acl.rt.get_mem_usage_info(0, 8))
    most, _ = ok(acl.rt.get_mem_info(1))
    block = ok(acl.rt.malloc(1 << 20, 0))
    free, total = ok(acl.rt.get_mem_info(1))
    (module,) = ok(acl.rt.get_mem_usage_info(0, 8))
    assert module["name"] == "app"
    used = module["cur_mem_size"]
    assert used - before["cur_mem_size"] == most - free and used <= module["mem_peak_size"]
    # What the machine does not have is not free either.
    assert used <= total - free
    assert acl.rt.get_mem_usage_info(0, 0) == ([], 100000)
    ok(acl.rt.free(block))


def test_configurations_are_dictionaries(device):
    block = ok(acl.rt.malloc_with_cfg(64, 0, {"attrs": [{"attr": 1, "value": 7}]}))
    host = ok(acl.rt.malloc_host_with_cfg(64, None))
    ok(acl.rt.memset(block, 64, 0, 64))
    ok(acl.rt.free(block))
    ok(acl.rt.free_host(host))


def test_pools_hand_out_in_the_order_of_a_stream(stream):
    pool = ok(acl.rt.mem_pool_create({"location": {"id": 0, "type": 1}, "alloc_type": 0, "handle_type": 0}))
    block = ok(acl.rt.mem_pool_malloc_async(4096, pool, stream))
    ok(acl.rt.memset_async(block, 4096, 1, 4096, stream))
    ok(acl.rt.mem_pool_free_async(block, stream))
    ok(acl.rt.synchronize_stream(stream))
    ok(acl.rt.mem_pool_set_attr(pool, 4, 1 << 20))
    assert ok(acl.rt.mem_pool_get_attr(pool, 4)) == 1 << 20
    ok(acl.rt.mem_pool_destroy(pool))


def test_virtual_memory_is_reserved_and_mapped(device):
    size = 2 << 20
    properties = {"handle_type": 0, "allocation_type": 0, "mem_attr": 4, "location": {"id": 0, "type": 1}}
    assert ok(acl.rt.mem_get_allocation_granularity(properties, 0)) > 0
    address = ok(acl.rt.reserve_mem_address(size, 0, 0, 1))
    piece = ok(acl.rt.malloc_physical(size, properties, 0))
    assert ok(acl.rt.mem_get_allocation_properties_from_handle(piece))["location"] == {"id": 0, "type": 1}
    ok(acl.rt.map_mem(address, size, 0, piece, 0))
    ok(acl.rt.memset(address, size, 3, 16))
    ok(acl.rt.mem_set_access(address, size, [{"flags": 3, "location": {"id": 0, "type": 1}}]))
    handle = ok(acl.rt.mem_export_to_shareable_handle_v2(piece, 0, 1))
    assert isinstance(handle, bytes) and len(handle) == 8
    ok(acl.rt.mem_set_pid_to_shareable_handle_v2(handle, 1, [1]))
    imported = ok(acl.rt.mem_import_from_shareable_handle_v2(handle, 1, 0))
    ok(acl.rt.free_physical(imported))
    ok(acl.rt.unmap_mem(address))
    ok(acl.rt.free_physical(piece))
    ok(acl.rt.release_mem_address(address))
    attributes = ok(acl.rt.pointer_get_attributes(address))
    assert set(attributes) == {"location", "page_size", "rsv"}
    with pytest.raises(ValueError, match="8"):
        acl.rt.mem_import_from_shareable_handle_v2(b"123", 1, 0)


def test_memory_and_events_have_names_for_other_processes(device):
    block = ok(acl.rt.malloc(4096, 0))
    ok(acl.rt.memset(block, 4096, 7, 4096))
    key = ok(acl.rt.ipc_mem_get_export_key(block, 4096, 65, 1))
    assert len(key) == 64
    ok(acl.rt.ipc_mem_set_import_pid(key, [1]))
    address = ok(acl.rt.ipc_mem_import_by_key(key, 0))
    assert address != block
    ok(acl.rt.ipc_mem_close(key))
    ok(acl.rt.ipc_mem_close(key))
    ok(acl.rt.free(block))

    stream = ok(acl.rt.create_stream())
    event = ok(acl.rt.create_event_ex_with_flag(0x40))
    handle = ok(acl.rt.ipc_get_event_handle(event))
    assert isinstance(handle, bytes) and len(handle) == 64
    opened = ok(acl.rt.ipc_open_event_handle(handle))
    ok(acl.rt.record_event(event, stream))
    ok(acl.rt.synchronize_event(opened))
    ok(acl.rt.destroy_event(opened))
    ok(acl.rt.destroy_event(event))
    with pytest.raises(ValueError, match="64"):
        acl.rt.ipc_open_event_handle(b"123")
    with pytest.raises(TypeError):
        acl.rt.ipc_open_event_handle(1)

    notify = ok(acl.rt.create_notify(0))
    ok(acl.rt.record_notify(notify, stream))
    ok(acl.rt.wait_and_reset_notify(notify, stream, 0))
    ok(acl.rt.notify_batch_reset([notify]))
    counted = ok(acl.rt.cnt_notify_create(0))
    ok(acl.rt.cnt_notify_record(counted, stream, {"mode": 0, "value": 3}))
    ok(acl.rt.cnt_notify_wait_with_timeout(counted, stream, {"mode": 1, "value": 3, "is_clear": 1}))
    ok(acl.rt.synchronize_stream(stream))
    ok(acl.rt.cnt_notify_destroy(counted))
    ok(acl.rt.destroy_notify(notify))
    ok(acl.rt.destroy_stream(stream))


def test_media_memory(device):
    block = ok(acl.media.dvpp_malloc(1000))
    assert block % 128 == 0
    ok(acl.rt.memset(block, 1000, 0, 1000))
    ok(acl.media.dvpp_free(block))


@wrong_on_purpose
def test_a_data_buffer_is_destroyed_once():
    buffer = acl.create_data_buffer(4096, 10)
    assert acl.destroy_data_buffer(buffer) == 0
    assert acl.destroy_data_buffer(buffer) != 0


def test_data_buffers_and_descriptions():
    buffer = acl.create_data_buffer(4096, 10)
    assert acl.get_data_buffer_addr(buffer) == 4096
    assert acl.get_data_buffer_size_v2(buffer) == acl.get_data_buffer_size(buffer) == 10
    assert acl.update_data_buffer(buffer, 8192, 20) == 0
    assert acl.destroy_data_buffer(buffer) == 0
    desc = acl.create_tensor_desc(0, (2, 3), 2)
    assert acl.get_tensor_desc_num_dims(desc) == 2
    assert acl.get_tensor_desc_dim_v2(desc, 1) == (3, 0)
    assert acl.get_tensor_desc_element_count(desc) == 6
    acl.set_tensor_desc_name(desc, "näme")
    assert acl.get_tensor_desc_name(desc) == "näme"
    assert acl.set_tensor_shape_range(desc, [[1, 4], (3, 3)]) == 0
    assert acl.get_tensor_desc_dim_range(desc, 0, 2) == ([1, 4], 0)
    assert acl.destroy_tensor_desc(desc) is None
    assert acl.float16_to_float(acl.float_to_float16(1.5)) == 1.5
