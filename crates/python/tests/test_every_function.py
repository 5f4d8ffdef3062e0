"""Every function of the table: it is there, can be called, and refuses what is no number, text or list."""

import importlib
import os
import re

import pytest

from conftest import HERE, run_script

import acl
from acl import _acl


def table():
    rows = []
    with open(os.path.join(os.path.dirname(HERE), "functions.tsv"), encoding="utf-8") as file:
        for line in file:
            if line.startswith(("#", "python\t")) or not line.strip():
                continue
            names, c, how, *rest = line.rstrip("\n").split("\t")
            for name in names.split("|"):
                rows.append((name, how, rest[0] if rest else ""))
    return rows


ROWS = table()


def find(name):
    module, _, function = name.rpartition(".")
    if module == "millpond":
        return getattr(_acl._millpond, function)
    return getattr(importlib.import_module("acl." + module if module else "acl"), function)


def arguments(parameters):
    """Nothing of everything: 0, an empty text, an empty list."""
    found = []
    for word in parameters.split():
        name, kind = word.split(":", 1)
        if name.startswith(">") or kind.startswith("#"):
            continue
        if kind.startswith("["):
            found.append([])
        elif kind.startswith("{"):
            found.append({})
        elif kind.startswith("str"):
            found.append("")
        elif kind == "f32":
            found.append(0.0)
        else:
            found.append(0)
    return found


def results(parameters):
    return sum(word.startswith(">") for word in parameters.split())


PLAIN = [row for row in ROWS if row[1] not in ("hand", "python")]


def test_the_table_is_large():
    assert len(ROWS) > 380


def test_each_is_there_and_says_what_it_is():
    for name, how, _ in ROWS:
        function = find(name)
        assert callable(function), name
        if how != "python":
            assert function.__doc__ and function.__text_signature__.startswith("("), name


CALLS = """
import sys, test_every_function as t
import acl
mode = sys.argv[1]
if mode == "ready":
    assert acl.init() == 0 and acl.rt.set_device(0) == 0
for name, how, parameters in t.PLAIN:
    if name in ("init", "finalize", "rt.reset_device_force", "rt.reset_device", "rt.set_context") and mode == "ready":
        continue
    print(name, flush=True)
    answer = t.find(name)(*t.arguments(parameters))
    outputs = t.results(parameters)
    if outputs:
        assert isinstance(answer, tuple) and len(answer) == outputs + 1, (name, answer)
        assert isinstance(answer[-1], int), (name, answer)
    else:
        assert answer is None or isinstance(answer, (int, float, str)), (name, answer)
print("all called")
"""


