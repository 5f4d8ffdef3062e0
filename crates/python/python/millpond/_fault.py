"""Fault injection: makes calls fail, to test how a program handles it."""

from contextlib import contextmanager
from typing import Iterator, List, Optional

from acl import _acl

_plans: List[str] = []


@contextmanager
def fault(
    function: str,
    *,
    code: Optional[int] = None,
    nth: Optional[int] = None,
    every: Optional[int] = None,
    after: Optional[int] = None,
    seed: Optional[int] = None,
    one_in: Optional[int] = None,
) -> Iterator[None]:
    """Makes calls of a C function fail inside the `with` block: `millpond.fault("aclrtMalloc", nth=3, code=207001)`.

    Which calls fail: nth (one call, counted from 1), every (every n-th call), after (all calls after that one), or seed and
    one_in (one call in so many, chosen by a seeded generator). Counting starts with the block, for enclosing blocks too.
    "allocator.alloc" means the functions of registered allocators.
    """
    words = [function]
    for name, value in (("nth", nth), ("every", every), ("after", after), ("seed", seed), ("one-in", one_in)):
        if value is not None:
            words.append(f"{name}={int(value)}")
    if code is not None:
        words.append(f"code={int(code)}")
    plan = ":".join(words)
    _plans.append(plan)
    try:
        _set()
    except Exception:
        _plans.remove(plan)
        raise
    try:
        yield
    finally:
        _plans.remove(plan)
        _set()


def _set() -> None:
    code = _acl._millpond.set_faults(";".join(_plans))
    if code != 0:
        from . import Error

        raise Error("millpond.fault", code)
