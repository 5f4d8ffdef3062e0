"""Operators that torch_npu has by function only, or rejects in this form by name."""

import torch
import torch.nn.functional as F
from operator_table import Table, different, f, i

half, brain = torch.float16, torch.bfloat16
case = Table()
COMPLEX = dict(rtol=1e-4, atol=1e-5)

case("complex product", lambda x, y: torch.complex(x, y) * torch.complex(y, x), f(3, 4), f(3, 4), grad=False, **COMPLEX)
case("complex parts", lambda x, y: (z := torch.complex(x, y), z.real, z.imag, z.abs())[1:], f(3, 4), f(3, 4), grad=False)
case("polar", torch.polar, f(3, 4, low=0), f(3, 4), grad=False, **COMPLEX)
case("adaptive_max_pool2d uneven", lambda x: F.adaptive_max_pool2d(x, 3), different(1, 2, 7, 7))
case("adaptive_avg_pool3d", lambda x: F.adaptive_avg_pool3d(x, 2), f(1, 2, 4, 4, 4))
case("var of bfloat16", lambda x: x.var(1), f(3, 4, dtype=brain), grad=False)
case("aminmax", lambda x: tuple(torch.aminmax(x, dim=1)), different(3, 4), grad=False)
case("stable sort", lambda x: tuple(x.sort(dim=1, stable=True)), i(3, 9, low=0, high=3))
case("stable sort of floats", lambda x: tuple(x.sort(dim=0, stable=True, descending=True)), different(5, 4))
case("pad replicate 3d", lambda x: F.pad(x, (1,) * 6, mode="replicate"), f(1, 2, 3, 3, 3))
case("pad reflect 3d", lambda x: F.pad(x, (1,) * 6, mode="reflect"), f(1, 2, 3, 3, 3))
case("signbit", torch.signbit, f(3, 5), grad=False)
case("nansum", lambda x: torch.nansum(torch.where(x > 1, float("nan"), x), 1), f(3, 4), grad=False)
case("solve_triangular", lambda x, y: torch.linalg.solve_triangular(x.triu() + 3 * torch.eye(3, device=x.device), y, upper=True), f(3, 3), f(3, 1), grad=False)
case("interpolate nearest 1-D by a factor", lambda x: F.interpolate(x, scale_factor=1.7, mode="nearest"), f(1, 2, 5))

test = case.test()
