//! The functions of `prof`.
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

pub(crate) static METHODS: Methods<21> = Methods([
row(c"init", method!("prof.init" ("profiler_result_path") least 1, init), c"init(profiler_result_path, /)\n--\n\nret = acl.prof.init(profiler_result_path)\n\nThe folder that profiles are written to, by its absolute path and the length of that without the\nfinal NUL.\n\nNote: the path may be relative; the folder is created.\n\nC: aclprofInit"),
row(c"finalize", method!("prof.finalize" () least 0, finalize), c"finalize()\n--\n\nret = acl.prof.finalize()\n\nEnds profiling; profiles that still run are stopped.\n\nC: aclprofFinalize"),
row(c"create_config", method!("prof.create_config" ("device_id_list", "aicore_metrics", "aicore_events", "data_type_config") least 4, create_config), c"create_config(device_id_list, aicore_metrics, aicore_events, data_type_config, /)\n--\n\nvalue = acl.prof.create_config(device_id_list, aicore_metrics, aicore_events, data_type_config)\n\nWhat to collect on which devices; NULL if an argument is wrong. aicoreEvents must be NULL.\n\nNote: bits for hardware counters are accepted and collect nothing.\n\nC: aclprofCreateConfig"),
row(c"destroy_config", method!("prof.destroy_config" ("profiler_config") least 1, destroy_config), c"destroy_config(profiler_config, /)\n--\n\nret = acl.prof.destroy_config(profiler_config)\n\nDestroys a configuration that is not in use.\n\nC: aclprofDestroyConfig"),
row(c"set_config", method!("prof.set_config" ("config_type", "config") least 2, set_config), c"set_config(config_type, config, /)\n--\n\nret = acl.prof.set_config(config_type, config)\n\nSets an option for the profiles that are started after it.\n\nNote: ACL_PROF_STORAGE_LIMIT and ACL_PROF_SYS_HARDWARE_MEM_FREQ; the others, which only hardware\nor the system knows, return 200007.\n\nC: aclprofSetConfig"),
row(c"warmup", method!("prof.warmup" ("profiler_config") least 1, warmup), c"warmup(profiler_config, /)\n--\n\nret = acl.prof.warmup(profiler_config)\n\nCreates the folder of a profile in advance, so that starting it is quick.\n\nC: aclprofWarmup"),
row(c"start", method!("prof.start" ("profiler_config") least 1, start), c"start(profiler_config, /)\n--\n\nret = acl.prof.start(profiler_config)\n\nStarts collecting. A device can be in one running profile only.\n\nC: aclprofStart"),
row(c"stop", method!("prof.stop" ("profiler_config") least 1, stop), c"stop(profiler_config, /)\n--\n\nret = acl.prof.stop(profiler_config)\n\nStops collecting, and writes what was collected. Work that has not ended by then is absent:\nsynchronise first.\n\nC: aclprofStop"),
row(c"create_step_info", method!("prof.create_step_info" () least 0, create_step_info), c"create_step_info()\n--\n\nvalue = acl.prof.create_step_info()\n\nSteps: each end of a step is set once, in the order of a stream.\n\nC: aclprofCreateStepInfo"),
row(c"destroy_step_info", method!("prof.destroy_step_info" ("stepinfo") least 1, destroy_step_info), c"destroy_step_info(stepinfo, /)\n--\n\nacl.prof.destroy_step_info(stepinfo)\n\nSteps: each end of a step is set once, in the order of a stream.\n\nC: aclprofDestroyStepInfo"),
row(c"get_step_timestamp", method!("prof.get_step_timestamp" ("step_info", "tag", "stream") least 3, get_step_timestamp), c"get_step_timestamp(step_info, tag, stream, /)\n--\n\nret = acl.prof.get_step_timestamp(step_info, tag, stream)\n\nSteps: each end of a step is set once, in the order of a stream.\n\nC: aclprofGetStepTimestamp"),
row(c"create_stamp", method!("prof.create_stamp" () least 0, create_stamp), c"create_stamp()\n--\n\nvalue = acl.prof.create_stamp()\n\nStamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop\nmay be on two.\n\nC: aclprofCreateStamp"),
row(c"destroy_stamp", method!("prof.destroy_stamp" ("stamp") least 1, destroy_stamp), c"destroy_stamp(stamp, /)\n--\n\nacl.prof.destroy_stamp(stamp)\n\nStamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop\nmay be on two.\n\nC: aclprofDestroyStamp"),
row(c"set_stamp_trace_message", method!("prof.set_stamp_trace_message" ("stamp", "msg") least 2, set_stamp_trace_message), c"set_stamp_trace_message(stamp, msg, /)\n--\n\nret = acl.prof.set_stamp_trace_message(stamp, msg)\n\nStamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop\nmay be on two.\n\nC: aclprofSetStampTraceMessage"),
row(c"mark", method!("prof.mark" ("stamp") least 1, mark), c"mark(stamp, /)\n--\n\nret = acl.prof.mark(stamp)\n\nStamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop\nmay be on two.\n\nC: aclprofMark"),
row(c"push", method!("prof.push" ("stamp") least 1, push), c"push(stamp, /)\n--\n\nret = acl.prof.push(stamp)\n\nStamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop\nmay be on two.\n\nC: aclprofPush"),
row(c"pop", method!("prof.pop" () least 0, pop), c"pop()\n--\n\nret = acl.prof.pop()\n\nStamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop\nmay be on two.\n\nC: aclprofPop"),
row(c"range_start", method!("prof.range_start" ("stamp") least 1, range_start), c"range_start(stamp, /)\n--\n\nrange_id, ret = acl.prof.range_start(stamp)\n\nStamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop\nmay be on two.\n\nC: aclprofRangeStart"),
row(c"range_stop", method!("prof.range_stop" ("range_id") least 1, range_stop), c"range_stop(range_id, /)\n--\n\nret = acl.prof.range_stop(range_id)\n\nStamps: marks and ranges with a text. Push and Pop nest on one thread; RangeStart and RangeStop\nmay be on two.\n\nC: aclprofRangeStop"),
row(c"mark_ex", method!("prof.mark_ex" ("msg", "stream") least 2, mark_ex), c"mark_ex(msg, stream, /)\n--\n\nret = acl.prof.mark_ex(msg, stream)\n\nA mark with a text in the order of a stream.\n\nC: aclprofMarkEx"),
END,
]);

