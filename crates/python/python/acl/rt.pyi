"""The functions of acl.rt.

Generated from functions.tsv and the C headers by `cargo xtask generate`.
"""

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

_Text = Union[str, bytes, os.PathLike[str]]

def allocator_create_desc() -> int:
    """Descriptions. The caller destroys what it created. Object and functions must not be NULL; the
    advised form is optional.

    Note: all five fields start as NULL; the reference zeroes only the object.

    C: aclrtAllocatorCreateDesc"""

def allocator_destroy_desc(desc: int, /) -> int:
    """Descriptions. The caller destroys what it created. Object and functions must not be NULL; the
    advised form is optional.

    Note: destroying twice is an error instead of undefined behaviour.

    C: aclrtAllocatorDestroyDesc"""

def allocator_set_obj_to_desc(desc: int, allocator: Any, /) -> int:
    """The object that is passed to the functions of this allocator: any Python object, kept alive as
    long as the description or a registration exists.

    C: aclrtAllocatorSetObjToDesc"""

def allocator_set_alloc_func_to_desc(desc: int, func: Callable[[Any, int], Any], /) -> int:
    """func(allocator, size) returns a block: an int or any object; None or 0 if there is no memory. An
    exception counts as no memory.

    C: aclrtAllocatorSetAllocFuncToDesc"""

def allocator_set_free_func_to_desc(desc: int, func: Callable[[Any, Any], Any], /) -> int:
    """func(allocator, block) frees a block.

    C: aclrtAllocatorSetFreeFuncToDesc"""

def allocator_set_alloc_advise_func_to_desc(desc: int, func: Callable[[Any, int, int], Any], /) -> int:
    """func(allocator, size, addr) returns a block, near an address if possible.

    C: aclrtAllocatorSetAllocAdviseFuncToDesc"""

def allocator_set_get_addr_from_block_func_to_desc(desc: int, func: Callable[[Any], int], /) -> int:
    """func(block) returns the address of a block in device memory.

    C: aclrtAllocatorSetGetAddrFromBlockFuncToDesc"""

def allocator_register(stream: int, desc: int, /) -> int:
    """Registration. The last one for a stream wins. In aclrtAllocatorGetByStream all results but the
    description may be NULL.

    Note: the stream must exist, and the registration ends with it; the reference accepts any value
    and keeps it.

    C: aclrtAllocatorRegister"""

def allocator_get_by_stream(stream: int, /) -> Tuple[int, Any, Any, Any, Any, Any, int]:
    """What is registered on a stream: description, object, functions for alloc, free, alloc_advise and
    get_addr, and the code. Functions of C are addresses.

    C: aclrtAllocatorGetByStream"""

def allocator_unregister(stream: int, /) -> int:
    """Registration. The last one for a stream wins. In aclrtAllocatorGetByStream all results but the
    description may be NULL.

    Note: succeeds for a destroyed stream, as for a stream without an allocator.

    C: aclrtAllocatorUnregister"""

def mem_pool_create(pool_props: Dict[str, Any], /) -> Tuple[int, int]:
    """mem_pool, ret = acl.rt.mem_pool_create(pool_props)

    The caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no
    pointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a
    pool. aclrtMemPoolTrimTo gives unused memory back to the device.

    C: aclrtMemPoolCreate"""

def mem_pool_destroy(mem_pool: int, /) -> int:
    """ret = acl.rt.mem_pool_destroy(mem_pool)

    The caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no
    pointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a
    pool. aclrtMemPoolTrimTo gives unused memory back to the device.

    C: aclrtMemPoolDestroy"""

def mem_pool_set_attr(mem_pool: int, attr: int, value: int, /) -> int:
    """The caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no
    pointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a
    pool. aclrtMemPoolTrimTo gives unused memory back to the device.

    C: aclrtMemPoolSetAttr"""

def mem_pool_get_attr(mem_pool: int, attr: int, /) -> Tuple[int, int]:
    """The caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no
    pointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a
    pool. aclrtMemPoolTrimTo gives unused memory back to the device.

    C: aclrtMemPoolGetAttr"""

def mem_pool_malloc_async(size: int, mem_pool: int, stream: int, /) -> Tuple[int, int]:
    """ptr, ret = acl.rt.mem_pool_malloc_async(size, mem_pool, stream)

    The caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no
    pointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a
    pool. aclrtMemPoolTrimTo gives unused memory back to the device.

    C: aclrtMemPoolMallocAsync"""

def mem_pool_free_async(ptr: int, stream: int, /) -> int:
    """ret = acl.rt.mem_pool_free_async(ptr, stream)

    The caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no
    pointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a
    pool. aclrtMemPoolTrimTo gives unused memory back to the device.

    C: aclrtMemPoolFreeAsync"""

def mem_pool_trim_to(mem_pool: int, min_bytes_to_keep: int, /) -> int:
    """ret = acl.rt.mem_pool_trim_to(mem_pool, min_bytes_to_keep)

    The caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no
    pointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a
    pool. aclrtMemPoolTrimTo gives unused memory back to the device.

    C: aclrtMemPoolTrimTo"""

def launch_callback(fn: Callable[[Any], Any], user_data: Any, block_type: int, stream: int, /) -> int:
    """Queues fn(user_data) for the thread that processes the reports of the stream.

    Note: a C++ exception that leaves the function terminates the process.

    C: aclrtLaunchCallback"""

def launch_host_func(stream: int, fn: Callable[[Any], Any], args: Any, /) -> int:
    """Queues fn(args), which runs on a separate thread; the stream waits for it.

    Note: a C++ exception that leaves the function terminates the process.

    C: aclrtLaunchHostFunc"""

def subscribe_report(thread_id: int, stream: int, /) -> int:
    """ret = acl.rt.subscribe_report(thread_id, stream)

    Host functions in stream order. aclrtLaunchCallback needs a thread that is subscribed to the
    stream and calls aclrtProcessReport (milliseconds, -1 for no limit); aclrtLaunchHostFunc brings
    its own thread. A function that runs in a stream must not call the interface itself. A C++
    exception that leaves the function ends the process.

    C: aclrtSubscribeReport"""

def process_report(timeout: int, /) -> int:
    """ret = acl.rt.process_report(timeout)

    Host functions in stream order. aclrtLaunchCallback needs a thread that is subscribed to the
    stream and calls aclrtProcessReport (milliseconds, -1 for no limit); aclrtLaunchHostFunc brings
    its own thread. A function that runs in a stream must not call the interface itself. A C++
    exception that leaves the function ends the process.

    Note: returns 107012 when the thread's last stream was destroyed.

    C: aclrtProcessReport"""

def unsubscribe_report(thread_id: int, stream: int, /) -> int:
    """ret = acl.rt.unsubscribe_report(thread_id, stream)

    Host functions in stream order. aclrtLaunchCallback needs a thread that is subscribed to the
    stream and calls aclrtProcessReport (milliseconds, -1 for no limit); aclrtLaunchHostFunc brings
    its own thread. A function that runs in a stream must not call the interface itself. A C++
    exception that leaves the function ends the process.

    Note: refused with 107011 while callbacks of the stream have not run.

    C: aclrtUnSubscribeReport"""

def subscribe_host_func(host_func_thread_id: int, exe_stream: int, /) -> int:
    """ret = acl.rt.subscribe_host_func(host_func_thread_id, exe_stream)

    Host functions in stream order. aclrtLaunchCallback needs a thread that is subscribed to the
    stream and calls aclrtProcessReport (milliseconds, -1 for no limit); aclrtLaunchHostFunc brings
    its own thread. A function that runs in a stream must not call the interface itself. A C++
    exception that leaves the function ends the process.

    Refused: Millpond runs host functions on its own threads; use aclrtLaunchHostFunc.

    C: aclrtSubscribeHostFunc"""

def process_host_func(timeout: int, /) -> int:
    """ret = acl.rt.process_host_func(timeout)

    Host functions in stream order. aclrtLaunchCallback needs a thread that is subscribed to the
    stream and calls aclrtProcessReport (milliseconds, -1 for no limit); aclrtLaunchHostFunc brings
    its own thread. A function that runs in a stream must not call the interface itself. A C++
    exception that leaves the function ends the process.

    Refused: Millpond runs host functions on its own threads; use aclrtLaunchHostFunc.

    C: aclrtProcessHostFunc"""

def unsubscribe_host_func(host_func_thread_id: int, exe_stream: int, /) -> int:
    """ret = acl.rt.unsubscribe_host_func(host_func_thread_id, exe_stream)

    Host functions in stream order. aclrtLaunchCallback needs a thread that is subscribed to the
    stream and calls aclrtProcessReport (milliseconds, -1 for no limit); aclrtLaunchHostFunc brings
    its own thread. A function that runs in a stream must not call the interface itself. A C++
    exception that leaves the function ends the process.

    Refused: Millpond runs host functions on its own threads; use aclrtLaunchHostFunc.

    C: aclrtUnSubscribeHostFunc"""

def reg_stream_state_callback(reg_name: _Text, callback: Optional[Callable[[int, int, Any], Any]], args: Any = ..., /) -> int:
    """callback(stream, state, args) is called after a stream was created and before it is destroyed.
    None removes the callback.

    C: aclrtRegStreamStateCallback"""

def reg_device_state_callback(reg_name: _Text, callback: Optional[Callable[[int, int, Any], Any]], args: Any = ..., /) -> int:
    """callback(device_id, state, args) is called before and after a device is set or reset. None
    removes the callback.

    C: aclrtRegDeviceStateCallback"""

def set_device_task_abort_callback(reg_name: _Text, callback: Optional[Callable[[int, int, int, Any], Any]], args: Any = ..., /) -> int:
    """callback(device_id, stage, timeout, args) is called before and after all work of a device is
    aborted, and returns a code; None means 0.

    C: aclrtSetDeviceTaskAbortCallback"""

def set_exception_info_callback(callback: Optional[Callable[[int], Any]], /) -> int:
    """callback(exception_info) is called for each task that fails. None removes it.

    Note: runs on a thread of its own, before the call that returns the failure does; the pointer is
    valid until the function returns.

    C: aclrtSetExceptionInfoCallback"""

def exception_info_callback_register(callback: Callable[[int], Any], /) -> int:
    """Adds a callback(exception_info) that is called for each task that fails.

    Note: runs on a thread of its own, before the call that returns the failure does; the pointer is
    valid until the function returns.

    C: aclrtExceptionInfoCallbackRegister"""

def exception_info_callback_unregister(callback: Callable[[int], Any], /) -> int:
    """Removes a callback of exception_info_callback_register.

    C: aclrtExceptionInfoCallbackUnregister"""

def get_task_id_from_exception_info(info: int, /) -> int:
    """value = acl.rt.get_task_id_from_exception_info(info)

    Failed tasks. The function is called once for each, on a thread of the library, before a call
    returns the failure. What it gets is valid until it returns; the getters return 0xffffffff for
    anything else. A NULL callback ends what was set; the other two add and remove functions.

    Note: the number of the task in its stream, from 1.

    C: aclrtGetTaskIdFromExceptionInfo"""

def get_stream_id_from_exception_info(info: int, /) -> int:
    """value = acl.rt.get_stream_id_from_exception_info(info)

    Failed tasks. The function is called once for each, on a thread of the library, before a call
    returns the failure. What it gets is valid until it returns; the getters return 0xffffffff for
    anything else. A NULL callback ends what was set; the other two add and remove functions.

    Note: as aclrtStreamGetId.

    C: aclrtGetStreamIdFromExceptionInfo"""

