//! `mstx/ms_tools_ext.h`: marks, ranges, and which tool listens.
//!
//! The work is in functions that are not exported: a program that has functions of the same names
//! must not come between ours and what `inject` passes out. They are inlined into the exported ones, so
//! that each finds its own caller.
#![expect(
    unsafe_code,
    reason = "exported C symbols; what pointers point to is read through the kernel"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_char;

use millpond_abi as abi;
use millpond_stacks::probe;
use millpond_trace::StreamRef;

use super::listen::{self, Call};
use super::state::word;
use crate::handles;

/// Longer messages are cut: the documentation allows 156 bytes, tools in use up to 255.
const MAX_MESSAGE: usize = 1023;

/// The message and stream of a mark or a range; empty if our listener does not receive it. `None` if it cannot be read.
pub(super) fn message_of(
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
        if let Some((text, stream)) = message_of(call, message, stream) {
            call.update(|state, notes| state.mark(0, text, stream, notes));
        }
    });
}

#[inline(always)]
pub(super) extern "C" fn range_start(message: *const c_char, stream: abi::aclrtStream) -> u64 {
    listen::with("mstxRangeStartA", 0, |call| {
        let words = call.ask(|tool, _| tool.range_start(message, stream));
        let (text, stream) = message_of(call, message, stream).unwrap_or_default();
        call.update(|state, notes| state.start_range(0, text, stream, words, notes))
    })
}

#[inline(always)]
pub(super) extern "C" fn range_end(id: u64) {
    listen::with("mstxRangeEnd", (), |call| {
        let words = call.update(|state, notes| state.end_range(id, notes));
        for (position, tool) in call.tools.iter().enumerate() {
            // A range that began before we listened is passed on unchanged.
            tool.range_end(words.as_ref().map_or(id, |words| word(words, position)));
        }
    });
}

#[inline(always)]
pub(super) extern "C" fn get_tool_id(id: *mut u64) {
    if id.is_null() {
        return;
    }
    let tool = listen::with("mstxGetToolId", 0, |call| {
        // Programs that know this number register their pools, which the checker needs.
        if listen::checking() {
            return abi::MSTX_TOOL_MSSANITIZER_ID;
        }
        let mut ids = call.tools.iter().map(|tool| tool.tool_id());
        ids.find(|&id| id != 0).unwrap_or(0)
    });
    // If it cannot be written it stays as it is: the function has no way to return an error.
    // SAFETY: the variable that the program has passed for this.
    unsafe { probe::write_array(id, &[tool]) };
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

/// Returns the number of the tool that is attached.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxGetToolId(id: *mut u64) {
    get_tool_id(id);
}
const _: abi::mstxGetToolIdFn = mstxGetToolId;
