"""Tensors that stay on the device between runs."""

import numpy as np
import onnxruntime as ort
import pytest

import models
from support import MODE_NAMES, MODES, OPERATORS, on_cpu, on_device, same


@pytest.fixture(scope="module", autouse=True)
def a_session():
    """The provider selects its device when a session is created; without a session, an allocation on the device
    fails."""
    yield on_device(models.mlp(np.random.default_rng(0))[0], OPERATORS)


both_modes = pytest.mark.parametrize("mode", MODES, ids=MODE_NAMES)


def to_device(array):
    return ort.OrtValue.ortvalue_from_numpy(array, "cann", 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8, np.bool_])
def test_there_and_back(rng, dtype):
    array = (rng.standard_normal((3, 5)) * 4).astype(dtype)
    value = to_device(array)
    assert (value.device_name(), value.shape(), value.is_tensor()) == ("cann", [3, 5], True)
    same([value.numpy()], [array])


@both_modes
def test_outputs_that_the_session_allocates(rng, mode):
    made, feed = models.several(rng)
    session = on_device(made, mode)
    for size in (3, 5):
        inputs = feed(size)
        binding = session.io_binding()
        for name, array in inputs.items():
            binding.bind_ortvalue_input(name, to_device(array))
        for output in session.get_outputs():
            binding.bind_output(output.name, "cann")
        session.run_with_iobinding(binding)
        outputs = binding.get_outputs()
        assert {value.device_name() for value in outputs} == {"cann"}
        same([value.numpy() for value in outputs], on_cpu(made, inputs))
        same(binding.copy_outputs_to_cpu(), on_cpu(made, inputs))


@both_modes
def test_an_output_becomes_the_next_input(rng, mode):
    """A loop whose state stays on the device."""
    weights = {"w": (rng.standard_normal((4, 4)) / 2).astype(np.float32)}
    nodes = [models.node("MatMul", "x w", "m"), models.node("Add", "m x", "y")]
    made = models.model(nodes, [("x", np.float32, [2, 4])], [("y", np.float32, [2, 4])], weights)
    session = on_device(made, mode, strict=True, optimise=False)
    start = rng.standard_normal((2, 4)).astype(np.float32)
    here, there = to_device(start), to_device(np.zeros_like(start))
    want = start
    for _ in range(5):
        binding = session.io_binding()
        binding.bind_ortvalue_input("x", here)
        binding.bind_ortvalue_output("y", there)
        session.run_with_iobinding(binding)
        here, there = there, here
        want = want @ weights["w"] + want
    same([here.numpy()], [want])


@both_modes
def test_addresses_and_mixed_places(rng, mode):
    made, feed = models.several(rng)
    session = on_device(made, mode)
    inputs = feed(2)
    late = to_device(inputs["late"])
    binding = session.io_binding()
    binding.bind_cpu_input("factor", inputs["factor"])
    binding.bind_ortvalue_input("early", to_device(inputs["early"]))
    binding.bind_input("late", "cann", 0, np.float32, inputs["late"].shape, late.data_ptr())
    for output in session.get_outputs():
        binding.bind_output(output.name, "cpu")
    session.run_with_iobinding(binding)
    outputs = binding.get_outputs()
    assert {value.device_name() for value in outputs} == {"cpu"}
    same([value.numpy() for value in outputs], on_cpu(made, inputs))
