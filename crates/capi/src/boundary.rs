//! The way in and out of every exported function.
//!
//! `entry` refuses calls in a forked child, stops panics, and turns an error into a code, with its
//! text kept for `aclGetRecentErrMsg`. The small types and macros check what C passes: after
//! them a body works with Rust values only.
#![expect(unsafe_code, reason = "reads and writes what C pointers point to")]

use std::any::Any;
use std::ffi::{CStr, c_char};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use millpond::Error;
use millpond_abi::aclError;
use millpond_report::clean_lines;
use millpond_trace::{CallSite, Operation};

use crate::registry::{Kind, Unresolved};
use crate::{caller, exceptions, message, process, profile, status, testing};

/// Why a call failed. One word, so that returning success costs nothing.
#[derive(Debug)]
pub(crate) struct CallError(Box<Cause>);

/// What only this crate can detect, and whatever the runtime reports.
#[derive(Debug)]
pub(crate) enum Cause {
    /// An argument that must not be NULL is.
    Null { argument: &'static str },
    /// An argument has a value that is not allowed.
    BadValue {
        argument: &'static str,
        value: String,
        expected: &'static str,
    },
    /// A handle names nothing of its kind.
    Handle {
        argument: &'static str,
        value: u64,
        kind: Kind,
        problem: Unresolved,
    },
    /// The calling thread has no context.
    NoContext,
    /// The stream belongs to another context than the current one.
    OtherContext { argument: &'static str },
    /// The table of handles is full.
    TooMany { kind: Kind },
    /// A case with a code of its own.
    Code { code: aclError, text: String },
    /// The process is a forked child of one that used the runtime.
    Forked,
    /// A rule says that the call succeeds, and its task fails later.
    FailsLater,
    /// A bug in this library.
    Panicked { text: String },
    /// What the runtime reports.
    Runtime(Box<Error>),
}

impl CallError {
    pub(crate) fn cause(&self) -> &Cause {
        &self.0
    }

    /// An argument that must not be NULL is.
    #[cold]
    pub(crate) fn null(argument: &'static str) -> Self {
        Cause::Null { argument }.into()
    }

    /// An error with a code of its own.
    #[cold]
    pub(crate) fn coded(code: aclError, text: impl Into<String>) -> Self {
        let text = text.into();
        Cause::Code { code, text }.into()
    }

    /// An argument with a value that is not allowed, and what is.
    #[cold]
    pub(crate) fn value(
        argument: &'static str,
        value: impl fmt::Display,
        expected: &'static str,
    ) -> Self {
        let value = value.to_string();
        Cause::BadValue {
            argument,
            value,
            expected,
        }
        .into()
    }

    /// A handle that names nothing of its kind.
    #[cold]
    pub(crate) fn handle(
        argument: &'static str,
        value: u64,
        kind: Kind,
        problem: Unresolved,
    ) -> Self {
        if value == 0 {
            return Self::null(argument);
        }
        Cause::Handle {
            argument,
            value,
            kind,
            problem,
        }
        .into()
    }
}

impl From<Cause> for CallError {
    #[cold]
    fn from(cause: Cause) -> Self {
        Self(Box::new(cause))
    }
}

impl From<Error> for CallError {
    #[cold]
    fn from(error: Error) -> Self {
        Cause::Runtime(Box::new(error)).into()
    }
}

impl From<Box<Error>> for CallError {
    #[cold]
    fn from(error: Box<Error>) -> Self {
        Cause::Runtime(error).into()
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause() {
            Cause::Null { argument } => write!(f, "the argument '{argument}' is NULL"),
            Cause::BadValue {
                argument,
                value,
                expected,
            } => write!(f, "the argument '{argument}' is {value}, but {expected}"),
            Cause::Handle {
                argument,
                value,
                kind,
                problem,
            } => {
                let problem = status::explain(*problem, kind.name());
                write!(f, "the argument '{argument}' ({value:#x}) {problem}")
            }
            Cause::NoContext => f.write_str(
                "this thread has no context: call aclrtSetDevice or aclrtSetCurrentContext first",
            ),
            Cause::OtherContext { argument } => write!(
                f,
                "the stream in '{argument}' does not belong to the current context: \
                 call aclrtSetCurrentContext first"
            ),
            Cause::TooMany { kind } => write!(
                f,
                "too many open handles of one kind: {}",
                kind.name()
            ),
            Cause::Code { text, .. } => f.write_str(text),
            Cause::Forked => f.write_str(
                "this process was forked from one that had used a device, and device memory, \
                 streams and threads do not survive a fork: call exec in the child, or start worker processes \
                 before the first use of a device",
            ),
            Cause::FailsLater => f.write_str("its task will fail"),
            Cause::Panicked { text } => write!(
                f,
                "a bug in Millpond stopped this call; please report it: {text}"
            ),
            Cause::Runtime(error) => write!(f, "{error}"),
        }
    }
}

/// Runs the body of an exported function and returns its code.
#[inline(always)]
pub(crate) fn entry(
    function: &'static str,
    body: impl FnOnce() -> Result<(), CallError>,
) -> aclError {
    match guarded(function, body) {
        Ok(()) => 0,
        Err(code) => code,
    }
}

/// As [`entry`], for functions of which there are hundreds: what they share is compiled once, not into each of them. `body` is called at
/// most once.
#[inline(always)]
pub(crate) fn shared_entry(
    function: &'static str,
    body: &mut dyn FnMut() -> Result<(), CallError>,
) -> aclError {
    let known = process::listening() && !process::forked();
    // Here, because this has to be compiled into the exported function.
    let site = known.then(|| caller::note(function));
    run_shared(function, site, body)
}

#[inline(never)]
fn run_shared(
    function: &'static str,
    site: Option<CallSite>,
    body: &mut dyn FnMut() -> Result<(), CallError>,
) -> aclError {
    let slow = process::needs_slow_path();
    if slow && process::forked() {
        return report(function, &Cause::Forked.into());
    }
    match noted(function, slow, site, body) {
        Ok(()) => 0,
        Err(code) => code,
    }
}

/// As [`entry`], for the functions that programs call most. `fast` serves the common case, in which no sink is attached and
/// the call succeeds. It returns `None`, and has changed nothing, if `slow` has to serve the call.
///
/// A panic in `fast` is the error of the call: `slow` does not run, because what `fast` has done is not known.
#[inline(always)]
pub(crate) fn entry_with_fast_path(
    function: &'static str,
    fast: impl FnOnce() -> Option<()>,
    slow: impl FnOnce() -> Result<(), CallError>,
) -> aclError {
    if !process::needs_slow_path() {
        match catch_unwind(AssertUnwindSafe(fast)) {
            Ok(Some(())) => return 0,
            Ok(None) => {}
            Err(panic) => return report_panic(function, &*panic),
        }
    }
    slow_path(function, slow)
}

/// Not inlined, so that the fast path stays small.
#[cold]
#[inline(never)]
fn slow_path(function: &'static str, body: impl FnOnce() -> Result<(), CallError>) -> aclError {
    entry(function, body)
}

/// Writes text into an array of characters of C, as much as fits. Characters are signed on some machines and not on others.
pub(crate) fn write_text(to: &mut [c_char], text: &[u8]) {
    for (to, from) in to.iter_mut().zip(text) {
        *to = c_char::from_le_bytes([*from]);
    }
}

/// Runs the body of an exported function that returns a value; `on_failure` is returned if it fails.
#[inline]
pub(crate) fn value_entry<T>(
    function: &'static str,
    on_failure: T,
    body: impl FnOnce() -> Result<T, CallError>,
) -> T {
    match guarded(function, body) {
        Ok(value) => value,
        Err(_) => on_failure,
    }
}

/// Runs a body and returns its value, or the code of a failure that was reported.
#[inline(always)]
fn guarded<T>(
    function: &'static str,
    body: impl FnOnce() -> Result<T, CallError>,
) -> Result<T, aclError> {
    let slow = process::needs_slow_path();
    if slow && process::forked() {
        return Err(report(function, &Cause::Forked.into()));
    }
    let site = process::listening().then(|| caller::note(function));
    noted(function, slow, site, body)
}

/// Runs a body whose call site was noted if somebody wants to know it.
#[inline(always)]
fn noted<T>(
    function: &'static str,
    slow: bool,
    site: Option<CallSite>,
    body: impl FnOnce() -> Result<T, CallError>,
) -> Result<T, aclError> {
    let mut began = None;
    if site.is_some() {
        record_nested_call();
        began = process::timed();
    }
    let result = run_body(function, slow, body);
    if let Some(began) = began {
        profile::returned(began, result.as_ref().err().copied().unwrap_or(0));
    }
    // Records of the call name it until here.
    drop(site);
    result
}

#[inline(always)]
fn run_body<T>(
    function: &'static str,
    slow: bool,
    body: impl FnOnce() -> Result<T, CallError>,
) -> Result<T, aclError> {
    let mut begun = None;
    if slow {
        match testing::begin(function) {
            Ok(call) => begun = Some(call),
            Err(error) => {
                testing::failed(function);
                return Err(report(function, &error));
            }
        }
    }
    // Locks do not poison and state is changed in whole steps, so what a panic leaves behind is
    // consistent; the call that panicked is reported as failed.
    let ended = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => {
            message::succeeded(function);
            Ok(value)
        }
        Ok(Err(error)) => Err(report(function, &error)),
        Err(panic) => Err(report_panic(function, &*panic)),
    };
    if let Some(begun) = begun {
        begun.end(!matches!(ended, Ok(_) | Err(0)));
    }
    ended
}

#[cold]
fn report_panic(function: &'static str, panic: &(dyn Any + Send)) -> aclError {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    let text = text.unwrap_or_default();
    report(function, &Cause::Panicked { text }.into())
}

/// Records a call that is made by a host function which a stream runs.
fn record_nested_call() {
    if let Some(position) = millpond::Stream::function_of_thread()
        && !process::forked()
    {
        process::emit(|| Operation::CalledInside { position });
    }
}

#[cold]
fn report(function: &'static str, error: &CallError) -> aclError {
    let code = error.code();
    if matches!(error.cause(), Cause::FailsLater) {
        return code;
    }
    let text = error.to_string();
    if let Cause::Runtime(failed) = error.cause()
        && matches!(**failed, millpond::Error::TaskFailed { .. })
    {
        exceptions::settle();
    }
    record_failure(code, &text);
    leave_message(function, code, &text);
    if status::is_runtime_code(code) {
        message::put_code(code);
    }
    code
}

/// Records a call that returns an error. Not in a forked child, where the thread that held the tap's lock does not exist.
fn record_failure(code: aclError, reason: &str) {
    if process::forked() {
        return;
    }
    // No panic leaves the library, not even a sink's.
    let recorded = catch_unwind(AssertUnwindSafe(|| {
        process::emit(|| Operation::CallFailed {
            code,
            reason: reason.to_owned(),
        });
    }));
    drop(recorded);
}

fn leave_message(function: &str, code: aclError, text: &str) {
    // What the engine says may end in a line break, a suggestion in a question mark.
    let text = text.trim_end();
    let end = if text.ends_with(['.', '?']) { "" } else { "." };
    let line = format!(
        "{function} returned {code} ({}): {text}{end}",
        status::name(code)
    );
    // Names of files and values come from the program.
    let line = clean_lines(&line).into_owned();
    message::log(&line);
    message::put(line);
}

/// A function that is not implemented: says so and returns `ACL_ERROR_API_NOT_SUPPORT`.
pub(crate) fn refused(function: &'static str, reason: &str) -> aclError {
    refused_value(function, reason, millpond_abi::ACL_ERROR_API_NOT_SUPPORT)
}

/// The same for a function that programs try, to see whether the device has the feature.
pub(crate) fn refused_feature(function: &'static str, reason: &str) -> aclError {
    let code = millpond_abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    refuse(function, code, reason);
    message::put_code(code);
    code
}

/// The same for functions that return something else than a code.
pub(crate) fn refused_value<T>(function: &'static str, reason: &str, value: T) -> T {
    refuse(function, millpond_abi::ACL_ERROR_API_NOT_SUPPORT, reason);
    value
}

fn refuse(function: &'static str, code: aclError, reason: &str) {
    testing::refused(function);
    let text = format!("not supported by this version of Millpond: {reason}");
    let listening = process::listening() && !process::forked();
    let _site = listening.then(|| caller::note_by_unwinding(function));
    record_failure(code, &text);
    leave_message(function, code, &text);
}

/// Where a result goes. Written last, and only on success.
pub(crate) struct Out<T> {
    place: NonNull<T>,
}

impl<T> Out<T> {
    /// Checks that there is a place to write to.
    ///
    /// # Safety
    /// A pointer that is not null must be valid for one write of a `T` until the call ends.
    pub(crate) unsafe fn new(pointer: *mut T, argument: &'static str) -> Result<Self, CallError> {
        NonNull::new(pointer)
            .map(|place| Self { place })
            .ok_or_else(|| CallError::null(argument))
    }

