//! The functions of `millpond`.
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

pub(crate) static METHODS: Methods<35> = Methods([
row(c"version", method!("millpond.version" () least 0, version), c"version()\n--\n\nvalue = acl.millpond.version()\n\nVersion of the runtime, such as \"0.1.0\". The text lives as long as the process.\n\nC: millpondVersion"),
row(c"operators_gpu", method!("millpond.operators_gpu" () least 0, operators_gpu), c"operators_gpu()\n--\n\ngpu, ret = acl.millpond.operators_gpu()\n\nWrites to gpu the number of the GPU that computes operators by name and models of the current\ndevice. If they are computed on the CPU, the result is ACL_ERROR_RT_FEATURE_NOT_SUPPORT, and\naclGetRecentErrMsg() says why. To find out, a small model is loaded.\n\nC: millpondOperatorsGpu"),
row(c"mem_trim", method!("millpond.mem_trim" () least 0, mem_trim), c"mem_trim()\n--\n\nbytes_returned, ret = acl.millpond.mem_trim()\n\nReturns the idle pages of the current device, and of pinned host memory, to the operating\nsystem. bytesReturned receives the number of bytes, and may be NULL. Pages that stay idle are\nreturned automatically after a while; this is for programs that need them back now.\n\nC: millpondMemTrim"),
row(c"record_use", method!("millpond.record_use" ("ptr", "stream") least 2, record_use), c"record_use(ptr, stream, /)\n--\n\nret = acl.millpond.record_use(ptr, stream)\n\nDeclares that work in the stream, up to its current end, uses the device memory at ptr in a way\nthat the runtime cannot see. When the memory is freed, it is not reused before that work has\nfinished, as for a copy in the stream. The stream may be NULL, which means the default stream.\n\nC: millpondRecordUse"),
row(c"mem_get_statistics", method!("millpond.mem_get_statistics" ("pool") least 1, mem_get_statistics), c"mem_get_statistics(pool, /)\n--\n\nstatistics, ret = acl.millpond.mem_get_statistics(pool)\n\nStatistics of a pool, or with NULL of the current device's memory.\n\nC: millpondMemGetStatistics"),
row(c"mem_get_stream_statistics", method!("millpond.mem_get_stream_statistics" ("pool", "part") least 2, mem_get_stream_statistics), c"mem_get_stream_statistics(pool, part, /)\n--\n\nstatistics, ret = acl.millpond.mem_get_stream_statistics(pool, part)\n\nStatistics of a pool, or with NULL of the current device's memory.\n\nC: millpondMemGetStreamStatistics"),
row(c"nothing", method!("millpond.nothing" () least 0, crate::hand::millpond_nothing), c"nothing()\n--\n\nDoes nothing: measures the cost of a call of this extension."),
row(c"empty", method!("millpond.empty" ("ptr", "code") least 2, crate::hand::millpond_empty), c"empty(ptr, code, /)\n--\n\nReturns its arguments: measures the cost of a call with Python objects."),
row(c"close", method!("millpond.close" () least 0, crate::hand::millpond_close), c"close()\n--\n\nStops callbacks from entering the interpreter, and waits for running ones. Called when the\ninterpreter exits."),
row(c"forked", method!("millpond.forked" () least 0, crate::hand::millpond_forked), c"forked()\n--\n\nDrops the state of threads that a fork did not copy."),
row(c"bytes_address", method!("millpond.bytes_address" ("data") least 1, crate::hand::millpond_bytes_address), c"bytes_address(data, /)\n--\n\nThe address of the contents of bytes or a bytearray."),
row(c"bytes_at", method!("millpond.bytes_at" ("ptr", "size") least 2, crate::hand::millpond_bytes_at), c"bytes_at(ptr, size, /)\n--\n\nA copy of memory of the host."),
row(c"check_begin", method!("millpond.check_begin" ("rules", "suppressions", "stacks", "ignores_leaks", "prints") least 5, crate::hand::millpond_check_begin), c"check_begin(rules, suppressions, stacks, ignores_leaks, prints, /)\n--\n\nStarts to check the process. options may be NULL. Fails if a check is already active.\n\nC: millpondCheckBegin"),
row(c"check_end", method!("millpond.check_end" () least 0, check_end), c"check_end()\n--\n\nret = acl.millpond.check_end()\n\nEnds the check, and checks for leaks as at the end of a program. Findings stay until the next\nbegin.\n\nC: millpondCheckEnd"),
row(c"check_count", method!("millpond.check_count" ("least") least 1, check_count), c"check_count(least, /)\n--\n\ncount, ret = acl.millpond.check_count(least)\n\nThe number of findings of at least this severity, without suppressed ones.\n\nC: millpondCheckCount"),
row(c"check_get", method!("millpond.check_get" ("index") least 1, crate::hand::millpond_check_get), c"check_get(index, /)\n--\n\nOne finding of any severity, counted from 0 in the order in which they were reported.\n\nC: millpondCheckGet"),
row(c"check_report", method!("millpond.check_report" ("format", "path") least 1, check_report), c"check_report(format, path=None, /)\n--\n\nret = acl.millpond.check_report(format, path)\n\nWrites all findings to a file, or with NULL to stderr.\n\nC: millpondCheckReport"),
row(c"set_faults", method!("millpond.set_faults" ("plans") least 0, set_faults), c"set_faults(plans=None, /)\n--\n\nret = acl.millpond.set_faults(plans)\n\nMakes calls fail from now on. The text has the form of the variable MILLPOND_FAULT, whose plans\nit replaces; counting starts again. NULL or an empty text turns this off. An invalid plan is an\nerror and changes nothing.\n\nC: millpondSetFaults"),
row(c"set_frame_provider", method!("millpond.set_frame_provider" () least 0, crate::hand::millpond_set_frame_provider), c"set_frame_provider()\n--\n\nCalls from the library of this provider have the stacks that it returns, in records and\nfindings. It is called on the thread of the call, before anything else, with no lock held, and\nonly while stacks are wanted. It must not call this library. NULL removes the provider.\n\nC: millpondSetFrameProvider"),
row(c"frames_wanted", method!("millpond.frames_wanted" () least 0, frames_wanted), c"frames_wanted()\n--\n\nvalue = acl.millpond.frames_wanted()\n\nHow many frames of each call are wanted; 0 if stacks are not recorded.\n\nC: millpondFramesWanted"),
row(c"fault_add", method!("millpond.fault_add" ("rule") least 1, fault_add), c"fault_add(rule, /)\n--\n\nid, ret = acl.millpond.fault_add(rule)\n\nAdds a rule after the others. id receives its number and may be NULL. An invalid rule is\nACL_ERROR_INVALID_PARAM, and aclGetRecentErrMsg says what is wrong with it.\n\nC: millpondFaultAdd"),
row(c"fault_remove", method!("millpond.fault_remove" ("id") least 1, fault_remove), c"fault_remove(id, /)\n--\n\nret = acl.millpond.fault_remove(id)\n\nRemoves a rule.\n\nC: millpondFaultRemove"),
row(c"fault_clear", method!("millpond.fault_clear" () least 0, fault_clear), c"fault_clear()\n--\n\nret = acl.millpond.fault_clear()\n\nRemoves all rules, those of the environment too. Devices that rules made lost are there again.\n\nC: millpondFaultClear"),
row(c"fault_seen", method!("millpond.fault_seen" ("id") least 1, fault_seen), c"fault_seen(id, /)\n--\n\ncalls, hits, ret = acl.millpond.fault_seen(id)\n\nHow many calls a rule has counted, and how many it has made fail or wait.\n\nC: millpondFaultSeen"),
row(c"calls_begin", method!("millpond.calls_begin" () least 0, calls_begin), c"calls_begin()\n--\n\nret = acl.millpond.calls_begin()\n\nCounts calls from now on, from 0.\n\nC: millpondCallsBegin"),
row(c"calls_end", method!("millpond.calls_end" () least 0, calls_end), c"calls_end()\n--\n\nret = acl.millpond.calls_end()\n\nCounts no more. What was counted stays until the next begin.\n\nC: millpondCallsEnd"),
row(c"calls_get", method!("millpond.calls_get" ("function") least 1, calls_get), c"calls_get(function, /)\n--\n\ncalls, failures, ret = acl.millpond.calls_get(function)\n\nHow often a function was called, and how often it returned an error. The name may have a * in\nit: then it is the sum. Either result may be NULL. A name that no function has is an error.\n\nC: millpondCallsGet"),
row(c"calls_write", method!("millpond.calls_write" ("path") least 0, calls_write), c"calls_write(path=None, /)\n--\n\nret = acl.millpond.calls_write(path)\n\nWrites all counts to a file, or with NULL to stderr, as JSON: {\"aclrtMalloc\": {\"calls\": 3,\n\"failures\": 1}, ...}.\n\nC: millpondCallsWrite"),
row(c"reset", method!("millpond.reset" ("level") least 1, reset), c"reset(level, /)\n--\n\nleft, ret = acl.millpond.reset(level)\n\nBrings the process back to an earlier state. What the program left is destroyed: handles become\nstale, memory is freed, work that has not begun is dropped. left receives the number of things\nthat were left, and may be NULL. The levels that touch the program's things are refused with\nACL_ERROR_FEATURE_UNSUPPORTED where a library of this process would go on using what it holds\n(torch_npu keeps memory and streams as long as it is loaded), and inside functions that streams\nrun. Other threads must not use the library meanwhile.\n\nC: millpondReset"),
row(c"reset_report", method!("millpond.reset_report" ("size") least 1, reset_report), c"reset_report(size, /)\n--\n\ntext, ret = acl.millpond.reset_report(size)\n\nWrites what the last reset found, by kind, as JSON with a terminating 0: {\"stream\": {\"count\": 2,\n\"bytes\": 0}, \"device memory\": {\"count\": 1, \"bytes\": 64}}. Too little room is\nACL_ERROR_INVALID_PARAM.\n\nC: millpondResetReport"),
row(c"time_set_mode", method!("millpond.time_set_mode" ("mode") least 1, time_set_mode), c"time_set_mode(mode, /)\n--\n\nret = acl.millpond.time_set_mode(mode)\n\nChanges how time passes from now on. Waits that have begun are not changed.\n\nC: millpondTimeSetMode"),
row(c"time_get_mode", method!("millpond.time_get_mode" () least 0, time_get_mode), c"time_get_mode()\n--\n\nmode, ret = acl.millpond.time_get_mode()\n\nC: millpondTimeGetMode"),
row(c"time_advance", method!("millpond.time_advance" ("microseconds") least 1, time_advance), c"time_advance(microseconds, /)\n--\n\nret = acl.millpond.time_advance(microseconds)\n\nMoves time forward and stops at each deadline on the way. An error in real time.\n\nC: millpondTimeAdvance"),
row(c"time_now", method!("millpond.time_now" () least 0, time_now), c"time_now()\n--\n\nmicroseconds, ret = acl.millpond.time_now()\n\nThe time, from an arbitrary beginning. It never goes back.\n\nC: millpondTimeNow"),
END,
]);

