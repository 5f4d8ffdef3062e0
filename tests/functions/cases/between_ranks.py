"""Products whose operands or results are spread over ranks. Here with one rank; crates/capi/tests/c/hccl_matmul.c has several."""

import ctypes

import ml_dtypes
import numpy

from harness import Any, case, exempt

GROUP = "functions"
MADE = []


def group(f):
    """Makes a communicator of one rank, once."""
    if not MADE:
        c, info, comm = f.library.c, ctypes.create_string_buffer(4108), ctypes.c_void_p()
        config = bytearray(2240)
        config[0:16] = (2240).to_bytes(8, "little") + (0xF0F0F0F0).to_bytes(4, "little") + (10).to_bytes(4, "little")
        config[24:32] = b"\xff" * 8
        config[32 : 32 + len(GROUP)] = GROUP.encode()
        config[0x13C:0x140] = b"\xff" * 4
        assert c.HcclGetRootInfo(info) == 0, f.library.message()
        held = (ctypes.c_char * len(config)).from_buffer(config)
        assert c.HcclCommInitRootInfoConfig(1, info, 0, held, ctypes.byref(comm)) == 0, f.library.message()
        MADE.append(comm)
    return GROUP


def product(a, b):
    return (a.astype("float64") @ b.astype("float64")).astype(a.dtype)


def matrices(f):
    for dtype in ["float32", "float16"]:
        yield f.rand((6, 5), dtype), f.rand((5, 4), dtype), {"float32": (1e-5, 1e-5), "float16": (2e-3, 5e-3)}[dtype]


for name in ["AllGatherMatmul", "MatmulAllReduce", "MatmulReduceScatter", "MatmulReduceScatterV2", "QuantMatmulAllReduce", "QuantMatmulAllReduceV2",
             "MatmulAllReduceV2"]:
    reason = "what ranks exchange has no gaps"
    exempt(f"aclnn{name}", strided=reason, empty="every rank has rows", zero_dim="matrices have two axes")


@case("aclnnMatmulAllReduce", "aclnnMatmulAllReduceV2")
def _(f):
    for a, b, tolerance in matrices(f):
        bias = f.rand((4,), a.dtype)
        for given in [None, bias]:
            if f.name.endswith("V2"):
                added = f.rand((6, 4), a.dtype)
                whole = a.astype("float64") @ b.astype("float64") + added + (0 if given is None else given)
                f.check(x1=a, x2=b, bias=given, x3=added, group=group(f), reduceOp="sum", output=whole.astype(a.dtype), tolerance=tolerance, layouts=["contiguous"])
            expected = product(a, b) if given is None else (product(a, b) + bias).astype(a.dtype)
            f.check(x1=a, x2=b, bias=given, group=group(f), reduceOp="sum", output=expected, tolerance=tolerance, layouts=["contiguous"])
    a, b = f.rand((2, 2)), f.rand((2, 2))
    f.refuses(x1=a, x2=b, group=group(f), reduceOp="max", output=product(a, b))
    f.refuses(x1=a.astype("int32"), x2=b.astype("int32"), group=group(f), reduceOp="sum", output=product(a, b).astype("int32"))
    f.refuses(161002, x1=a, x2=b, group="no such group", reduceOp="sum", output=product(a, b))


@case("aclnnAllGatherMatmul")
def _(f):
    for a, b, tolerance in matrices(f):
        for gathered in [a, numpy.zeros((0,), a.dtype)]:
            f.check(x1=a, x2=b, group=group(f), output=product(a, b), gatherOut=gathered, tolerance=tolerance, layouts=["contiguous"])
    a, b = f.rand((2, 2)), f.rand((2, 2))
    f.refuses(x1=a, x2=b, group=group(f), gatherIndex=1, output=product(a, b), gatherOut=a)
    f.refuses(x1=a, x2=b, bias=f.rand((2,)), group=group(f), output=product(a, b), gatherOut=a)
    # Shapes for two ranks, but the group has one.
    f.refuses(x1=a, x2=b, group=group(f), output=f.rand((4, 2)), gatherOut=f.rand((4, 2)))


@case("aclnnMatmulReduceScatter")
def _(f):
    for a, b, tolerance in matrices(f):
        f.check(x1=a, x2=b, group=group(f), reduceOp="sum", output=product(a, b), tolerance=tolerance, layouts=["contiguous"])
    a, b = f.rand((2, 2)), f.rand((2, 2))
    f.refuses(x1=a, x2=b, bias=f.rand((2,)), group=group(f), reduceOp="sum", output=product(a, b))
    f.refuses(x1=a, x2=b, group=group(f), reduceOp="sum", output=f.rand((1, 2)))


