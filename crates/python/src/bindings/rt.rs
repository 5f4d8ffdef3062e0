//! The functions of `rt`.
//!
//! Generated from `functions.tsv` and the headers by `cargo xtask generate`: change the table, not this file.
#![expect(unsafe_code, reason = "calls C functions")]

use std::ffi::{c_char, c_void};

use millpond_abi as abi;

use super::c;
use crate::arguments::{Args, Text, pointer_to};
use crate::gil;
use crate::items::Truth;
use crate::methods::{END, Methods, method, row};
use crate::object::{Answer, Owned, ToObject, text_in, text_or_none, tuple};
use crate::structs::{Element, Struct, zeroed};

pub(crate) static METHODS: Methods<248> = Methods([
row(c"allocator_create_desc", method!("rt.allocator_create_desc" () least 0, crate::hand::rt_allocator_create_desc), c"allocator_create_desc()\n--\n\nDescriptions. The caller destroys what it created. Object and functions must not be NULL; the\nadvised form is optional.\n\nNote: all five fields start as NULL; the reference zeroes only the object.\n\nC: aclrtAllocatorCreateDesc"),
row(c"allocator_destroy_desc", method!("rt.allocator_destroy_desc" ("desc") least 1, crate::hand::rt_allocator_destroy_desc), c"allocator_destroy_desc(desc, /)\n--\n\nDescriptions. The caller destroys what it created. Object and functions must not be NULL; the\nadvised form is optional.\n\nNote: destroying twice is an error instead of undefined behaviour.\n\nC: aclrtAllocatorDestroyDesc"),
row(c"allocator_set_obj_to_desc", method!("rt.allocator_set_obj_to_desc" ("desc", "allocator") least 2, crate::hand::rt_allocator_set_obj_to_desc), c"allocator_set_obj_to_desc(desc, allocator, /)\n--\n\nThe object that is passed to the functions of this allocator: any Python object, kept alive as\nlong as the description or a registration exists.\n\nC: aclrtAllocatorSetObjToDesc"),
row(c"allocator_set_alloc_func_to_desc", method!("rt.allocator_set_alloc_func_to_desc" ("desc", "func") least 2, crate::hand::rt_allocator_set_alloc_func_to_desc), c"allocator_set_alloc_func_to_desc(desc, func, /)\n--\n\nfunc(allocator, size) returns a block: an int or any object; None or 0 if there is no memory. An\nexception counts as no memory.\n\nC: aclrtAllocatorSetAllocFuncToDesc"),
row(c"allocator_set_free_func_to_desc", method!("rt.allocator_set_free_func_to_desc" ("desc", "func") least 2, crate::hand::rt_allocator_set_free_func_to_desc), c"allocator_set_free_func_to_desc(desc, func, /)\n--\n\nfunc(allocator, block) frees a block.\n\nC: aclrtAllocatorSetFreeFuncToDesc"),
row(c"allocator_set_alloc_advise_func_to_desc", method!("rt.allocator_set_alloc_advise_func_to_desc" ("desc", "func") least 2, crate::hand::rt_allocator_set_alloc_advise_func_to_desc), c"allocator_set_alloc_advise_func_to_desc(desc, func, /)\n--\n\nfunc(allocator, size, addr) returns a block, near an address if possible.\n\nC: aclrtAllocatorSetAllocAdviseFuncToDesc"),
row(c"allocator_set_get_addr_from_block_func_to_desc", method!("rt.allocator_set_get_addr_from_block_func_to_desc" ("desc", "func") least 2, crate::hand::rt_allocator_set_get_addr_from_block_func_to_desc), c"allocator_set_get_addr_from_block_func_to_desc(desc, func, /)\n--\n\nfunc(block) returns the address of a block in device memory.\n\nC: aclrtAllocatorSetGetAddrFromBlockFuncToDesc"),
row(c"allocator_register", method!("rt.allocator_register" ("stream", "desc") least 2, crate::hand::rt_allocator_register), c"allocator_register(stream, desc, /)\n--\n\nRegistration. The last one for a stream wins. In aclrtAllocatorGetByStream all results but the\ndescription may be NULL.\n\nNote: the stream must exist, and the registration ends with it; the reference accepts any value\nand keeps it.\n\nC: aclrtAllocatorRegister"),
row(c"allocator_get_by_stream", method!("rt.allocator_get_by_stream" ("stream") least 1, crate::hand::rt_allocator_get_by_stream), c"allocator_get_by_stream(stream, /)\n--\n\nWhat is registered on a stream: description, object, functions for alloc, free, alloc_advise and\nget_addr, and the code. Functions of C are addresses.\n\nC: aclrtAllocatorGetByStream"),
row(c"allocator_unregister", method!("rt.allocator_unregister" ("stream") least 1, crate::hand::rt_allocator_unregister), c"allocator_unregister(stream, /)\n--\n\nRegistration. The last one for a stream wins. In aclrtAllocatorGetByStream all results but the\ndescription may be NULL.\n\nNote: succeeds for a destroyed stream, as for a stream without an allocator.\n\nC: aclrtAllocatorUnregister"),
row(c"mem_pool_create", method!("rt.mem_pool_create" ("pool_props") least 1, mem_pool_create), c"mem_pool_create(pool_props, /)\n--\n\nmem_pool, ret = acl.rt.mem_pool_create(pool_props)\n\nThe caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no\npointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a\npool. aclrtMemPoolTrimTo gives unused memory back to the device.\n\nC: aclrtMemPoolCreate"),
row(c"mem_pool_destroy", method!("rt.mem_pool_destroy" ("mem_pool") least 1, mem_pool_destroy), c"mem_pool_destroy(mem_pool, /)\n--\n\nret = acl.rt.mem_pool_destroy(mem_pool)\n\nThe caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no\npointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a\npool. aclrtMemPoolTrimTo gives unused memory back to the device.\n\nC: aclrtMemPoolDestroy"),
row(c"mem_pool_set_attr", method!("rt.mem_pool_set_attr" ("mem_pool", "attr", "value") least 3, crate::hand::rt_mem_pool_set_attr), c"mem_pool_set_attr(mem_pool, attr, value, /)\n--\n\nThe caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no\npointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a\npool. aclrtMemPoolTrimTo gives unused memory back to the device.\n\nC: aclrtMemPoolSetAttr"),
row(c"mem_pool_get_attr", method!("rt.mem_pool_get_attr" ("mem_pool", "attr") least 2, crate::hand::rt_mem_pool_get_attr), c"mem_pool_get_attr(mem_pool, attr, /)\n--\n\nThe caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no\npointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a\npool. aclrtMemPoolTrimTo gives unused memory back to the device.\n\nC: aclrtMemPoolGetAttr"),
row(c"mem_pool_malloc_async", method!("rt.mem_pool_malloc_async" ("size", "mem_pool", "stream") least 3, mem_pool_malloc_async), c"mem_pool_malloc_async(size, mem_pool, stream, /)\n--\n\nptr, ret = acl.rt.mem_pool_malloc_async(size, mem_pool, stream)\n\nThe caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no\npointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a\npool. aclrtMemPoolTrimTo gives unused memory back to the device.\n\nC: aclrtMemPoolMallocAsync"),
row(c"mem_pool_free_async", method!("rt.mem_pool_free_async" ("ptr", "stream") least 2, mem_pool_free_async), c"mem_pool_free_async(ptr, stream, /)\n--\n\nret = acl.rt.mem_pool_free_async(ptr, stream)\n\nThe caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no\npointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a\npool. aclrtMemPoolTrimTo gives unused memory back to the device.\n\nC: aclrtMemPoolFreeAsync"),
row(c"mem_pool_trim_to", method!("rt.mem_pool_trim_to" ("mem_pool", "min_bytes_to_keep") least 2, mem_pool_trim_to), c"mem_pool_trim_to(mem_pool, min_bytes_to_keep, /)\n--\n\nret = acl.rt.mem_pool_trim_to(mem_pool, min_bytes_to_keep)\n\nThe caller destroys a pool, after all its blocks are freed. A size of 0 succeeds and writes no\npointer. aclrtMemPoolFreeAsync also takes memory of aclrtMalloc, and aclrtFree takes memory of a\npool. aclrtMemPoolTrimTo gives unused memory back to the device.\n\nC: aclrtMemPoolTrimTo"),
row(c"launch_callback", method!("rt.launch_callback" ("fn", "user_data", "block_type", "stream") least 4, crate::hand::rt_launch_callback), c"launch_callback(fn, user_data, block_type, stream, /)\n--\n\nQueues fn(user_data) for the thread that processes the reports of the stream.\n\nNote: a C++ exception that leaves the function terminates the process.\n\nC: aclrtLaunchCallback"),
row(c"launch_host_func", method!("rt.launch_host_func" ("stream", "fn", "args") least 3, crate::hand::rt_launch_host_func), c"launch_host_func(stream, fn, args, /)\n--\n\nQueues fn(args), which runs on a separate thread; the stream waits for it.\n\nNote: a C++ exception that leaves the function terminates the process.\n\nC: aclrtLaunchHostFunc"),
row(c"subscribe_report", method!("rt.subscribe_report" ("thread_id", "stream") least 2, subscribe_report), c"subscribe_report(thread_id, stream, /)\n--\n\nret = acl.rt.subscribe_report(thread_id, stream)\n\nHost functions in stream order. aclrtLaunchCallback needs a thread that is subscribed to the\nstream and calls aclrtProcessReport (milliseconds, -1 for no limit); aclrtLaunchHostFunc brings\nits own thread. A function that runs in a stream must not call the interface itself. A C++\nexception that leaves the function ends the process.\n\nC: aclrtSubscribeReport"),
row(c"process_report", method!("rt.process_report" ("timeout") least 1, process_report), c"process_report(timeout, /)\n--\n\nret = acl.rt.process_report(timeout)\n\nHost functions in stream order. aclrtLaunchCallback needs a thread that is subscribed to the\nstream and calls aclrtProcessReport (milliseconds, -1 for no limit); aclrtLaunchHostFunc brings\nits own thread. A function that runs in a stream must not call the interface itself. A C++\nexception that leaves the function ends the process.\n\nNote: returns 107012 when the thread's last stream was destroyed.\n\nC: aclrtProcessReport"),
row(c"unsubscribe_report", method!("rt.unsubscribe_report" ("thread_id", "stream") least 2, unsubscribe_report), c"unsubscribe_report(thread_id, stream, /)\n--\n\nret = acl.rt.unsubscribe_report(thread_id, stream)\n\nHost functions in stream order. aclrtLaunchCallback needs a thread that is subscribed to the\nstream and calls aclrtProcessReport (milliseconds, -1 for no limit); aclrtLaunchHostFunc brings\nits own thread. A function that runs in a stream must not call the interface itself. A C++\nexception that leaves the function ends the process.\n\nNote: refused with 107011 while callbacks of the stream have not run.\n\nC: aclrtUnSubscribeReport"),
row(c"subscribe_host_func", method!("rt.subscribe_host_func" ("host_func_thread_id", "exe_stream") least 2, subscribe_host_func), c"subscribe_host_func(host_func_thread_id, exe_stream, /)\n--\n\nret = acl.rt.subscribe_host_func(host_func_thread_id, exe_stream)\n\nHost functions in stream order. aclrtLaunchCallback needs a thread that is subscribed to the\nstream and calls aclrtProcessReport (milliseconds, -1 for no limit); aclrtLaunchHostFunc brings\nits own thread. A function that runs in a stream must not call the interface itself. A C++\nexception that leaves the function ends the process.\n\nRefused: Millpond runs host functions on its own threads; use aclrtLaunchHostFunc.\n\nC: aclrtSubscribeHostFunc"),
row(c"process_host_func", method!("rt.process_host_func" ("timeout") least 1, process_host_func), c"process_host_func(timeout, /)\n--\n\nret = acl.rt.process_host_func(timeout)\n\nHost functions in stream order. aclrtLaunchCallback needs a thread that is subscribed to the\nstream and calls aclrtProcessReport (milliseconds, -1 for no limit); aclrtLaunchHostFunc brings\nits own thread. A function that runs in a stream must not call the interface itself. A C++\nexception that leaves the function ends the process.\n\nRefused: Millpond runs host functions on its own threads; use aclrtLaunchHostFunc.\n\nC: aclrtProcessHostFunc"),
row(c"unsubscribe_host_func", method!("rt.unsubscribe_host_func" ("host_func_thread_id", "exe_stream") least 2, unsubscribe_host_func), c"unsubscribe_host_func(host_func_thread_id, exe_stream, /)\n--\n\nret = acl.rt.unsubscribe_host_func(host_func_thread_id, exe_stream)\n\nHost functions in stream order. aclrtLaunchCallback needs a thread that is subscribed to the\nstream and calls aclrtProcessReport (milliseconds, -1 for no limit); aclrtLaunchHostFunc brings\nits own thread. A function that runs in a stream must not call the interface itself. A C++\nexception that leaves the function ends the process.\n\nRefused: Millpond runs host functions on its own threads; use aclrtLaunchHostFunc.\n\nC: aclrtUnSubscribeHostFunc"),
row(c"reg_stream_state_callback", method!("rt.reg_stream_state_callback" ("reg_name", "callback", "args") least 2, crate::hand::rt_reg_stream_state_callback), c"reg_stream_state_callback(reg_name, callback, args=None, /)\n--\n\ncallback(stream, state, args) is called after a stream was created and before it is destroyed.\nNone removes the callback.\n\nC: aclrtRegStreamStateCallback"),
row(c"reg_device_state_callback", method!("rt.reg_device_state_callback" ("reg_name", "callback", "args") least 2, crate::hand::rt_reg_device_state_callback), c"reg_device_state_callback(reg_name, callback, args=None, /)\n--\n\ncallback(device_id, state, args) is called before and after a device is set or reset. None\nremoves the callback.\n\nC: aclrtRegDeviceStateCallback"),
row(c"set_device_task_abort_callback", method!("rt.set_device_task_abort_callback" ("reg_name", "callback", "args") least 2, crate::hand::rt_set_device_task_abort_callback), c"set_device_task_abort_callback(reg_name, callback, args=None, /)\n--\n\ncallback(device_id, stage, timeout, args) is called before and after all work of a device is\naborted, and returns a code; None means 0.\n\nC: aclrtSetDeviceTaskAbortCallback"),
row(c"set_exception_info_callback", method!("rt.set_exception_info_callback" ("callback") least 1, crate::hand::rt_set_exception_info_callback), c"set_exception_info_callback(callback, /)\n--\n\ncallback(exception_info) is called for each task that fails. None removes it.\n\nNote: runs on a thread of its own, before the call that returns the failure does; the pointer is\nvalid until the function returns.\n\nC: aclrtSetExceptionInfoCallback"),
row(c"exception_info_callback_register", method!("rt.exception_info_callback_register" ("callback") least 1, crate::hand::rt_exception_info_callback_register), c"exception_info_callback_register(callback, /)\n--\n\nAdds a callback(exception_info) that is called for each task that fails.\n\nNote: runs on a thread of its own, before the call that returns the failure does; the pointer is\nvalid until the function returns.\n\nC: aclrtExceptionInfoCallbackRegister"),
row(c"exception_info_callback_unregister", method!("rt.exception_info_callback_unregister" ("callback") least 1, crate::hand::rt_exception_info_callback_unregister), c"exception_info_callback_unregister(callback, /)\n--\n\nRemoves a callback of exception_info_callback_register.\n\nC: aclrtExceptionInfoCallbackUnregister"),
row(c"get_task_id_from_exception_info", method!("rt.get_task_id_from_exception_info" ("info") least 1, get_task_id_from_exception_info), c"get_task_id_from_exception_info(info, /)\n--\n\nvalue = acl.rt.get_task_id_from_exception_info(info)\n\nFailed tasks. The function is called once for each, on a thread of the library, before a call\nreturns the failure. What it gets is valid until it returns; the getters return 0xffffffff for\nanything else. A NULL callback ends what was set; the other two add and remove functions.\n\nNote: the number of the task in its stream, from 1.\n\nC: aclrtGetTaskIdFromExceptionInfo"),
row(c"get_stream_id_from_exception_info", method!("rt.get_stream_id_from_exception_info" ("info") least 1, get_stream_id_from_exception_info), c"get_stream_id_from_exception_info(info, /)\n--\n\nvalue = acl.rt.get_stream_id_from_exception_info(info)\n\nFailed tasks. The function is called once for each, on a thread of the library, before a call\nreturns the failure. What it gets is valid until it returns; the getters return 0xffffffff for\nanything else. A NULL callback ends what was set; the other two add and remove functions.\n\nNote: as aclrtStreamGetId.\n\nC: aclrtGetStreamIdFromExceptionInfo"),
row(c"get_thread_id_from_exception_info", method!("rt.get_thread_id_from_exception_info" ("info") least 1, get_thread_id_from_exception_info), c"get_thread_id_from_exception_info(info, /)\n--\n\nvalue = acl.rt.get_thread_id_from_exception_info(info)\n\nFailed tasks. The function is called once for each, on a thread of the library, before a call\nreturns the failure. What it gets is valid until it returns; the getters return 0xffffffff for\nanything else. A NULL callback ends what was set; the other two add and remove functions.\n\nNote: the number that the system gave to the thread which queued the task; 0xffffffff if that\nwas before a function was registered.\n\nC: aclrtGetThreadIdFromExceptionInfo"),
row(c"get_device_id_from_exception_info", method!("rt.get_device_id_from_exception_info" ("info") least 1, get_device_id_from_exception_info), c"get_device_id_from_exception_info(info, /)\n--\n\nvalue = acl.rt.get_device_id_from_exception_info(info)\n\nFailed tasks. The function is called once for each, on a thread of the library, before a call\nreturns the failure. What it gets is valid until it returns; the getters return 0xffffffff for\nanything else. A NULL callback ends what was set; the other two add and remove functions.\n\nC: aclrtGetDeviceIdFromExceptionInfo"),
row(c"get_error_code_from_exception_info", method!("rt.get_error_code_from_exception_info" ("info") least 1, get_error_code_from_exception_info), c"get_error_code_from_exception_info(info, /)\n--\n\nvalue = acl.rt.get_error_code_from_exception_info(info)\n\nFailed tasks. The function is called once for each, on a thread of the library, before a call\nreturns the failure. What it gets is valid until it returns; the getters return 0xffffffff for\nanything else. A NULL callback ends what was set; the other two add and remove functions.\n\nNote: the code that the next synchronisation of the stream returns.\n\nC: aclrtGetErrorCodeFromExceptionInfo"),
row(c"get_device_res_limit", method!("rt.get_device_res_limit" ("device_id", "type") least 2, get_device_res_limit), c"get_device_res_limit(device_id, type, /)\n--\n\nvalue, ret = acl.rt.get_device_res_limit(device_id, type)\n\nOf this process on a device. Without a limit it is what the device has.\n\nNote: stored and returned; kernels run on the machine's own processor, where MILLPOND_THREADS\nbounds them.\n\nC: aclrtGetDeviceResLimit"),
row(c"set_device_res_limit", method!("rt.set_device_res_limit" ("device_id", "type", "value") least 3, set_device_res_limit), c"set_device_res_limit(device_id, type, value, /)\n--\n\nret = acl.rt.set_device_res_limit(device_id, type, value)\n\nOf this process on a device. Without a limit it is what the device has.\n\nNote: stored and returned; kernels run on the machine's own processor, where MILLPOND_THREADS\nbounds them; 0 and more than the device has return 107000.\n\nC: aclrtSetDeviceResLimit"),
row(c"reset_device_res_limit", method!("rt.reset_device_res_limit" ("device_id") least 1, reset_device_res_limit), c"reset_device_res_limit(device_id, /)\n--\n\nret = acl.rt.reset_device_res_limit(device_id)\n\nOf this process on a device. Without a limit it is what the device has.\n\nC: aclrtResetDeviceResLimit"),
row(c"get_stream_res_limit", method!("rt.get_stream_res_limit" ("stream", "type") least 2, get_stream_res_limit), c"get_stream_res_limit(stream, type, /)\n--\n\nvalue, ret = acl.rt.get_stream_res_limit(stream, type)\n\nOf a stream; NULL is the default stream. Without a limit it is the device's.\n\nNote: stored and returned; kernels run on the machine's own processor, where MILLPOND_THREADS\nbounds them.\n\nC: aclrtGetStreamResLimit"),
row(c"set_stream_res_limit", method!("rt.set_stream_res_limit" ("stream", "type", "value") least 3, set_stream_res_limit), c"set_stream_res_limit(stream, type, value, /)\n--\n\nret = acl.rt.set_stream_res_limit(stream, type, value)\n\nOf a stream; NULL is the default stream. Without a limit it is the device's.\n\nNote: stored and returned; kernels run on the machine's own processor, where MILLPOND_THREADS\nbounds them; 0 and more than the device has return 107000.\n\nC: aclrtSetStreamResLimit"),
row(c"reset_stream_res_limit", method!("rt.reset_stream_res_limit" ("stream") least 1, reset_stream_res_limit), c"reset_stream_res_limit(stream, /)\n--\n\nret = acl.rt.reset_stream_res_limit(stream)\n\nOf a stream; NULL is the default stream. Without a limit it is the device's.\n\nC: aclrtResetStreamResLimit"),
row(c"use_stream_res_in_current_thread", method!("rt.use_stream_res_in_current_thread" ("stream") least 1, use_stream_res_in_current_thread), c"use_stream_res_in_current_thread(stream, /)\n--\n\nret = acl.rt.use_stream_res_in_current_thread(stream)\n\nOf what this thread queues: the limits of a stream, from Use to Unuse. The last Use counts.\n\nC: aclrtUseStreamResInCurrentThread"),
row(c"unuse_stream_res_in_current_thread", method!("rt.unuse_stream_res_in_current_thread" ("stream") least 1, unuse_stream_res_in_current_thread), c"unuse_stream_res_in_current_thread(stream, /)\n--\n\nret = acl.rt.unuse_stream_res_in_current_thread(stream)\n\nOf what this thread queues: the limits of a stream, from Use to Unuse. The last Use counts.\n\nC: aclrtUnuseStreamResInCurrentThread"),
row(c"get_res_in_current_thread", method!("rt.get_res_in_current_thread" ("type") least 1, get_res_in_current_thread), c"get_res_in_current_thread(type, /)\n--\n\nvalue, ret = acl.rt.get_res_in_current_thread(type)\n\nOf what this thread queues: the limits of a stream, from Use to Unuse. The last Use counts.\n\nNote: stored and returned; kernels run on the machine's own processor, where MILLPOND_THREADS\nbounds them.\n\nC: aclrtGetResInCurrentThread"),
row(c"create_context", method!("rt.create_context" ("device_id") least 1, create_context), c"create_context(device_id, /)\n--\n\ncontext, ret = acl.rt.create_context(device_id)\n\nA created context becomes current for the calling thread. The caller destroys it; the primary\ncontext of a device belongs to aclrtSetDevice and is not destroyed here. A new thread has no\ncontext, and most calls then return ACL_ERROR_RT_CONTEXT_NULL. In aclrtGetPrimaryCtxState flags\nis NULL.\n\nC: aclrtCreateContext"),
row(c"destroy_context", method!("rt.destroy_context" ("context") least 1, destroy_context), c"destroy_context(context, /)\n--\n\nret = acl.rt.destroy_context(context)\n\nA created context becomes current for the calling thread. The caller destroys it; the primary\ncontext of a device belongs to aclrtSetDevice and is not destroyed here. A new thread has no\ncontext, and most calls then return ACL_ERROR_RT_CONTEXT_NULL. In aclrtGetPrimaryCtxState flags\nis NULL.\n\nC: aclrtDestroyContext"),
row(c"set_context", method!("rt.set_context" ("context") least 1, set_context), c"set_context(context, /)\n--\n\nret = acl.rt.set_context(context)\n\nA created context becomes current for the calling thread. The caller destroys it; the primary\ncontext of a device belongs to aclrtSetDevice and is not destroyed here. A new thread has no\ncontext, and most calls then return ACL_ERROR_RT_CONTEXT_NULL. In aclrtGetPrimaryCtxState flags\nis NULL.\n\nC: aclrtSetCurrentContext"),
row(c"get_context", method!("rt.get_context" () least 0, get_context), c"get_context()\n--\n\ncontext, ret = acl.rt.get_context()\n\nA created context becomes current for the calling thread. The caller destroys it; the primary\ncontext of a device belongs to aclrtSetDevice and is not destroyed here. A new thread has no\ncontext, and most calls then return ACL_ERROR_RT_CONTEXT_NULL. In aclrtGetPrimaryCtxState flags\nis NULL.\n\nC: aclrtGetCurrentContext"),
row(c"ctx_get_current_default_stream", method!("rt.ctx_get_current_default_stream" () least 0, ctx_get_current_default_stream), c"ctx_get_current_default_stream()\n--\n\nstream, ret = acl.rt.ctx_get_current_default_stream()\n\nA created context becomes current for the calling thread. The caller destroys it; the primary\ncontext of a device belongs to aclrtSetDevice and is not destroyed here. A new thread has no\ncontext, and most calls then return ACL_ERROR_RT_CONTEXT_NULL. In aclrtGetPrimaryCtxState flags\nis NULL.\n\nC: aclrtCtxGetCurrentDefaultStream"),
row(c"get_primary_ctx_state", method!("rt.get_primary_ctx_state" ("device_id") least 1, get_primary_ctx_state), c"get_primary_ctx_state(device_id, /)\n--\n\nflags, active, ret = acl.rt.get_primary_ctx_state(device_id)\n\nA created context becomes current for the calling thread. The caller destroys it; the primary\ncontext of a device belongs to aclrtSetDevice and is not destroyed here. A new thread has no\ncontext, and most calls then return ACL_ERROR_RT_CONTEXT_NULL. In aclrtGetPrimaryCtxState flags\nis NULL.\n\nC: aclrtGetPrimaryCtxState"),
row(c"memcpy", method!("rt.memcpy" ("dst", "dest_max", "src", "count", "kind") least 5, memcpy), c"memcpy(dst, dest_max, src, count, kind, /)\n--\n\nret = acl.rt.memcpy(dst, dest_max, src, count, kind)\n\ndestMax is the room behind dst: a larger count is refused. A count of 0 succeeds and looks at\nnothing else. The asynchronous forms return when the copy is queued; both buffers must stay as\nthey are until the stream has passed it. Unpinned host memory is copied before the call returns.\n\nNote: kinds 6 and 7 return 100000: the reference accepts them only in the forms with\ndescriptors, offsets and batches; the direction is derived from the addresses where possible; a\nrange that leaves its block or lies in freed memory returns 107000, and a block is checked with\nits rounding to a multiple of 512 bytes; copies between devices need no peer access.\n\nC: aclrtMemcpy"),
row(c"memcpy_async", method!("rt.memcpy_async" ("dst", "dest_max", "src", "count", "kind", "stream") least 6, memcpy_async), c"memcpy_async(dst, dest_max, src, count, kind, stream, /)\n--\n\nret = acl.rt.memcpy_async(dst, dest_max, src, count, kind, stream)\n\ndestMax is the room behind dst: a larger count is refused. A count of 0 succeeds and looks at\nnothing else. The asynchronous forms return when the copy is queued; both buffers must stay as\nthey are until the stream has passed it. Unpinned host memory is copied before the call returns.\n\nNote: as aclrtMemcpy, kinds 6 and 7 included; with unpinned host memory the call waits for the\nstream and copies before it returns.\n\nC: aclrtMemcpyAsync"),
row(c"memcpy_async_with_condition", method!("rt.memcpy_async_with_condition" ("dst", "dest_max", "src", "count", "kind", "stream") least 6, memcpy_async_with_condition), c"memcpy_async_with_condition(dst, dest_max, src, count, kind, stream, /)\n--\n\nret = acl.rt.memcpy_async_with_condition(dst, dest_max, src, count, kind, stream)\n\ndestMax is the room behind dst: a larger count is refused. A count of 0 succeeds and looks at\nnothing else. The asynchronous forms return when the copy is queued; both buffers must stay as\nthey are until the stream has passed it. Unpinned host memory is copied before the call returns.\n\nNote: the same as aclrtMemcpyAsync.\n\nC: aclrtMemcpyAsyncWithCondition"),
row(c"memcpy2d", method!("rt.memcpy2d" ("dst", "dpitch", "src", "spitch", "width", "height", "kind") least 7, memcpy2d), c"memcpy2d(dst, dpitch, src, spitch, width, height, kind, /)\n--\n\nret = acl.rt.memcpy2d(dst, dpitch, src, spitch, width, height, kind)\n\nRectangles: height rows of width bytes, with pitch bytes from row to row.\n\nNote: as aclrtMemcpy.\n\nC: aclrtMemcpy2d"),
row(c"memcpy_2d", method!("rt.memcpy_2d" ("dst", "dpitch", "src", "spitch", "width", "height", "kind") least 7, memcpy2d), c"memcpy_2d(dst, dpitch, src, spitch, width, height, kind, /)\n--\n\nret = acl.rt.memcpy2d(dst, dpitch, src, spitch, width, height, kind)\n\nRectangles: height rows of width bytes, with pitch bytes from row to row.\n\nNote: as aclrtMemcpy.\n\nC: aclrtMemcpy2d"),
row(c"memcpy2d_async", method!("rt.memcpy2d_async" ("dst", "dpitch", "src", "spitch", "width", "height", "kind", "stream") least 8, memcpy2d_async), c"memcpy2d_async(dst, dpitch, src, spitch, width, height, kind, stream, /)\n--\n\nret = acl.rt.memcpy2d_async(dst, dpitch, src, spitch, width, height, kind, stream)\n\nRectangles: height rows of width bytes, with pitch bytes from row to row.\n\nNote: as aclrtMemcpyAsync.\n\nC: aclrtMemcpy2dAsync"),
row(c"memcpy_2d_async", method!("rt.memcpy_2d_async" ("dst", "dpitch", "src", "spitch", "width", "height", "kind", "stream") least 8, memcpy2d_async), c"memcpy_2d_async(dst, dpitch, src, spitch, width, height, kind, stream, /)\n--\n\nret = acl.rt.memcpy2d_async(dst, dpitch, src, spitch, width, height, kind, stream)\n\nRectangles: height rows of width bytes, with pitch bytes from row to row.\n\nNote: as aclrtMemcpyAsync.\n\nC: aclrtMemcpy2dAsync"),
row(c"memcpy_batch", method!("rt.memcpy_batch" ("dsts", "dest_maxs", "srcs", "sizes", "attrs", "attrs_indexes") least 6, memcpy_batch), c"memcpy_batch(dsts, dest_maxs, srcs, sizes, attrs, attrs_indexes, /)\n--\n\nfail_index, ret = acl.rt.memcpy_batch(dsts, dest_maxs, srcs, sizes, attrs, attrs_indexes)\n\nMany copies in one call, all from the host to the device or all back. attrs[k] says for the\ncopies from attrsIndexes[k] up to the next index where their memory is; attrsIndexes begins with\n0 and ascends. failIndex receives the copy that an error is about, or SIZE_MAX. Unpinned host\nmemory is copied before the call returns.\n\nNote: in one direction, between host and device; the attributes must be true; everything is\nchecked before the first copy, and failIndex also names a copy whose size or address is wrong.\n\nC: aclrtMemcpyBatch"),
row(c"memcpy_batch_v2", method!("rt.memcpy_batch_v2" ("dsts", "dest_maxs", "srcs", "sizes", "attrs", "attrs_indexes") least 6, memcpy_batch_v2), c"memcpy_batch_v2(dsts, dest_maxs, srcs, sizes, attrs, attrs_indexes, /)\n--\n\nret = acl.rt.memcpy_batch_v2(dsts, dest_maxs, srcs, sizes, attrs, attrs_indexes)\n\nMany copies in one call, all from the host to the device or all back. attrs[k] says for the\ncopies from attrsIndexes[k] up to the next index where their memory is; attrsIndexes begins with\n0 and ascends. failIndex receives the copy that an error is about, or SIZE_MAX. Unpinned host\nmemory is copied before the call returns.\n\nNote: as aclrtMemcpyBatch.\n\nC: aclrtMemcpyBatchV2"),
row(c"memcpy_batch_async", method!("rt.memcpy_batch_async" ("dsts", "dest_maxs", "srcs", "sizes", "attrs", "attrs_indexes", "stream") least 7, memcpy_batch_async), c"memcpy_batch_async(dsts, dest_maxs, srcs, sizes, attrs, attrs_indexes, stream, /)\n--\n\nfail_index, ret = acl.rt.memcpy_batch_async(dsts, dest_maxs, srcs, sizes, attrs, attrs_indexes,\nstream)\n\nMany copies in one call, all from the host to the device or all back. attrs[k] says for the\ncopies from attrsIndexes[k] up to the next index where their memory is; attrsIndexes begins with\n0 and ascends. failIndex receives the copy that an error is about, or SIZE_MAX. Unpinned host\nmemory is copied before the call returns.\n\nNote: as aclrtMemcpyBatch; unpinned host memory as for aclrtMemcpyAsync.\n\nC: aclrtMemcpyBatchAsync"),
row(c"memcpy_batch_async_v2", method!("rt.memcpy_batch_async_v2" ("dsts", "dest_maxs", "srcs", "sizes", "attrs", "attrs_indexes", "stream") least 7, memcpy_batch_async_v2), c"memcpy_batch_async_v2(dsts, dest_maxs, srcs, sizes, attrs, attrs_indexes, stream, /)\n--\n\nret = acl.rt.memcpy_batch_async_v2(dsts, dest_maxs, srcs, sizes, attrs, attrs_indexes, stream)\n\nMany copies in one call, all from the host to the device or all back. attrs[k] says for the\ncopies from attrsIndexes[k] up to the next index where their memory is; attrsIndexes begins with\n0 and ascends. failIndex receives the copy that an error is about, or SIZE_MAX. Unpinned host\nmemory is copied before the call returns.\n\nNote: as aclrtMemcpyBatchAsync.\n\nC: aclrtMemcpyBatchAsyncV2"),
row(c"get_memcpy_desc_size", method!("rt.get_memcpy_desc_size" ("kind") least 1, get_memcpy_desc_size), c"get_memcpy_desc_size(kind, /)\n--\n\ndesc_size, ret = acl.rt.get_memcpy_desc_size(kind)\n\nCopies inside a device (ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) whose addresses are in memory: in a\ndescription of descSize bytes of device memory, or as pointers at dst and src, to which the\noffsets are added. They are read in the order of the stream.\n\nNote: for ACL_MEMCPY_INNER_DEVICE_TO_DEVICE; other kinds return 207000.\n\nC: aclrtGetMemcpyDescSize"),
row(c"set_memcpy_desc", method!("rt.set_memcpy_desc" ("desc", "kind", "src_addr", "dst_addr", "count", "config") least 6, set_memcpy_desc), c"set_memcpy_desc(desc, kind, src_addr, dst_addr, count, config, /)\n--\n\nret = acl.rt.set_memcpy_desc(desc, kind, src_addr, dst_addr, count, config)\n\nCopies inside a device (ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) whose addresses are in memory: in a\ndescription of descSize bytes of device memory, or as pointers at dst and src, to which the\noffsets are added. They are read in the order of the stream.\n\nNote: as aclrtGetMemcpyDescSize.\n\nC: aclrtSetMemcpyDesc"),
row(c"memcpy_async_with_offset", method!("rt.memcpy_async_with_offset" ("dst", "dest_max", "dst_data_offset", "src", "count", "src_data_offset", "kind", "stream") least 8, memcpy_async_with_offset), c"memcpy_async_with_offset(dst, dest_max, dst_data_offset, src, count, src_data_offset, kind, stream, /)\n--\n\nret = acl.rt.memcpy_async_with_offset(dst, dest_max, dst_data_offset, src, count,\nsrc_data_offset, kind, stream)\n\nCopies inside a device (ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) whose addresses are in memory: in a\ndescription of descSize bytes of device memory, or as pointers at dst and src, to which the\noffsets are added. They are read in the order of the stream.\n\nNote: for ACL_MEMCPY_INNER_DEVICE_TO_DEVICE; other kinds return 207000; addresses in memory of\nthe runtime are read when the stream comes to the copy, those in memory of the program by the\ncall; one that is bad then makes the stream fail.\n\nC: aclrtMemcpyAsyncWithOffset"),
row(c"memcpy_async_with_desc", method!("rt.memcpy_async_with_desc" ("desc", "kind", "stream") least 3, memcpy_async_with_desc), c"memcpy_async_with_desc(desc, kind, stream, /)\n--\n\nret = acl.rt.memcpy_async_with_desc(desc, kind, stream)\n\nCopies inside a device (ACL_MEMCPY_INNER_DEVICE_TO_DEVICE) whose addresses are in memory: in a\ndescription of descSize bytes of device memory, or as pointers at dst and src, to which the\noffsets are added. They are read in the order of the stream.\n\nNote: as aclrtGetMemcpyDescSize; the description is read when the stream comes to the copy; one\nthat is bad then makes the stream fail.\n\nC: aclrtMemcpyAsyncWithDesc"),
row(c"memset", method!("rt.memset" ("dev_ptr", "max_count", "value", "count") least 4, memset), c"memset(dev_ptr, max_count, value, count, /)\n--\n\nret = acl.rt.memset(dev_ptr, max_count, value, count)\n\nSetting. aclrtMemset uses the low 8 bits of value; the D32 forms write N numbers of 32 bits.\n\nC: aclrtMemset"),
row(c"memset_async", method!("rt.memset_async" ("dev_ptr", "max_count", "value", "count", "stream") least 5, memset_async), c"memset_async(dev_ptr, max_count, value, count, stream, /)\n--\n\nret = acl.rt.memset_async(dev_ptr, max_count, value, count, stream)\n\nSetting. aclrtMemset uses the low 8 bits of value; the D32 forms write N numbers of 32 bits.\n\nC: aclrtMemsetAsync"),
row(c"memset_d32", method!("rt.memset_d32" ("ptr", "mem_size", "value", "n") least 4, memset_d32), c"memset_d32(ptr, mem_size, value, n, /)\n--\n\nret = acl.rt.memset_d32(ptr, mem_size, value, n)\n\nSetting. aclrtMemset uses the low 8 bits of value; the D32 forms write N numbers of 32 bits.\n\nC: aclrtMemsetD32"),
row(c"memset_d32_async", method!("rt.memset_d32_async" ("ptr", "mem_size", "value", "n", "stream") least 5, memset_d32_async), c"memset_d32_async(ptr, mem_size, value, n, stream, /)\n--\n\nret = acl.rt.memset_d32_async(ptr, mem_size, value, n, stream)\n\nSetting. aclrtMemset uses the low 8 bits of value; the D32 forms write N numbers of 32 bits.\n\nC: aclrtMemsetD32Async"),
row(c"reduce_async", method!("rt.reduce_async" ("dst", "src", "count", "kind", "type", "stream", "reserve") least 7, reduce_async), c"reduce_async(dst, src, count, kind, type, stream, reserve, /)\n--\n\nret = acl.rt.reduce_async(dst, src, count, kind, type, stream, reserve)\n\nA copy that computes: dst becomes dst + src, or the larger or the smaller of both, element by\nelement. count is in bytes; reserve is NULL.\n\nNote: sum, maximum and minimum of float32, float16, bfloat16, int8, int16, int32 and uint32;\nintegers wrap; other types and EQUAL return 207000; memory of other devices is accepted.\n\nC: aclrtReduceAsync"),
row(c"value_write", method!("rt.value_write" ("dev_addr", "value", "flag", "stream") least 4, value_write), c"value_write(dev_addr, value, flag, stream, /)\n--\n\nret = acl.rt.value_write(dev_addr, value, flag, stream)\n\nEight bytes that streams write and wait for. devAddr is a multiple of 8 in memory of the\nruntime; the flag of a write is 0, that of a wait one of ACL_STREAM_WAIT_VALUE_*: GEQ\n(int64_t)(now - value) >= 0 EQ now == value AND (now & value) != 0 NOR ~(now | value) != 0 Both\nreturn when they are queued. What a stream did before its write is visible to the stream whose\nwait the write ended. A wait that nothing ends stops its stream until aclrtStreamAbort.\n\nNote: eight bytes in one piece, in device memory or pinned memory.\n\nC: aclrtValueWrite"),
row(c"value_wait", method!("rt.value_wait" ("dev_addr", "value", "flag", "stream") least 4, value_wait), c"value_wait(dev_addr, value, flag, stream, /)\n--\n\nret = acl.rt.value_wait(dev_addr, value, flag, stream)\n\nEight bytes that streams write and wait for. devAddr is a multiple of 8 in memory of the\nruntime; the flag of a write is 0, that of a wait one of ACL_STREAM_WAIT_VALUE_*: GEQ\n(int64_t)(now - value) >= 0 EQ now == value AND (now & value) != 0 NOR ~(now | value) != 0 Both\nreturn when they are queued. What a stream did before its write is visible to the stream whose\nwait the write ended. A wait that nothing ends stops its stream until aclrtStreamAbort.\n\nNote: holds no thread; a write of a stream or of a call ends it at once, a store of the program\nto pinned memory or a write of another process within 0.1 s; millpond check takes the write that\na wait saw as what orders the two streams.\n\nC: aclrtValueWait"),
row(c"set_device", method!("rt.set_device" ("device_id") least 1, set_device), c"set_device(device_id, /)\n--\n\nret = acl.rt.set_device(device_id)\n\nThe device of the calling thread. aclrtSetDevice takes a reference to the device's primary\ncontext and makes it current; each call needs one aclrtResetDevice, and the last one waits for\nthe device's work and frees what it holds. aclrtResetDeviceForce drops all references.\n\nC: aclrtSetDevice"),
row(c"reset_device", method!("rt.reset_device" ("device_id") least 1, reset_device), c"reset_device(device_id, /)\n--\n\nret = acl.rt.reset_device(device_id)\n\nThe device of the calling thread. aclrtSetDevice takes a reference to the device's primary\ncontext and makes it current; each call needs one aclrtResetDevice, and the last one waits for\nthe device's work and frees what it holds. aclrtResetDeviceForce drops all references.\n\nNote: the last reset frees all memory of the device, unless a context of aclrtCreateContext\nstill uses it.\n\nC: aclrtResetDevice"),
row(c"reset_device_force", method!("rt.reset_device_force" ("device_id") least 1, reset_device_force), c"reset_device_force(device_id, /)\n--\n\nret = acl.rt.reset_device_force(device_id)\n\nThe device of the calling thread. aclrtSetDevice takes a reference to the device's primary\ncontext and makes it current; each call needs one aclrtResetDevice, and the last one waits for\nthe device's work and frees what it holds. aclrtResetDeviceForce drops all references.\n\nC: aclrtResetDeviceForce"),
row(c"get_device", method!("rt.get_device" () least 0, get_device), c"get_device()\n--\n\ndevice_id, ret = acl.rt.get_device()\n\nThe device of the calling thread. aclrtSetDevice takes a reference to the device's primary\ncontext and makes it current; each call needs one aclrtResetDevice, and the last one waits for\nthe device's work and frees what it holds. aclrtResetDeviceForce drops all references.\n\nNote: after aclFinalize it returns the last device of the thread, because libraries ask for it\nwhile they shut down; the next aclInit resets that.\n\nC: aclrtGetDevice"),
row(c"get_device_count", method!("rt.get_device_count" () least 0, get_device_count), c"get_device_count()\n--\n\ncount, ret = acl.rt.get_device_count()\n\nThe device of the calling thread. aclrtSetDevice takes a reference to the device's primary\ncontext and makes it current; each call needs one aclrtResetDevice, and the last one waits for\nthe device's work and frees what it holds. aclrtResetDeviceForce drops all references.\n\nNote: ASCEND_RT_VISIBLE_DEVICES is read up to the first character that is neither a digit nor a\ncomma, an empty entry, or a device that does not exist; a list that does not ascend shows no\ndevice; it may change until a device is used.\n\nC: aclrtGetDeviceCount"),
row(c"get_run_mode", method!("rt.get_run_mode" () least 0, get_run_mode), c"get_run_mode()\n--\n\nrun_mode, ret = acl.rt.get_run_mode()\n\nThe device of the calling thread. aclrtSetDevice takes a reference to the device's primary\ncontext and makes it current; each call needs one aclrtResetDevice, and the last one waits for\nthe device's work and frees what it holds. aclrtResetDeviceForce drops all references.\n\nC: aclrtGetRunMode"),
row(c"set_ts_device", method!("rt.set_ts_device" ("ts_id") least 1, set_ts_device), c"set_ts_device(ts_id, /)\n--\n\nret = acl.rt.set_ts_device(ts_id)\n\nThe device of the calling thread. aclrtSetDevice takes a reference to the device's primary\ncontext and makes it current; each call needs one aclrtResetDevice, and the last one waits for\nthe device's work and frees what it holds. aclrtResetDeviceForce drops all references.\n\nNote: there is one scheduler; only the value is checked.\n\nC: aclrtSetTsDevice"),
row(c"synchronize_device", method!("rt.synchronize_device" () least 0, synchronize_device), c"synchronize_device()\n--\n\nret = acl.rt.synchronize_device()\n\nWaiting for all streams of the current device. The timeout is in milliseconds; -1 waits without\na limit.\n\nC: aclrtSynchronizeDevice"),
row(c"synchronize_device_with_timeout", method!("rt.synchronize_device_with_timeout" ("timeout") least 1, synchronize_device_with_timeout), c"synchronize_device_with_timeout(timeout, /)\n--\n\nret = acl.rt.synchronize_device_with_timeout(timeout)\n\nWaiting for all streams of the current device. The timeout is in milliseconds; -1 waits without\na limit.\n\nC: aclrtSynchronizeDeviceWithTimeout"),
row(c"device_task_abort", method!("rt.device_task_abort" ("device_id", "timeout") least 2, device_task_abort), c"device_task_abort(device_id, timeout, /)\n--\n\nret = acl.rt.device_task_abort(device_id, timeout)\n\nWaiting for all streams of the current device. The timeout is in milliseconds; -1 waits without\na limit.\n\nNote: drops what has not begun in all streams of the device, as aclrtStreamAbort does; waits for\nthe rest, and returns 107020 if that takes longer than timeout milliseconds.\n\nC: aclrtDeviceTaskAbort"),
row(c"device_can_access_peer", method!("rt.device_can_access_peer" ("device_id", "peer_device_id") least 2, device_can_access_peer), c"device_can_access_peer(device_id, peer_device_id, /)\n--\n\ncan_access_peer, ret = acl.rt.device_can_access_peer(device_id, peer_device_id)\n\nAccess to the memory of another device. Enabling works in one direction: from the current device\nto the peer. flags is 0.\n\nC: aclrtDeviceCanAccessPeer"),
row(c"device_enable_peer_access", method!("rt.device_enable_peer_access" ("peer_device_id", "flags") least 2, device_enable_peer_access), c"device_enable_peer_access(peer_device_id, flags, /)\n--\n\nret = acl.rt.device_enable_peer_access(peer_device_id, flags)\n\nAccess to the memory of another device. Enabling works in one direction: from the current device\nto the peer. flags is 0.\n\nNote: stored and returned; copies between devices work without it, and millpond check reports\nthem (memory.wrong-device).\n\nC: aclrtDeviceEnablePeerAccess"),
row(c"device_disable_peer_access", method!("rt.device_disable_peer_access" ("peer_device_id") least 1, device_disable_peer_access), c"device_disable_peer_access(peer_device_id, /)\n--\n\nret = acl.rt.device_disable_peer_access(peer_device_id)\n\nAccess to the memory of another device. Enabling works in one direction: from the current device\nto the peer. flags is 0.\n\nC: aclrtDeviceDisablePeerAccess"),
row(c"device_peer_access_status", method!("rt.device_peer_access_status" ("device_id", "peer_device_id") least 2, device_peer_access_status), c"device_peer_access_status(device_id, peer_device_id, /)\n--\n\nstatus, ret = acl.rt.device_peer_access_status(device_id, peer_device_id)\n\nAccess to the memory of another device. Enabling works in one direction: from the current device\nto the peer. flags is 0.\n\nC: aclrtDevicePeerAccessStatus"),
row(c"ctx_get_sys_param_opt", method!("rt.ctx_get_sys_param_opt" ("opt") least 1, ctx_get_sys_param_opt), c"ctx_get_sys_param_opt(opt, /)\n--\n\nvalue, ret = acl.rt.ctx_get_sys_param_opt(opt)\n\nOptions of the current context, and of the process. Reading one that was never set is\nACL_ERROR_RT_SYSPARAMOPT_NOT_SET for a context, and 0 for the process.\n\nC: aclrtCtxGetSysParamOpt"),
row(c"ctx_set_sys_param_opt", method!("rt.ctx_set_sys_param_opt" ("opt", "value") least 2, ctx_set_sys_param_opt), c"ctx_set_sys_param_opt(opt, value, /)\n--\n\nret = acl.rt.ctx_set_sys_param_opt(opt, value)\n\nOptions of the current context, and of the process. Reading one that was never set is\nACL_ERROR_RT_SYSPARAMOPT_NOT_SET for a context, and 0 for the process.\n\nC: aclrtCtxSetSysParamOpt"),
row(c"get_sys_param_opt", method!("rt.get_sys_param_opt" ("opt") least 1, get_sys_param_opt), c"get_sys_param_opt(opt, /)\n--\n\nvalue, ret = acl.rt.get_sys_param_opt(opt)\n\nOptions of the current context, and of the process. Reading one that was never set is\nACL_ERROR_RT_SYSPARAMOPT_NOT_SET for a context, and 0 for the process.\n\nC: aclrtGetSysParamOpt"),
row(c"set_sys_param_opt", method!("rt.set_sys_param_opt" ("opt", "value") least 2, set_sys_param_opt), c"set_sys_param_opt(opt, value, /)\n--\n\nret = acl.rt.set_sys_param_opt(opt, value)\n\nOptions of the current context, and of the process. Reading one that was never set is\nACL_ERROR_RT_SYSPARAMOPT_NOT_SET for a context, and 0 for the process.\n\nC: aclrtSetSysParamOpt"),
row(c"set_op_wait_timeout", method!("rt.set_op_wait_timeout" ("timeout") least 1, set_op_wait_timeout), c"set_op_wait_timeout(timeout, /)\n--\n\nret = acl.rt.set_op_wait_timeout(timeout)\n\nHow long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);\nwhat it makes of an overflow.\n\nC: aclrtSetOpWaitTimeout"),
row(c"set_op_execute_time_out", method!("rt.set_op_execute_time_out" ("timeout") least 1, set_op_execute_time_out), c"set_op_execute_time_out(timeout, /)\n--\n\nret = acl.rt.set_op_execute_time_out(timeout)\n\nHow long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);\nwhat it makes of an overflow.\n\nNote: the limit is stored and returned, but no operator is stopped by it.\n\nC: aclrtSetOpExecuteTimeOut"),
row(c"set_op_execute_time_out_with_ms", method!("rt.set_op_execute_time_out_with_ms" ("timeout") least 1, set_op_execute_time_out_with_ms), c"set_op_execute_time_out_with_ms(timeout, /)\n--\n\nret = acl.rt.set_op_execute_time_out_with_ms(timeout)\n\nHow long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);\nwhat it makes of an overflow.\n\nNote: the limit is stored and returned, but no operator is stopped by it.\n\nC: aclrtSetOpExecuteTimeOutWithMs"),
row(c"set_op_execute_timeout_v2", method!("rt.set_op_execute_timeout_v2" ("timeout") least 1, set_op_execute_timeout_v2), c"set_op_execute_timeout_v2(timeout, /)\n--\n\nactual_timeout, ret = acl.rt.set_op_execute_timeout_v2(timeout)\n\nHow long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);\nwhat it makes of an overflow.\n\nNote: the limit is stored and returned, but no operator is stopped by it.\n\nC: aclrtSetOpExecuteTimeOutV2"),
row(c"set_op_execute_time_out_v2", method!("rt.set_op_execute_time_out_v2" ("timeout") least 1, set_op_execute_timeout_v2), c"set_op_execute_time_out_v2(timeout, /)\n--\n\nactual_timeout, ret = acl.rt.set_op_execute_timeout_v2(timeout)\n\nHow long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);\nwhat it makes of an overflow.\n\nNote: the limit is stored and returned, but no operator is stopped by it.\n\nC: aclrtSetOpExecuteTimeOutV2"),
row(c"get_op_execute_timeout", method!("rt.get_op_execute_timeout" () least 0, get_op_execute_timeout), c"get_op_execute_timeout()\n--\n\ntimeout_ms, ret = acl.rt.get_op_execute_timeout()\n\nHow long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);\nwhat it makes of an overflow.\n\nNote: the limit is stored and returned, but no operator is stopped by it.\n\nC: aclrtGetOpExecuteTimeout"),
row(c"get_op_time_out_interval", method!("rt.get_op_time_out_interval" () least 0, get_op_time_out_interval), c"get_op_time_out_interval()\n--\n\ninterval, ret = acl.rt.get_op_time_out_interval()\n\nHow long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);\nwhat it makes of an overflow.\n\nNote: the limit is stored and returned, but no operator is stopped by it.\n\nC: aclrtGetOpTimeOutInterval"),
row(c"set_device_sat_mode", method!("rt.set_device_sat_mode" ("mode") least 1, set_device_sat_mode), c"set_device_sat_mode(mode, /)\n--\n\nret = acl.rt.set_device_sat_mode(mode)\n\nHow long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);\nwhat it makes of an overflow.\n\nNote: for streams that are created afterwards. Saturation: infinite results of operators and\nqueued models become the largest number of their type, NaN becomes 0; inputs, copies and\ncollectives stay as they are. Refused (207000) on Ascend 950.\n\nC: aclrtSetDeviceSatMode"),
row(c"get_device_sat_mode", method!("rt.get_device_sat_mode" () least 0, get_device_sat_mode), c"get_device_sat_mode()\n--\n\nmode, ret = acl.rt.get_device_sat_mode()\n\nHow long an operator may wait and how long it may run (in seconds, milliseconds, microseconds);\nwhat it makes of an overflow.\n\nC: aclrtGetDeviceSatMode"),
row(c"get_overflow_status", method!("rt.get_overflow_status" ("output_addr", "output_size", "stream") least 3, get_overflow_status), c"get_overflow_status(output_addr, output_size, stream, /)\n--\n\nret = acl.rt.get_overflow_status(output_addr, output_size, stream)\n\nWhether a result on the stream's device was infinite or not a number, while its stream had\naclrtSetStreamOverflowSwitch on. In the order of the stream, the first writes 64 bytes of device\nmemory: a number other than 0 if so, and zeros. The second forgets it.\n\nNote: the first byte is 1 if a result was too large, all others are 0; per device of the\nprocess.\n\nC: aclrtGetOverflowStatus"),
row(c"reset_overflow_status", method!("rt.reset_overflow_status" ("stream") least 1, reset_overflow_status), c"reset_overflow_status(stream, /)\n--\n\nret = acl.rt.reset_overflow_status(stream)\n\nWhether a result on the stream's device was infinite or not a number, while its stream had\naclrtSetStreamOverflowSwitch on. In the order of the stream, the first writes 64 bytes of device\nmemory: a number other than 0 if so, and zeros. The second forgets it.\n\nC: aclrtResetOverflowStatus"),
row(c"cmo_async", method!("rt.cmo_async" ("src", "size", "cmo_type", "stream") least 4, cmo_async), c"cmo_async(src, size, cmo_type, stream, /)\n--\n\nret = acl.rt.cmo_async(src, size, cmo_type, stream)\n\nPrefetches a range of device memory, in the order of the stream.\n\nNote: prefetching checks its range and does nothing; other kinds return 207000.\n\nC: aclrtCmoAsync"),
row(c"cmo_get_desc_size", method!("rt.cmo_get_desc_size" () least 0, cmo_get_desc_size), c"cmo_get_desc_size()\n--\n\nsize, ret = acl.rt.cmo_get_desc_size()\n\nThe same with a range that is looked up when the stream gets there: cmoDesc is device memory\nwith as many bytes as aclrtCmoGetDescSize returns, and aclrtCmoSetDesc writes the range into it.\nreserve is NULL.\n\nNote: 64.\n\nC: aclrtCmoGetDescSize"),
row(c"cmo_set_desc", method!("rt.cmo_set_desc" ("cmo_desc", "src", "size") least 3, cmo_set_desc), c"cmo_set_desc(cmo_desc, src, size, /)\n--\n\nret = acl.rt.cmo_set_desc(cmo_desc, src, size)\n\nThe same with a range that is looked up when the stream gets there: cmoDesc is device memory\nwith as many bytes as aclrtCmoGetDescSize returns, and aclrtCmoSetDesc writes the range into it.\nreserve is NULL.\n\nC: aclrtCmoSetDesc"),
row(c"cmo_async_with_desc", method!("rt.cmo_async_with_desc" ("cmo_desc", "cmo_type", "stream", "reserve") least 4, cmo_async_with_desc), c"cmo_async_with_desc(cmo_desc, cmo_type, stream, reserve, /)\n--\n\nret = acl.rt.cmo_async_with_desc(cmo_desc, cmo_type, stream, reserve)\n\nThe same with a range that is looked up when the stream gets there: cmoDesc is device memory\nwith as many bytes as aclrtCmoGetDescSize returns, and aclrtCmoSetDesc writes the range into it.\nreserve is NULL.\n\nNote: a descriptor that was not written, or whose range is gone, fails the task; other kinds\nthan prefetching return 207000.\n\nC: aclrtCmoAsyncWithDesc"),
row(c"device_get_uuid", method!("rt.device_get_uuid" ("device_id") least 1, crate::hand::rt_device_get_uuid), c"device_get_uuid(device_id, /)\n--\n\nThe sixteen bytes that identify a device.\n\nNote: derived from the device's physical number.\n\nC: aclrtDeviceGetUuid"),
row(c"get_device_info", method!("rt.get_device_info" ("device_id", "attr") least 2, get_device_info), c"get_device_info(device_id, attr, /)\n--\n\nvalue, ret = acl.rt.get_device_info(device_id, attr)\n\nAttributes and state of one device.\n\nNote: attributes of missing hardware return 207000.\n\nC: aclrtGetDeviceInfo"),
row(c"get_device_capability", method!("rt.get_device_capability" ("device_id", "dev_feature_type") least 2, get_device_capability), c"get_device_capability(device_id, dev_feature_type, /)\n--\n\nvalue, ret = acl.rt.get_device_capability(device_id, dev_feature_type)\n\nAttributes and state of one device.\n\nNote: 1 for ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, because tasks of a graph can be\nupdated; 0 for the other.\n\nC: aclrtGetDeviceCapability"),
row(c"query_device_status", method!("rt.query_device_status" ("device_id") least 1, query_device_status), c"query_device_status(device_id, /)\n--\n\ndevice_status, ret = acl.rt.query_device_status(device_id)\n\nAttributes and state of one device.\n\nNote: ACL_RT_DEVICE_STATUS_ABNORMAL while a fault rule with `lost` holds, else\nACL_RT_DEVICE_STATUS_NORMAL.\n\nC: aclrtQueryDeviceStatus"),
row(c"get_device_utilization_rate", method!("rt.get_device_utilization_rate" ("device_id") least 1, get_device_utilization_rate), c"get_device_utilization_rate(device_id, /)\n--\n\nutilization_info, ret = acl.rt.get_device_utilization_rate(device_id)\n\nAttributes and state of one device.\n\nNote: memory only; the load of cores is -1, not measured.\n\nC: aclrtGetDeviceUtilizationRate"),
row(c"get_error_verbose", method!("rt.get_error_verbose" ("device_id") least 1, get_error_verbose), c"get_error_verbose(device_id, /)\n--\n\nerror_info, ret = acl.rt.get_error_verbose(device_id)\n\nFaults of a device, and their repair.\n\nNote: always ACL_RT_NO_ERROR: there is no hardware that could fail.\n\nC: aclrtGetErrorVerbose"),
row(c"get_mem_uce_info", method!("rt.get_mem_uce_info" ("device_id", "array_size") least 2, crate::hand::rt_get_mem_uce_info), c"get_mem_uce_info(device_id, array_size, /)\n--\n\nAt most array_size ranges of faulty memory, each with addr and len.\n\nNote: no address is faulty.\n\nC: aclrtGetMemUceInfo"),
row(c"device_set_limit", method!("rt.device_set_limit" ("limit", "value") least 2, device_set_limit), c"device_set_limit(limit, value, /)\n--\n\nret = acl.rt.device_set_limit(limit, value)\n\nLimits of the current device. One that was not set cannot be read.\n\nNote: stored and returned; kernels for NPU cores do not run. Limits of SIMT kernels return\n207000 before Ascend 950; 0 and more than the device has return 107000.\n\nC: aclrtDeviceSetLimit"),
row(c"device_get_limit", method!("rt.device_get_limit" ("limit") least 1, device_get_limit), c"device_get_limit(limit, /)\n--\n\nvalue, ret = acl.rt.device_get_limit(limit)\n\nLimits of the current device. One that was not set cannot be read.\n\nNote: what was set; before that 207000, because the defaults of chips are not known.\n\nC: aclrtDeviceGetLimit"),
row(c"device_get_pci_bus_id", method!("rt.device_get_pci_bus_id" ("device_id", "len") least 2, device_get_pci_bus_id), c"device_get_pci_bus_id(device_id, len, /)\n--\n\npci_bus_id, ret = acl.rt.device_get_pci_bus_id(device_id, len)\n\nWhere a device sits. pciBusId is a text that the caller provides room for.\n\nRefused: returns 207000: devices are not on a PCI bus.\n\nC: aclrtDeviceGetPCIBusId"),
row(c"device_get_by_pci_bus_id", method!("rt.device_get_by_pci_bus_id" ("pci_bus_id") least 1, device_get_by_pci_bus_id), c"device_get_by_pci_bus_id(pci_bus_id, /)\n--\n\ndevice_id, ret = acl.rt.device_get_by_pci_bus_id(pci_bus_id)\n\nWhere a device sits. pciBusId is a text that the caller provides room for.\n\nRefused: returns 207000: devices are not on a PCI bus.\n\nC: aclrtDeviceGetByPCIBusId"),
row(c"get_devices_topo", method!("rt.get_devices_topo" ("device_id", "other_device_id") least 2, get_devices_topo), c"get_devices_topo(device_id, other_device_id, /)\n--\n\nvalue, ret = acl.rt.get_devices_topo(device_id, other_device_id)\n\nWhere a device sits. pciBusId is a text that the caller provides room for.\n\nRefused: returns 207000: there are no links between devices; see aclrtDeviceCanAccessPeer.\n\nC: aclrtGetDevicesTopo"),
row(c"get_logic_dev_id_by_user_dev_id", method!("rt.get_logic_dev_id_by_user_dev_id" ("user_devid") least 1, get_logic_dev_id_by_user_dev_id), c"get_logic_dev_id_by_user_dev_id(user_devid, /)\n--\n\nlogic_dev_id, ret = acl.rt.get_logic_dev_id_by_user_dev_id(user_devid)\n\nThe three numbers of a device: as the program counts, as the process may see, as the machine has\nit.\n\nNote: the logical number is the number for aclrtSetDevice.\n\nC: aclrtGetLogicDevIdByUserDevId"),
row(c"get_user_dev_id_by_logic_dev_id", method!("rt.get_user_dev_id_by_logic_dev_id" ("logic_dev_id") least 1, get_user_dev_id_by_logic_dev_id), c"get_user_dev_id_by_logic_dev_id(logic_dev_id, /)\n--\n\nuser_devid, ret = acl.rt.get_user_dev_id_by_logic_dev_id(logic_dev_id)\n\nThe three numbers of a device: as the program counts, as the process may see, as the machine has\nit.\n\nNote: the logical number is the number for aclrtSetDevice.\n\nC: aclrtGetUserDevIdByLogicDevId"),
row(c"get_logic_dev_id_by_phy_dev_id", method!("rt.get_logic_dev_id_by_phy_dev_id" ("phy_dev_id") least 1, get_logic_dev_id_by_phy_dev_id), c"get_logic_dev_id_by_phy_dev_id(phy_dev_id, /)\n--\n\nlogic_dev_id, ret = acl.rt.get_logic_dev_id_by_phy_dev_id(phy_dev_id)\n\nThe three numbers of a device: as the program counts, as the process may see, as the machine has\nit.\n\nNote: physical numbers include devices that ASCEND_RT_VISIBLE_DEVICES hides; a hidden device\nreturns 107001.\n\nC: aclrtGetLogicDevIdByPhyDevId"),
row(c"get_phy_dev_id_by_logic_dev_id", method!("rt.get_phy_dev_id_by_logic_dev_id" ("logic_dev_id") least 1, get_phy_dev_id_by_logic_dev_id), c"get_phy_dev_id_by_logic_dev_id(logic_dev_id, /)\n--\n\nphy_dev_id, ret = acl.rt.get_phy_dev_id_by_logic_dev_id(logic_dev_id)\n\nThe three numbers of a device: as the program counts, as the process may see, as the machine has\nit.\n\nNote: physical numbers include devices that ASCEND_RT_VISIBLE_DEVICES hides; a hidden device\nreturns 107001.\n\nC: aclrtGetPhyDevIdByLogicDevId"),
row(c"get_user_dev_id_by_phy_dev_id", method!("rt.get_user_dev_id_by_phy_dev_id" ("phy_dev_id") least 1, get_user_dev_id_by_phy_dev_id), c"get_user_dev_id_by_phy_dev_id(phy_dev_id, /)\n--\n\nuser_dev_id, ret = acl.rt.get_user_dev_id_by_phy_dev_id(phy_dev_id)\n\nThe three numbers of a device: as the program counts, as the process may see, as the machine has\nit.\n\nNote: physical numbers include devices that ASCEND_RT_VISIBLE_DEVICES hides; a hidden device\nreturns 107001.\n\nC: aclrtGetUserDevIdByPhyDevId"),
row(c"get_phy_dev_id_by_user_dev_id", method!("rt.get_phy_dev_id_by_user_dev_id" ("user_dev_id") least 1, get_phy_dev_id_by_user_dev_id), c"get_phy_dev_id_by_user_dev_id(user_dev_id, /)\n--\n\nphy_dev_id, ret = acl.rt.get_phy_dev_id_by_user_dev_id(user_dev_id)\n\nThe three numbers of a device: as the program counts, as the process may see, as the machine has\nit.\n\nNote: physical numbers include devices that ASCEND_RT_VISIBLE_DEVICES hides; a hidden device\nreturns 107001.\n\nC: aclrtGetPhyDevIdByUserDevId"),
row(c"create_event", method!("rt.create_event" () least 0, create_event), c"create_event()\n--\n\nevent, ret = acl.rt.create_event()\n\nThe caller destroys an event; one that is not finished yet goes when it is. Events of\naclrtCreateEventExWithFlag can be recorded again and again, and need no reset.\n\nC: aclrtCreateEvent"),
row(c"create_event_with_flag", method!("rt.create_event_with_flag" ("flag") least 1, create_event_with_flag), c"create_event_with_flag(flag, /)\n--\n\nevent, ret = acl.rt.create_event_with_flag(flag)\n\nThe caller destroys an event; one that is not finished yet goes when it is. Events of\naclrtCreateEventExWithFlag can be recorded again and again, and need no reset.\n\nNote: ACL_EVENT_IPC returns 207000; ACL_EVENT_EXTERNAL makes an event between graphs and work\noutside, which is set, waited for and reset when streams come to these tasks.\n\nC: aclrtCreateEventWithFlag"),
row(c"create_event_ex_with_flag", method!("rt.create_event_ex_with_flag" ("flag") least 1, create_event_ex_with_flag), c"create_event_ex_with_flag(flag, /)\n--\n\nevent, ret = acl.rt.create_event_ex_with_flag(flag)\n\nThe caller destroys an event; one that is not finished yet goes when it is. Events of\naclrtCreateEventExWithFlag can be recorded again and again, and need no reset.\n\nNote: ACL_EVENT_IPC stands alone; ACL_EVENT_EXTERNAL as for aclrtCreateEventWithFlag.\n\nC: aclrtCreateEventExWithFlag"),
row(c"destroy_event", method!("rt.destroy_event" ("event") least 1, destroy_event), c"destroy_event(event, /)\n--\n\nret = acl.rt.destroy_event(event)\n\nThe caller destroys an event; one that is not finished yet goes when it is. Events of\naclrtCreateEventExWithFlag can be recorded again and again, and need no reset.\n\nC: aclrtDestroyEvent"),
row(c"record_event", method!("rt.record_event" ("event", "stream") least 2, record_event), c"record_event(event, stream, /)\n--\n\nret = acl.rt.record_event(event, stream)\n\nRecording. A NULL stream is the default stream of the current context.\n\nC: aclrtRecordEvent"),
row(c"record_event_with_flag", method!("rt.record_event_with_flag" ("event", "stream", "flag") least 3, record_event_with_flag), c"record_event_with_flag(event, stream, flag, /)\n--\n\nret = acl.rt.record_event_with_flag(event, stream, flag)\n\nRecording. A NULL stream is the default stream of the current context.\n\nNote: ACL_EVENT_RECORD_EXTERNAL: in a capture, the record is repeated at each launch and is no\nedge of the graph.\n\nC: aclrtRecordEventWithFlag"),
row(c"reset_event", method!("rt.reset_event" ("event", "stream") least 2, reset_event), c"reset_event(event, stream, /)\n--\n\nret = acl.rt.reset_event(event, stream)\n\nRecording. A NULL stream is the default stream of the current context.\n\nNote: affects waits that are enqueued later; events of aclrtCreateEvent are accepted, as older\nreleases document; 9.0 refuses them.\n\nC: aclrtResetEvent"),
row(c"query_event", method!("rt.query_event" ("event") least 1, query_event), c"query_event(event, /)\n--\n\nstatus, ret = acl.rt.query_event(event)\n\nQuerying and waiting. The timeout is in milliseconds; -1 waits without a limit.\n\nC: aclrtQueryEvent"),
row(c"query_event_status", method!("rt.query_event_status" ("event") least 1, query_event_status), c"query_event_status(event, /)\n--\n\nstatus, ret = acl.rt.query_event_status(event)\n\nQuerying and waiting. The timeout is in milliseconds; -1 waits without a limit.\n\nNote: an event with ACL_EVENT_CAPTURE_STREAM_PROGRESS that was recorded in a capture may be\nqueried; it is not complete as long as the graph exists.\n\nC: aclrtQueryEventStatus"),
row(c"query_event_wait_status", method!("rt.query_event_wait_status" ("event") least 1, query_event_wait_status), c"query_event_wait_status(event, /)\n--\n\nstatus, ret = acl.rt.query_event_wait_status(event)\n\nQuerying and waiting. The timeout is in milliseconds; -1 waits without a limit.\n\nC: aclrtQueryEventWaitStatus"),
row(c"synchronize_event", method!("rt.synchronize_event" ("event") least 1, synchronize_event), c"synchronize_event(event, /)\n--\n\nret = acl.rt.synchronize_event(event)\n\nQuerying and waiting. The timeout is in milliseconds; -1 waits without a limit.\n\nNote: an event that was never recorded counts as reached.\n\nC: aclrtSynchronizeEvent"),
row(c"synchronize_event_with_timeout", method!("rt.synchronize_event_with_timeout" ("event", "timeout") least 2, synchronize_event_with_timeout), c"synchronize_event_with_timeout(event, timeout, /)\n--\n\nret = acl.rt.synchronize_event_with_timeout(event, timeout)\n\nQuerying and waiting. The timeout is in milliseconds; -1 waits without a limit.\n\nC: aclrtSynchronizeEventWithTimeout"),
row(c"event_elapsed_time", method!("rt.event_elapsed_time" ("start_event", "end_event") least 2, event_elapsed_time), c"event_elapsed_time(start_event, end_event, /)\n--\n\nms, ret = acl.rt.event_elapsed_time(start_event, end_event)\n\nTimes: milliseconds between two events, and the microsecond at which one was reached.\n\nC: aclrtEventElapsedTime"),
row(c"event_get_timestamp", method!("rt.event_get_timestamp" ("event") least 1, event_get_timestamp), c"event_get_timestamp(event, /)\n--\n\ntimestamp, ret = acl.rt.event_get_timestamp(event)\n\nTimes: milliseconds between two events, and the microsecond at which one was reached.\n\nC: aclrtEventGetTimestamp"),
row(c"get_event_id", method!("rt.get_event_id" ("event") least 1, get_event_id), c"get_event_id(event, /)\n--\n\nevent_id, ret = acl.rt.get_event_id(event)\n\nNumbers.\n\nC: aclrtGetEventId"),
row(c"get_event_avail_num", method!("rt.get_event_avail_num" () least 0, get_event_avail_num), c"get_event_avail_num()\n--\n\nevent_count, ret = acl.rt.get_event_avail_num()\n\nNumbers.\n\nNote: at most 65,536 per process.\n\nC: aclrtGetEventAvailNum"),
row(c"host_register", method!("rt.host_register" ("ptr", "size", "type") least 3, host_register), c"host_register(ptr, size, type, /)\n--\n\ndev_ptr, ret = acl.rt.host_register(ptr, size, type)\n\nRegistration. The caller keeps ownership, and unregisters before freeing.\n\nNote: the device address is the host address; nothing is locked; copies treat the memory as\npinned.\n\nC: aclrtHostRegister"),
row(c"host_register_v2", method!("rt.host_register_v2" ("ptr", "size", "flag") least 3, host_register_v2), c"host_register_v2(ptr, size, flag, /)\n--\n\nret = acl.rt.host_register_v2(ptr, size, flag)\n\nRegistration. The caller keeps ownership, and unregisters before freeing.\n\nNote: as aclrtHostRegister.\n\nC: aclrtHostRegisterV2"),
row(c"host_get_device_pointer", method!("rt.host_get_device_pointer" ("p_host", "flag") least 2, host_get_device_pointer), c"host_get_device_pointer(p_host, flag, /)\n--\n\np_device, ret = acl.rt.host_get_device_pointer(p_host, flag)\n\nRegistration. The caller keeps ownership, and unregisters before freeing.\n\nNote: returns the address itself; 107000 if it is not registered.\n\nC: aclrtHostGetDevicePointer"),
row(c"host_unregister", method!("rt.host_unregister" ("ptr") least 1, host_unregister), c"host_unregister(ptr, /)\n--\n\nret = acl.rt.host_unregister(ptr)\n\nRegistration. The caller keeps ownership, and unregisters before freeing.\n\nNote: waits for queued work that uses the range, also for collectives, unless that waits for the\nprogram.\n\nC: aclrtHostUnregister"),
row(c"host_mem_map_capabilities", method!("rt.host_mem_map_capabilities" ("device_id", "hac_type") least 2, host_mem_map_capabilities), c"host_mem_map_capabilities(device_id, hac_type, /)\n--\n\ncapabilities, ret = acl.rt.host_mem_map_capabilities(device_id, hac_type)\n\nRegistration. The caller keeps ownership, and unregisters before freeing.\n\nNote: every engine of the device can access registered memory.\n\nC: aclrtHostMemMapCapabilities"),
row(c"mem_alloc_managed", method!("rt.mem_alloc_managed" ("size", "flag") least 2, mem_alloc_managed), c"mem_alloc_managed(size, flag, /)\n--\n\nptr, ret = acl.rt.mem_alloc_managed(size, flag)\n\nManaged memory: one address for host and devices. aclrtFree frees it. Advice and prefetches say\nwhere a range will be used; the attributes answer what was said. A number of 4 bytes is written,\nfor ACCESSED_BY as many as dataSize has room for: the number of a device or a node, -1 for the\nhost, -2 if the pages of the range differ or nothing was said.\n\nNote: one place: memory of the device that is current when it is allocated, in whole pages of 2\nMiB, which the program may use, too.\n\nC: aclrtMemAllocManaged"),
row(c"mem_managed_advise", method!("rt.mem_managed_advise" ("ptr", "size", "advise", "location") least 4, mem_managed_advise), c"mem_managed_advise(ptr, size, advise, location, /)\n--\n\nret = acl.rt.mem_managed_advise(ptr, size, advise, location)\n\nManaged memory: one address for host and devices. aclrtFree frees it. Advice and prefetches say\nwhere a range will be used; the attributes answer what was said. A number of 4 bytes is written,\nfor ACCESSED_BY as many as dataSize has room for: the number of a device or a node, -1 for the\nhost, -2 if the pages of the range differ or nothing was said.\n\nNote: advice is remembered per page of 2 MiB and returned; nothing moves.\n\nC: aclrtMemManagedAdvise"),
row(c"mem_managed_get_attr", method!("rt.mem_managed_get_attr" ("attribute", "ptr", "size", "data", "data_size") least 5, mem_managed_get_attr), c"mem_managed_get_attr(attribute, ptr, size, data, data_size, /)\n--\n\nret = acl.rt.mem_managed_get_attr(attribute, ptr, size, data, data_size)\n\nManaged memory: one address for host and devices. aclrtFree frees it. Advice and prefetches say\nwhere a range will be used; the attributes answer what was said. A number of 4 bytes is written,\nfor ACCESSED_BY as many as dataSize has room for: the number of a device or a node, -1 for the\nhost, -2 if the pages of the range differ or nothing was said.\n\nNote: as the manual says; the number of the host is -1, and -2 stands for none or several.\n\nC: aclrtMemManagedGetAttr"),
row(c"mem_managed_get_attrs", method!("rt.mem_managed_get_attrs" ("attributes", "ptr", "size", "data", "data_sizes") least 5, mem_managed_get_attrs), c"mem_managed_get_attrs(attributes, ptr, size, data, data_sizes, /)\n--\n\nret = acl.rt.mem_managed_get_attrs(attributes, ptr, size, data, data_sizes)\n\nManaged memory: one address for host and devices. aclrtFree frees it. Advice and prefetches say\nwhere a range will be used; the attributes answer what was said. A number of 4 bytes is written,\nfor ACCESSED_BY as many as dataSize has room for: the number of a device or a node, -1 for the\nhost, -2 if the pages of the range differ or nothing was said.\n\nNote: as aclrtMemManagedGetAttr.\n\nC: aclrtMemManagedGetAttrs"),
row(c"mem_managed_prefetch_async", method!("rt.mem_managed_prefetch_async" ("ptr", "size", "location", "flags", "stream") least 5, mem_managed_prefetch_async), c"mem_managed_prefetch_async(ptr, size, location, flags, stream, /)\n--\n\nret = acl.rt.mem_managed_prefetch_async(ptr, size, location, flags, stream)\n\nManaged memory: one address for host and devices. aclrtFree frees it. Advice and prefetches say\nwhere a range will be used; the attributes answer what was said. A number of 4 bytes is written,\nfor ACCESSED_BY as many as dataSize has room for: the number of a device or a node, -1 for the\nhost, -2 if the pages of the range differ or nothing was said.\n\nNote: the place is remembered; the task moves nothing.\n\nC: aclrtMemManagedPrefetchAsync"),
row(c"mem_managed_prefetch_batch_async", method!("rt.mem_managed_prefetch_batch_async" ("ptrs", "sizes", "prefetch_locs", "prefetch_loc_idxs", "flags", "stream") least 6, mem_managed_prefetch_batch_async), c"mem_managed_prefetch_batch_async(ptrs, sizes, prefetch_locs, prefetch_loc_idxs, flags, stream, /)\n--\n\nret = acl.rt.mem_managed_prefetch_batch_async(ptrs, sizes, prefetch_locs, prefetch_loc_idxs,\nflags, stream)\n\nManaged memory: one address for host and devices. aclrtFree frees it. Advice and prefetches say\nwhere a range will be used; the attributes answer what was said. A number of 4 bytes is written,\nfor ACCESSED_BY as many as dataSize has room for: the number of a device or a node, -1 for the\nhost, -2 if the pages of the range differ or nothing was said.\n\nNote: as aclrtMemManagedPrefetchAsync.\n\nC: aclrtMemManagedPrefetchBatchAsync"),
row(c"peek_at_last_error", method!("rt.peek_at_last_error" ("level") least 1, peek_at_last_error), c"peek_at_last_error(level, /)\n--\n\nret = acl.rt.peek_at_last_error(level)\n\nThe last failure. aclGetRecentErrMsg returns the text of this thread's last failure and forgets\nit; NULL when there is none. A later call that begins something new and succeeds forgets it too.\nThe text is valid until the next call on this thread. aclrtGetLastError returns the code and\nclears it, aclrtPeekAtLastError leaves it.\n\nC: aclrtPeekAtLastError"),
row(c"get_last_error", method!("rt.get_last_error" ("level") least 1, get_last_error), c"get_last_error(level, /)\n--\n\nret = acl.rt.get_last_error(level)\n\nThe last failure. aclGetRecentErrMsg returns the text of this thread's last failure and forgets\nit; NULL when there is none. A later call that begins something new and succeeds forgets it too.\nThe text is valid until the next call on this thread. aclrtGetLastError returns the code and\nclears it, aclrtPeekAtLastError leaves it.\n\nC: aclrtGetLastError"),
row(c"get_version", method!("rt.get_version" () least 0, get_version), c"get_version()\n--\n\nmajor_version, minor_version, patch_version, ret = acl.rt.get_version()\n\nVersions. The caller provides room for ACL_PKG_VERSION_MAX_SIZE characters.\n\nC: aclrtGetVersion"),
row(c"ipc_mem_get_export_key", method!("rt.ipc_mem_get_export_key" ("dev_ptr", "size", "len", "flags") least 4, ipc_mem_get_export_key), c"ipc_mem_get_export_key(dev_ptr, size, len, flags, /)\n--\n\nkey, ret = acl.rt.ipc_mem_get_export_key(dev_ptr, size, len, flags)\n\nMemory, by a text key of 65 characters with its terminator. Importers close the key before the\nowner frees the memory. Unless validation is off, the owner names the processes that may import.\n\nNote: a range inside one block, or inside one mapping of reserved addresses; the importer gets\nthe pages around it; every call makes a new key.\n\nC: aclrtIpcMemGetExportKey"),
row(c"ipc_mem_import_by_key", method!("rt.ipc_mem_import_by_key" ("key", "flags") least 2, ipc_mem_import_by_key), c"ipc_mem_import_by_key(key, flags, /)\n--\n\ndev_ptr, ret = acl.rt.ipc_mem_import_by_key(key, flags)\n\nMemory, by a text key of 65 characters with its terminator. Importers close the key before the\nowner frees the memory. Unless validation is off, the owner names the processes that may import.\n\nNote: the same key again returns the same address, and is closed as often; the exporting process\nmay import, too; the memory counts as the current device's; a process that is not listed gets\n207006, an unknown or closed key, or one of an event or a notification, 107000, and 507899 if\nthe exporter has ended.\n\nC: aclrtIpcMemImportByKey"),
row(c"ipc_mem_close", method!("rt.ipc_mem_close" ("key") least 1, ipc_mem_close), c"ipc_mem_close(key, /)\n--\n\nret = acl.rt.ipc_mem_close(key)\n\nMemory, by a text key of 65 characters with its terminator. Importers close the key before the\nowner frees the memory. Unless validation is off, the owner names the processes that may import.\n\nNote: in an importer it ends one import, in the exporter the key; importers keep what they have\nmapped.\n\nC: aclrtIpcMemClose"),
row(c"ipc_mem_set_import_pid", method!("rt.ipc_mem_set_import_pid" ("key", "pid") least 2, ipc_mem_set_import_pid), c"ipc_mem_set_import_pid(key, pid, /)\n--\n\nret = acl.rt.ipc_mem_set_import_pid(key, pid)\n\nMemory, by a text key of 65 characters with its terminator. Importers close the key before the\nowner frees the memory. Unless validation is off, the owner names the processes that may import.\n\nNote: numbers as aclrtDeviceGetBareTgid returns them; processes of other users never import.\n\nC: aclrtIpcMemSetImportPid"),
row(c"ipc_get_event_handle", method!("rt.ipc_get_event_handle" ("event") least 1, crate::hand::rt_ipc_get_event_handle), c"ipc_get_event_handle(event, /)\n--\n\nThe 64 bytes by which another process opens an event.\n\nNote: the 64 bytes name the event, not one recording; every process of the user may open it.\n\nC: aclrtIpcGetEventHandle"),
row(c"ipc_open_event_handle", method!("rt.ipc_open_event_handle" ("handle") least 1, crate::hand::rt_ipc_open_event_handle), c"ipc_open_event_handle(handle, /)\n--\n\nOpens an event of another process.\n\nNote: any process may record; a wait is for the newest recording at the call; if the process\nthat recorded ends first, the waits of others fail.\n\nC: aclrtIpcOpenEventHandle"),
row(c"ipc_mem_set_attr", method!("rt.ipc_mem_set_attr" ("key", "type", "attr") least 3, ipc_mem_set_attr), c"ipc_mem_set_attr(key, type, attr, /)\n--\n\nret = acl.rt.ipc_mem_set_attr(key, type, attr)\n\nMemory, by a text key of 65 characters with its terminator. Importers close the key before the\nowner frees the memory. Unless validation is off, the owner names the processes that may import.\n\nNote: returns 207000: there are no links between devices.\n\nC: aclrtIpcMemSetAttr"),
row(c"malloc", method!("rt.malloc" ("size", "policy") least 2, malloc), c"malloc(size, policy, /)\n--\n\ndev_ptr, ret = acl.rt.malloc(size, policy)\n\nDevice memory of the current context's device. The size is rounded up to 32 bytes; aclrtMalloc\nand aclrtMallocCached add another 32, aclrtMallocAlign32 and aclrtMallocWithCfg do not. The\ncontent is undefined. The pointer is for device work only: the host must not dereference it. If\nthe device is full they return ACL_ERROR_RT_MEMORY_ALLOCATION.\n\nNote: the host faults when it dereferences the pointer, unless the run mode is ACL_DEVICE;\nunlisted policies as for aclrtMallocAlign32.\n\nC: aclrtMalloc"),
row(c"malloc_align32", method!("rt.malloc_align32" ("size", "policy") least 2, malloc_align32), c"malloc_align32(size, policy, /)\n--\n\ndev_ptr, ret = acl.rt.malloc_align32(size, policy)\n\nDevice memory of the current context's device. The size is rounded up to 32 bytes; aclrtMalloc\nand aclrtMallocCached add another 32, aclrtMallocAlign32 and aclrtMallocWithCfg do not. The\ncontent is undefined. The pointer is for device work only: the host must not dereference it. If\nthe device is full they return ACL_ERROR_RT_MEMORY_ALLOCATION.\n\nNote: every policy value is accepted: one that is not listed uses huge pages from 2 MiB on, as\nthe manual says; HUGE_FIRST uses them above 1 MiB.\n\nC: aclrtMallocAlign32"),
row(c"malloc_cached", method!("rt.malloc_cached" ("size", "policy") least 2, malloc_cached), c"malloc_cached(size, policy, /)\n--\n\ndev_ptr, ret = acl.rt.malloc_cached(size, policy)\n\nDevice memory of the current context's device. The size is rounded up to 32 bytes; aclrtMalloc\nand aclrtMallocCached add another 32, aclrtMallocAlign32 and aclrtMallocWithCfg do not. The\ncontent is undefined. The pointer is for device work only: the host must not dereference it. If\nthe device is full they return ACL_ERROR_RT_MEMORY_ALLOCATION.\n\nNote: memory is coherent: flushing and invalidating only check their arguments.\n\nC: aclrtMallocCached"),
row(c"malloc_with_cfg", method!("rt.malloc_with_cfg" ("size", "policy", "cfg") least 3, crate::hand::rt_malloc_with_cfg), c"malloc_with_cfg(size, policy, cfg, /)\n--\n\ncfg is None or {'attrs': [{'attr': type, 'value': number}, ...]}, as C's structure.\n\nNote: the kinds of memory are accepted and ignored.\n\nC: aclrtMallocWithCfg"),
row(c"malloc_for_task_scheduler", method!("rt.malloc_for_task_scheduler" ("size", "policy", "cfg") least 3, crate::hand::rt_malloc_for_task_scheduler), c"malloc_for_task_scheduler(size, policy, cfg, /)\n--\n\ncfg is None or {'attrs': [{'attr': type, 'value': number}, ...]}, as C's structure.\n\nNote: the same memory as aclrtMallocWithCfg.\n\nC: aclrtMallocForTaskScheduler"),
row(c"free", method!("rt.free" ("dev_ptr") least 1, free), c"free(dev_ptr, /)\n--\n\nret = acl.rt.free(dev_ptr)\n\nFrees at once and does not wait: no stream may still use the memory. The forms with DevSync wait\nfor the whole device first. NULL is refused.\n\nNote: memory that queued work uses is reused only after that work; an address that is not the\nstart of a live block returns 107000.\n\nC: aclrtFree"),
row(c"free_with_dev_sync", method!("rt.free_with_dev_sync" ("dev_ptr") least 1, free_with_dev_sync), c"free_with_dev_sync(dev_ptr, /)\n--\n\nret = acl.rt.free_with_dev_sync(dev_ptr)\n\nFrees at once and does not wait: no stream may still use the memory. The forms with DevSync wait\nfor the whole device first. NULL is refused.\n\nNote: frees also when the synchronisation reports an older failure, and returns that failure.\n\nC: aclrtFreeWithDevSync"),
row(c"malloc_host", method!("rt.malloc_host" ("size") least 1, malloc_host), c"malloc_host(size, /)\n--\n\nhost_ptr, ret = acl.rt.malloc_host(size)\n\nPinned host memory, which asynchronous copies need.\n\nC: aclrtMallocHost"),
row(c"malloc_host_with_cfg", method!("rt.malloc_host_with_cfg" ("size", "cfg") least 2, crate::hand::rt_malloc_host_with_cfg), c"malloc_host_with_cfg(size, cfg, /)\n--\n\ncfg is None or {'attrs': [{'attr': type, 'value': number}, ...]}, as C's structure.\n\nNote: the attribute for one address on host and device is accepted; the address is the host's.\n\nC: aclrtMallocHostWithCfg"),
row(c"free_host", method!("rt.free_host" ("host_ptr") least 1, free_host), c"free_host(host_ptr, /)\n--\n\nret = acl.rt.free_host(host_ptr)\n\nPinned host memory, which asynchronous copies need.\n\nNote: memory that the library did not allocate returns 107000; the reference accepts it.\n\nC: aclrtFreeHost"),
row(c"free_host_with_dev_sync", method!("rt.free_host_with_dev_sync" ("host_ptr") least 1, free_host_with_dev_sync), c"free_host_with_dev_sync(host_ptr, /)\n--\n\nret = acl.rt.free_host_with_dev_sync(host_ptr)\n\nPinned host memory, which asynchronous copies need.\n\nNote: as aclrtFreeWithDevSync.\n\nC: aclrtFreeHostWithDevSync"),
row(c"mem_flush", method!("rt.mem_flush" ("dev_ptr", "size") least 2, mem_flush), c"mem_flush(dev_ptr, size, /)\n--\n\nret = acl.rt.mem_flush(dev_ptr, size)\n\nBetween the caches and memory of aclrtMallocCached.\n\nC: aclrtMemFlush"),
row(c"mem_invalidate", method!("rt.mem_invalidate" ("dev_ptr", "size") least 2, mem_invalidate), c"mem_invalidate(dev_ptr, size, /)\n--\n\nret = acl.rt.mem_invalidate(dev_ptr, size)\n\nBetween the caches and memory of aclrtMallocCached.\n\nC: aclrtMemInvalidate"),
row(c"device_l2_cache_flush", method!("rt.device_l2_cache_flush" ("rsv") least 1, device_l2_cache_flush), c"device_l2_cache_flush(rsv, /)\n--\n\nret = acl.rt.device_l2_cache_flush(rsv)\n\nBetween the caches and memory of aclrtMallocCached.\n\nNote: memory is coherent: the call only checks its argument.\n\nC: aclrtDeviceL2CacheFlush"),
row(c"get_mem_info", method!("rt.get_mem_info" ("attr") least 1, get_mem_info), c"get_mem_info(attr, /)\n--\n\nfree, total, ret = acl.rt.get_mem_info(attr)\n\nMemory usage, and the properties of an address. A kind of memory that the device does not have\nis reported as 0 of 0.\n\nNote: the total is the device's capacity; free memory is the total less the whole pages of live\nblocks, or what the machine has left if that is less: what it and its control group had when the\ndevice was opened, less what all devices and pinned memory use; freed memory that is cached for\nthe next request counts as free, and memory that an aclrtMemPool reserves does not; figures for\none size of page are rounded down to it; an HBM question on a DDR device answers for its DDR\nmemory, as in the reference.\n\nC: aclrtGetMemInfo"),
row(c"get_mem_usage_info", method!("rt.get_mem_usage_info" ("device_id", "input_num") least 2, crate::hand::rt_get_mem_usage_info), c"get_mem_usage_info(device_id, input_num, /)\n--\n\nAt most input_num modules, each with name, cur_mem_size and mem_peak_size.\n\nNote: what ACL_RT_MEM_ATTR_MODULE_ID named, as `module N`, and all the rest as `app`, in whole\npages; the peak of `app` includes the other modules.\n\nC: aclrtGetMemUsageInfo"),
row(c"pointer_get_attributes", method!("rt.pointer_get_attributes" ("ptr") least 1, pointer_get_attributes), c"pointer_get_attributes(ptr, /)\n--\n\nattributes, ret = acl.rt.pointer_get_attributes(ptr)\n\nMemory usage, and the properties of an address. A kind of memory that the device does not have\nis reported as 0 of 0.\n\nNote: an address in freed memory is ACL_MEM_LOCATION_TYPE_UNREGISTERED.\n\nC: aclrtPointerGetAttributes"),
row(c"create_notify", method!("rt.create_notify" ("flag") least 1, create_notify), c"create_notify(flag, /)\n--\n\nnotify, ret = acl.rt.create_notify(flag)\n\nA record sets the notification, a wait takes it back. The caller destroys what it created.\n\nC: aclrtCreateNotify"),
row(c"destroy_notify", method!("rt.destroy_notify" ("notify") least 1, destroy_notify), c"destroy_notify(notify, /)\n--\n\nret = acl.rt.destroy_notify(notify)\n\nA record sets the notification, a wait takes it back. The caller destroys what it created.\n\nNote: queued tasks keep what they need.\n\nC: aclrtDestroyNotify"),
row(c"record_notify", method!("rt.record_notify" ("notify", "stream") least 2, record_notify), c"record_notify(notify, stream, /)\n--\n\nret = acl.rt.record_notify(notify, stream)\n\nA record sets the notification, a wait takes it back. The caller destroys what it created.\n\nC: aclrtRecordNotify"),
row(c"wait_and_reset_notify", method!("rt.wait_and_reset_notify" ("notify", "stream", "timeout") least 3, wait_and_reset_notify), c"wait_and_reset_notify(notify, stream, timeout, /)\n--\n\nret = acl.rt.wait_and_reset_notify(notify, stream, timeout)\n\nA record sets the notification, a wait takes it back. The caller destroys what it created.\n\nNote: milliseconds; for millpond check a wait comes after everything that had begun when it\nended, because it is not known which record it was for.\n\nC: aclrtWaitAndResetNotify"),
row(c"get_notify_id", method!("rt.get_notify_id" ("notify") least 1, get_notify_id), c"get_notify_id(notify, /)\n--\n\nnotify_id, ret = acl.rt.get_notify_id(notify)\n\nA record sets the notification, a wait takes it back. The caller destroys what it created.\n\nC: aclrtGetNotifyId"),
row(c"notify_batch_reset", method!("rt.notify_batch_reset" ("notifies") least 1, notify_batch_reset), c"notify_batch_reset(notifies, /)\n--\n\nret = acl.rt.notify_batch_reset(notifies)\n\nA record sets the notification, a wait takes it back. The caller destroys what it created.\n\nC: aclrtNotifyBatchReset"),
row(c"notify_get_export_key", method!("rt.notify_get_export_key" ("notify", "len", "flags") least 3, notify_get_export_key), c"notify_get_export_key(notify, len, flags, /)\n--\n\nkey, ret = acl.rt.notify_get_export_key(notify, len, flags)\n\nSharing with other processes by a text key.\n\nNote: a notification has one key.\n\nC: aclrtNotifyGetExportKey"),
row(c"notify_import_by_key", method!("rt.notify_import_by_key" ("key", "flags") least 2, notify_import_by_key), c"notify_import_by_key(key, flags, /)\n--\n\nnotify, ret = acl.rt.notify_import_by_key(key, flags)\n\nSharing with other processes by a text key.\n\nC: aclrtNotifyImportByKey"),
row(c"notify_set_import_pid", method!("rt.notify_set_import_pid" ("notify", "pid") least 2, notify_set_import_pid), c"notify_set_import_pid(notify, pid, /)\n--\n\nret = acl.rt.notify_set_import_pid(notify, pid)\n\nSharing with other processes by a text key.\n\nNote: after aclrtNotifyGetExportKey.\n\nC: aclrtNotifySetImportPid"),
row(c"cnt_notify_create", method!("rt.cnt_notify_create" ("flag") least 1, cnt_notify_create), c"cnt_notify_create(flag, /)\n--\n\ncnt_notify, ret = acl.rt.cnt_notify_create(flag)\n\nCounted notifications.\n\nC: aclrtCntNotifyCreate"),
row(c"cnt_notify_destroy", method!("rt.cnt_notify_destroy" ("cnt_notify") least 1, cnt_notify_destroy), c"cnt_notify_destroy(cnt_notify, /)\n--\n\nret = acl.rt.cnt_notify_destroy(cnt_notify)\n\nCounted notifications.\n\nC: aclrtCntNotifyDestroy"),
row(c"cnt_notify_record", method!("rt.cnt_notify_record" ("cnt_notify", "stream", "info") least 3, cnt_notify_record), c"cnt_notify_record(cnt_notify, stream, info, /)\n--\n\nret = acl.rt.cnt_notify_record(cnt_notify, stream, info)\n\nCounted notifications.\n\nNote: adding wraps around.\n\nC: aclrtCntNotifyRecord"),
row(c"cnt_notify_wait_with_timeout", method!("rt.cnt_notify_wait_with_timeout" ("cnt_notify", "stream", "info") least 3, cnt_notify_wait_with_timeout), c"cnt_notify_wait_with_timeout(cnt_notify, stream, info, /)\n--\n\nret = acl.rt.cnt_notify_wait_with_timeout(cnt_notify, stream, info)\n\nCounted notifications.\n\nNote: milliseconds; the mask mode waits until all bits of the value are set.\n\nC: aclrtCntNotifyWaitWithTimeout"),
row(c"cnt_notify_reset", method!("rt.cnt_notify_reset" ("cnt_notify", "stream") least 2, cnt_notify_reset), c"cnt_notify_reset(cnt_notify, stream, /)\n--\n\nret = acl.rt.cnt_notify_reset(cnt_notify, stream)\n\nCounted notifications.\n\nC: aclrtCntNotifyReset"),
row(c"cnt_notify_get_id", method!("rt.cnt_notify_get_id" ("cnt_notify") least 1, cnt_notify_get_id), c"cnt_notify_get_id(cnt_notify, /)\n--\n\nnotify_id, ret = acl.rt.cnt_notify_get_id(cnt_notify)\n\nCounted notifications.\n\nC: aclrtCntNotifyGetId"),
row(c"create_stream", method!("rt.create_stream" () least 0, create_stream), c"create_stream()\n--\n\nstream, ret = acl.rt.create_stream()\n\nA stream belongs to the context that was current when it was created, and the caller destroys\nit. Destroying waits for queued work; the forced form does not. NULL is refused by both.\n\nC: aclrtCreateStream"),
row(c"create_stream_with_config", method!("rt.create_stream_with_config" ("priority", "flag") least 2, create_stream_with_config), c"create_stream_with_config(priority, flag, /)\n--\n\nstream, ret = acl.rt.create_stream_with_config(priority, flag)\n\nA stream belongs to the context that was current when it was created, and the caller destroys\nit. Destroying waits for queued work; the forced form does not. NULL is refused by both.\n\nNote: the flags are stored; with PERSISTENT and DEVICE_USE_ONLY synchronisation returns at once,\nthe others are ignored.\n\nC: aclrtCreateStreamWithConfig"),
row(c"destroy_stream", method!("rt.destroy_stream" ("stream") least 1, crate::hand::rt_destroy_stream), c"destroy_stream(stream, /)\n--\n\nA stream belongs to the context that was current when it was created, and the caller destroys\nit. Destroying waits for queued work; the forced form does not. NULL is refused by both.\n\nC: aclrtDestroyStream"),
row(c"destroy_stream_force", method!("rt.destroy_stream_force" ("stream") least 1, crate::hand::rt_destroy_stream_force), c"destroy_stream_force(stream, /)\n--\n\nA stream belongs to the context that was current when it was created, and the caller destroys\nit. Destroying waits for queued work; the forced form does not. NULL is refused by both.\n\nNote: a wait for a dropped record continues.\n\nC: aclrtDestroyStreamForce"),
row(c"synchronize_stream", method!("rt.synchronize_stream" ("stream") least 1, synchronize_stream), c"synchronize_stream(stream, /)\n--\n\nret = acl.rt.synchronize_stream(stream)\n\nWaiting and querying. The timeout is in milliseconds; -1 waits without a limit.\n\nNote: a failed task is reported once, with ACL_STOP_ON_FAILURE every time; a host function that\nwaits for its own stream gets 107000 instead of a deadlock.\n\nC: aclrtSynchronizeStream"),
row(c"synchronize_stream_with_timeout", method!("rt.synchronize_stream_with_timeout" ("stream", "timeout") least 2, synchronize_stream_with_timeout), c"synchronize_stream_with_timeout(stream, timeout, /)\n--\n\nret = acl.rt.synchronize_stream_with_timeout(stream, timeout)\n\nWaiting and querying. The timeout is in milliseconds; -1 waits without a limit.\n\nC: aclrtSynchronizeStreamWithTimeout"),
row(c"stream_query", method!("rt.stream_query" ("stream") least 1, stream_query), c"stream_query(stream, /)\n--\n\nstatus, ret = acl.rt.stream_query(stream)\n\nWaiting and querying. The timeout is in milliseconds; -1 waits without a limit.\n\nC: aclrtStreamQuery"),
row(c"stream_get_id", method!("rt.stream_get_id" ("stream") least 1, stream_get_id), c"stream_get_id(stream, /)\n--\n\nstream_id, ret = acl.rt.stream_get_id(stream)\n\nWhat a stream is.\n\nC: aclrtStreamGetId"),
row(c"stream_get_priority", method!("rt.stream_get_priority" ("stream") least 1, stream_get_priority), c"stream_get_priority(stream, /)\n--\n\npriority, ret = acl.rt.stream_get_priority(stream)\n\nWhat a stream is.\n\nC: aclrtStreamGetPriority"),
row(c"stream_get_flags", method!("rt.stream_get_flags" ("stream") least 1, stream_get_flags), c"stream_get_flags(stream, /)\n--\n\nflags, ret = acl.rt.stream_get_flags(stream)\n\nWhat a stream is.\n\nC: aclrtStreamGetFlags"),
row(c"get_stream_available_num", method!("rt.get_stream_available_num" () least 0, get_stream_available_num), c"get_stream_available_num()\n--\n\nstream_count, ret = acl.rt.get_stream_available_num()\n\nWhat a stream is.\n\nC: aclrtGetStreamAvailableNum"),
row(c"device_get_stream_priority_range", method!("rt.device_get_stream_priority_range" () least 0, device_get_stream_priority_range), c"device_get_stream_priority_range()\n--\n\nleast_priority, greatest_priority, ret = acl.rt.device_get_stream_priority_range()\n\nWhat a stream is.\n\nC: aclrtDeviceGetStreamPriorityRange"),
row(c"stream_wait_event", method!("rt.stream_wait_event" ("stream", "event") least 2, stream_wait_event), c"stream_wait_event(stream, event, /)\n--\n\nret = acl.rt.stream_wait_event(stream, event)\n\nMakes the stream wait for the event without blocking the caller. Timeouts are in seconds.\n\nNote: a wait is bound to the last record at the time it was enqueued; without one, events of the\nolder kinds make the stream wait for the next record; the stream may belong to another device\nthan the current one.\n\nC: aclrtStreamWaitEvent"),
row(c"stream_wait_event_with_timeout", method!("rt.stream_wait_event_with_timeout" ("stream", "event", "timeout") least 3, stream_wait_event_with_timeout), c"stream_wait_event_with_timeout(stream, event, timeout, /)\n--\n\nret = acl.rt.stream_wait_event_with_timeout(stream, event, timeout)\n\nMakes the stream wait for the event without blocking the caller. Timeouts are in seconds.\n\nNote: after the time limit the stream continues and is marked as failed: the next\nsynchronisation returns 107019.\n\nC: aclrtStreamWaitEventWithTimeout"),
row(c"stream_wait_event_with_flag", method!("rt.stream_wait_event_with_flag" ("stream", "event", "timeout", "flag") least 4, stream_wait_event_with_flag), c"stream_wait_event_with_flag(stream, event, timeout, flag, /)\n--\n\nret = acl.rt.stream_wait_event_with_flag(stream, event, timeout, flag)\n\nMakes the stream wait for the event without blocking the caller. Timeouts are in seconds.\n\nNote: ACL_EVENT_WAIT_EXTERNAL: in a capture, the wait is repeated at each launch and is no edge\nof the graph.\n\nC: aclrtStreamWaitEventWithFlag"),
row(c"set_stream_failure_mode", method!("rt.set_stream_failure_mode" ("stream", "mode") least 2, set_stream_failure_mode), c"set_stream_failure_mode(stream, mode, /)\n--\n\nret = acl.rt.set_stream_failure_mode(stream, mode)\n\nFailure and abort. After aclrtStreamAbort, functions that wait for the stream return\nACL_ERROR_RT_STREAM_ABORT.\n\nNote: affects only this stream; in the reference all streams of the context.\n\nC: aclrtSetStreamFailureMode"),
row(c"stream_abort", method!("rt.stream_abort" ("stream") least 1, crate::hand::rt_stream_abort), c"stream_abort(stream, /)\n--\n\nFailure and abort. After aclrtStreamAbort, functions that wait for the stream return\nACL_ERROR_RT_STREAM_ABORT.\n\nNote: work that has begun is not interrupted.\n\nC: aclrtStreamAbort"),
row(c"set_stream_attribute", method!("rt.set_stream_attribute" ("stream", "stm_attr_type", "value") least 3, crate::hand::rt_set_stream_attribute), c"set_stream_attribute(stream, stm_attr_type, value, /)\n--\n\nSets an attribute of a stream to a number.\n\nNote: failure mode, tag, operator information and priority are stored; the failure mode works as\naclrtSetStreamFailureMode, the overflow check as aclrtSetStreamOverflowSwitch.\n\nC: aclrtSetStreamAttribute"),
row(c"get_stream_attribute", method!("rt.get_stream_attribute" ("stream", "stm_attr_type") least 2, crate::hand::rt_get_stream_attribute), c"get_stream_attribute(stream, stm_attr_type, /)\n--\n\nAn attribute of a stream, as a number.\n\nC: aclrtGetStreamAttribute"),
row(c"stream_stop", method!("rt.stream_stop" ("stream") least 1, stream_stop), c"stream_stop(stream, /)\n--\n\nret = acl.rt.stream_stop(stream)\n\nFailure and abort. After aclrtStreamAbort, functions that wait for the stream return\nACL_ERROR_RT_STREAM_ABORT.\n\nRefused: returns 207000: pausing a stream is not supported; use aclrtStreamAbort to drop its\nwork.\n\nC: aclrtStreamStop"),
row(c"create_stream_config_handle", method!("rt.create_stream_config_handle" () least 0, create_stream_config_handle), c"create_stream_config_handle()\n--\n\nvalue = acl.rt.create_stream_config_handle()\n\nAttributes, and streams made from a configuration object, which the caller destroys.\n\nC: aclrtCreateStreamConfigHandle"),
row(c"destroy_stream_config_handle", method!("rt.destroy_stream_config_handle" ("handle") least 1, destroy_stream_config_handle), c"destroy_stream_config_handle(handle, /)\n--\n\nret = acl.rt.destroy_stream_config_handle(handle)\n\nAttributes, and streams made from a configuration object, which the caller destroys.\n\nC: aclrtDestroyStreamConfigHandle"),
row(c"set_stream_config_opt", method!("rt.set_stream_config_opt" ("handle", "attr", "value") least 3, crate::hand::rt_set_stream_config_opt), c"set_stream_config_opt(handle, attr, value, /)\n--\n\nAttributes, and streams made from a configuration object, which the caller destroys.\n\nC: aclrtSetStreamConfigOpt"),
row(c"create_stream_v2", method!("rt.create_stream_v2" ("handle") least 1, create_stream_v2), c"create_stream_v2(handle, /)\n--\n\nstream, ret = acl.rt.create_stream_v2(handle)\n\nAttributes, and streams made from a configuration object, which the caller destroys.\n\nNote: work memory is checked and not used: the runtime has its own.\n\nC: aclrtCreateStreamV2"),
row(c"active_stream", method!("rt.active_stream" ("active_stream", "stream") least 2, active_stream), c"active_stream(active_stream, stream, /)\n--\n\nret = acl.rt.active_stream(active_stream, stream)\n\nControl from within a stream, and details of its tasks.\n\nRefused: returns 207000: streams cannot launch other streams; decide on the host and enqueue\nthere.\n\nC: aclrtActiveStream"),
row(c"switch_stream", method!("rt.switch_stream" ("left_value", "cond", "right_value", "data_type", "true_stream", "false_stream", "stream") least 7, switch_stream), c"switch_stream(left_value, cond, right_value, data_type, true_stream, false_stream, stream, /)\n--\n\nret = acl.rt.switch_stream(left_value, cond, right_value, data_type, true_stream, false_stream,\nstream)\n\nControl from within a stream, and details of its tasks.\n\nRefused: returns 207000: streams cannot launch other streams; decide on the host and enqueue\nthere.\n\nC: aclrtSwitchStream"),
row(c"get_thread_last_task_id", method!("rt.get_thread_last_task_id" () least 0, get_thread_last_task_id), c"get_thread_last_task_id()\n--\n\ntask_id, ret = acl.rt.get_thread_last_task_id()\n\nControl from within a stream, and details of its tasks.\n\nRefused: returns 207000: tasks are numbered per stream, not per thread.\n\nC: aclrtGetThreadLastTaskId"),
row(c"set_stream_overflow_switch", method!("rt.set_stream_overflow_switch" ("stream", "flag") least 2, set_stream_overflow_switch), c"set_stream_overflow_switch(stream, flag, /)\n--\n\nret = acl.rt.set_stream_overflow_switch(stream, flag)\n\nControl from within a stream, and details of its tasks.\n\nNote: in both modes: results of later operators and queued models on the stream are looked at;\nwhat an operator reads is not told apart, so an infinity that was copied counts.\n\nC: aclrtSetStreamOverflowSwitch"),
row(c"get_stream_overflow_switch", method!("rt.get_stream_overflow_switch" ("stream") least 1, get_stream_overflow_switch), c"get_stream_overflow_switch(stream, /)\n--\n\nflag, ret = acl.rt.get_stream_overflow_switch(stream)\n\nControl from within a stream, and details of its tasks.\n\nC: aclrtGetStreamOverflowSwitch"),
row(c"persistent_task_clean", method!("rt.persistent_task_clean" ("stream") least 1, persistent_task_clean), c"persistent_task_clean(stream, /)\n--\n\nret = acl.rt.persistent_task_clean(stream)\n\nControl from within a stream, and details of its tasks.\n\nRefused: returns 207000: streams do not store completed tasks.\n\nC: aclrtPersistentTaskClean"),
row(c"reserve_mem_address", method!("rt.reserve_mem_address" ("size", "alignment", "expect_ptr", "flags") least 4, reserve_mem_address), c"reserve_mem_address(size, alignment, expect_ptr, flags, /)\n--\n\nvir_ptr, ret = acl.rt.reserve_mem_address(size, alignment, expect_ptr, flags)\n\nAddress ranges. alignment is 0; flags is 1 for huge pages, else 0; expectPtr is a preferred\naddress or NULL. A range is released after everything in it is unmapped.\n\nNote: needs no context; sizes are rounded up to 2 MiB; expectPtr outside 16 to 24 TiB returns\n100000, and inside it is used if it is free; without address space left it returns 207001.\n\nC: aclrtReserveMemAddress"),
row(c"reserve_mem_address_no_uc_memory", method!("rt.reserve_mem_address_no_uc_memory" ("size", "alignment", "expect_ptr", "flags") least 4, reserve_mem_address_no_uc_memory), c"reserve_mem_address_no_uc_memory(size, alignment, expect_ptr, flags, /)\n--\n\nvir_ptr, ret = acl.rt.reserve_mem_address_no_uc_memory(size, alignment, expect_ptr, flags)\n\nAddress ranges. alignment is 0; flags is 1 for huge pages, else 0; expectPtr is a preferred\naddress or NULL. A range is released after everything in it is unmapped.\n\nNote: as aclrtReserveMemAddress; there is no uncached memory.\n\nC: aclrtReserveMemAddressNoUCMemory"),
row(c"release_mem_address", method!("rt.release_mem_address" ("vir_ptr") least 1, release_mem_address), c"release_mem_address(vir_ptr, /)\n--\n\nret = acl.rt.release_mem_address(vir_ptr)\n\nAddress ranges. alignment is 0; flags is 1 for huge pages, else 0; expectPtr is a preferred\naddress or NULL. A range is released after everything in it is unmapped.\n\nNote: returns 107000 while mappings remain; addresses that queued work uses are released after\nthat work.\n\nC: aclrtReleaseMemAddress"),
row(c"malloc_physical", method!("rt.malloc_physical" ("size", "prop", "flags") least 3, malloc_physical), c"malloc_physical(size, prop, flags, /)\n--\n\nhandle, ret = acl.rt.malloc_physical(size, prop, flags)\n\nPhysical memory. The size is a multiple of the granularity. Freeing a mapped piece takes effect\nwhen it is unmapped.\n\nNote: ACL_MEM_HANDLE_TYPE_POSIX returns 207000; all nodes of the host are the same memory.\n\nC: aclrtMallocPhysical"),
row(c"free_physical", method!("rt.free_physical" ("handle") least 1, free_physical), c"free_physical(handle, /)\n--\n\nret = acl.rt.free_physical(handle)\n\nPhysical memory. The size is a multiple of the granularity. Freeing a mapped piece takes effect\nwhen it is unmapped.\n\nNote: mapped memory is released when it is unmapped.\n\nC: aclrtFreePhysical"),
row(c"mem_get_allocation_granularity", method!("rt.mem_get_allocation_granularity" ("prop", "option") least 2, mem_get_allocation_granularity), c"mem_get_allocation_granularity(prop, option, /)\n--\n\ngranularity, ret = acl.rt.mem_get_allocation_granularity(prop, option)\n\nPhysical memory. The size is a multiple of the granularity. Freeing a mapped piece takes effect\nwhen it is unmapped.\n\nNote: 2 MiB, 1 GiB, or for normal pages 4 KiB or the system's page if that is larger.\n\nC: aclrtMemGetAllocationGranularity"),
row(c"mem_retain_allocation_handle", method!("rt.mem_retain_allocation_handle" ("vir_ptr") least 1, mem_retain_allocation_handle), c"mem_retain_allocation_handle(vir_ptr, /)\n--\n\nhandle, ret = acl.rt.mem_retain_allocation_handle(vir_ptr)\n\nPhysical memory. The size is a multiple of the granularity. Freeing a mapped piece takes effect\nwhen it is unmapped.\n\nNote: returns the existing handle of the memory, which must be freed once more.\n\nC: aclrtMemRetainAllocationHandle"),
row(c"mem_get_allocation_properties_from_handle", method!("rt.mem_get_allocation_properties_from_handle" ("handle") least 1, mem_get_allocation_properties_from_handle), c"mem_get_allocation_properties_from_handle(handle, /)\n--\n\nprop, ret = acl.rt.mem_get_allocation_properties_from_handle(handle)\n\nPhysical memory. The size is a multiple of the granularity. Freeing a mapped piece takes effect\nwhen it is unmapped.\n\nC: aclrtMemGetAllocationPropertiesFromHandle"),
row(c"map_mem", method!("rt.map_mem" ("vir_ptr", "size", "offset", "handle", "flags") least 5, map_mem), c"map_mem(vir_ptr, size, offset, handle, flags, /)\n--\n\nret = acl.rt.map_mem(vir_ptr, size, offset, handle, flags)\n\nMapping: the whole piece, so size is its size and offset is 0.\n\nNote: physical memory may be mapped at several addresses; a reserved range takes memory of one\nlocation at a time; mapping where queued work still uses what was unmapped waits for that work,\nor returns 107000 if that depends on a host function or on an event that is not recorded; more\nmappings than half of vm.max_map_count return 207001.\n\nC: aclrtMapMem"),
row(c"mem_map_no_access", method!("rt.mem_map_no_access" ("vir_ptr", "size", "offset", "handle", "flags") least 5, mem_map_no_access), c"mem_map_no_access(vir_ptr, size, offset, handle, flags, /)\n--\n\nret = acl.rt.mem_map_no_access(vir_ptr, size, offset, handle, flags)\n\nMapping: the whole piece, so size is its size and offset is 0.\n\nNote: as aclrtMapMem; copies return 107000 until aclrtMemSetAccess.\n\nC: aclrtMemMapNoAccess"),
row(c"unmap_mem", method!("rt.unmap_mem" ("vir_ptr") least 1, unmap_mem), c"unmap_mem(vir_ptr, /)\n--\n\nret = acl.rt.unmap_mem(vir_ptr)\n\nMapping: the whole piece, so size is its size and offset is 0.\n\nNote: does not wait; queued work that uses the addresses still finds the bytes.\n\nC: aclrtUnmapMem"),
row(c"mem_set_access", method!("rt.mem_set_access" ("vir_ptr", "size", "desc") least 3, mem_set_access), c"mem_set_access(vir_ptr, size, desc, /)\n--\n\nret = acl.rt.mem_set_access(vir_ptr, size, desc)\n\nMapping: the whole piece, so size is its size and offset is 0.\n\nNote: for whole mappings; with a host location the program itself may access the bytes.\n\nC: aclrtMemSetAccess"),
row(c"mem_get_access", method!("rt.mem_get_access" ("vir_ptr", "location") least 2, mem_get_access), c"mem_get_access(vir_ptr, location, /)\n--\n\nflag, ret = acl.rt.mem_get_access(vir_ptr, location)\n\nMapping: the whole piece, so size is its size and offset is 0.\n\nNote: 0 or ACL_RT_MEM_ACCESS_FLAGS_READWRITE.\n\nC: aclrtMemGetAccess"),
row(c"mem_get_address_range", method!("rt.mem_get_address_range" ("ptr") least 1, mem_get_address_range), c"mem_get_address_range(ptr, /)\n--\n\npbase, psize, ret = acl.rt.mem_get_address_range(ptr)\n\nMapping: the whole piece, so size is its size and offset is 0.\n\nNote: the range of a mapping, or of a block of aclrtMalloc or aclrtMallocHost including its\nrounding.\n\nC: aclrtMemGetAddressRange"),
row(c"mem_export_to_shareable_handle", method!("rt.mem_export_to_shareable_handle" ("handle", "handle_type", "flags") least 3, mem_export_to_shareable_handle), c"mem_export_to_shareable_handle(handle, handle_type, flags, /)\n--\n\nshareable_handle, ret = acl.rt.mem_export_to_shareable_handle(handle, handle_type, flags)\n\nSharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's\nnumber.\n\nNote: a random number that names the memory for all processes of the user while it exists.\n\nC: aclrtMemExportToShareableHandle"),
row(c"mem_export_to_shareable_handle_v2", method!("rt.mem_export_to_shareable_handle_v2" ("handle", "flags", "share_type") least 3, crate::hand::rt_mem_export_to_shareable_handle_v2), c"mem_export_to_shareable_handle_v2(handle, flags, share_type, /)\n--\n\nSharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's\nnumber.\n\nNote: as aclrtMemExportToShareableHandle.\n\nC: aclrtMemExportToShareableHandleV2"),
row(c"mem_import_from_shareable_handle", method!("rt.mem_import_from_shareable_handle" ("shareable_handle", "device_id") least 2, mem_import_from_shareable_handle), c"mem_import_from_shareable_handle(shareable_handle, device_id, /)\n--\n\nhandle, ret = acl.rt.mem_import_from_shareable_handle(shareable_handle, device_id)\n\nSharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's\nnumber.\n\nNote: the exporting process may import, too; a process that is not listed gets 207006; device\nmemory of another process counts as the importing device's.\n\nC: aclrtMemImportFromShareableHandle"),
row(c"mem_import_from_shareable_handle_v2", method!("rt.mem_import_from_shareable_handle_v2" ("shareable_handle", "share_type", "flags") least 3, crate::hand::rt_mem_import_from_shareable_handle_v2), c"mem_import_from_shareable_handle_v2(shareable_handle, share_type, flags, /)\n--\n\nSharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's\nnumber.\n\nNote: as aclrtMemImportFromShareableHandle; changed or made-up handles return 100000.\n\nC: aclrtMemImportFromShareableHandleV2"),
row(c"mem_set_pid_to_shareable_handle", method!("rt.mem_set_pid_to_shareable_handle" ("shareable_handle", "pid") least 2, mem_set_pid_to_shareable_handle), c"mem_set_pid_to_shareable_handle(shareable_handle, pid, /)\n--\n\nret = acl.rt.mem_set_pid_to_shareable_handle(shareable_handle, pid)\n\nSharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's\nnumber.\n\nNote: the exporting process needs no entry.\n\nC: aclrtMemSetPidToShareableHandle"),
row(c"mem_set_pid_to_shareable_handle_v2", method!("rt.mem_set_pid_to_shareable_handle_v2" ("shareable_handle", "share_type", "pid") least 3, crate::hand::rt_mem_set_pid_to_shareable_handle_v2), c"mem_set_pid_to_shareable_handle_v2(shareable_handle, share_type, pid, /)\n--\n\nSharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's\nnumber.\n\nNote: as aclrtMemSetPidToShareableHandle.\n\nC: aclrtMemSetPidToShareableHandleV2"),
row(c"device_get_bare_tgid", method!("rt.device_get_bare_tgid" () least 0, device_get_bare_tgid), c"device_get_bare_tgid()\n--\n\npid, ret = acl.rt.device_get_bare_tgid()\n\nSharing physical memory with other processes, which are named by aclrtDeviceGetBareTgid's\nnumber.\n\nC: aclrtDeviceGetBareTgid"),
row(c"mem_p2p_map", method!("rt.mem_p2p_map" ("dev_ptr", "size", "dst_dev_id", "flags") least 4, mem_p2p_map), c"mem_p2p_map(dev_ptr, size, dst_dev_id, flags, /)\n--\n\nret = acl.rt.mem_p2p_map(dev_ptr, size, dst_dev_id, flags)\n\nMappings towards another device.\n\nNote: every device can access every block; mappings are opened for the device.\n\nC: aclrtMemP2PMap"),
row(c"mem_map_selected_link", method!("rt.mem_map_selected_link" ("vir_ptr_dst", "size", "vir_ptr_src", "link_idx") least 4, mem_map_selected_link), c"mem_map_selected_link(vir_ptr_dst, size, vir_ptr_src, link_idx, /)\n--\n\nret = acl.rt.mem_map_selected_link(vir_ptr_dst, size, vir_ptr_src, link_idx)\n\nMappings towards another device.\n\nNote: maps the memory at virPtrSrc also at virPtrDst; the choice of link is ignored.\n\nC: aclrtMemMapSelectedLink"),
row(c"mem_map_set_link", method!("rt.mem_map_set_link" ("handle", "advice_link") least 2, mem_map_set_link), c"mem_map_set_link(handle, advice_link, /)\n--\n\nret = acl.rt.mem_map_set_link(handle, advice_link)\n\nMappings towards another device.\n\nNote: advisory: there is one connection between devices.\n\nC: aclrtMemMapSetLink"),
END,
]);

