"""Runs a script with the pool: python -m millpond.torch train.py ARGUMENTS."""

import os
import runpy
import sys

import millpond.torch


def main() -> None:
    usage = "usage: python -m millpond.torch SCRIPT [ARGUMENTS...], or -m MODULE [ARGUMENTS...]"
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        raise SystemExit(usage)
    if sys.argv[1] != "-m" and not os.path.exists(sys.argv[1]):
        # Python's own options, such as -c, are not supported here.
        raise SystemExit(usage if sys.argv[1].startswith("-") else f"error: {sys.argv[1]} does not exist")
    try:
        millpond.torch.enable()
    except (millpond.torch.Error, ImportError, ValueError) as error:
        raise SystemExit(f"error: {error}") from None
    del sys.argv[0]
    if sys.argv[0] == "-m":
        if len(sys.argv) < 2:
            raise SystemExit("error: -m needs the name of a module")
        del sys.argv[0]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        # As for python SCRIPT; what is first now is for python -m.
        sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
