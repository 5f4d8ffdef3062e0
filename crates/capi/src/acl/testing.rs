//! `millpond/testing.h`: for test suites.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use millpond::Time;
use millpond_abi as abi;

use crate::boundary::{self, CallError, bad_value, entry, not_null, out};
use crate::testing::reset::{self, Level};
use crate::{process, testing};

/// A text of C that must be there.
fn text(pointer: *const c_char, argument: &'static str) -> Result<String, CallError> {
    // SAFETY: the contract of every function in the header: a text is NUL-terminated.
    unsafe { boundary::text(pointer, argument) }
}

/// Adds a rule.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondFaultAdd(
    rule: *const c_char,
    id: *mut u64,
) -> abi::aclError {
    entry("millpondFaultAdd", || {
        let rule = text(rule, "rule")?;
        let added = testing::add_rule(&rule);
        let added =
            added.map_err(|problem| CallError::coded(abi::ACL_ERROR_INVALID_PARAM, problem))?;
        if !id.is_null() {
            out!(id).write(added);
        }
        Ok(())
    })
}
const _: abi::millpondFaultAddFn = millpondFaultAdd;

/// Removes a rule.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondFaultRemove(id: u64) -> abi::aclError {
    entry("millpondFaultRemove", || {
        if testing::remove_rule(id) {
            return Ok(());
        }
        bad_value(
            "id",
            id,
            "it must be the number of a rule that was not removed",
        )
    })
}
const _: abi::millpondFaultRemoveFn = millpondFaultRemove;

/// Removes all rules.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondFaultClear() -> abi::aclError {
    entry("millpondFaultClear", || {
        testing::set_rules("")
            .map_err(|problem| CallError::coded(abi::ACL_ERROR_INVALID_PARAM, problem))
    })
}
const _: abi::millpondFaultClearFn = millpondFaultClear;

/// What a rule has seen.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondFaultSeen(
    id: u64,
    calls: *mut u64,
    hits: *mut u64,
) -> abi::aclError {
    entry("millpondFaultSeen", || {
        let (calls, hits) = (out!(calls), out!(hits));
        let Some((seen, hit)) = testing::seen(id) else {
            return bad_value(
                "id",
                id,
                "it must be the number of a rule that was not removed",
            );
        };
        calls.write(seen);
        hits.write(hit);
        Ok(())
    })
}
const _: abi::millpondFaultSeenFn = millpondFaultSeen;

/// Counts calls from now on.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondCallsBegin() -> abi::aclError {
    entry("millpondCallsBegin", || {
        testing::count_calls(true);
        Ok(())
    })
}
const _: abi::millpondCallsBeginFn = millpondCallsBegin;

/// Counts no more.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondCallsEnd() -> abi::aclError {
    entry("millpondCallsEnd", || {
        testing::count_calls(false);
        Ok(())
    })
}
const _: abi::millpondCallsEndFn = millpondCallsEnd;

/// How often a function was called.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondCallsGet(
    function: *const c_char,
    calls: *mut u64,
    failures: *mut u64,
) -> abi::aclError {
    entry("millpondCallsGet", || {
        let function = text(function, "function")?;
        if !testing::is_known(&function) {
            return bad_value(
                "function",
                format!("'{function}'"),
                "it must be the name of a function, or a pattern with * that one matches",
            );
        }
        let count = testing::counters().of(&function);
        if !calls.is_null() {
            out!(calls).write(count.calls);
        }
        if !failures.is_null() {
            out!(failures).write(count.failures);
        }
        Ok(())
    })
}
const _: abi::millpondCallsGetFn = millpondCallsGet;

/// Writes all counts.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondCallsWrite(path: *const c_char) -> abi::aclError {
    entry("millpondCallsWrite", || {
        let path = if path.is_null() {
            None
        } else {
            Some(text(path, "path")?)
        };
        let file = path
            .as_ref()
            .map(|path| Path::new(OsStr::from_bytes(path.as_bytes())));
        testing::write_calls(file).map_err(|error| {
            let path = path.as_deref().unwrap_or("stderr");
            CallError::coded(
                abi::ACL_ERROR_INVALID_FILE,
                format!("'{path}' cannot be written: {error}"),
            )
        })
    })
}
const _: abi::millpondCallsWriteFn = millpondCallsWrite;

