"""The files that graph mode writes and reuses, and the C++ functions that it calls."""

import ctypes
import os
import pathlib
import subprocess

import numpy as np
import onnxruntime as ort
import pytest

import models
from support import GRAPH, on_cpu, on_device, same


def parser():
    return pathlib.Path(os.environ["ASCEND_HOME_PATH"]) / "lib64" / "libfmk_onnx_parser.so"


def symbols(path, *options):
    lines = subprocess.run(["nm", "-D", *options, str(path)], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def test_exactly_what_the_provider_binds():
    provider = pathlib.Path(ort.__file__).parent / "capi" / "libonnxruntime_providers_cann.so"
    try:
        bound = {name for name in symbols(provider, "--undefined-only") if name.startswith(("_ZN2ge", "_ZNK2ge"))}
        offered = symbols(parser(), "--defined-only")
    except FileNotFoundError:
        pytest.skip("nm is not installed (apt-get install binutils)")
    assert len(bound) == 8
    assert offered == bound


def test_what_is_wrong_is_answered_and_not_a_crash():
    """The C++ layouts: a graph and a string are one shared pointer, 16 bytes; a model has 24 bytes."""
    library = ctypes.CDLL(str(parser()))
    graph, model = (ctypes.c_uint64 * 2)(), (ctypes.c_uint64 * 3)()
    # An empty map: its size, the ends of the tree and the colour of the root.
    empty = (ctypes.c_uint64 * 6)()
    end = ctypes.addressof(empty) + 8
    empty[1:6] = [0, 0, end, end, 0]
    options = "RKSt3mapINS_12AscendStringE{0}_St4lessI{0}_ESaISt4pairIK{0}_{0}_EEE"
    parse = library["_ZN2ge23aclgrphParseONNXFromMemEPKcm" + options.format("S3") + "RNS_5GraphE"]
    build = library["_ZN2ge17aclgrphBuildModelERKNS_5GraphE" + options.format("S4") + "RNS_15ModelBufferDataE"]
    save = library["_ZN2ge16aclgrphSaveModelEPKcRKNS_15ModelBufferDataE"]
    parse.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
    build.argtypes = [ctypes.c_void_p] * 3
    save.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    for function in (parse, build, save):
        function.restype = ctypes.c_uint32

    failed = 0xFFFFFFFF
    # A graph that was never built, then one with bytes and one without.
    assert parse(b"bytes", 5, empty, graph) == failed
    assert build(graph, empty, model) == failed
    library["_ZN2ge5GraphC1EPKc"](graph, None)
    assert parse(None, 7, empty, graph) == failed
    assert parse(b"bytes", 0, empty, graph) == failed
    assert build(graph, empty, model) == failed
    assert parse(b"no model at all", 15, empty, graph) == 0
    assert build(graph, empty, model) == failed
    assert list(model) == [0, 0, 0]
    assert save(b"x", model) == failed
    assert save(None, model) == failed

    made, _ = models.mlp(np.random.default_rng(0))
    assert parse(made, len(made), empty, graph) == 0
    assert build(graph, empty, model) == 0
    assert model[2] > len(made)
    assert ctypes.string_at(model[0], 8) == b"MILLPOND"
    assert save(b"saved", model) == 0
    assert pathlib.Path("saved.om").stat().st_size == model[2]
    assert save(b"no/such/folder", model) == failed


def test_compiled_graphs_are_left_in_the_folder_and_used_again(rng):
    """The provider writes these files unless it is configured not to. Old files must do no harm."""
    made, feed = models.mlp(rng)
    inputs = feed(2)
    want = on_cpu(made, inputs)
    same(on_device(made, GRAPH, dump_om_model=0).run(None, inputs), want)
    assert not list(pathlib.Path().glob("*.om"))
    same(on_device(made, GRAPH).run(None, inputs), want)
    [file] = pathlib.Path().glob("*.om")
    written = file.stat().st_mtime_ns
    same(on_device(made, GRAPH).run(None, inputs), want)
    assert file.stat().st_mtime_ns == written
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(Exception, match="aclmdlLoadFromFile"):
        on_device(made, GRAPH).run(None, inputs)


def test_graphs_can_be_dumped(rng):
    made, feed = models.mlp(rng)
    on_device(made, GRAPH, dump_graphs=1, dump_om_model=0).run(None, feed(2))
    assert list(pathlib.Path().glob("*.onnx"))


def test_options_for_an_npus_code_change_nothing(rng):
    made, feed = models.cnn(rng)
    inputs = feed(2)
    options = {"precision_mode": "force_fp16", "op_select_impl_mode": "high_performance", "optypelist_for_implmode": "Gelu"}
    same(on_device(made, GRAPH, **options).run(None, inputs), on_cpu(made, inputs))