fn mem_pool_create(args: Args<'_>) -> Answer {
    let mut mem_pool = std::ptr::null_mut();
    let pool_props: abi::aclrtMemPoolProps = args.structure(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemPoolCreate(&raw mut mem_pool, &raw const pool_props) };
    tuple([mem_pool.object()?, ret.object()?])
}

fn mem_pool_destroy(args: Args<'_>) -> Answer {
    let mem_pool = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMemPoolDestroy(mem_pool) }
    });
    ret.object()
}

fn mem_pool_malloc_async(args: Args<'_>) -> Answer {
    let mut ptr = std::ptr::null_mut();
    let size = args.usize(0)?;
    let mem_pool = args.pointer(1)?;
    let stream = args.pointer(2)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMemPoolMallocAsync(&raw mut ptr, size, mem_pool, stream) }
    });
    tuple([ptr.object()?, ret.object()?])
}

fn mem_pool_free_async(args: Args<'_>) -> Answer {
    let ptr = args.pointer(0)?;
    let stream = args.pointer(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMemPoolFreeAsync(ptr, stream) }
    });
    ret.object()
}

fn mem_pool_trim_to(args: Args<'_>) -> Answer {
    let mem_pool = args.pointer(0)?;
    let min_bytes_to_keep = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemPoolTrimTo(mem_pool, min_bytes_to_keep) };
    ret.object()
}

