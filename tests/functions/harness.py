"""Calls operators by function through the C interface, and compares results with numpy.

A case calls `check` with the arguments of a function by name. Inputs are arrays; an output is the array that is expected. Every call
runs twice: with tensors that are contiguous, and with tensors that are views into larger storage, with strides, an offset and axes in
another order in memory. Bytes around outputs and behind the workspace must stay as they were.
"""

import collections
import ctypes
import pathlib

import ml_dtypes
import numpy
from libraries import Libraries

ROOT = pathlib.Path(__file__).resolve().parents[2]
BESIDE = pathlib.Path(__file__).resolve().with_name("functions.tsv")
# An installation has the table beside this file.
TABLE = BESIDE if BESIDE.is_file() else ROOT / "crates/functions/functions.tsv"

TYPES = {
    numpy.dtype(name): number
    for name, number in [
        ("float32", 0), ("float16", 1), ("int8", 2), ("int32", 3), ("uint8", 4), ("int16", 6), ("uint16", 7), ("uint32", 8), ("int64", 9),
        ("uint64", 10), ("float64", 11), ("bool", 12), ("complex64", 16), ("complex128", 17), (ml_dtypes.bfloat16, 27),
        (ml_dtypes.float8_e5m2, 35), (ml_dtypes.float8_e4m3fn, 36), (ml_dtypes.float8_e8m0fnu, 37),
    ]
}
# numpy has no complex numbers of 16-bit floats: two floats side by side.
COMPLEX32 = numpy.dtype([("re", "float16"), ("im", "float16")])
TYPES[COMPLEX32] = 33
TOLERANCES = {"float32": (1e-5, 1e-6), "float64": (1e-12, 1e-13), "float16": (2e-3, 1e-4), "bfloat16": (2e-2, 1e-3), "complex64": (1e-5, 1e-6),
              "complex128": (1e-12, 1e-13)}
GUARD = 0xA5
ND = 2


class Ref:
    """A tensor that is changed in place: what it is before and after."""

    def __init__(self, before, after):
        self.before, self.after = numpy.asarray(before), numpy.asarray(after)


class Wanted:
    """An output whose real shape the run decides: room for the largest, and what is expected."""

    def __init__(self, room, value):
        self.room, self.value = tuple(room), numpy.asarray(value)


class Any:
    """An output that is not compared, only its shape and type are given."""

    def __init__(self, shape, dtype):
        self.value = numpy.zeros(shape, dtype)


class Seen(Any):
    """An output that the case judges itself: it is found in `kept` under its name after the run."""

    def __init__(self, shape, dtype, kept, name):
        super().__init__(shape, dtype)
        self.kept, self.name = kept, name


