"""What graphs offer beyond capture and replay: updates, external events, error modes, shared pools: `python graph_features.py`.

A program of its own, so that it runs under every schedule and under `millpond check`.
"""

import threading

import torch
import torch_npu  # noqa: F401


def same(ours, cpu):
    torch.testing.assert_close(ours.cpu(), cpu, rtol=1e-5, atol=1e-5)


def updated():
    """The pattern of inference engines: replay, then new arguments on another stream, then the event that the replay waits for."""
    stream, updates = torch.npu.Stream(), torch.npu.Stream()
    x, y, z = (torch.randn(4, 8) for _ in range(3))
    ours = [tensor.npu() for tensor in (x, y, z)]
    output, event = torch.zeros(4, 8, device="npu"), torch.npu.ExternalEvent()
    torch.npu.synchronize()
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph, stream=stream):
        event.wait(stream)
        event.reset(stream)
        torch.npu.graph_task_group_begin(stream)
        torch.add(ours[0], ours[1], out=output)
        handle = torch.npu.graph_task_group_end(stream)
        doubled = output * 2
    current = torch.npu.current_stream()
    for other in [y, z, y]:
        graph.replay()
        with torch.npu.stream(updates):
            torch.npu.graph_task_update_begin(updates, handle)
            torch.add(ours[0], ours[1] if other is y else ours[2], out=output)
            torch.npu.graph_task_update_end(updates)
            event.record(updates)
        current.synchronize()
        same(doubled, (x + other) * 2)
    torch.npu.synchronize()
    return graph


def attention_with_lengths():
    """torch_npu marks attention itself, and gives it new lengths for each replay. Its workspace is large enough for all of them."""
    heads, width, longest = 4, 32, 64
    query = torch.randn(1, heads, 1, width).half()
    key, value = (torch.randn(1, heads, longest, width).half() for _ in range(2))
    ours = [tensor.npu() for tensor in (query, key, value)]
    scale = width**-0.5
    torch.npu.synchronize()
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph, auto_dispatch_capture=True):
        output, _ = torch.ops.npu.npu_fused_infer_attention_score(
            *ours, num_heads=heads, input_layout="BNSD", scale=scale, actual_seq_lengths_kv=[1]
        )
    for length in [longest, 10, 33]:
        graph.replay()
        graph.update(cpu_update_input=[{"actual_seq_lengths_kv": [length]}])
        torch.npu.synchronize()
        weights = torch.softmax(query.float() @ key[:, :, :length].float().transpose(-1, -2) * scale, -1)
        torch.testing.assert_close(output.cpu().float(), weights @ value[:, :, :length].float(), rtol=1e-2, atol=1e-2)
    return graph


def error_modes():
    """A thread that copies during a capture may do so unless the mode is global."""
    graphs = []
    for mode in ["thread_local", "relaxed"]:
        x, done = torch.ones(8, device="npu"), []
        torch.npu.synchronize()
        graph = torch.npu.NPUGraph()
        with torch.npu.graph(graph, capture_error_mode=mode):
            y = x + 1

            def beside():
                stream = torch.npu.Stream()
                with torch.npu.stream(stream):
                    done.append(torch.arange(4).npu().sum().item())

            thread = threading.Thread(target=beside)
            thread.start()
            thread.join()
            z = y * 3
        assert done == [6], done
        graph.replay()
        assert z.tolist() == [6] * 8
        graphs.append(graph)
    return graphs


def a_pool_for_many_sizes():
    """One graph for each size of a batch, all in one pool, the largest first."""
    weight = torch.randn(16, 16)
    ours, pool, graphs = weight.npu(), torch.npu.graph_pool_handle(), {}
    static = torch.zeros(8, 16, device="npu")
    torch.npu.synchronize()
    for size in [8, 4, 2, 1]:
        graph = torch.npu.NPUGraph()
        with torch.npu.graph(graph, pool=pool):
            output = torch.relu(static[:size] @ ours)
        graphs[size] = (graph, output)
    for size in [1, 8, 2, 4, 8, 1]:
        batch = torch.randn(size, 16)
        static[:size].copy_(batch)
        graph, output = graphs[size]
        graph.replay()
        same(output, torch.relu(batch @ weight))
    return graphs


def a_module_in_parts():
    torch.manual_seed(4)
    first, second = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
    x = torch.randn(4, 8)
    expected = second(torch.tanh(first(x))).detach()
    first, second = first.npu(), second.npu()
    sample = torch.randn(4, 8, device="npu", requires_grad=True)
    graphed = torch.npu.make_graphed_callables((first, second), ((sample,), (sample,)))
    found = graphed[1](torch.tanh(graphed[0](x.npu())))
    same(found.detach(), expected)


def main():
    for feature in [updated, attention_with_lengths, error_modes, a_pool_for_many_sizes, a_module_in_parts]:
        kept = feature()
        torch.npu.synchronize()
        del kept
        print("passed", feature.__name__, flush=True)


if __name__ == "__main__":
    main()
    torch.npu.synchronize()
    torch.npu.empty_cache()