fn version(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondVersion() };
    text_or_none(ret)
}

fn operators_gpu(_: Args<'_>) -> Answer {
    let mut gpu = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::millpondOperatorsGpu(&raw mut gpu) }
    });
    tuple([gpu.object()?, ret.object()?])
}

fn mem_trim(_: Args<'_>) -> Answer {
    let mut bytes_returned = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::millpondMemTrim(&raw mut bytes_returned) }
    });
    tuple([bytes_returned.object()?, ret.object()?])
}

fn record_use(args: Args<'_>) -> Answer {
    let ptr = args.pointer(0)?;
    let stream = args.pointer(1)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondRecordUse(ptr, stream) };
    ret.object()
}

fn mem_get_statistics(args: Args<'_>) -> Answer {
    let pool = args.pointer(0)?;
    let mut statistics: abi::millpondMemStatistics = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondMemGetStatistics(pool, &raw mut statistics) };
    tuple([statistics.dict()?, ret.object()?])
}

fn mem_get_stream_statistics(args: Args<'_>) -> Answer {
    let pool = args.pointer(0)?;
    let part = args.u64(1)?;
    let mut statistics: abi::millpondStreamStatistics = zeroed();
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondMemGetStreamStatistics(pool, part, &raw mut statistics) };
    tuple([statistics.dict()?, ret.object()?])
}

