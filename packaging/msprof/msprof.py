"""Calls the command msprof with the same arguments: PyTorch for Ascend tests that this file exists before it starts the command."""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    command = Path(__file__).resolve().parents[3] / "bin" / "msprof"
    os.execv(command, [str(command), *sys.argv[1:]])
