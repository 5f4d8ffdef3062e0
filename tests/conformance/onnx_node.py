#!/usr/bin/env python3
"""Runs ONNX's node tests through `millpond atc` and aclmdl, and compares the outcome with what is checked in.

    python3 tests/conformance/onnx_node.py --command MILLPOND [--only PATTERN] [--save FILE] [--accept]

The tests are those in the package `onnx`: a model, its inputs, the outputs that ONNX expects, and a tolerance. Each model is compiled
with `millpond atc`, loaded with aclmdlLoadFromFile and run with aclmdlExecute. ONNX Runtime's CPU provider runs the same file in
another process. Tests run in groups, one process each; a test that ends its process is a crash, one that shows no result for a long
time is a hang.

What does not pass is in expected_onnx.tsv with a class and a reason:

    types    the model takes or returns something that AscendCL has no element type for
    engine   ONNX Runtime's CPU provider does not pass it either
    ours     everything else

The command fails when reality and that file disagree; --accept writes the file anew and keeps the reasons that still apply.
"""

import argparse
import collections
import concurrent.futures
import ctypes
import json
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = HERE / "expected_onnx.tsv"
# Seconds without a result that count as a hang.
PATIENCE = 180
GROUP = 60
RESULTS = ["pass", "refused", "wrong", "crash", "hang"]
# Operators whose results nobody can predict: only their shapes and types are compared.
RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
# AscendCL's numbers of the element types, by ONNX's names.
ACL_TYPES = {
    "FLOAT": 0, "FLOAT16": 1, "INT8": 2, "INT32": 3, "UINT8": 4, "INT16": 6, "UINT16": 7, "UINT32": 8, "INT64": 9, "UINT64": 10,
    "DOUBLE": 11, "BOOL": 12, "COMPLEX64": 16, "COMPLEX128": 17, "BFLOAT16": 27, "FLOAT8E5M2": 35, "FLOAT8E4M3FN": 36, "FLOAT8E8M0": 37,
}  # fmt: skip
# Smaller than a byte: AscendCL has numbers for some of them, but a description's sizes count whole bytes.
PACKED = {"INT4", "UINT4", "FLOAT4E2M1", "INT2", "UINT2"}


class Refused(Exception):
    """A call or the compiler returned an error."""


# What both sides need: a test, read from the package.


class Test:
    def __init__(self, name):
        import onnx
        from onnx.backend.test.loader import DATA_DIR

        self.name = name
        self.folder = pathlib.Path(DATA_DIR) / "node" / name
        self.path = self.folder / "model.onnx"
        self.model = onnx.load(self.path)
        settings = self.folder / "data.json"
        settings = json.loads(settings.read_text()) if settings.exists() else {}
        self.rtol = settings.get("rtol", 1e-3)
        self.atol = settings.get("atol", 1e-7)

    def types_reason(self):
        """Why AscendCL cannot describe the model's inputs and outputs; empty if it can."""
        import onnx

        for what, values in [("input", self.model.graph.input), ("output", self.model.graph.output)]:
            for value in values:
                kind = value.type.WhichOneof("value")
                if kind != "tensor_type":
                    return f"{what} '{value.name}' is of {kind.replace('_', ' ')}"
                element = onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type)
                if element not in ACL_TYPES:
                    why = "smaller than a byte" if element in PACKED else "no such type in AscendCL"
                    return f"{what} '{value.name}' has elements of {element}: {why}"
        return ""

    def is_random(self):
        return any(node.op_type in RANDOM for node in self.model.graph.node)

    def data_sets(self):
        """The inputs and the expected outputs of every data set, as lists of arrays."""
        for folder in sorted(self.folder.glob("test_data_set*")):
            yield self.arrays(folder, "input", self.model.graph.input), self.arrays(folder, "output", self.model.graph.output)

    def arrays(self, folder, what, values):
        import onnx
        from onnx import numpy_helper

        arrays = []
        for index, _ in enumerate(values):
            path = folder / f"{what}_{index}.pb"
            if path.exists():
                tensor = onnx.TensorProto()
                tensor.ParseFromString(path.read_bytes())
                arrays.append(numpy_helper.to_array(tensor))
        return arrays

    def compare(self, expected, given):
        """As ONNX's own runner compares: shape, element type, then values, unless they are random."""
        import numpy

        assert len(given) == len(expected), f"{len(given)} outputs, expected {len(expected)}"
        for index, (result, wanted) in enumerate(zip(given, expected)):
            assert result.shape == wanted.shape, f"output {index} has the shape {list(result.shape)}, expected {list(wanted.shape)}"
            assert result.dtype == wanted.dtype, f"output {index} has the type {result.dtype}, expected {wanted.dtype}"
            if self.is_random():
                continue
            if wanted.dtype.kind not in "biufc":
                # NumPy compares types that it does not know in their own precision, where a tolerance may round to nothing.
                result, wanted = result.astype(numpy.float64), wanted.astype(numpy.float64)
            numpy.testing.assert_allclose(result, wanted, rtol=self.rtol, atol=self.atol, err_msg=f"output {index}")