fn subscribe_report(args: Args<'_>) -> Answer {
    let thread_id = args.u64(0)?;
    let stream = args.pointer(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSubscribeReport(thread_id, stream) };
    ret.object()
}

fn process_report(args: Args<'_>) -> Answer {
    let timeout = args.i32(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtProcessReport(timeout) }
    });
    ret.object()
}

fn unsubscribe_report(args: Args<'_>) -> Answer {
    let thread_id = args.u64(0)?;
    let stream = args.pointer(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtUnSubscribeReport(thread_id, stream) }
    });
    ret.object()
}

fn subscribe_host_func(args: Args<'_>) -> Answer {
    let host_func_thread_id = args.u64(0)?;
    let exe_stream = args.pointer(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSubscribeHostFunc(host_func_thread_id, exe_stream) };
    ret.object()
}

fn process_host_func(args: Args<'_>) -> Answer {
    let timeout = args.i32(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtProcessHostFunc(timeout) }
    });
    ret.object()
}

fn unsubscribe_host_func(args: Args<'_>) -> Answer {
    let host_func_thread_id = args.u64(0)?;
    let exe_stream = args.pointer(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtUnSubscribeHostFunc(host_func_thread_id, exe_stream) };
    ret.object()
}

fn get_task_id_from_exception_info(args: Args<'_>) -> Answer {
    let info = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetTaskIdFromExceptionInfo(info) };
    ret.object()
}