    pub(crate) fn write(self, value: T) {
        // SAFETY: promised when this was made; unaligned, because C programs may pack structures.
        unsafe { self.place.as_ptr().write_unaligned(value) };
    }
}

/// Checks an out-parameter: `out!(devPtr)`.
macro_rules! out {
    ($argument:ident) => {
        // SAFETY: the contract of every function in the headers: an out-parameter that is not null
        // points to writable memory of its type.
        unsafe { $crate::boundary::Out::new($argument, stringify!($argument)) }?
    };
}
pub(crate) use out;

/// Reads a structure that C points to.
///
/// # Safety
/// A pointer that is not null must point to a readable `T`.
pub(crate) unsafe fn read<T: Copy>(
    pointer: *const T,
    argument: &'static str,
) -> Result<T, CallError> {
    if pointer.is_null() {
        return Err(CallError::null(argument));
    }
    // SAFETY: not null as just checked; readable as the caller promises.
    Ok(unsafe { pointer.read_unaligned() })
}

/// Copies an array that C points to.
///
/// # Safety
/// A pointer that is not null must point to `count` readable values.
pub(crate) unsafe fn array<T: Copy>(
    pointer: *const T,
    count: usize,
    argument: &'static str,
) -> Result<Vec<T>, CallError> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if pointer.is_null() {
        return Err(CallError::null(argument));
    }
    let at = |index| {
        // SAFETY: below `count`, so inside the array that the caller promises.
        let place = unsafe { pointer.add(index) };
        // SAFETY: readable as the caller promises.
        unsafe { place.read_unaligned() }
    };
    let mut values = Vec::new();
    if values.try_reserve_exact(count).is_err() {
        let expected = "there is not enough memory to copy it";
        return Err(CallError::value(
            argument,
            format!("an array of {count} values"),
            expected,
        ));
    }
    values.extend((0..count).map(at));
    Ok(values)
}

