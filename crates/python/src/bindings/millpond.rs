//! The functions of `millpond`.
//!
//! Generated from `functions.tsv` and the headers by `cargo xtask generate`: change the table, not this file.
#![expect(unsafe_code, reason = "calls C functions")]

use std::ffi::{c_char, c_void};

use millpond_abi as abi;

use super::c;
use crate::arguments::{Args, Text, Truth, pointer_to};
use crate::gil;
use crate::methods::{END, Methods, method, row};
use crate::object::{Answer, Owned, ToObject, text_in, text_or_none, tuple};
use crate::structs::{Element, Struct, zeroed};

pub(crate) static METHODS: Methods<11> = Methods([
row(c"version", method!("millpond.version" () least 0, version), c"version()\n--\n\nVersion of the runtime, such as \"0.1.0\". The text lives as long as the process.\n\nC: millpondVersion"),
row(c"mem_trim", method!("millpond.mem_trim" () least 0, mem_trim), c"mem_trim()\n--\n\nReturns the idle pages of the current device, and of pinned host memory, to the operating system. bytesReturned receives how many bytes that were, and may be NULL. Pages that stay idle for long go back by themselves; this is for programs that know better.\n\nC: millpondMemTrim"),
row(c"record_use", method!("millpond.record_use" ("ptr", "stream") least 2, record_use), c"record_use(ptr, stream, /)\n--\n\nWork of stream that the runtime cannot see uses the device memory at ptr, up to what is in the stream now. After it is freed the memory is not handed out again before that has passed, as if a copy of the stream had named it. The stream may be NULL: the default one.\n\nC: millpondRecordUse"),
row(c"mem_get_statistics", method!("millpond.mem_get_statistics" ("pool") least 1, mem_get_statistics), c"mem_get_statistics(pool, /)\n--\n\nNumbers of a pool, or with NULL of the current device's own memory.\n\nC: millpondMemGetStatistics"),
row(c"mem_get_stream_statistics", method!("millpond.mem_get_stream_statistics" ("pool", "part") least 2, mem_get_stream_statistics), c"mem_get_stream_statistics(pool, part, /)\n--\n\nNumbers of a pool, or with NULL of the current device's own memory.\n\nC: millpondMemGetStreamStatistics"),
row(c"nothing", method!("millpond.nothing" () least 0, crate::hand::millpond_nothing), c"nothing()\n--\n\nDoes nothing: what a call of this extension costs at least."),
row(c"close", method!("millpond.close" () least 0, crate::hand::millpond_close), c"close()\n--\n\nLets no callback into the interpreter any more, and waits for those inside. Called when it ends."),
row(c"forked", method!("millpond.forked" () least 0, crate::hand::millpond_forked), c"forked()\n--\n\nForgets the threads that a fork did not copy."),
row(c"bytes_address", method!("millpond.bytes_address" ("data") least 1, crate::hand::millpond_bytes_address), c"bytes_address(data, /)\n--\n\nThe address of the contents of bytes or a bytearray."),
row(c"bytes_at", method!("millpond.bytes_at" ("ptr", "size") least 2, crate::hand::millpond_bytes_at), c"bytes_at(ptr, size, /)\n--\n\nA copy of memory of the host."),
END,
]);

fn version(_: Args<'_>) -> Answer {
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::millpondVersion() };
    text_or_none(ret)
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