def get_thread_id_from_exception_info(info: int, /) -> int:
    """value = acl.rt.get_thread_id_from_exception_info(info)

    Failed tasks. The function is called once for each, on a thread of the library, before a call
    returns the failure. What it gets is valid until it returns; the getters return 0xffffffff for
    anything else. A NULL callback ends what was set; the other two add and remove functions.

    Note: the number that the system gave to the thread which queued the task; 0xffffffff if that
    was before a function was registered.

    C: aclrtGetThreadIdFromExceptionInfo"""

def get_device_id_from_exception_info(info: int, /) -> int:
    """value = acl.rt.get_device_id_from_exception_info(info)

    Failed tasks. The function is called once for each, on a thread of the library, before a call
    returns the failure. What it gets is valid until it returns; the getters return 0xffffffff for
    anything else. A NULL callback ends what was set; the other two add and remove functions.

    C: aclrtGetDeviceIdFromExceptionInfo"""

def get_error_code_from_exception_info(info: int, /) -> int:
    """value = acl.rt.get_error_code_from_exception_info(info)

    Failed tasks. The function is called once for each, on a thread of the library, before a call
    returns the failure. What it gets is valid until it returns; the getters return 0xffffffff for
    anything else. A NULL callback ends what was set; the other two add and remove functions.

    Note: the code that the next synchronisation of the stream returns.

    C: aclrtGetErrorCodeFromExceptionInfo"""

def get_device_res_limit(device_id: int, type: int, /) -> Tuple[int, int]:
    """value, ret = acl.rt.get_device_res_limit(device_id, type)

    Of this process on a device. Without a limit it is what the device has.

    Note: stored and returned; kernels run on the machine's own processor, where MILLPOND_THREADS
    bounds them.

    C: aclrtGetDeviceResLimit"""

def set_device_res_limit(device_id: int, type: int, value: int, /) -> int:
    """ret = acl.rt.set_device_res_limit(device_id, type, value)

    Of this process on a device. Without a limit it is what the device has.

    Note: stored and returned; kernels run on the machine's own processor, where MILLPOND_THREADS
    bounds them; 0 and more than the device has return 107000.

    C: aclrtSetDeviceResLimit"""

def reset_device_res_limit(device_id: int, /) -> int:
    """ret = acl.rt.reset_device_res_limit(device_id)

    Of this process on a device. Without a limit it is what the device has.

    C: aclrtResetDeviceResLimit"""

def get_stream_res_limit(stream: int, type: int, /) -> Tuple[int, int]:
    """value, ret = acl.rt.get_stream_res_limit(stream, type)

    Of a stream; NULL is the default stream. Without a limit it is the device's.

    Note: stored and returned; kernels run on the machine's own processor, where MILLPOND_THREADS
    bounds them.

    C: aclrtGetStreamResLimit"""

def set_stream_res_limit(stream: int, type: int, value: int, /) -> int:
    """ret = acl.rt.set_stream_res_limit(stream, type, value)

    Of a stream; NULL is the default stream. Without a limit it is the device's.

    Note: stored and returned; kernels run on the machine's own processor, where MILLPOND_THREADS
    bounds them; 0 and more than the device has return 107000.

    C: aclrtSetStreamResLimit"""

def reset_stream_res_limit(stream: int, /) -> int:
    """ret = acl.rt.reset_stream_res_limit(stream)

    Of a stream; NULL is the default stream. Without a limit it is the device's.

    C: aclrtResetStreamResLimit"""

def use_stream_res_in_current_thread(stream: int, /) -> int:
    """ret = acl.rt.use_stream_res_in_current_thread(stream)

    Of what this thread queues: the limits of a stream, from Use to Unuse. The last Use counts.

    C: aclrtUseStreamResInCurrentThread"""

def unuse_stream_res_in_current_thread(stream: int, /) -> int:
    """ret = acl.rt.unuse_stream_res_in_current_thread(stream)

    Of what this thread queues: the limits of a stream, from Use to Unuse. The last Use counts.

    C: aclrtUnuseStreamResInCurrentThread"""

def get_res_in_current_thread(type: int, /) -> Tuple[int, int]:
    """value, ret = acl.rt.get_res_in_current_thread(type)

    Of what this thread queues: the limits of a stream, from Use to Unuse. The last Use counts.

    Note: stored and returned; kernels run on the machine's own processor, where MILLPOND_THREADS
    bounds them.

    C: aclrtGetResInCurrentThread"""

def create_context(device_id: int, /) -> Tuple[int, int]:
    """context, ret = acl.rt.create_context(device_id)

    A created context becomes current for the calling thread. The caller destroys it; the primary
    context of a device belongs to aclrtSetDevice and is not destroyed here. A new thread has no
    context, and most calls then return ACL_ERROR_RT_CONTEXT_NULL. In aclrtGetPrimaryCtxState flags
    is NULL.

    C: aclrtCreateContext"""

def destroy_context(context: int, /) -> int:
    """ret = acl.rt.destroy_context(context)

    A created context becomes current for the calling thread. The caller destroys it; the primary
    context of a device belongs to aclrtSetDevice and is not destroyed here. A new thread has no
    context, and most calls then return ACL_ERROR_RT_CONTEXT_NULL. In aclrtGetPrimaryCtxState flags
    is NULL.

    C: aclrtDestroyContext"""

def set_context(context: int, /) -> int:
    """ret = acl.rt.set_context(context)

    A created context becomes current for the calling thread. The caller destroys it; the primary
    context of a device belongs to aclrtSetDevice and is not destroyed here. A new thread has no
    context, and most calls then return ACL_ERROR_RT_CONTEXT_NULL. In aclrtGetPrimaryCtxState flags
    is NULL.

    C: aclrtSetCurrentContext"""

def get_context() -> Tuple[int, int]:
    """context, ret = acl.rt.get_context()

    A created context becomes current for the calling thread. The caller destroys it; the primary
    context of a device belongs to aclrtSetDevice and is not destroyed here. A new thread has no
    context, and most calls then return ACL_ERROR_RT_CONTEXT_NULL. In aclrtGetPrimaryCtxState flags
    is NULL.

    C: aclrtGetCurrentContext"""

def ctx_get_current_default_stream() -> Tuple[int, int]:
    """stream, ret = acl.rt.ctx_get_current_default_stream()

    A created context becomes current for the calling thread. The caller destroys it; the primary
    context of a device belongs to aclrtSetDevice and is not destroyed here. A new thread has no
    context, and most calls then return ACL_ERROR_RT_CONTEXT_NULL. In aclrtGetPrimaryCtxState flags
    is NULL.

    C: aclrtCtxGetCurrentDefaultStream"""

def get_primary_ctx_state(device_id: int, /) -> Tuple[int, int, int]:
    """flags, active, ret = acl.rt.get_primary_ctx_state(device_id)

    A created context becomes current for the calling thread. The caller destroys it; the primary
    context of a device belongs to aclrtSetDevice and is not destroyed here. A new thread has no
    context, and most calls then return ACL_ERROR_RT_CONTEXT_NULL. In aclrtGetPrimaryCtxState flags
    is NULL.

    C: aclrtGetPrimaryCtxState"""

def memcpy(dst: int, dest_max: int, src: int, count: int, kind: int, /) -> int:
    """ret = acl.rt.memcpy(dst, dest_max, src, count, kind)

    destMax is the room behind dst: a larger count is refused. A count of 0 succeeds and looks at
    nothing else. The asynchronous forms return when the copy is queued; both buffers must stay as
    they are until the stream has passed it. Unpinned host memory is copied before the call returns.

    Note: kinds 6 and 7 return 100000: the reference accepts them only in the forms with
    descriptors, offsets and batches; the direction is derived from the addresses where possible; a
    range that leaves its block or lies in freed memory returns 107000, and a block is checked with
    its rounding to a multiple of 512 bytes; copies between devices need no peer access.

    C: aclrtMemcpy"""

def memcpy_async(dst: int, dest_max: int, src: int, count: int, kind: int, stream: int, /) -> int:
    """ret = acl.rt.memcpy_async(dst, dest_max, src, count, kind, stream)

    destMax is the room behind dst: a larger count is refused. A count of 0 succeeds and looks at
    nothing else. The asynchronous forms return when the copy is queued; both buffers must stay as
    they are until the stream has passed it. Unpinned host memory is copied before the call returns.

    Note: as aclrtMemcpy, kinds 6 and 7 included; with unpinned host memory the call waits for the
    stream and copies before it returns.

    C: aclrtMemcpyAsync"""

def memcpy_async_with_condition(dst: int, dest_max: int, src: int, count: int, kind: int, stream: int, /) -> int:
    """ret = acl.rt.memcpy_async_with_condition(dst, dest_max, src, count, kind, stream)

    destMax is the room behind dst: a larger count is refused. A count of 0 succeeds and looks at
    nothing else. The asynchronous forms return when the copy is queued; both buffers must stay as
    they are until the stream has passed it. Unpinned host memory is copied before the call returns.

    Note: the same as aclrtMemcpyAsync.

    C: aclrtMemcpyAsyncWithCondition"""

def memcpy2d(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, /) -> int:
    """ret = acl.rt.memcpy2d(dst, dpitch, src, spitch, width, height, kind)

    Rectangles: height rows of width bytes, with pitch bytes from row to row.

    Note: as aclrtMemcpy.

    C: aclrtMemcpy2d"""

def memcpy_2d(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, /) -> int:
    """ret = acl.rt.memcpy2d(dst, dpitch, src, spitch, width, height, kind)

    Rectangles: height rows of width bytes, with pitch bytes from row to row.

    Note: as aclrtMemcpy.

    C: aclrtMemcpy2d"""

def memcpy2d_async(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int, /) -> int:
    """ret = acl.rt.memcpy2d_async(dst, dpitch, src, spitch, width, height, kind, stream)

    Rectangles: height rows of width bytes, with pitch bytes from row to row.

    Note: as aclrtMemcpyAsync.

    C: aclrtMemcpy2dAsync"""

def memcpy_2d_async(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int, /) -> int:
    """ret = acl.rt.memcpy2d_async(dst, dpitch, src, spitch, width, height, kind, stream)

    Rectangles: height rows of width bytes, with pitch bytes from row to row.

    Note: as aclrtMemcpyAsync.

    C: aclrtMemcpy2dAsync"""

def memcpy_batch(dsts: Sequence[int], dest_maxs: Sequence[int], srcs: Sequence[int], sizes: Sequence[int], attrs: Sequence[Dict[str, Any]], attrs_indexes: Sequence[int], /) -> Tuple[int, int]:
    """fail_index, ret = acl.rt.memcpy_batch(dsts, dest_maxs, srcs, sizes, attrs, attrs_indexes)

    Many copies in one call, all from the host to the device or all back. attrs[k] says for the
    copies from attrsIndexes[k] up to the next index where their memory is; attrsIndexes begins with
    0 and ascends. failIndex receives the copy that an error is about, or SIZE_MAX. Unpinned host
    memory is copied before the call returns.

    Note: in one direction, between host and device; the attributes must be true; everything is
    checked before the first copy, and failIndex also names a copy whose size or address is wrong.

    C: aclrtMemcpyBatch"""

def memcpy_batch_v2(dsts: Sequence[int], dest_maxs: Sequence[int], srcs: Sequence[int], sizes: Sequence[int], attrs: Sequence[Dict[str, Any]], attrs_indexes: Sequence[int], /) -> int:
    """ret = acl.rt.memcpy_batch_v2(dsts, dest_maxs, srcs, sizes, attrs, attrs_indexes)

    Many copies in one call, all from the host to the device or all back. attrs[k] says for the
    copies from attrsIndexes[k] up to the next index where their memory is; attrsIndexes begins with
    0 and ascends. failIndex receives the copy that an error is about, or SIZE_MAX. Unpinned host
    memory is copied before the call returns.

    Note: as aclrtMemcpyBatch.

    C: aclrtMemcpyBatchV2"""

