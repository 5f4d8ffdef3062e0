//! `mstx/ms_tools_ext.h`: domains, with their marks and ranges.
#![expect(
    unsafe_code,
    reason = "exported C symbols; what pointers point to is read through the kernel"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::c_char;

use millpond_abi as abi;
use millpond_stacks::probe;

use super::listen;
use super::marks::message_of;
use super::slots::Tool;
use super::state::{MAX_NAME, word};
use crate::handles;

#[inline(always)]
pub(super) extern "C" fn create(name: *const c_char) -> abi::mstxDomainHandle_t {
    let handle = listen::with("mstxDomainCreateA", 0, |call| {
        let words = call.ask(|tool, _| tool.domain_create(name));
        // One byte more than a name may have shows that it is too long.
        let Some(text) = probe::read_text(name, MAX_NAME + 1) else {
            return 0;
        };
        let text = String::from_utf8_lossy(&text);
        call.update(|state, notes| state.create_domain(&text, words, notes))
    });
    handles::pointer(handle).cast()
}

#[inline(always)]
pub(super) extern "C" fn destroy(domain: abi::mstxDomainHandle_t) {
    let domain = handles::word(domain.cast());
    listen::with("mstxDomainDestroy", (), |call| {
        call.for_each_tool(
            |state, position| state.domain_word(domain, position),
            Tool::domain_destroy,
        );
        call.update(|state, notes| state.destroy_domain(domain, notes));
    });
}

#[inline(always)]
pub(super) extern "C" fn mark(
    domain: abi::mstxDomainHandle_t,
    message: *const c_char,
    stream: abi::aclrtStream,
) {
    let domain = handles::word(domain.cast());
    listen::with("mstxDomainMarkA", (), |call| {
        call.for_each_tool(
            |state, position| state.domain_word(domain, position),
            |tool, word| tool.domain_mark(word, message, stream),
        );
        if let Some((text, stream)) = message_of(call, message, stream) {
            call.update(|state, notes| state.mark(domain, text, stream, notes));
        }
    });
}

#[inline(always)]
pub(super) extern "C" fn range_start(
    domain: abi::mstxDomainHandle_t,
    message: *const c_char,
    stream: abi::aclrtStream,
) -> u64 {
    let domain = handles::word(domain.cast());
    listen::with("mstxDomainRangeStartA", 0, |call| {
        let words = call.ask(|tool, position| {
            let word = listen::with_state(|state| state.domain_word(domain, position));
            tool.domain_range_start(word, message, stream)
        });
        let (text, stream) = message_of(call, message, stream).unwrap_or_default();
        call.update(|state, notes| state.start_range(domain, text, stream, words, notes))
    })
}

#[inline(always)]
pub(super) extern "C" fn range_end(domain: abi::mstxDomainHandle_t, id: u64) {
    let domain = handles::word(domain.cast());
    listen::with("mstxDomainRangeEnd", (), |call| {
        let words = call.update(|state, notes| state.end_range(id, notes));
        for (position, tool) in call.tools.iter().enumerate() {
            let id = words.as_ref().map_or(id, |words| word(words, position));
            let domain = listen::with_state(|state| state.domain_word(domain, position));
            tool.domain_range_end(domain, id);
        }
    });
}

/// Creates a domain, or finds the one of this name.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxDomainCreateA(name: *const c_char) -> abi::mstxDomainHandle_t {
    create(name)
}
const _: abi::mstxDomainCreateAFn = mstxDomainCreateA;

/// Ends a domain.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxDomainDestroy(domain: abi::mstxDomainHandle_t) {
    destroy(domain);
}
const _: abi::mstxDomainDestroyFn = mstxDomainDestroy;

/// Sets a mark in a domain.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxDomainMarkA(
    domain: abi::mstxDomainHandle_t,
    message: *const c_char,
    stream: abi::aclrtStream,
) {
    mark(domain, message, stream);
}
const _: abi::mstxDomainMarkAFn = mstxDomainMarkA;

/// Begins a range of a domain.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxDomainRangeStartA(
    domain: abi::mstxDomainHandle_t,
    message: *const c_char,
    stream: abi::aclrtStream,
) -> abi::mstxRangeId {
    range_start(domain, message, stream)
}
const _: abi::mstxDomainRangeStartAFn = mstxDomainRangeStartA;

/// Ends a range of a domain.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mstxDomainRangeEnd(
    domain: abi::mstxDomainHandle_t,
    id: abi::mstxRangeId,
) {
    range_end(domain, id);
}
const _: abi::mstxDomainRangeEndFn = mstxDomainRangeEnd;
