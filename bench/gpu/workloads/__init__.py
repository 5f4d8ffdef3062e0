"""The programs that are measured: written for this benchmark, random weights, fixed seeds.

A workload builds its model when it is created. `step(number)` queues one step and returns; nothing in it waits for the device,
unless a program of its kind would. `loss()` waits and returns a number that shows that something was computed. `steps` are what
reaches the peak of memory, `enough` what nearly does; `warm` steps run before the `timed` ones. A workload that `stays` keeps its
memory between timed runs.
"""

import torch

from .decode import Decode, DecodeChunks
from .gpt import FixedLengths, VaryingLengths
from .moe import Experts
from .streams import Streams

# cuDNN plans its attention for every new shape, which takes more time than all else that a step with a new shape does.
torch.backends.cuda.enable_cudnn_sdp(False)

WORKLOADS = {kind.name: kind for kind in (FixedLengths, VaryingLengths, Decode, DecodeChunks, Experts, Streams)}