fn get_stream_id_from_exception_info(args: Args<'_>) -> Answer {
    let info = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetStreamIdFromExceptionInfo(info) };
    ret.object()
}

fn get_thread_id_from_exception_info(args: Args<'_>) -> Answer {
    let info = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetThreadIdFromExceptionInfo(info) };
    ret.object()
}

fn get_device_id_from_exception_info(args: Args<'_>) -> Answer {
    let info = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetDeviceIdFromExceptionInfo(info) };
    ret.object()
}

fn get_error_code_from_exception_info(args: Args<'_>) -> Answer {
    let info = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetErrorCodeFromExceptionInfo(info) };
    ret.object()
}

fn get_device_res_limit(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    let type_ = args.i32(1)?;
    let mut value = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetDeviceResLimit(device_id, type_, &raw mut value) };
    tuple([value.object()?, ret.object()?])
}

fn set_device_res_limit(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    let type_ = args.i32(1)?;
    let value = args.u32(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSetDeviceResLimit(device_id, type_, value) };
    ret.object()
}

fn reset_device_res_limit(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtResetDeviceResLimit(device_id) };
    ret.object()
}

fn get_stream_res_limit(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let type_ = args.i32(1)?;
    let mut value = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetStreamResLimit(stream, type_, &raw mut value) };
    tuple([value.object()?, ret.object()?])
}

