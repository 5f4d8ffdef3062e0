"""Graphs: what is captured once gives the same results as without a graph, at every replay."""

import json
import os
import pathlib
import textwrap

import pytest
import torch

from support import same, script

# How many random programs run under each schedule. 200 is what a full run uses.
PROGRAMS = int(os.environ.get("MILLPOND_TEST_GRAPH_PROGRAMS", "12"))


def captured(function, *inputs):
    """A graph of a function, and what its replays write."""
    side = torch.npu.Stream()
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        function(*inputs)
    torch.npu.current_stream().wait_stream(side)
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        outputs = function(*inputs)
    return graph, outputs


def test_a_replay_reads_new_inputs_and_nothing_runs_before():
    x = torch.randn(16, 16)
    static, counted = x.npu(), torch.zeros(1, device="npu")

    def function(x):
        counted.add_(1)
        return torch.softmax(x @ x.t(), -1) * 2

    graph, output = captured(function, static)
    # The warm-up has counted, the capture has not.
    assert counted.item() == 1
    for _ in range(4):
        x = torch.randn(16, 16)
        static.copy_(x)
        graph.replay()
        same(output, torch.softmax(x @ x.t(), -1) * 2)
    assert counted.item() == 5


def test_replays_can_be_queued_in_a_row():
    total = torch.zeros(8, device="npu")
    graph, _ = captured(lambda: total.add_(1))
    for _ in range(20):
        graph.replay()
    assert total.tolist() == [21] * 8


def test_a_graph_is_captured_by_hand_and_reset():
    x = torch.arange(8.0).npu()
    torch.npu.synchronize()
    stream, graph = torch.npu.Stream(), torch.npu.NPUGraph()
    with torch.npu.stream(stream):
        assert not torch.npu.is_current_stream_capturing()
        graph.capture_begin()
        assert torch.npu.is_current_stream_capturing()
        y = x * 3
        graph.capture_end()
        assert not torch.npu.is_current_stream_capturing()
    graph.replay()
    torch.npu.synchronize()
    assert y.tolist() == [3.0 * i for i in range(8)]
    graph.reset()


def test_graphs_share_a_pool():
    x = torch.randn(32, 32)
    static = x.npu()
    first, middle = captured(lambda: static @ static)
    second = torch.npu.NPUGraph()
    with torch.npu.graph(second, pool=first.pool()):
        output = middle.relu() + 1
    for _ in range(3):
        x = torch.randn(32, 32)
        static.copy_(x)
        first.replay()
        second.replay()
        same(output, (x @ x).relu() + 1)


def test_two_streams_in_a_capture():
    x = torch.randn(64, 64)
    static, side = x.npu(), torch.npu.Stream()

    def function(x):
        current = torch.npu.current_stream()
        side.wait_stream(current)
        with torch.npu.stream(side):
            right = (x @ x).tanh()
        left = x.t() @ x
        current.wait_stream(side)
        return left + right

    graph, output = captured(function, static)
    for _ in range(3):
        x = torch.randn(64, 64)
        static.copy_(x)
        graph.replay()
        same(output, x.t() @ x + (x @ x).tanh(), rtol=1e-3, atol=1e-3)


def test_a_whole_training_step_has_the_losses_of_the_cpu():
    def network():
        torch.manual_seed(1)
        return torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.GELU(), torch.nn.Linear(32, 4))

    inputs = [torch.randn(16, 8) for _ in range(6)]
    labels = [torch.randint(0, 4, (16,)) for _ in range(6)]
    loss_of = torch.nn.CrossEntropyLoss()

    cpu, expected = network(), []
    optimiser = torch.optim.SGD(cpu.parameters(), lr=0.1, momentum=0.9)
    for x, y in zip(inputs, labels):
        optimiser.zero_grad(set_to_none=True)
        loss = loss_of(cpu(x), y)
        loss.backward()
        optimiser.step()
        expected.append(loss.item())

    ours = network().npu()
    optimiser = torch.optim.SGD(ours.parameters(), lr=0.1, momentum=0.9)
    x, y = inputs[0].npu(), labels[0].npu()
    before = {name: value.clone() for name, value in ours.state_dict().items()}
    side = torch.npu.Stream()
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        for _ in range(2):
            optimiser.zero_grad(set_to_none=True)
            loss_of(ours(x), y).backward()
            optimiser.step()
    torch.npu.current_stream().wait_stream(side)
    # The warm-up has made the optimiser's memory, which the graph uses. It starts as new.
    ours.load_state_dict(before)
    for state in optimiser.state.values():
        state["momentum_buffer"].zero_()
    optimiser.zero_grad(set_to_none=True)
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        loss = loss_of(ours(x), y)
        loss.backward()
        optimiser.step()
    found = []
    for one, other in zip(inputs, labels):
        x.copy_(one)
        y.copy_(other)
        graph.replay()
        found.append(loss.item())
    assert found == pytest.approx(expected, rel=1e-4)
    for ours, cpu in zip(ours.parameters(), cpu.parameters()):
        same(ours, cpu)


