//! System functions that the program calls and that must know which pages are closed.
//!
//! A system call that meets a closed page returns an error without a signal, and a fault in a thread that blocks
//! the signal kills the process. So the program's calls of the functions below go through ours: each module has a
//! table of the functions that it imports, and in the tables of the program's modules the entries are replaced once
//! there is memory that can be closed. Nothing is replaced without a check, and nothing must be preloaded.
//!
//! `userfaultfd` would see the system's own accesses too, but needs privileges on most machines
//! (`vm.unprivileged_userfaultfd` is 0). A preloaded library would see as much as the tables, and would be visible
//! in the program's environment.
//!
//! - The crate `millpond_imports` finds the entries. `buffers`, `small`: system calls with memory; `parts`: which memory. `frames`:
//!   calls in progress. `handlers`, `masks`: signals. `peek`: reads memory that may not exist. `quiet`: blocks
//!   signals for a moment.
//!
//! Invariants: a replacement does what the function does, and sets `errno` as it does. It calls what the entry
//! pointed to before, so another tool that replaced it is called too. Calls of this library itself are not
//! replaced. A thread that is cancelled inside a function unwinds through its replacement.

/// Makes a replacement for each function. `real` is the function itself.
macro_rules! replaced {
    ($($hook:ident: fn $name:ident($($arg:ident: $type:ty),*) -> $result:ty, |$real:ident| $body:expr;)*) => {
        $(
            static $hook: Hook = Hook::new(ended(concat!(stringify!($name), "\0")));

            unsafe extern "C-unwind" fn $name($($arg: $type),*) -> $result {
                type Real = unsafe extern "C-unwind" fn($($type),*) -> $result;
                // SAFETY: the address of the function of this name, which has this type. It was found before the
                // entry was replaced.
                let function = unsafe { std::mem::transmute::<usize, Real>($hook.real()) };
                // SAFETY: with what the caller has passed, or as good.
                let $real = |$($arg: $type),*| unsafe { function($($arg),*) };
                $body
            }
        )*

        /// All of them.
        pub(super) fn entries() -> Vec<Entry> {
            vec![$(Entry {
                hook: &$hook,
                replacement: ($name as unsafe extern "C-unwind" fn($($type),*) -> $result) as usize,
            }),*]
        }
    };
}

/// Makes a replacement for each function: whether the system reads or writes memory, which, and how much of it was used by
/// what the function returns.
macro_rules! hooked {
    ($($hook:ident: fn $name:ident($($arg:ident: $type:ty),*) -> $result:ty, $using:ident $parts:expr, $bytes:expr;)*) => {
        $(
            static $hook: Hook = Hook::new(ended(concat!(stringify!($name), "\0")));

            unsafe extern "C-unwind" fn $name($($arg: $type),*) -> $result {
                type Real = unsafe extern "C-unwind" fn($($type),*) -> $result;
                // SAFETY: the address of the function of this name, which has this type. It was found before the
                // entry was replaced.
                let real = unsafe { std::mem::transmute::<usize, Real>($hook.real()) };
                // SAFETY: with what the caller has passed.
                let call = || unsafe { real($($arg),*) };
                if !pinned::is_gated() {
                    return call();
                }
                pinned::during(stringify!($name), Using::$using, $parts, call, $bytes)
            }
        )*

        /// All of them.
        pub(super) fn entries() -> Vec<Entry> {
            vec![$(Entry {
                hook: &$hook,
                replacement: ($name as unsafe extern "C-unwind" fn($($type),*) -> $result) as usize,
            }),*]
        }
    };
}

mod buffers;
pub(super) mod frames;
mod handlers;
mod masks;
mod parts;
mod peek;
mod quiet;
mod small;

use std::ffi::CStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;

pub(super) use masks::unblocked_everywhere;
pub(super) use parts::Parts;
pub(super) use quiet::Quiet;

/// A function that is replaced.
pub(super) struct Hook {
    name: &'static CStr,
    /// What it was; 0 as long as it was not looked for, and where there is none.
    real: AtomicUsize,
}

impl Hook {
    const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            real: AtomicUsize::new(0),
        }
    }

    fn real(&self) -> usize {
        self.real.load(Ordering::Acquire)
    }
}

/// The name of a function, as the loader takes it.
const fn ended(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => c"",
    }
}

/// A replacement and the function that it is for.
struct Entry {
    hook: &'static Hook,
    replacement: usize,
}

/// All of them, once they were looked for.
static ENTRIES: OnceLock<Vec<millpond_imports::Entry>> = OnceLock::new();
/// How often modules had come and gone when the tables were last looked at.
static LOADED: AtomicU64 = AtomicU64::new(0);
/// The modules that were looked at.
static DONE: Mutex<millpond_imports::Done> = Mutex::new(millpond_imports::Done::new());

/// Leads the program's calls through ours. Called where no lock of ours is held: it asks the loader.
pub(super) fn install() {
    ENTRIES.get_or_init(|| {
        let mut entries = buffers::entries();
        entries.extend(small::entries());
        entries.extend(handlers::entries());
        entries.extend(masks::entries());
        for entry in &entries {
            let real = millpond_imports::find(entry.hook.name);
            entry.hook.real.store(real, Ordering::Release);
        }
        let entries = entries.iter().filter(|entry| entry.hook.real() != 0);
        let found = entries.map(|entry| millpond_imports::Entry {
            name: entry.hook.name,
            real: entry.hook.real(),
            replacement: entry.replacement,
        });
        found.collect()
    });
    refresh();
}

/// The same in modules that were loaded since. Takes no lock that is held while somebody else's code runs.
pub(super) fn refresh() {
    let Some(entries) = ENTRIES.get() else { return };
    let loaded = millpond_imports::loaded();
    if LOADED.swap(loaded, Ordering::AcqRel) != loaded {
        millpond_imports::replace(entries, &mut DONE.lock());
    }
}
