"""Operator mode: every kernel that the provider has, in every type, against the CPU provider.

Strict sessions: no node may run on the CPU, so every case really runs an operator of Millpond. Where the CPU provider has
no such kernel either, NumPy computes the expected result.
"""

import numpy as np
import pytest

from support import OPERATORS, on_cpu, on_device, same, single

TYPES = {
    "half": np.float16, "float": np.float32, "double": np.float64, "bool": np.bool_,
    "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
}  # fmt: skip
REAL = ["half", "float"]
WHOLE = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def values(rng, shape, name, low=-4.0, high=4.0):
    """Numbers that every type can represent, without zero divisors."""
    dtype = np.dtype(TYPES[name])
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "f":
        return rng.uniform(low, high, shape).astype(dtype)
    low = 1 if dtype.kind == "u" else -5
    numbers = np.asarray(rng.integers(low, 6, shape))
    return np.where(numbers == 0, 1, numbers).astype(dtype)


def compare(kind, feed, want=None, tolerance=None, **more):
    made = single(kind, feed, **more)
    ours = on_device(made, OPERATORS, strict=True, optimise=False).run(None, feed)
    same(ours, on_cpu(made, feed, optimise=False) if want is None else want, tolerance)


BINARY = {
    "Add": [*REAL, "double", "int8", "int16", "int32", "int64", "uint8"],
    "Sub": [*REAL, "double", "int8", "int16", "int32", "int64", "uint8", "uint16"],
    "Mul": [*REAL, "double", "int8", "int16", "int32", "int64", "uint8", "uint16"],
    "Div": [*REAL, "double", "int8", "int16", "int32", "int64", "uint8", "uint16"],
}


@pytest.mark.parametrize("kind, dtype", [(kind, dtype) for kind, types in BINARY.items() for dtype in types])
def test_arithmetic(rng, kind, dtype):
    for left, right in [((2, 3), (2, 3)), ((2, 3, 4), (4,)), ((3, 1), (2, 3, 4)), ((2, 3), ())]:
        compare(kind, {"a": values(rng, left, dtype), "b": values(rng, right, dtype)})


UNARY = {
    "Abs": [*REAL, "int32"], "Neg": [*REAL, "int8", "int32"], "Relu": [*REAL, "double", "int8", "int16", "int32", "int64"],
    "Ceil": REAL, "Floor": REAL, "Round": REAL, "Sin": REAL, "Cos": REAL, "Erf": REAL, "Exp": ["half"],
}  # fmt: skip


@pytest.mark.parametrize("kind, dtype", [(kind, dtype) for kind, types in UNARY.items() for dtype in types])
def test_elements(rng, kind, dtype):
    for shape in [(2, 3, 5), (), (0, 3)]:
        x = values(rng, shape, dtype)
        # The CPU provider has no such Relu.
        want = [np.maximum(x, x.dtype.type(0))] if (kind, dtype) in [("Relu", "int16"), ("Relu", "int64")] else None
        compare(kind, {"x": x}, want)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("kind", ["Log", "Sqrt", "Reciprocal"])
def test_elements_of_positive_numbers(rng, kind, dtype):
    compare(kind, {"x": values(rng, (3, 4), dtype, 0.1)})


@pytest.mark.parametrize("dtype", list(TYPES))
def test_cast(rng, dtype):
    from onnx import helper

    x = values(rng, (2, 3), dtype, 0.0)
    for to in TYPES.values():
        compare("Cast", {"x": x}, to=helper.np_dtype_to_tensor_dtype(np.dtype(to)))


@pytest.mark.parametrize("dtype", [*REAL, *WHOLE])
def test_shapes(rng, dtype):
    feed = {"x": values(rng, (2, 3, 4), dtype)}
    for axis in (0, 2, -1):
        compare("Flatten", feed, axis=axis)
    compare("Identity", feed)
    compare("Reshape", feed, weights={"to": np.array([0, -1])})
    # The provider implements the first version of it.
    compare("Transpose", feed, opset=12, perm=[2, 0, 1])
    compare("Transpose", feed, opset=12)