class Fractal:
    """A tensor that is stored in blocks, FRACTAL_NZ: `[…, columns / width, rows / 16, 16, width]`, filled up with zeros."""

    def __init__(self, array, width=None):
        self.value = numpy.asarray(array)
        self.width = width or 32 // self.value.dtype.itemsize

    def packed(self, array):
        *lead, rows, columns = array.shape
        tall, wide = -(-rows // 16), -(-columns // self.width)
        whole = numpy.zeros((*lead, tall * 16, wide * self.width), array.dtype)
        whole[..., :rows, :columns] = array
        return numpy.moveaxis(whole.reshape(*lead, tall, 16, wide, self.width), -2, -4).copy()


class Typed:
    """A scalar with a type of its own."""

    def __init__(self, value, dtype):
        self.value, self.dtype = value, numpy.dtype(dtype)


class Refused(Exception):
    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code, self.text = code, text


Argument = collections.namedtuple("Argument", "type name output optional")


def rows():
    """The functions and their arguments."""
    table = {}
    for line in TABLE.read_text().splitlines()[1:]:
        name, _, arguments, optional, *_ = line.split("\t")
        optional = {one.strip() for one in optional.split(",")}
        parsed = []
        for text in arguments.split(","):
            kind, _, argument = text.strip().replace("*", "* ").rpartition(" ")
            kind = kind.replace(" ", "")
            parsed.append(Argument(kind.removeprefix("const"), argument, not kind.startswith("const"), argument in optional))
        table[name] = parsed
    return table


class Library:
    """A process's connection to the library: one path, or those of several libraries that exist in part."""

    def __init__(self, paths):
        self.c = Libraries(paths if isinstance(paths, list) else [paths])
        pointer = ctypes.c_void_p
        for name in ["aclCreateTensor", "aclCreateScalar", "aclCreateIntArray", "aclCreateFloatArray", "aclCreateBoolArray", "aclCreateTensorList",
                     "aclCreateScalarList"]:
            getattr(self.c, name).restype = pointer
        self.c.aclGetRecentErrMsg.restype = ctypes.c_char_p
        self.must(self.c.aclInit(None))
        self.must(self.c.aclrtSetDevice(0))
        self.stream = pointer()
        self.must(self.c.aclrtCreateStream(ctypes.byref(self.stream)))

    def message(self):
        return (self.c.aclGetRecentErrMsg() or b"").decode()

    def must(self, code):
        if code != 0:
            raise Refused(code, self.message())

    def malloc(self, size):
        block = ctypes.c_void_p()
        self.must(self.c.aclrtMalloc(ctypes.byref(block), ctypes.c_size_t(max(size, 1)), 0))
        return block.value

    def upload(self, address, data):
        if data.nbytes:
            self.must(self.c.aclrtMemcpy(ctypes.c_void_p(address), ctypes.c_size_t(data.nbytes), data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes), 1))

    def download(self, address, size):
        data = numpy.empty(size, numpy.uint8)
        if size:
            self.must(self.c.aclrtMemcpy(data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(size), ctypes.c_void_p(address), ctypes.c_size_t(size), 2))
        return data


class DeviceTensor:
    """An array in device memory, contiguous or as a view into larger storage."""

    def __init__(self, library, array, strided, room=None):
        self.library, self.dtype = library, array.dtype
        self.shape = tuple(room) if room is not None else array.shape
        rank = len(self.shape)
        if strided and rank:
            # Axes lie in reverse order, every axis is longer than the view needs, and the last one has a step of 2.
            self.offset, strides, step = 3, [0] * rank, 2
            for axis in range(rank):
                strides[axis] = step
                step *= self.shape[axis] + 1
            elements = self.offset + step + 1
        else:
            self.offset = 5 if strided else 0
            strides, step = [0] * rank, 1
            for axis in reversed(range(rank)):
                strides[axis] = step
                step *= max(self.shape[axis], 1)
            elements = self.offset + step + (3 if strided else 0)
            if not strided and 0 in self.shape:
                elements = 0
        self.strides, self.elements = strides, elements
        size = self.dtype.itemsize
        self.bytes = numpy.full(elements * size, GUARD, numpy.uint8)
        self.view()[...] = array if room is None else 0
        if room is not None:
            self.bytes[...] = GUARD
        self.before = self.bytes.copy()
        self.address = library.malloc(elements * size)
        library.upload(self.address, self.bytes)
        self.handle = self.create(library)

    def view(self, data=None):
        base = (self.bytes if data is None else data).view(self.dtype)
        if 0 in self.shape:
            return numpy.zeros(self.shape, self.dtype)
        size = self.dtype.itemsize
        # numpy's strides do not know every type of ml_dtypes; bytes stand for those that have one.
        known = base.view("uint8") if size == 1 else base
        return numpy.lib.stride_tricks.as_strided(known[self.offset :], self.shape, [one * size for one in self.strides]).view(self.dtype)

    def create(self, library):
        rank = len(self.shape)
        dims = (ctypes.c_int64 * max(rank, 1))(*self.shape)
        strides = (ctypes.c_int64 * max(rank, 1))(*self.strides)
        storage = (ctypes.c_int64 * 1)(self.elements)
        made = library.c.aclCreateTensor(dims, ctypes.c_uint64(rank), TYPES[self.dtype], strides, ctypes.c_int64(self.offset), ND, storage,
                                         ctypes.c_uint64(1), ctypes.c_void_p(self.address))
        if not made:
            raise Refused(-1, library.message())
        return ctypes.c_void_p(made)

    def read(self):
        """The elements, after checking that nothing around them was written."""
        after = self.library.download(self.address, self.bytes.size)
        outside = numpy.ones(self.bytes.size, bool)
        if 0 not in self.shape and self.elements:
            inside = numpy.zeros(self.elements, bool)
            numpy.lib.stride_tricks.as_strided(inside[self.offset :], self.shape, self.strides)[...] = True
            outside = numpy.repeat(~inside, self.dtype.itemsize)
        if not numpy.array_equal(after[outside], self.before[outside]):
            raise AssertionError("bytes outside the view were written")
        return self.view(after).copy()

    def real_shape(self):
        dims, count = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_uint64()
        self.library.must(self.library.c.aclGetViewShape(self.handle, ctypes.byref(dims), ctypes.byref(count)))
        shape = tuple(dims[index] for index in range(count.value))
        ctypes.CDLL(None).free(dims)
        return shape

    def packed(self, shape, strided):
        """The strides of a result whose shape turned out to be this one: packed where the tensor is contiguous, else its own."""
        strides = self.strides
        if not strided or not self.shape:
            strides, step = [0] * len(shape), 1
            for axis in reversed(range(len(shape))):
                strides[axis], step = step, step * shape[axis]
        return [one * self.dtype.itemsize for one in strides]

    def free(self):
        self.library.must(self.library.c.aclrtFree(ctypes.c_void_p(self.address)))


