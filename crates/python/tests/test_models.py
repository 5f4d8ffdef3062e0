"""Models and operators."""

import os

import pytest

import acl

from conftest import DEVICE_TO_HOST, HOST_TO_DEVICE, ROOT, ok

numpy = pytest.importorskip("numpy")


def test_descriptions_are_dictionaries(device, model):
    number = ok(acl.mdl.load_from_file(model))
    desc = acl.mdl.create_desc()
    ok(acl.mdl.get_desc(desc, number))
    assert acl.mdl.get_num_inputs(desc) == acl.mdl.get_num_outputs(desc) == 1
    assert ok(acl.mdl.get_input_dims(desc, 0)) == {"name": "x", "dimCount": 2, "dims": [-1, 16]}
    assert ok(acl.mdl.get_input_dims_range(desc, 0)) == {"rangeCount": 2, "range": [[1, 64], [16, 16]]}
    assert acl.mdl.get_input_name_by_index(desc, 0) == "x"
    assert ok(acl.mdl.get_output_index_by_name(desc, "y")) == 0
    assert acl.mdl.get_output_data_type(desc, 0) == 0
    assert acl.mdl.get_input_index_by_name(desc, "nothing")[1] != 0
    ok(acl.mdl.destroy_desc(desc))
    ok(acl.mdl.unload(number))
    assert acl.mdl.unload(number) != 0


def test_models_come_from_memory_and_with_options(device, model):
    with open(model, "rb") as file:
        data = file.read()
    work, weights = ok(acl.mdl.query_size(model))
    assert work > 0 and weights > 0
    assert ok(acl.mdl.query_size_from_mem(acl.util.bytes_to_ptr(data), len(data))) == (work, weights)
    number = ok(acl.mdl.load_from_mem(acl.util.bytes_to_ptr(data), len(data)))
    ok(acl.mdl.unload(number))
    options = acl.mdl.create_config_handle()
    ok(acl.mdl.set_config_opt(options, 1, 1))  # load from a file
    ok(acl.mdl.set_config_opt(options, 2, model))  # its path
    ok(acl.mdl.set_config_opt(options, 0, 0))  # priority
    number = ok(acl.mdl.load_with_config(options))
    ok(acl.mdl.destroy_config_handle(options))
    ok(acl.mdl.unload(number))
    options = acl.mdl.create_exec_config_handle()
    ok(acl.mdl.set_exec_config_opt(options, 0, 1000))
    ok(acl.mdl.destroy_exec_config_handle(options))


def test_a_path_may_be_a_path(device, model):
    import pathlib

    number = ok(acl.mdl.load_from_file(pathlib.Path(model)))
    ok(acl.mdl.unload(number))
    assert acl.mdl.load_from_file(os.path.join(ROOT, "README.md"))[1] != 0


class Tensors:
    """Arrays on the device, with what operators want of them."""

    def __init__(self):
        self.made = []

    def put(self, array):
        pointer = ok(acl.rt.malloc(max(array.nbytes, 1), 0))
        ok(acl.rt.memcpy(pointer, array.nbytes, acl.util.numpy_to_ptr(array), array.nbytes, HOST_TO_DEVICE))
        kind = {"float32": 0, "int32": 3, "int64": 9}[array.dtype.name]
        desc = acl.create_tensor_desc(kind, array.shape, 2)
        buffer = acl.create_data_buffer(pointer, array.nbytes)
        self.made.append((pointer, desc, buffer))
        return desc, buffer, pointer

    def get(self, pointer, like):
        back = numpy.empty_like(like)
        ok(acl.rt.memcpy(acl.util.numpy_to_ptr(back), back.nbytes, pointer, back.nbytes, DEVICE_TO_HOST))
        return back

    def free(self):
        for pointer, desc, buffer in self.made:
            acl.destroy_tensor_desc(desc)
            ok(acl.destroy_data_buffer(buffer))
            ok(acl.rt.free(pointer))


@pytest.fixture
def tensors(stream):
    pytest.importorskip("onnxruntime")
    tensors = Tensors()
    yield tensors
    tensors.free()