def array_of(element, dims, data):
    """An array from the bytes of a tensor whose type has ONNX's number `element`."""
    import numpy
    import onnx

    return numpy.frombuffer(data, onnx.helper.tensor_dtype_to_np_dtype(element)).reshape(dims)


# ONNX Runtime's CPU provider.


def run_engine(test):
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(test.path), options, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_outputs()]
    elements = {value.name: value.type.tensor_type.elem_type for value in [*test.model.graph.input, *test.model.graph.output]}
    inputs = [value.name for value in test.model.graph.input]
    for given, expected in test.data_sets():
        feeds, kept = {}, []
        for name, array in zip(inputs, given):
            plain = numpy.ascontiguousarray(array).reshape(array.shape)
            if plain.dtype.kind not in "biuf":
                plain = plain.view({1: numpy.uint8, 2: numpy.uint16, 8: numpy.complex64, 16: numpy.complex128}[plain.dtype.itemsize])
            kept.append(plain)
            feeds[name] = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(plain, elements[name])
        results = []
        for name, value in zip(names, session.run_with_ort_values(names, feeds)):
            dims = list(value.shape())
            element = value.element_type()
            size = numpy.dtype(array_of(element, [0], b"").dtype).itemsize
            data = ctypes.string_at(value.data_ptr(), size * int(numpy.prod(dims))) if 0 not in dims else b""
            results.append(array_of(element, dims, data))
        test.compare(expected, results)


# Millpond.


class Acl:
    """The functions of libascendcl.so that this needs. A call that fails raises Refused with the message of the library."""

    # Functions that return a handle instead of a status.
    HANDLES = {
        "aclmdlCreateDesc", "aclmdlCreateDataset", "aclCreateDataBuffer", "aclCreateTensorDesc", "aclmdlGetDatasetTensorDesc",
        "aclGetDataBufferAddr", "aclmdlGetDatasetBuffer",
    }  # fmt: skip
    SIZES = {"aclmdlGetNumInputs", "aclmdlGetNumOutputs", "aclGetTensorDescNumDims", "aclmdlGetOutputSizeByIndex", "aclGetDataBufferSizeV2"}
    NUMBERS = {"aclGetTensorDescType", "aclmdlGetInputDataType", "aclmdlGetOutputDataType"}

    def __init__(self):
        self.library = ctypes.CDLL("libascendcl.so")
        self.library.aclGetRecentErrMsg.restype = ctypes.c_char_p

    def __getattr__(self, name):
        function = getattr(self.library, name)
        if name in self.HANDLES:
            function.restype = ctypes.c_void_p
            call = function
        elif name in self.SIZES:
            function.restype = ctypes.c_size_t
            call = function
        elif name in self.NUMBERS:
            call = function
        else:

            def call(*arguments):
                status = function(*arguments)
                if status:
                    text = self.library.aclGetRecentErrMsg() or b""
                    raise Refused(f"{name} returned {status}: {text.decode(errors='replace')}")

        setattr(self, name, call)
        return call


