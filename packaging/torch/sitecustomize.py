"""Loads the remedies for PyTorch for Ascend, and then the sitecustomize that this file hides.

Python imports a module of this name when it starts; `millpond run` puts this folder on its way. There is no other
way that works for every script: PyTorch loads plug-ins only if it is imported before torch_npu is.
"""

import glob
import importlib.machinery
import importlib.util
import itertools
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HOOK = "libascend_kernel_hook.so"
LISTENERS = ("MILLPOND_CHECK", "MILLPOND_RECORD", "MILLPOND_RECORDS")


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
        _set_variables()
        self._loader.exec_module(module)
        try:
            import millpond_torch
        except ImportError:
            # The program has changed where modules are looked for. It may not need a remedy.
            return
        millpond_torch.load()


def _set_variables():
    """What `millpond run` sets for a Python that has torch_npu, in one that it could not see: started by a script for the
    shell, or with packages that a .pth file names. docs/environment.md says what each is for."""
    lib = os.path.join(os.path.dirname(HERE), "lib64")
    os.environ.setdefault("TASK_QUEUE_ENABLE", "0")
    hook = os.path.join(lib, HOOK)
    preload = os.environ.get("LD_PRELOAD", "")
    if any(map(os.environ.get, LISTENERS)) and HOOK not in preload and os.path.isfile(hook) and not {" ", ":"} & set(hook):
        # The name is all that torch_npu looks for, by getenv of C; the library is empty. Scripts that read os.environ see what
        # they were started with: some open it as one file.
        os.putenv("LD_PRELOAD", f"{hook}:{preload}".rstrip(":"))
    if not os.environ.get("MILLPOND_ONNXRUNTIME") and not _has_engine(lib):
        folders = (os.path.join(os.path.abspath(path or "."), "onnxruntime", "capi") for path in sys.path)
        folder = next(filter(_has_engine, folders), None)
        if folder is not None:
            os.environ["MILLPOND_ONNXRUNTIME"] = folder


def _take_hook_back():
    """A process that was started by one with torch_npu has the hook in its variable, and its script does not expect it."""
    hook = os.path.join(os.path.dirname(HERE), "lib64", HOOK)
    preload = os.environ.get("LD_PRELOAD", "")
    if preload == hook:
        del os.environ["LD_PRELOAD"]
    elif preload.startswith(hook + ":"):
        os.environ["LD_PRELOAD"] = preload[len(hook) + 1 :]


def _has_engine(folder):
    return bool(glob.glob(os.path.join(glob.escape(folder), "libonnxruntime.so*")))


def _hidden():
    """The module of this name that comes after this folder.

    Not just any other: with two installations on the way each would find the other one, for ever.
    """
    places = [place for place, path in enumerate(sys.path) if os.path.abspath(path or ".") == HERE]
    return importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path[places[-1] + 1 :]) if places else None


_take_hook_back()
sys.meta_path.insert(0, _AfterTorchNpu)
_spec = _hidden()
if _spec is not None and _spec.loader is not None:
    _module = importlib.util.module_from_spec(_spec)
    sys.modules["sitecustomize"] = _module
    _spec.loader.exec_module(_module)
