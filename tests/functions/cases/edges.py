"""Where results are easily off without a word: sums of millions of floats, and labels that are blanks."""

import numpy

from harness import Any, case

MANY = numpy.random.default_rng(3).uniform(0, 100, 10_000_001).astype("float32")
EXACT = MANY.astype("float64")
CLOSE = {"layouts": ["contiguous"], "tolerance": (3e-7, 0)}


@case("aclnnReduceSum")
def _(f):
    f.check(self=MANY, dims=[0], keepDims=False, dtype=0, out=numpy.float32(EXACT.sum()), **CLOSE)


@case("aclnnStd")
def _(f):
    f.check(self=MANY, dim=[0], correction=1, keepdim=False, out=numpy.float32(EXACT.std(ddof=1)), **CLOSE)


@case("aclnnStdMeanCorrection")
def _(f):
    f.check(self=MANY, dim=[0], correction=1, keepdim=False, stdOut=numpy.float32(EXACT.std(ddof=1)), meanOut=numpy.float32(EXACT.mean()), **CLOSE)


@case("aclnnVarCorrection")
def _(f):
    f.check(self=MANY, dim=[0], correction=0, keepdim=False, out=numpy.float32(EXACT.var()), **CLOSE)


@case("aclnnVarMean")
def _(f):
    f.check(self=MANY, dim=[0], correction=0, keepdim=False, varOut=numpy.float32(EXACT.var()), meanOut=numpy.float32(EXACT.mean()), **CLOSE)


@case("aclnnLinalgVectorNorm")
def _(f):
    for p, want in [(2.0, numpy.sqrt((EXACT**2).sum())), (1.0, EXACT.sum())]:
        f.check(self=MANY, scalarOrd=p, dim=[0], keepdim=False, dtype=0, out=numpy.float32(want), **CLOSE)


def with_blanks(logs, labels, blank):
    """The loss as PyTorch has it where a label is the blank: a label like any other, which may follow another one directly."""
    line = [blank]
    for label in labels:
        line += [label, blank]
    alpha = numpy.full(len(line), -numpy.inf)
    alpha[:2] = logs[0, line[:2]]
    for step in logs[1:]:
        ways = [alpha, numpy.append(-numpy.inf, alpha[:-1]), numpy.append([-numpy.inf] * 2, alpha[:-2])]
        for place, label in enumerate(line):
            if place > 1 and line[place - 2] == label:
                ways[2][place] = -numpy.inf
        alpha = numpy.logaddexp.reduce(ways) + step[line]
    return -numpy.logaddexp(alpha[-1], alpha[-2])


@case("aclnnCtcLoss")
def _(f):
    scores = f.rand((6, 3, 5), "float64", -2, 2)
    logs = scores - numpy.log(numpy.exp(scores).sum(2, keepdims=True))
    labels, inputs = [[1, 2, 3], [2], [2, 2]], [6, 5, 6]
    padded = numpy.array([one + [0] * (3 - len(one)) for one in labels])
    want = numpy.array([with_blanks(logs[:length, b], one, 2) for b, (one, length) in enumerate(zip(labels, inputs))])
    f.check(logProbs=logs, targets=padded, inputLengths=inputs, targetLengths=[3, 1, 2], blank=2, zeroInfinity=False, negLogLikelihood=want,
            logAlpha=Any((3, 6, 7), "float64"))