def test_graphed_callables_train_as_on_the_cpu():
    def network():
        torch.manual_seed(2)
        return (
            torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU()),
            torch.nn.Linear(32, 4),
        )

    def losses(parts, device, steps=5):
        optimiser = torch.optim.SGD([p for part in parts for p in part.parameters()], lr=0.1)
        numbers = torch.Generator().manual_seed(3)
        found = []
        for _ in range(steps):
            x = torch.randn(16, 8, generator=numbers).to(device)
            y = torch.randint(0, 4, (16,), generator=numbers).to(device)
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(parts[1](parts[0](x)), y)
            loss.backward()
            optimiser.step()
            found.append(loss.item())
        return found

    expected = losses(network(), "cpu")
    parts = tuple(part.npu() for part in network())
    samples = ((torch.randn(16, 8, device="npu"),), (torch.randn(16, 32, device="npu", requires_grad=True),))
    graphed = torch.npu.make_graphed_callables(parts, samples)
    assert losses(graphed, "npu") == pytest.approx(expected, rel=1e-4)


def test_dropout_differs_from_replay_to_replay_and_repeats_by_seed():
    x = torch.ones(1024, device="npu")
    graph, output = captured(lambda: torch.nn.functional.dropout(x, 0.5))

    def masks(seed):
        torch.npu.manual_seed(seed)
        found = []
        for _ in range(3):
            graph.replay()
            found.append(output.cpu())
        return found

    first, again, other = masks(1), masks(1), masks(2)
    for mask in first:
        assert set(mask.unique().tolist()) == {0.0, 2.0}
        assert 0.3 < (mask == 0).float().mean() < 0.7
    assert not torch.equal(first[0], first[1]) and not torch.equal(first[1], first[2])
    assert all(torch.equal(one, two) for one, two in zip(first, again))
    assert not torch.equal(first[0], other[0])


ILLEGAL = {
    "x.sum().item()": "not possible while stream",
    "x.cpu()": "not possible while stream",
    "torch.npu.synchronize()": "synchronising the device is not possible while stream",
    "torch.npu.current_stream().synchronize()": "synchronising the stream is not possible while stream",
}


def test_a_call_that_waits_inside_a_capture_raises_and_names_itself():
    """Each in a process of its own, forked before the device is used: torch_npu's allocator is of no use after a failed capture."""
    source = textwrap.dedent("""
        import os, sys, torch, torch_npu
        for call in sys.argv[1:]:
            child = os.fork()
            if child:
                os.waitpid(child, 0)
                continue
            x = torch.ones(8, device="npu")
            try:
                with torch.npu.graph(torch.npu.NPUGraph()):
                    y = x * 2
                    exec(call)
                print(call, "raised nothing")
            except RuntimeError as error:
                print(call, "raised:", " ".join(str(error).split()))
            sys.stdout.flush()
            os._exit(0)
    """)
    ended = script(source, *ILLEGAL)
    raised = ended.out.splitlines()
    assert len(raised) == len(ILLEGAL), ended
    for line, (call, words) in zip(raised, ILLEGAL.items()):
        assert line.startswith(f"{call} raised:") and words in line, ended


