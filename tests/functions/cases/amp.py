"""Mixed-precision training."""

import numpy

from harness import case, exempt

exempt("aclnnAmpUpdateScale", empty="each tensor has one element")


@case("aclnnAmpUpdateScale")
def _(f):
    for shape in [(1,), ()]:
        one = lambda value, dtype="float32": numpy.full(shape, value, dtype)
        for scale, steps, found, want in [(8.0, 1, 0.0, (8.0, 2)), (8.0, 4, 0.0, (16.0, 0)), (8.0, 4, 1.0, (4.0, 0)), (3e38, 4, 0.0, (3e38, 0)), (8.0, 9, 0.0, (8.0, 10))]:
            f.check(currentScale=one(scale), growthTracker=one(steps, "int32"), foundInf=one(found), growthFactor=2.0, backoffFactor=0.5, growthInterval=5,
                    updatedScale=one(want[0]), updatedGrowthTracker=one(want[1], "int32"))
    f.refuses(currentScale=numpy.ones(2, "float32"), growthTracker=one(0, "int32"), foundInf=one(0), updatedScale=one(0), updatedGrowthTracker=one(0, "int32"))
