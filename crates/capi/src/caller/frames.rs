//! Stacks of a language that knows itself: Python's extension gives the frames of the script in place of the
//! interpreter's own.
#![expect(unsafe_code, reason = "calls a function that a binding has given")]

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicUsize, Ordering};

use millpond::trace::StackRef;
use millpond_abi as abi;

use super::modules::Modules;
use super::stacks::{self, Named};
use super::{EPOCH, MOST_FRAMES};

/// The provider, as a number; 0 if there is none.
static PROVIDER: AtomicUsize = AtomicUsize::new(0);
/// Where the provider's own library lies. Its calls are those that it speaks for.
static START: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

type Provider = unsafe extern "C-unwind" fn(*mut abi::millpondFrame, usize) -> usize;

/// Takes a provider, or ends the one there is. False if nobody knows where its code lies.
pub(crate) fn set_provider(provider: abi::millpondFrameProvider) -> bool {
    let Some(provider) = provider else {
        PROVIDER.store(0, Ordering::Release);
        return true;
    };
    let address = provider as usize;
    let mut modules = Modules::new();
    let Some(module) = modules.of(address) else {
        return false;
    };
    START.store(module.range.start, Ordering::Relaxed);
    END.store(module.range.end, Ordering::Relaxed);
    PROVIDER.store(address, Ordering::Release);
    true
}

/// The number of the stack that the provider gives, if the call is one of its library's.
pub(super) fn number(caller: usize, depth: usize) -> Option<StackRef> {
    let provider = PROVIDER.load(Ordering::Acquire);
    let own = START.load(Ordering::Relaxed)..END.load(Ordering::Relaxed);
    if provider == 0 || !own.contains(&caller) {
        return None;
    }
    let provider = std::ptr::with_exposed_provenance::<()>(provider);
    // SAFETY: it came from a function of this type, which the binding keeps.
    let provider: Provider = unsafe { std::mem::transmute(provider) };
    let empty = abi::millpondFrame {
        function: std::ptr::null(),
        file: std::ptr::null(),
        line: 0,
    };
    let mut frames = [empty; MOST_FRAMES];
    let room = depth.min(MOST_FRAMES);
    // SAFETY: as many frames as there is room for.
    let count = unsafe { provider(frames.as_mut_ptr(), room) };
    let named: Vec<Named> = frames[..count.min(room)].iter().map(named).collect();
    (!named.is_empty()).then(|| stacks::number_named(&named, EPOCH.load(Ordering::Relaxed)))
}

fn named(frame: &abi::millpondFrame) -> Named {
    Named {
        function: text(frame.function),
        file: text(frame.file),
        line: frame.line,
    }
}

fn text(text: *const c_char) -> &'static CStr {
    if text.is_null() {
        return c"";
    }
    // SAFETY: the header says that the texts live as long as the process.
    unsafe { CStr::from_ptr(text) }
}