def test_a_graph_writes_itself_to_a_file(tmp_path):
    x = torch.ones(8, device="npu")
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        y = x * 2
        z = y + 1
    path = tmp_path / "graph.json"
    graph.debug_dump(str(path))
    names = [task["name"] for task in json.loads(path.read_text())]
    assert any("Mul" in name for name in names) and any("Add" in name for name in names), names
    graph.replay()
    assert z.tolist() == [3] * 8


def test_the_memory_of_a_graph_goes_back_when_it_is_reset():
    # While there is any graph, torch_npu keeps two small tensors of its random number generator.
    other = captured(lambda: torch.ones(4, device="npu") * 2)
    torch.npu.empty_cache()
    before = torch.npu.memory_reserved()
    graph, output = captured(lambda: torch.ones(1 << 20, device="npu") * 2)
    assert torch.npu.memory_reserved() > before
    graph.replay()
    assert output[0].item() == 2
    del output
    graph.reset()
    torch.npu.synchronize()
    torch.npu.empty_cache()
    assert torch.npu.memory_reserved() <= before
    del other


@pytest.mark.parametrize("schedule", ["eager", "latest", "seed=1"])
def test_random_programs_are_the_same_with_and_without_a_graph(schedule):
    file = pathlib.Path(__file__).with_name("graph_programs.py")
    ended = script(file, PROGRAMS, env={"MILLPOND_SCHEDULE": schedule}, timeout=3600)
    assert ended.status == 0 and f"{PROGRAMS} programs" in ended.out, ended


FEATURES = ["updated", "attention_with_lengths", "error_modes", "a_pool_for_many_sizes", "a_module_in_parts"]


@pytest.mark.parametrize("schedule", ["eager", "latest", "seed=1"])
def test_updates_external_events_error_modes_and_pools(schedule):
    file = pathlib.Path(__file__).with_name("graph_features.py")
    ended = script(file, env={"MILLPOND_SCHEDULE": schedule}, timeout=600)
    assert ended.status == 0 and ended.out.split() == [word for one in FEATURES for word in ("passed", one)], ended


def test_updates_external_events_error_modes_and_pools_have_no_findings():
    file = pathlib.Path(__file__).with_name("graph_features.py")
    ended = script(file, check=[], timeout=600)
    assert ended.findings == [] and ended.status == 0, ended


RIGHT = """
    import torch, torch_npu

    def main():
        model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Dropout(0.1), torch.nn.Linear(64, 8)).npu()
        host = [torch.randn(16, 32).pin_memory() for _ in range(4)]
        static = torch.zeros(16, 32, device="npu")
        side = torch.npu.Stream()

        def step():
            current = torch.npu.current_stream()
            side.wait_stream(current)
            with torch.npu.stream(side):
                norm = static.norm()
            y = model(static)
            current.wait_stream(side)
            return y / (norm + 1)

        with torch.no_grad():
            step()
            torch.npu.synchronize()
            graph = torch.npu.NPUGraph()
            with torch.npu.graph(graph):
                output = step()
            total = torch.zeros((), device="npu")
            for batch in host:
                static.copy_(batch, non_blocking=True)
                graph.replay()
                total += output.sum()
            print(total.item())
            del output
            graph.reset()

    main()
    torch.npu.synchronize()
    torch.npu.empty_cache()
"""


def test_a_script_with_a_graph_has_no_findings(tmp_path):
    file = tmp_path / "infer.py"
    file.write_text(textwrap.dedent(RIGHT))
    ended = script(file, check=[], folder=str(tmp_path))
    assert ended.findings == [] and ended.status == 0, ended


def test_inputs_that_are_rewritten_during_a_replay_are_found_with_the_captured_line(tmp_path):
    source = textwrap.dedent("""
        import torch, torch_npu

        def step(x):
            return x * 2

        def main():
            loader = torch.npu.Stream()
            host = torch.ones(4096).pin_memory()
            static = torch.zeros(4096, device="npu")
            graph = torch.npu.NPUGraph()
            with torch.npu.graph(graph):
                output = step(static)
            graph.replay()
            with torch.npu.stream(loader):
                static.copy_(host, non_blocking=True)
            torch.npu.synchronize()

        main()
    """)
    file = tmp_path / "infer.py"
    file.write_text(source)
    ended = script(file, check=["--rules", "stream.*"], folder=str(tmp_path))
    assert [finding["rule"] for finding in ended.findings] == ["stream.race"], ended
    lines = [
        (place.get("line"), place.get("function"))
        for operation in ended.findings[0]["operations"]
        for place in operation["stack"]
        if place.get("file") == str(file)
    ]
    text = source.splitlines()
    assert (text.index("    return x * 2") + 1, "step") in lines, ended