def memcpy_batch_async(dsts: Sequence[int], dest_maxs: Sequence[int], srcs: Sequence[int], sizes: Sequence[int], attrs: Sequence[Dict[str, Any]], attrs_indexes: Sequence[int], stream: int, /) -> Tuple[int, int]:
    """fail_index, ret = acl.rt.memcpy_batch_async(dsts, dest_maxs, srcs, sizes, attrs, attrs_indexes,
    stream)

    Many copies in one call, all from the host to the device or all back. attrs[k] says for the
    copies from attrsIndexes[k] up to the next index where their memory is; attrsIndexes begins with
    0 and ascends. failIndex receives the copy that an error is about, or SIZE_MAX. Unpinned host
    memory is copied before the call returns.

    Note: as aclrtMemcpyBatch; unpinned host memory as for aclrtMemcpyAsync.

    C: aclrtMemcpyBatchAsync"""

def memcpy_batch_async_v2(dsts: Sequence[int], dest_maxs: Sequence[int], srcs: Sequence[int], sizes: Sequence[int], attrs: Sequence[Dict[str, Any]], attrs_indexes: Sequence[int], stream: int, /) -> int:
    """ret = acl.rt.memcpy_batch_async_v2(dsts, dest_maxs, srcs, sizes, attrs, attrs_indexes, stream)

    Many copies in one call, all from the host to the device or all back. attrs[k] says for the
    copies from attrsIndexes[k] up to the next index where their memory is; attrsIndexes begins with
    0 and ascends. failIndex receives the copy that an error is about, or SIZE_MAX. Unpinned host
    memory is copied before the call returns.

    Note: as aclrtMemcpyBatchAsync.

    C: aclrtMemcpyBatchAsyncV2"""

def get_memcpy_desc_size(kind: int, /) -> Tuple[int, int]:
    """desc_size, ret = acl.rt.get_memcpy_desc_size(kind)

    Copies inside a device (ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) whose addresses are in memory: in a
    description of descSize bytes of device memory, or as pointers at dst and src, to which the
    offsets are added. They are read in the order of the stream.

    Note: for ACL_MEMCPY_INNER_DEVICE_TO_DEVICE; other kinds return 207000.

    C: aclrtGetMemcpyDescSize"""

def set_memcpy_desc(desc: int, kind: int, src_addr: int, dst_addr: int, count: int, config: int, /) -> int:
    """ret = acl.rt.set_memcpy_desc(desc, kind, src_addr, dst_addr, count, config)

    Copies inside a device (ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) whose addresses are in memory: in a
    description of descSize bytes of device memory, or as pointers at dst and src, to which the
    offsets are added. They are read in the order of the stream.

    Note: as aclrtGetMemcpyDescSize.

    C: aclrtSetMemcpyDesc"""

def memcpy_async_with_offset(dst: int, dest_max: int, dst_data_offset: int, src: int, count: int, src_data_offset: int, kind: int, stream: int, /) -> int:
    """ret = acl.rt.memcpy_async_with_offset(dst, dest_max, dst_data_offset, src, count,
    src_data_offset, kind, stream)

    Copies inside a device (ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) whose addresses are in memory: in a
    description of descSize bytes of device memory, or as pointers at dst and src, to which the
    offsets are added. They are read in the order of the stream.

    Note: for ACL_MEMCPY_INNER_DEVICE_TO_DEVICE; other kinds return 207000; addresses in memory of
    the runtime are read when the stream comes to the copy, those in memory of the program by the
    call; one that is bad then makes the stream fail.

    C: aclrtMemcpyAsyncWithOffset"""

def memcpy_async_with_desc(desc: int, kind: int, stream: int, /) -> int:
    """ret = acl.rt.memcpy_async_with_desc(desc, kind, stream)

    Copies inside a device (ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) whose addresses are in memory: in a
    description of descSize bytes of device memory, or as pointers at dst and src, to which the
    offsets are added. They are read in the order of the stream.

    Note: as aclrtGetMemcpyDescSize; the description is read when the stream comes to the copy; one
    that is bad then makes the stream fail.

    C: aclrtMemcpyAsyncWithDesc"""

def memset(dev_ptr: int, max_count: int, value: int, count: int, /) -> int:
    """ret = acl.rt.memset(dev_ptr, max_count, value, count)

    Setting. aclrtMemset uses the low 8 bits of value; the D32 forms write N numbers of 32 bits.

    C: aclrtMemset"""

def memset_async(dev_ptr: int, max_count: int, value: int, count: int, stream: int, /) -> int:
    """ret = acl.rt.memset_async(dev_ptr, max_count, value, count, stream)

    Setting. aclrtMemset uses the low 8 bits of value; the D32 forms write N numbers of 32 bits.

    C: aclrtMemsetAsync"""

def memset_d32(ptr: int, mem_size: int, value: int, n: int, /) -> int:
    """ret = acl.rt.memset_d32(ptr, mem_size, value, n)

    Setting. aclrtMemset uses the low 8 bits of value; the D32 forms write N numbers of 32 bits.

    C: aclrtMemsetD32"""

def memset_d32_async(ptr: int, mem_size: int, value: int, n: int, stream: int, /) -> int:
    """ret = acl.rt.memset_d32_async(ptr, mem_size, value, n, stream)

    Setting. aclrtMemset uses the low 8 bits of value; the D32 forms write N numbers of 32 bits.

    C: aclrtMemsetD32Async"""

def reduce_async(dst: int, src: int, count: int, kind: int, type: int, stream: int, reserve: int, /) -> int:
    """ret = acl.rt.reduce_async(dst, src, count, kind, type, stream, reserve)

    A copy that computes: dst becomes dst + src, or the larger or the smaller of both, element by
    element. count is in bytes; reserve is NULL.

    Note: sum, maximum and minimum of float32, float16, bfloat16, int8, int16, int32 and uint32;
    integers wrap; other types and EQUAL return 207000; memory of other devices is accepted.

    C: aclrtReduceAsync"""

def value_write(dev_addr: int, value: int, flag: int, stream: int, /) -> int:
    """ret = acl.rt.value_write(dev_addr, value, flag, stream)

    Eight bytes that streams write and wait for. devAddr is a multiple of 8 in memory of the
    runtime; the flag of a write is 0, that of a wait one of ACL_STREAM_WAIT_VALUE_*: GEQ
    (int64_t)(now - value) >= 0 EQ now == value AND (now & value) != 0 NOR ~(now | value) != 0 Both
    return when they are queued. What a stream did before its write is visible to the stream whose
    wait the write ended. A wait that nothing ends stops its stream until aclrtStreamAbort.

    Note: eight bytes in one piece, in device memory or pinned memory.

    C: aclrtValueWrite"""

def value_wait(dev_addr: int, value: int, flag: int, stream: int, /) -> int:
    """ret = acl.rt.value_wait(dev_addr, value, flag, stream)

    Eight bytes that streams write and wait for. devAddr is a multiple of 8 in memory of the
    runtime; the flag of a write is 0, that of a wait one of ACL_STREAM_WAIT_VALUE_*: GEQ
    (int64_t)(now - value) >= 0 EQ now == value AND (now & value) != 0 NOR ~(now | value) != 0 Both
    return when they are queued. What a stream did before its write is visible to the stream whose
    wait the write ended. A wait that nothing ends stops its stream until aclrtStreamAbort.

    Note: holds no thread; a write of a stream or of a call ends it at once, a store of the program
    to pinned memory or a write of another process within 0.1 s; millpond check takes the write that
    a wait saw as what orders the two streams.

    C: aclrtValueWait"""

def set_device(device_id: int, /) -> int:
    """ret = acl.rt.set_device(device_id)

    The device of the calling thread. aclrtSetDevice takes a reference to the device's primary
    context and makes it current; each call needs one aclrtResetDevice, and the last one waits for
    the device's work and frees what it holds. aclrtResetDeviceForce drops all references.

    C: aclrtSetDevice"""

def reset_device(device_id: int, /) -> int:
    """ret = acl.rt.reset_device(device_id)

    The device of the calling thread. aclrtSetDevice takes a reference to the device's primary
    context and makes it current; each call needs one aclrtResetDevice, and the last one waits for
    the device's work and frees what it holds. aclrtResetDeviceForce drops all references.

    Note: the last reset frees all memory of the device, unless a context of aclrtCreateContext
    still uses it.

    C: aclrtResetDevice"""

def reset_device_force(device_id: int, /) -> int:
    """ret = acl.rt.reset_device_force(device_id)

    The device of the calling thread. aclrtSetDevice takes a reference to the device's primary
    context and makes it current; each call needs one aclrtResetDevice, and the last one waits for
    the device's work and frees what it holds. aclrtResetDeviceForce drops all references.

    C: aclrtResetDeviceForce"""

def get_device() -> Tuple[int, int]:
    """device_id, ret = acl.rt.get_device()

    The device of the calling thread. aclrtSetDevice takes a reference to the device's primary
    context and makes it current; each call needs one aclrtResetDevice, and the last one waits for
    the device's work and frees what it holds. aclrtResetDeviceForce drops all references.

    Note: after aclFinalize it returns the last device of the thread, because libraries ask for it
    while they shut down; the next aclInit resets that.

    C: aclrtGetDevice"""

def get_device_count() -> Tuple[int, int]:
    """count, ret = acl.rt.get_device_count()

    The device of the calling thread. aclrtSetDevice takes a reference to the device's primary
    context and makes it current; each call needs one aclrtResetDevice, and the last one waits for
    the device's work and frees what it holds. aclrtResetDeviceForce drops all references.

    Note: ASCEND_RT_VISIBLE_DEVICES is read up to the first character that is neither a digit nor a
    comma, an empty entry, or a device that does not exist; a list that does not ascend shows no
    device; it may change until a device is used.

    C: aclrtGetDeviceCount"""

def get_run_mode() -> Tuple[int, int]:
    """run_mode, ret = acl.rt.get_run_mode()

    The device of the calling thread. aclrtSetDevice takes a reference to the device's primary
    context and makes it current; each call needs one aclrtResetDevice, and the last one waits for
    the device's work and frees what it holds. aclrtResetDeviceForce drops all references.

    C: aclrtGetRunMode"""

def set_ts_device(ts_id: int, /) -> int:
    """ret = acl.rt.set_ts_device(ts_id)

    The device of the calling thread. aclrtSetDevice takes a reference to the device's primary
    context and makes it current; each call needs one aclrtResetDevice, and the last one waits for
    the device's work and frees what it holds. aclrtResetDeviceForce drops all references.

    Note: there is one scheduler; only the value is checked.

    C: aclrtSetTsDevice"""

def synchronize_device() -> int:
    """ret = acl.rt.synchronize_device()

    Waiting for all streams of the current device. The timeout is in milliseconds; -1 waits without
    a limit.

    C: aclrtSynchronizeDevice"""

def synchronize_device_with_timeout(timeout: int, /) -> int:
    """ret = acl.rt.synchronize_device_with_timeout(timeout)

    Waiting for all streams of the current device. The timeout is in milliseconds; -1 waits without
    a limit.

    C: aclrtSynchronizeDeviceWithTimeout"""

def device_task_abort(device_id: int, timeout: int, /) -> int:
    """ret = acl.rt.device_task_abort(device_id, timeout)

    Waiting for all streams of the current device. The timeout is in milliseconds; -1 waits without
    a limit.

    Note: drops what has not begun in all streams of the device, as aclrtStreamAbort does; waits for
    the rest, and returns 107020 if that takes longer than timeout milliseconds.

    C: aclrtDeviceTaskAbort"""

