"""Operators by name: `torch.npu.set_compile_mode(jit_compile=True)`, as older programs have it.

The examples train alike, and the cases of the tables hold, except where torch_npu itself computes something else by name.
"""

import operator_table
import pytest
import test_operators_arithmetic
import test_operators_index
import test_operators_network
import test_operators_reduce
import torch
from support import EXAMPLES, script
from test_training import CLOSE, example, quiet

TABLES = [test_operators_arithmetic, test_operators_index, test_operators_network, test_operators_reduce]
# Cases that differ because of what torch_npu does before it calls an operator by name.
ITS_OWN = set()


@pytest.fixture(scope="module", autouse=True)
def by_name():
    torch.npu.set_compile_mode(jit_compile=True)
    yield
    torch.npu.synchronize()
    torch.npu.set_compile_mode(jit_compile=False)


@pytest.mark.parametrize("name", ["mlp", "lenet", "resnet"])
def test_networks_learn_alike(name):
    module = example(name)
    ours, cpu = (module.train(device, 4, say=quiet)[0] for device in ("npu", "cpu"))
    assert ours == pytest.approx(cpu, **CLOSE)


@pytest.mark.parametrize("way", ["matmul", "sdpa"])
def test_transformer_learns_alike(way):
    module = example("transformer")
    ours, cpu = (module.train(device, 2, way, say=quiet)[1] for device in ("npu", "cpu"))
    assert ours == pytest.approx(cpu, **CLOSE)


RECORDED = """
import torch, torch_npu
torch.npu.set_compile_mode(jit_compile=%s)
x = torch.ones(4, device="npu")
print((x * 3).sum().item())
"""


def test_the_mode_decides_which_interface_is_called(tmp_path):
    found = {}
    for mode in (True, False):
        records = tmp_path / f"{mode}.txt"
        ended = script(RECORDED % mode, env={"MILLPOND_RECORDS": str(records)})
        assert ended.out == "12.0\n", ended
        text = records.read_text()
        found[mode] = ("aclnnMuls" in text, "OperatorAttributes" in text)
    assert found[False][0] and not found[True][0], found
    assert found[True][1] and not found[False][1], found


CASES = [case for module in TABLES for case in module.case.cases if case.id not in ITS_OWN]


@pytest.mark.parametrize("name, function, inputs, grad, tolerance", CASES)
def test_case(name, function, inputs, grad, tolerance):
    operator_table.compare(name, function, inputs, grad, tolerance)
