"""torch.save and torch.load: tensors, models and optimisers, to and from the device."""

import io

import pytest
import torch

from support import same


def saved(value):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return file


def test_a_tensor_comes_back_to_the_device():
    """Up to 2.7, tensors are loaded to the current device: torch_npu did not save the device index."""
    host = torch.randn(30, 20)
    back = torch.load(saved(host.npu()))
    assert back.device == torch.device("npu:0")
    same(back, host)
    with torch.npu.device(1):
        back = torch.load(saved(host.to("npu:0")))
    keeps = torch.__version__ >= (2, 9)  # torch compares versions, not texts
    assert back.device == torch.device("npu:0" if keeps else "npu:1")
    same(back, host)


@pytest.mark.parametrize("place", ["cpu", torch.device("cpu")], ids=str)
def test_tensors_of_the_device_to_the_host(place):
    """torch_npu ignores functions and dictionaries as map_location for tensors on the device."""
    host = torch.arange(12).reshape(3, 4)
    back = torch.load(saved(host.npu()), map_location=place)
    assert back.device == torch.device("cpu")
    same(back, host)


@pytest.mark.parametrize("place", ["npu", "npu:1", {"cpu": "npu:0"}])
def test_tensors_of_the_host_to_the_device(place):
    host = torch.randn(5)
    back = torch.load(saved(host), map_location=place)
    assert back.device.type == "npu"
    same(back, host)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int64, torch.bool, torch.uint8], ids=str)
def test_types(dtype):
    host = torch.tensor([0, 1, 1, 0, 1]).to(dtype)
    assert torch.equal(torch.load(saved(host.npu())).cpu(), host)


def test_views_keep_their_contents():
    """They no longer share memory after loading: torch_npu saves each device tensor separately."""
    base = torch.arange(10.0).npu()
    both = torch.load(saved({"base": base, "part": base[2:5], "turned": base.view(2, 5).t()}))
    assert both["base"].tolist() == list(range(10))
    assert both["part"].tolist() == [2, 3, 4]
    same(both["turned"], torch.arange(10.0).view(2, 5).t())


def test_files(tmp_path):
    host = torch.randn(1000)
    torch.save(host.npu(), tmp_path / "tensor.pt")
    same(torch.load(tmp_path / "tensor.pt", map_location="cpu"), host)
    same(torch.load(tmp_path / "tensor.pt", map_location="npu", weights_only=True), host)


def test_training_goes_on_where_it_was(tmp_path):
    """A checkpoint from the device, loaded on both devices: the next steps are the same."""

    def build(device):
        model = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.BatchNorm1d(12), torch.nn.Linear(12, 2)).to(device)
        return model, torch.optim.AdamW(model.parameters(), lr=0.01)

    def step(model, optimizer, x):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    x = torch.randn(8, 6)
    model, optimizer = build("npu")
    for _ in range(3):
        step(model, optimizer, x.npu())
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "checkpoint.pt")
    expected = [step(model, optimizer, x.npu()) for _ in range(3)]

    for device in ("npu", "cpu"):
        checkpoint = torch.load(tmp_path / "checkpoint.pt", map_location=device)
        model, optimizer = build(device)
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        again = [step(model, optimizer, x.to(device)) for _ in range(3)]
        assert again == pytest.approx(expected, rel=1e-4)