/// Writes one value of an array that C points to.
///
/// # Safety
/// `pointer` must point to an array with room for a value at `index`.
pub(crate) unsafe fn put<T>(pointer: *mut T, index: usize, value: T) {
    // SAFETY: inside the array, as the caller promises.
    let place = unsafe { pointer.add(index) };
    // SAFETY: writable as the caller promises.
    unsafe { place.write_unaligned(value) };
}

/// Reads a text that C points to.
///
/// # Safety
/// A pointer that is not null must point to a NUL-terminated string.
pub(crate) unsafe fn text(
    pointer: *const c_char,
    argument: &'static str,
) -> Result<String, CallError> {
    if pointer.is_null() {
        return Err(CallError::null(argument));
    }
    // SAFETY: not null as just checked; NUL-terminated as the caller promises.
    let text = unsafe { CStr::from_ptr(pointer) };
    Ok(text.to_string_lossy().into_owned())
}

/// Refuses a null pointer that is only passed on, not read.
pub(crate) fn not_null<T>(pointer: *const T, argument: &'static str) -> Result<u64, CallError> {
    if pointer.is_null() {
        return Err(CallError::null(argument));
    }
    Ok(pointer.addr() as u64)
}

/// Refuses a value and says what is expected.
pub(crate) fn bad_value<T>(
    argument: &'static str,
    value: impl fmt::Display,
    expected: &'static str,
) -> Result<T, CallError> {
    Err(CallError::value(argument, value, expected))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_panic_in_the_fast_path_is_the_error_of_the_call() {
        process::set_injection(false);
        let slow = Cell::new(0);
        let call = |fast: fn() -> Option<()>| {
            entry_with_fast_path("aclrtFree", fast, || {
                slow.set(slow.get() + 1);
                Ok(())
            })
        };
        assert_eq!(call(|| Some(())), 0);
        assert_eq!(slow.get(), 0);
        assert_eq!(call(|| None), 0);
        assert_eq!(slow.get(), 1);
        let code = call(|| panic!("out of step"));
        assert_eq!(code, millpond_abi::ACL_ERROR_INTERNAL_ERROR);
        assert_eq!(slow.get(), 1, "the call is not tried again");
        let text = message::take();
        // SAFETY: a message that stays until the next call on this thread.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
        assert!(
            text.contains("aclrtFree") && text.contains("out of step"),
            "{text}"
        );
    }

    #[test]
    fn the_fast_path_is_skipped_while_calls_may_be_made_to_fail() {
        process::set_injection(true);
        let code = entry_with_fast_path("aclrtFree", || panic!("skipped"), || Ok(()));
        process::set_injection(false);
        assert_eq!(code, 0);
    }
}
