//! What memory that is handed out by address needs from a driver.
//!
//! Addresses and handles are numbers: they are passed on and never dereferenced.

use std::fmt;

use super::pools;

/// A call that the driver refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The driver's words: the call, its code with name and text, and what to do.
    pub(crate) text: String,
    /// Giving memory back may help.
    pub(crate) for_lack_of_memory: bool,
    /// Every later call fails too.
    pub(crate) is_final: bool,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// One device of a driver. Each method is one call, or a few that belong together; nothing is remembered. Those that only
/// give something up return nothing: no caller could handle a failure.
pub(crate) trait Device: Send + Sync + fmt::Debug {
    /// What the driver calls itself, for people.
    fn driver(&self) -> &'static str;
    fn number(&self) -> i32;
    /// Whether a page can be mapped at two addresses.
    fn shows_pages_twice(&self) -> bool;
    /// Acts with the device's context as the thread's own, and with calls allowed that captures otherwise forbid.
    fn inside(&self, act: &mut dyn FnMut()) -> Result<(), Refused>;

    // All below are called inside.

    /// Bytes that are free, and all.
    fn memory(&self) -> Result<(u64, u64), Refused>;
    /// Whether pages of this size can be made.
    fn fits(&self, page: u64) -> Result<bool, Refused>;
    fn reserve(&self, bytes: u64) -> Result<u64, Refused>;
    fn release(&self, address: u64, bytes: u64);
    /// A page; one that can be given to other processes if the driver can do that.
    fn create(&self, bytes: u64, shared: bool) -> Result<u64, Refused>;
    fn destroy(&self, handle: u64);
    fn map(&self, address: u64, bytes: u64, handle: u64) -> Result<(), Refused>;
    fn unmap(&self, address: u64, bytes: u64) -> Result<(), Refused>;
    /// Lets the device, and others, read and write what is mapped there.
    fn allow(&self, address: u64, bytes: u64, others: &[i32]) -> Result<(), Refused>;

    /// Whether a stream is captured, or that cannot be said.
    fn captures(&self, stream: u64) -> bool;
    /// An event, which is never destroyed: see `epochs::Spare`.
    fn event(&self) -> Result<u64, Refused>;
    fn record(&self, event: u64, stream: u64) -> Result<(), Refused>;
    /// Whether the work in front of the event's record is over.
    fn passed(&self, event: u64) -> Result<bool, Refused>;
}

/// Acts inside a device: see [`Device::inside`].
pub(crate) fn inside<R>(device: &dyn Device, act: impl FnOnce() -> R) -> Result<R, Refused> {
    // The driver does not work in a process that was forked, and may not return.
    if pools::is_forked() {
        return Err(Refused {
            text: pools::FORKED_TEXT.to_owned(),
            for_lack_of_memory: false,
            is_final: true,
        });
    }
    let mut act = Some(act);
    let mut result = None;
    device.inside(&mut || {
        if let Some(act) = act.take() {
            result = Some(act());
        }
    })?;
    result.ok_or_else(|| Refused {
        text: format!(
            "internal error: {} did not run the requested work",
            device.driver()
        ),
        for_lack_of_memory: false,
        is_final: false,
    })
}
