"""Recurrent networks. The reference runs each sequence alone in double precision; gradients are differences of the reference."""

import numpy

from harness import Any, case, exempt

for name in ["LSTM", "LstmBackward", "GRU", "GRUBackward"]:
    exempt(f"aclnn{name}", zero_dim="a sequence has times and numbers")


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


class Net:
    """A network and its data: what the functions are given, and what the reference says."""

    def __init__(self, f, gates, times, batch, width, hidden, layers=1, both=False, biased=True, lengths=None, dtype="float32"):
        self.gates, self.times, self.batch, self.hidden, self.layers, self.biased = gates, times, batch, hidden, layers, biased
        self.directions = 2 if both else 1
        self.lengths = [times] * batch if lengths is None else lengths
        self.packed = lengths is not None
        self.x = f.rand((times, batch, width), dtype)
        self.params = []
        for layer in range(layers):
            for _ in range(self.directions):
                columns = width if layer == 0 else hidden * self.directions
                self.params += [f.rand((gates * hidden, columns), dtype, -0.5, 0.5), f.rand((gates * hidden, hidden), dtype, -0.5, 0.5)]
                if biased:
                    self.params += [f.rand((gates * hidden,), dtype, -0.5, 0.5), f.rand((gates * hidden,), dtype, -0.5, 0.5)]
        count = layers * self.directions
        self.states = [f.rand((count, batch, hidden), dtype) for _ in range(2 if gates == 4 else 1)]

    def sizes(self):
        return numpy.array([sum(length > time for length in self.lengths) for time in range(self.times)], "int64")

    def rows(self, by_time):
        """[times, batch, …] without what lies behind the end of sequences."""
        return numpy.concatenate([by_time[time, :count] for time, count in enumerate(self.sizes())]) if self.packed else by_time

    def run(self, x, params, states):
        """Results by time, last states, and what is kept for gradients, in double precision."""
        x, hidden = x.astype("float64"), self.hidden
        each = 4 if self.biased else 2
        last = [state.astype("float64").copy() for state in states]
        kept = []
        for layer in range(self.layers):
            out = numpy.zeros((self.times, self.batch, hidden * self.directions))
            for direction in range(self.directions):
                number = layer * self.directions + direction
                w, u, *biases = (one.astype("float64") for one in params[number * each : number * each + each])
                b, d = biases if biases else (0, 0)
                own = numpy.zeros((7 if self.gates == 4 else 5, self.times, self.batch, hidden))
                for sequence, length in enumerate(self.lengths):
                    state = [one[number, sequence] for one in last]
                    for time in reversed(range(length)) if direction else range(length):
                        first, second = w @ x[time, sequence] + b, u @ state[0] + d
                        if self.gates == 4:
                            i, g, j, o = numpy.split(first + second, 4)
                            i, g, o, j = sigmoid(i), sigmoid(g), sigmoid(o), numpy.tanh(j)
                            cell = g * state[1] + i * j
                            state = [o * numpy.tanh(cell), cell]
                            own[:, time, sequence] = i, j, g, o, state[0], cell, numpy.tanh(cell)
                        else:
                            (r1, z1, n1), (r2, z2, n2) = numpy.split(first, 3), numpy.split(second, 3)
                            r, z = sigmoid(r1 + r2), sigmoid(z1 + z2)
                            n = numpy.tanh(n1 + r * n2)
                            state = [(1 - z) * n + z * state[0]]
                            own[:, time, sequence] = r, z, n, n2, state[0]
                        out[time, sequence, direction * hidden : (direction + 1) * hidden] = state[0]
                    for one, value in zip(last, state):
                        one[number, sequence] = value
                kept.append(own)
            x = out
        return x, last, numpy.array(kept)

    def common(self, batch_first):
        turn = (lambda a: a.swapaxes(0, 1).copy()) if batch_first else (lambda a: a)
        values = dict(input=turn(self.rows(self.x)), params=self.params, hasBiases=self.biased, numLayers=self.layers,
                      bidirectional=self.directions == 2, batchFirst=batch_first, batchSizes=self.sizes() if self.packed else None)
        values["hx"] = self.states if self.gates == 4 else self.states[0]
        return values, turn

    def names(self):
        return ["i", "j", "f", "o", "h", "c", "tanhC"] if self.gates == 4 else ["r", "z", "n", "hn", "h"]

    def lists(self, kept, dtype, padded):
        shape = (lambda a: a) if padded else self.rows
        return {name: [shape(own[at]).astype(dtype) for own in kept] for at, name in enumerate(self.names())}


SHAPES = [
    dict(times=3, batch=2, width=4, hidden=5),
    dict(times=4, batch=3, width=2, hidden=3, layers=2),
    dict(times=3, batch=2, width=3, hidden=2, both=True, biased=False),
    dict(times=4, batch=3, width=3, hidden=2, layers=2, both=True),
    dict(times=4, batch=3, width=3, hidden=2, layers=2, both=True, lengths=[4, 2, 1]),
    dict(times=2, batch=0, width=3, hidden=2),
    dict(times=0, batch=2, width=3, hidden=2, both=True),
]


