//! The checker and faults, for the package `millpond`.
#![expect(unsafe_code, reason = "calls C functions")]

use millpond_abi as abi;

use crate::arguments::{Args, pointer_to};
use crate::bindings::c;
use crate::gil;
use crate::object::{Answer, ToObject, text_or_none, tuple};
use crate::structs::dict;

pub(crate) fn millpond_check_begin(args: Args<'_>) -> Answer {
    let rules = args.text_or_none(0)?;
    let suppressions = args.text_or_none(1)?;
    let options = abi::millpondCheckOptions {
        structSize: size_of::<abi::millpondCheckOptions>(),
        rules: pointer_to(rules.as_ref()),
        suppressions: pointer_to(suppressions.as_ref()),
        stacks: args.u32(2)?,
        ignoresLeaks: u32::from(args.bool(3)?),
        prints: u32::from(args.bool(4)?),
    };
    let ret = gil::detach(|| {
        // SAFETY: the options and their texts live until the call returns.
        unsafe { c::millpondCheckBegin(&raw const options) }
    });
    ret.object()
}

pub(crate) fn millpond_check_get(args: Args<'_>) -> Answer {
    let index = args.usize(0)?;
    let mut finding = abi::millpondCheckFinding {
        structSize: size_of::<abi::millpondCheckFinding>(),
        rule: std::ptr::null(),
        message: std::ptr::null(),
        text: std::ptr::null(),
        call: std::ptr::null(),
        function: std::ptr::null(),
        file: std::ptr::null(),
        line: 0,
        severity: 0,
        times: 0,
    };
    // SAFETY: the place lives until the call returns.
    let ret = unsafe { c::millpondCheckGet(index, &raw mut finding) };
    let found = dict([
        (c"rule", text_or_none(finding.rule)),
        (c"severity", finding.severity.object()),
        (c"message", text_or_none(finding.message)),
        (c"text", text_or_none(finding.text)),
        (c"call", text_or_none(finding.call)),
        (c"function", text_or_none(finding.function)),
        (c"file", text_or_none(finding.file)),
        (c"line", finding.line.object()),
        (c"times", finding.times.object()),
    ])?;
    tuple([found, ret.object()?])
}
