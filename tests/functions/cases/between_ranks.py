"""Products whose operands or results are spread over ranks. Here with one rank; crates/capi/tests/c/hccl_matmul.c has several."""

import ctypes

import numpy

from harness import case, exempt

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


for name in ["AllGatherMatmul", "MatmulAllReduce", "MatmulReduceScatter"]:
    reason = "what ranks exchange has no gaps"
    exempt(f"aclnn{name}", strided=reason, empty="every rank has rows", zero_dim="matrices have two axes")


@case("aclnnMatmulAllReduce")
def _(f):
    for a, b, tolerance in matrices(f):
        bias = f.rand((4,), a.dtype)
        for given in [None, bias]:
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