def device_can_access_peer(device_id: int, peer_device_id: int, /) -> Tuple[int, int]:
    """can_access_peer, ret = acl.rt.device_can_access_peer(device_id, peer_device_id)

    Access to the memory of another device. Enabling works in one direction: from the current device
    to the peer. flags is 0.

    C: aclrtDeviceCanAccessPeer"""

def device_enable_peer_access(peer_device_id: int, flags: int, /) -> int:
    """ret = acl.rt.device_enable_peer_access(peer_device_id, flags)

    Access to the memory of another device. Enabling works in one direction: from the current device
    to the peer. flags is 0.

    Note: stored and returned; copies between devices work without it, and millpond check reports
    them (memory.wrong-device).

    C: aclrtDeviceEnablePeerAccess"""

def device_disable_peer_access(peer_device_id: int, /) -> int:
    """ret = acl.rt.device_disable_peer_access(peer_device_id)

    Access to the memory of another device. Enabling works in one direction: from the current device
    to the peer. flags is 0.

    C: aclrtDeviceDisablePeerAccess"""

def device_peer_access_status(device_id: int, peer_device_id: int, /) -> Tuple[int, int]:
    """status, ret = acl.rt.device_peer_access_status(device_id, peer_device_id)

    Access to the memory of another device. Enabling works in one direction: from the current device
    to the peer. flags is 0.

    C: aclrtDevicePeerAccessStatus"""

def ctx_get_sys_param_opt(opt: int, /) -> Tuple[int, int]:
    """value, ret = acl.rt.ctx_get_sys_param_opt(opt)

    Options of the current context, and of the process. Reading one that was never set is
    ACL_ERROR_RT_SYSPARAMOPT_NOT_SET for a context, and 0 for the process.

    C: aclrtCtxGetSysParamOpt"""

def ctx_set_sys_param_opt(opt: int, value: int, /) -> int:
    """ret = acl.rt.ctx_set_sys_param_opt(opt, value)

    Options of the current context, and of the process. Reading one that was never set is
    ACL_ERROR_RT_SYSPARAMOPT_NOT_SET for a context, and 0 for the process.

    C: aclrtCtxSetSysParamOpt"""

def get_sys_param_opt(opt: int, /) -> Tuple[int, int]:
    """value, ret = acl.rt.get_sys_param_opt(opt)

    Options of the current context, and of the process. Reading one that was never set is
    ACL_ERROR_RT_SYSPARAMOPT_NOT_SET for a context, and 0 for the process.

    C: aclrtGetSysParamOpt"""

def set_sys_param_opt(opt: int, value: int, /) -> int:
    """ret = acl.rt.set_sys_param_opt(opt, value)

    Options of the current context, and of the process. Reading one that was never set is
    ACL_ERROR_RT_SYSPARAMOPT_NOT_SET for a context, and 0 for the process.

    C: aclrtSetSysParamOpt"""

def set_op_wait_timeout(timeout: int, /) -> int:
    """ret = acl.rt.set_op_wait_timeout(timeout)

    How long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);
    what it makes of an overflow.

    C: aclrtSetOpWaitTimeout"""

def set_op_execute_time_out(timeout: int, /) -> int:
    """ret = acl.rt.set_op_execute_time_out(timeout)

    How long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);
    what it makes of an overflow.

    Note: the limit is stored and returned, but no operator is stopped by it.

    C: aclrtSetOpExecuteTimeOut"""

def set_op_execute_time_out_with_ms(timeout: int, /) -> int:
    """ret = acl.rt.set_op_execute_time_out_with_ms(timeout)

    How long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);
    what it makes of an overflow.

    Note: the limit is stored and returned, but no operator is stopped by it.

    C: aclrtSetOpExecuteTimeOutWithMs"""

def set_op_execute_timeout_v2(timeout: int, /) -> Tuple[int, int]:
    """actual_timeout, ret = acl.rt.set_op_execute_timeout_v2(timeout)

    How long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);
    what it makes of an overflow.

    Note: the limit is stored and returned, but no operator is stopped by it.

    C: aclrtSetOpExecuteTimeOutV2"""

def set_op_execute_time_out_v2(timeout: int, /) -> Tuple[int, int]:
    """actual_timeout, ret = acl.rt.set_op_execute_timeout_v2(timeout)

    How long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);
    what it makes of an overflow.

    Note: the limit is stored and returned, but no operator is stopped by it.

    C: aclrtSetOpExecuteTimeOutV2"""

def get_op_execute_timeout() -> Tuple[int, int]:
    """timeout_ms, ret = acl.rt.get_op_execute_timeout()

    How long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);
    what it makes of an overflow.

    Note: the limit is stored and returned, but no operator is stopped by it.

    C: aclrtGetOpExecuteTimeout"""

def get_op_time_out_interval() -> Tuple[int, int]:
    """interval, ret = acl.rt.get_op_time_out_interval()

    How long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);
    what it makes of an overflow.

    Note: the limit is stored and returned, but no operator is stopped by it.

    C: aclrtGetOpTimeOutInterval"""

def set_device_sat_mode(mode: int, /) -> int:
    """ret = acl.rt.set_device_sat_mode(mode)

    How long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);
    what it makes of an overflow.

    Note: for streams that are created afterwards. Saturation: infinite results of operators and
    queued models become the largest number of their type, NaN becomes 0; inputs, copies and
    collectives stay as they are. Refused (207000) on Ascend 950.

    C: aclrtSetDeviceSatMode"""

def get_device_sat_mode() -> Tuple[int, int]:
    """mode, ret = acl.rt.get_device_sat_mode()

    How long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);
    what it makes of an overflow.

    C: aclrtGetDeviceSatMode"""

def get_overflow_status(output_addr: int, output_size: int, stream: int, /) -> int:
    """ret = acl.rt.get_overflow_status(output_addr, output_size, stream)

    Whether a result on the stream's device was infinite or not a number, while its stream had
    aclrtSetStreamOverflowSwitch on. In the order of the stream, the first writes 64 bytes of device
    memory: a number other than 0 if so, and zeros. The second forgets it.

    Note: the first byte is 1 if a result was too large, all others are 0; per device of the
    process.

    C: aclrtGetOverflowStatus"""

def reset_overflow_status(stream: int, /) -> int:
    """ret = acl.rt.reset_overflow_status(stream)

    Whether a result on the stream's device was infinite or not a number, while its stream had
    aclrtSetStreamOverflowSwitch on. In the order of the stream, the first writes 64 bytes of device
    memory: a number other than 0 if so, and zeros. The second forgets it.

    C: aclrtResetOverflowStatus"""

def cmo_async(src: int, size: int, cmo_type: int, stream: int, /) -> int:
    """ret = acl.rt.cmo_async(src, size, cmo_type, stream)

    Prefetches a range of device memory, in the order of the stream.

    Note: prefetching checks its range and does nothing; other kinds return 207000.

    C: aclrtCmoAsync"""

def cmo_get_desc_size() -> Tuple[int, int]:
    """size, ret = acl.rt.cmo_get_desc_size()

    The same with a range that is looked up when the stream gets there: cmoDesc is device memory
    with as many bytes as aclrtCmoGetDescSize returns, and aclrtCmoSetDesc writes the range into it.
    reserve is NULL.

    Note: 64.

    C: aclrtCmoGetDescSize"""

def cmo_set_desc(cmo_desc: int, src: int, size: int, /) -> int:
    """ret = acl.rt.cmo_set_desc(cmo_desc, src, size)

    The same with a range that is looked up when the stream gets there: cmoDesc is device memory
    with as many bytes as aclrtCmoGetDescSize returns, and aclrtCmoSetDesc writes the range into it.
    reserve is NULL.

    C: aclrtCmoSetDesc"""

def cmo_async_with_desc(cmo_desc: int, cmo_type: int, stream: int, reserve: int, /) -> int:
    """ret = acl.rt.cmo_async_with_desc(cmo_desc, cmo_type, stream, reserve)

    The same with a range that is looked up when the stream gets there: cmoDesc is device memory
    with as many bytes as aclrtCmoGetDescSize returns, and aclrtCmoSetDesc writes the range into it.
    reserve is NULL.

    Note: a descriptor that was not written, or whose range is gone, fails the task; other kinds
    than prefetching return 207000.

    C: aclrtCmoAsyncWithDesc"""

def device_get_uuid(device_id: int, /) -> Tuple[bytes, int]:
    """The sixteen bytes that identify a device.

    Note: derived from the device's physical number.

    C: aclrtDeviceGetUuid"""

def get_device_info(device_id: int, attr: int, /) -> Tuple[int, int]:
    """value, ret = acl.rt.get_device_info(device_id, attr)

    Attributes and state of one device.

    Note: attributes of missing hardware return 207000.

    C: aclrtGetDeviceInfo"""

def get_device_capability(device_id: int, dev_feature_type: int, /) -> Tuple[int, int]:
    """value, ret = acl.rt.get_device_capability(device_id, dev_feature_type)

    Attributes and state of one device.

    Note: 1 for ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, because tasks of a graph can be
    updated; 0 for the other.

    C: aclrtGetDeviceCapability"""

def query_device_status(device_id: int, /) -> Tuple[int, int]:
    """device_status, ret = acl.rt.query_device_status(device_id)

    Attributes and state of one device.

    Note: ACL_RT_DEVICE_STATUS_ABNORMAL while a fault rule with `lost` holds, else
    ACL_RT_DEVICE_STATUS_NORMAL.

    C: aclrtQueryDeviceStatus"""

def get_device_utilization_rate(device_id: int, /) -> Tuple[Dict[str, Any], int]:
    """utilization_info, ret = acl.rt.get_device_utilization_rate(device_id)

    Attributes and state of one device.

    Note: memory only; the load of cores is -1, not measured.

    C: aclrtGetDeviceUtilizationRate"""

def get_error_verbose(device_id: int, /) -> Tuple[Dict[str, Any], int]:
    """error_info, ret = acl.rt.get_error_verbose(device_id)

    Faults of a device, and their repair.

    Note: always ACL_RT_NO_ERROR: there is no hardware that could fail.

    C: aclrtGetErrorVerbose"""

def get_mem_uce_info(device_id: int, array_size: int, /) -> Tuple[List[Dict[str, Any]], int]:
    """At most array_size ranges of faulty memory, each with addr and len.

    Note: no address is faulty.

    C: aclrtGetMemUceInfo"""

def device_set_limit(limit: int, value: int, /) -> int:
    """ret = acl.rt.device_set_limit(limit, value)

    Limits of the current device. One that was not set cannot be read.

    Note: stored and returned; kernels for NPU cores do not run. Limits of SIMT kernels return
    207000 before Ascend 950; 0 and more than the device has return 107000.

    C: aclrtDeviceSetLimit"""

def device_get_limit(limit: int, /) -> Tuple[int, int]:
    """value, ret = acl.rt.device_get_limit(limit)

    Limits of the current device. One that was not set cannot be read.

    Note: what was set; before that 207000, because the defaults of chips are not known.

    C: aclrtDeviceGetLimit"""

def device_get_pci_bus_id(device_id: int, len: int, /) -> Tuple[str, int]:
    """pci_bus_id, ret = acl.rt.device_get_pci_bus_id(device_id, len)

    Where a device sits. pciBusId is a text that the caller provides room for.

    Refused: returns 207000: devices are not on a PCI bus.

    C: aclrtDeviceGetPCIBusId"""

def device_get_by_pci_bus_id(pci_bus_id: _Text, /) -> Tuple[int, int]:
    """device_id, ret = acl.rt.device_get_by_pci_bus_id(pci_bus_id)

    Where a device sits. pciBusId is a text that the caller provides room for.

    Refused: returns 207000: devices are not on a PCI bus.

    C: aclrtDeviceGetByPCIBusId"""