fn set_stream_res_limit(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let type_ = args.i32(1)?;
    let value = args.u32(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSetStreamResLimit(stream, type_, value) };
    ret.object()
}

fn reset_stream_res_limit(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtResetStreamResLimit(stream) };
    ret.object()
}

fn use_stream_res_in_current_thread(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtUseStreamResInCurrentThread(stream) };
    ret.object()
}

fn unuse_stream_res_in_current_thread(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtUnuseStreamResInCurrentThread(stream) };
    ret.object()
}

fn get_res_in_current_thread(args: Args<'_>) -> Answer {
    let type_ = args.i32(0)?;
    let mut value = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetResInCurrentThread(type_, &raw mut value) };
    tuple([value.object()?, ret.object()?])
}

fn create_context(args: Args<'_>) -> Answer {
    let mut context = std::ptr::null_mut();
    let device_id = args.i32(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtCreateContext(&raw mut context, device_id) }
    });
    tuple([context.object()?, ret.object()?])
}

fn destroy_context(args: Args<'_>) -> Answer {
    let context = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtDestroyContext(context) }
    });
    ret.object()
}

fn set_context(args: Args<'_>) -> Answer {
    let context = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSetCurrentContext(context) };
    ret.object()
}

fn get_context(_: Args<'_>) -> Answer {
    let mut context = std::ptr::null_mut();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetCurrentContext(&raw mut context) };
    tuple([context.object()?, ret.object()?])
}

