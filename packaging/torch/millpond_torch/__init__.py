"""Workarounds for bugs of PyTorch for Ascend (torch_npu) that fail before it calls a runtime.

One file per bug, with the versions and the symptom. They replace calls that raise an error; they do not change results of
calls that work.
"""

import warnings


def load():
    """Called once, after torch_npu was imported. Never raises: most programs do not need a workaround."""
    from . import safe_softmax

    for workaround in (safe_softmax,):
        try:
            workaround.load()
        except Exception as error:  # noqa: BLE001 see above
            name = workaround.__name__.rpartition(".")[2]
            warnings.warn(f"millpond: the workaround {name} does not work with this version of PyTorch: {error}", stacklevel=2)