/// Brings the process back to an earlier state.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondReset(
    level: abi::millpondResetLevel,
    left: *mut u64,
) -> abi::aclError {
    entry("millpondReset", || {
        let level = match level {
            abi::MILLPOND_RESET_TESTING => Level::Testing,
            abi::MILLPOND_RESET_DEVICES => Level::Devices,
            abi::MILLPOND_RESET_ALL => Level::All,
            _ => return bad_value("level", level, "it must be a value of millpondResetLevel"),
        };
        let count = reset::reset(level)?;
        if !left.is_null() {
            out!(left).write(count);
        }
        Ok(())
    })
}
const _: abi::millpondResetFn = millpondReset;

/// Writes what the last reset found.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondResetReport(
    text: *mut c_char,
    size: usize,
) -> abi::aclError {
    entry("millpondResetReport", || {
        not_null(text, "text")?;
        let report = reset::report();
        if report.len() >= size {
            let expected = "the report and a terminating 0 do not fit";
            return bad_value("size", size, expected);
        }
        let mut characters = vec![0; report.len() + 1];
        boundary::write_text(&mut characters, report.as_bytes());
        for (index, character) in characters.into_iter().enumerate() {
            // SAFETY: below `size`, as just checked; the header says that so much can be written.
            unsafe { boundary::put(text, index, character) };
        }
        Ok(())
    })
}
const _: abi::millpondResetReportFn = millpondResetReport;

/// Changes how time passes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondTimeSetMode(mode: abi::millpondTimeMode) -> abi::aclError {
    entry("millpondTimeSetMode", || {
        let time = match mode {
            abi::MILLPOND_TIME_REAL => Time::Real,
            abi::MILLPOND_TIME_VIRTUAL => Time::Virtual,
            abi::MILLPOND_TIME_MANUAL => Time::Manual,
            _ => return bad_value("mode", mode, "it must be a value of millpondTimeMode"),
        };
        process::runtime()?.set_time(time);
        Ok(())
    })
}
const _: abi::millpondTimeSetModeFn = millpondTimeSetMode;

/// How time passes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondTimeGetMode(
    mode: *mut abi::millpondTimeMode,
) -> abi::aclError {
    entry("millpondTimeGetMode", || {
        let out = out!(mode);
        out.write(match process::runtime()?.clock().mode() {
            Time::Real => abi::MILLPOND_TIME_REAL,
            Time::Virtual => abi::MILLPOND_TIME_VIRTUAL,
            Time::Manual => abi::MILLPOND_TIME_MANUAL,
        });
        Ok(())
    })
}
const _: abi::millpondTimeGetModeFn = millpondTimeGetMode;

/// Moves time forward.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondTimeAdvance(microseconds: u64) -> abi::aclError {
    entry("millpondTimeAdvance", || {
        let clock = process::runtime()?.clock();
        if clock.is_real() {
            return Err(CallError::coded(
                abi::ACL_ERROR_FEATURE_UNSUPPORTED,
                "time is real and cannot be moved: set MILLPOND_TIME=virtual or call millpondTimeSetMode",
            ));
        }
        clock.advance(Duration::from_micros(microseconds));
        Ok(())
    })
}
const _: abi::millpondTimeAdvanceFn = millpondTimeAdvance;

/// The time.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondTimeNow(microseconds: *mut u64) -> abi::aclError {
    entry("millpondTimeNow", || {
        let out = out!(microseconds);
        let micros = process::runtime()?.clock().elapsed().as_micros();
        out.write(u64::try_from(micros).unwrap_or(u64::MAX));
        Ok(())
    })
}
const _: abi::millpondTimeNowFn = millpondTimeNow;
