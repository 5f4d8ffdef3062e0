"""Loading data with worker processes, pinned memory, and forked processes."""

import os
from multiprocessing import util

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from support import same


class Squares(torch.utils.data.Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        return torch.tensor([index, index * index], dtype=torch.float32), index % 4


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("pinned", [False, True])
def test_loaders(workers, pinned):
    """The device is in use when the workers are forked; the workers do not use it."""
    weight = torch.randn(2, 3)
    ours_weight = weight.npu()
    loader = DataLoader(Squares(), batch_size=10, num_workers=workers, pin_memory=pinned)
    seen = 0
    for numbers, classes in loader:
        assert numbers.is_pinned() == pinned
        ours = numbers.to("npu", non_blocking=True) @ ours_weight
        same(ours, numbers @ weight, rtol=1e-4, atol=1e-2)
        assert classes.to("npu", non_blocking=True).sum().item() == classes.sum().item()
        seen += len(numbers)
    assert seen == 40


def test_workers_that_stay():
    loader = DataLoader(Squares(), batch_size=8, num_workers=2, pin_memory=True, persistent_workers=True, shuffle=True)
    for _ in range(3):
        total = sum(numbers.npu(non_blocking=True)[:, 0].sum().item() for numbers, _ in loader)
        assert total == sum(range(40))


def test_a_loader_of_tensors_on_the_device():
    data = TensorDataset(torch.arange(12.0).npu(), torch.arange(12).npu())
    total = sum(numbers.sum().item() for numbers, _ in DataLoader(data, batch_size=5))
    assert total == sum(range(12))


def in_child(function):
    """Returns the result of a function in a forked process, or its error."""
    context = torch.multiprocessing.get_context("fork")
    queue = context.SimpleQueue()

    def run():
        try:
            queue.put(function())
        except RuntimeError as error:
            queue.put(str(error))

    process = context.Process(target=run)
    process.start()
    process.join(60)
    alive = process.is_alive()
    if alive:
        process.kill()
    assert not alive and process.exitcode == 0
    return queue.get()


def test_a_child_that_does_not_use_the_device():
    x = torch.ones(1000, device="npu")
    assert in_child(lambda: torch.ones(100, 100).mul(2).sum().item()) == 20000
    assert (x + 1).sum().item() == 2000  # the parent still works


@pytest.mark.parametrize("use", [lambda: torch.ones(10).npu(), lambda: torch.npu.set_device(0)])
def test_a_child_that_uses_the_device_is_told_so(use):
    """torch_npu reports this after a fork by `multiprocessing`. It does not notice a bare os.fork, and its launch queue
    then waits for a thread that does not exist in the child."""
    x = torch.ones(10, device="npu")
    said = in_child(use)
    assert "Cannot re-initialize NPU in forked subprocess" in said and "spawn" in said
    assert (x + 1).sum().item() == 20


def test_a_bare_fork_that_ends_in_the_usual_way():
    """A child that runs its parent's exit handlers must not wait for threads that exist only in the parent."""
    torch.ones(1000, device="npu").sum().item()
    child = os.fork()
    if child == 0:
        util._exit_function()  # what `multiprocessing` does at the end of a child
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def work(rank, queue):
    """The device works in a spawned process."""
    x = torch.full((10,), float(rank + 1), device="npu")
    queue.put(x.sum().item())


def test_a_process_that_was_spawned_has_devices():
    context = torch.multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    process = context.Process(target=work, args=(2, queue))
    process.start()
    process.join(120)
    assert process.exitcode == 0
    assert queue.get() == 30.0