fn ctx_get_current_default_stream(_: Args<'_>) -> Answer {
    let mut stream = std::ptr::null_mut();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCtxGetCurrentDefaultStream(&raw mut stream) };
    tuple([stream.object()?, ret.object()?])
}

fn get_primary_ctx_state(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    let mut flags = 0;
    let mut active = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetPrimaryCtxState(device_id, &raw mut flags, &raw mut active) };
    tuple([flags.object()?, active.object()?, ret.object()?])
}

fn memcpy(args: Args<'_>) -> Answer {
    let dst = args.pointer(0)?;
    let dest_max = args.usize(1)?;
    let src = args.constant(2)?;
    let count = args.usize(3)?;
    let kind = args.i32(4)?;
    let ret = gil::detach_if(count >= gil::LARGE, || {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMemcpy(dst, dest_max, src, count, kind) }
    });
    ret.object()
}

fn memcpy_async(args: Args<'_>) -> Answer {
    let dst = args.pointer(0)?;
    let dest_max = args.usize(1)?;
    let src = args.constant(2)?;
    let count = args.usize(3)?;
    let kind = args.i32(4)?;
    let stream = args.pointer(5)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMemcpyAsync(dst, dest_max, src, count, kind, stream) }
    });
    ret.object()
}

fn memcpy_async_with_condition(args: Args<'_>) -> Answer {
    let dst = args.pointer(0)?;
    let dest_max = args.usize(1)?;
    let src = args.constant(2)?;
    let count = args.usize(3)?;
    let kind = args.i32(4)?;
    let stream = args.pointer(5)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMemcpyAsyncWithCondition(dst, dest_max, src, count, kind, stream) }
    });
    ret.object()
}

fn memcpy2d(args: Args<'_>) -> Answer {
    let dst = args.pointer(0)?;
    let dpitch = args.usize(1)?;
    let src = args.constant(2)?;
    let spitch = args.usize(3)?;
    let width = args.usize(4)?;
    let height = args.usize(5)?;
    let kind = args.i32(6)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMemcpy2d(dst, dpitch, src, spitch, width, height, kind) }
    });
    ret.object()
}

fn memcpy2d_async(args: Args<'_>) -> Answer {
    let dst = args.pointer(0)?;
    let dpitch = args.usize(1)?;
    let src = args.constant(2)?;
    let spitch = args.usize(3)?;
    let width = args.usize(4)?;
    let height = args.usize(5)?;
    let kind = args.i32(6)?;
    let stream = args.pointer(7)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMemcpy2dAsync(dst, dpitch, src, spitch, width, height, kind, stream) }
    });
    ret.object()
}

fn memcpy_batch(args: Args<'_>) -> Answer {
    let mut dsts: Vec<*mut c_void> = args.list(0)?;
    let mut dest_maxs: Vec<usize> = args.list(1)?;
    args.same_length(1, dest_maxs.len(), (0, dsts.len()))?;
    let mut srcs: Vec<*mut c_void> = args.list(2)?;
    args.same_length(2, srcs.len(), (0, dsts.len()))?;
    let mut sizes: Vec<usize> = args.list(3)?;
    args.same_length(3, sizes.len(), (0, dsts.len()))?;
    let mut attrs: Vec<Element<abi::aclrtMemcpyBatchAttr>> = args.list(4)?;
    let mut attrs_indexes: Vec<usize> = args.list(5)?;
    args.same_length(5, attrs_indexes.len(), (4, attrs.len()))?;
    let mut fail_index = 0;
    let num_batches = args.count(0, dsts.len())?;
    let num_attrs = args.count(4, attrs.len())?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclrtMemcpyBatch(
                dsts.as_mut_ptr().cast(),
                dest_maxs.as_mut_ptr().cast(),
                srcs.as_mut_ptr().cast(),
                sizes.as_mut_ptr().cast(),
                num_batches,
                attrs.as_mut_ptr().cast(),
                attrs_indexes.as_mut_ptr().cast(),
                num_attrs,
                &raw mut fail_index,
            )
        }
    });
    tuple([fail_index.object()?, ret.object()?])
}

fn memcpy_batch_v2(args: Args<'_>) -> Answer {
    let mut dsts: Vec<*mut c_void> = args.list(0)?;
    let mut dest_maxs: Vec<usize> = args.list(1)?;
    args.same_length(1, dest_maxs.len(), (0, dsts.len()))?;
    let mut srcs: Vec<*mut c_void> = args.list(2)?;
    args.same_length(2, srcs.len(), (0, dsts.len()))?;
    let mut sizes: Vec<usize> = args.list(3)?;
    args.same_length(3, sizes.len(), (0, dsts.len()))?;
    let mut attrs: Vec<Element<abi::aclrtMemcpyBatchAttr>> = args.list(4)?;
    let mut attrs_indexes: Vec<usize> = args.list(5)?;
    args.same_length(5, attrs_indexes.len(), (4, attrs.len()))?;
    let num_batches = args.count(0, dsts.len())?;
    let num_attrs = args.count(4, attrs.len())?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclrtMemcpyBatchV2(
                dsts.as_mut_ptr().cast(),
                dest_maxs.as_mut_ptr().cast(),
                srcs.as_mut_ptr().cast(),
                sizes.as_mut_ptr().cast(),
                num_batches,
                attrs.as_mut_ptr().cast(),
                attrs_indexes.as_mut_ptr().cast(),
                num_attrs,
            )
        }
    });
    ret.object()
}

