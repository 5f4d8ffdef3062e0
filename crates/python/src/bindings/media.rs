//! The functions of `media`.
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

pub(crate) static METHODS: Methods<3> = Methods([
row(c"dvpp_malloc", method!("media.dvpp_malloc" ("size") least 1, dvpp_malloc), c"dvpp_malloc(size, /)\n--\n\ndev_ptr, ret = acl.media.dvpp_malloc(size)\n\nDevice memory whose start is a multiple of 128 bytes.\n\nNote: the same memory as aclrtMalloc: every block starts at a multiple of 512.\n\nC: acldvppMalloc"),
row(c"dvpp_free", method!("media.dvpp_free" ("dev_ptr") least 1, dvpp_free), c"dvpp_free(dev_ptr, /)\n--\n\nret = acl.media.dvpp_free(dev_ptr)\n\nDevice memory whose start is a multiple of 128 bytes.\n\nC: acldvppFree"),
END,
]);

fn dvpp_malloc(args: Args<'_>) -> Answer {
    let mut dev_ptr = std::ptr::null_mut();
    let size = args.usize(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppMalloc(&raw mut dev_ptr, size) };
    tuple([dev_ptr.object()?, ret.object()?])
}

fn dvpp_free(args: Args<'_>) -> Answer {
    let dev_ptr = args.pointer(0)?;
    // SAFETY: what is passed lives until the call returns; addresses are the script's own affair.
    let ret = unsafe { c::acldvppFree(dev_ptr) };
    ret.object()
}