DROPPED = """
    import sys, torch, torch_npu

    def step(x):
        return x * 2 + 1

    def captured(x):
        graph = torch.npu.NPUGraph()
        with torch.npu.graph(graph):
            output = step(x)
        return graph, output

    def main():
        static = torch.zeros(4096, device="npu")
        fence = torch.zeros(4096, device="npu")  # so that nothing larger fits where static was
        graph, output = captured(static)
        graph.replay()
        torch.npu.synchronize()
        if sys.argv[1] == "wrong":
            del static
            static = torch.ones(2, 4096, device="npu")[1]
        else:
            static.copy_(torch.ones(4096))
        other = torch.full((4096,), 5.0, device="npu")
        graph.replay()
        torch.npu.synchronize()
        print(output[0].item(), other[0].item())

    main()
"""


@pytest.mark.parametrize("how", ["wrong", "right"])
def test_an_input_that_python_freed_before_a_replay_is_found_with_its_lines(tmp_path, how):
    file = tmp_path / "infer.py"
    source = textwrap.dedent(DROPPED)
    file.write_text(source)
    ended = script(file, how, check=[], folder=str(tmp_path))
    if how == "right":
        assert ended.findings == [] and ended.status == 0 and ended.out.split() == ["3.0", "5.0"], ended
        return
    # The launch reads whatever has the memory now.
    assert ended.out.split() == ["11.0", "5.0"], ended
    assert [finding["rule"] for finding in ended.findings] == ["graph.freed-memory"], ended
    finding = ended.findings[0]
    assert "is there now" in finding["message"], finding
    text = source.splitlines()
    expected = ["graph.replay()", "return x * 2 + 1", "del static"]
    lines = [
        [text[place["line"] - 1].strip() for place in operation["stack"] if place.get("file") == str(file)]
        for operation in finding["operations"]
    ]
    assert all(line in found for line, found in zip(expected, lines)) and len(lines) == 3, lines


def test_graphs_whose_tensors_live_in_their_pools_have_no_findings():
    """Freed inside a capture, after it, by a second graph of the same pool, and outputs that nobody keeps."""
    ended = script(
        textwrap.dedent("""
            import torch, torch_npu

            def main():
                static = torch.randn(64, 64).npu()
                first, second = torch.npu.NPUGraph(), torch.npu.NPUGraph()
                with torch.npu.graph(first):
                    middle = (static @ static).relu()
                with torch.npu.graph(second, pool=first.pool()):
                    output = (middle + 1).sum(0)
                    del middle
                for _ in range(3):
                    static.copy_(torch.randn(64, 64))
                    first.replay()
                    second.replay()
                    eager = ((static @ static).relu() + 1).sum(0)
                    assert torch.equal(output.cpu(), eager.cpu())
                del output
                second.replay()
                torch.npu.synchronize()

                # Backward and a step of an optimiser, whose state was made before the capture.
                model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)).npu()
                optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
                for _ in range(2):
                    optimiser.zero_grad(set_to_none=True)
                    model(static).sum().backward()
                    optimiser.step()
                optimiser.zero_grad(set_to_none=True)
                torch.npu.synchronize()
                training = torch.npu.NPUGraph()
                with torch.npu.graph(training):
                    model(static).sum().backward()
                    optimiser.step()
                for _ in range(3):
                    static.copy_(torch.randn(64, 64))
                    training.replay()
                torch.npu.synchronize()
                for graph in (first, second, training):
                    graph.reset()

            main()
            torch.npu.synchronize()
            torch.npu.empty_cache()
        """),
        check=[],
    )
    assert ended.findings == [] and ended.status == 0, ended
