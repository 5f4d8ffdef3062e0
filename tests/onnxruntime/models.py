"""Small realistic models. Each function returns the bytes of a model and a function that generates inputs."""

import numpy as np
from onnx import helper

from support import model


def weights_of(rng, dtype=np.float32, **shapes):
    """Weights that preserve the magnitude of the activations."""
    def one(shape):
        fan = np.prod(shape[1:]) if len(shape) > 2 else shape[0]
        return (rng.standard_normal(shape) / np.sqrt(fan)).astype(dtype)

    return {name: one(shape) for name, shape in shapes.items()}


def node(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs.split(), output.split(), **attributes)


def mlp(rng, dtype=np.float32):
    """Three layers; the batch size is dynamic."""
    weights = weights_of(rng, dtype, w1=(16, 32), b1=(32,), w2=(32, 32), b2=(32,), w3=(32, 10), b3=(10,))
    nodes = []
    last = "x"
    for layer in (1, 2, 3):
        nodes += [node("MatMul", f"{last} w{layer}", f"m{layer}"), node("Add", f"m{layer} b{layer}", f"a{layer}")]
        last = f"a{layer}"
        if layer < 3:
            nodes.append(node("Relu", last, f"r{layer}"))
            last = f"r{layer}"
    nodes.append(node("Softmax", last, "y", axis=-1))
    made = model(nodes, [("x", dtype, ["n", 16])], [("y", dtype, ["n", 10])], weights, name="mlp")
    return made, lambda n: {"x": rng.standard_normal((n, 16)).astype(dtype)}


def cnn(rng, dtype=np.float32):
    """Convolutions with normalisation and pooling, a skip connection, a classifier."""
    weights = weights_of(rng, dtype, c1=(8, 3, 3, 3), c2=(8, 8, 3, 3), b2=(8,), d=(8, 1, 3, 3), p=(16, 8, 1, 1), w=(16, 10), b=(10,))
    for name in ("scale", "bias", "mean", "variance"):
        weights[name] = rng.uniform(0.5, 1.5, 8).astype(dtype)
    nodes = [
        node("Conv", "x c1", "h1", pads=[1, 1, 1, 1]),
        node("BatchNormalization", "h1 scale bias mean variance", "h2"),
        node("Relu", "h2", "h3"),
        node("MaxPool", "h3", "h4", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", "h4 c2 b2", "h5", pads=[1, 1, 1, 1]),
        node("Add", "h4 h5", "h6"),
        node("Relu", "h6", "h7"),
        node("Conv", "h7 d", "h8", group=8, strides=[2, 2]),
        node("Conv", "h8 p", "h9"),
        node("Sigmoid", "h9", "h10"),
        node("GlobalAveragePool", "h10", "h11"),
        node("Flatten", "h11", "h12"),
        node("MatMul", "h12 w", "h13"),
        node("Add", "h13 b", "y"),
    ]
    made = model(nodes, [("x", dtype, ["n", 3, 16, 16])], [("y", dtype, ["n", 10])], weights, name="cnn")
    return made, lambda n: {"x": rng.standard_normal((n, 3, 16, 16)).astype(dtype)}


def transformer(rng, dtype=np.float32, width=32, heads=4):
    """One block: normalised attention and a feed-forward part, both with a residual. Batch and length are dynamic."""
    weights = weights_of(rng, dtype, q=(width, width), k=(width, width), v=(width, width), o=(width, width), up=(width, 4 * width), down=(4 * width, width))
    weights |= {"one": np.ones(width, dtype), "zero": np.zeros(width, dtype), "eps": np.array(1e-5, dtype), "two": np.array(2, dtype), "half": np.array(0.5, dtype)}
    weights |= {"root": np.array(np.sqrt(width / heads), dtype), "rsqrt2": np.array(np.sqrt(0.5), dtype), "unit": np.array(1, dtype)}
    weights |= {"split": np.array([0, 0, heads, width // heads]), "join": np.array([0, 0, width])}

    def normal(x, y):
        return [
            node("ReduceMean", x, f"{y}_m", axes=[-1]), node("Sub", f"{x} {y}_m", f"{y}_c"),
            node("Pow", f"{y}_c two", f"{y}_s"), node("ReduceMean", f"{y}_s", f"{y}_v", axes=[-1]),
            node("Add", f"{y}_v eps", f"{y}_e"), node("Sqrt", f"{y}_e", f"{y}_d"), node("Div", f"{y}_c {y}_d", f"{y}_n"),
            node("Mul", f"{y}_n one", f"{y}_g"), node("Add", f"{y}_g zero", y),
        ]  # fmt: skip

    nodes = normal("x", "n1")
    for part, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        nodes += [node("MatMul", f"n1 {part}", f"{part}1"), node("Reshape", f"{part}1 split", f"{part}2"), node("Transpose", f"{part}2", f"{part}3", perm=order)]
    nodes += [
        node("MatMul", "q3 k3", "s1"), node("Div", "s1 root", "s2"), node("Softmax", "s2", "s3", axis=-1),
        node("MatMul", "s3 v3", "t1"), node("Transpose", "t1", "t2", perm=[0, 2, 1, 3]), node("Reshape", "t2 join", "t3"),
        node("MatMul", "t3 o", "t4"), node("Add", "x t4", "r1"), *normal("r1", "n2"),
        node("MatMul", "n2 up", "f1"), node("Mul", "f1 rsqrt2", "f2"), node("Erf", "f2", "f3"), node("Add", "f3 unit", "f4"),
        node("Mul", "f1 f4", "f5"), node("Mul", "f5 half", "f6"), node("MatMul", "f6 down", "f7"), node("Add", "r1 f7", "y"),
    ]  # fmt: skip
    made = model(nodes, [("x", dtype, ["n", "t", width])], [("y", dtype, ["n", "t", width]), ("s3", dtype, ["n", heads, "t", "t"])], weights, name="block")
    return made, lambda n: {"x": rng.standard_normal((n, 3 + n, width)).astype(dtype)}


def several(rng, dtype=np.float32):
    """Three inputs, one of them a scalar, in another order than they are used, and four outputs of several types."""
    weights = weights_of(rng, dtype, w=(8, 4))
    nodes = [
        node("MatMul", "late w", "m"),
        node("Sub", "m early", "difference"),
        node("Mul", "difference factor", "scaled"),
        node("ArgMax", "scaled", "best", axis=-1, keepdims=0),
        node("Greater", "scaled factor", "above"),
        node("ReduceSum", "scaled", "sum", keepdims=0),
    ]
    inputs = [("factor", dtype, []), ("early", dtype, ["n", 4]), ("late", dtype, ["n", 8])]
    outputs = [("sum", dtype, []), ("best", np.int64, ["n"]), ("scaled", dtype, ["n", 4]), ("above", np.bool_, ["n", 4])]
    made = model(nodes, inputs, outputs, weights, name="several")

    def feed(n):
        shapes = {"factor": (), "early": (n, 4), "late": (n, 8)}
        return {name: np.asarray(rng.standard_normal(shape), dtype) for name, shape in shapes.items()}

    return made, feed


ALL = {"mlp": mlp, "cnn": cnn, "transformer": transformer, "several": several}
