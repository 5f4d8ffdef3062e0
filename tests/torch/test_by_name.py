"""Operators by name: the tests of by_name.py, in a process of their own.

A thread of torch_npu keeps the mode in which it ran its first operator. The thread for backward passes is the same for all tests, so here it
would call operators by function although the forward pass called them by name, and the two save different things for each other.
"""

import pathlib

from support import script

RUN = "import sys, pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', *sys.argv[1:]]))"


def test_operators_by_name():
    ended = script(RUN, pathlib.Path(__file__).with_name("by_name.py"), timeout=3600)
    assert ended.status == 0, ended.out
