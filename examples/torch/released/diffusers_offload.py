"""A model whose blocks come to the device one by one, by diffusers' group offloading. Wrong with diffusers 0.33.1, right with 0.35.1.

With use_stream=True the weights of the next block are copied on a second stream while this one computes. In 0.33.1 the last
block computes without waiting for that copy.

    millpond check -- python diffusers_offload.py
"""

import torch
import torch_npu  # noqa: F401
from diffusers.hooks import apply_group_offloading
from torch import nn
from torch_npu.contrib import transfer_to_npu  # noqa: F401  diffusers asks torch.cuda


class Blocks(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(64, 64) for _ in range(4))

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            value = torch.tanh(block(value))
        return value


def main() -> None:
    torch.manual_seed(0)
    model = Blocks().eval()
    value = torch.randn(8, 64)
    expected = model(value).detach()
    apply_group_offloading(
        model,
        onload_device=torch.device("cuda"),
        offload_type="block_level",
        num_blocks_per_group=1,
        use_stream=True,
    )
    with torch.no_grad():
        for _ in range(3):
            result = model(value.cuda()).cpu()
            print(f"off by {(result - expected).abs().max().item():.2f}")


if __name__ == "__main__":
    main()
