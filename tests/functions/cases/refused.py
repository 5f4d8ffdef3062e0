"""Functions that are exported and refuse every call, with a sentence that says why."""

import numpy

from harness import Any, Refused, case, exempt

WHY = {
    **dict.fromkeys(["SilentCheck", "SilentCheckV2"], "the rule by which gradients are judged"),
    "DualLevelQuantMatmulWeightNz": "matrices with two levels of scales",
    "RmsNormQuant": "published descriptions disagree",
}


def anything(f):
    """Arguments of the right kind: no argument is NULL."""
    values = {}
    for argument in f.arguments:
        tensor = Any((1, 1), "float32") if argument.output else numpy.zeros((1, 1), "float32")
        if argument.type == "aclTensor*":
            values[argument.name] = tensor
        elif argument.type == "aclTensorList*":
            values[argument.name] = [tensor]
        elif argument.type == "aclIntArray*":
            values[argument.name] = [1]
        elif argument.type == "char*":
            values[argument.name] = ""
    return values


for name, why in WHY.items():
    exempt(f"aclnn{name}", strided="it is refused", empty="it is refused", zero_dim="it is refused")

    @case(f"aclnn{name}")
    def _(f, why=why):
        f.refuses(**anything(f))
        try:
            f.run(anything(f), False, None)
        except Refused as refusal:
            assert why in refusal.text, refusal.text
            assert f.name in refusal.text, refusal.text
