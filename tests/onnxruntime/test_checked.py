"""Sessions under `millpond check`: correct ones have no findings, and an error in the provider is found."""

from support import script

SESSIONS = """
import numpy as np
import onnxruntime as ort
import models
from support import MODES, on_cpu, on_device, same

rng = np.random.default_rng(3)
for mode in MODES:
    for make in models.ALL.values():
        made, feed = make(rng)
        session = on_device(made, mode, dump_om_model=0)
        for size in (2, 3, 2):
            inputs = feed(size)
            same(session.run(None, inputs), on_cpu(made, inputs))
    made, feed = models.mlp(rng)
    session = on_device(made, mode, dump_om_model=0)
    inputs = feed(2)
    binding = session.io_binding()
    binding.bind_ortvalue_input("x", ort.OrtValue.ortvalue_from_numpy(inputs["x"], "cann", 0))
    binding.bind_output("y", "cann")
    session.run_with_iobinding(binding)
    same(binding.copy_outputs_to_cpu(), on_cpu(made, inputs))
print("done")
"""

# Without a third input the provider passes the uninitialised output memory in its place.
NO_BIAS = """
import numpy as np
from support import OPERATORS, on_device, single

feed = {name: np.ones((4, 4), np.float16) for name in "ab"}
on_device(single("Gemm", feed), OPERATORS, strict=True, optimise=False).run(None, feed)
"""


def test_correct_sessions_are_silent():
    ended = script(SESSIONS, check=[])
    assert ended.status == 0 and "done" in ended.out, ended
    assert ended.findings == [], ended


def test_memory_that_the_provider_never_wrote_is_found():
    ended = script(NO_BIAS, check=[])
    assert {finding["rule"] for finding in ended.findings} == {"memory.uninitialised-read"}, ended
