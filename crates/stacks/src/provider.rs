//! Stacks from a language binding: our Python extension supplies the frames of the script in place of the
//! interpreter's own.
#![expect(unsafe_code, reason = "calls a function that a binding has registered")]

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicUsize, Ordering};

use millpond_abi as abi;
use millpond_trace::{StackRef, Tap};

use crate::modules::Modules;
use crate::numbers::{self, ScriptFrame};
use crate::{MOST_FRAMES, epoch};

/// The provider's address; 0 if there is none.
static PROVIDER: AtomicUsize = AtomicUsize::new(0);
/// The address range of the provider's library. The provider supplies frames for calls from there only.
static START: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

type Provider = unsafe extern "C-unwind" fn(*mut abi::millpondFrame, usize) -> usize;

/// Registers a provider, or removes the one there is. False if its address belongs to no loaded module.
pub fn set_provider(provider: abi::millpondFrameProvider) -> bool {
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

/// The number of the stack that the provider supplies, if the call comes from its library.
pub(crate) fn number(caller: usize, depth: usize, tap: &Tap) -> Option<StackRef> {
    let provider = PROVIDER.load(Ordering::Acquire);
    let own = START.load(Ordering::Relaxed)..END.load(Ordering::Relaxed);
    if provider == 0 || !own.contains(&caller) {
        return None;
    }
    let provider = std::ptr::with_exposed_provenance::<()>(provider);
    // SAFETY: it came from a function of this type, which the binding keeps loaded.
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
    let frames: Vec<ScriptFrame> = frames[..count.min(room)].iter().map(frame).collect();
    (!frames.is_empty()).then(|| numbers::number_script(&frames, epoch(), tap))
}

fn frame(frame: &abi::millpondFrame) -> ScriptFrame {
    ScriptFrame {
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