size_t, int64, pointer = ctypes.c_size_t, ctypes.c_int64, ctypes.c_void_p


def run_millpond(test, acl, command, folder):
    compiled = folder / f"{test.name}.om"
    atc = [command, "atc", "--framework", "5", "--model", test.path, "--output", compiled.with_suffix("")]
    done = subprocess.run(atc, capture_output=True, text=True, check=False)
    if done.returncode:
        if done.returncode != 1:
            raise AssertionError(f"millpond atc ended with exit status {done.returncode}")
        raise Refused("millpond atc: " + done.stderr.strip())
    model = ctypes.c_uint32()
    acl.aclmdlLoadFromFile(str(compiled).encode(), ctypes.byref(model))
    try:
        description = pointer(acl.aclmdlCreateDesc())
        acl.aclmdlGetDesc(description, model)
        for given, expected in test.data_sets():
            test.compare(expected, execute(acl, model, description, test, given))
        acl.aclmdlDestroyDesc(description)
    finally:
        acl.aclmdlUnload(model)
        compiled.unlink()


def execute(acl, model, description, test, given):
    """Runs a loaded model once."""
    elements = [value.type.tensor_type.elem_type for value in test.model.graph.output]
    inputs, outputs = pointer(acl.aclmdlCreateDataset()), pointer(acl.aclmdlCreateDataset())
    taken, buffers = [], []

    def place(address, size, dataset):
        buffer = pointer(acl.aclCreateDataBuffer(address, size_t(size)))
        acl.aclmdlAddDatasetBuffer(dataset, buffer)
        buffers.append(buffer)
        return buffer

    def memory(size):
        address = pointer()
        if size:
            acl.aclrtMalloc(ctypes.byref(address), size_t(size), 0)
            taken.append(address)
        return address

    try:
        wanted = acl.aclmdlGetNumInputs(description)
        assert wanted == len(given), f"the model has {wanted} inputs, the test gives {len(given)}"
        for index, array in enumerate(given):
            data = array.tobytes()
            address = memory(len(data))
            if data:
                acl.aclrtMemcpy(address, size_t(len(data)), data, size_t(len(data)), 1)
            place(address, len(data), inputs)
            kind = acl.aclmdlGetInputDataType(description, size_t(index))
            dims = (int64 * array.ndim)(*array.shape)
            shape = pointer(acl.aclCreateTensorDesc(kind, array.ndim, dims, 2))
            acl.aclmdlSetDatasetTensorDesc(inputs, shape, size_t(index))
            acl.aclDestroyTensorDesc(shape)
        made = []
        for index in range(acl.aclmdlGetNumOutputs(description)):
            size = acl.aclmdlGetOutputSizeByIndex(description, size_t(index))
            made.append((size, place(memory(size), size, outputs)))
        acl.aclmdlExecute(model, inputs, outputs)
        results = []
        for index, (size, buffer) in enumerate(made):
            address = pointer(acl.aclGetDataBufferAddr(buffer))
            if not size and address:
                taken.append(address)
            shape = pointer(acl.aclmdlGetDatasetTensorDesc(outputs, size_t(index)))
            dims = []
            for axis in range(acl.aclGetTensorDescNumDims(shape)):
                dim = int64()
                acl.aclGetTensorDescDimV2(shape, size_t(axis), ctypes.byref(dim))
                dims.append(dim.value)
            array = array_of(elements[index], [0], b"")
            number = acl.aclGetTensorDescType(shape)
            assert number == ACL_TYPES[name_of(elements[index])], f"output {index} is described with the type {number}"
            count = array.dtype.itemsize
            for dim in dims:
                count *= dim
            data = ctypes.create_string_buffer(count)
            if count:
                acl.aclrtMemcpy(data, size_t(count), address, size_t(count), 2)
            results.append(array_of(elements[index], dims, data.raw[:count]))
        return results
    finally:
        for buffer in buffers:
            acl.aclDestroyDataBuffer(buffer)
        acl.aclmdlDestroyDataset(inputs)
        acl.aclmdlDestroyDataset(outputs)
        for address in taken:
            acl.aclrtFree(address)


