"""Random numbers: reproducible by seed, and correctly distributed.

A seed gives other numbers than on the CPU: the device has different generators, as on every accelerator.
"""

import pytest
import torch

N = 200_000

MAKERS = {
    "rand": lambda: torch.rand(1000, device="npu"),
    "randn": lambda: torch.randn(1000, device="npu"),
    "randint": lambda: torch.randint(0, 1000, (1000,), device="npu"),
    "randperm": lambda: torch.randperm(1000, device="npu"),
    "bernoulli": lambda: torch.bernoulli(torch.full((1000,), 0.5, device="npu")),
    "multinomial": lambda: torch.multinomial(torch.ones(100, device="npu"), 50, replacement=True),
    "uniform_": lambda: torch.empty(1000, device="npu").uniform_(-2, 3),
    "normal_": lambda: torch.empty(1000, device="npu").normal_(5, 2),
    "dropout": lambda: torch.nn.functional.dropout(torch.ones(1000, device="npu"), 0.5),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_the_same_seed_gives_the_same_numbers(make):
    torch.manual_seed(5)
    first, second = make().cpu(), make().cpu()
    assert not torch.equal(first, second)
    torch.npu.manual_seed(5)
    assert torch.equal(make().cpu(), first)
    assert torch.equal(make().cpu(), second)
    torch.npu.manual_seed_all(6)
    assert not torch.equal(make().cpu(), first)


def test_the_state_of_the_generator():
    torch.manual_seed(3)
    torch.randn(10, device="npu")
    state = torch.npu.get_rng_state()
    first = torch.randn(100, device="npu").cpu()
    torch.npu.set_rng_state(state)
    assert torch.equal(torch.randn(100, device="npu").cpu(), first)
    assert torch.npu.initial_seed() == 3
    assert len(torch.npu.get_rng_state_all()) == 2


def test_devices_have_generators_of_their_own():
    torch.npu.manual_seed_all(9)
    first = torch.rand(50, device="npu:0").cpu()
    torch.rand(50, device="npu:0")
    assert torch.equal(torch.rand(50, device="npu:1").cpu(), first)


def test_a_generator_of_ones_own():
    generator = torch.Generator(device="npu").manual_seed(11)
    first = torch.rand(100, device="npu", generator=generator).cpu()
    state = generator.get_state()
    second = torch.rand(100, device="npu", generator=generator).cpu()
    generator.set_state(state)
    assert torch.equal(torch.rand(100, device="npu", generator=generator).cpu(), second)
    generator.manual_seed(11)
    assert torch.equal(torch.rand(100, device="npu", generator=generator).cpu(), first)


def test_states_come_back_after_a_fork_of_the_generators():
    torch.manual_seed(1)
    before = torch.npu.get_rng_state()
    with torch.random.fork_rng(devices=[0], device_type="npu"):
        torch.rand(100, device="npu")
    assert torch.equal(torch.npu.get_rng_state(), before)


def test_uniform_numbers():
    x = torch.rand(N, device="npu").cpu()
    assert 0 <= x.min() and x.max() < 1
    assert abs(x.mean() - 0.5) < 0.005
    counts = torch.histc(x, 10, 0, 1)
    assert (counts - N / 10).abs().max() < 6 * (N / 10 * 0.9) ** 0.5
    assert len(x.unique()) > 0.95 * N
    y = torch.empty(N, device="npu").uniform_(-2, 3).cpu()
    assert -2 <= y.min() and y.max() <= 3 and abs(y.mean() - 0.5) < 0.02


def test_normal_numbers():
    x = torch.randn(N, device="npu").cpu()
    assert abs(x.mean()) < 0.015 and abs(x.std() - 1) < 0.015
    assert abs((x**3).mean()) < 0.05 and abs((x**4).mean() - 3) < 0.15
    assert x.max() > 3.5 and x.min() < -3.5
    y = torch.normal(4.0, 0.5, (N,), device="npu").cpu()
    assert abs(y.mean() - 4) < 0.01 and abs(y.std() - 0.5) < 0.01


def test_whole_numbers():
    """Not tested for negative bounds: torch_npu draws a real number and rounds it towards zero, so 0 is twice as likely
    as other numbers and the lowest never occurs."""
    x = torch.randint(3, 13, (N,), device="npu").cpu()
    assert x.dtype == torch.int64
    assert x.min() == 3 and x.max() == 12
    counts = torch.bincount(x - 3)
    assert (counts - N / 10).abs().max() < 6 * (N / 10 * 0.9) ** 0.5


def test_permutations():
    x = torch.randperm(1000, device="npu").cpu()
    assert torch.equal(x.sort().values, torch.arange(1000))
    assert not torch.equal(x, torch.arange(1000))
    firsts = torch.stack([torch.randperm(4, device="npu") for _ in range(400)]).cpu()
    assert all(50 < (firsts[:, 0] == value).sum() < 150 for value in range(4))


def test_coins():
    x = torch.bernoulli(torch.full((N,), 0.3, device="npu")).cpu()
    assert set(x.unique().tolist()) == {0.0, 1.0}
    assert abs(x.mean() - 0.3) < 0.006
    y = torch.empty(N, device="npu").bernoulli_(0.8).cpu()
    assert abs(y.mean() - 0.8) < 0.006


def test_choices():
    weights = torch.tensor([0.1, 0.0, 0.6, 0.3])
    x = torch.multinomial(weights.npu(), 20_000, replacement=True).cpu()
    shares = torch.bincount(x, minlength=4) / 20_000
    assert shares[1] == 0
    assert (shares - weights).abs().max() < 0.02
    y = torch.multinomial(weights.npu(), 3, replacement=False).cpu()
    assert sorted(y.tolist()) == [0, 2, 3]
    rows = torch.multinomial(torch.eye(5).npu(), 2, replacement=True).cpu()
    assert torch.equal(rows, torch.arange(5)[:, None].expand(5, 2))


def test_dropout():
    layer = torch.nn.Dropout(0.25)
    x = torch.ones(N, device="npu", requires_grad=True)
    y = layer(x)
    values = y.detach().cpu()
    assert torch.allclose(values[values != 0], torch.tensor(1 / 0.75))
    assert abs((values == 0).float().mean() - 0.25) < 0.006
    y.sum().backward()
    # The gradient uses the same mask as the forward pass.
    assert torch.equal(x.grad.cpu() != 0, values != 0)
    assert torch.equal(layer.eval()(x).cpu(), torch.ones(N))
    assert torch.equal(torch.nn.functional.dropout(x, 1.0).cpu(), torch.zeros(N))
    assert torch.equal(torch.nn.functional.dropout(x, 0.0).cpu(), torch.ones(N))


def test_training_with_dropout_is_repeatable():
    def train():
        torch.manual_seed(4)
        model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Dropout(0.5), torch.nn.Linear(32, 1)).npu()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x = torch.randn(16, 8, device="npu")
        losses = []
        for _ in range(4):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    assert train() == train()
