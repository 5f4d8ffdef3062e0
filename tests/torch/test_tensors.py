"""Tensors: to the device and back in every type, views, strided copies and pinned memory."""

import copy

import numpy
import pytest
import torch

from support import on_both, same

TYPES = [
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.int8,
    torch.uint8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.bool,
]


def sample(dtype, *shape):
    if dtype.is_floating_point:
        return torch.randn(shape).to(dtype)
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, dtype=dtype)
    return torch.randint(0, 100, shape).to(dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0, 2), (7,), (5, 3), (2, 3, 4, 5)], ids=str)
def test_there_and_back(dtype, shape):
    host = sample(dtype, *shape)
    ours = host.to("npu")
    assert ours.is_npu and ours.device.type == "npu" and ours.dtype == dtype and ours.shape == host.shape
    back = ours.cpu()
    assert torch.equal(back, host)
    assert back.stride() == host.stride()


def test_values_that_are_no_numbers_travel():
    host = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 1e-45])
    assert torch.equal(host.npu().cpu().view(torch.int32), host.view(torch.int32))


def test_a_large_tensor():
    host = torch.arange(16 * 1024 * 1024, dtype=torch.int32)
    assert torch.equal(host.npu().cpu(), host)


@pytest.mark.parametrize("dtype", [d for d in TYPES if d is not torch.float64], ids=str)
def test_types_become_each_other(dtype):
    """torch_npu turns `.double()` on the device into float32, so that type is not tested."""
    host = sample(torch.float32, 40) * 10
    same(host.npu().to(dtype), host.to(dtype))
    same(host.npu().to("cpu", dtype), host.to(dtype))
    same(host.to(dtype).npu().float(), host.to(dtype).float())


VIEWS = {
    "transposed": lambda t: t.t(),
    "a column": lambda t: t[:, 3],
    "rows with steps": lambda t: t[1:9:3],
    "a window": lambda t: t[2:7, 1:5],
    "every second": lambda t: t[::2, ::2],
    "spread": lambda t: t[:, :1].expand(-1, 4),
    "diagonal": lambda t: t.diagonal(),
    "permuted": lambda t: t.view(2, 5, 8).permute(2, 0, 1),
    "as strided": lambda t: t.as_strided((3, 4), (7, 2), 5),
    "a dimension more": lambda t: t[:, None, :].transpose(0, 2),
    "unfolded": lambda t: t.flatten().unfold(0, 8, 4),
    "split": lambda t: torch.split(t, 3, dim=1)[1],
    "narrow": lambda t: t.narrow(1, 2, 3),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool], ids=str)
def test_views(view, dtype):
    host = sample(dtype, 10, 8)
    base = host.npu()
    ours = view(base)
    expected = view(host)
    assert ours.stride() == expected.stride() and ours.storage_offset() == expected.storage_offset()
    assert ours.untyped_storage().data_ptr() == base.untyped_storage().data_ptr()
    same(ours, expected)
    same(ours.contiguous(), expected.contiguous())
    same(ours.clone(), expected.clone())


# Writing through a view that contains an element twice is an error in PyTorch itself.
ONCE = {name: view for name, view in VIEWS.items() if name not in ("spread", "unfolded")}


@pytest.mark.parametrize("view", ONCE.values(), ids=ONCE.keys())
def test_writing_through_views(view):
    host = torch.randn(10, 8)
    base = host.npu()
    new = torch.randn(view(host).shape)
    view(host).copy_(new)
    view(base).copy_(new)  # from the host into a view
    same(base, host)
    view(host).mul_(2)
    view(base).mul_(2)
    same(base, host)
    view(host).copy_(new + 1)
    view(base).copy_((new + 1).npu())  # from the device into a view
    same(base, host)
    view(host).fill_(3)
    view(base).fill_(3)
    same(base, host)


def test_reading_a_view_into_host_memory_that_has_strides():
    host = torch.randn(6, 4)
    target = torch.zeros(4, 6)
    target.t().copy_(host.npu())
    same(target, host.t())


