//! `millpond/check.h`: the checker inside a program.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use millpond_abi as abi;
use millpond_check::Severity;
use millpond_report::ReportFormat;

use crate::boundary::{CallError, bad_value, entry, out, read};
use crate::caller::MOST_FRAMES;
use crate::check::session::{self, Wanted};

/// A text that C points to; `None` for NULL.
///
/// # Safety
/// `text` is null or a NUL-terminated string that stays as it is.
unsafe fn optional<'a>(text: *const c_char) -> Option<&'a [u8]> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not null as just checked; NUL-terminated as the caller promises.
    Some(unsafe { std::ffi::CStr::from_ptr(text) }.to_bytes())
}

/// What the options say.
///
/// # Safety
/// A pointer that is not null points to options as the header has them.
unsafe fn wanted(options: *const abi::millpondCheckOptions) -> Result<Wanted, CallError> {
    if options.is_null() {
        return Ok(Wanted::default());
    }
    // SAFETY: not null; the size is always the first field.
    let size = unsafe { read(options.cast::<usize>(), "options") }?;
    if size != size_of::<abi::millpondCheckOptions>() {
        return bad_value(
            "options->structSize",
            size,
            "it must be sizeof(millpondCheckOptions)",
        );
    }
    // SAFETY: the size says that it is all there.
    let options = unsafe { read(options, "options") }?;
    let stacks = usize::try_from(options.stacks).unwrap_or(usize::MAX);
    if stacks > MOST_FRAMES {
        return bad_value("options->stacks", stacks, "it must be at most 256");
    }
    // SAFETY: the header says that it is NULL or a text.
    let rules = unsafe { optional(options.rules) };
    // SAFETY: as above.
    let suppressions = unsafe { optional(options.suppressions) };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Wanted {
        rules: rules.map(text).unwrap_or_default(),
        suppressions: suppressions.map(text),
        stacks,
        leaks: options.ignoresLeaks == 0,
        prints: options.prints != 0,
    })
}

fn not_begun() -> CallError {
    CallError::coded(
        abi::ACL_ERROR_UNINITIALIZE,
        "no check is active: call millpondCheckBegin first",
    )
}

/// Begins to check what the process does.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondCheckBegin(
    options: *const abi::millpondCheckOptions,
) -> abi::aclError {
    entry("millpondCheckBegin", || {
        // SAFETY: the contract of the header.
        let wanted = unsafe { wanted(options) }?;
        if session::begin(&wanted)? {
            return Ok(());
        }
        Err(CallError::coded(
            abi::ACL_ERROR_REPEAT_INITIALIZE,
            "a check is already active: call millpondCheckEnd first",
        ))
    })
}
const _: abi::millpondCheckBeginFn = millpondCheckBegin;

/// Ends that.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondCheckEnd() -> abi::aclError {
    entry("millpondCheckEnd", || {
        if session::end() {
            return Ok(());
        }
        Err(not_begun())
    })
}
const _: abi::millpondCheckEndFn = millpondCheckEnd;

/// How many findings there are.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondCheckCount(
    least: abi::millpondCheckSeverity,
    count: *mut usize,
) -> abi::aclError {
    entry("millpondCheckCount", || {
        let out = out!(count);
        let least = match least {
            abi::MILLPOND_CHECK_HINT => Severity::Hint,
            abi::MILLPOND_CHECK_WARNING => Severity::Warning,
            abi::MILLPOND_CHECK_ERROR => Severity::Error,
            other => {
                return bad_value(
                    "least",
                    other,
                    "it must be a value of millpondCheckSeverity",
                );
            }
        };
        let report = session::report().ok_or_else(not_begun)?;
        let counted = report
            .findings
            .iter()
            .filter(|finding| finding.severity >= least);
        out.write(counted.count());
        Ok(())
    })
}
const _: abi::millpondCheckCountFn = millpondCheckCount;

/// Answers one finding.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondCheckGet(
    index: usize,
    finding: *mut abi::millpondCheckFinding,
) -> abi::aclError {
    entry("millpondCheckGet", || {
        let size = size_of::<abi::millpondCheckFinding>();
        // SAFETY: the size is always the first field.
        let given = unsafe { read(finding.cast::<usize>().cast_const(), "finding") }?;
        if given != size {
            return bad_value(
                "finding->structSize",
                given,
                "it must be sizeof(millpondCheckFinding)",
            );
        }
        let out = out!(finding);
        if session::report().is_none() {
            return Err(not_begun());
        }
        let found = session::finding(index, |finding, texts| abi::millpondCheckFinding {
            structSize: size,
            rule: texts.rule.as_ptr(),
            message: texts.message.as_ptr(),
            text: texts.text.as_ptr(),
            call: texts.call.as_ptr(),
            function: texts.function.as_ptr(),
            file: texts.file.as_ptr(),
            line: texts.line,
            severity: finding.severity as u32,
            times: finding.times,
        });
        match found {
            Some(found) => out.write(found),
            None => {
                return bad_value(
                    "index",
                    index,
                    "it must be below the number that millpondCheckCount returns",
                );
            }
        }
        Ok(())
    })
}
const _: abi::millpondCheckGetFn = millpondCheckGet;

/// Writes all findings.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondCheckReport(
    format: abi::millpondCheckFormat,
    path: *const c_char,
) -> abi::aclError {
    entry("millpondCheckReport", || {
        // SAFETY: the header says that it is NULL or a text.
        let path = unsafe { optional(path) }.map(|path| Path::new(OsStr::from_bytes(path)));
        let report = session::report().ok_or_else(not_begun)?;
        let format = match format {
            abi::MILLPOND_CHECK_TEXT => ReportFormat::Text,
            abi::MILLPOND_CHECK_JSON => ReportFormat::Json,
            abi::MILLPOND_CHECK_SARIF => ReportFormat::Sarif,
            abi::MILLPOND_CHECK_JUNIT => ReportFormat::Junit,
            abi::MILLPOND_CHECK_HTML => ReportFormat::Html,
            other => return bad_value("format", other, "it is a millpondCheckFormat"),
        };
        session::write(&report, format, path)
            .map_err(|problem| CallError::coded(abi::ACL_ERROR_INVALID_FILE, problem))
    })
}
const _: abi::millpondCheckReportFn = millpondCheckReport;
