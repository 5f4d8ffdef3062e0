"""Every operation of torch.distributed, with the results computed on the CPU."""

import functools
import os

import torch
import torch.distributed as dist
from common import DEVICE, RANK, RANKS, of_all, run, same, values

KINDS = [torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int32, torch.int64]
LAST = RANKS - 1
NEXT, BEFORE = (RANK + 1) % RANKS, (RANK - 1) % RANKS


def mine(*shape, kind=torch.float32, seed=0):
    return values(RANK, *shape, kind=kind, seed=seed).to(DEVICE)


def empty(*shape, kind=torch.float32):
    """Memory with a value that no result has."""
    return torch.full(shape, 99, dtype=kind, device=DEVICE)


def all_reduce():
    for kind in KINDS:
        for op, function in [
            (dist.ReduceOp.SUM, torch.add),
            (dist.ReduceOp.MAX, torch.maximum),
            (dist.ReduceOp.MIN, torch.minimum),
            (dist.ReduceOp.PRODUCT, torch.mul),
        ]:
            if op == dist.ReduceOp.PRODUCT and kind == torch.bfloat16:
                continue  # refused, see failures.py
            x = mine(3, 5, kind=kind)
            dist.all_reduce(x, op)
            same(x, functools.reduce(function, of_all(3, 5, kind=kind)))
    x = mine(4)
    dist.all_reduce(x, dist.ReduceOp.AVG)
    same(x, sum(of_all(4)) / RANKS, rtol=1e-6)
    truth = mine(6) > 0
    dist.all_reduce(truth)
    same(truth, torch.stack(of_all(6)).gt(0).any(0))
    small = mine(6).abs().to(torch.uint8)
    dist.all_reduce(small)
    same(small, sum(each.abs().to(torch.uint8) for each in of_all(6)))


def all_reduce_of_a_large_tensor():
    shape = 3, 700_001  # more than one round, and not a multiple of anything
    x = mine(*shape)
    dist.all_reduce(x)
    same(x, sum(of_all(*shape)))


def all_reduce_of_nothing_and_of_one():
    x = torch.empty(0, device=DEVICE)
    dist.all_reduce(x)
    assert x.numel() == 0
    x = torch.tensor(RANK + 1.0, device=DEVICE)
    dist.all_reduce(x)
    assert x.item() == RANKS * (RANKS + 1) / 2


def all_reduce_of_a_view():
    x = mine(4, 6)
    dist.all_reduce(x[1:3])
    expected = values(RANK, 4, 6)
    expected[1:3] = sum(of_all(4, 6))[1:3]
    same(x, expected)


def reduce():
    for root in (0, LAST):
        x = mine(7, seed=root)
        dist.reduce(x, root)
        if RANK == root:
            same(x, sum(of_all(7, seed=root)))


def broadcast():
    for kind in [*KINDS, torch.bool, torch.uint8, torch.float64]:
        for root in (0, LAST):
            x = mine(5, kind=kind, seed=root)
            dist.broadcast(x, root)
            same(x, values(root, 5, kind=kind, seed=root))


def all_gather():
    for kind in [*KINDS, torch.bool]:
        parts = [empty(2, 3, kind=kind) for _ in range(RANKS)]
        dist.all_gather(parts, mine(2, 3, kind=kind))
        for part, expected in zip(parts, of_all(2, 3, kind=kind)):
            same(part, expected)


def all_gather_of_uneven_parts():
    parts = [empty(rank + 1, 3) for rank in range(RANKS)]
    dist.all_gather(parts, mine(RANK + 1, 3))
    for rank, part in enumerate(parts):
        same(part, values(rank, rank + 1, 3))


def all_gather_into_tensor():
    whole = empty(RANKS * 2, 3)
    dist.all_gather_into_tensor(whole, mine(2, 3))
    same(whole, torch.cat(of_all(2, 3)))
    # In place, as FSDP does it.
    whole = empty(RANKS * 4)
    part = whole.narrow(0, RANK * 4, 4)
    part.copy_(mine(4))
    dist.all_gather_into_tensor(whole, part)
    same(whole, torch.cat(of_all(4)))


def reduce_scatter():
    part = empty(3)
    dist.reduce_scatter(part, list(mine(RANKS, 3)))
    same(part, sum(of_all(RANKS, 3))[RANK])


def reduce_scatter_tensor():
    for op in (dist.ReduceOp.SUM, dist.ReduceOp.AVG, dist.ReduceOp.MAX):
        part = empty(2, 3)
        dist.reduce_scatter_tensor(part, mine(RANKS * 2, 3), op)
        every = torch.stack(of_all(RANKS * 2, 3))
        expected = every.amax(0) if op == dist.ReduceOp.MAX else every.sum(0)
        if op == dist.ReduceOp.AVG:
            expected /= RANKS
        same(part, expected[RANK * 2 : RANK * 2 + 2], rtol=1e-6)
    # In place, as FSDP does it.
    whole = mine(RANKS * 4)
    part = whole.narrow(0, RANK * 4, 4)
    dist.reduce_scatter_tensor(part, whole)
    same(part, sum(of_all(RANKS * 4))[RANK * 4 : RANK * 4 + 4])