def get_devices_topo(device_id: int, other_device_id: int, /) -> Tuple[int, int]:
    """value, ret = acl.rt.get_devices_topo(device_id, other_device_id)

    Where a device sits. pciBusId is a text that the caller provides room for.

    Refused: returns 207000: there are no links between devices; see aclrtDeviceCanAccessPeer.

    C: aclrtGetDevicesTopo"""

def get_logic_dev_id_by_user_dev_id(user_devid: int, /) -> Tuple[int, int]:
    """logic_dev_id, ret = acl.rt.get_logic_dev_id_by_user_dev_id(user_devid)

    The three numbers of a device: as the program counts, as the process may see, as the machine has
    it.

    Note: the logical number is the number for aclrtSetDevice.

    C: aclrtGetLogicDevIdByUserDevId"""

def get_user_dev_id_by_logic_dev_id(logic_dev_id: int, /) -> Tuple[int, int]:
    """user_devid, ret = acl.rt.get_user_dev_id_by_logic_dev_id(logic_dev_id)

    The three numbers of a device: as the program counts, as the process may see, as the machine has
    it.

    Note: the logical number is the number for aclrtSetDevice.

    C: aclrtGetUserDevIdByLogicDevId"""

def get_logic_dev_id_by_phy_dev_id(phy_dev_id: int, /) -> Tuple[int, int]:
    """logic_dev_id, ret = acl.rt.get_logic_dev_id_by_phy_dev_id(phy_dev_id)

    The three numbers of a device: as the program counts, as the process may see, as the machine has
    it.

    Note: physical numbers include devices that ASCEND_RT_VISIBLE_DEVICES hides; a hidden device
    returns 107001.

    C: aclrtGetLogicDevIdByPhyDevId"""

def get_phy_dev_id_by_logic_dev_id(logic_dev_id: int, /) -> Tuple[int, int]:
    """phy_dev_id, ret = acl.rt.get_phy_dev_id_by_logic_dev_id(logic_dev_id)

    The three numbers of a device: as the program counts, as the process may see, as the machine has
    it.

    Note: physical numbers include devices that ASCEND_RT_VISIBLE_DEVICES hides; a hidden device
    returns 107001.

    C: aclrtGetPhyDevIdByLogicDevId"""

def get_user_dev_id_by_phy_dev_id(phy_dev_id: int, /) -> Tuple[int, int]:
    """user_dev_id, ret = acl.rt.get_user_dev_id_by_phy_dev_id(phy_dev_id)

    The three numbers of a device: as the program counts, as the process may see, as the machine has
    it.

    Note: physical numbers include devices that ASCEND_RT_VISIBLE_DEVICES hides; a hidden device
    returns 107001.

    C: aclrtGetUserDevIdByPhyDevId"""

def get_phy_dev_id_by_user_dev_id(user_dev_id: int, /) -> Tuple[int, int]:
    """phy_dev_id, ret = acl.rt.get_phy_dev_id_by_user_dev_id(user_dev_id)

    The three numbers of a device: as the program counts, as the process may see, as the machine has
    it.

    Note: physical numbers include devices that ASCEND_RT_VISIBLE_DEVICES hides; a hidden device
    returns 107001.

    C: aclrtGetPhyDevIdByUserDevId"""

def create_event() -> Tuple[int, int]:
    """event, ret = acl.rt.create_event()

    The caller destroys an event; one that is not finished yet goes when it is. Events of
    aclrtCreateEventExWithFlag can be recorded again and again, and need no reset.

    C: aclrtCreateEvent"""

def create_event_with_flag(flag: int, /) -> Tuple[int, int]:
    """event, ret = acl.rt.create_event_with_flag(flag)

    The caller destroys an event; one that is not finished yet goes when it is. Events of
    aclrtCreateEventExWithFlag can be recorded again and again, and need no reset.

    Note: ACL_EVENT_IPC returns 207000; ACL_EVENT_EXTERNAL makes an event between graphs and work
    outside, which is set, waited for and reset when streams come to these tasks.

    C: aclrtCreateEventWithFlag"""

def create_event_ex_with_flag(flag: int, /) -> Tuple[int, int]:
    """event, ret = acl.rt.create_event_ex_with_flag(flag)

    The caller destroys an event; one that is not finished yet goes when it is. Events of
    aclrtCreateEventExWithFlag can be recorded again and again, and need no reset.

    Note: ACL_EVENT_IPC stands alone; ACL_EVENT_EXTERNAL as for aclrtCreateEventWithFlag.

    C: aclrtCreateEventExWithFlag"""

def destroy_event(event: int, /) -> int:
    """ret = acl.rt.destroy_event(event)

    The caller destroys an event; one that is not finished yet goes when it is. Events of
    aclrtCreateEventExWithFlag can be recorded again and again, and need no reset.

    C: aclrtDestroyEvent"""

def record_event(event: int, stream: int, /) -> int:
    """ret = acl.rt.record_event(event, stream)

    Recording. A NULL stream is the default stream of the current context.

    C: aclrtRecordEvent"""

def record_event_with_flag(event: int, stream: int, flag: int, /) -> int:
    """ret = acl.rt.record_event_with_flag(event, stream, flag)

    Recording. A NULL stream is the default stream of the current context.

    Note: ACL_EVENT_RECORD_EXTERNAL: in a capture, the record is repeated at each launch and is no
    edge of the graph.

    C: aclrtRecordEventWithFlag"""

def reset_event(event: int, stream: int, /) -> int:
    """ret = acl.rt.reset_event(event, stream)

    Recording. A NULL stream is the default stream of the current context.

    Note: affects waits that are enqueued later; events of aclrtCreateEvent are accepted, as older
    releases document; 9.0 refuses them.

    C: aclrtResetEvent"""

def query_event(event: int, /) -> Tuple[int, int]:
    """status, ret = acl.rt.query_event(event)

    Querying and waiting. The timeout is in milliseconds; -1 waits without a limit.

    C: aclrtQueryEvent"""

def query_event_status(event: int, /) -> Tuple[int, int]:
    """status, ret = acl.rt.query_event_status(event)

    Querying and waiting. The timeout is in milliseconds; -1 waits without a limit.

    Note: an event with ACL_EVENT_CAPTURE_STREAM_PROGRESS that was recorded in a capture may be
    queried; it is not complete as long as the graph exists.

    C: aclrtQueryEventStatus"""

def query_event_wait_status(event: int, /) -> Tuple[int, int]:
    """status, ret = acl.rt.query_event_wait_status(event)

    Querying and waiting. The timeout is in milliseconds; -1 waits without a limit.

    C: aclrtQueryEventWaitStatus"""

def synchronize_event(event: int, /) -> int:
    """ret = acl.rt.synchronize_event(event)

    Querying and waiting. The timeout is in milliseconds; -1 waits without a limit.

    Note: an event that was never recorded counts as reached.

    C: aclrtSynchronizeEvent"""

def synchronize_event_with_timeout(event: int, timeout: int, /) -> int:
    """ret = acl.rt.synchronize_event_with_timeout(event, timeout)

    Querying and waiting. The timeout is in milliseconds; -1 waits without a limit.

    C: aclrtSynchronizeEventWithTimeout"""

def event_elapsed_time(start_event: int, end_event: int, /) -> Tuple[float, int]:
    """ms, ret = acl.rt.event_elapsed_time(start_event, end_event)

    Times: milliseconds between two events, and the microsecond at which one was reached.

    C: aclrtEventElapsedTime"""

def event_get_timestamp(event: int, /) -> Tuple[int, int]:
    """timestamp, ret = acl.rt.event_get_timestamp(event)

    Times: milliseconds between two events, and the microsecond at which one was reached.

    C: aclrtEventGetTimestamp"""

def get_event_id(event: int, /) -> Tuple[int, int]:
    """event_id, ret = acl.rt.get_event_id(event)

    Numbers.

    C: aclrtGetEventId"""

def get_event_avail_num() -> Tuple[int, int]:
    """event_count, ret = acl.rt.get_event_avail_num()

    Numbers.

    Note: at most 65,536 per process.

    C: aclrtGetEventAvailNum"""

def host_register(ptr: int, size: int, type: int, /) -> Tuple[int, int]:
    """dev_ptr, ret = acl.rt.host_register(ptr, size, type)

    Registration. The caller keeps ownership, and unregisters before freeing.

    Note: the device address is the host address; nothing is locked; copies treat the memory as
    pinned.

    C: aclrtHostRegister"""

def host_register_v2(ptr: int, size: int, flag: int, /) -> int:
    """ret = acl.rt.host_register_v2(ptr, size, flag)

    Registration. The caller keeps ownership, and unregisters before freeing.

    Note: as aclrtHostRegister.

    C: aclrtHostRegisterV2"""

def host_get_device_pointer(p_host: int, flag: int, /) -> Tuple[int, int]:
    """p_device, ret = acl.rt.host_get_device_pointer(p_host, flag)

    Registration. The caller keeps ownership, and unregisters before freeing.

    Note: returns the address itself; 107000 if it is not registered.

    C: aclrtHostGetDevicePointer"""

def host_unregister(ptr: int, /) -> int:
    """ret = acl.rt.host_unregister(ptr)

    Registration. The caller keeps ownership, and unregisters before freeing.

    Note: waits for queued work that uses the range, also for collectives, unless that waits for the
    program.

    C: aclrtHostUnregister"""

def host_mem_map_capabilities(device_id: int, hac_type: int, /) -> Tuple[int, int]:
    """capabilities, ret = acl.rt.host_mem_map_capabilities(device_id, hac_type)

    Registration. The caller keeps ownership, and unregisters before freeing.

    Note: every engine of the device can access registered memory.

    C: aclrtHostMemMapCapabilities"""

def mem_alloc_managed(size: int, flag: int, /) -> Tuple[int, int]:
    """ptr, ret = acl.rt.mem_alloc_managed(size, flag)

    Managed memory: one address for host and devices. aclrtFree frees it. Advice and prefetches say
    where a range will be used; the attributes answer what was said. A number of 4 bytes is written,
    for ACCESSED_BY as many as dataSize has room for: the number of a device or a node, -1 for the
    host, -2 if the pages of the range differ or nothing was said.

    Note: one place: memory of the device that is current when it is allocated, in whole pages of 2
    MiB, which the program may use, too.

    C: aclrtMemAllocManaged"""

def mem_managed_advise(ptr: int, size: int, advise: int, location: Dict[str, Any], /) -> int:
    """ret = acl.rt.mem_managed_advise(ptr, size, advise, location)

    Managed memory: one address for host and devices. aclrtFree frees it. Advice and prefetches say
    where a range will be used; the attributes answer what was said. A number of 4 bytes is written,
    for ACCESSED_BY as many as dataSize has room for: the number of a device or a node, -1 for the
    host, -2 if the pages of the range differ or nothing was said.

    Note: advice is remembered per page of 2 MiB and returned; nothing moves.

    C: aclrtMemManagedAdvise"""

def mem_managed_get_attr(attribute: int, ptr: int, size: int, data: int, data_size: int, /) -> int:
    """ret = acl.rt.mem_managed_get_attr(attribute, ptr, size, data, data_size)

    Managed memory: one address for host and devices. aclrtFree frees it. Advice and prefetches say
    where a range will be used; the attributes answer what was said. A number of 4 bytes is written,
    for ACCESSED_BY as many as dataSize has room for: the number of a device or a node, -1 for the
    host, -2 if the pages of the range differ or nothing was said.

    Note: as the manual says; the number of the host is -1, and -2 stands for none or several.

    C: aclrtMemManagedGetAttr"""

