"""How a case is written down, run and compared."""

import os

import ml_dtypes
import numpy as np
import onnxruntime as ort

f32, f16, f64 = np.float32, np.float16, np.float64
bf16 = ml_dtypes.bfloat16
i8, i16, i32, i64 = np.int8, np.int16, np.int32, np.int64
u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64

ACL = {f32: 0, f16: 1, i8: 2, i32: 3, u8: 4, i16: 6, u16: 7, u32: 8, i64: 9, u64: 10, f64: 11, np.bool_: 12, bf16: 27}
ONNX = {f32: 1, u8: 2, i8: 3, u16: 4, i16: 5, i32: 6, i64: 7, np.bool_: 9, f16: 10, f64: 11, u32: 12, u64: 13, bf16: 16}
TOLERANCE = {f32: 2e-5, f16: 2e-3, bf16: 1.6e-2, f64: 1e-6}

CASES = []
REFUSED = set()


def kind_of(array):
    return array.dtype.type


class Const:
    """An input whose contents are known before the graph is built."""

    def __init__(self, values, dtype=i64):
        self.array = np.array(values, dtype)


class Ty:
    """An attribute that names an element type."""

    def __init__(self, dtype):
        self.number = ACL[dtype]


class Skip:
    """An output that no graph output fills."""

    def __init__(self, array, format=2):
        self.array = array
        self.format = format


class Loose:
    """An output that is compared with another tolerance."""

    def __init__(self, array, tolerance):
        self.array = array
        self.tolerance = tolerance


class Check:
    """An output that is judged by a function instead of compared."""

    def __init__(self, array, judge):
        self.array = array
        self.judge = judge


def attribute(value):
    if isinstance(value, Ty):
        return {"type": value.number}
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": value}
    if isinstance(value, float):
        return {"float": value if np.isfinite(value) else str(value)}
    if isinstance(value, str):
        return {"text": value}
    if value and isinstance(value[0], (list, tuple)):
        return {"lists": [list(one) for one in value]}
    if value and isinstance(value[0], float):
        return {"floats": list(value)}
    return {"ints": list(value)}


def unwrap(value):
    return value.array if isinstance(value, (Const, Skip, Loose, Check)) else value


class Case:
    def __init__(self, kind, inputs, outputs, attributes, extra):
        self.kind, self.inputs, self.outputs = kind, inputs, outputs
        self.attributes, self.extra = attributes, extra

    def __str__(self):
        shapes = ",".join(
            "-" if value is None else f"{unwrap(value).dtype.name}{list(unwrap(value).shape)}" for value in self.inputs
        )
        return f"{self.kind}({shapes}; {self.attributes})"

    def tensor(self, value, place):
        if value is None:
            return None
        array = unwrap(value)
        described = {"element": ACL[kind_of(array)], "dims": list(array.shape), "format": 2}
        described["format"] = self.extra.get("formats", {}).get(place, getattr(value, "format", 2))
        if isinstance(value, Const):
            described["constant"] = array.tobytes().hex()
        return described

    def request(self):
        return {
            "kind": self.kind,
            "inputs": [self.tensor(value, index) for index, value in enumerate(self.inputs)],
            "outputs": [self.tensor(value, f"y{index}") for index, value in enumerate(self.outputs)],
            "attributes": {name: attribute(value) for name, value in self.attributes.items()},
        }

    def check(self, answer):
        refuse = self.extra.get("refuse")
        if refuse is not None:
            assert refuse in answer.get("refusal", ""), f"should be refused with {refuse!r}: {answer.get('refusal')}"
            return
        assert "refusal" not in answer, answer["refusal"]
        got = run(answer, self.inputs, [unwrap(value) for value in self.outputs])
        compared = 0
        for place, want in enumerate(self.outputs):
            if isinstance(want, Skip):
                continue
            compared += 1
            assert place in got, f"output {place} is not filled"
            if isinstance(want, Check):
                assert got[place].shape == want.array.shape and got[place].dtype == want.array.dtype
                assert want.judge(got[place]), f"output {place} is not as it should be: {got[place].ravel()[:20]}"
                continue
            compare(place, got[place], unwrap(want), getattr(want, "tolerance", None))
        assert compared, "a case compares something"
        assert answer["data_dependent"] == self.extra.get("data_dependent", False), "data_dependent"


