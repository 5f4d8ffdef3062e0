"""A table of operations that run on the CPU and on the device, with results and gradients compared.

    case = Table()
    case("add", lambda a, b: a + b, f(2, 3), f(3))
    test = case.test()

Inputs are recipes (`f`, `i`, `b`), generated for each case from its own seed, so cases are independent of each
other. Floating-point inputs get gradients unless the case says `grad=False`.
"""

import zlib

import pytest
import torch
from support import on_both


class Recipe:
    """A recipe for an input."""

    def __init__(self, make):
        self.make = make

    def then(self, change):
        """The same input with a function applied (before it is moved to the device)."""
        return Recipe(lambda source: change(self.make(source)))


def f(*shape, low=-2.0, high=2.0, dtype=torch.float32):
    """Floating-point numbers between two bounds."""
    return Recipe(lambda source: (torch.rand(shape, generator=source) * (high - low) + low).to(dtype))


def i(*shape, low=-5, high=6, dtype=torch.int64):
    """Integers from `low` up to but not including `high`."""
    return Recipe(lambda source: torch.randint(low, high, shape, generator=source).to(dtype))


def b(*shape):
    """Booleans."""
    return Recipe(lambda source: torch.rand(shape, generator=source) < 0.5)


def different(*shape, dtype=torch.float32):
    """Distinct numbers, so that the order of equal elements cannot matter."""
    def make(source):
        count = torch.Size(shape).numel()
        return ((torch.randperm(count, generator=source) - count // 2) * 0.25).reshape(shape).to(dtype)

    return Recipe(make)


def exactly(*values, dtype=None):
    """These numbers."""
    return Recipe(lambda source: torch.tensor(values, dtype=dtype))


def scalar(value, dtype=None):
    """A tensor without dimensions."""
    return Recipe(lambda source: torch.tensor(value, dtype=dtype))


def flat(values):
    """All tensors in nested tuples and lists."""
    if isinstance(values, torch.Tensor):
        return [values]
    if isinstance(values, (tuple, list)):
        return [tensor for value in values for tensor in flat(value)]
    return [torch.tensor(values)]


def with_gradients(function):
    """A function that also returns the gradients of its inputs, for fixed gradients of its results."""
    def run(*inputs):
        leaves = [
            value.detach().clone().requires_grad_() if isinstance(value, torch.Tensor) and value.is_floating_point() else value
            for value in inputs
        ]
        results = flat(function(*leaves))
        from_here = [result for result in results if result.requires_grad]
        wanted = [value for value in leaves if isinstance(value, torch.Tensor) and value.requires_grad]
        if not from_here:
            return results
        source = torch.Generator().manual_seed(7)
        grads = [torch.randn(result.shape, generator=source).to(result.dtype).to(result.device) for result in from_here]
        found = torch.autograd.grad(from_here, wanted, grads, allow_unused=True)
        return results + [grad for grad in found if grad is not None]

    return run


def module(build, *more, train=True):
    """A case that runs a module and returns its result, the gradients of its parameters and its buffers."""
    def run(x, *others):
        torch.manual_seed(3)
        made = build().train(train).to(x.device).to(x.dtype)
        results = flat(made(x, *others, *more))
        total = sum((result.float() * torch.arange(1, result.numel() + 1, device=result.device).reshape(result.shape) / result.numel()).sum()
                    for result in results if result.is_floating_point())
        parameters = list(made.parameters())
        if parameters:
            found = torch.autograd.grad(total, parameters, retain_graph=True, allow_unused=True)
            results += [grad for grad in found if grad is not None]
        return results + list(made.buffers())

    return run


def working():
    """After a failed operator, torch_npu's queue drops all work: later results would be meaningless."""
    probe = torch.ones(2, device="npu") + 1
    assert probe.tolist() == [2.0, 2.0], "an operator failed before this test, and torch_npu has dropped all work since"


def compare(name, function, inputs, grad, tolerance):
    """Runs a case on both devices."""
    working()
    source = torch.Generator().manual_seed(zlib.crc32(name.encode()))
    made = [value.make(source) if isinstance(value, Recipe) else value for value in inputs]
    on_both(with_gradients(function) if grad else lambda *values: flat(function(*values)), *made, **tolerance)


class Table:
    """Cases of one file."""

    def __init__(self):
        self.cases = []

    def __call__(self, name, function, *inputs, grad=True, **tolerance):
        self.cases.append(pytest.param(name, function, inputs, grad, tolerance, id=name))

    def each(self, names, make, *inputs, **options):
        """A case for each name, whose function is `make(name)`."""
        for name in names.split():
            self(name, make(name), *inputs, **options)

    def test(self):
        names = [case.id for case in self.cases]
        twice = {name for name in names if names.count(name) > 1}
        assert not twice, f"cases with the same name: {twice}"

        @pytest.mark.parametrize("name, function, inputs, grad, tolerance", self.cases)
        def test(name, function, inputs, grad, tolerance):
            compare(name, function, inputs, grad, tolerance)

        return test