def mem_managed_get_attrs(attributes: Sequence[int], ptr: int, size: int, data: Sequence[int], data_sizes: Sequence[int], /) -> int:
    """ret = acl.rt.mem_managed_get_attrs(attributes, ptr, size, data, data_sizes)

    Managed memory: one address for host and devices. aclrtFree frees it. Advice and prefetches say
    where a range will be used; the attributes answer what was said. A number of 4 bytes is written,
    for ACCESSED_BY as many as dataSize has room for: the number of a device or a node, -1 for the
    host, -2 if the pages of the range differ or nothing was said.

    Note: as aclrtMemManagedGetAttr.

    C: aclrtMemManagedGetAttrs"""

def mem_managed_prefetch_async(ptr: int, size: int, location: Dict[str, Any], flags: int, stream: int, /) -> int:
    """ret = acl.rt.mem_managed_prefetch_async(ptr, size, location, flags, stream)

    Managed memory: one address for host and devices. aclrtFree frees it. Advice and prefetches say
    where a range will be used; the attributes answer what was said. A number of 4 bytes is written,
    for ACCESSED_BY as many as dataSize has room for: the number of a device or a node, -1 for the
    host, -2 if the pages of the range differ or nothing was said.

    Note: the place is remembered; the task moves nothing.

    C: aclrtMemManagedPrefetchAsync"""

def mem_managed_prefetch_batch_async(ptrs: Sequence[int], sizes: Sequence[int], prefetch_locs: Sequence[Dict[str, Any]], prefetch_loc_idxs: Sequence[int], flags: int, stream: int, /) -> int:
    """ret = acl.rt.mem_managed_prefetch_batch_async(ptrs, sizes, prefetch_locs, prefetch_loc_idxs,
    flags, stream)

    Managed memory: one address for host and devices. aclrtFree frees it. Advice and prefetches say
    where a range will be used; the attributes answer what was said. A number of 4 bytes is written,
    for ACCESSED_BY as many as dataSize has room for: the number of a device or a node, -1 for the
    host, -2 if the pages of the range differ or nothing was said.

    Note: as aclrtMemManagedPrefetchAsync.

    C: aclrtMemManagedPrefetchBatchAsync"""

def peek_at_last_error(level: int, /) -> int:
    """ret = acl.rt.peek_at_last_error(level)

    The last failure. aclGetRecentErrMsg returns the text of this thread's last failure and forgets
    it; NULL when there is none. A later call that begins something new and succeeds forgets it too.
    The text is valid until the next call on this thread. aclrtGetLastError returns the code and
    clears it, aclrtPeekAtLastError leaves it.

    C: aclrtPeekAtLastError"""

def get_last_error(level: int, /) -> int:
    """ret = acl.rt.get_last_error(level)

    The last failure. aclGetRecentErrMsg returns the text of this thread's last failure and forgets
    it; NULL when there is none. A later call that begins something new and succeeds forgets it too.
    The text is valid until the next call on this thread. aclrtGetLastError returns the code and
    clears it, aclrtPeekAtLastError leaves it.

    C: aclrtGetLastError"""

def get_version() -> Tuple[int, int, int, int]:
    """major_version, minor_version, patch_version, ret = acl.rt.get_version()

    Versions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.

    C: aclrtGetVersion"""

def ipc_mem_get_export_key(dev_ptr: int, size: int, len: int, flags: int, /) -> Tuple[str, int]:
    """key, ret = acl.rt.ipc_mem_get_export_key(dev_ptr, size, len, flags)

    Memory, by a text key of 65 characters with its terminator. Importers close the key before the
    owner frees the memory. Unless validation is off, the owner names the processes that may import.

    Note: a range inside one block, or inside one mapping of reserved addresses; the importer gets
    the pages around it; every call makes a new key.

    C: aclrtIpcMemGetExportKey"""

def ipc_mem_import_by_key(key: _Text, flags: int, /) -> Tuple[int, int]:
    """dev_ptr, ret = acl.rt.ipc_mem_import_by_key(key, flags)

    Memory, by a text key of 65 characters with its terminator. Importers close the key before the
    owner frees the memory. Unless validation is off, the owner names the processes that may import.

    Note: the same key again returns the same address, and is closed as often; the exporting process
    may import, too; the memory counts as the current device's; a process that is not listed gets
    207006, an unknown or closed key, or one of an event or a notification, 107000, and 507899 if
    the exporter has ended.

    C: aclrtIpcMemImportByKey"""

def ipc_mem_close(key: _Text, /) -> int:
    """ret = acl.rt.ipc_mem_close(key)

    Memory, by a text key of 65 characters with its terminator. Importers close the key before the
    owner frees the memory. Unless validation is off, the owner names the processes that may import.

    Note: in an importer it ends one import, in the exporter the key; importers keep what they have
    mapped.

    C: aclrtIpcMemClose"""

def ipc_mem_set_import_pid(key: _Text, pid: Sequence[int], /) -> int:
    """ret = acl.rt.ipc_mem_set_import_pid(key, pid)

    Memory, by a text key of 65 characters with its terminator. Importers close the key before the
    owner frees the memory. Unless validation is off, the owner names the processes that may import.

    Note: numbers as aclrtDeviceGetBareTgid returns them; processes of other users never import.

    C: aclrtIpcMemSetImportPid"""

def ipc_get_event_handle(event: int, /) -> Tuple[bytes, int]:
    """The 64 bytes by which another process opens an event.

    Note: the 64 bytes name the event, not one recording; every process of the user may open it.

    C: aclrtIpcGetEventHandle"""

def ipc_open_event_handle(handle: bytes, /) -> Tuple[int, int]:
    """Opens an event of another process.

    Note: any process may record; a wait is for the newest recording at the call; if the process
    that recorded ends first, the waits of others fail.

    C: aclrtIpcOpenEventHandle"""

def ipc_mem_set_attr(key: _Text, type: int, attr: int, /) -> int:
    """ret = acl.rt.ipc_mem_set_attr(key, type, attr)

    Memory, by a text key of 65 characters with its terminator. Importers close the key before the
    owner frees the memory. Unless validation is off, the owner names the processes that may import.

    Note: returns 207000: there are no links between devices.

    C: aclrtIpcMemSetAttr"""

def malloc(size: int, policy: int, /) -> Tuple[int, int]:
    """dev_ptr, ret = acl.rt.malloc(size, policy)

    Device memory of the current context's device. The size is rounded up to 32 bytes; aclrtMalloc
    and aclrtMallocCached add another 32, aclrtMallocAlign32 and aclrtMallocWithCfg do not. The
    content is undefined. The pointer is for device work only: the host must not dereference it. If
    the device is full they return ACL_ERROR_RT_MEMORY_ALLOCATION.

    Note: the host faults when it dereferences the pointer, unless the run mode is ACL_DEVICE;
    unlisted policies as for aclrtMallocAlign32.

    C: aclrtMalloc"""

def malloc_align32(size: int, policy: int, /) -> Tuple[int, int]:
    """dev_ptr, ret = acl.rt.malloc_align32(size, policy)

    Device memory of the current context's device. The size is rounded up to 32 bytes; aclrtMalloc
    and aclrtMallocCached add another 32, aclrtMallocAlign32 and aclrtMallocWithCfg do not. The
    content is undefined. The pointer is for device work only: the host must not dereference it. If
    the device is full they return ACL_ERROR_RT_MEMORY_ALLOCATION.

    Note: every policy value is accepted: one that is not listed uses huge pages from 2 MiB on, as
    the manual says; HUGE_FIRST uses them above 1 MiB.

    C: aclrtMallocAlign32"""

def malloc_cached(size: int, policy: int, /) -> Tuple[int, int]:
    """dev_ptr, ret = acl.rt.malloc_cached(size, policy)

    Device memory of the current context's device. The size is rounded up to 32 bytes; aclrtMalloc
    and aclrtMallocCached add another 32, aclrtMallocAlign32 and aclrtMallocWithCfg do not. The
    content is undefined. The pointer is for device work only: the host must not dereference it. If
    the device is full they return ACL_ERROR_RT_MEMORY_ALLOCATION.

    Note: memory is coherent: flushing and invalidating only check their arguments.

    C: aclrtMallocCached"""

def malloc_with_cfg(size: int, policy: int, cfg: Optional[Dict[str, Any]], /) -> Tuple[int, int]:
    """cfg is None or {'attrs': [{'attr': type, 'value': number}, ...]}, as C's structure.

    Note: the kinds of memory are accepted and ignored.

    C: aclrtMallocWithCfg"""

def malloc_for_task_scheduler(size: int, policy: int, cfg: Optional[Dict[str, Any]], /) -> Tuple[int, int]:
    """cfg is None or {'attrs': [{'attr': type, 'value': number}, ...]}, as C's structure.

    Note: the same memory as aclrtMallocWithCfg.

    C: aclrtMallocForTaskScheduler"""

def free(dev_ptr: int, /) -> int:
    """ret = acl.rt.free(dev_ptr)

    Frees at once and does not wait: no stream may still use the memory. The forms with DevSync wait
    for the whole device first. NULL is refused.

    Note: memory that queued work uses is reused only after that work; an address that is not the
    start of a live block returns 107000.

    C: aclrtFree"""

def free_with_dev_sync(dev_ptr: int, /) -> int:
    """ret = acl.rt.free_with_dev_sync(dev_ptr)

    Frees at once and does not wait: no stream may still use the memory. The forms with DevSync wait
    for the whole device first. NULL is refused.

    Note: frees also when the synchronisation reports an older failure, and returns that failure.

    C: aclrtFreeWithDevSync"""

def malloc_host(size: int, /) -> Tuple[int, int]:
    """host_ptr, ret = acl.rt.malloc_host(size)

    Pinned host memory, which asynchronous copies need.

    C: aclrtMallocHost"""

def malloc_host_with_cfg(size: int, cfg: Optional[Dict[str, Any]], /) -> Tuple[int, int]:
    """cfg is None or {'attrs': [{'attr': type, 'value': number}, ...]}, as C's structure.

    Note: the attribute for one address on host and device is accepted; the address is the host's.

    C: aclrtMallocHostWithCfg"""

def free_host(host_ptr: int, /) -> int:
    """ret = acl.rt.free_host(host_ptr)

    Pinned host memory, which asynchronous copies need.

    Note: memory that the library did not allocate returns 107000; the reference accepts it.

    C: aclrtFreeHost"""

def free_host_with_dev_sync(host_ptr: int, /) -> int:
    """ret = acl.rt.free_host_with_dev_sync(host_ptr)

    Pinned host memory, which asynchronous copies need.

    Note: as aclrtFreeWithDevSync.

    C: aclrtFreeHostWithDevSync"""

def mem_flush(dev_ptr: int, size: int, /) -> int:
    """ret = acl.rt.mem_flush(dev_ptr, size)

    Between the caches and memory of aclrtMallocCached.

    C: aclrtMemFlush"""

def mem_invalidate(dev_ptr: int, size: int, /) -> int:
    """ret = acl.rt.mem_invalidate(dev_ptr, size)

    Between the caches and memory of aclrtMallocCached.

    C: aclrtMemInvalidate"""

def device_l2_cache_flush(rsv: int, /) -> int:
    """ret = acl.rt.device_l2_cache_flush(rsv)

    Between the caches and memory of aclrtMallocCached.

    Note: memory is coherent: the call only checks its argument.

    C: aclrtDeviceL2CacheFlush"""

