"""A small training loop on timm's PrefetchLoader. Wrong with timm 1.0.15, right with 1.0.30.

timm copies the next batch on a second stream while the model trains on this one. In 1.0.15 the batch is used on the main
stream without record_stream, so its memory goes back to the second stream while the main stream still reads it.

    millpond check -- python timm_prefetch.py
"""

import torch
import torch_npu  # noqa: F401
from timm.data.loader import PrefetchLoader
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main() -> None:
    torch.manual_seed(0)
    images = torch.randint(0, 256, (64, 3, 16, 16), dtype=torch.uint8)
    labels = torch.randint(0, 4, (64,))
    batches = DataLoader(TensorDataset(images, labels), batch_size=8, pin_memory=True)
    loader = PrefetchLoader(batches, device=torch.device("npu"))
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 14 * 14, 4)
    ).npu()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.05)
    losses = []
    for batch, target in loader:
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(batch), target)
        loss.backward()
        optimiser.step()
        losses.append(loss.detach())
    # Asked for at the end, as real loops do every hundred steps: asking waits for the device, which hides the mistake.
    print("losses", " ".join(f"{loss.item():.2f}" for loss in losses))


if __name__ == "__main__":
    main()
