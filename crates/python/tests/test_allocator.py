"""Allocators that are written in Python."""

import gc
import threading
import weakref

import pytest

import acl
import millpond

from conftest import DEVICE_TO_HOST, HOST_TO_DEVICE, ok, wrong_on_purpose

numpy = pytest.importorskip("numpy")


class Allocator:
    """Hands out device memory, and counts. What is given back goes to the device when nobody uses it any more."""

    def __init__(self):
        self.live = {}
        self.kept = []
        self.asked = []
        self.threads = set()

    def alloc(self, size):
        self.asked.append(size)
        self.threads.add(threading.get_ident())
        pointer = ok(acl.rt.malloc(size, 0))
        self.live[pointer] = size
        return pointer

    def free(self, pointer):
        del self.live[pointer]
        self.kept.append(pointer)

    def close(self):
        """All streams are synchronised."""
        assert not self.live
        while self.kept:
            ok(acl.rt.free(self.kept.pop()))


def describe(allocator, **functions):
    """A description of an allocator, with the functions that pyACL names."""
    desc = acl.rt.allocator_create_desc()
    assert desc != 0
    ok(acl.rt.allocator_set_obj_to_desc(desc, allocator))
    alloc = functions.get("alloc", lambda owner, size: owner.alloc(size))
    ok(acl.rt.allocator_set_alloc_func_to_desc(desc, alloc))
    ok(acl.rt.allocator_set_free_func_to_desc(desc, functions.get("free", lambda owner, block: owner.free(block))))
    advise = functions.get("advise", lambda owner, size, near: owner.alloc(size))
    ok(acl.rt.allocator_set_alloc_advise_func_to_desc(desc, advise))
    ok(acl.rt.allocator_set_get_addr_from_block_func_to_desc(desc, functions.get("address", lambda block: block)))
    return desc


class Model:
    """A loaded model with a way to run it."""

    def __init__(self, path):
        self.number = ok(acl.mdl.load_from_file(path))

    def unload(self):
        ok(acl.mdl.unload(self.number))

    def run(self, stream, rows, expect=0):
        values = numpy.linspace(-1, 1, rows * 16, dtype=numpy.float32).reshape(rows, 16)
        result = numpy.zeros((rows, 8), numpy.float32)
        source, target = ok(acl.rt.malloc(values.nbytes, 0)), ok(acl.rt.malloc(result.nbytes, 0))
        ok(acl.rt.memcpy(source, values.nbytes, acl.util.numpy_to_ptr(values), values.nbytes, HOST_TO_DEVICE))
        given, got = acl.mdl.create_dataset(), acl.mdl.create_dataset()
        buffers = [acl.create_data_buffer(source, values.nbytes), acl.create_data_buffer(target, result.nbytes)]
        ok(acl.mdl.add_dataset_buffer(given, buffers[0]))
        ok(acl.mdl.add_dataset_buffer(got, buffers[1]))
        desc = acl.create_tensor_desc(0, [rows, 16], 2)
        ok(acl.mdl.set_dataset_tensor_desc(given, desc, 0))
        code = acl.mdl.execute_async(self.number, given, got, stream)
        message = acl.get_recent_err_msg()
        ok(acl.rt.synchronize_stream(stream))
        if code == 0:
            ok(acl.rt.memcpy(acl.util.numpy_to_ptr(result), result.nbytes, target, result.nbytes, DEVICE_TO_HOST))
        for buffer in buffers:
            ok(acl.destroy_data_buffer(buffer))
        ok(acl.mdl.destroy_dataset(given))
        ok(acl.mdl.destroy_dataset(got))
        acl.destroy_tensor_desc(desc)
        ok(acl.rt.free(source))
        ok(acl.rt.free(target))
        return code, message, result


@pytest.fixture
def loaded(model, stream):
    model = Model(model)
    yield model
    model.unload()


def test_it_feeds_a_model_of_changing_shape(loaded, stream):
    plain = [loaded.run(stream, rows)[2] for rows in (1, 8, 64, 8)]
    allocator = Allocator()
    desc = describe(allocator)
    ok(acl.rt.allocator_register(stream, desc))
    for rows, expected in zip((1, 8, 64, 8), plain):
        before = len(allocator.asked)
        code, message, result = loaded.run(stream, rows)
        assert code == 0, message
        assert numpy.array_equal(result, expected)
        assert len(allocator.asked) > before
    ok(acl.rt.allocator_unregister(stream))
    ok(acl.rt.allocator_destroy_desc(desc))
    allocator.close()
    assert allocator.threads == {threading.get_ident()}


def test_each_description_has_its_own_functions(loaded, stream):
    other = ok(acl.rt.create_stream())
    first, second = Allocator(), Allocator()
    for owner, on in ((first, stream), (second, other)):
        desc = describe(owner)
        ok(acl.rt.allocator_register(on, desc))
        # What is registered stays when its description is gone.
        ok(acl.rt.allocator_destroy_desc(desc))
    loaded.run(stream, 4)
    assert first.asked and not second.asked
    loaded.run(other, 4)
    assert second.asked
    ok(acl.rt.allocator_unregister(stream))
    ok(acl.rt.allocator_unregister(other))
    ok(acl.rt.destroy_stream(other))
    first.close()
    second.close()