fn init(args: Args<'_>) -> Answer {
    let profiler_result_path = args.text(0)?;
    let profiler_result_path_text = profiler_result_path.as_ptr();
    let length = args.count(0, profiler_result_path.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofInit(profiler_result_path_text, length) };
    ret.object()
}

fn finalize(_: Args<'_>) -> Answer {
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclprofFinalize() }
    });
    ret.object()
}

fn create_config(args: Args<'_>) -> Answer {
    let mut device_id_list: Vec<u32> = args.list(0)?;
    let aicore_metrics = args.i32(1)?;
    let aicore_events = args.constant(2)?;
    let data_type_config = args.u64(3)?;
    let device_nums = args.count(0, device_id_list.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe {
        c::aclprofCreateConfig(
            device_id_list.as_mut_ptr().cast(),
            device_nums,
            aicore_metrics,
            aicore_events,
            data_type_config,
        )
    };
    ret.object()
}

fn destroy_config(args: Args<'_>) -> Answer {
    let profiler_config = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofDestroyConfig(profiler_config) };
    ret.object()
}

fn set_config(args: Args<'_>) -> Answer {
    let config_type = args.i32(0)?;
    let config = args.text(1)?;
    let config_text = config.as_ptr();
    let config_length = args.count(1, config.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofSetConfig(config_type, config_text, config_length) };
    ret.object()
}

fn warmup(args: Args<'_>) -> Answer {
    let profiler_config = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofWarmup(profiler_config) };
    ret.object()
}

fn start(args: Args<'_>) -> Answer {
    let profiler_config = args.constant(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofStart(profiler_config) };
    ret.object()
}

fn stop(args: Args<'_>) -> Answer {
    let profiler_config = args.constant(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::aclprofStop(profiler_config) }
    });
    ret.object()
}

fn create_step_info(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofCreateStepInfo() };
    ret.object()
}

fn destroy_step_info(args: Args<'_>) -> Answer {
    let stepinfo = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    unsafe { c::aclprofDestroyStepInfo(stepinfo) };
    Owned::none()
}

fn get_step_timestamp(args: Args<'_>) -> Answer {
    let step_info = args.pointer(0)?;
    let tag = args.i32(1)?;
    let stream = args.pointer(2)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofGetStepTimestamp(step_info, tag, stream) };
    ret.object()
}

fn create_stamp(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofCreateStamp() };
    ret.object()
}

fn destroy_stamp(args: Args<'_>) -> Answer {
    let stamp = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    unsafe { c::aclprofDestroyStamp(stamp) };
    Owned::none()
}

fn set_stamp_trace_message(args: Args<'_>) -> Answer {
    let stamp = args.pointer(0)?;
    let msg = args.text(1)?;
    let msg_text = msg.as_ptr();
    let msg_len = args.count(1, msg.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofSetStampTraceMessage(stamp, msg_text, msg_len) };
    ret.object()
}

fn mark(args: Args<'_>) -> Answer {
    let stamp = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofMark(stamp) };
    ret.object()
}

fn push(args: Args<'_>) -> Answer {
    let stamp = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofPush(stamp) };
    ret.object()
}

fn pop(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofPop() };
    ret.object()
}

fn range_start(args: Args<'_>) -> Answer {
    let stamp = args.pointer(0)?;
    let mut range_id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofRangeStart(stamp, &raw mut range_id) };
    tuple([range_id.object()?, ret.object()?])
}

fn range_stop(args: Args<'_>) -> Answer {
    let range_id = args.u32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofRangeStop(range_id) };
    ret.object()
}

fn mark_ex(args: Args<'_>) -> Answer {
    let msg = args.text(0)?;
    let msg_text = msg.as_ptr();
    let stream = args.pointer(1)?;
    let msg_len = args.count(0, msg.len())?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::aclprofMarkEx(msg_text, msg_len, stream) };
    ret.object()
}
