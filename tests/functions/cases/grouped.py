"""Products of matrices in groups."""

import ml_dtypes
import numpy

from harness import Any, Ref, case, exempt

FLOATS = ["float32", "float16", ml_dtypes.bfloat16]
LOOSE = {"float32": (1e-5, 1e-5)}

for name in ["", "V3", "V4", "V5", "Add", "AddV2"]:
    exempt(f"aclnnGroupedMatmul{name}", zero_dim="matrices have two dimensions")


def tolerance(dtype):
    return LOOSE.get(dtype, (2e-2, 2e-2))


def wide(array):
    return array.astype("float64")


def by_rows(x, weights, ends, bias=None):
    out, start = numpy.zeros((len(x), weights[0].shape[1])), 0
    for number, end in enumerate(ends):
        out[start:end] = wide(x[start:end]) @ wide(weights[number]) + (0 if bias is None else wide(bias[number]))
        start = end
    return out


def lists(f, call):
    for dtype in FLOATS:
        x = [f.rand((3, 4), dtype), f.rand((0, 5), dtype), f.rand((2, 6), dtype)]
        weights = [f.rand((4, 7), dtype), f.rand((5, 2), dtype), f.rand((6, 3), dtype)]
        bias = [f.rand((7,), dtype), f.rand((2,), dtype), f.rand((3,), dtype)]
        call(dtype, x, weights, None, [(wide(a) @ wide(b)).astype(dtype) for a, b in zip(x, weights)])
        call(dtype, x, weights, bias, [(wide(a) @ wide(b) + wide(c)).astype(dtype) for a, b, c in zip(x, weights, bias)])


@case("aclnnGroupedMatmul")
def _(f):
    lists(f, lambda dtype, x, weights, bias, y: f.check(x=x, weight=weights, bias=bias, y=y, tolerance=tolerance(dtype)))
    for dtype in FLOATS:
        x, weights, bias = f.rand((9, 4), dtype), f.rand((3, 4, 5), dtype), f.rand((3, 5), dtype)
        for ends in ([2, 2, 9], [0, 3, 7]):
            want = by_rows(x, weights, ends, bias).astype(dtype)
            f.check(x=[x], weight=[weights], bias=[bias], groupList=ends, splitItem=2, y=[want], tolerance=tolerance(dtype))
            f.check(x=[x], weight=list(weights), bias=list(bias), groupList=ends, splitItem=2, y=[want], tolerance=tolerance(dtype))
        want = by_rows(x, weights, [2, 6, 9]).astype(dtype)
        parts = [want[0:2], want[2:6], want[6:9]]
        f.check(x=[x], weight=[weights], groupList=[2, 6, 9], y=parts, tolerance=tolerance(dtype))
        f.check(x=[x[0:2], x[2:6], x[6:9]], weight=list(weights), splitItem=2, y=[want], tolerance=tolerance(dtype))
    f.fails(x=[x], weight=[weights], groupList=[2, 6, 10], splitItem=2, y=[want])
    f.fails(x=[x], weight=[weights], groupList=[2, 1, 9], splitItem=2, y=[want])
    f.refuses(x=[x], weight=[weights], groupList=[2, 9], splitItem=2, y=[want])
    f.refuses(x=[x[:, :3]], weight=[weights], groupList=[2, 6, 9], splitItem=2, y=[want])


