"""Collectives in graphs: the ranks meet at every replay."""

import torch
import torch.distributed as dist
from common import RANK, RANKS, of_all, run, same, values


def captured(function):
    function()
    torch.npu.synchronize()
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        outputs = function()
    return graph, outputs


def all_reduce_in_a_graph():
    static = torch.zeros(1000, device="npu")

    def step():
        x = static * 2
        dist.all_reduce(x)
        return x + 1

    graph, output = captured(step)
    for seed in range(3):
        static.copy_(values(RANK, 1000, seed=seed))
        graph.replay()
        same(output, sum(2 * x for x in of_all(1000, seed=seed)) + 1, rtol=1e-6, atol=1e-6)


def gathered_and_scattered_in_a_graph():
    static = torch.zeros(RANKS, 8, device="npu")

    def step():
        mean = torch.empty(8, device="npu")
        dist.reduce_scatter_tensor(mean, static.flatten())
        everything = torch.empty(RANKS * 8, device="npu")
        dist.all_gather_into_tensor(everything, mean)
        return everything

    graph, output = captured(step)
    for seed in range(3):
        static.copy_(values(RANK, RANKS, 8, seed=seed))
        graph.replay()
        same(output, sum(of_all(RANKS, 8, seed=seed)).flatten(), rtol=1e-6, atol=1e-6)


def two_graphs_and_a_call_between_them():
    static = torch.zeros(16, device="npu")

    def step(kind):
        def body():
            x = static.clone()
            dist.all_reduce(x, kind)
            return x

        return body

    (total, sums), (most, maxima) = captured(step(dist.ReduceOp.SUM)), captured(step(dist.ReduceOp.MAX))
    for seed in range(2):
        static.copy_(values(RANK, 16, seed=seed))
        total.replay()
        dist.barrier()
        most.replay()
        total.replay()
        same(sums, sum(of_all(16, seed=seed)), rtol=1e-6, atol=1e-6)
        same(maxima, torch.stack(of_all(16, seed=seed)).amax(0))


run([all_reduce_in_a_graph, gathered_and_scattered_in_a_graph, two_graphs_and_a_call_between_them])