def options():
    made = ort.SessionOptions()
    made.log_severity_level = 3
    made.intra_op_num_threads = int(os.environ.get("THREADS", "1"))
    return made


SESSIONS = {}


def run(answer, inputs, outputs):
    model = bytes.fromhex(answer["model"])
    session = SESSIONS.get(model)
    if session is None:
        session = ort.InferenceSession(model, options(), providers=["CPUExecutionProvider"])
        SESSIONS.clear()
        SESSIONS[model] = session
    binding = session.io_binding()
    alive = []
    for node, place in zip(session.get_inputs(), answer["inputs"]):
        array = np.ascontiguousarray(unwrap(inputs[place])).reshape(unwrap(inputs[place]).shape)
        alive.append(array)
        # By address: the Python package has no way of its own for bfloat16.
        address = array.ctypes.data if array.size else np.zeros(1).ctypes.data
        binding.bind_input(node.name, "cpu", 0, ONNX[kind_of(array)], list(array.shape), address)
    for node in session.get_outputs():
        binding.bind_output(node.name, "cpu")
    session.run_with_iobinding(binding)
    made = {}
    for value, place in zip(binding.get_outputs(), answer["outputs"]):
        dtype = kind_of(outputs[place])
        made[place] = fetch(value, dtype)
    return made


def fetch(value, dtype):
    if value.element_type() != ONNX[bf16]:
        array = value.numpy()
        assert array.dtype == np.dtype(dtype), f"has {array.dtype}, not {np.dtype(dtype)}"
        return array
    assert dtype == bf16
    import ctypes

    shape = value.shape()
    size = int(np.prod(shape)) * 2
    raw = ctypes.string_at(value.data_ptr(), size) if size else b""
    return np.frombuffer(raw, bf16).reshape(shape)


def compare(place, got, want, tolerance):
    assert got.shape == want.shape, f"output {place} has shape {got.shape}, not {want.shape}"
    dtype = kind_of(want)
    if dtype in TOLERANCE:
        tolerance = tolerance or TOLERANCE[dtype]
        a, b = got.astype(f64), want.astype(f64)
        with np.errstate(invalid="ignore"):
            scale = np.abs(b[np.isfinite(b)]).max(initial=0)
        if dtype in (f16, bf16):
            scale = 1
        close = np.isclose(a, b, rtol=tolerance, atol=tolerance * min(1, scale) + 1e-30, equal_nan=True)
    else:
        close = got == want
    if not close.all():
        at = np.unravel_index(np.argmin(close), close.shape)
        raise AssertionError(f"output {place} at {tuple(map(int, at))}: {got[at]} instead of {want[at]} ({close.size - close.sum()} of {close.size} differ)")


def case(kind, inputs, outputs, refuse=None, data_dependent=False, formats=None, **attributes):
    """A request, and what should come of it. Attributes are the keyword arguments."""
    if not isinstance(outputs, (list, tuple)):
        outputs = [outputs]
    extra = {"refuse": refuse, "data_dependent": data_dependent, "formats": formats or {}}
    inputs = [value.copy() if isinstance(value, np.ndarray) else value for value in inputs]
    CASES.append(Case(kind, inputs, list(outputs), attributes, extra))


RNG = np.random.default_rng(20)


def rand(*shape, dtype=f32, low=-2.0, high=2.0):
    """Random numbers; integers between the bounds, bools as they fall."""
    if np.dtype(dtype) == np.bool_:
        return RNG.integers(0, 2, shape).astype(bool)
    if np.dtype(dtype).kind in "iu":
        return RNG.integers(int(low), int(high) + 1, shape).astype(dtype)
    return RNG.uniform(low, high, shape).astype(dtype)


def wide(array):
    """As computed with: 16-bit floats in 32 bits."""
    return array.astype(f32) if array.dtype in (np.dtype(f16), np.dtype(bf16)) else array


def formula(kind, shapes, function, dtypes=(f32, f16, bf16), low=-2.0, high=2.0, out=None, **attributes):
    """One case per type: random inputs of these shapes, `function` on them says what should come out."""
    for dtype in dtypes:
        inputs = [rand(*shape, dtype=dtype, low=low, high=high) for shape in shapes]
        with np.errstate(all="ignore"):
            results = function(*[wide(array) for array in inputs])
        results = results if isinstance(results, (list, tuple)) else [results]
        case(kind, inputs, [np.asarray(result).astype(out or dtype) for result in results], **attributes)