def tensors(f, output, kinds, bare=()):
    """Groups that a tensor says."""
    def call(dtype, x, weights, bias, y, kind=0, group_type=-1, groups=None):
        values = {"x": x, "weight": weights, "bias": bias, "groupType": group_type, "groupList": groups, output: y}
        if "groupListType" not in bare:
            values["groupListType"] = kind
        f.check(tolerance=tolerance(dtype), **values)

    lists(f, call)
    for dtype in FLOATS:
        x, weights, bias = f.rand((9, 4), dtype), f.rand((3, 4, 5), dtype), f.rand((3, 5), dtype)
        for ends in ([2, 2, 9], [0, 3, 7]):
            want = by_rows(x, weights, ends, bias).astype(dtype)
            lengths = numpy.diff([0, *ends])
            for kind in kinds:
                groups = [ends, lengths, numpy.stack([numpy.arange(3), lengths], 1)][kind]
                call(dtype, [x], [weights], [bias], [want], kind, 0, numpy.array(groups, "int64"))
            left, right = f.rand((4, 9), dtype), f.rand((9, 5), dtype)
            want = numpy.stack([wide(left[:, end - length : end]) @ wide(right[end - length : end]) for end, length in zip(ends, lengths)]).astype(dtype)
            call(dtype, [left], [right], None, [want], 0, 2, numpy.array(ends, "int64"))
    empty = f.rand((0, 4))
    call("float32", [empty], [f.rand((3, 4, 5))], None, [numpy.zeros((0, 5), "float32")], 0, 0, numpy.zeros(3, "int64"))
    x, weights = f.rand((9, 4)), f.rand((3, 4, 5))
    wrong = {"x": [x], "weight": [weights], output: [Any((9, 5), "float32")]}
    f.fails(groupType=0, groupList=numpy.array([2, 6, 10]), **wrong)
    f.refuses(groupType=1, groupList=numpy.array([2, 6, 9]), **wrong)
    f.refuses(161001, groupType=0, **wrong)


@case("aclnnGroupedMatmulV3")
def _(f):
    tensors(f, "y", (0,), ("groupListType",))


@case("aclnnGroupedMatmulV4", "aclnnGroupedMatmulV5")
def _(f):
    tensors(f, "out", (0, 1, 2))
    x, weights = f.rand((9, 4)), f.rand((3, 4, 5))
    # Pairs may leave out groups, and come in any order.
    want = numpy.zeros((9, 5), "float32")
    want[:4], want[4:6] = x[:4] @ weights[2], x[4:6] @ weights[0]
    f.check(x=[x], weight=[weights], groupType=0, groupListType=2, groupList=numpy.array([[2, 4], [0, 2]]), out=[want])
    f.fails(x=[x], weight=[weights], groupType=0, groupListType=2, groupList=numpy.array([[3, 4]]), out=[want])


@case("aclnnGroupedMatmulAdd", "aclnnGroupedMatmulAddV2")
def _(f):
    for dtype in FLOATS:
        for ends in ([2, 2, 9], [0, 3, 7], [0, 0, 0]):
            x, weight, y = f.rand((9, 4), dtype), f.rand((9, 5), dtype), f.rand((12, 5))
            starts = [0, *ends[:-1]]
            sums = numpy.concatenate([wide(x[start:end]).T @ wide(weight[start:end]) for start, end in zip(starts, ends)])
            want = (y + sums).astype("float32")
            groups = numpy.array(ends, "int64")
            f.check(x=x, weight=weight, groupList=groups, yRef=Ref(y, want), transposeX=True, groupType=2)
            f.check(x=x, weight=weight, groupList=groups, yRef=Ref(y.reshape(3, 4, 5), want.reshape(3, 4, 5)), transposeX=True, groupType=2)
    f.check(x=x[:0], weight=weight[:0], groupList=groups * 0, yRef=Ref(y, y), transposeX=True, groupType=2)
    f.refuses(x=x, weight=weight, groupList=groups[:2], yRef=Ref(y, y), transposeX=True, groupType=2)


@case("aclnnGroupedMatmulAddV2")
def _(f):
    x, weight, y = f.rand((9, 4)), f.rand((9, 5)), f.rand((3, 4, 5))
    want = y.copy()
    want[0] += x[:2].T @ weight[:2]
    want[2] += x[2:9].T @ weight[2:9]
    f.check(x=x, weight=weight, groupList=numpy.array([2, 0, 7]), yRef=Ref(y, want), transposeX=True, groupType=2, groupListType=1)
    f.refuses(x=x, weight=weight, groupList=numpy.array([2, 0, 7]), yRef=Ref(y, want), transposeX=True, groupType=2, groupListType=3)