def gather():
    for root in (0, LAST):
        parts = [empty(3) for _ in range(RANKS)] if RANK == root else None
        dist.gather(mine(3), parts, dst=root)
        for part, expected in zip(parts or [], of_all(3)):
            same(part, expected)


def scatter():
    for root in (0, LAST):
        part = empty(3)
        parts = list(mine(RANKS, 3)) if RANK == root else None
        dist.scatter(part, parts, src=root)
        same(part, values(root, RANKS, 3)[RANK])


def all_to_all():
    parts = [empty(2) for _ in range(RANKS)]
    dist.all_to_all(parts, list(mine(RANKS, 2)))
    for part, whole in zip(parts, of_all(RANKS, 2)):
        same(part, whole[RANK])


def all_to_all_of_uneven_parts():
    # Rank i sends i + j elements to rank j; nothing from rank 0 to itself.
    sends = [values(RANK, RANK + rank, seed=rank).to(DEVICE) for rank in range(RANKS)]
    parts = [empty(rank + RANK) for rank in range(RANKS)]
    dist.all_to_all(parts, sends)
    for rank, part in enumerate(parts):
        same(part, values(rank, rank + RANK, seed=RANK))


def all_to_all_single():
    whole = empty(RANKS * 2, 3)
    dist.all_to_all_single(whole, mine(RANKS * 2, 3))
    same(whole, torch.cat([each[RANK * 2 : RANK * 2 + 2] for each in of_all(RANKS * 2, 3)]))


def all_to_all_single_with_uneven_splits():
    sizes = [RANK + rank for rank in range(RANKS)]
    whole = empty(sum(sizes), 2)
    dist.all_to_all_single(whole, mine(sum(sizes), 2), sizes, sizes)
    expected = []
    for rank in range(RANKS):
        theirs = [rank + other for other in range(RANKS)]
        start = sum(theirs[:RANK])
        expected.append(values(rank, sum(theirs), 2)[start : start + theirs[RANK]])
    same(whole, torch.cat(expected))


def all_to_all_single_to_one_rank():
    # As experts do: everything goes to the last rank.
    sends = [3 if rank == LAST else 0 for rank in range(RANKS)]
    receives = [3 if RANK == LAST else 0] * RANKS
    whole = empty(sum(receives))
    dist.all_to_all_single(whole, mine(3), receives, sends)
    if RANK == LAST:
        same(whole, torch.cat(of_all(3)))


def send_and_receive():
    # Around the ring, one after the other.
    x = empty(4)
    if RANK == 0:
        dist.send(mine(4), NEXT)
        dist.recv(x, BEFORE)
        same(x, values(0, 4) + RANKS - 1)
    else:
        dist.recv(x, BEFORE)
        dist.send(x + 1, NEXT)


def several_messages_to_one_rank():
    if RANK > 1:
        return
    for number in range(5):
        x = empty(3)
        if RANK == 0:
            dist.send(mine(3, seed=number), 1, tag=number)
        else:
            dist.recv(x, 0, tag=number)
            same(x, values(0, 3, seed=number))


def batch_isend_irecv():
    x = empty(100_001)
    operations = [dist.P2POp(dist.isend, mine(100_001), NEXT), dist.P2POp(dist.irecv, x, BEFORE)]
    if RANK % 2:
        operations.reverse()
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    same(x, values(BEFORE, 100_001))


def barrier():
    for _ in range(3):
        dist.barrier()
    dist.barrier(device_ids=[int(os.environ["LOCAL_RANK"])])


def asynchronous():
    tensors = [mine(1000, seed=number) for number in range(8)]
    works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
    # Work of the stream that does not depend on them.
    other = mine(64, 64) @ mine(64, 64)
    for work, tensor, number in zip(works, tensors, range(8)):
        work.wait()
        same(tensor, sum(of_all(1000, seed=number)))
        assert work.is_completed()
    same(other, values(RANK, 64, 64) @ values(RANK, 64, 64))


def asynchronous_results_are_used_on_the_device():
    # wait() orders the streams; the host waits only at the end.
    x = mine(1000)
    for _ in range(4):
        dist.all_reduce(x, async_op=True).wait()
        x /= RANKS
    same(x, sum(of_all(1000)) / RANKS, rtol=1e-6)


def on_a_stream():
    side = torch.npu.Stream()
    x = mine(1000)
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        dist.all_reduce(x)
        y = x * 2
    torch.npu.current_stream().wait_stream(side)
    y.record_stream(torch.npu.current_stream())
    same(y + 1, sum(of_all(1000)) * 2 + 1)


