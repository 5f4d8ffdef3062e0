"""The programs that are measured: written for this benchmark, random weights, fixed seeds.

A workload builds its model when it is created. `step(number)` queues one step and returns; nothing in it waits for the device,
unless a program of its kind would. `loss()` waits and returns a number that shows that something was computed. `steps` are what
reaches the peak of memory; `warm` steps run before the `timed` ones. A workload that `stays` keeps its memory between timed runs.
"""

from .decode import Decode
from .gpt import FixedLengths, VaryingLengths
from .moe import Experts
from .streams import Streams

WORKLOADS = {kind.name: kind for kind in (FixedLengths, VaryingLengths, Decode, Experts, Streams)}
