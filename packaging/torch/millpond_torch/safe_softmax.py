"""Attention with a mask of numbers: `RuntimeError: can not cast format when output is input`.

Seen with torch 2.7.1 and torch_npu 2.7.1.post11. PyTorch's own `_safe_softmax` ends in `where(hidden, 0, y, out=y)`, and
torch_npu cannot write into an output that is an input when a tensor without axes takes part, because it labels the two
with different formats. It is on the way of F.scaled_dot_product_attention with a mask of numbers, and so of
nn.MultiheadAttention and nn.TransformerEncoderLayer with any mask.

The same in operators that torch_npu has. It is registered below autograd, so the derivative stays PyTorch's.
"""

import torch

_LIBRARY = None


def _safe_softmax(self, dim, dtype=None):
    result = torch.softmax(self, dim, dtype)
    # Rows that see nothing are 0, where a softmax has no number.
    hidden = (self == float("-inf")).all(dim, keepdim=True)
    return result.masked_fill_(hidden, 0.0)


def load():
    global _LIBRARY
    if torch._C._dispatch_has_kernel_for_dispatch_key("aten::_safe_softmax", "PrivateUse1"):
        return
    # Registrations last as long as this object does.
    _LIBRARY = torch.library.Library("aten", "IMPL", "PrivateUse1")
    _LIBRARY.impl("_safe_softmax", _safe_softmax)