@case("aclnnMatmulReduceScatterV2")
def _(f):
    for a, b, tolerance in matrices(f):
        for bias in [None, f.rand((4,), a.dtype), f.rand((4,), "float32")]:
            whole = a.astype("float64") @ b.astype("float64") + (0 if bias is None else bias.astype("float64"))
            f.check(self=a, x2=b, bias=bias, group=group(f), reduceOp="sum", out=whole.astype(a.dtype), tolerance=tolerance, layouts=["contiguous"])
            f.check(self=a, x2=b, bias=bias, group=group(f), reduceOp="sum", commMode="aiv", out=whole.astype(a.dtype), amaxOut=numpy.zeros((0,), "float32"), tolerance=tolerance,
                    layouts=["contiguous"])
    bias = f.rand((4,))
    for dtype in ["int8", ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]:
        small = dtype == "int8"
        a, b = f.rand((6, 5), dtype, -100, 100) if small else f.rand((6, 5)).astype(dtype), f.rand((5, 4), dtype, -100, 100) if small else f.rand((5, 4)).astype(dtype)
        lines, columns = f.rand((6, 1) if small else (1,), "float32", 0.01, 0.1), f.rand((1, 4) if small else (1,), "float32", 0.01, 0.1)
        whole = a.astype("float64") @ b.astype("float64") * lines.astype("float64") * columns.astype("float64") + bias
        for out in ["float32", "float16", ml_dtypes.bfloat16]:
            f.check(self=a, x2=b, bias=bias, x1Scale=lines, x2Scale=columns, group=group(f), reduceOp="sum", out=whole.astype(out), layouts=["contiguous"])
    fine = dict(self=a, x2=b, x1Scale=lines, x2Scale=columns, group=group(f), reduceOp="sum", out=Any((6, 4), "float32"))
    for name, value in [("quantScale", lines), ("amaxOut", Any((1,), "float32")), ("blockSize", 1), ("groupSize", 32), ("reduceOp", "max"), ("out", Any((3, 4), "float32")),
                        ("x2", f.rand((5, 4), "int8")), ("x1Scale", f.rand((6,))), ("bias", f.rand((3,))), ("self", f.rand((6, 5)))]:
        if name in {argument.name for argument in f.arguments}:
            f.refuses(**fine | {name: value})
    f.refuses(161001, **fine | {"x1Scale": None})


@case("aclnnQuantMatmulAllReduce", "aclnnQuantMatmulAllReduceV2")
def _(f):
    by_row = f.name.endswith("V2")
    for shape in [(6, 5), (2, 3, 5)]:
        for dtype in ["float16", ml_dtypes.bfloat16]:
            a, b = f.rand(shape, "int8", -100, 100), f.rand((5, 4), "int8", -100, 100)
            sums, added = a.astype("int64") @ b.astype("int64"), f.rand((*shape[:-1], 4), dtype)
            bias, lines = f.rand((4,), "int32", -1000, 1000), f.rand((6,), "float32", 0.1, 0.5)
            for count in (1, 4):
                scale = f.rand((count,), "float32", 0.001, 0.01)
                packed = scale.view("uint32").astype("uint64")
                tolerance = (1e-2, 1e-2)
                plain = sums * scale.astype("float64")
                for given in (scale, packed, packed.astype("int64")):
                    f.check(x1=a, x2=b, dequantScale=given, group=group(f), reduceOp="sum", out=plain.astype(dtype), tolerance=tolerance, layouts=["contiguous"])
                whole = (sums + bias) * scale.astype("float64") * (lines.astype("float64").reshape(*shape[:-1], 1) if by_row else 1) + added.astype("float64")
                more = {"pertokenScale": lines} if by_row else {}
                f.check(x1=a, x2=b, bias=bias, x3=added, dequantScale=scale, **more, group=group(f), reduceOp="sum", out=whole.astype(dtype), tolerance=tolerance,
                        layouts=["contiguous"])
    fine = dict(x1=a, x2=b, dequantScale=scale, group=group(f), reduceOp="sum", out=Any((2, 3, 4), "float16"))
    for name, value in [("reduceOp", "max"), ("x1", a.astype("float16")), ("bias", f.rand((4,))), ("x3", f.rand((2, 3, 4))), ("pertokenScale", f.rand((5,))),
                        ("dequantScale", f.rand((3,))), ("out", Any((2, 3, 4), "float32")), ("out", Any((6, 4), "float16"))]:
        if name in {argument.name for argument in f.arguments}:
            f.refuses(**fine | {name: value})
