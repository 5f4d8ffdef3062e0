"""Whole models in both modes, with shapes that change from run to run."""

import threading

import numpy as np
import pytest

import models
from support import GRAPH, MODE_NAMES, MODES, OPERATORS, on_both, on_cpu, on_device, same

both_modes = pytest.mark.parametrize("mode", MODES, ids=MODE_NAMES)


@both_modes
@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=["float", "half"])
@pytest.mark.parametrize("name", list(models.ALL))
def test_results_are_the_cpu_providers(rng, name, dtype, mode):
    made, feed = models.ALL[name](rng, dtype)
    session = on_device(made, mode)
    for size in (1, 4, 2, 4):
        inputs = feed(size)
        same(session.run(None, inputs), on_cpu(made, inputs), 3e-2 if dtype == np.float16 else None)


@both_modes
def test_as_the_file_has_it(rng, mode):
    """Without ONNX Runtime's graph optimisations, so every node of the file reaches the device."""
    for make in (models.mlp, models.cnn, models.transformer):
        made, feed = make(rng)
        on_both(made, mode, feed(3), optimise=False)


def test_a_graph_is_one_model(rng):
    """The whole graph runs on the device: a strict session succeeds."""
    for make in (models.mlp, models.transformer):
        made, feed = make(rng)
        on_both(made, GRAPH, feed(2), strict=True)


def test_a_graph_is_parted_at_what_the_provider_does_not_take(rng):
    """The provider does not support Einsum, so one model runs before it and one after it."""
    weights = models.weights_of(rng, w=(8, 8))
    nodes = [
        models.node("MatMul", "x w", "a"),
        models.node("Relu", "a", "b"),
        models.node("Einsum", "b b", "c", equation="ni,mi->nm"),
        models.node("Sigmoid", "c", "d"),
        models.node("Sub", "d c", "y"),
    ]
    made = models.model(nodes, [("x", np.float32, ["n", 8])], [("y", np.float32, ["n", "n"])], weights)
    session = on_device(made, GRAPH)
    for size in (2, 5):
        feed = {"x": rng.standard_normal((size, 8)).astype(np.float32)}
        same(session.run(None, feed), on_cpu(made, feed))


def test_contents_decide_the_shape_of_an_output():
    nodes = [models.node("NonZero", "x", "places"), models.node("Transpose", "places", "y", perm=[1, 0])]
    made = models.model(nodes, [("x", np.float32, [2, 3])], [("y", np.int64, ["n", 2])])
    session = on_device(made, GRAPH, strict=True)
    for x in ([[1, 0, 2], [0, 3, 0]], [[0, 0, 0], [0, 0, 4]], [[1, 2, 3], [4, 5, 6]]):
        feed = {"x": np.array(x, np.float32)}
        same(session.run(None, feed), on_cpu(made, feed))


@both_modes
def test_a_tensor_without_elements(mode):
    made = models.model([models.node("Relu", "x", "y")], [("x", np.float32, ["n", 3])], [("y", np.float32, ["n", 3])])
    on_both(made, mode, {"x": np.zeros((0, 3), np.float32)}, strict=True)


@both_modes
def test_two_sessions_and_the_cpu_at_once(rng, mode):
    """Millpond's engine is a second copy of ONNX Runtime in the process: threads and results stay separate."""
    cases = [models.mlp(rng), models.cnn(rng)]
    sessions = [on_device(made, mode) for made, _ in cases]
    inputs = [feed(3) for _, feed in cases]
    wants = [on_cpu(made, feed) for (made, _), feed in zip(cases, inputs)]
    wrong = []

    def work(index):
        try:
            for _ in range(10):
                same(sessions[index].run(None, inputs[index]), wants[index])
                same(on_cpu(cases[index][0], inputs[index]), wants[index])
        except Exception as error:  # noqa: BLE001 a thread cannot report it otherwise
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_memory_is_limited_by_the_session(rng):
    """The arena allocates up to its limit, and a run that needs more fails."""
    made = models.model([models.node("Relu", "x", "y")], [("x", np.float32, ["n"])], [("y", np.float32, ["n"])])
    session = on_device(made, OPERATORS, npu_mem_limit=8 << 20, arena_extend_strategy="kSameAsRequested")
    small, large = np.ones(1 << 10, np.float32), np.ones(4 << 20, np.float32)
    same(session.run(None, {"x": small}), [small])
    with pytest.raises(Exception, match="(?i)memory|alloc"):
        session.run(None, {"x": large})
    same(session.run(None, {"x": small}), [small])