def name_of(element):
    import onnx

    return onnx.TensorProto.DataType.Name(element)


# The process of one group: names on its input, one line of JSON for each on its output.


def short(error):
    text = " ".join(str(error).split()) or type(error).__name__
    # A path differs from machine to machine.
    text = re.sub(r"(/[\w.+-]+){2,}/", "", text)
    # The message of a comparison ends with all numbers, that of the engine with its own source lines.
    text = re.sub(r" (First 5|Mismatch at|Max abs|ACTUAL:).*", "", text)
    text = re.sub(r"\[ONNXRuntimeError\] : \d+ : \w+ : ", "", text)
    text = re.sub(r"[\w.]+\.(h|cc):\d+ .*?\)( const)? (?=[\w(\[])", "", text)
    text = text.removesuffix(" node with name ''")
    return text[:250].rstrip()


def work(side, command):
    acl = None
    if side == "millpond":
        acl = Acl()
        acl.aclInit(None)
        acl.aclrtSetDevice(0)
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.stdin.read().split():
            one = {"name": name, "result": "pass", "reason": ""}
            try:
                test = Test(name)
                one["types"] = test.types_reason()
                if side == "millpond":
                    run_millpond(test, acl, command, pathlib.Path(folder))
                elif not one["types"]:
                    run_engine(test)
            except AssertionError as error:
                one.update(result="wrong", reason=short(error))
            except Refused as error:
                one.update(result="refused", reason=short(error))
            except Exception as error:  # noqa: BLE001 - whatever ONNX Runtime raises
                one.update(result="refused", reason=short(error))
            print(json.dumps(one), flush=True)


# The process that starts the others.


def run_group(command, names):
    """Runs one group; a process that ends or stands still costs one test."""
    results, left = [], list(names)
    while left:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        process.stdin.write(("\n".join(left) + "\n").encode())
        process.stdin.close()
        ended, buffer, last = "crash", b"", time.monotonic()
        while left:
            ready, _, _ = select.select([process.stdout], [], [], 5)
            if not ready:
                if time.monotonic() - last > PATIENCE:
                    ended = "hang"
                    break
                continue
            data = os.read(process.stdout.fileno(), 65536)
            if not data:
                break
            last = time.monotonic()
            buffer += data
            *whole, buffer = buffer.split(b"\n")
            for line in whole:
                if line.startswith(b"{"):
                    results.append(json.loads(line))
                    left.pop(0)
        if left:
            process.kill()
            code = process.wait()
            reason = f"no result for {PATIENCE} s" if ended == "hang" else f"exit status {code}"
            results.append({"name": left.pop(0), "result": ended, "reason": reason, "types": ""})
        else:
            process.wait()
    return results


def classify(ours, engine):
    """The class of a test that does not pass, and the reason where the class has one of its own."""
    if ours["types"]:
        return "types", ours["types"]
    if engine["result"] != "pass":
        return "engine", f"ONNX Runtime: {engine['reason']}"
    return "ours", ours["reason"]