fn check_end(_: Args<'_>) -> Answer {
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::millpondCheckEnd() }
    });
    ret.object()
}

fn check_count(args: Args<'_>) -> Answer {
    let least = args.i32(0)?;
    let mut count = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondCheckCount(least, &raw mut count) };
    tuple([count.object()?, ret.object()?])
}

fn check_report(args: Args<'_>) -> Answer {
    let format = args.i32(0)?;
    let path = args.text_or_none(1)?;
    let path_text = pointer_to(path.as_ref());
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::millpondCheckReport(format, path_text) }
    });
    ret.object()
}

fn set_faults(args: Args<'_>) -> Answer {
    let plans = args.text_or_none(0)?;
    let plans_text = pointer_to(plans.as_ref());
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondSetFaults(plans_text) };
    ret.object()
}

fn frames_wanted(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondFramesWanted() };
    ret.object()
}

fn fault_add(args: Args<'_>) -> Answer {
    let rule = args.text(0)?;
    let rule_text = rule.as_ptr();
    let mut id = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondFaultAdd(rule_text, &raw mut id) };
    tuple([id.object()?, ret.object()?])
}

fn fault_remove(args: Args<'_>) -> Answer {
    let id = args.u64(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondFaultRemove(id) };
    ret.object()
}

