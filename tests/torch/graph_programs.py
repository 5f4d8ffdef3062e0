"""Random programs of small operators, captured in graphs: `python graph_programs.py N [SEED]`.

Each program runs without a graph and is captured; then both get new inputs several times. Every value has to be the same bit for bit: a
graph calls the same operators.
"""

import random
import sys

import torch
import torch_npu  # noqa: F401

SHAPE = (4, 8)


def bounded(x):
    """Keeps values of a long program apart from infinity."""
    return torch.tanh(x)


def half(x):
    return x.to(torch.float16).to(torch.float32)


ONE = [
    torch.abs,
    torch.neg,
    torch.tanh,
    torch.sigmoid,
    torch.relu,
    torch.sin,
    lambda x: bounded(torch.exp(x)),
    lambda x: x * 0.5 + 1,
    lambda x: x - x.mean(-1, keepdim=True),
    lambda x: bounded(x.sum(0, keepdim=True)) + torch.zeros_like(x),
    lambda x: x.max(-1, keepdim=True).values.expand_as(x).contiguous(),
    lambda x: torch.softmax(x, -1),
    lambda x: torch.nn.functional.layer_norm(x, SHAPE[-1:]),
    lambda x: bounded(torch.cumsum(x, -1)),
    lambda x: torch.sort(x, -1).values,
    lambda x: x.flip(-1),
    lambda x: x.t().contiguous().t().clone(),
    lambda x: x.reshape(8, 4).transpose(0, 1).reshape(SHAPE),
    lambda x: torch.cat([x[2:], x[:2]]),
    lambda x: torch.roll(x, 1, 0),
    lambda x: x.clamp(-0.5, 0.5),
    lambda x: torch.where(x > 0, x, -0.1 * x),
    lambda x: (x > 0).to(torch.float32),
    lambda x: torch.nn.functional.gelu(x),
    half,
]

TWO = [
    torch.add,
    torch.sub,
    torch.maximum,
    lambda x, y: bounded(x * y),
    lambda x, y: x / (y.abs() + 1),
    lambda x, y: bounded(x @ y.t() @ y),
    lambda x, y: torch.lerp(x, y, 0.25),
    lambda x, y: torch.stack([x, y]).mean(0),
    lambda x, y: torch.cat([x, y], 1)[:, ::2].contiguous(),
    lambda x, y: torch.where(x < y, x, y),
    lambda x, y: torch.addcmul(x, y, y, value=0.5).clamp(-4, 4),
]

# These change the first tensor.
INSIDE = [
    lambda x: x.mul_(0.5),
    lambda x: x.add_(1).tanh_(),
    lambda x: x.zero_(),
    lambda x: x[1:3].fill_(0.25),
    lambda x: x[:, 2].neg_(),
]


def steps_of(numbers):
    """The steps of a random program: what to do, on which tensors, and on which of two streams."""
    steps = []
    for _ in range(numbers.randint(1, 14)):
        kind = numbers.choice("111222i")
        table = {"1": ONE, "2": TWO, "i": INSIDE}[kind]
        picks = (numbers.random(), numbers.random())
        steps.append((kind, numbers.randrange(len(table)), picks, numbers.random() < 0.25))
    return steps


def run(steps, inputs, side):
    """All values that a program makes. Inputs are changed, too."""
    values = list(inputs)
    current = torch.npu.current_stream()
    for kind, number, (first, second), beside in steps:
        x, y = values[int(first * len(values))], values[int(second * len(values))]

        def step():
            if kind == "1":
                values.append(ONE[number](x))
            elif kind == "2":
                values.append(TWO[number](x, y))
            else:
                INSIDE[number](x)

        if beside:
            side.wait_stream(current)
            with torch.npu.stream(side):
                step()
            current.wait_stream(side)
        else:
            step()
    return values


def fresh(generator):
    return [torch.randn(SHAPE, generator=generator) for _ in range(3)]


def same(number, steps, eager, captured, when):
    for index, (one, other) in enumerate(zip(eager, captured)):
        one, other = one.cpu(), other.cpu()
        if not torch.equal(one, other):
            raise AssertionError(f"program {number}, {when}, value {index}:\n{one}\n{other}\n{steps}")


def program(number, seed):
    numbers = random.Random(seed * 1_000_003 + number)
    generator = torch.Generator().manual_seed(number)
    steps = steps_of(numbers)
    side = torch.npu.Stream()
    plain = [x.npu() for x in fresh(generator)]
    static = [x.clone() for x in plain]
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        captured = run(steps, static, side)
    # Nothing has run.
    same(number, steps, plain, static, "after the capture")
    launched = [torch.npu.current_stream(), torch.npu.Stream()]
    for replay in range(numbers.randint(1, 4)):
        if numbers.random() < 0.8:
            for x, y, new in zip(plain, static, fresh(generator)):
                x.copy_(new)
                y.copy_(new)
        eager = run(steps, plain, side)
        stream = numbers.choice(launched)
        stream.wait_stream(torch.npu.current_stream())
        with torch.npu.stream(stream):
            graph.replay()
        torch.npu.current_stream().wait_stream(stream)
        same(number, steps, eager, captured, f"replay {replay}")
    return len(steps)


def main():
    count = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    steps = sum(program(number, seed) for number in range(count))
    print(f"{count} programs with {steps} steps are the same with and without a graph")


if __name__ == "__main__":
    main()