def suite(arguments):
    from onnx.backend.test.loader import DATA_DIR

    names = sorted(path.name for path in (pathlib.Path(DATA_DIR) / "node").iterdir() if (path / "model.onnx").exists())
    if arguments.only:
        names = [name for name in names if re.search(arguments.only, name)]
    # Both sides accept the newest operator set, which this version of ONNX Runtime takes for unfinished.
    os.environ["ALLOW_RELEASED_ONNX_OPSET_ONLY"] = "0"
    groups = [names[at : at + GROUP] for at in range(0, len(names), GROUP)]
    script = [sys.executable, str(HERE / "onnx_node.py"), "--command", arguments.command, "--work"]
    sides = {"millpond": [arguments.command, "run", "--", *script, "millpond"], "engine": [*script, "engine"]}
    jobs = [(side, group) for group in groups for side in sides]
    found = {side: {} for side in sides}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for number, ((side, _), part) in enumerate(zip(jobs, pool.map(lambda job: run_group(sides[job[0]], job[1]), jobs))):
            found[side].update({one["name"]: one for one in part})
            print(f"\r{number + 1} of {len(jobs)} groups", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    results = []
    for name in names:
        ours, engine = found["millpond"][name], found["engine"][name]
        kind, reason = classify(ours, engine)
        result = ours["result"]
        if result == "pass":
            kind, reason = "", ""
        results.append({"name": name, "result": result, "class": kind, "reason": reason, "engine": engine["result"]})
    return results


def read_expected():
    expected = {}
    if EXPECTED.exists():
        for line in EXPECTED.read_text().splitlines()[1:]:
            name, result, kind, reason = line.split("\t")
            expected[name] = (result, kind, reason)
    return expected


def disagreements(results, expected, partial):
    found = []
    for one in results:
        known = expected.get(one["name"], ("pass", "", ""))
        if known[:2] != (one["result"], one["class"]):
            now = f"{one['result']} ({one['class']}: {one['reason']})" if one["class"] else one["result"]
            found.append(f"{one['name']}: {now}, expected_onnx.tsv says {' '.join(known[:2]).strip()}")
    if not partial:
        names = {one["name"] for one in results}
        found += [f"{name}: in expected_onnx.tsv, but there is no such test" for name in expected if name not in names]
    return found


def accept(results, expected, partial):
    kept = dict(expected) if partial else {}
    for one in results:
        kept.pop(one["name"], None)
        if one["result"] != "pass":
            known = expected.get(one["name"])
            same = known and known[:2] == (one["result"], one["class"])
            kept[one["name"]] = known if same else (one["result"], one["class"], one["reason"])
    lines = ["name\tresult\tclass\treason"]
    lines += ["\t".join([name, *what]) for name, what in sorted(kept.items())]
    EXPECTED.write_text("\n".join(lines) + "\n")


def table(results):
    """The counts. What may pass: without the classes types and engine."""
    lines = ["| tests | count | " + " | ".join(RESULTS) + " |", "|" + " --- |" * (len(RESULTS) + 2)]

    def row(title, chosen):
        counted = collections.Counter(one["result"] for one in chosen)
        lines.append("| " + " | ".join([title, str(len(chosen))] + [str(counted[name]) for name in RESULTS]) + " |")

    row("all", results)
    row("that can pass: element types of AscendCL, and ONNX Runtime's CPU provider passes", [one for one in results if one["class"] in ("", "ours")])
    row("class types", [one for one in results if one["class"] == "types"])
    row("class engine", [one for one in results if one["class"] == "engine"])
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", required=True)
    parser.add_argument("--only", help="a regular expression; the tests whose names it matches")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", help="write every result to this file, one JSON object per line")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--work", choices=["millpond", "engine"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments.work, arguments.command)
        return 0
    results = suite(arguments)
    if arguments.save:
        pathlib.Path(arguments.save).write_text("".join(json.dumps(one) + "\n" for one in results))
    print(table(results))
    expected = read_expected()
    if arguments.accept:
        accept(results, expected, bool(arguments.only))
        return 0
    wrong = disagreements(results, expected, bool(arguments.only))
    for line in wrong:
        print(line)
    print(f"{len(results) - len(wrong)} as expected, {len(wrong)} not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