fn fault_clear(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondFaultClear() };
    ret.object()
}

fn fault_seen(args: Args<'_>) -> Answer {
    let id = args.u64(0)?;
    let mut calls = 0;
    let mut hits = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondFaultSeen(id, &raw mut calls, &raw mut hits) };
    tuple([calls.object()?, hits.object()?, ret.object()?])
}

fn calls_begin(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondCallsBegin() };
    ret.object()
}

fn calls_end(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondCallsEnd() };
    ret.object()
}

fn calls_get(args: Args<'_>) -> Answer {
    let function = args.text(0)?;
    let function_text = function.as_ptr();
    let mut calls = 0;
    let mut failures = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondCallsGet(function_text, &raw mut calls, &raw mut failures) };
    tuple([calls.object()?, failures.object()?, ret.object()?])
}

fn calls_write(args: Args<'_>) -> Answer {
    let path = args.text_or_none(0)?;
    let path_text = pointer_to(path.as_ref());
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondCallsWrite(path_text) };
    ret.object()
}

fn reset(args: Args<'_>) -> Answer {
    let level = args.i32(0)?;
    let mut left = 0;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::millpondReset(level, &raw mut left) }
    });
    tuple([left.object()?, ret.object()?])
}

fn reset_report(args: Args<'_>) -> Answer {
    let mut text: Vec<c_char> = args.room(0)?;
    let size = args.usize(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondResetReport(text.as_mut_ptr(), size) };
    tuple([text_in(&text)?, ret.object()?])
}

fn time_set_mode(args: Args<'_>) -> Answer {
    let mode = args.i32(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondTimeSetMode(mode) };
    ret.object()
}

fn time_get_mode(_: Args<'_>) -> Answer {
    let mut mode = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondTimeGetMode(&raw mut mode) };
    tuple([mode.object()?, ret.object()?])
}

fn time_advance(args: Args<'_>) -> Answer {
    let microseconds = args.u64(0)?;
    let ret = gil::detach(|| {
        // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
        unsafe { c::millpondTimeAdvance(microseconds) }
    });
    ret.object()
}

fn time_now(_: Args<'_>) -> Answer {
    let mut microseconds = 0;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondTimeNow(&raw mut microseconds) };
    tuple([microseconds.object()?, ret.object()?])
}
