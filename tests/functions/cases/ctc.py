"""The loss of connectionist temporal classification. The reference goes through all paths."""

import itertools

import numpy

from harness import Any, case, exempt


def collapsed(path, blank):
    return tuple(label for label, _ in itertools.groupby(path) if label != blank)


def likelihood(logs, labels, blank):
    """The loss of one sequence and its gradient with respect to the logarithms before they were normalised."""
    time, classes = logs.shape
    total, counts = 0.0, numpy.zeros((time, classes))
    for path in itertools.product(range(classes), repeat=time):
        if collapsed(path, blank) == tuple(labels):
            chance = numpy.exp(sum(logs[at, label] for at, label in enumerate(path)))
            total += chance
            for at, label in enumerate(path):
                counts[at, label] += chance
    with numpy.errstate(divide="ignore"):
        return -numpy.log(total), counts / total if total else counts


def normalised(x):
    return x - numpy.log(numpy.exp(x).sum(-1, keepdims=True))


def examples(f, dtype, blank=0):
    time, classes = 5, 3
    logs = normalised(f.rand((time, 4, classes), "float64")).astype(dtype)
    labels = [[1, 2], [2, 2], [1], []]
    labels = [[label if blank == 0 else label - 1 for label in one] for one in labels]
    inputs = [5, 4, 3, 5]
    padded = numpy.zeros((4, 3), "int64")
    for row, one in enumerate(labels):
        padded[row, : len(one)] = one
    return logs, labels, inputs, padded


@case("aclnnCtcLoss")
def _(f):
    for dtype in ["float32", "float64"]:
        for blank in [0, 2]:
            logs, labels, inputs, padded = examples(f, dtype, blank)
            want = numpy.array([likelihood(logs[:n, b].astype("float64"), one, blank)[0] for b, (n, one) in enumerate(zip(inputs, labels))], dtype)
            given = {"logProbs": logs, "inputLengths": inputs, "targetLengths": list(map(len, labels)), "blank": blank, "negLogLikelihood": want,
                     "logAlpha": Any((4, 5, 7), dtype), "tolerance": (1e-5, 1e-5)}
            f.check(targets=padded, **given)
            f.check(targets=numpy.array(sum(labels, []), "int32"), **given)
    short = dict(given, inputLengths=[1, 4, 3, 5], negLogLikelihood=numpy.array([numpy.inf, *want[1:]], dtype))
    f.check(targets=padded, **short)
    none = numpy.zeros(0)
    f.check(logProbs=logs[:, :0], targets=padded[:0], inputLengths=[], targetLengths=[], blank=0, negLogLikelihood=none, logAlpha=Any((0, 5, 7), dtype))
    f.refuses(**{key: value for key, value in dict(given, targets=padded, inputLengths=[6, 4, 3, 5]).items() if key != "tolerance"})


def alphas(logs, labels, inputs, blank, width):
    """The logarithms of the chances to be at each place of the line with blanks, step by step."""
    time, batch, _ = logs.shape
    alpha = numpy.zeros((batch, time, width))
    for b in range(batch):
        line = [blank]
        for label in labels[b]:
            line += [label, blank]
        chances = numpy.exp(logs[:, b].astype("float64"))
        for at in range(inputs[b]):
            for place, label in enumerate(line):
                if at == 0:
                    before = float(place < 2)
                else:
                    before = alpha[b, at - 1, max(place - 1, 0) : place + 1].sum()
                    if place > 1 and line[place - 2] != label:
                        before += alpha[b, at - 1, place - 2]
                alpha[b, at, place] = before * chances[at, label]
    with numpy.errstate(divide="ignore"):
        return numpy.log(alpha)


@case("aclnnCtcLossBackward")
def _(f):
    for dtype in ["float32", "float64"]:
        for blank in [0, 2]:
            logs, labels, inputs, padded = examples(f, dtype, blank)
            slope = f.rand((4,), dtype)
            losses, grad = numpy.zeros(4), numpy.zeros(logs.shape)
            for b, (n, one) in enumerate(zip(inputs, labels)):
                losses[b], counts = likelihood(logs[:n, b].astype("float64"), one, blank)
                grad[:n, b] = (numpy.exp(logs[:n, b].astype("float64")) - counts) * slope[b]
            given = {"grad": slope, "logProbs": logs, "inputLengths": inputs, "targetLengths": list(map(len, labels)), "blank": blank,
                     "negLogLikelihood": losses.astype(dtype), "logAlpha": alphas(logs, labels, inputs, blank, 7).astype(dtype), "zeroInfinity": True,
                     "out": grad.astype(dtype), "tolerance": (1e-4, 1e-5) if dtype == "float32" else (1e-9, 1e-9)}
            f.check(targets=padded, **given)
            f.check(targets=numpy.array(sum(labels, []), "int32"), **given)
    losses[0], grad[:, 0] = numpy.inf, 0
    f.check(**dict(given, targets=padded, negLogLikelihood=losses, out=grad))
    none = numpy.zeros(0)
    f.check(grad=none, logProbs=logs[:, :0], targets=padded[:0], inputLengths=[], targetLengths=[], negLogLikelihood=none, logAlpha=numpy.zeros((0, 5, 7)),
            blank=0, out=logs[:, :0])


for name in ["CtcLoss", "CtcLossBackward"]:
    exempt("aclnn" + name, zero_dim="a batch of sequences has three axes")