class FractalTensor(DeviceTensor):
    """An array in device memory, in blocks. An input that is strided is the transpose of what is stored."""

    def __init__(self, library, fractal, strided, output):
        self.library, self.dtype, self.fractal = library, fractal.value.dtype, fractal
        self.shape = fractal.value.shape
        turned = strided and not output
        base = fractal.value.swapaxes(-1, -2) if turned else fractal.value
        stored = fractal.packed(base)
        self.storage, self.elements, self.offset = stored.shape, stored.size, 0
        strides, step = [0] * base.ndim, 1
        for axis in reversed(range(base.ndim)):
            strides[axis], step = step, step * max(base.shape[axis], 1)
        if turned:
            strides[-1], strides[-2] = strides[-2], strides[-1]
        self.strides = strides
        self.bytes = numpy.full(stored.nbytes, GUARD, numpy.uint8) if output else stored.ravel().view(numpy.uint8).copy()
        self.address = library.malloc(stored.nbytes)
        library.upload(self.address, self.bytes)
        self.handle = self.create(library)

    def create(self, library):
        rank = len(self.shape)
        dims, strides = (ctypes.c_int64 * rank)(*self.shape), (ctypes.c_int64 * rank)(*self.strides)
        storage = (ctypes.c_int64 * len(self.storage))(*self.storage)
        made = library.c.aclCreateTensor(dims, ctypes.c_uint64(rank), TYPES[self.dtype], strides, ctypes.c_int64(0), 29, storage,
                                         ctypes.c_uint64(len(self.storage)), ctypes.c_void_p(self.address))
        if not made:
            raise Refused(-1, library.message())
        return ctypes.c_void_p(made)

    def read(self):
        """All elements of the storage, with those that fill blocks up."""
        return self.library.download(self.address, self.bytes.size).view(self.dtype).reshape(self.storage)


def halved(array):
    """Complex numbers as `COMPLEX32`."""
    array = numpy.asarray(array)
    halves = numpy.empty(array.shape, COMPLEX32)
    with numpy.errstate(over="ignore"):
        halves["re"], halves["im"] = array.real, array.imag
    return halves