def test_assignment_by_index():
    def change(t):
        t = t.clone()
        t[1:3] = 5
        t[:, 2] = t[:, 0]
        t[t > 1] = -1
        t[torch.tensor([0, 3], device=t.device)] += 10
        t[-1, -1] = 7
        return t

    on_both(change, torch.randn(5, 6))


def test_new_tensors():
    for make in (
        lambda d: torch.zeros(3, 4, device=d),
        lambda d: torch.ones(3, dtype=torch.int32, device=d),
        lambda d: torch.full((2, 2), 7.5, device=d),
        lambda d: torch.arange(2, 20, 3, device=d),
        lambda d: torch.linspace(0, 1, 11, device=d),
        lambda d: torch.eye(4, device=d),
        lambda d: torch.tensor([[1, 2], [3, 4]], device=d),
        lambda d: torch.zeros(3, device=d).new_full((2,), 9),
        lambda d: torch.zeros_like(torch.empty(5, device=d)),
    ):
        same(make("npu"), make("cpu"))


def test_numbers_out_of_tensors():
    ours = torch.tensor([1.5, -2.0, 3.25]).npu()
    assert ours[1].item() == -2.0
    assert ours.tolist() == [1.5, -2.0, 3.25]
    assert bool((ours > 3).any())
    assert numpy.array_equal(ours.cpu().numpy(), numpy.array([1.5, -2.0, 3.25], dtype=numpy.float32))
    with pytest.raises(TypeError, match="cpu"):
        ours.numpy()


def test_printing():
    text = repr(torch.tensor([[1.0, 2.5], [float("inf"), -3.0]]).npu())
    assert "2.5" in text and "inf" in text and "device='npu:0'" in text
    assert "device='npu:0'" in repr(torch.arange(3).npu())
    assert "True" in repr(torch.tensor([True]).npu())


def test_copies_of_objects():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4)).npu()
    other = copy.deepcopy(model)
    with torch.no_grad():
        model[0].weight.zero_()
    assert other[0].weight.abs().sum().item() > 0
    same(other[1].running_var, torch.ones(4))


def test_pinned_memory():
    host = torch.randn(100, 100)
    pinned = host.pin_memory()
    assert pinned.is_pinned() and not host.is_pinned()
    assert torch.equal(pinned, host)
    ours = pinned.to("npu", non_blocking=True)
    back = torch.empty(100, 100, pin_memory=True)
    assert back.is_pinned()
    back.copy_(ours, non_blocking=True)
    torch.npu.synchronize()
    assert torch.equal(back, host)
    assert torch.zeros(3, pin_memory=True).tolist() == [0, 0, 0]


def test_pinned_memory_that_goes_while_a_copy_is_queued():
    """A new pinned tensor must not reuse memory that a queued copy still reads."""
    total = torch.zeros(256 * 1024, device="npu")
    for number in range(20):
        total += torch.full((256 * 1024,), float(number)).pin_memory().to("npu", non_blocking=True)
    assert torch.equal(total.cpu(), torch.full((256 * 1024,), float(sum(range(20)))))


def test_memory_that_is_not_pinned_may_change_after_a_copy():
    host = torch.ones(1000)
    ours = host.to("npu", non_blocking=True)
    torch.npu.synchronize()
    host.zero_()
    assert ours.sum().item() == 1000


def test_tensors_become_larger_and_smaller():
    ours = torch.arange(6.0).npu()
    ours.resize_(3)
    assert ours.tolist() == [0, 1, 2]
    ours.resize_(2, 4)
    assert ours.shape == (2, 4)
    assert ours.flatten()[:3].tolist() == [0, 1, 2]


def test_gradients_reach_the_host():
    host = torch.randn(4, requires_grad=True)
    (host.npu() * 3).sum().backward()
    assert host.grad.tolist() == [3, 3, 3, 3]
