"""Tensors that travel between processes: torch.multiprocessing with processes that are spawned."""

import os
import subprocess
import sys

import pytest

PROGRAM = r"""
import sys
import torch, torch_npu
import torch.multiprocessing as mp

def work(inbox, outbox, device):
    torch.npu.set_device(device)
    for number in range(3):
        tensor = inbox.get()
        assert tensor.device.type == "npu", tensor.device
        outbox.put((tensor.sum().item(), tensor.shape, tensor.stride()))
        # The sender sees what is written here.
        tensor.add_(1)
        torch.npu.synchronize()
        outbox.put("written")
        del tensor
    made = torch.arange(8, dtype=torch.float32, device=f"npu:{device}") * 2
    outbox.put(made)
    inbox.get()

def main(device):
    context = mp.get_context("spawn")
    inbox, outbox = context.Queue(), context.Queue()
    other = context.Process(target=work, args=(inbox, outbox, device))
    other.start()
    whole = torch.arange(4096, dtype=torch.float32, device="npu:0")
    for tensor in [whole, whole.view(64, 64).t(), whole[100:200]]:
        expected = tensor.sum().item()
        before = tensor.cpu()
        inbox.put(tensor)
        total, shape, stride = outbox.get(timeout=600)
        assert total == expected, (total, expected)
        assert (shape, stride) == (tensor.shape, tensor.stride())
        assert outbox.get(timeout=600) == "written"
        assert torch.equal(tensor.cpu(), before + 1)
    made = outbox.get(timeout=600)
    assert torch.equal(made.cpu(), torch.arange(8, dtype=torch.float32) * 2)
    del made
    inbox.put(None)
    other.join(600)
    assert other.exitcode == 0, other.exitcode
    print("travelled")

if __name__ == "__main__":
    main(int(sys.argv[1]))
"""


@pytest.mark.parametrize("expandable", [False, True])
def test_a_queue_sends_tensors(tmp_path, expandable):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "MILLPOND_DEVICES": "2"}
    if expandable:
        environment["PYTORCH_NPU_ALLOC_CONF"] = "expandable_segments:True"
    ran = subprocess.run(
        [sys.executable, str(program), "0"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert ran.returncode == 0 and "travelled" in ran.stdout, ran.stdout + ran.stderr
