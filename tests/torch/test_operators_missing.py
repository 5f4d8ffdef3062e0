"""A missing operator is reported in the exception that PyTorch raises."""

import pytest
from support import script

# By name there is no such operator; the function is not asked then.
PDIST = """
import torch, torch_npu
torch.npu.set_compile_mode(jit_compile=True)
x = torch.randn(3, 4).npu()
try:
    torch.nn.functional.pdist(x)
    torch.npu.synchronize()
except RuntimeError as error:
    print(error)
else:
    print("no error")
"""

UNKNOWN = """
import ctypes, os, torch, torch_npu
x = torch.ones(2, 3, device="npu")
acl = ctypes.CDLL("libascendcl.so")
acl.aclCreateTensorDesc.restype = acl.aclCreateDataBuffer.restype = ctypes.c_void_p
acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
desc = ctypes.c_void_p(acl.aclCreateTensorDesc(0, 2, (ctypes.c_int64 * 2)(2, 3), 2))
buffer = ctypes.c_void_p(acl.aclCreateDataBuffer(ctypes.c_void_p(x.data_ptr()), ctypes.c_size_t(24)))
descs, buffers = (ctypes.c_void_p * 1)(desc.value), (ctypes.c_void_p * 1)(buffer.value)
code = acl.aclopCompileAndExecute(b"Reluu", 1, descs, buffers, 1, descs, buffers, None, 0, 0, None, None)
print(code, acl.aclGetRecentErrMsg().decode())
"""


@pytest.mark.parametrize("queue", ["0", "1"], ids=["at once", "queued"])
def test_the_exception_names_it_its_inputs_and_what_to_do(queue):
    ended = script(PDIST, env={"TASK_QUEUE_ENABLE": queue, "ASCEND_LAUNCH_BLOCKING": "0"})
    said = ended.out if queue == "0" else ended.out + ended.err
    assert "no error" not in ended.out, ended
    assert "Pdist: there is no operator of this type" in said, ended
    assert "inputs: float [3, 4]" in said and "p = 2.0" in said, ended
    assert "write a row in crates/operators/src/table" in said and "docs/operators.md" in said, ended


def test_names_that_are_close_are_named():
    ended = script(UNKNOWN)
    assert ended.out.startswith("100024 "), ended
    assert "Reluu: there is no operator of this type (did you mean Relu" in ended.out, ended
    assert "inputs: float [2, 3]; outputs: float [2, 3]; attributes: none" in ended.out, ended
