"""A training loop in which rank 1 fails. The other rank is in a collective then."""

import torch
import torch.distributed as dist
from common import DEVICE, RANK, begin

begin()
x = torch.ones(1000, device=DEVICE)
for step in range(10):
    dist.all_reduce(x)
    torch.npu.synchronize()
    if RANK == 1 and step == 3:
        raise ValueError("the data are wrong")
