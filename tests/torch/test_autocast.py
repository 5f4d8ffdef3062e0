"""Mixed precision: the types of results, and a scaler that skips steps with infinite gradients."""

import pytest
import torch
import torch.nn.functional as F

from support import same

HALVES = [torch.float16, torch.bfloat16]


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_types_of_results(dtype):
    x, w = torch.randn(8, 16), torch.randn(16, 4)
    with torch.autocast("npu", dtype):
        product = x.npu() @ w.npu()
        assert product.dtype == dtype
        assert (product.float() + 1).dtype == torch.float32
        # Operations that would lose small differences stay in float32.
        assert F.softmax(product, -1).dtype == torch.float32
        assert F.mse_loss(product, product * 0).dtype == torch.float32
        with torch.autocast("npu", enabled=False):
            assert (x.npu() @ w.npu()).dtype == torch.float32
    assert (x.npu() @ w.npu()).dtype == torch.float32
    same(product, (x.to(dtype) @ w.to(dtype)), rtol=2e-2, atol=2e-2)


def test_the_default_type_and_the_older_names():
    a = torch.ones(2, 2, device="npu")
    with torch.npu.amp.autocast():
        assert (a @ a).dtype == torch.float16
    with torch.npu.amp.autocast(dtype=torch.bfloat16):
        assert (a @ a).dtype == torch.bfloat16
    with torch.autocast(device_type="npu"):
        assert torch.is_autocast_enabled("npu")
    assert not torch.is_autocast_enabled("npu")


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_gradients(dtype):
    torch.manual_seed(2)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.LayerNorm(32), torch.nn.Linear(32, 4))
    x, classes = torch.randn(8, 16), torch.randint(0, 4, (8,))

    def gradients(device):
        model.to(device)
        model.zero_grad()
        with torch.autocast(device, dtype):
            loss = F.cross_entropy(model(x.to(device)), classes.to(device))
        loss.backward()
        # Parameters stay float32, and so do their gradients.
        assert all(p.grad.dtype == torch.float32 for p in model.parameters())
        return [loss.detach().cpu()] + [p.grad.cpu().clone() for p in model.parameters()]

    cpu = gradients("cpu")
    same(gradients("npu"), cpu, rtol=0.05, atol=0.02)


SCALERS = {
    "torch.amp": lambda **options: torch.amp.GradScaler("npu", **options),
    "torch.npu.amp": lambda **options: torch.npu.amp.GradScaler(**options),
}


@pytest.mark.parametrize("make", SCALERS.values(), ids=SCALERS.keys())
def test_a_scaler_steps_over_infinite_gradients(make):
    weight = torch.nn.Parameter(torch.ones(4, device="npu"))
    optimizer = torch.optim.SGD([weight], lr=0.5)
    scaler = make(init_scale=1024.0, growth_interval=2)

    def step(factor):
        optimizer.zero_grad()
        scaler.scale((weight * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        return weight.detach().cpu().tolist(), scaler.get_scale()

    assert step(1.0) == ([0.5] * 4, 1024.0)
    # Overflows the gradient's type: the step is skipped and the scale halved.
    assert step(float("inf")) == ([0.5] * 4, 512.0)
    assert step(float("nan")) == ([0.5] * 4, 256.0)
    assert step(1.0) == ([0.0] * 4, 256.0)
    # Two good steps in a row: the scale grows.
    assert step(1.0) == ([-0.5] * 4, 512.0)


@pytest.mark.parametrize("make", SCALERS.values(), ids=SCALERS.keys())
def test_a_scaler_and_float16_that_overflows(make):
    """Gradients are infinite only because of the scale: the scaler finds a scale that works."""
    layer = torch.nn.Linear(8, 1).npu()
    optimizer = torch.optim.SGD(layer.parameters(), lr=1e-3)
    scaler = make(init_scale=2.0**24)
    before = layer.weight.detach().clone()
    x = torch.ones(4, 8, device="npu")
    for _ in range(20):
        optimizer.zero_grad()
        with torch.autocast("npu", torch.float16):
            loss = layer(x).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        if not torch.equal(layer.weight, before):
            break
        assert scaler.get_scale() < 2.0**24
    assert torch.isfinite(layer.weight).all()
    assert not torch.equal(layer.weight, before)
    assert scaler.get_scale() < 2.0**17


def test_unscaled_gradients_can_be_clipped():
    weight = torch.nn.Parameter(torch.ones(4, device="npu"))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("npu", init_scale=256.0)
    scaler.scale((weight * 3).sum()).backward()
    scaler.unscale_(optimizer)
    assert weight.grad.tolist() == [3, 3, 3, 3]
    norm = torch.nn.utils.clip_grad_norm_([weight], 3.0)
    assert norm.item() == pytest.approx(6.0)
    scaler.step(optimizer)
    scaler.update()
    same(weight, torch.full((4,), -0.5))


def test_the_state_of_a_scaler():
    scaler = torch.amp.GradScaler("npu", init_scale=128.0)
    weight = torch.nn.Parameter(torch.ones(1, device="npu"))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler.scale(weight.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    other = torch.amp.GradScaler("npu")
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 128.0
    assert other.state_dict()["_growth_tracker"] == 1
