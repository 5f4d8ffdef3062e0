"""Limits of torch_npu itself, before or after it calls the runtime.

If a limit disappears, its test fails: move the case to a table.
"""

import pytest
import torch
import torch.nn.functional as F

# The user sees an error with the reason, never a wrong number.
REFUSED = [
    ("channels_last", lambda x: x(1, 2, 3, 3).to(memory_format=torch.channels_last), "Only contiguous_format", "rejected by torch_npu"),
    ("max_unpool2d", lambda x: F.max_unpool2d(*F.max_pool2d(x(1, 2, 4, 4), 2, return_indices=True), 2), "aclnnMaxUnpool2d", "its indices are a mask"),
    ("cdist gradient", lambda x: torch.cdist(x(4, 3).requires_grad_(), x(5, 3)).sum().backward(), "contiguous", "the gradient is not contiguous"),
]


@pytest.mark.parametrize("name, function, says, why", REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(name, function, says, why):
    with pytest.raises(RuntimeError, match=says):
        function(lambda *shape: torch.randn(*shape).npu())
        torch.npu.synchronize()