def get_mem_info(attr: int, /) -> Tuple[int, int, int]:
    """free, total, ret = acl.rt.get_mem_info(attr)

    Memory usage, and the properties of an address. A kind of memory that the device does not have
    is reported as 0 of 0.

    Note: the total is the device's capacity; free memory is the total less the whole pages of live
    blocks, or what the machine has left if that is less: what it and its control group had when the
    device was opened, less what all devices and pinned memory use; freed memory that is cached for
    the next request counts as free, and memory that an aclrtMemPool reserves does not; figures for
    one size of page are rounded down to it; an HBM question on a DDR device answers for its DDR
    memory, as in the reference.

    C: aclrtGetMemInfo"""

def get_mem_usage_info(device_id: int, input_num: int, /) -> Tuple[List[Dict[str, Any]], int]:
    """At most input_num modules, each with name, cur_mem_size and mem_peak_size.

    Note: what ACL_RT_MEM_ATTR_MODULE_ID named, as `module N`, and all the rest as `app`, in whole
    pages; the peak of `app` includes the other modules.

    C: aclrtGetMemUsageInfo"""

def pointer_get_attributes(ptr: int, /) -> Tuple[Dict[str, Any], int]:
    """attributes, ret = acl.rt.pointer_get_attributes(ptr)

    Memory usage, and the properties of an address. A kind of memory that the device does not have
    is reported as 0 of 0.

    Note: an address in freed memory is ACL_MEM_LOCATION_TYPE_UNREGISTERED.

    C: aclrtPointerGetAttributes"""

def create_notify(flag: int, /) -> Tuple[int, int]:
    """notify, ret = acl.rt.create_notify(flag)

    A record sets the notification, a wait takes it back. The caller destroys what it created.

    C: aclrtCreateNotify"""

def destroy_notify(notify: int, /) -> int:
    """ret = acl.rt.destroy_notify(notify)

    A record sets the notification, a wait takes it back. The caller destroys what it created.

    Note: queued tasks keep what they need.

    C: aclrtDestroyNotify"""

def record_notify(notify: int, stream: int, /) -> int:
    """ret = acl.rt.record_notify(notify, stream)

    A record sets the notification, a wait takes it back. The caller destroys what it created.

    C: aclrtRecordNotify"""

def wait_and_reset_notify(notify: int, stream: int, timeout: int, /) -> int:
    """ret = acl.rt.wait_and_reset_notify(notify, stream, timeout)

    A record sets the notification, a wait takes it back. The caller destroys what it created.

    Note: milliseconds; for millpond check a wait comes after everything that had begun when it
    ended, because it is not known which record it was for.

    C: aclrtWaitAndResetNotify"""

def get_notify_id(notify: int, /) -> Tuple[int, int]:
    """notify_id, ret = acl.rt.get_notify_id(notify)

    A record sets the notification, a wait takes it back. The caller destroys what it created.

    C: aclrtGetNotifyId"""

def notify_batch_reset(notifies: Sequence[int], /) -> int:
    """ret = acl.rt.notify_batch_reset(notifies)

    A record sets the notification, a wait takes it back. The caller destroys what it created.

    C: aclrtNotifyBatchReset"""

def notify_get_export_key(notify: int, len: int, flags: int, /) -> Tuple[str, int]:
    """key, ret = acl.rt.notify_get_export_key(notify, len, flags)

    Sharing with other processes by a text key.

    Note: a notification has one key.

    C: aclrtNotifyGetExportKey"""

def notify_import_by_key(key: _Text, flags: int, /) -> Tuple[int, int]:
    """notify, ret = acl.rt.notify_import_by_key(key, flags)

    Sharing with other processes by a text key.

    C: aclrtNotifyImportByKey"""

def notify_set_import_pid(notify: int, pid: Sequence[int], /) -> int:
    """ret = acl.rt.notify_set_import_pid(notify, pid)

    Sharing with other processes by a text key.

    Note: after aclrtNotifyGetExportKey.

    C: aclrtNotifySetImportPid"""

def cnt_notify_create(flag: int, /) -> Tuple[int, int]:
    """cnt_notify, ret = acl.rt.cnt_notify_create(flag)

    Counted notifications.

    C: aclrtCntNotifyCreate"""

def cnt_notify_destroy(cnt_notify: int, /) -> int:
    """ret = acl.rt.cnt_notify_destroy(cnt_notify)

    Counted notifications.

    C: aclrtCntNotifyDestroy"""

def cnt_notify_record(cnt_notify: int, stream: int, info: Dict[str, Any], /) -> int:
    """ret = acl.rt.cnt_notify_record(cnt_notify, stream, info)

    Counted notifications.

    Note: adding wraps around.

    C: aclrtCntNotifyRecord"""

def cnt_notify_wait_with_timeout(cnt_notify: int, stream: int, info: Dict[str, Any], /) -> int:
    """ret = acl.rt.cnt_notify_wait_with_timeout(cnt_notify, stream, info)

    Counted notifications.

    Note: milliseconds; the mask mode waits until all bits of the value are set.

    C: aclrtCntNotifyWaitWithTimeout"""

def cnt_notify_reset(cnt_notify: int, stream: int, /) -> int:
    """ret = acl.rt.cnt_notify_reset(cnt_notify, stream)

    Counted notifications.

    C: aclrtCntNotifyReset"""

def cnt_notify_get_id(cnt_notify: int, /) -> Tuple[int, int]:
    """notify_id, ret = acl.rt.cnt_notify_get_id(cnt_notify)

    Counted notifications.

    C: aclrtCntNotifyGetId"""

def create_stream() -> Tuple[int, int]:
    """stream, ret = acl.rt.create_stream()

    A stream belongs to the context that was current when it was created, and the caller destroys
    it. Destroying waits for queued work; the forced form does not. NULL is refused by both.

    C: aclrtCreateStream"""

def create_stream_with_config(priority: int, flag: int, /) -> Tuple[int, int]:
    """stream, ret = acl.rt.create_stream_with_config(priority, flag)

    A stream belongs to the context that was current when it was created, and the caller destroys
    it. Destroying waits for queued work; the forced form does not. NULL is refused by both.

    Note: the flags are stored; with PERSISTENT and DEVICE_USE_ONLY synchronisation returns at once,
    the others are ignored.

    C: aclrtCreateStreamWithConfig"""

def destroy_stream(stream: int, /) -> int:
    """A stream belongs to the context that was current when it was created, and the caller destroys
    it. Destroying waits for queued work; the forced form does not. NULL is refused by both.

    C: aclrtDestroyStream"""

def destroy_stream_force(stream: int, /) -> int:
    """A stream belongs to the context that was current when it was created, and the caller destroys
    it. Destroying waits for queued work; the forced form does not. NULL is refused by both.

    Note: a wait for a dropped record continues.

    C: aclrtDestroyStreamForce"""

def synchronize_stream(stream: int, /) -> int:
    """ret = acl.rt.synchronize_stream(stream)

    Waiting and querying. The timeout is in milliseconds; -1 waits without a limit.

    Note: a failed task is reported once, with ACL_STOP_ON_FAILURE every time; a host function that
    waits for its own stream gets 107000 instead of a deadlock.

    C: aclrtSynchronizeStream"""

def synchronize_stream_with_timeout(stream: int, timeout: int, /) -> int:
    """ret = acl.rt.synchronize_stream_with_timeout(stream, timeout)

    Waiting and querying. The timeout is in milliseconds; -1 waits without a limit.

    C: aclrtSynchronizeStreamWithTimeout"""

def stream_query(stream: int, /) -> Tuple[int, int]:
    """status, ret = acl.rt.stream_query(stream)

    Waiting and querying. The timeout is in milliseconds; -1 waits without a limit.

    C: aclrtStreamQuery"""

def stream_get_id(stream: int, /) -> Tuple[int, int]:
    """stream_id, ret = acl.rt.stream_get_id(stream)

    What a stream is.

    C: aclrtStreamGetId"""

def stream_get_priority(stream: int, /) -> Tuple[int, int]:
    """priority, ret = acl.rt.stream_get_priority(stream)

    What a stream is.

    C: aclrtStreamGetPriority"""

def stream_get_flags(stream: int, /) -> Tuple[int, int]:
    """flags, ret = acl.rt.stream_get_flags(stream)

    What a stream is.

    C: aclrtStreamGetFlags"""

def get_stream_available_num() -> Tuple[int, int]:
    """stream_count, ret = acl.rt.get_stream_available_num()

    What a stream is.

    C: aclrtGetStreamAvailableNum"""

def device_get_stream_priority_range() -> Tuple[int, int, int]:
    """least_priority, greatest_priority, ret = acl.rt.device_get_stream_priority_range()

    What a stream is.

    C: aclrtDeviceGetStreamPriorityRange"""

def stream_wait_event(stream: int, event: int, /) -> int:
    """ret = acl.rt.stream_wait_event(stream, event)

    Makes the stream wait for the event without blocking the caller. Timeouts are in seconds.

    Note: a wait is bound to the last record at the time it was enqueued; without one, events of the
    older kinds make the stream wait for the next record; the stream may belong to another device
    than the current one.

    C: aclrtStreamWaitEvent"""

def stream_wait_event_with_timeout(stream: int, event: int, timeout: int, /) -> int:
    """ret = acl.rt.stream_wait_event_with_timeout(stream, event, timeout)

    Makes the stream wait for the event without blocking the caller. Timeouts are in seconds.

    Note: after the time limit the stream continues and is marked as failed: the next
    synchronisation returns 107019.

    C: aclrtStreamWaitEventWithTimeout"""

def stream_wait_event_with_flag(stream: int, event: int, timeout: int, flag: int, /) -> int:
    """ret = acl.rt.stream_wait_event_with_flag(stream, event, timeout, flag)

    Makes the stream wait for the event without blocking the caller. Timeouts are in seconds.

    Note: ACL_EVENT_WAIT_EXTERNAL: in a capture, the wait is repeated at each launch and is no edge
    of the graph.

    C: aclrtStreamWaitEventWithFlag"""

def set_stream_failure_mode(stream: int, mode: int, /) -> int:
    """ret = acl.rt.set_stream_failure_mode(stream, mode)

    Failure and abort. After aclrtStreamAbort, functions that wait for the stream return
    ACL_ERROR_RT_STREAM_ABORT.

    Note: affects only this stream; in the reference all streams of the context.

    C: aclrtSetStreamFailureMode"""

def stream_abort(stream: int, /) -> int:
    """Failure and abort. After aclrtStreamAbort, functions that wait for the stream return
    ACL_ERROR_RT_STREAM_ABORT.

    Note: work that has begun is not interrupted.

    C: aclrtStreamAbort"""

def set_stream_attribute(stream: int, stm_attr_type: int, value: int, /) -> int:
    """Sets an attribute of a stream to a number.

    Note: failure mode, tag, operator information and priority are stored; the failure mode works as
    aclrtSetStreamFailureMode, the overflow check as aclrtSetStreamOverflowSwitch.

    C: aclrtSetStreamAttribute"""

def get_stream_attribute(stream: int, stm_attr_type: int, /) -> Tuple[int, int]:
    """An attribute of a stream, as a number.

    C: aclrtGetStreamAttribute"""

def stream_stop(stream: int, /) -> int:
    """ret = acl.rt.stream_stop(stream)

    Failure and abort. After aclrtStreamAbort, functions that wait for the stream return
    ACL_ERROR_RT_STREAM_ABORT.

    Refused: returns 207000: pausing a stream is not supported; use aclrtStreamAbort to drop its
    work.

    C: aclrtStreamStop"""

def create_stream_config_handle() -> int:
    """value = acl.rt.create_stream_config_handle()

    Attributes, and streams made from a configuration object, which the caller destroys.

    C: aclrtCreateStreamConfigHandle"""

def destroy_stream_config_handle(handle: int, /) -> int:
    """ret = acl.rt.destroy_stream_config_handle(handle)

    Attributes, and streams made from a configuration object, which the caller destroys.

    C: aclrtDestroyStreamConfigHandle"""

