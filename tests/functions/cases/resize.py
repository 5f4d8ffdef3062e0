"""Resizing. The reference writes each axis as a matrix."""

import math

import numpy

from harness import case, exempt


def cubic(t, a):
    t = abs(t)
    return (a + 2) * t**3 - (a + 3) * t**2 + 1 if t < 1 else a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0


def matrix(mode, size, count, align, scale):
    """`matrix @ x` resizes an axis of `size` elements to `count`."""
    m = numpy.zeros((count, size))
    ratio = 1 / scale if scale else size / count
    if align:
        ratio = (size - 1) / (count - 1) if count > 1 else 0.0
    for i in range(count):
        centre = ratio * i if align else ratio * (i + 0.5) - 0.5
        if mode == "nearest":
            m[i, min(math.floor(numpy.float32(i) * numpy.float32(ratio)), size - 1)] = 1
        elif mode == "exact":
            m[i, min(math.floor(ratio * (i + 0.5)), size - 1)] = 1
        elif mode == "linear":
            centre = max(centre, 0.0)
            low = min(math.floor(centre), size - 1)
            m[i, low] += 1 - min(centre - low, 1.0)
            m[i, min(low + 1, size - 1)] += min(centre - low, 1.0)
        elif mode == "cubic":
            low = math.floor(centre)
            for j in range(low - 1, low + 3):
                m[i, min(max(j, 0), size - 1)] += cubic(centre - j, -0.75)
        else:
            reach = (1 if mode == "linear area" else 2) * max(ratio, 1.0)
            centre = ratio * (i + 0.5)
            for j in range(max(int(centre - reach + 0.5), 0), min(int(centre + reach + 0.5), size)):
                distance = (j - centre + 0.5) / max(ratio, 1.0)
                m[i, j] = max(1 - abs(distance), 0.0) if mode == "linear area" else cubic(distance, -0.5)
            m[i] /= m[i].sum()
    return m


def resized(x, matrices, back=False):
    x = x.astype("float64")
    for axis, m in enumerate(matrices):
        x = numpy.moveaxis(numpy.tensordot(m.T if back else m, x, (1, axis + 2)), 0, axis + 2)
    return x


SIZES = {1: [((7,), (10,), 0), ((8,), (5,), 0), ((6,), (12,), 2.0), ((6,), (6,), 0), ((5,), (1,), 0), ((5,), (7,), 1.5)],
         2: [((7, 5), (10, 3), 0), ((3, 4), (6, 8), 2.0), ((4, 5), (4, 5), 0), ((5, 6), (1, 1), 0), ((5, 6), (7, 9), 1.5), ((11, 13), (4, 3), 0)],
         3: [((3, 4, 5), (5, 3, 7), 0), ((2, 3, 4), (4, 6, 8), 2.0), ((3, 3, 3), (1, 1, 1), 0)]}
MODES = {"Nearest": "nearest", "NearestExact": "exact", "Linear": "linear", "Bilinear": "linear", "Trilinear": "linear", "Bicubic": "cubic",
         "BilinearAA": "linear area", "BicubicAA": "cubic area"}


def declare(kind, rank, scales=None, align=True, back=False, version="", given="self", target="out", types=("float32", "float16", "float64")):
    name = f"aclnnUpsample{kind.removesuffix('AA')}{rank}d{'AA' if kind.endswith('AA') else ''}{'Backward' if back else ''}{version}"

    @case(name)
    def _(f):
        for dtype in types:
            for size, count, scale in SIZES[rank]:
                for aligned in [False, True] if align else [False]:
                    if scale and not scales:
                        continue
                    for batch in [2, 0]:
                        matrices = [matrix(MODES[kind], s, c, aligned, scale) for s, c in zip(size, count)]
                        x = f.rand((batch, 3, *(count if back else size)), dtype)
                        want = resized(x, matrices, back).astype(dtype)
                        values = {"outputSize": list(count), "gradOutput" if back else given: x, target: want}
                        if back:
                            values["inputSize"] = [batch, 3, *size]
                        if align:
                            values["alignCorners"] = aligned
                        values.update({one: scale for one in scales or []})
                        f.check(tolerance={"float32": (1e-4, 1e-5), "float16": (2e-3, 2e-3)}.get(dtype), **values)
        f.refuses(**{**values, target: f.rand((1, 2, 3)), "outputSize": [4] * rank})

    exempt(name, zero_dim="images have at least three axes")


HW, DHW = ["scalesH", "scalesW"], ["scalesD", "scalesH", "scalesW"]
declare("Bicubic", 2, HW)
declare("Bilinear", 2, HW)
declare("Nearest", 1, align=False)
declare("Nearest", 2, align=False, types=("float32", "float16", "uint8"))
declare("Nearest", 1, ["scaleL"], align=False, version="V2")
declare("Nearest", 2, ["scaleH", "scaleW"], align=False, version="V2")
declare("Nearest", 1, ["scaleL"], align=False, version="V2")
declare("Nearest", 3, DHW, align=False)
declare("Linear", 1, ["scalesH"])
declare("Trilinear", 3, DHW, given="input")
declare("BicubicAA", 2, HW)
declare("BilinearAA", 2, HW)
declare("Nearest", 1, ["scales"], align=False, back=True, target="gradInput")
declare("Nearest", 2, HW, align=False, back=True, target="gradInput")
declare("Nearest", 3, DHW, align=False, back=True, target="gradInput")
declare("Bicubic", 2, HW, back=True, target="gradInput")
declare("Bilinear", 2, HW, back=True, target="gradInput")
declare("Bilinear", 2, HW, back=True, target="gradInput", version="V2")
declare("Linear", 1, ["scales"], back=True, target="gradInput")
declare("Trilinear", 3, DHW, back=True)
declare("NearestExact", 2, HW, align=False)
