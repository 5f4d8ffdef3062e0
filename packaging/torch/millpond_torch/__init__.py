"""Remedies for what PyTorch for Ascend (torch_npu) cannot do by itself, before it ever calls a runtime.

One file each, with the versions and the symptom. None of them computes anything that torch_npu computes, and none is
needed for a right result: only for a result at all.
"""

import warnings


def load():
    """Called once, when torch_npu has been imported. Never fails: a program is better off without a remedy."""
    from . import safe_softmax

    for remedy in (safe_softmax,):
        try:
            remedy.load()
        except Exception as error:  # noqa: BLE001 see above
            name = remedy.__name__.rpartition(".")[2]
            warnings.warn(f"millpond: the remedy {name} does not fit this version of PyTorch: {error}", stacklevel=2)