def test_an_operator_computes(stream, tensors):
    one = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
    other = numpy.full((3, 4), 0.5, numpy.float32)
    x, y, z = tensors.put(one), tensors.put(other), tensors.put(numpy.zeros_like(one))
    ok(acl.op.compile_and_execute("Add", [x[0], y[0]], [x[1], y[1]], [z[0]], [z[1]], 0, 0, 0, None, stream))
    ok(acl.rt.synchronize_stream(stream))
    assert numpy.array_equal(tensors.get(z[2], one), one + other)


def test_operators_run_by_handle(device, stream, tensors):
    x, y = (numpy.array(values, "float32") for values in ([1, 2], [3, 4]))
    a, b, z = tensors.put(x), tensors.put(y), tensors.put(numpy.zeros_like(x))
    ok(acl.op.compile("Add", [a[0], b[0]], [z[0]], 0, 0, 0, None))
    handle = ok(acl.op.create_handle("Add", [a[0], b[0]], [z[0]], 0))
    ok(acl.op.execute_with_handle(handle, [a[1], b[1]], [z[1]], stream))
    ok(acl.rt.synchronize_stream(stream))
    assert (tensors.get(z[2], x) == x + y).all()
    acl.op.destroy_handle(handle)


def test_operators_have_attributes(stream, tensors):
    values = numpy.arange(24, dtype=numpy.float32).reshape(2, 3, 4)
    attributes = acl.op.create_attr()
    ok(acl.op.set_attr_list_int(attributes, "axes", [1]))
    ok(acl.op.set_attr_bool(attributes, "keep_dims", False))
    # Those of other people's tools, which begin so, are passed over.
    ok(acl.op.set_attr_list_float(attributes, "_unused", [1.0, 2]))
    ok(acl.op.set_attr_list_string(attributes, "_names", ["a", "ü"]))
    ok(acl.op.set_attr_list_list_int(attributes, "_lists", [[1, 2], [], [3]]))
    x, z = tensors.put(values), tensors.put(numpy.zeros((2, 4), numpy.float32))
    call = lambda: acl.op.compile_and_execute("ReduceSumD", [x[0]], [x[1]], [z[0]], [z[1]], attributes, 0, 0, "", stream)
    ok(call())
    ok(acl.rt.synchronize_stream(stream))
    assert numpy.allclose(tensors.get(z[2], numpy.zeros((2, 4), numpy.float32)), values.sum(1))
    ok(acl.op.set_attr_int(attributes, "upside_down", 1))
    assert call() != 0 and "upside_down" in acl.get_recent_err_msg()
    assert acl.op.destroy_attr(attributes) is None


def test_an_operator_that_is_not_there_is_a_code(stream, tensors):
    x = tensors.put(numpy.zeros(3, numpy.float32))
    code = acl.op.compile_and_execute("NoSuchThing", [x[0]], [x[1]], [x[0]], [x[1]], 0, 0, 0, None, stream)
    assert code != 0 and "NoSuchThing" in acl.get_recent_err_msg()


def test_matrices_are_multiplied(stream, tensors):
    one = numpy.random.rand(4, 6).astype(numpy.float32)
    other = numpy.random.rand(6, 5).astype(numpy.float32)
    x, y, z = tensors.put(one), tensors.put(other), tensors.put(numpy.zeros((4, 5), numpy.float32))
    alpha = tensors.put(numpy.array([1], numpy.float32))[2]
    beta = tensors.put(numpy.array([0], numpy.float32))[2]
    code = acl.blas.gemm_ex(
        0, 0, 0, 4, 5, 6, alpha, x[2], -1, 0, y[2], -1, 0, beta, z[2], -1, 0, 0, stream
    )
    assert code == 0, acl.get_recent_err_msg()
    ok(acl.rt.synchronize_stream(stream))
    assert numpy.allclose(tensors.get(z[2], numpy.zeros((4, 5), numpy.float32)), one @ other, rtol=1e-5)


def test_versions_and_names(device):
    major, minor, patch = ok(acl.rt.get_version())
    assert major >= 1
    assert acl.get_soc_name().startswith("Ascend")
    version, code = acl.get_cann_version(0)
    assert code != 0 or isinstance(version["version"], str)
    acl.app_log(3, "function", "file.py", 7, "100 % of it")
    acl.app_log(0, None, None, 0, "quiet")
    size = acl.get_compileopt_size(0)
    assert isinstance(size, int)
    assert isinstance(acl.get_compileopt(0), tuple)