def set_stream_config_opt(handle: int, attr: int, value: int, /) -> int:
    """Attributes, and streams made from a configuration object, which the caller destroys.

    C: aclrtSetStreamConfigOpt"""

def create_stream_v2(handle: int, /) -> Tuple[int, int]:
    """stream, ret = acl.rt.create_stream_v2(handle)

    Attributes, and streams made from a configuration object, which the caller destroys.

    Note: work memory is checked and not used: the runtime has its own.

    C: aclrtCreateStreamV2"""

def active_stream(active_stream: int, stream: int, /) -> int:
    """ret = acl.rt.active_stream(active_stream, stream)

    Control from within a stream, and details of its tasks.

    Refused: returns 207000: streams cannot launch other streams; decide on the host and enqueue
    there.

    C: aclrtActiveStream"""

def switch_stream(left_value: int, cond: int, right_value: int, data_type: int, true_stream: int, false_stream: int, stream: int, /) -> int:
    """ret = acl.rt.switch_stream(left_value, cond, right_value, data_type, true_stream, false_stream,
    stream)

    Control from within a stream, and details of its tasks.

    Refused: returns 207000: streams cannot launch other streams; decide on the host and enqueue
    there.

    C: aclrtSwitchStream"""

def get_thread_last_task_id() -> Tuple[int, int]:
    """task_id, ret = acl.rt.get_thread_last_task_id()

    Control from within a stream, and details of its tasks.

    Refused: returns 207000: tasks are numbered per stream, not per thread.

    C: aclrtGetThreadLastTaskId"""

def set_stream_overflow_switch(stream: int, flag: int, /) -> int:
    """ret = acl.rt.set_stream_overflow_switch(stream, flag)

    Control from within a stream, and details of its tasks.

    Note: in both modes: results of later operators and queued models on the stream are looked at;
    what an operator reads is not told apart, so an infinity that was copied counts.

    C: aclrtSetStreamOverflowSwitch"""

def get_stream_overflow_switch(stream: int, /) -> Tuple[int, int]:
    """flag, ret = acl.rt.get_stream_overflow_switch(stream)

    Control from within a stream, and details of its tasks.

    C: aclrtGetStreamOverflowSwitch"""

def persistent_task_clean(stream: int, /) -> int:
    """ret = acl.rt.persistent_task_clean(stream)

    Control from within a stream, and details of its tasks.

    Refused: returns 207000: streams do not store completed tasks.

    C: aclrtPersistentTaskClean"""

def reserve_mem_address(size: int, alignment: int, expect_ptr: int, flags: int, /) -> Tuple[int, int]:
    """vir_ptr, ret = acl.rt.reserve_mem_address(size, alignment, expect_ptr, flags)

    Address ranges. alignment is 0; flags is 1 for huge pages, else 0; expectPtr is a preferred
    address or NULL. A range is released after everything in it is unmapped.

    Note: needs no context; sizes are rounded up to 2 MiB; expectPtr outside 16 to 24 TiB returns
    100000, and inside it is used if it is free; without address space left it returns 207001.

    C: aclrtReserveMemAddress"""

def reserve_mem_address_no_uc_memory(size: int, alignment: int, expect_ptr: int, flags: int, /) -> Tuple[int, int]:
    """vir_ptr, ret = acl.rt.reserve_mem_address_no_uc_memory(size, alignment, expect_ptr, flags)

    Address ranges. alignment is 0; flags is 1 for huge pages, else 0; expectPtr is a preferred
    address or NULL. A range is released after everything in it is unmapped.

    Note: as aclrtReserveMemAddress; there is no uncached memory.

    C: aclrtReserveMemAddressNoUCMemory"""

def release_mem_address(vir_ptr: int, /) -> int:
    """ret = acl.rt.release_mem_address(vir_ptr)

    Address ranges. alignment is 0; flags is 1 for huge pages, else 0; expectPtr is a preferred
    address or NULL. A range is released after everything in it is unmapped.

    Note: returns 107000 while mappings remain; addresses that queued work uses are released after
    that work.

    C: aclrtReleaseMemAddress"""

def malloc_physical(size: int, prop: Dict[str, Any], flags: int, /) -> Tuple[int, int]:
    """handle, ret = acl.rt.malloc_physical(size, prop, flags)

    Physical memory. The size is a multiple of the granularity. Freeing a mapped piece takes effect
    when it is unmapped.

    Note: ACL_MEM_HANDLE_TYPE_POSIX returns 207000; all nodes of the host are the same memory.

    C: aclrtMallocPhysical"""

def free_physical(handle: int, /) -> int:
    """ret = acl.rt.free_physical(handle)

    Physical memory. The size is a multiple of the granularity. Freeing a mapped piece takes effect
    when it is unmapped.

    Note: mapped memory is released when it is unmapped.

    C: aclrtFreePhysical"""

def mem_get_allocation_granularity(prop: Dict[str, Any], option: int, /) -> Tuple[int, int]:
    """granularity, ret = acl.rt.mem_get_allocation_granularity(prop, option)

    Physical memory. The size is a multiple of the granularity. Freeing a mapped piece takes effect
    when it is unmapped.

    Note: 2 MiB, 1 GiB, or for normal pages 4 KiB or the system's page if that is larger.

    C: aclrtMemGetAllocationGranularity"""

def mem_retain_allocation_handle(vir_ptr: int, /) -> Tuple[int, int]:
    """handle, ret = acl.rt.mem_retain_allocation_handle(vir_ptr)

    Physical memory. The size is a multiple of the granularity. Freeing a mapped piece takes effect
    when it is unmapped.

    Note: returns the existing handle of the memory, which must be freed once more.

    C: aclrtMemRetainAllocationHandle"""

def mem_get_allocation_properties_from_handle(handle: int, /) -> Tuple[Dict[str, Any], int]:
    """prop, ret = acl.rt.mem_get_allocation_properties_from_handle(handle)

    Physical memory. The size is a multiple of the granularity. Freeing a mapped piece takes effect
    when it is unmapped.

    C: aclrtMemGetAllocationPropertiesFromHandle"""

def map_mem(vir_ptr: int, size: int, offset: int, handle: int, flags: int, /) -> int:
    """ret = acl.rt.map_mem(vir_ptr, size, offset, handle, flags)

    Mapping: the whole piece, so size is its size and offset is 0.

    Note: physical memory may be mapped at several addresses; a reserved range takes memory of one
    location at a time; mapping where queued work still uses what was unmapped waits for that work,
    or returns 107000 if that depends on a host function or on an event that is not recorded; more
    mappings than half of vm.max_map_count return 207001.

    C: aclrtMapMem"""

def mem_map_no_access(vir_ptr: int, size: int, offset: int, handle: int, flags: int, /) -> int:
    """ret = acl.rt.mem_map_no_access(vir_ptr, size, offset, handle, flags)

    Mapping: the whole piece, so size is its size and offset is 0.

    Note: as aclrtMapMem; copies return 107000 until aclrtMemSetAccess.

    C: aclrtMemMapNoAccess"""

def unmap_mem(vir_ptr: int, /) -> int:
    """ret = acl.rt.unmap_mem(vir_ptr)

    Mapping: the whole piece, so size is its size and offset is 0.

    Note: does not wait; queued work that uses the addresses still finds the bytes.

    C: aclrtUnmapMem"""

def mem_set_access(vir_ptr: int, size: int, desc: Sequence[Dict[str, Any]], /) -> int:
    """ret = acl.rt.mem_set_access(vir_ptr, size, desc)

    Mapping: the whole piece, so size is its size and offset is 0.

    Note: for whole mappings; with a host location the program itself may access the bytes.

    C: aclrtMemSetAccess"""

def mem_get_access(vir_ptr: int, location: Dict[str, Any], /) -> Tuple[int, int]:
    """flag, ret = acl.rt.mem_get_access(vir_ptr, location)

    Mapping: the whole piece, so size is its size and offset is 0.

    Note: 0 or ACL_RT_MEM_ACCESS_FLAGS_READWRITE.

    C: aclrtMemGetAccess"""

def mem_get_address_range(ptr: int, /) -> Tuple[int, int, int]:
    """pbase, psize, ret = acl.rt.mem_get_address_range(ptr)

    Mapping: the whole piece, so size is its size and offset is 0.

    Note: the range of a mapping, or of a block of aclrtMalloc or aclrtMallocHost including its
    rounding.

    C: aclrtMemGetAddressRange"""

def mem_export_to_shareable_handle(handle: int, handle_type: int, flags: int, /) -> Tuple[int, int]:
    """shareable_handle, ret = acl.rt.mem_export_to_shareable_handle(handle, handle_type, flags)

    Sharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's
    number.

    Note: a random number that names the memory for all processes of the user while it exists.

    C: aclrtMemExportToShareableHandle"""

def mem_export_to_shareable_handle_v2(handle: int, flags: int, share_type: int, /) -> Tuple[bytes, int]:
    """Sharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's
    number.

    Note: as aclrtMemExportToShareableHandle.

    C: aclrtMemExportToShareableHandleV2"""

def mem_import_from_shareable_handle(shareable_handle: int, device_id: int, /) -> Tuple[int, int]:
    """handle, ret = acl.rt.mem_import_from_shareable_handle(shareable_handle, device_id)

    Sharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's
    number.

    Note: the exporting process may import, too; a process that is not listed gets 207006; device
    memory of another process counts as the importing device's.

    C: aclrtMemImportFromShareableHandle"""

def mem_import_from_shareable_handle_v2(shareable_handle: bytes, share_type: int, flags: int, /) -> Tuple[int, int]:
    """Sharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's
    number.

    Note: as aclrtMemImportFromShareableHandle; changed or made-up handles return 100000.

    C: aclrtMemImportFromShareableHandleV2"""

def mem_set_pid_to_shareable_handle(shareable_handle: int, pid: Sequence[int], /) -> int:
    """ret = acl.rt.mem_set_pid_to_shareable_handle(shareable_handle, pid)

    Sharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's
    number.

    Note: the exporting process needs no entry.

    C: aclrtMemSetPidToShareableHandle"""

def mem_set_pid_to_shareable_handle_v2(shareable_handle: bytes, share_type: int, pid: Sequence[int], /) -> int:
    """Sharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's
    number.

    Note: as aclrtMemSetPidToShareableHandle.

    C: aclrtMemSetPidToShareableHandleV2"""

def device_get_bare_tgid() -> Tuple[int, int]:
    """pid, ret = acl.rt.device_get_bare_tgid()

    Sharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's
    number.

    C: aclrtDeviceGetBareTgid"""

def mem_p2p_map(dev_ptr: int, size: int, dst_dev_id: int, flags: int, /) -> int:
    """ret = acl.rt.mem_p2p_map(dev_ptr, size, dst_dev_id, flags)

    Mappings towards another device.

    Note: every device can access every block; mappings are opened for the device.

    C: aclrtMemP2PMap"""

def mem_map_selected_link(vir_ptr_dst: int, size: int, vir_ptr_src: int, link_idx: int, /) -> int:
    """ret = acl.rt.mem_map_selected_link(vir_ptr_dst, size, vir_ptr_src, link_idx)

    Mappings towards another device.

    Note: maps the memory at virPtrSrc also at virPtrDst; the choice of link is ignored.

    C: aclrtMemMapSelectedLink"""

def mem_map_set_link(handle: int, advice_link: int, /) -> int:
    """ret = acl.rt.mem_map_set_link(handle, advice_link)

    Mappings towards another device.

    Note: advisory: there is one connection between devices.

    C: aclrtMemMapSetLink"""
