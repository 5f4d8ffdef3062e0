"""The functions of an AscendCL installation, in whichever library they are."""

import ctypes


class Libraries:
    """Functions by name, from the first of several libraries that has one: an AscendCL installation divides them."""

    def __init__(self, paths):
        self._open, failure = [], None
        for path in paths:
            try:
                self._open.append(ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL))
            except OSError as error:
                failure = failure or error
        if not self._open:
            raise failure or OSError("no library was named")

    def __getattr__(self, name):
        for library in self._open:
            if hasattr(library, name):
                # Found once, it is an attribute like any other.
                setattr(self, name, getattr(library, name))
                return self.__dict__[name]
        raise AttributeError(f"no library has {name}")
