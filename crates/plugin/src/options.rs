//! `millpondAllocatorOptions`, and what it means.

use std::mem::offset_of;

/// The C structure. Fields are only ever added at its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Options {
    pub(crate) struct_size: usize,
    pub(crate) limit_bytes: u64,
    pub(crate) release_threshold_bytes: u64,
    pub(crate) floor_bytes: u64,
    pub(crate) slack_permille: u32,
    pub(crate) flags: u32,
}

// The header's twin: crates/plugin/tests/c/layout.c has the same numbers.
const _: () = assert!(
    size_of::<Options>() == 40
        && offset_of!(Options, floor_bytes) == 24
        && offset_of!(Options, slack_permille) == 32
        && offset_of!(Options, flags) == 36
);

pub(crate) const ALLOW_WAIT: u32 = 1;
pub(crate) const POLL: u32 = 2;
pub(crate) const NO_VIRTUAL: u32 = 4;
const ALL_FLAGS: u32 = ALLOW_WAIT | POLL | NO_VIRTUAL;

const DEFAULT_SLACK: u32 = 5;

/// How an arena behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Bytes that may be held of the device; `None` for all it has.
    pub(crate) limit: Option<u64>,
    /// Idle memory is not reduced below this many bytes automatically.
    pub(crate) release_threshold: u64,
    pub(crate) floor: u64,
    pub(crate) slack: u32,
    /// Wait for other streams rather than fail.
    pub(crate) allow_wait: bool,
    /// Ask for other streams' progress on every miss, not only before failing.
    pub(crate) poll: bool,
    /// Never use virtual memory.
    pub(crate) no_virtual: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limit: None,
            release_threshold: 0,
            floor: 0,
            slack: DEFAULT_SLACK,
            allow_wait: false,
            poll: false,
            no_virtual: false,
        }
    }
}

impl TryFrom<Options> for Settings {
    type Error = String;

    fn try_from(options: Options) -> Result<Self, String> {
        let unknown = options.flags & !ALL_FLAGS;
        if unknown != 0 {
            return Err(format!("options.flags has unknown bits: {unknown:#x}"));
        }
        if options.slack_permille > 1000 {
            return Err(format!(
                "options.slack_permille is {}, but must be at most 1000",
                options.slack_permille
            ));
        }
        let given = |value| (value != 0).then_some(value);
        Ok(Self {
            limit: given(options.limit_bytes),
            release_threshold: options.release_threshold_bytes,
            floor: options.floor_bytes,
            slack: if options.slack_permille == 0 {
                DEFAULT_SLACK
            } else {
                options.slack_permille
            },
            allow_wait: options.flags & ALLOW_WAIT != 0,
            poll: options.flags & POLL != 0,
            no_virtual: options.flags & NO_VIRTUAL != 0,
        })
    }
}
