"""Devices: their number and properties, and work on the second device."""

import pytest
import torch

from support import same, script


def test_two_devices_are_there():
    assert torch.npu.is_available()
    assert torch.npu.device_count() == 2
    assert torch.accelerator.current_accelerator().type == "npu"


def test_properties():
    properties = torch.npu.get_device_properties(1)
    assert properties.name == torch.npu.get_device_name(1) == "Ascend910B2"
    free, total = torch.npu.mem_get_info(1)
    assert 0 < free <= total
    assert properties.total_memory == total


def test_the_current_device():
    assert torch.npu.current_device() == 0
    torch.npu.set_device(1)
    try:
        assert torch.npu.current_device() == 1
        assert torch.ones(2, device="npu").device == torch.device("npu:1")
        with torch.npu.device(0):
            assert torch.ones(2).npu().device == torch.device("npu:0")
        assert torch.npu.current_device() == 1
    finally:
        torch.npu.set_device("npu:0")
    with torch.npu.device_of(torch.ones(1, device="npu:1")):
        assert torch.npu.current_device() == 1
    assert torch.npu.current_device() == 0


def test_a_device_that_is_not_there():
    with pytest.raises(RuntimeError, match="(?i)invalid|device"):
        torch.ones(1, device="npu:7")
    same(torch.ones(1, device="npu:1"), torch.ones(1))


def test_copies_between_devices():
    host = torch.randn(1000, 33)
    first = host.to("npu:0")
    second = first.to("npu:1")
    assert second.device == torch.device("npu:1")
    same(second, host)
    same(second.t().to("npu:0"), host.t())
    target = torch.zeros(33, 1000, device="npu:0")
    target.t().copy_(second, non_blocking=True)
    same(target, host.t())


def test_work_on_the_second_device():
    a, b = torch.randn(20, 30), torch.randn(30, 10)
    ours = torch.relu(a.to("npu:1") @ b.to("npu:1"))
    assert ours.device == torch.device("npu:1")
    same(ours, torch.relu(a @ b))


def test_tensors_of_two_devices_do_not_mix():
    with pytest.raises(RuntimeError, match="same device"):
        torch.matmul(torch.ones(2, 2, device="npu:0"), torch.ones(2, 2, device="npu:1"))


def test_devices_know_each_other():
    assert torch.npu.can_device_access_peer(0, 1)


def test_training_in_two_parts_on_two_devices():
    """A model split across two devices: gradients flow back between them."""
    first, second = torch.nn.Linear(8, 16), torch.nn.Linear(16, 4)
    x = torch.randn(5, 8)
    cpu = second(torch.tanh(first(x))).square().sum()
    cpu.backward()
    expected = [p.grad.clone() for p in (*first.parameters(), *second.parameters())]
    first.zero_grad(), second.zero_grad()
    first.to("npu:0"), second.to("npu:1")
    loss = second(torch.tanh(first(x.to("npu:0"))).to("npu:1")).square().sum()
    loss.backward()
    same([p.grad for p in (*first.parameters(), *second.parameters())], expected)


def test_a_machine_without_devices():
    ended = script(
        "import torch, torch_npu; print(torch.npu.is_available(), torch.npu.device_count())",
        env={"MILLPOND_DEVICES": "0"},
    )
    assert ended.status == 0, ended
    assert ended.out.split() == ["False", "0"]
