"""The options of the pool: keyword arguments, or the variable MILLPOND_TORCH_OPTIONS."""

import ctypes
import os
import re
from typing import Any, Dict, Optional, Sequence

VARIABLE = "MILLPOND_TORCH_OPTIONS"
NAMES = ("limit", "page_size", "slack", "ahead", "windows", "waits", "form")

UNITS = {"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
SWITCH = {"on": True, "1": True, "true": True, "yes": True, "off": False, "0": False, "false": False, "no": False}
WAITS = ("watch", "off")
FORMS = ("auto", "class", "pluggable")
SMALLEST_PAGE, LARGEST_PAGE = 2 << 20, 1 << 30
NO_LIMIT = 2**64 - 1

NO_WINDOWS = 2


class CudaOptions(ctypes.Structure):
    """millpondCudaOptions of millpond/cuda.h."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("page_bytes", ctypes.c_uint64),
        ("range_bytes", ctypes.c_uint64),
        ("release_threshold_bytes", ctypes.c_uint64),
        ("floor_bytes", ctypes.c_uint64),
        ("slack_permille", ctypes.c_uint32),
        ("ahead_permille", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


class Options:
    """Checked options: limit and page_size in bytes or None, slack and ahead in thousandths or None, windows, waits, form."""

    def __init__(
        self,
        limit: Optional[int],
        page_size: Optional[int],
        slack: Optional[int],
        ahead: Optional[int],
        windows: bool,
        waits: str,
        form: str,
    ) -> None:
        self.limit = limit
        self.page_size = page_size
        self.slack = slack
        self.ahead = ahead
        self.windows = windows
        self.waits = waits
        self.form = form

    @classmethod
    def of(cls, **given: Any) -> "Options":
        """The arguments that are not None, then the variable, then the defaults."""
        values: Dict[str, Any] = dict.fromkeys(NAMES)
        values.update({"windows": True, "waits": "watch", "form": "auto"})
        values.update(_from_text(os.environ.get(VARIABLE, "")))
        values.update({name: value for name, value in given.items() if value is not None})
        page = None if values["page_size"] is None else size("page_size", values["page_size"])
        if page is not None and not (SMALLEST_PAGE <= page <= LARGEST_PAGE and page & (page - 1) == 0):
            raise ValueError(f"invalid page_size {values['page_size']!r}: a power of two from 2 MiB to 1 GiB is expected")
        limit = None if values["limit"] is None else size("limit", values["limit"])
        if limit == 0:
            raise ValueError("invalid limit 0: at least one page is needed; leave it out for no limit")
        slack = None if values["slack"] is None else thousandths("slack", values["slack"], 1000)
        ahead = None if values["ahead"] is None else thousandths("ahead", values["ahead"], 100_000)
        return cls(limit, page, slack, ahead, switch(values["windows"]), one_of("waits", values["waits"], WAITS), one_of("form", values["form"], FORMS))

    @property
    def limit_bytes(self) -> int:
        return NO_LIMIT if self.limit is None else self.limit

    def for_library(self) -> CudaOptions:
        made = CudaOptions(struct_size=ctypes.sizeof(CudaOptions))
        made.page_bytes = self.page_size or 0
        made.slack_permille = self.slack or 0
        made.ahead_permille = self.ahead or 0
        made.flags = 0 if self.windows else NO_WINDOWS
        return made

    def as_text(self) -> str:
        """In the form of the variable MILLPOND_CUDA_OPTIONS, which the library reads."""
        parts = [] if self.page_size is None else [f"page={self.page_size}"]
        if self.slack is not None:
            parts.append(f"slack={self.slack}")
        if self.ahead is not None:
            parts.append(f"ahead={self.ahead}")
        if not self.windows:
            parts.append("windows=0")
        return ",".join(parts)


def _from_text(text: str) -> Dict[str, str]:
    found = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals or name.strip() not in NAMES:
            raise ValueError(f"invalid {VARIABLE}: {part!r} is none of {', '.join(f'{known}=' for known in NAMES)}")
        found[name.strip()] = value.strip()
    return found


def size(name: str, value: Any) -> int:
    """Bytes, from a number or a text such as "16GiB"."""
    found = -1
    if isinstance(value, int) and not isinstance(value, bool):
        found = value
    elif isinstance(value, str):
        parts = re.fullmatch(r"([0-9]+) ?([a-zA-Z]*)", value.strip())
        if parts and parts.group(2).lower() in UNITS:
            found = int(parts.group(1)) * UNITS[parts.group(2).lower()]
    # The library takes 64 bits.
    if 0 <= found < NO_LIMIT:
        return found
    raise ValueError(f'invalid {name} {value!r}: a number of bytes or a text such as "512MiB" or "16GiB" is expected')


def thousandths(name: str, value: Any, most: int) -> int:
    """From 1 to `most`."""
    text = str(value).strip()
    if isinstance(value, bool) or not text.isdigit() or not 1 <= int(text) <= most:
        raise ValueError(f"invalid {name} {value!r}: thousandths from 1 to {most} are expected")
    return int(text)


def switch(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in SWITCH:
        return SWITCH[value.lower()]
    raise ValueError(f"invalid windows {value!r}: True or False is expected; in {VARIABLE}, on or off")


def one_of(name: str, value: Any, allowed: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"invalid {name} {value!r}: one of {', '.join(allowed)} is expected")
    return value
