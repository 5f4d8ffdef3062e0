//! Walks a stack by its unwinding tables. Slow, and right.
#![expect(unsafe_code, reason = "calls the unwinder")]

use std::ffi::{c_int, c_void};

use super::word_at;

#[repr(C)]
pub(crate) struct UnwindContext {
    _private: [u8; 0],
}

pub(crate) type TraceFn = extern "C" fn(*mut UnwindContext, *mut c_void) -> c_int;

unsafe extern "C" {
    pub(crate) fn _Unwind_Backtrace(trace: TraceFn, argument: *mut c_void) -> c_int;
    pub(crate) fn _Unwind_GetIP(context: *mut UnwindContext) -> usize;
    fn _Unwind_GetCFA(context: *mut UnwindContext) -> usize;
}

const GO_ON: c_int = 0;
const END_OF_STACK: c_int = 5;

/// A frame: the address in it that will be returned to, and its stack pointer then.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) address: usize,
    pub(super) stack: usize,
}

impl Frame {
    /// Where on the stack its return address is kept: below its own end, and not below `lowest`, which is where
    /// the frame that it called ends. `None` if it is in a register, or not to be told.
    pub(super) fn place_above(self, lowest: usize) -> Option<usize> {
        const WORD: usize = size_of::<usize>();
        /// Bytes of a frame that are searched where the address is not at the end.
        const FAR: usize = 64 << 10;
        let end = self.stack;
        if end < lowest || end - lowest > FAR {
            // A frame of that size keeps its address at its end, or nowhere that is worth a search.
            let place = end.checked_sub(WORD).filter(|&place| place >= lowest)?;
            return (word_at(place) == self.address).then_some(place);
        }
        let mut place = end;
        while place >= lowest + WORD {
            place -= WORD;
            if word_at(place) == self.address {
                return Some(place);
            }
            if cfg!(target_arch = "x86_64") {
                // There the call itself has pushed it, right at the end.
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

/// The innermost frames, at most `most`, from the first on that `skips` does not want left out.
pub(super) fn walk(most: usize, skips: impl Fn(usize) -> bool) -> Vec<Frame> {
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
    // SAFETY: the argument is the `Search` that `walk` passed in, used by nobody else meanwhile.
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