def forward(f, gates):
    for shape in SHAPES:
        for dtype in ["float32", "float16"]:
            net = Net(f, gates, dtype=dtype, **shape)
            out, last, kept = net.run(net.x, net.params, net.states)
            tolerance = (1e-4, 1e-5) if dtype == "float32" else (5e-3, 5e-3)
            for batch_first in [False] if net.packed else [False, True]:
                values, turn = net.common(batch_first)
                results = dict(output=turn(net.rows(out)).astype(dtype), hy=last[0].astype(dtype))
                if gates == 4:
                    results["cy"] = last[1].astype(dtype)
                f.check(tolerance=tolerance, dropout=0.0, train=False, **values, **results)
                for padded in [False, True] if net.packed else [False]:
                    f.check(tolerance=tolerance, dropout=0.0, train=True, **values, **results, **net.lists(kept, dtype, padded))
    net = Net(f, gates, 3, 2, 4, 5)
    values, _ = net.common(False)
    results = dict(output=Any((3, 2, 5), "float32"), hy=Any((1, 2, 5), "float32"))
    if gates == 4:
        results["cy"] = Any((1, 2, 5), "float32")
    f.refuses(dropout=0.0, train=True, **values, **results)
    f.refuses(dropout=0.0, train=False, **{**values, "numLayers": 2}, **results)
    f.refuses(dropout=0.0, train=False, **{**values, "params": net.params[:3]}, **results)
    f.refuses(dropout=0.0, train=False, **values, **{**results, "hy": Any((1, 2, 4), "float32")})
    net = Net(f, gates, 3, 2, 4, 5, layers=2)
    values, _ = net.common(False)
    kept = net.run(net.x, net.params, net.states)[2]
    more = dict(output=Any((3, 2, 5), "float32"), hy=Any((2, 2, 5), "float32"), **net.lists(kept, "float32", False))
    if gates == 4:
        more["cy"] = Any((2, 2, 5), "float32")
    f.refuses(dropout=0.5, train=True, **values, **more)
    net = Net(f, gates, 3, 2, 4, 5, lengths=[3, 2])
    values, _ = net.common(False)
    more = dict(output=Any((5, 5), "float32"), hy=Any((1, 2, 5), "float32"))
    if gates == 4:
        more["cy"] = Any((1, 2, 5), "float32")
    for sizes in ([2, 2, 2], [2, 1, 1], [3, 1, 1], [2, 1, 2]):
        f.fails(dropout=0.0, train=False, **{**values, "batchSizes": numpy.array(sizes)}, **more)


def backward(f, gates):
    for shape in SHAPES:
        net = Net(f, gates, **shape)
        out, last, kept = net.run(net.x, net.params, net.states)
        inputs = [net.x.astype("float64"), *[one.astype("float64") for one in net.params], *[one.astype("float64") for one in net.states]]
        weights = [f.rand(out.shape), *[f.rand(one.shape) for one in last]]
        for given in ([True] * 3, [True, False, False], [False, True, True]):

            def value():
                results = net.run(inputs[0], inputs[1 : 1 + len(net.params)], inputs[1 + len(net.params) :])
                return sum((a * b).sum() for a, b, use in zip(weights, [results[0], *results[1]], given) if use)

            grads = []
            for one in inputs:
                grad, step = numpy.zeros_like(one), 1e-5
                for at in numpy.ndindex(one.shape):
                    before = one[at]
                    one[at] = before + step
                    more = value()
                    one[at] = before - step
                    grad[at] = (more - value()) / (2 * step)
                    one[at] = before
                grads.append(grad.astype("float32"))
            count = len(net.params)
            for batch_first in [False] if net.packed else [False, True]:
                values, turn = net.common(batch_first)
                values |= dict(gradY=turn(net.rows(weights[0])) if given[0] else None, gradHy=weights[1] if given[1] else None, dx=turn(net.rows(grads[0])),
                               dparams=grads[1 : 1 + count], dhPrev=grads[1 + count])
                if gates == 4:
                    values |= dict(gradCy=weights[2] if given[2] else None, dcPrev=grads[2 + count], train=True, dropout=0.0)
                for padded in [False, True] if net.packed else [False]:
                    f.check(tolerance=(1e-3, 1e-4), **values, **net.lists(kept, "float32", padded))
    net = Net(f, gates, 3, 2, 4, 5)
    values, _ = net.common(False)
    kept = net.lists(net.run(net.x, net.params, net.states)[2], "float32", False)
    values |= dict(dx=Any((3, 2, 4), "float32"), dhPrev=Any((1, 2, 5), "float32"), dparams=[Any(one.shape, "float32") for one in net.params])
    if gates == 4:
        values |= dict(dcPrev=Any((1, 2, 5), "float32"))
    f.refuses(**values, **{**kept, "h": kept["h"] * 2})
    f.refuses(**{**values, "dx": Any((2, 3, 4), "float32")}, **kept)
    f.refuses(**values, **kept, gradY=f.rand((3, 2, 4)))


@case("aclnnLSTM")
def _(f):
    forward(f, 4)


@case("aclnnGRU")
def _(f):
    forward(f, 3)


@case("aclnnLstmBackward")
def _(f):
    backward(f, 4)


@case("aclnnGRUBackward")
def _(f):
    backward(f, 3)