def widened(halves):
    """`COMPLEX32` as complex numbers."""
    wide = numpy.empty(halves.shape, "complex128")
    wide.real, wide.imag = halves["re"], halves["im"]
    return wide


def compare(name, got, want, tolerance=None):
    if got.shape != want.shape:
        raise AssertionError(f"{name}: shape {got.shape}, expected {want.shape}")
    if got.dtype == COMPLEX32:
        got, want, tolerance = widened(got), widened(want), tolerance or TOLERANCES["float16"]
    if got.dtype.name.startswith("float8"):
        # By their bits: NaN is as good a result as any.
        got, want = numpy.ascontiguousarray(got).view("uint8"), numpy.ascontiguousarray(want).view("uint8")
    if got.dtype.name not in TOLERANCES:
        if not numpy.array_equal(got, want):
            raise AssertionError(f"{name}: got\n{got}\nexpected\n{want}")
        return
    relative, absolute = tolerance or TOLERANCES[got.dtype.name]
    wide = numpy.complex128 if numpy.iscomplexobj(got) else numpy.float64
    with numpy.errstate(all="ignore"):
        close = numpy.isclose(got.astype(wide), want.astype(wide), relative, absolute, equal_nan=True)
    if not close.all():
        where = numpy.argwhere(~close)[0]
        raise AssertionError(f"{name}: {(~close).sum()} of {close.size} differ, first at {tuple(where)}: got {got[tuple(where)]}, expected {want[tuple(where)]}")


