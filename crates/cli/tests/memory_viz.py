"""Runs PyTorch's own code for memory snapshots on one: `memory_viz.py SNAPSHOT WANTED`. Run it with a Python that has torch.

WANTED is JSON: for each device all values of its live bytes, and how many allocations there are. The page that PyTorch makes loads its
script from the network, so it is not opened here; the data in it must be the snapshot.
"""

import base64
import contextlib
import importlib.util
import io
import json
import pickle
import re
import sys
from pathlib import Path

# The module itself, without the seconds that `import torch` takes.
torch = importlib.util.find_spec("torch")
file = Path(torch.origin).parent / "cuda/_memory_viz.py"
spec = importlib.util.spec_from_file_location("_memory_viz", file)
viz = importlib.util.module_from_spec(spec)
spec.loader.exec_module(viz)

with open(sys.argv[1], "rb") as snapshot:
    data = pickle.load(snapshot)
with open(sys.argv[2]) as wanted:
    wanted = json.load(wanted)

summary = viz.segsum(data)
assert f"segments: {len(data['segments'])}\n" in summary, summary
told = viz.trace(data)
assert len(re.findall(r"^\w+ = (?!cudaMalloc)\S+\[", told, re.MULTILINE)) == wanted["allocations"], told

# The flame graphs as text: their pictures need a script from the network.
plain = lambda lines: lines
left = sum(all[-1] for all in wanted["live"].values() if all)
for lines in (viz.memory(data, plain), viz.segments(data, plain)):
    cells = [line.rsplit(" ", 1) for line in lines.splitlines()]
    live = sum(int(bytes) for stack, bytes in cells if ";active_allocated;" in stack and not stack.endswith("<gaps>"))
    assert live == left, (live, left)
with contextlib.redirect_stdout(io.StringIO()):
    assert viz.compare(data["segments"], data["segments"], plain) == ""

for page in (viz.trace_plot(data), viz.trace_plot(data, plot_segments=True), viz.segment_plot(data)):
    inside = re.search(r'"base64": "([^"]*)"', page).group(1)
    assert pickle.loads(base64.b64decode(inside)) == data
