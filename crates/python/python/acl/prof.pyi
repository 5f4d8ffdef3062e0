"""The functions of acl.prof.

Generated from functions.tsv and the C headers by `cargo xtask generate`.
"""

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

_Text = Union[str, bytes, os.PathLike[str]]

def init(profiler_result_path: _Text, /) -> int:
    """ret = acl.prof.init(profiler_result_path)

    The folder that profiles are written to, by its absolute path and the length of that without the
    final NUL.

    Note: the path may be relative; the folder is created.

    C: aclprofInit"""

def finalize() -> int:
    """ret = acl.prof.finalize()

    Ends profiling; profiles that still run are stopped.

    C: aclprofFinalize"""

def create_config(device_id_list: Sequence[int], aicore_metrics: int, aicore_events: int, data_type_config: int, /) -> int:
    """value = acl.prof.create_config(device_id_list, aicore_metrics, aicore_events, data_type_config)

    What to collect on which devices; NULL if an argument is wrong. aicoreEvents must be NULL.

    Note: bits for hardware counters are accepted and collect nothing.

    C: aclprofCreateConfig"""

def destroy_config(profiler_config: int, /) -> int:
    """ret = acl.prof.destroy_config(profiler_config)

    Destroys a configuration that is not in use.

    C: aclprofDestroyConfig"""

def set_config(config_type: int, config: _Text, /) -> int:
    """ret = acl.prof.set_config(config_type, config)

    Sets an option for the profiles that are started after it.

    Note: ACL_PROF_STORAGE_LIMIT and ACL_PROF_SYS_HARDWARE_MEM_FREQ; the others, which only hardware
    or the system knows, return 200007.

    C: aclprofSetConfig"""

def warmup(profiler_config: int, /) -> int:
    """ret = acl.prof.warmup(profiler_config)

    Creates the folder of a profile in advance, so that starting it is quick.

    C: aclprofWarmup"""

def start(profiler_config: int, /) -> int:
    """ret = acl.prof.start(profiler_config)

    Starts collecting. A device can be in one running profile only.

    C: aclprofStart"""

def stop(profiler_config: int, /) -> int:
    """ret = acl.prof.stop(profiler_config)

    Stops collecting, and writes what was collected. Work that has not ended by then is absent:
    synchronise first.

    C: aclprofStop"""

def create_step_info() -> int:
    """value = acl.prof.create_step_info()

    Steps: each end of a step is set once, in the order of a stream.

    C: aclprofCreateStepInfo"""

def destroy_step_info(stepinfo: int, /) -> None:
    """acl.prof.destroy_step_info(stepinfo)

    Steps: each end of a step is set once, in the order of a stream.

    C: aclprofDestroyStepInfo"""

def get_step_timestamp(step_info: int, tag: int, stream: int, /) -> int:
    """ret = acl.prof.get_step_timestamp(step_info, tag, stream)

    Steps: each end of a step is set once, in the order of a stream.

    C: aclprofGetStepTimestamp"""

def create_stamp() -> int:
    """value = acl.prof.create_stamp()

    Stamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop
    may be on two.

    C: aclprofCreateStamp"""

def destroy_stamp(stamp: int, /) -> None:
    """acl.prof.destroy_stamp(stamp)

    Stamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop
    may be on two.

    C: aclprofDestroyStamp"""

def set_stamp_trace_message(stamp: int, msg: _Text, /) -> int:
    """ret = acl.prof.set_stamp_trace_message(stamp, msg)

    Stamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop
    may be on two.

    C: aclprofSetStampTraceMessage"""

def mark(stamp: int, /) -> int:
    """ret = acl.prof.mark(stamp)

    Stamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop
    may be on two.

    C: aclprofMark"""

def push(stamp: int, /) -> int:
    """ret = acl.prof.push(stamp)

    Stamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop
    may be on two.

    C: aclprofPush"""

def pop() -> int:
    """ret = acl.prof.pop()

    Stamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop
    may be on two.

    C: aclprofPop"""

def range_start(stamp: int, /) -> Tuple[int, int]:
    """range_id, ret = acl.prof.range_start(stamp)

    Stamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop
    may be on two.

    C: aclprofRangeStart"""

def range_stop(range_id: int, /) -> int:
    """ret = acl.prof.range_stop(range_id)

    Stamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop
    may be on two.

    C: aclprofRangeStop"""

def mark_ex(msg: _Text, stream: int, /) -> int:
    """ret = acl.prof.mark_ex(msg, stream)

    A mark with a text in the order of a stream.

    C: aclprofMarkEx"""
