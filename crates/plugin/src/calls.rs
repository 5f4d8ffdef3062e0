//! What the plugin needs from the AscendCL runtime of the process, as a safe interface.
//!
//! Addresses and handles are numbers here: the plugin never dereferences them.

use std::fmt;

/// A call that the runtime refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The function.
    pub(crate) call: &'static str,
    /// The code that it returned.
    pub(crate) code: i32,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { call, code } = self;
        write!(f, "{call} returned {code}")
    }
}

/// The functions of a runtime. Each is one call; nothing is remembered. Those that only give something up
/// return nothing: no caller could handle a failure.
pub(crate) trait Calls: Send + Sync + fmt::Debug {
    /// Whether the runtime records what `MILLPOND_RECORD` asks for, as ours does.
    fn records(&self) -> bool;
    /// The device of the thread's context.
    fn device(&self) -> Result<i32, Refused>;
    /// Bytes of memory that the device of the thread's context has.
    fn total(&self) -> Result<u64, Refused>;
    /// The thread's context, if it has one and the runtime reports it.
    fn context(&self) -> Option<usize>;
    fn set_context(&self, context: usize) -> Result<(), Refused>;

    fn malloc(&self, bytes: u64) -> Result<u64, Refused>;
    fn free(&self, address: u64) -> Result<(), Refused>;

    /// The unit of physical memory; refused where there is no virtual memory.
    fn granularity(&self, device: i32) -> Result<u64, Refused>;
    fn reserve(&self, bytes: u64) -> Result<u64, Refused>;
    fn release(&self, address: u64);
    fn physical(&self, device: i32, bytes: u64) -> Result<u64, Refused>;
    fn free_physical(&self, handle: u64);
    fn map(&self, address: u64, bytes: u64, handle: u64) -> Result<(), Refused>;
    fn unmap(&self, address: u64) -> Result<(), Refused>;

    /// Whether all that was put into a stream is over.
    fn stream_idle(&self, stream: u64) -> Result<bool, Refused>;
    fn create_event(&self) -> Result<u64, Refused>;
    fn record_event(&self, event: u64, stream: u64) -> Result<(), Refused>;
    /// Whether the work in front of the event's recording is over.
    fn event_passed(&self, event: u64) -> Result<bool, Refused>;
    fn wait_for_event(&self, event: u64) -> Result<(), Refused>;
    fn destroy_event(&self, event: u64);

    /// A descriptor with our callbacks and this object.
    fn describe(&self, object: usize) -> Result<u64, Refused>;
    fn destroy_descriptor(&self, descriptor: u64);
}

/// Acts with `context` as the thread's context, and puts the old one back.
///
/// A thread without a context stays as it is: there would be no way back.
pub(crate) fn within<R>(calls: &dyn Calls, context: Option<usize>, act: impl FnOnce() -> R) -> R {
    let (Some(wanted), Some(current)) = (context, calls.context()) else {
        return act();
    };
    if wanted == current || calls.set_context(wanted).is_err() {
        return act();
    }
    let result = act();
    // If this fails there is nothing better to do than to go on.
    calls.set_context(current).ok();
    result
}