@pytest.mark.parametrize("mode", ["before", "ready"])
def test_nothing_as_arguments_is_answered_with_a_code(mode):
    out, _ = run_script(CALLS, mode, PYTHONPATH=os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")]))
    assert out.endswith("all called\n")


def test_wrong_types_raise_and_name_function_and_argument():
    for name, _, parameters in PLAIN:
        refuses_wrong_types(name, parameters)


def refuses_wrong_types(name, parameters):
    function = find(name)
    right = arguments(parameters)
    shown = re.escape("acl." + name)
    names = [word.split(":")[0] for word in parameters.split() if not word.startswith(">") and ":#" not in word]
    kinds = [word.split(":")[1] for word in parameters.split() if not word.startswith(">") and ":#" not in word]
    with pytest.raises(TypeError, match=shown):
        function(*right, 1, 2)
    for index, kind in enumerate(kinds):
        if kind == "bool":
            continue
        wrong = list(right)
        wrong[index] = object()
        argument = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", names[index]).lower()
        with pytest.raises(TypeError, match=rf"{shown}\(\): argument '{argument}'"):
            function(*wrong)


INVENTED = """
import sys, test_every_function as t
import acl
assert acl.init() == 0 and acl.rt.set_device(0) == 0
number = int(sys.argv[1])
for name, how, parameters in t.PLAIN:
    if name in t.DEREFERENCE or name in ("finalize", "rt.reset_device", "rt.reset_device_force"):
        continue
    arguments = t.arguments(parameters)
    words = [word.split(":") for word in parameters.split() if not word.startswith(">") and ":#" not in word]
    kinds = dict(words)
    for index, (_, kind) in enumerate(words):
        # Lists that belong together are as long as the first of them.
        item, _, leader = kind.partition("=")
        if kind == "ptr":
            arguments[index] = number
        elif item.startswith("[") and "[ptr]" == (kinds[leader] if leader else item):
            arguments[index] = [number if item == "[ptr]" else 1] * 2
        elif kind in ("usize", "u64", "u32", "i32", "i64"):
            arguments[index] = 1
        elif kind == "str":
            arguments[index] = "text"
    print(name, arguments, flush=True)
    t.find(name)(*arguments)
print("all called")
"""

# These read or write memory of the host at an address that the script names.
DEREFERENCE = {
    "mdl.load_from_mem", "mdl.load_from_mem_with_mem", "mdl.query_size_from_mem", "mdl.get_desc_from_mem",
    "mdl.bundle_load_from_mem", "mdl.bundle_query_info_from_mem", "mdl.bundle_init_from_mem", "op.load",
    "set_tensor_const", "rt.memcpy", "rt.memcpy_async", "rt.memcpy_async_with_condition", "rt.memset",
    "rt.memset_async", "rt.memset_d32", "rt.memset_d32_async", "rt.memcpy_2d", "rt.memcpy2d", "rt.memcpy_2d_async",
    "rt.memcpy2d_async", "blas.gemv_ex", "blas.hgemv", "blas.s8gemv", "blas.gemm_ex", "blas.hgemm", "blas.s8gemm",
    "rt.set_memcpy_desc", "mdl.set_attribute", "rt.memcpy_batch", "rt.memcpy_batch_v2", "rt.memcpy_batch_async",
    "rt.memcpy_batch_async_v2", "rt.memcpy_async_with_offset", "media.dvpp_jpeg_get_image_info",
    "media.dvpp_jpeg_get_image_info_v2", "media.dvpp_jpeg_predict_dec_size",
}


@pytest.mark.parametrize("number", [1, 4096, 0xDEADBEEF, 2**47 - 1, 2**63, 2**64 - 1])
def test_invented_handles_are_answered_with_a_code(number):
    out, _ = run_script(
        INVENTED, str(number), PYTHONPATH=os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")])
    )
    assert out.endswith("all called\n")


@pytest.mark.parametrize("value", [-1, 2**64, 2**200])
def test_numbers_that_do_not_fit_raise(value):
    with pytest.raises(OverflowError, match=r"acl.rt.malloc\(\): argument 'size' is out of range"):
        acl.rt.malloc(value, 0)


def test_numbers_with_a_sign_are_no_floats():
    """Python 3.9 would cut them off."""
    with pytest.raises(TypeError, match=r"acl.rt.set_device\(\): argument 'device_id' must be int, not float"):
        acl.rt.set_device(0.7)
    with pytest.raises(TypeError, match="argument 'dims', item 0, must be int, not float"):
        acl.create_tensor_desc(0, [1.5, 2], 2)
    desc = acl.create_tensor_desc(0, [-1, 2], 2)
    assert acl.get_tensor_desc_dim_v2(desc, 0) == (-1, 0)
    acl.destroy_tensor_desc(desc)
    for value in (1 << 63, (1 << 64) - 1, -(1 << 63) - 1):
        with pytest.raises(OverflowError, match="out of range for i64"):
            acl.create_tensor_desc(0, [value], 2)


def test_numbers_that_cannot_be_written_out_raise_too():
    with pytest.raises(OverflowError, match="is out of range for u64$"):
        acl.rt.malloc(10**5000, 0)
    with pytest.raises(OverflowError):
        acl.float_to_float16(10**400)


def test_what_an_argument_raises_is_the_scripts():
    class Sequence:
        def __iter__(self):
            raise LookupError("mine")

    class Float:
        def __float__(self):
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        acl.create_tensor_desc(0, Sequence(), 2)
    with pytest.raises(LookupError, match="mine"):
        acl.float_to_float16(Float())


def test_functions_of_util_name_themselves():
    with pytest.raises(TypeError, match=r"acl.util.vector_to_ptr\(\): argument 'values' must be a list, not int"):
        acl.util.vector_to_ptr(5)
    with pytest.raises(TypeError, match=r"acl.util.vector_to_ptr\(\): argument 'values' must be int, not str"):
        acl.util.vector_to_ptr(["a"])
    with pytest.raises(OverflowError, match=r"acl.util.vector_to_ptr\(\)"):
        acl.util.vector_to_ptr([1 << 63])
    for address in (-1, 1 << 64):
        with pytest.raises(OverflowError, match=r"acl.util.ptr_to_bytes\(\): argument 'ptr'"):
            acl.util.ptr_to_bytes(address, 1)


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(TypeError):
        acl.rt.malloc(numpy.float32(1), 0)
    assert acl.rt.memset(numpy.uint64(0), numpy.int64(0), numpy.int32(-1), numpy.uint8(0)) == 0


def test_texts_with_a_zero_are_refused():
    with pytest.raises(ValueError, match="zero byte"):
        acl.mdl.load_from_file("a\0b")


def test_lists_that_belong_together_have_one_length():
    with pytest.raises(ValueError, match="'inputs' has 2 items, but 'input_desc' has 1"):
        acl.op.execute_v2("Add", [0], [0, 0], [], [], 0, 0)


def test_arguments_that_change_things_while_they_are_read():
    properties = {}

    class Sly:
        def __index__(self):
            properties.clear()
            return 2**40

    properties.update(mem_attr=Sly(), location={"id": 0, "type": 1})
    with pytest.raises(OverflowError, match="argument 'prop' is out of range"):
        acl.rt.malloc_physical(1 << 21, properties, 0)

    class Raises:
        def __index__(self):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        acl.rt.malloc(Raises(), 0)


def test_dictionaries_have_known_keys():
    with pytest.raises(ValueError, match="known keys are handle_type"):
        acl.rt.malloc_physical(1 << 21, {"handletype": 0}, 0)
    with pytest.raises(TypeError, match="must be a dict"):
        acl.rt.malloc_physical(1 << 21, [], 0)
