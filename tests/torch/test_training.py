"""The example scripts train on the device as they do on PyTorch's CPU, step by step."""

import importlib.util

import pytest
import torch

from support import EXAMPLES, same, script


def example(name):
    """Loads an example as a module: importing torch in a new process would take longer than the run."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def quiet(_line):
    pass


def both(function):
    """The function's results on the device and on the CPU."""
    return function("npu"), function("cpu")


# float32 losses differ in the last digits, and differences accumulate over steps: relative tolerance of one result.
CLOSE = dict(rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("name", ["mlp", "lenet"])
def test_small_networks_learn_alike(name):
    module = example(name)
    (ours, our_right), (cpu, right) = both(lambda device: module.train(device, 10, say=quiet))
    assert ours == pytest.approx(cpu, **CLOSE)
    assert our_right == right
    assert ours[-1] < ours[0]


def test_resnet_learns_alike_and_answers_alike_in_evaluation():
    module = example("resnet")
    (ours, our_answers), (cpu, answers) = both(lambda device: module.train(device, 5, say=quiet))
    assert ours == pytest.approx(cpu, **CLOSE)
    same(our_answers, answers, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("amp", ["fp16", "bf16"])
def test_resnet_in_mixed_precision(amp):
    module = example("resnet")
    (ours, _), (cpu, _) = both(lambda device: module.train(device, 5, amp=amp, say=quiet))
    # The CPU rounds at other points of a convolution than the engine: the types have 11 and 8 bits.
    assert ours == pytest.approx(cpu, rel=0.02 if amp == "fp16" else 0.06)


@pytest.mark.parametrize("way", ["matmul", "mha", "sdpa"])
def test_transformer_learns_and_writes_alike(way):
    module = example("transformer")
    (our_model, ours), (model, cpu) = both(lambda device: module.train(device, 3, way, say=quiet))
    assert ours == pytest.approx(cpu, **CLOSE)

    # Evaluation and generation start with the same weights, so only they are compared.
    model.load_state_dict({name: value.cpu() for name, value in our_model.state_dict().items()})
    tokens = module.text()[:100].unsqueeze(0)
    our_model.eval(), model.eval()
    with torch.no_grad():
        cpu_answers = model(tokens)
        same(our_model(tokens.npu()), cpu_answers, rtol=1e-3, atol=1e-4)
    written = module.generate(our_model, b"import ", 24)
    assert written == module.generate(model, b"import ", 24)

    # The cache does not change the result: the same text without it, each token from all tokens before it.
    seen = list(b"import ")
    with torch.no_grad():
        for byte in written[:6]:
            assert our_model(torch.tensor([seen]).npu())[0, -1].argmax().item() == byte
            seen.append(byte)


@pytest.mark.parametrize("amp", ["fp16", "bf16"])
def test_transformer_in_mixed_precision(amp):
    """Compared with float32: float16 steps take a minute on the CPU, and both are equally close to float32."""
    module = example("transformer")
    _, ours = module.train("npu", 3, amp=amp, say=quiet)
    _, cpu = module.train("cpu", 3, say=quiet)
    assert ours == pytest.approx(cpu, rel=0.01)
    assert ours != pytest.approx(cpu, rel=1e-6)  # it was not computed in float32


def losses_of(ended):
    assert ended.status == 0, ended
    return [float(line.split()[-1]) for line in ended.out.splitlines() if line.startswith("step")]


# TASK_QUEUE_ENABLE selects where torch_npu launches operators: 0 in the calling thread, which `millpond run` sets
# and all other tests use; 1 and 2 in a separate thread.


def test_operators_launched_by_a_thread():
    ended = script(EXAMPLES / "mlp.py", "--steps", 4, env={"TASK_QUEUE_ENABLE": "1"})
    cpu, _ = example("mlp").train("cpu", 4, say=quiet)
    assert losses_of(ended) == pytest.approx(cpu, **CLOSE)
    assert "s per step, after the first" in ended.out


def test_operators_prepared_by_a_thread_in_the_script_of_a_user():
    ended = script(EXAMPLES / "transformer.py", "--steps", 2, "--generate", 3, env={"TASK_QUEUE_ENABLE": "2"})
    _, cpu = example("transformer").train("cpu", 2, say=quiet)
    assert losses_of(ended) == pytest.approx(cpu, **CLOSE)
    assert "import " in ended.out and "s per byte" in ended.out