fn memcpy_batch_async(args: Args<'_>) -> Answer {
    let mut dsts: Vec<*mut c_void> = args.list(0)?;
    let mut dest_maxs: Vec<usize> = args.list(1)?;
    args.same_length(1, dest_maxs.len(), (0, dsts.len()))?;
    let mut srcs: Vec<*mut c_void> = args.list(2)?;
    args.same_length(2, srcs.len(), (0, dsts.len()))?;
    let mut sizes: Vec<usize> = args.list(3)?;
    args.same_length(3, sizes.len(), (0, dsts.len()))?;
    let mut attrs: Vec<Element<abi::aclrtMemcpyBatchAttr>> = args.list(4)?;
    let mut attrs_indexes: Vec<usize> = args.list(5)?;
    args.same_length(5, attrs_indexes.len(), (4, attrs.len()))?;
    let mut fail_index = 0;
    let stream = args.pointer(6)?;
    let num_batches = args.count(0, dsts.len())?;
    let num_attrs = args.count(4, attrs.len())?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclrtMemcpyBatchAsync(
                dsts.as_mut_ptr().cast(),
                dest_maxs.as_mut_ptr().cast(),
                srcs.as_mut_ptr().cast(),
                sizes.as_mut_ptr().cast(),
                num_batches,
                attrs.as_mut_ptr().cast(),
                attrs_indexes.as_mut_ptr().cast(),
                num_attrs,
                &raw mut fail_index,
                stream,
            )
        }
    });
    tuple([fail_index.object()?, ret.object()?])
}

fn memcpy_batch_async_v2(args: Args<'_>) -> Answer {
    let mut dsts: Vec<*mut c_void> = args.list(0)?;
    let mut dest_maxs: Vec<usize> = args.list(1)?;
    args.same_length(1, dest_maxs.len(), (0, dsts.len()))?;
    let mut srcs: Vec<*mut c_void> = args.list(2)?;
    args.same_length(2, srcs.len(), (0, dsts.len()))?;
    let mut sizes: Vec<usize> = args.list(3)?;
    args.same_length(3, sizes.len(), (0, dsts.len()))?;
    let mut attrs: Vec<Element<abi::aclrtMemcpyBatchAttr>> = args.list(4)?;
    let mut attrs_indexes: Vec<usize> = args.list(5)?;
    args.same_length(5, attrs_indexes.len(), (4, attrs.len()))?;
    let stream = args.pointer(6)?;
    let num_batches = args.count(0, dsts.len())?;
    let num_attrs = args.count(4, attrs.len())?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclrtMemcpyBatchAsyncV2(
                dsts.as_mut_ptr().cast(),
                dest_maxs.as_mut_ptr().cast(),
                srcs.as_mut_ptr().cast(),
                sizes.as_mut_ptr().cast(),
                num_batches,
                attrs.as_mut_ptr().cast(),
                attrs_indexes.as_mut_ptr().cast(),
                num_attrs,
                stream,
            )
        }
    });
    ret.object()
}

fn get_memcpy_desc_size(args: Args<'_>) -> Answer {
    let kind = args.i32(0)?;
    let mut desc_size = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetMemcpyDescSize(kind, &raw mut desc_size) };
    tuple([desc_size.object()?, ret.object()?])
}

fn set_memcpy_desc(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let kind = args.i32(1)?;
    let src_addr = args.pointer(2)?;
    let dst_addr = args.pointer(3)?;
    let count = args.usize(4)?;
    let config = args.pointer(5)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSetMemcpyDesc(desc, kind, src_addr, dst_addr, count, config) };
    ret.object()
}

fn memcpy_async_with_offset(args: Args<'_>) -> Answer {
    let dst = args.pointer(0)?;
    let dest_max = args.usize(1)?;
    let dst_data_offset = args.usize(2)?;
    let src = args.pointer(3)?;
    let count = args.usize(4)?;
    let src_data_offset = args.usize(5)?;
    let kind = args.i32(6)?;
    let stream = args.pointer(7)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclrtMemcpyAsyncWithOffset(
                dst,
                dest_max,
                dst_data_offset,
                src,
                count,
                src_data_offset,
                kind,
                stream,
            )
        }
    });
    ret.object()
}

fn memcpy_async_with_desc(args: Args<'_>) -> Answer {
    let desc = args.pointer(0)?;
    let kind = args.i32(1)?;
    let stream = args.pointer(2)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMemcpyAsyncWithDesc(desc, kind, stream) }
    });
    ret.object()
}

fn memset(args: Args<'_>) -> Answer {
    let dev_ptr = args.pointer(0)?;
    let max_count = args.usize(1)?;
    let value = args.i32(2)?;
    let count = args.usize(3)?;
    let ret = gil::detach_if(count >= gil::LARGE, || {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMemset(dev_ptr, max_count, value, count) }
    });
    ret.object()
}

fn memset_async(args: Args<'_>) -> Answer {
    let dev_ptr = args.pointer(0)?;
    let max_count = args.usize(1)?;
    let value = args.i32(2)?;
    let count = args.usize(3)?;
    let stream = args.pointer(4)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMemsetAsync(dev_ptr, max_count, value, count, stream) }
    });
    ret.object()
}

fn memset_d32(args: Args<'_>) -> Answer {
    let ptr = args.pointer(0)?;
    let mem_size = args.usize(1)?;
    let value = args.u32(2)?;
    let n = args.usize(3)?;
    let ret = gil::detach_if(n >= gil::LARGE, || {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMemsetD32(ptr, mem_size, value, n) }
    });
    ret.object()
}

fn memset_d32_async(args: Args<'_>) -> Answer {
    let ptr = args.pointer(0)?;
    let mem_size = args.usize(1)?;
    let value = args.u32(2)?;
    let n = args.usize(3)?;
    let stream = args.pointer(4)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMemsetD32Async(ptr, mem_size, value, n, stream) }
    });
    ret.object()
}

fn reduce_async(args: Args<'_>) -> Answer {
    let dst = args.pointer(0)?;
    let src = args.constant(1)?;
    let count = args.u64(2)?;
    let kind = args.i32(3)?;
    let type_ = args.i32(4)?;
    let stream = args.pointer(5)?;
    let reserve = args.pointer(6)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtReduceAsync(dst, src, count, kind, type_, stream, reserve) };
    ret.object()
}

fn value_write(args: Args<'_>) -> Answer {
    let dev_addr = args.pointer(0)?;
    let value = args.u64(1)?;
    let flag = args.u32(2)?;
    let stream = args.pointer(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtValueWrite(dev_addr, value, flag, stream) };
    ret.object()
}

fn value_wait(args: Args<'_>) -> Answer {
    let dev_addr = args.pointer(0)?;
    let value = args.u64(1)?;
    let flag = args.u32(2)?;
    let stream = args.pointer(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtValueWait(dev_addr, value, flag, stream) };
    ret.object()
}

fn set_device(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtSetDevice(device_id) }
    });
    ret.object()
}

fn reset_device(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtResetDevice(device_id) }
    });
    ret.object()
}

fn reset_device_force(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtResetDeviceForce(device_id) }
    });
    ret.object()
}

fn get_device(_: Args<'_>) -> Answer {
    let mut device_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetDevice(&raw mut device_id) };
    tuple([device_id.object()?, ret.object()?])
}

fn get_device_count(_: Args<'_>) -> Answer {
    let mut count = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetDeviceCount(&raw mut count) };
    tuple([count.object()?, ret.object()?])
}

fn get_run_mode(_: Args<'_>) -> Answer {
    let mut run_mode = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetRunMode(&raw mut run_mode) };
    tuple([run_mode.object()?, ret.object()?])
}

fn set_ts_device(args: Args<'_>) -> Answer {
    let ts_id = args.i32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSetTsDevice(ts_id) };
    ret.object()
}

fn synchronize_device(_: Args<'_>) -> Answer {
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtSynchronizeDevice() }
    });
    ret.object()
}

fn synchronize_device_with_timeout(args: Args<'_>) -> Answer {
    let timeout = args.i32(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtSynchronizeDeviceWithTimeout(timeout) }
    });
    ret.object()
}

fn device_task_abort(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    let timeout = args.u32(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtDeviceTaskAbort(device_id, timeout) }
    });
    ret.object()
}

fn device_can_access_peer(args: Args<'_>) -> Answer {
    let mut can_access_peer = 0;
    let device_id = args.i32(0)?;
    let peer_device_id = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret =
        unsafe { c::aclrtDeviceCanAccessPeer(&raw mut can_access_peer, device_id, peer_device_id) };
    tuple([can_access_peer.object()?, ret.object()?])
}

fn device_enable_peer_access(args: Args<'_>) -> Answer {
    let peer_device_id = args.i32(0)?;
    let flags = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtDeviceEnablePeerAccess(peer_device_id, flags) };
    ret.object()
}

fn device_disable_peer_access(args: Args<'_>) -> Answer {
    let peer_device_id = args.i32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtDeviceDisablePeerAccess(peer_device_id) };
    ret.object()
}

fn device_peer_access_status(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    let peer_device_id = args.i32(1)?;
    let mut status = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtDevicePeerAccessStatus(device_id, peer_device_id, &raw mut status) };
    tuple([status.object()?, ret.object()?])
}

fn ctx_get_sys_param_opt(args: Args<'_>) -> Answer {
    let opt = args.i32(0)?;
    let mut value = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCtxGetSysParamOpt(opt, &raw mut value) };
    tuple([value.object()?, ret.object()?])
}

fn ctx_set_sys_param_opt(args: Args<'_>) -> Answer {
    let opt = args.i32(0)?;
    let value = args.i64(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCtxSetSysParamOpt(opt, value) };
    ret.object()
}

fn get_sys_param_opt(args: Args<'_>) -> Answer {
    let opt = args.i32(0)?;
    let mut value = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetSysParamOpt(opt, &raw mut value) };
    tuple([value.object()?, ret.object()?])
}

fn set_sys_param_opt(args: Args<'_>) -> Answer {
    let opt = args.i32(0)?;
    let value = args.i64(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSetSysParamOpt(opt, value) };
    ret.object()
}

fn set_op_wait_timeout(args: Args<'_>) -> Answer {
    let timeout = args.u32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSetOpWaitTimeout(timeout) };
    ret.object()
}

fn set_op_execute_time_out(args: Args<'_>) -> Answer {
    let timeout = args.u32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSetOpExecuteTimeOut(timeout) };
    ret.object()
}

fn set_op_execute_time_out_with_ms(args: Args<'_>) -> Answer {
    let timeout = args.u32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSetOpExecuteTimeOutWithMs(timeout) };
    ret.object()
}

fn set_op_execute_timeout_v2(args: Args<'_>) -> Answer {
    let timeout = args.u64(0)?;
    let mut actual_timeout = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSetOpExecuteTimeOutV2(timeout, &raw mut actual_timeout) };
    tuple([actual_timeout.object()?, ret.object()?])
}

fn get_op_execute_timeout(_: Args<'_>) -> Answer {
    let mut timeout_ms = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetOpExecuteTimeout(&raw mut timeout_ms) };
    tuple([timeout_ms.object()?, ret.object()?])
}

fn get_op_time_out_interval(_: Args<'_>) -> Answer {
    let mut interval = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetOpTimeOutInterval(&raw mut interval) };
    tuple([interval.object()?, ret.object()?])
}

fn set_device_sat_mode(args: Args<'_>) -> Answer {
    let mode = args.i32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSetDeviceSatMode(mode) };
    ret.object()
}

fn get_device_sat_mode(_: Args<'_>) -> Answer {
    let mut mode = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetDeviceSatMode(&raw mut mode) };
    tuple([mode.object()?, ret.object()?])
}

fn get_overflow_status(args: Args<'_>) -> Answer {
    let output_addr = args.pointer(0)?;
    let output_size = args.usize(1)?;
    let stream = args.pointer(2)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtGetOverflowStatus(output_addr, output_size, stream) }
    });
    ret.object()
}

fn reset_overflow_status(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtResetOverflowStatus(stream) }
    });
    ret.object()
}

fn cmo_async(args: Args<'_>) -> Answer {
    let src = args.pointer(0)?;
    let size = args.usize(1)?;
    let cmo_type = args.i32(2)?;
    let stream = args.pointer(3)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtCmoAsync(src, size, cmo_type, stream) }
    });
    ret.object()
}

fn cmo_get_desc_size(_: Args<'_>) -> Answer {
    let mut size = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCmoGetDescSize(&raw mut size) };
    tuple([size.object()?, ret.object()?])
}

fn cmo_set_desc(args: Args<'_>) -> Answer {
    let cmo_desc = args.pointer(0)?;
    let src = args.pointer(1)?;
    let size = args.usize(2)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtCmoSetDesc(cmo_desc, src, size) }
    });
    ret.object()
}

fn cmo_async_with_desc(args: Args<'_>) -> Answer {
    let cmo_desc = args.pointer(0)?;
    let cmo_type = args.i32(1)?;
    let stream = args.pointer(2)?;
    let reserve = args.constant(3)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtCmoAsyncWithDesc(cmo_desc, cmo_type, stream, reserve) }
    });
    ret.object()
}

fn get_device_info(args: Args<'_>) -> Answer {
    let device_id = args.u32(0)?;
    let attr = args.i32(1)?;
    let mut value = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetDeviceInfo(device_id, attr, &raw mut value) };
    tuple([value.object()?, ret.object()?])
}

fn get_device_capability(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    let dev_feature_type = args.i32(1)?;
    let mut value = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetDeviceCapability(device_id, dev_feature_type, &raw mut value) };
    tuple([value.object()?, ret.object()?])
}

fn query_device_status(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    let mut device_status = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtQueryDeviceStatus(device_id, &raw mut device_status) };
    tuple([device_status.object()?, ret.object()?])
}

fn get_device_utilization_rate(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    let mut utilization_info: abi::aclrtUtilizationInfo = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetDeviceUtilizationRate(device_id, &raw mut utilization_info) };
    tuple([utilization_info.dict()?, ret.object()?])
}

fn get_error_verbose(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    let mut error_info: abi::aclrtErrorInfo = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetErrorVerbose(device_id, &raw mut error_info) };
    tuple([error_info.dict()?, ret.object()?])
}

fn device_set_limit(args: Args<'_>) -> Answer {
    let limit = args.i32(0)?;
    let value = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtDeviceSetLimit(limit, value) };
    ret.object()
}

fn device_get_limit(args: Args<'_>) -> Answer {
    let limit = args.i32(0)?;
    let mut value = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtDeviceGetLimit(limit, &raw mut value) };
    tuple([value.object()?, ret.object()?])
}

fn device_get_pci_bus_id(args: Args<'_>) -> Answer {
    let device_id = args.i32(0)?;
    let mut pci_bus_id: Vec<c_char> = args.room(1)?;
    let len = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtDeviceGetPCIBusId(device_id, pci_bus_id.as_mut_ptr(), len) };
    tuple([text_in(&pci_bus_id)?, ret.object()?])
}

fn device_get_by_pci_bus_id(args: Args<'_>) -> Answer {
    let pci_bus_id = args.text(0)?;
    let pci_bus_id_text = pci_bus_id.as_ptr();
    let mut device_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtDeviceGetByPCIBusId(pci_bus_id_text, &raw mut device_id) };
    tuple([device_id.object()?, ret.object()?])
}

fn get_devices_topo(args: Args<'_>) -> Answer {
    let device_id = args.u32(0)?;
    let other_device_id = args.u32(1)?;
    let mut value = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetDevicesTopo(device_id, other_device_id, &raw mut value) };
    tuple([value.object()?, ret.object()?])
}

fn get_logic_dev_id_by_user_dev_id(args: Args<'_>) -> Answer {
    let user_devid = args.i32(0)?;
    let mut logic_dev_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetLogicDevIdByUserDevId(user_devid, &raw mut logic_dev_id) };
    tuple([logic_dev_id.object()?, ret.object()?])
}

fn get_user_dev_id_by_logic_dev_id(args: Args<'_>) -> Answer {
    let logic_dev_id = args.i32(0)?;
    let mut user_devid = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetUserDevIdByLogicDevId(logic_dev_id, &raw mut user_devid) };
    tuple([user_devid.object()?, ret.object()?])
}

fn get_logic_dev_id_by_phy_dev_id(args: Args<'_>) -> Answer {
    let phy_dev_id = args.i32(0)?;
    let mut logic_dev_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetLogicDevIdByPhyDevId(phy_dev_id, &raw mut logic_dev_id) };
    tuple([logic_dev_id.object()?, ret.object()?])
}

fn get_phy_dev_id_by_logic_dev_id(args: Args<'_>) -> Answer {
    let logic_dev_id = args.i32(0)?;
    let mut phy_dev_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetPhyDevIdByLogicDevId(logic_dev_id, &raw mut phy_dev_id) };
    tuple([phy_dev_id.object()?, ret.object()?])
}

fn get_user_dev_id_by_phy_dev_id(args: Args<'_>) -> Answer {
    let phy_dev_id = args.i32(0)?;
    let mut user_dev_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetUserDevIdByPhyDevId(phy_dev_id, &raw mut user_dev_id) };
    tuple([user_dev_id.object()?, ret.object()?])
}

fn get_phy_dev_id_by_user_dev_id(args: Args<'_>) -> Answer {
    let user_dev_id = args.i32(0)?;
    let mut phy_dev_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetPhyDevIdByUserDevId(user_dev_id, &raw mut phy_dev_id) };
    tuple([phy_dev_id.object()?, ret.object()?])
}

fn create_event(_: Args<'_>) -> Answer {
    let mut event = std::ptr::null_mut();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCreateEvent(&raw mut event) };
    tuple([event.object()?, ret.object()?])
}

fn create_event_with_flag(args: Args<'_>) -> Answer {
    let mut event = std::ptr::null_mut();
    let flag = args.u32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCreateEventWithFlag(&raw mut event, flag) };
    tuple([event.object()?, ret.object()?])
}

fn create_event_ex_with_flag(args: Args<'_>) -> Answer {
    let mut event = std::ptr::null_mut();
    let flag = args.u32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCreateEventExWithFlag(&raw mut event, flag) };
    tuple([event.object()?, ret.object()?])
}

fn destroy_event(args: Args<'_>) -> Answer {
    let event = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtDestroyEvent(event) }
    });
    ret.object()
}

fn record_event(args: Args<'_>) -> Answer {
    let event = args.pointer(0)?;
    let stream = args.pointer(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtRecordEvent(event, stream) }
    });
    ret.object()
}

fn record_event_with_flag(args: Args<'_>) -> Answer {
    let event = args.pointer(0)?;
    let stream = args.pointer(1)?;
    let flag = args.u32(2)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtRecordEventWithFlag(event, stream, flag) }
    });
    ret.object()
}

fn reset_event(args: Args<'_>) -> Answer {
    let event = args.pointer(0)?;
    let stream = args.pointer(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtResetEvent(event, stream) }
    });
    ret.object()
}

fn query_event(args: Args<'_>) -> Answer {
    let event = args.pointer(0)?;
    let mut status = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtQueryEvent(event, &raw mut status) };
    tuple([status.object()?, ret.object()?])
}

fn query_event_status(args: Args<'_>) -> Answer {
    let event = args.pointer(0)?;
    let mut status = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtQueryEventStatus(event, &raw mut status) };
    tuple([status.object()?, ret.object()?])
}

fn query_event_wait_status(args: Args<'_>) -> Answer {
    let event = args.pointer(0)?;
    let mut status = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtQueryEventWaitStatus(event, &raw mut status) };
    tuple([status.object()?, ret.object()?])
}

fn synchronize_event(args: Args<'_>) -> Answer {
    let event = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtSynchronizeEvent(event) }
    });
    ret.object()
}

fn synchronize_event_with_timeout(args: Args<'_>) -> Answer {
    let event = args.pointer(0)?;
    let timeout = args.i32(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtSynchronizeEventWithTimeout(event, timeout) }
    });
    ret.object()
}

fn event_elapsed_time(args: Args<'_>) -> Answer {
    let mut ms = 0.0;
    let start_event = args.pointer(0)?;
    let end_event = args.pointer(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtEventElapsedTime(&raw mut ms, start_event, end_event) };
    tuple([ms.object()?, ret.object()?])
}

fn event_get_timestamp(args: Args<'_>) -> Answer {
    let event = args.pointer(0)?;
    let mut timestamp = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtEventGetTimestamp(event, &raw mut timestamp) };
    tuple([timestamp.object()?, ret.object()?])
}

fn get_event_id(args: Args<'_>) -> Answer {
    let event = args.pointer(0)?;
    let mut event_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetEventId(event, &raw mut event_id) };
    tuple([event_id.object()?, ret.object()?])
}

fn get_event_avail_num(_: Args<'_>) -> Answer {
    let mut event_count = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetEventAvailNum(&raw mut event_count) };
    tuple([event_count.object()?, ret.object()?])
}

fn host_register(args: Args<'_>) -> Answer {
    let ptr = args.pointer(0)?;
    let size = args.u64(1)?;
    let type_ = args.i32(2)?;
    let mut dev_ptr = std::ptr::null_mut();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtHostRegister(ptr, size, type_, &raw mut dev_ptr) };
    tuple([dev_ptr.object()?, ret.object()?])
}

fn host_register_v2(args: Args<'_>) -> Answer {
    let ptr = args.pointer(0)?;
    let size = args.u64(1)?;
    let flag = args.u32(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtHostRegisterV2(ptr, size, flag) };
    ret.object()
}

fn host_get_device_pointer(args: Args<'_>) -> Answer {
    let p_host = args.pointer(0)?;
    let mut p_device = std::ptr::null_mut();
    let flag = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtHostGetDevicePointer(p_host, &raw mut p_device, flag) };
    tuple([p_device.object()?, ret.object()?])
}

fn host_unregister(args: Args<'_>) -> Answer {
    let ptr = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtHostUnregister(ptr) }
    });
    ret.object()
}

fn host_mem_map_capabilities(args: Args<'_>) -> Answer {
    let device_id = args.u32(0)?;
    let hac_type = args.i32(1)?;
    let mut capabilities = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtHostMemMapCapabilities(device_id, hac_type, &raw mut capabilities) };
    tuple([capabilities.object()?, ret.object()?])
}

fn mem_alloc_managed(args: Args<'_>) -> Answer {
    let mut ptr = std::ptr::null_mut();
    let size = args.u64(0)?;
    let flag = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemAllocManaged(&raw mut ptr, size, flag) };
    tuple([ptr.object()?, ret.object()?])
}

fn mem_managed_advise(args: Args<'_>) -> Answer {
    let ptr = args.constant(0)?;
    let size = args.u64(1)?;
    let advise = args.i32(2)?;
    let location: abi::aclrtMemManagedLocation = args.structure(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemManagedAdvise(ptr, size, advise, location) };
    ret.object()
}