def coalesced():
    tensors = [mine(size, seed=size) for size in (1, 10, 100)]
    with dist._coalescing_manager(device=torch.device(DEVICE)):
        for tensor in tensors:
            dist.all_reduce(tensor)
    for tensor, size in zip(tensors, (1, 10, 100)):
        same(tensor, sum(of_all(size, seed=size)))


def functional():
    from torch.distributed import _functional_collectives as functions

    world = dist.group.WORLD
    same(functions.all_reduce(mine(5), "sum", world).wait(), sum(of_all(5)))
    same(functions.all_gather_tensor(mine(2, 3), 0, world), torch.cat(of_all(2, 3)))
    part = functions.reduce_scatter_tensor(mine(RANKS, 3), "sum", 0, world)
    same(part, sum(of_all(RANKS, 3))[RANK : RANK + 1])


def objects():
    mine_too = {"rank": RANK, "text": "x" * (10 * RANK), "list": [RANK] * RANK}

    def theirs(rank):
        return {"rank": rank, "text": "x" * (10 * rank), "list": [rank] * rank}

    every = [None] * RANKS
    dist.all_gather_object(every, mine_too)
    assert every == [theirs(rank) for rank in range(RANKS)]
    values_ = [mine_too, RANK] if RANK == LAST else [None, None]
    dist.broadcast_object_list(values_, src=LAST)
    assert values_ == [theirs(LAST), LAST]
    taken = [None]
    dist.scatter_object_list(taken, [theirs(rank) for rank in range(RANKS)] if RANK == 0 else None, src=0)
    assert taken == [mine_too]
    gathered = [None] * RANKS if RANK == 0 else None
    dist.gather_object(mine_too, gathered, dst=0)
    assert gathered is None or gathered == [theirs(rank) for rank in range(RANKS)]
    if RANK < 2:
        sent = [mine_too, 3]
        if RANK == 0:
            dist.send_object_list(sent, dst=1)
        else:
            received = [None, None]
            dist.recv_object_list(received, src=0)
            assert received == [theirs(0), 3]


def groups():
    for ranks in ([0], [LAST], list(range(RANKS)), list(range(0, RANKS, 2)), list(range(1, RANKS, 2))):
        group = dist.new_group(ranks)
        if RANK not in ranks:
            continue
        assert dist.get_world_size(group) == len(ranks)
        x = mine(5)
        dist.all_reduce(x, group=group)
        same(x, sum(values(rank, 5) for rank in ranks))
        dist.broadcast(x, ranks[-1], group=group)
        whole = empty(5 * len(ranks))
        dist.all_gather_into_tensor(whole, mine(5), group=group)
        same(whole, torch.cat([values(rank, 5) for rank in ranks]))
        dist.destroy_process_group(group)
    # Two groups at a time, in different orders on the streams but in the same order on each rank.
    one, two = dist.new_group(), dist.new_group()
    x, y = mine(5), mine(5, seed=1)
    works = [dist.all_reduce(x, group=one, async_op=True), dist.all_reduce(y, group=two, async_op=True)]
    for work in reversed(works):
        work.wait()
    same(x, sum(of_all(5)))
    same(y, sum(of_all(5, seed=1)))


def subgroups():
    group, _ = dist.new_subgroups(max(1, RANKS // 2))
    size = dist.get_world_size(group)
    first = RANK // size * size
    x = mine(5)
    dist.all_reduce(x, group=group)
    same(x, sum(values(rank, 5) for rank in range(first, first + size)))


def both_backends():
    group = dist.new_group(backend="gloo")
    x = values(RANK, 5)
    dist.all_reduce(x, group=group)
    same(x, sum(of_all(5)))
    dist.monitored_barrier(group)


def many_in_a_row():
    x = mine(10)
    for _ in range(100):
        dist.all_reduce(x, dist.ReduceOp.MAX)
    same(x, torch.stack(of_all(10)).amax(0))


run([
    all_reduce,
    all_reduce_of_a_large_tensor,
    all_reduce_of_nothing_and_of_one,
    all_reduce_of_a_view,
    reduce,
    broadcast,
    all_gather,
    all_gather_of_uneven_parts,
    all_gather_into_tensor,
    reduce_scatter,
    reduce_scatter_tensor,
    gather,
    scatter,
    all_to_all,
    all_to_all_of_uneven_parts,
    all_to_all_single,
    all_to_all_single_with_uneven_splits,
    all_to_all_single_to_one_rank,
    send_and_receive,
    several_messages_to_one_rank,
    batch_isend_irecv,
    barrier,
    asynchronous,
    asynchronous_results_are_used_on_the_device,
    on_a_stream,
    coalesced,
    functional,
    objects,
    groups,
    subgroups,
    both_backends,
    many_in_a_row,
])
