"""Shared helpers: sessions on the device and on the CPU, models, and scripts in separate processes."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper

OPERATORS = {"enable_cann_graph": "0"}
GRAPH = {"enable_cann_graph": "1"}
# The two modes of the provider: operator by operator, or the whole graph.
MODES = [OPERATORS, GRAPH]
MODE_NAMES = ["operators", "graph"]

# Tolerance for differences from the CPU's results, by type.
TOLERANCE = {np.dtype(np.float16): 1e-2, np.dtype(np.float32): 1e-4, np.dtype(np.float64): 1e-10}


def on_device(model, mode, *, strict=False, optimise=True, **options):
    """A session on the device. A strict session fails if any node would run on the CPU."""
    settings = ort.SessionOptions()
    if strict:
        settings.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    if not optimise:
        settings.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options = {**mode, **{name: str(value) for name, value in options.items()}}
    session = ort.InferenceSession(model, settings, providers=[("CANNExecutionProvider", options)])
    # ONNX Runtime skips a provider that it cannot load and only prints a line.
    assert "CANNExecutionProvider" in session.get_providers()
    return session


def on_cpu(model, feed, optimise=True):
    settings = ort.SessionOptions()
    if not optimise:
        settings.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(model, settings, providers=["CPUExecutionProvider"]).run(None, feed)


def same(ours, cpu, tolerance=None):
    """Asserts that results equal the CPU's in type, shape and values."""
    assert len(ours) == len(cpu)
    for one, other in zip(ours, cpu):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        limit = tolerance or TOLERANCE.get(other.dtype, 0)
        np.testing.assert_allclose(one.astype(np.float64), other.astype(np.float64), rtol=limit, atol=limit)


def on_both(model, mode, feed, *, tolerance=None, optimise=True, **more):
    """Runs a model on the CPU and on the device and compares the results."""
    session = on_device(model, mode, optimise=optimise, **more)
    same(session.run(None, feed), on_cpu(model, feed, optimise), tolerance)
    return session


def tensor(name, dtype, shape):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)


def model(nodes, inputs, outputs, weights=None, opset=17, name="model"):
    """The bytes of a model. Inputs and outputs are (name, type, shape); outputs may be just names."""
    ends = [onnx.ValueInfoProto(name=it) if isinstance(it, str) else tensor(*it) for it in outputs]
    constants = [numpy_helper.from_array(array, key) for key, array in (weights or {}).items()]
    graph = helper.make_graph(nodes, name, [tensor(*it) for it in inputs], ends, constants)
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    return whole.SerializeToString()


def single(kind, feed, *, outputs=1, opset=17, weights=None, **attributes):
    """The bytes of a model with one operator, for these inputs."""
    names = [f"y{index}" for index in range(outputs)]
    node = helper.make_node(kind, [*feed, *(weights or {})], names, **attributes)
    inputs = [(name, array.dtype, array.shape) for name, array in feed.items()]
    return model([node], inputs, names, weights, opset, name=kind)


class Ended:
    """The result of a process."""

    def __init__(self, status, out, err, findings):
        self.status, self.out, self.err, self.findings = status, out, err, findings

    def __repr__(self):
        return f"status {self.status}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def script(source, *, check=None, env=None):
    """Runs a script, given as text, in a separate process that can import these helpers.

    `check` is a list of options for `millpond check`; `findings` then has the report's findings.
    """
    command = [sys.executable, "-c", source]
    report = pathlib.Path("report.json")
    start = [os.environ.get("MILLPOND_COMMAND", "millpond")]
    if check is None:
        start += ["run", "--"]
    else:
        start += ["check", "--format", "json", "-o", str(report), *check, "--"]
    paths = {"PYTHONPATH": str(pathlib.Path(__file__).parent)}
    ended = subprocess.run(
        [*start, *command], env={**os.environ, **paths, **(env or {})}, capture_output=True, text=True, timeout=600, check=False
    )
    findings = json.loads(report.read_text())["findings"] if report.exists() else None
    return Ended(ended.returncode, ended.stdout, ended.stderr, findings)