fn mem_managed_get_attr(args: Args<'_>) -> Answer {
    let attribute = args.i32(0)?;
    let ptr = args.constant(1)?;
    let size = args.usize(2)?;
    let data = args.pointer(3)?;
    let data_size = args.usize(4)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemManagedGetAttr(attribute, ptr, size, data, data_size) };
    ret.object()
}

fn mem_managed_get_attrs(args: Args<'_>) -> Answer {
    let mut attributes: Vec<i32> = args.list(0)?;
    let ptr = args.constant(1)?;
    let size = args.usize(2)?;
    let mut data: Vec<*mut c_void> = args.list(3)?;
    args.same_length(3, data.len(), (0, attributes.len()))?;
    let mut data_sizes: Vec<usize> = args.list(4)?;
    args.same_length(4, data_sizes.len(), (0, attributes.len()))?;
    let num_attributes = args.count(0, attributes.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclrtMemManagedGetAttrs(
            attributes.as_mut_ptr().cast(),
            num_attributes,
            ptr,
            size,
            data.as_mut_ptr().cast(),
            data_sizes.as_mut_ptr().cast(),
        )
    };
    ret.object()
}

fn mem_managed_prefetch_async(args: Args<'_>) -> Answer {
    let ptr = args.constant(0)?;
    let size = args.usize(1)?;
    let location: abi::aclrtMemManagedLocation = args.structure(2)?;
    let flags = args.u32(3)?;
    let stream = args.pointer(4)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemManagedPrefetchAsync(ptr, size, location, flags, stream) };
    ret.object()
}

fn mem_managed_prefetch_batch_async(args: Args<'_>) -> Answer {
    let mut ptrs: Vec<*mut c_void> = args.list(0)?;
    let mut sizes: Vec<usize> = args.list(1)?;
    args.same_length(1, sizes.len(), (0, ptrs.len()))?;
    let mut prefetch_locs: Vec<Element<abi::aclrtMemManagedLocation>> = args.list(2)?;
    let mut prefetch_loc_idxs: Vec<usize> = args.list(3)?;
    args.same_length(3, prefetch_loc_idxs.len(), (2, prefetch_locs.len()))?;
    let flags = args.u64(4)?;
    let stream = args.pointer(5)?;
    let count = args.count(0, ptrs.len())?;
    let num_prefetch_locs = args.count(2, prefetch_locs.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclrtMemManagedPrefetchBatchAsync(
            ptrs.as_mut_ptr().cast(),
            sizes.as_mut_ptr().cast(),
            count,
            prefetch_locs.as_mut_ptr().cast(),
            prefetch_loc_idxs.as_mut_ptr().cast(),
            num_prefetch_locs,
            flags,
            stream,
        )
    };
    ret.object()
}

fn peek_at_last_error(args: Args<'_>) -> Answer {
    let level = args.i32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtPeekAtLastError(level) };
    ret.object()
}

fn get_last_error(args: Args<'_>) -> Answer {
    let level = args.i32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetLastError(level) };
    ret.object()
}

fn get_version(_: Args<'_>) -> Answer {
    let mut major_version = 0;
    let mut minor_version = 0;
    let mut patch_version = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclrtGetVersion(
            &raw mut major_version,
            &raw mut minor_version,
            &raw mut patch_version,
        )
    };
    tuple([
        major_version.object()?,
        minor_version.object()?,
        patch_version.object()?,
        ret.object()?,
    ])
}

fn ipc_mem_get_export_key(args: Args<'_>) -> Answer {
    let dev_ptr = args.pointer(0)?;
    let size = args.usize(1)?;
    let mut key: Vec<c_char> = args.room(2)?;
    let len = args.usize(2)?;
    let flags = args.u64(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtIpcMemGetExportKey(dev_ptr, size, key.as_mut_ptr(), len, flags) };
    tuple([text_in(&key)?, ret.object()?])
}

fn ipc_mem_import_by_key(args: Args<'_>) -> Answer {
    let mut dev_ptr = std::ptr::null_mut();
    let key = args.text(0)?;
    let key_text = key.as_ptr();
    let flags = args.u64(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtIpcMemImportByKey(&raw mut dev_ptr, key_text, flags) }
    });
    tuple([dev_ptr.object()?, ret.object()?])
}

fn ipc_mem_close(args: Args<'_>) -> Answer {
    let key = args.text(0)?;
    let key_text = key.as_ptr();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtIpcMemClose(key_text) };
    ret.object()
}

fn ipc_mem_set_import_pid(args: Args<'_>) -> Answer {
    let key = args.text(0)?;
    let key_text = key.as_ptr();
    let mut pid: Vec<i32> = args.list(1)?;
    let num = args.count(1, pid.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtIpcMemSetImportPid(key_text, pid.as_mut_ptr().cast(), num) };
    ret.object()
}

fn ipc_mem_set_attr(args: Args<'_>) -> Answer {
    let key = args.text(0)?;
    let key_text = key.as_ptr();
    let type_ = args.i32(1)?;
    let attr = args.u64(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtIpcMemSetAttr(key_text, type_, attr) };
    ret.object()
}

fn malloc(args: Args<'_>) -> Answer {
    let mut dev_ptr = std::ptr::null_mut();
    let size = args.usize(0)?;
    let policy = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMalloc(&raw mut dev_ptr, size, policy) };
    tuple([dev_ptr.object()?, ret.object()?])
}

fn malloc_align32(args: Args<'_>) -> Answer {
    let mut dev_ptr = std::ptr::null_mut();
    let size = args.usize(0)?;
    let policy = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMallocAlign32(&raw mut dev_ptr, size, policy) };
    tuple([dev_ptr.object()?, ret.object()?])
}

fn malloc_cached(args: Args<'_>) -> Answer {
    let mut dev_ptr = std::ptr::null_mut();
    let size = args.usize(0)?;
    let policy = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMallocCached(&raw mut dev_ptr, size, policy) };
    tuple([dev_ptr.object()?, ret.object()?])
}

fn free(args: Args<'_>) -> Answer {
    let dev_ptr = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtFree(dev_ptr) };
    ret.object()
}

fn free_with_dev_sync(args: Args<'_>) -> Answer {
    let dev_ptr = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtFreeWithDevSync(dev_ptr) }
    });
    ret.object()
}

fn malloc_host(args: Args<'_>) -> Answer {
    let mut host_ptr = std::ptr::null_mut();
    let size = args.usize(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMallocHost(&raw mut host_ptr, size) };
    tuple([host_ptr.object()?, ret.object()?])
}

fn free_host(args: Args<'_>) -> Answer {
    let host_ptr = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtFreeHost(host_ptr) };
    ret.object()
}

fn free_host_with_dev_sync(args: Args<'_>) -> Answer {
    let host_ptr = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtFreeHostWithDevSync(host_ptr) }
    });
    ret.object()
}

fn mem_flush(args: Args<'_>) -> Answer {
    let dev_ptr = args.pointer(0)?;
    let size = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemFlush(dev_ptr, size) };
    ret.object()
}

fn mem_invalidate(args: Args<'_>) -> Answer {
    let dev_ptr = args.pointer(0)?;
    let size = args.usize(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemInvalidate(dev_ptr, size) };
    ret.object()
}

fn device_l2_cache_flush(args: Args<'_>) -> Answer {
    let rsv = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtDeviceL2CacheFlush(rsv) };
    ret.object()
}

fn get_mem_info(args: Args<'_>) -> Answer {
    let attr = args.i32(0)?;
    let mut free = 0;
    let mut total = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetMemInfo(attr, &raw mut free, &raw mut total) };
    tuple([free.object()?, total.object()?, ret.object()?])
}

fn pointer_get_attributes(args: Args<'_>) -> Answer {
    let ptr = args.constant(0)?;
    let mut attributes: abi::aclrtPtrAttributes = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtPointerGetAttributes(ptr, &raw mut attributes) };
    tuple([attributes.dict()?, ret.object()?])
}

fn create_notify(args: Args<'_>) -> Answer {
    let mut notify = std::ptr::null_mut();
    let flag = args.u64(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCreateNotify(&raw mut notify, flag) };
    tuple([notify.object()?, ret.object()?])
}

fn destroy_notify(args: Args<'_>) -> Answer {
    let notify = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtDestroyNotify(notify) };
    ret.object()
}

fn record_notify(args: Args<'_>) -> Answer {
    let notify = args.pointer(0)?;
    let stream = args.pointer(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtRecordNotify(notify, stream) }
    });
    ret.object()
}

fn wait_and_reset_notify(args: Args<'_>) -> Answer {
    let notify = args.pointer(0)?;
    let stream = args.pointer(1)?;
    let timeout = args.u32(2)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtWaitAndResetNotify(notify, stream, timeout) }
    });
    ret.object()
}

fn get_notify_id(args: Args<'_>) -> Answer {
    let notify = args.pointer(0)?;
    let mut notify_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetNotifyId(notify, &raw mut notify_id) };
    tuple([notify_id.object()?, ret.object()?])
}

fn notify_batch_reset(args: Args<'_>) -> Answer {
    let mut notifies: Vec<*mut c_void> = args.list(0)?;
    let num = args.count(0, notifies.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtNotifyBatchReset(notifies.as_mut_ptr().cast(), num) };
    ret.object()
}

fn notify_get_export_key(args: Args<'_>) -> Answer {
    let notify = args.pointer(0)?;
    let mut key: Vec<c_char> = args.room(1)?;
    let len = args.usize(1)?;
    let flags = args.u64(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtNotifyGetExportKey(notify, key.as_mut_ptr(), len, flags) };
    tuple([text_in(&key)?, ret.object()?])
}

fn notify_import_by_key(args: Args<'_>) -> Answer {
    let mut notify = std::ptr::null_mut();
    let key = args.text(0)?;
    let key_text = key.as_ptr();
    let flags = args.u64(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtNotifyImportByKey(&raw mut notify, key_text, flags) }
    });
    tuple([notify.object()?, ret.object()?])
}

fn notify_set_import_pid(args: Args<'_>) -> Answer {
    let notify = args.pointer(0)?;
    let mut pid: Vec<i32> = args.list(1)?;
    let num = args.count(1, pid.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtNotifySetImportPid(notify, pid.as_mut_ptr().cast(), num) };
    ret.object()
}

fn cnt_notify_create(args: Args<'_>) -> Answer {
    let mut cnt_notify = std::ptr::null_mut();
    let flag = args.u64(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCntNotifyCreate(&raw mut cnt_notify, flag) };
    tuple([cnt_notify.object()?, ret.object()?])
}

fn cnt_notify_destroy(args: Args<'_>) -> Answer {
    let cnt_notify = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCntNotifyDestroy(cnt_notify) };
    ret.object()
}

fn cnt_notify_record(args: Args<'_>) -> Answer {
    let cnt_notify = args.pointer(0)?;
    let stream = args.pointer(1)?;
    let mut info: abi::aclrtCntNotifyRecordInfo = args.structure(2)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtCntNotifyRecord(cnt_notify, stream, &raw mut info) }
    });
    ret.object()
}

fn cnt_notify_wait_with_timeout(args: Args<'_>) -> Answer {
    let cnt_notify = args.pointer(0)?;
    let stream = args.pointer(1)?;
    let mut info: abi::aclrtCntNotifyWaitInfo = args.structure(2)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtCntNotifyWaitWithTimeout(cnt_notify, stream, &raw mut info) }
    });
    ret.object()
}

fn cnt_notify_reset(args: Args<'_>) -> Answer {
    let cnt_notify = args.pointer(0)?;
    let stream = args.pointer(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtCntNotifyReset(cnt_notify, stream) }
    });
    ret.object()
}

fn cnt_notify_get_id(args: Args<'_>) -> Answer {
    let cnt_notify = args.pointer(0)?;
    let mut notify_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCntNotifyGetId(cnt_notify, &raw mut notify_id) };
    tuple([notify_id.object()?, ret.object()?])
}

fn create_stream(_: Args<'_>) -> Answer {
    let mut stream = std::ptr::null_mut();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCreateStream(&raw mut stream) };
    tuple([stream.object()?, ret.object()?])
}

fn create_stream_with_config(args: Args<'_>) -> Answer {
    let mut stream = std::ptr::null_mut();
    let priority = args.u32(0)?;
    let flag = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCreateStreamWithConfig(&raw mut stream, priority, flag) };
    tuple([stream.object()?, ret.object()?])
}

fn synchronize_stream(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtSynchronizeStream(stream) }
    });
    ret.object()
}

fn synchronize_stream_with_timeout(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let timeout = args.i32(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtSynchronizeStreamWithTimeout(stream, timeout) }
    });
    ret.object()
}

fn stream_query(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let mut status = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtStreamQuery(stream, &raw mut status) };
    tuple([status.object()?, ret.object()?])
}

fn stream_get_id(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let mut stream_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtStreamGetId(stream, &raw mut stream_id) };
    tuple([stream_id.object()?, ret.object()?])
}

fn stream_get_priority(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let mut priority = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtStreamGetPriority(stream, &raw mut priority) };
    tuple([priority.object()?, ret.object()?])
}

fn stream_get_flags(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let mut flags = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtStreamGetFlags(stream, &raw mut flags) };
    tuple([flags.object()?, ret.object()?])
}

fn get_stream_available_num(_: Args<'_>) -> Answer {
    let mut stream_count = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetStreamAvailableNum(&raw mut stream_count) };
    tuple([stream_count.object()?, ret.object()?])
}

fn device_get_stream_priority_range(_: Args<'_>) -> Answer {
    let mut least_priority = 0;
    let mut greatest_priority = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclrtDeviceGetStreamPriorityRange(&raw mut least_priority, &raw mut greatest_priority)
    };
    tuple([
        least_priority.object()?,
        greatest_priority.object()?,
        ret.object()?,
    ])
}

fn stream_wait_event(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let event = args.pointer(1)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtStreamWaitEvent(stream, event) }
    });
    ret.object()
}

fn stream_wait_event_with_timeout(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let event = args.pointer(1)?;
    let timeout = args.i32(2)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtStreamWaitEventWithTimeout(stream, event, timeout) }
    });
    ret.object()
}

fn stream_wait_event_with_flag(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let event = args.pointer(1)?;
    let timeout = args.u32(2)?;
    let flag = args.u32(3)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtStreamWaitEventWithFlag(stream, event, timeout, flag) }
    });
    ret.object()
}

fn set_stream_failure_mode(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let mode = args.u64(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSetStreamFailureMode(stream, mode) };
    ret.object()
}

fn stream_stop(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtStreamStop(stream) };
    ret.object()
}

fn create_stream_config_handle(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCreateStreamConfigHandle() };
    ret.object()
}

fn destroy_stream_config_handle(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtDestroyStreamConfigHandle(handle) }
    });
    ret.object()
}

fn create_stream_v2(args: Args<'_>) -> Answer {
    let mut stream = std::ptr::null_mut();
    let handle = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtCreateStreamV2(&raw mut stream, handle) };
    tuple([stream.object()?, ret.object()?])
}

fn active_stream(args: Args<'_>) -> Answer {
    let active_stream = args.pointer(0)?;
    let stream = args.pointer(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtActiveStream(active_stream, stream) };
    ret.object()
}

fn switch_stream(args: Args<'_>) -> Answer {
    let left_value = args.pointer(0)?;
    let cond = args.i32(1)?;
    let right_value = args.pointer(2)?;
    let data_type = args.i32(3)?;
    let true_stream = args.pointer(4)?;
    let false_stream = args.pointer(5)?;
    let stream = args.pointer(6)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclrtSwitchStream(
            left_value,
            cond,
            right_value,
            data_type,
            true_stream,
            false_stream,
            stream,
        )
    };
    ret.object()
}

fn get_thread_last_task_id(_: Args<'_>) -> Answer {
    let mut task_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetThreadLastTaskId(&raw mut task_id) };
    tuple([task_id.object()?, ret.object()?])
}

fn set_stream_overflow_switch(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let flag = args.u32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtSetStreamOverflowSwitch(stream, flag) };
    ret.object()
}

fn get_stream_overflow_switch(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    let mut flag = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtGetStreamOverflowSwitch(stream, &raw mut flag) };
    tuple([flag.object()?, ret.object()?])
}

fn persistent_task_clean(args: Args<'_>) -> Answer {
    let stream = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtPersistentTaskClean(stream) };
    ret.object()
}

fn reserve_mem_address(args: Args<'_>) -> Answer {
    let mut vir_ptr = std::ptr::null_mut();
    let size = args.usize(0)?;
    let alignment = args.usize(1)?;
    let expect_ptr = args.pointer(2)?;
    let flags = args.u64(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret =
        unsafe { c::aclrtReserveMemAddress(&raw mut vir_ptr, size, alignment, expect_ptr, flags) };
    tuple([vir_ptr.object()?, ret.object()?])
}

fn reserve_mem_address_no_uc_memory(args: Args<'_>) -> Answer {
    let mut vir_ptr = std::ptr::null_mut();
    let size = args.usize(0)?;
    let alignment = args.usize(1)?;
    let expect_ptr = args.pointer(2)?;
    let flags = args.u64(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclrtReserveMemAddressNoUCMemory(&raw mut vir_ptr, size, alignment, expect_ptr, flags)
    };
    tuple([vir_ptr.object()?, ret.object()?])
}

fn release_mem_address(args: Args<'_>) -> Answer {
    let vir_ptr = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtReleaseMemAddress(vir_ptr) }
    });
    ret.object()
}

fn malloc_physical(args: Args<'_>) -> Answer {
    let mut handle = std::ptr::null_mut();
    let size = args.usize(0)?;
    let prop: abi::aclrtPhysicalMemProp = args.structure(1)?;
    let flags = args.u64(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMallocPhysical(&raw mut handle, size, &raw const prop, flags) };
    tuple([handle.object()?, ret.object()?])
}

fn free_physical(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtFreePhysical(handle) }
    });
    ret.object()
}

fn mem_get_allocation_granularity(args: Args<'_>) -> Answer {
    let mut prop: abi::aclrtPhysicalMemProp = args.structure(0)?;
    let option = args.i32(1)?;
    let mut granularity = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret =
        unsafe { c::aclrtMemGetAllocationGranularity(&raw mut prop, option, &raw mut granularity) };
    tuple([granularity.object()?, ret.object()?])
}

fn mem_retain_allocation_handle(args: Args<'_>) -> Answer {
    let vir_ptr = args.pointer(0)?;
    let mut handle = std::ptr::null_mut();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemRetainAllocationHandle(vir_ptr, &raw mut handle) };
    tuple([handle.object()?, ret.object()?])
}

fn mem_get_allocation_properties_from_handle(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    let mut prop: abi::aclrtPhysicalMemProp = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemGetAllocationPropertiesFromHandle(handle, &raw mut prop) };
    tuple([prop.dict()?, ret.object()?])
}

fn map_mem(args: Args<'_>) -> Answer {
    let vir_ptr = args.pointer(0)?;
    let size = args.usize(1)?;
    let offset = args.usize(2)?;
    let handle = args.pointer(3)?;
    let flags = args.u64(4)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtMapMem(vir_ptr, size, offset, handle, flags) }
    });
    ret.object()
}

fn mem_map_no_access(args: Args<'_>) -> Answer {
    let vir_ptr = args.pointer(0)?;
    let size = args.usize(1)?;
    let offset = args.usize(2)?;
    let handle = args.pointer(3)?;
    let flags = args.u64(4)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemMapNoAccess(vir_ptr, size, offset, handle, flags) };
    ret.object()
}

fn unmap_mem(args: Args<'_>) -> Answer {
    let vir_ptr = args.pointer(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclrtUnmapMem(vir_ptr) }
    });
    ret.object()
}

fn mem_set_access(args: Args<'_>) -> Answer {
    let vir_ptr = args.pointer(0)?;
    let size = args.usize(1)?;
    let mut desc: Vec<Element<abi::aclrtMemAccessDesc>> = args.list(2)?;
    let count = args.count(2, desc.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemSetAccess(vir_ptr, size, desc.as_mut_ptr().cast(), count) };
    ret.object()
}

fn mem_get_access(args: Args<'_>) -> Answer {
    let vir_ptr = args.pointer(0)?;
    let mut location: abi::aclrtMemLocation = args.structure(1)?;
    let mut flag = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemGetAccess(vir_ptr, &raw mut location, &raw mut flag) };
    tuple([flag.object()?, ret.object()?])
}

fn mem_get_address_range(args: Args<'_>) -> Answer {
    let ptr = args.pointer(0)?;
    let mut pbase = std::ptr::null_mut();
    let mut psize = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemGetAddressRange(ptr, &raw mut pbase, &raw mut psize) };
    tuple([pbase.object()?, psize.object()?, ret.object()?])
}

fn mem_export_to_shareable_handle(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    let handle_type = args.i32(1)?;
    let flags = args.u64(2)?;
    let mut shareable_handle = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclrtMemExportToShareableHandle(handle, handle_type, flags, &raw mut shareable_handle)
    };
    tuple([shareable_handle.object()?, ret.object()?])
}

fn mem_import_from_shareable_handle(args: Args<'_>) -> Answer {
    let shareable_handle = args.u64(0)?;
    let device_id = args.i32(1)?;
    let mut handle = std::ptr::null_mut();
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe {
            c::aclrtMemImportFromShareableHandle(shareable_handle, device_id, &raw mut handle)
        }
    });
    tuple([handle.object()?, ret.object()?])
}

fn mem_set_pid_to_shareable_handle(args: Args<'_>) -> Answer {
    let shareable_handle = args.u64(0)?;
    let mut pid: Vec<i32> = args.list(1)?;
    let pid_num = args.count(1, pid.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclrtMemSetPidToShareableHandle(shareable_handle, pid.as_mut_ptr().cast(), pid_num)
    };
    ret.object()
}

fn device_get_bare_tgid(_: Args<'_>) -> Answer {
    let mut pid = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtDeviceGetBareTgid(&raw mut pid) };
    tuple([pid.object()?, ret.object()?])
}

fn mem_p2p_map(args: Args<'_>) -> Answer {
    let dev_ptr = args.pointer(0)?;
    let size = args.usize(1)?;
    let dst_dev_id = args.i32(2)?;
    let flags = args.u64(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemP2PMap(dev_ptr, size, dst_dev_id, flags) };
    ret.object()
}

fn mem_map_selected_link(args: Args<'_>) -> Answer {
    let vir_ptr_dst = args.pointer(0)?;
    let size = args.usize(1)?;
    let vir_ptr_src = args.pointer(2)?;
    let link_idx = args.u32(3)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemMapSelectedLink(vir_ptr_dst, size, vir_ptr_src, link_idx) };
    ret.object()
}

fn mem_map_set_link(args: Args<'_>) -> Answer {
    let handle = args.pointer(0)?;
    let advice_link = args.i32(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclrtMemMapSetLink(handle, advice_link) };
    ret.object()
}
