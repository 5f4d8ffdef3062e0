"""Loads the workarounds for PyTorch for Ascend, and then the sitecustomize that this file hides.

Python imports a module of this name at startup; `millpond run` puts this folder on PYTHONPATH. Nothing else
works for every script: PyTorch loads its plugins only if it is imported before torch_npu.
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
# Set to 1, PyTorch on CUDA uses Millpond's pool.
POOL = "MILLPOND_TORCH"


class _AfterTorchNpu:
    """Finds torch_npu and its library, and puts the workarounds around their import."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        loaders = {"torch_npu": _Loader, "torch_npu._C": _LibraryLoader}
        if os.environ.get(POOL, "0") not in ("", "0"):
            loaders["torch"] = _PoolLoader
        if name not in loaders:
            return None
        # May be called more than once: programs also only test whether the module exists. Ask only the finders behind this
        # one: a second installation on the path has a finder like this, and the two would recurse.
        behind = itertools.dropwhile(lambda finder: finder is not _AfterTorchNpu, list(sys.meta_path))
        others = (finder for finder in behind if finder is not _AfterTorchNpu and hasattr(finder, "find_spec"))
        found = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = loaders[name](spec.loader)
        return spec


class _Loader:
    """The loader of torch_npu, followed by the workarounds."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        if name == "_loader":
            # A copy under construction has none yet.
            raise AttributeError(name)
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        # From here on the module has its own loader, as without this file.
        module.__loader__ = module.__spec__.loader = self._loader
        _set_variables()
        self._loader.exec_module(module)
        try:
            import millpond_torch
        except ImportError:
            # The program has changed sys.path. It may not need a workaround.
            return
        millpond_torch.load()


class _LibraryLoader(_Loader):
    """The loader of torch_npu's library, whose settings may have the names of others."""

    def create_module(self, spec):
        try:
            from millpond_torch import allocator_settings
        except ImportError:
            return self._loader.create_module(spec)
        with allocator_settings.hidden():
            return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)


class _PoolLoader(_Loader):
    """The loader of torch, followed by millpond.torch.enable()."""

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        try:
            import millpond.torch
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith(("millpond", "acl")):
                raise
            raise ImportError(f"{POOL} is set, but this Python lacks the package millpond: install the wheel, or unset it") from error
        millpond.torch.enable()


def _set_variables():
    """Sets what `millpond run` sets for a Python with torch_npu, in case it could not know: Python started by a shell
    script, or packages named in a .pth file. docs/environment.md describes the variables."""
    lib = os.path.join(os.path.dirname(HERE), "lib64")
    os.environ.setdefault("TASK_QUEUE_ENABLE", "0")
    hook = os.path.join(lib, HOOK)
    preload = os.environ.get("LD_PRELOAD", "")
    if any(map(os.environ.get, LISTENERS)) and HOOK not in preload and os.path.isfile(hook) and not {" ", ":"} & set(hook):
        # torch_npu only looks for the name, with C's getenv; the library is empty. os.environ keeps the old value: some scripts
        # treat it as a single file.
        os.putenv("LD_PRELOAD", f"{hook}:{preload}".rstrip(":"))
    if not os.environ.get("MILLPOND_ONNXRUNTIME") and not _has_engine(lib):
        folders = (os.path.join(os.path.abspath(path or "."), "onnxruntime", "capi") for path in sys.path)
        folder = next(filter(_has_engine, folders), None)
        if folder is not None:
            os.environ["MILLPOND_ONNXRUNTIME"] = folder


def _take_hook_back():
    """Removes the hook from os.environ in a process that inherited it: its script does not expect it there."""
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

    Not any other: two installations on the path would find each other without end.
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