def test_blocks_may_be_any_object(loaded, stream):
    class Block:
        def __init__(self, pointer):
            self.pointer = pointer

    given = []

    def alloc(owner, size):
        given.append(Block(owner.alloc(size)))
        return given[-1]

    owner = Allocator()
    desc = describe(
        owner, alloc=alloc, free=lambda owner, block: owner.free(block.pointer), address=lambda block: block.pointer
    )
    ok(acl.rt.allocator_register(stream, desc))
    code, message, _ = loaded.run(stream, 3)
    assert code == 0, message
    ok(acl.rt.allocator_unregister(stream))
    ok(acl.rt.allocator_destroy_desc(desc))
    assert given
    owner.close()


@pytest.mark.parametrize("answer", [None, 0])
def test_no_block_is_a_failed_call(loaded, stream, answer):
    desc = describe(Allocator(), alloc=lambda owner, size: answer)
    ok(acl.rt.allocator_register(stream, desc))
    code, message, _ = loaded.run(stream, 5)
    assert code != 0 and message
    ok(acl.rt.allocator_unregister(stream))
    ok(acl.rt.allocator_destroy_desc(desc))
    assert loaded.run(stream, 5)[0] == 0


def test_an_exception_is_a_failed_call_and_is_told(loaded, stream, monkeypatch):
    import sys

    caught = []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: caught.append(info))

    def alloc(owner, size):
        raise MemoryError(f"no {size} bytes today")

    desc = describe(Allocator(), alloc=alloc)
    ok(acl.rt.allocator_register(stream, desc))
    code, message, _ = loaded.run(stream, 6)
    assert code != 0
    assert "MemoryError: no" in message and "Python allocator" in message
    assert caught and caught[0].exc_type is MemoryError and caught[0].exc_traceback is not None
    ok(acl.rt.allocator_unregister(stream))
    ok(acl.rt.allocator_destroy_desc(desc))


def test_get_by_stream_answers_what_was_set(stream):
    owner = Allocator()
    functions = {
        "alloc": lambda owner, size: owner.alloc(size),
        "free": lambda owner, block: None,
        "advise": lambda owner, size, near: None,
        "address": lambda block: block,
    }
    desc = describe(owner, **functions)
    assert acl.rt.allocator_get_by_stream(stream)[-1] != 0
    ok(acl.rt.allocator_register(stream, desc))
    assert acl.rt.allocator_get_by_stream(stream) == (desc, owner, *functions.values(), 0)
    # A change of the description does not reach what is registered.
    ok(acl.rt.allocator_set_obj_to_desc(desc, "another"))
    assert acl.rt.allocator_get_by_stream(stream)[1] is owner
    ok(acl.rt.allocator_register(stream, desc))
    assert acl.rt.allocator_get_by_stream(stream)[1] == "another"
    ok(acl.rt.allocator_unregister(stream))
    ok(acl.rt.allocator_destroy_desc(desc))


@wrong_on_purpose
def test_objects_live_as_long_as_a_registration(device):
    stream = ok(acl.rt.create_stream())
    owner = Allocator()
    alive = weakref.ref(owner)
    desc = describe(owner)
    del owner
    gc.collect()
    assert alive() is not None
    ok(acl.rt.allocator_register(stream, desc))
    ok(acl.rt.allocator_destroy_desc(desc))
    gc.collect()
    assert alive() is not None
    ok(acl.rt.destroy_stream(stream))
    gc.collect()
    assert alive() is None


@wrong_on_purpose
def test_what_is_no_function_is_refused(stream):
    desc = acl.rt.allocator_create_desc()
    with pytest.raises(TypeError, match=r"acl.rt.allocator_set_alloc_func_to_desc\(\): argument 'func'"):
        acl.rt.allocator_set_alloc_func_to_desc(desc, 5)
    # Nothing is set: C says what is missing.
    assert acl.rt.allocator_register(stream, desc) != 0
    assert acl.get_recent_err_msg()
    ok(acl.rt.allocator_destroy_desc(desc))
    assert acl.rt.allocator_destroy_desc(desc) != 0
    assert acl.rt.allocator_set_free_func_to_desc(12345, print) != 0


def test_faults_reach_it(loaded, stream):
    owner = Allocator()
    desc = describe(owner)
    ok(acl.rt.allocator_register(stream, desc))
    assert loaded.run(stream, 2)[0] == 0
    with millpond.fault("allocator.alloc", nth=1):
        assert loaded.run(stream, 2)[0] != 0
    assert loaded.run(stream, 2)[0] == 0
    ok(acl.rt.allocator_unregister(stream))
    ok(acl.rt.allocator_destroy_desc(desc))
    owner.close()