@pytest.mark.parametrize("dtype", [*REAL, "int32"])
def test_matmul(rng, dtype):
    for left, right in [((2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((5, 2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((2, 1, 2, 3), (4, 3, 2))]:
        compare("MatMul", {"a": values(rng, left, dtype), "b": values(rng, right, dtype)})


@pytest.mark.parametrize("opset", [7, 9, 11, 13])
def test_gemm(rng, opset):
    for across, down in [(0, 0), (0, 1), (1, 0), (1, 1)]:
        for bias in [(2, 4), (4,), (2, 1), (1,)]:
            a = values(rng, (3, 2) if across else (2, 3), "half")
            b = values(rng, (4, 3) if down else (3, 4), "half")
            feed = {"a": a, "b": b, "c": values(rng, bias, "half")}
            compare("Gemm", feed, opset=opset, transA=across, transB=down, alpha=0.5, beta=2.0, tolerance=2e-2)


WINDOWS = [
    dict(kernel_shape=[2, 2]),
    dict(kernel_shape=[3, 3], strides=[2, 2]),
    dict(kernel_shape=[2, 3], auto_pad="VALID"),
    dict(kernel_shape=[2, 2], strides=[3, 3], ceil_mode=1),
]
BORDERS = [
    dict(kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    # ONNX and CANN order padding differently; these values differ between the orders.
    dict(kernel_shape=[3, 3], pads=[1, 0, 1, 0]),
    dict(kernel_shape=[3, 3], pads=[2, 1, 0, 1]),
    dict(kernel_shape=[3, 2], strides=[2, 1], pads=[0, 1, 1, 0]),
    dict(kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER"),
]


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("bias", [False, True], ids=["plain", "bias"])
def test_conv(rng, dtype, bias):
    limit = 2e-2 if dtype == "half" else 1e-4
    rest = [dict(kernel_shape=[3, 3], dilations=[2, 2]), dict(kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_LOWER")]
    cases = [((2, 4, 7, 8), (6, 4, *window["kernel_shape"]), window) for window in WINDOWS[:3] + BORDERS + rest]
    cases += [
        ((2, 4, 8, 8), (6, 2, 3, 3), dict(group=2)),
        ((2, 4, 8, 8), (4, 1, 3, 3), dict(group=4, pads=[1, 1, 1, 1])),
        ((2, 4, 8), (4, 4, 3), dict(pads=[1, 2])),
        ((2, 4, 5, 6, 7), (4, 4, 3, 3, 3), dict(pads=[1, 0, 1, 0, 1, 1])),
    ]
    for x, w, attributes in cases:
        feed = {"x": values(rng, x, dtype, -1, 1), "w": values(rng, w, dtype, -1, 1)}
        if bias:
            feed["b"] = values(rng, w[:1], dtype, -1, 1)
        compare("Conv", feed, tolerance=limit, **attributes)


@pytest.mark.parametrize("dtype", REAL)
def test_pooling(rng, dtype):
    feed = {"x": values(rng, (2, 3, 7, 8), dtype)}
    for window in WINDOWS:
        compare("AveragePool", feed, **window)
    # The provider implements the first version of it, which cannot round up.
    for window in WINDOWS[:3] + BORDERS:
        compare("MaxPool", feed, opset=7, **window)
    for kind in ["GlobalAveragePool", "GlobalMaxPool"]:
        compare(kind, feed)
        compare(kind, {"x": values(rng, (2, 3, 8), dtype)})
    compare("AveragePool", {"x": values(rng, (2, 3, 8), dtype)}, kernel_shape=[2])
    compare("MaxPool", {"x": values(rng, (2, 3, 8), dtype)}, opset=7, kernel_shape=[2])


def test_average_with_a_border(rng):
    """The provider inverts the flag: its request about the padding is the opposite of the model's.

    Millpond does what the provider requests, as a device would. The test fails when a new provider fixes this.
    """
    feed = {"x": values(rng, (2, 3, 7, 8), "float")}
    for window in BORDERS[:4]:
        for included in (0, 1):
            made = single("AveragePool", feed, count_include_pad=included, **window)
            other = single("AveragePool", feed, count_include_pad=1 - included, **window)
            same(on_device(made, OPERATORS, strict=True).run(None, feed), on_cpu(other, feed))


@pytest.mark.parametrize("opset", [8, 9, 14, 15])
def test_batch_normalization(rng, opset):
    for shape in [(2, 3, 4, 5), (2, 3), (2, 3, 4)]:
        feed = {"x": values(rng, shape, "float")}
        feed |= {name: values(rng, (3,), "float", 0.5, 2) for name in ["scale", "bias", "mean", "variance"]}
        compare("BatchNormalization", feed, opset=opset, epsilon=1e-3)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("opset", [7, 10, 12, 13])
def test_dropout_of_inference(rng, opset, dtype):
    compare("Dropout", {"x": values(rng, (4, 5), dtype)}, opset=opset)
    compare("Dropout", {"x": values(rng, (4, 5), dtype)}, opset=opset, outputs=2)


def test_an_operator_that_is_missing_is_named(rng):
    """The provider drops the error message; this variable shows it."""
    from support import script

    ended = script(
        """
import numpy as np
from support import OPERATORS, on_device, single
feed = {"x": np.ones((4, 4), np.float32)}
made = single("Dropout", feed, opset=13, weights={"ratio": np.float32(0.5), "training": np.array(True)})
try:
    on_device(made, OPERATORS).run(None, feed)
except Exception as error:
    print("refused")
""",
        env={"ASCEND_SLOG_PRINT_TO_STDOUT": "1"},
    )
    assert ended.status == 0 and "refused" in ended.out, ended
    assert "DropoutV2" in ended.out and "ACL_ERROR_OP_NOT_FOUND" in ended.out, ended
