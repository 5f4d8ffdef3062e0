"""Loads the remedies for PyTorch for Ascend, and then the sitecustomize that this file hides.

Python imports a module of this name when it starts; `millpond run` puts this folder on its way. There is no other
way that works for every script: PyTorch loads plug-ins only if it is imported before torch_npu is.
"""

import importlib.machinery
import importlib.util
import itertools
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class _AfterTorchNpu:
    """Finds torch_npu where it is, and loads the remedies as soon as it has been imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "torch_npu":
            return None
        # Programs also ask only whether it is there, so this may be called more than once. Those behind this one: another
        # installation on the way has a finder like it, and they would ask each other for ever.
        behind = itertools.dropwhile(lambda finder: finder is not _AfterTorchNpu, list(sys.meta_path))
        others = (finder for finder in behind if finder is not _AfterTorchNpu and hasattr(finder, "find_spec"))
        found = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader:
    """The loader of torch_npu, with the remedies behind it."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        if name == "_loader":
            # A copy that is being made has none yet.
            raise AttributeError(name)
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        # The module is the client's own from here on, as if nobody had looked.
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        try:
            import millpond_torch
        except ImportError:
            # The program has changed where modules are looked for. It may not need a remedy.
            return
        millpond_torch.load()


def _hidden():
    """The module of this name that comes after this folder.

    Not just any other: with two installations on the way each would find the other one, for ever.
    """
    places = [place for place, path in enumerate(sys.path) if os.path.abspath(path or ".") == HERE]
    return importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path[places[-1] + 1 :]) if places else None


sys.meta_path.insert(0, _AfterTorchNpu)
_spec = _hidden()
if _spec is not None and _spec.loader is not None:
    _module = importlib.util.module_from_spec(_spec)
    sys.modules["sitecustomize"] = _module
    _spec.loader.exec_module(_module)
