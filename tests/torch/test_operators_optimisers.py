"""Every optimiser of torch.optim computes the same steps as on the CPU."""

import pytest
import torch
from support import same

OPTIMISERS = [
    ("SGD", dict(lr=0.1)),
    ("SGD", dict(lr=0.1, momentum=0.9, weight_decay=0.01)),
    ("SGD", dict(lr=0.1, momentum=0.9, nesterov=True)),
    ("Adam", dict(lr=0.01)),
    ("Adam", dict(lr=0.01, amsgrad=True, weight_decay=0.01)),
    ("AdamW", dict(lr=0.01)),
    ("AdamW", dict(lr=0.01, amsgrad=True)),
    ("RMSprop", dict(lr=0.01)),
    ("RMSprop", dict(lr=0.01, momentum=0.9, centered=True)),
    ("Adagrad", dict(lr=0.1)),
    ("Adadelta", dict(lr=1.0)),
    ("Adamax", dict(lr=0.01)),
    ("NAdam", dict(lr=0.01)),
    ("RAdam", dict(lr=0.01)),
    ("ASGD", dict(lr=0.1)),
    ("Rprop", dict(lr=0.01)),
]


def trained(device, name, options, steps=8):
    """The parameters of a small regression after some steps, and the state of the optimiser."""
    torch.manual_seed(1)
    weight, bias = torch.randn(4, 3), torch.randn(3)
    x, y = torch.randn(16, 4).to(device), torch.randn(16, 3).to(device)
    parameters = [torch.nn.Parameter(value.to(device)) for value in (weight, bias)]
    optimiser = getattr(torch.optim, name)(parameters, **options)
    losses = []
    for _ in range(steps):
        optimiser.zero_grad()
        loss = ((x @ parameters[0] + parameters[1] - y) ** 2).mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.detach())
    state = [
        value
        for parameter in parameters
        for _, value in sorted(optimiser.state[parameter].items())
        if isinstance(value, torch.Tensor) and value.dim()
    ]
    return losses + parameters + state


@pytest.mark.parametrize("foreach", [False, True], ids=["one by one", "foreach"])
@pytest.mark.parametrize("name, options", OPTIMISERS, ids=[" ".join([name, *options]) for name, options in OPTIMISERS])
def test_steps(name, options, foreach):
    cpu = trained("cpu", name, {**options, "foreach": foreach})
    ours = trained("npu", name, {**options, "foreach": foreach})
    same(ours, cpu, rtol=1e-3, atol=1e-4)
