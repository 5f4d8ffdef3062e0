//! `mstx/ms_tools_ext.h`: marks, ranges, and which tool listens.
//!
//! The work is in functions that are not exported: a program that has functions of the same names
//! must not come between ours and what `inject` hands out. They are compiled into the exported ones, so
//! that the way back to the caller is the same in each.
#![expect(
    unsafe_code,
    reason = "exported C symbols; what pointers point to is read through the kernel"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_char;

use millpond::trace::StreamRef;
use millpond_abi as abi;

use super::books::word;
use super::listen::{self, Call};
use super::probe;
use crate::handles;

/// Longer messages are cut: the documentation allows 156 bytes, tools in use up to 255.
const MAX_MESSAGE: usize = 1023;

/// What a mark or a range says, and for which stream, if we hear it. `None` if it cannot be read.
pub(super) fn said(
    call: &Call,
    message: *const c_char,
    stream: abi::aclrtStream,
) -> Option<(String, Option<StreamRef>)> {
    if !call.heard() {
        return Some(Default::default());
    }
    let text = probe::read_text(message, MAX_MESSAGE)?;
    let stream = handles::stream(stream, "stream").ok();
    Some((
        String::from_utf8_lossy(&text).into_owned(),
        stream.map(|entry| entry.stream.id()),
    ))
}

#[inline(always)]
pub(super) extern "C" fn mark(message: *const c_char, stream: abi::aclrtStream) {
    listen::with("mstxMarkA", (), |call| {
        for tool in call.tools {
            tool.mark(message, stream);
        }
        if let Some((text, stream)) = said(call, message, stream) {
            call.keep(|books, notes| books.mark(0, text, stream, notes));
        }
    });
}

#[inline(always)]
pub(super) extern "C" fn range_start(message: *const c_char, stream: abi::aclrtStream) -> u64 {
    listen::with("mstxRangeStartA", 0, |call| {
        let words = call.ask(|tool, _| tool.range_start(message, stream));
        let (text, stream) = said(call, message, stream).unwrap_or_default();
        call.keep(|books, notes| books.start_range(0, text, stream, words, notes))
    })
}

#[inline(always)]
pub(super) extern "C" fn range_end(id: u64) {
    listen::with("mstxRangeEnd", (), |call| {
        let words = call.keep(|books, notes| books.end_range(id, notes));
        for (place, tool) in call.tools.iter().enumerate() {
            // What was begun before anybody listened here is handed on as it is.
            tool.range_end(words.as_ref().map_or(id, |words| word(words, place)));
        }
    });
}

#[inline(always)]
pub(super) extern "C" fn get_tool_id(id: *mut u64) {
    if id.is_null() {
        return;
    }
    let answer = listen::with("mstxGetToolId", 0, |call| {
        // Programs that know this number register their pools, which is what a checker wants.
        if listen::checking() {
            return abi::MSTX_TOOL_MSSANITIZER_ID;
        }
        let mut answers = call.tools.iter().map(|tool| tool.tool_id());
        answers.find(|&id| id != 0).unwrap_or(0)
    });
    // A place that cannot be written stays as it is: there is nobody to tell.
    probe::write_array(id, &[answer]);
}

/// Sets a mark.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxMarkA(message: *const c_char, stream: abi::aclrtStream) {
    mark(message, stream);
}
const _: abi::mstxMarkAFn = mstxMarkA;

/// Begins a range.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxRangeStartA(
    message: *const c_char,
    stream: abi::aclrtStream,
) -> abi::mstxRangeId {
    range_start(message, stream)
}
const _: abi::mstxRangeStartAFn = mstxRangeStartA;

/// Ends a range.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxRangeEnd(id: abi::mstxRangeId) {
    range_end(id);
}
const _: abi::mstxRangeEndFn = mstxRangeEnd;

/// Tells which tool listens.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxGetToolId(id: *mut u64) {
    get_tool_id(id);
}
const _: abi::mstxGetToolIdFn = mstxGetToolId;
