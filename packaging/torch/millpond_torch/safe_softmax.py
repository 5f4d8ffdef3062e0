"""Attention with a float mask: `RuntimeError: can not cast format when output is input`.

Seen with torch 2.7.1 and torch_npu 2.7.1.post11. PyTorch's own `_safe_softmax` ends in `where(hidden, 0, y, out=y)`.
torch_npu cannot write into an output that is also an input if a 0-dim tensor is involved, because it gives the two
different formats. F.scaled_dot_product_attention with a float mask calls it, and so do
nn.MultiheadAttention and nn.TransformerEncoderLayer with any mask.

This computes the same with operators that torch_npu has. It is registered below autograd, so the gradient stays PyTorch's.
"""

import torch

_LIBRARY = None


def _safe_softmax(self, dim, dtype=None):
    result = torch.softmax(self, dim, dtype)
    # Rows that are masked completely are 0; softmax gives NaN there.
    hidden = (self == float("-inf")).all(dim, keepdim=True)
    return result.masked_fill_(hidden, 0.0)


def load():
    global _LIBRARY
    if torch._C._dispatch_has_kernel_for_dispatch_key("aten::_safe_softmax", "PrivateUse1"):
        return
    # Registrations last as long as this object does.
    _LIBRARY = torch.library.Library("aten", "IMPL", "PrivateUse1")
    _LIBRARY.impl("_safe_softmax", _safe_softmax)