class Function:
    """A function under test, and what its cases have covered."""

    def __init__(self, library, name, arguments):
        self.library, self.name, self.arguments = library, name, arguments
        self.covered = set()
        self.first = None
        self.random = numpy.random.default_rng(sum(name.encode()))

    def rand(self, shape, dtype="float32", low=-2.0, high=2.0):
        """Random numbers of a type: integers of low..high, or uniform floats."""
        dtype = numpy.dtype(dtype)
        if dtype == bool:
            return self.random.integers(0, 2, shape).astype(bool)
        if dtype.kind == "c":
            return (self.random.uniform(low, high, shape) + 1j * self.random.uniform(low, high, shape)).astype(dtype)
        if dtype.kind in "iu":
            return self.random.integers(max(low, 0) if dtype.kind == "u" else low, high + 1, shape).astype(dtype)
        return numpy.asarray(self.random.uniform(low, high, shape)).astype(dtype)

    def check(self, /, tolerance=None, layouts=("contiguous", "strided"), **values):
        """Runs the function with these arguments and compares its outputs."""
        unknown = set(values) - {argument.name for argument in self.arguments}
        assert not unknown, f"{self.name} has no arguments {unknown}"
        self.first = self.first or values
        for layout in layouts:
            try:
                self.run(values, layout == "strided", tolerance)
            except Exception as error:
                raise AssertionError(f"{layout}: {type(error).__name__}: {error}") from error
            self.covered.add(layout)

    def refuses(self, code=161002, /, **values):
        """The function refuses these arguments with this code."""
        try:
            self.run(values, False, None)
        except Refused as refusal:
            assert refusal.code == code, f"refused with {refusal.code} instead of {code}: {refusal.text}"
            assert refusal.text, "the refusal says nothing"
            return
        raise AssertionError("was not refused")

    def fails(self, /, **values):
        """The function takes these arguments, but the run finds contents that it cannot use: the stream fails, with a sentence."""
        library = self.library
        usual, library.stream = library.stream, ctypes.c_void_p()
        library.must(library.c.aclrtCreateStream(ctypes.byref(library.stream)))
        try:
            self.run(values, False, None, planned := [])
        except Refused as failure:
            assert planned, f"refused before it ran: {failure.text}"
            assert failure.text, "the failure says nothing"
        else:
            raise AssertionError("did not fail")
        finally:
            library.c.aclrtDestroyStreamForce(library.stream)
            library.stream = usual

    def misuse(self):
        """What follows from the row alone: arguments that must not be NULL, handles that are not handles, an executor used twice."""
        if self.first is None:
            return
        for argument in self.arguments:
            if not argument.type.endswith("*") or argument.type == "char*" or self.first.get(argument.name) is None:
                continue
            if not argument.optional:
                self.misused(f"{argument.name} is NULL", 161001, argument.name, replaced={argument.name: ctypes.c_void_p()})
            self.misused(f"{argument.name} is not a handle", None, argument.name, replaced={argument.name: ctypes.c_void_p(0x1234)})
        for name in ["workspaceSize", "executor"]:
            self.misused(f"{name} is NULL", 161001, name, replaced={name: ctypes.c_void_p()})
        c, status = self.library.c, getattr(self.library.c, self.name)
        code = status(ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p(), self.library.stream)
        assert code == 161001, f"the executor is NULL: {code} instead of 161001"
        used = []
        self.run(self.first, False, (numpy.inf, numpy.inf), executors=used)
        code = status(ctypes.c_void_p(), ctypes.c_uint64(), used[0], self.library.stream)
        assert code != 0, "an executor was used twice"
        assert c.aclrtSynchronizeStream(self.library.stream) == 0, "the stream failed after calls that were refused"

    def misused(self, what, code, mentions, replaced):
        try:
            self.run(self.first, False, None, replaced=replaced)
        except Refused as refusal:
            assert code in (None, refusal.code), f"{what}: {refusal.code} instead of {code}: {refusal.text}"
            assert mentions in refusal.text, f"{what}: the text does not name it: {refusal.text}"
            return
        except AssertionError as error:
            raise AssertionError(f"{what}: was not refused") from error
        raise AssertionError(f"{what}: was not refused")

    def note(self, array):
        if array.ndim == 0:
            self.covered.add("0-dim")
        if array.size == 0:
            self.covered.add("empty")

    def run(self, values, strided, tolerance, planned=None, replaced=None, executors=None):
        library, c = self.library, self.library.c
        replaced = replaced or {}
        tensors, outputs, passed, kept, seen = [], [], [], [], []

        def tensor(value, output):
            if isinstance(value, Ref):
                made = DeviceTensor(library, value.before, strided)
                outputs.append((made, value.after, None))
                self.note(value.before)
            elif isinstance(value, Wanted):
                made = DeviceTensor(library, value.value, strided, value.room)
                outputs.append((made, value.value, "real"))
            elif isinstance(value, Any):
                made = DeviceTensor(library, value.value, strided, value.value.shape)
                if isinstance(value, Seen):
                    seen.append((made, value))
            elif isinstance(value, Fractal):
                made = FractalTensor(library, value, strided, output)
                if output:
                    outputs.append((made, value.packed(value.value), None))
                else:
                    self.note(value.value)
            elif output:
                array = numpy.asarray(value)
                made = DeviceTensor(library, array, strided, array.shape)
                outputs.append((made, array, None))
            else:
                array = numpy.asarray(value)
                self.note(array)
                made = DeviceTensor(library, array, strided)
            tensors.append(made)
            return made.handle

        def scalar(value):
            if isinstance(value, Typed):
                array = numpy.array([value.value], value.dtype)
            else:
                array = numpy.array([value])
                assert array.dtype in TYPES, array.dtype
            kept.append(array)
            made = c.aclCreateScalar(array.ctypes.data_as(ctypes.c_void_p), TYPES[array.dtype])
            assert made, library.message()
            return ctypes.c_void_p(made)

        def pack(create, members):
            array = (ctypes.c_void_p * max(len(members), 1))(*[member.value for member in members])
            return ctypes.c_void_p(create(array, ctypes.c_uint64(len(members))))

        for argument in self.arguments:
            value = values.get(argument.name)
            kind = argument.type
            if argument.name in replaced:
                passed.append(replaced[argument.name])
            elif kind.endswith("*") and value is None:
                passed.append(ctypes.c_void_p())
            elif kind == "aclTensor*":
                passed.append(tensor(value, argument.output))
            elif kind == "aclScalar*":
                passed.append(scalar(value))
            elif kind == "aclTensorList*":
                passed.append(pack(c.aclCreateTensorList, [ctypes.c_void_p() if one is None else tensor(one, argument.output) for one in value]))
            elif kind == "aclScalarList*":
                passed.append(pack(c.aclCreateScalarList, [scalar(one) for one in value]))
            elif kind == "aclIntArray*":
                passed.append(ctypes.c_void_p(c.aclCreateIntArray((ctypes.c_int64 * max(len(value), 1))(*value), ctypes.c_uint64(len(value)))))
            elif kind == "aclFloatArray*":
                passed.append(ctypes.c_void_p(c.aclCreateFloatArray((ctypes.c_float * max(len(value), 1))(*value), ctypes.c_uint64(len(value)))))
            elif kind == "aclBoolArray*":
                passed.append(ctypes.c_void_p(c.aclCreateBoolArray((ctypes.c_bool * max(len(value), 1))(*value), ctypes.c_uint64(len(value)))))
            elif kind == "char*":
                passed.append(ctypes.c_char_p(value.encode()))
            else:
                types = {"double": ctypes.c_double, "float": ctypes.c_float, "bool": ctypes.c_bool, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
                         "int8_t": ctypes.c_int8, "int": ctypes.c_int, "int32_t": ctypes.c_int32, "aclDataType": ctypes.c_int}
                passed.append(types[kind](value if value is not None else 0))
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()
        last = [replaced.get("workspaceSize", ctypes.byref(size)), replaced.get("executor", ctypes.byref(executor))]
        library.must(getattr(c, self.name + "GetWorkspaceSize")(*passed, *last))
        if executors is not None:
            executors.append(executor)
        if planned is not None:
            planned.append(size.value)
        workspace = None
        if size.value:
            workspace = library.malloc(size.value + 512)
            guard = numpy.full(size.value + 512, GUARD, numpy.uint8)
            library.upload(workspace, guard)
        run = getattr(c, self.name)
        library.must(run(ctypes.c_void_p(workspace), size, executor, library.stream))
        library.must(c.aclrtSynchronizeStream(library.stream))
        if workspace:
            behind = library.download(workspace + size.value, 512)
            assert (behind == GUARD).all(), "bytes behind the workspace were written"
            library.must(c.aclrtFree(ctypes.c_void_p(workspace)))
        for made, want, real in outputs:
            if real:
                shape = made.real_shape()
                assert shape == want.shape, f"the real shape is {shape}, expected {want.shape}"
                # A result with fewer elements than there is room for lies packed at the beginning of its tensor.
                data = library.download(made.address, made.bytes.size).view(made.dtype)[made.offset :]
                got = numpy.lib.stride_tricks.as_strided(data, shape, made.packed(shape, strided)) if want.size else want
            else:
                got = made.read()
            compare(self.name, got, want, tolerance)
        for made, value in seen:
            value.kept[value.name] = made.read()
        for made in tensors:
            made.free()


FUNCTIONS = {}


def case(*names):
    """Declares a function that checks these functions; it is called once for each."""

    def declare(body):
        for name in names:
            FUNCTIONS.setdefault(name, []).append(body)
        return body

    return declare


# Why a function has no case with an input of this kind.
EXEMPT = {}


def exempt(name, **reasons):
    """A function takes no strided, empty or 0-dim input, for a reason: `exempt("aclnnX", zero_dim="a matrix has two axes")`."""
    for kind, reason in reasons.items():
        EXEMPT[name, {"zero_dim": "0-dim"}.get(kind, kind)] = reason
