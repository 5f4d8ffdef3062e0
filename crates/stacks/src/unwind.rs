//! Walks a stack by its unwind tables: slow, but always right.
#![expect(unsafe_code, reason = "calls the unwinder")]

use std::ffi::{c_int, c_void};

use crate::cache::stack_word;

/// The unwinder's state at a frame.
#[derive(Debug)]
#[repr(C)]
pub struct UnwindContext {
    _private: [u8; 0],
}

/// What the unwinder calls for each frame.
pub type TraceFn = extern "C" fn(*mut UnwindContext, *mut c_void) -> c_int;

unsafe extern "C" {
    /// Calls `trace` for each frame of this stack, innermost first, until it returns something else than 0.
    pub fn _Unwind_Backtrace(trace: TraceFn, argument: *mut c_void) -> c_int;
    /// The address at which a frame continues.
    pub fn _Unwind_GetIP(context: *mut UnwindContext) -> usize;
    fn _Unwind_GetCFA(context: *mut UnwindContext) -> usize;
}

const GO_ON: c_int = 0;
const END_OF_STACK: c_int = 5;

/// A frame: the address that its callee returns to, and its stack pointer then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) address: usize,
    pub(crate) stack: usize,
}

impl Frame {
    /// The stack slot of its return address: below its own end, and not below `lowest`, the end of the frame that
    /// it called. `None` if the address is in a register or was not found.
    pub(crate) fn slot_above(self, lowest: usize) -> Option<usize> {
        const WORD: usize = size_of::<usize>();
        /// How many bytes of a frame are searched if the address is not at its end.
        const FAR: usize = 64 << 10;
        let end = self.stack;
        if end < lowest || end - lowest > FAR {
            // A frame of that size keeps its address at its end, or it is not worth the search.
            let slot = end.checked_sub(WORD).filter(|&slot| slot >= lowest)?;
            return (stack_word(slot) == self.address).then_some(slot);
        }
        let mut slot = end;
        while slot >= lowest + WORD {
            slot -= WORD;
            if stack_word(slot) == self.address {
                return Some(slot);
            }
            if cfg!(target_arch = "x86_64") {
                // The call instruction has pushed it, right at the end.
                return None;
            }
        }
        None
    }
}

struct Search<'a> {
    skips: &'a dyn Fn(usize) -> bool,
    most: usize,
    frames: Vec<Frame>,
}

/// At most `most` frames, innermost first, without the innermost ones for which `skips` returns true.
pub(crate) fn walk(most: usize, skips: impl Fn(usize) -> bool) -> Vec<Frame> {
    let mut search = Search {
        skips: &skips,
        most,
        frames: Vec::with_capacity(most),
    };
    // SAFETY: the callback gets back the pointer to `search`, which outlives the call.
    unsafe { _Unwind_Backtrace(visit, (&raw mut search).cast()) };
    search.frames
}

extern "C" fn visit(context: *mut UnwindContext, argument: *mut c_void) -> c_int {
    // SAFETY: the argument is the `Search` that `walk` passed in, not used otherwise meanwhile.
    let search = unsafe { &mut *argument.cast::<Search<'_>>() };
    // SAFETY: the unwinder passes a context that is valid during this call.
    let address = unsafe { _Unwind_GetIP(context) };
    if address == 0 {
        return END_OF_STACK;
    }
    if search.frames.is_empty() && (search.skips)(address) {
        return GO_ON;
    }
    // SAFETY: as above.
    let stack = unsafe { _Unwind_GetCFA(context) };
    search.frames.push(Frame { address, stack });
    if search.frames.len() < search.most {
        GO_ON
    } else {
        END_OF_STACK
    }
}
