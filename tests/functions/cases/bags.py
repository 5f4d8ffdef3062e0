"""Bags of rows."""

import ml_dtypes
import numpy

from harness import Any, case, exempt

exempt("aclnnEmbeddingBag", zero_dim="indices and offsets are lists")


@case("aclnnEmbeddingBag")
def _(f):
    for dtype in ["float32", "float16", ml_dtypes.bfloat16, "float64"]:
        table = f.rand((7, 70), dtype)
        for kind, bounds in [("int64", [0, 3, 3, 8]), ("int32", [0, 0, 5, 6, 9]), ("int64", [0]), ("int64", [0, 4])]:
            count = bounds[-1]
            indices = f.rand((count,), kind, 0, 6)
            for mode in (0, 1, 2):
                for padding in (-1, 2):
                    for weighted in (False, True) if mode == 0 else (False,):
                        weights = f.rand((count,), dtype) if weighted else None
                        bags = [[(row, 1.0 if weights is None else float(weights[at])) for at, row in enumerate(indices[a:b], a) if row != padding]
                                for a, b in zip(bounds, bounds[1:])]
                        out, places = numpy.zeros((len(bags), 70)), numpy.zeros((len(bags), 70), kind)
                        for number, bag in enumerate(bags):
                            rows = numpy.array([table[row].astype("float64") * weight for row, weight in bag]).reshape(-1, 70)
                            if bag and mode == 2:
                                out[number], places[number] = rows.max(0), indices.dtype.type([row for row, _ in bag])[rows.argmax(0)]
                            elif bag:
                                out[number] = rows.sum(0) / (len(bag) if mode == 1 else 1)
                        sizes = numpy.array([len(bag) for bag in bags], kind)
                        owners = numpy.repeat(numpy.arange(len(bags), dtype=kind), numpy.diff(bounds))
                        for last in (True, False):
                            offsets = numpy.array(bounds if last else bounds[:-1], kind)
                            for short in (False, True):
                                f.check(weight=table, indices=indices, offsets=offsets, mode=mode, perSampleWeights=weights, includeLastOffset=last,
                                        paddingIdx=padding, output=out.astype(dtype), offset2bag=numpy.zeros(0, kind) if short else owners, bagSize=sizes,
                                        maxIndices=places if mode == 2 else numpy.zeros(0, kind) if short else sizes,
                                        tolerance=(2e-2, 5e-2) if dtype == ml_dtypes.bfloat16 else (2e-3, 4e-3) if dtype == "float16" else None)
    table, indices, offsets = f.rand((4, 3)), numpy.array([0, 3, 1]), numpy.array([0, 1])
    rest = dict(output=Any((2, 3), "float32"), offset2bag=Any((3,), "int64"), bagSize=Any((2,), "int64"), maxIndices=Any((2,), "int64"), paddingIdx=-1)
    f.refuses(weight=table, indices=indices, offsets=offsets, mode=3, **rest)
    f.refuses(weight=table, indices=indices, offsets=offsets, mode=1, perSampleWeights=f.rand((3,)), **rest)
    f.refuses(weight=table, indices=indices, offsets=offsets, mode=2, **rest)
    f.refuses(weight=table, indices=indices, offsets=offsets, mode=0, **{**rest, "paddingIdx": 4})
    f.fails(weight=table, indices=numpy.array([0, 4, 1]), offsets=offsets, mode=0, **rest)
    f.fails(weight=table, indices=indices, offsets=numpy.array([1, 2]), mode=0, **rest)
    f.fails(weight=table, indices=indices, offsets=numpy.array([0, 4]), mode=0, **rest)
    f.fails(weight=table, indices=indices, offsets=numpy.array([0, 1, 2]), mode=0, includeLastOffset=True, **rest)
