"""Limits and errors of torch_npu 2.7.1 itself, before or after it calls the runtime.

If a limit disappears, its test fails: move the case to the table.
"""

import pytest
import torch
import torch.nn.functional as F
from support import on_both

COMPLEX = "torch_npu rejects complex numbers with jit_compile=True"
BY_FUNCTION = "torch_npu uses only the aclnn function, which is missing"

# The user sees an error with the reason, never a wrong number.
REFUSED = [
    ("channels_last", lambda x: x(1, 2, 3, 3).to(memory_format=torch.channels_last), "Only contiguous_format", "rejected by torch_npu"),
    ("stft", lambda x: torch.stft(x(100), 16, return_complex=True), "(?i)complex|fft", COMPLEX),
    ("fft", lambda x: torch.fft.fft(x(8)), "(?i)complex|fft", COMPLEX),
    ("complex product", lambda x: torch.complex(x(3), x(3)) * torch.complex(x(3), x(3)), "(?i)complex", COMPLEX),
    ("polar", lambda x: torch.polar(x(3), x(3)), "(?i)complex|polar", COMPLEX),
    ("adaptive_max_pool2d uneven", lambda x: F.adaptive_max_pool2d(x(1, 2, 7, 7), 3), "H and W must be divisible|divi", "only equal parts"),
    ("max_unpool2d", lambda x: F.max_unpool2d(*F.max_pool2d(x(1, 2, 4, 4), 2, return_indices=True), 2), "", "its mask does not contain indices"),
    ("adaptive_avg_pool3d", lambda x: F.adaptive_avg_pool3d(x(1, 2, 4, 4, 4), 2), "only support D=1", "only one part"),
    ("var of bfloat16", lambda x: x(3, 4).bfloat16().var(1), "only support float16 or float32", "rejected by torch_npu"),
    ("aminmax", lambda x: torch.aminmax(x(3, 4), dim=1), "aclnnAminmax", BY_FUNCTION),
    ("stable sort", lambda x: x(3, 4).sort(dim=1, stable=True), "aclnnSort", BY_FUNCTION),
    ("pad replicate 3d", lambda x: F.pad(x(1, 2, 3, 3, 3), (1,) * 6, mode="replicate"), "aclnnReplicationPad3d", BY_FUNCTION),
    ("pad reflect 3d", lambda x: F.pad(x(1, 2, 3, 3, 3), (1,) * 6, mode="reflect"), "aclnnReflectionPad3d", BY_FUNCTION),
    ("signbit", lambda x: torch.signbit(x(3)), "aclnnSignbit", BY_FUNCTION),
    ("nansum", lambda x: torch.nansum(x(3, 4), 1), "aclnnReduceNansum", BY_FUNCTION),
    ("solve_triangular", lambda x: torch.linalg.solve_triangular(x(3, 3), x(3, 1), upper=True), "aclnnTriangularSolve", BY_FUNCTION),
    ("cdist gradient", lambda x: torch.cdist(x(4, 3).requires_grad_(), x(5, 3)).sum().backward(), "contiguous", "the gradient is not contiguous"),
]


@pytest.mark.parametrize("name, function, says, why", REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(name, function, says, why):
    with pytest.raises(RuntimeError, match=says):
        function(lambda *shape: torch.randn(*shape).npu())
        torch.npu.synchronize()


# Results that torch_npu gets wrong although the operators are correct.
DIFFERENT = [
    ("any of integers", lambda x: (x.long() * 3).any(1), "returns integers"),
    ("embedding max_norm", lambda x: F.embedding(torch.zeros(2, 3, dtype=torch.long, device=x.device), x.clone(), max_norm=1.0), "loses a dimension"),
    ("avg_pool2d divisor gradient", lambda x: pooled(x), "does not pass the divisor on"),
]


def pooled(x):
    leaf = x.clone().requires_grad_()
    F.avg_pool2d(leaf.reshape(1, 1, 4, 4), 2, divisor_override=3).sum().backward()
    return leaf.grad


@pytest.mark.parametrize(
    "name, function, why",
    [pytest.param(*row, id=row[0], marks=pytest.mark.xfail(strict=True, raises=AssertionError, reason=row[2])) for row in DIFFERENT],
)
def test_different(name, function, why):
    on_both(function, torch.randn(4, 4))
