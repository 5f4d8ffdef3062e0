//! System calls that are using pinned memory, by thread.
//!
//! A call can end without returning: a signal handler leaves it by `siglongjmp`, or its thread is cancelled. Its
//! pages would then stay open. So what keeps them open is not on the stack but beside the thread, with a mark on
//! the stack: if the mark was overwritten, the call has ended. While a call runs, its mark is intact, whichever
//! stack it is on.
//!
//! Invariant: a signal handler may interrupt this code and enter it again.
#![expect(unsafe_code, reason = "reads marks on stacks that may be gone")]

use std::cell::RefCell;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::sync::atomic::{AtomicU64, Ordering};

use millpond::device_api::Call;

use super::peek::peek_all;
use super::quiet::Quiet;

/// Words of a mark: the stack that is used later may have gaps.
const WORDS: usize = 32;

thread_local! {
    static KEPT: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

struct Kept {
    mark: usize,
    value: u64,
    call: Call<'static>,
}

/// A call of the system, as long as it is on the stack. It must not move once it has begun.
pub(in super::super) struct Frame([AtomicU64; WORDS]);

impl Frame {
    pub(in super::super) const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; WORDS])
    }

    /// Marks the stack. Calls of this thread that are gone keep nothing open any more.
    pub(in super::super) fn begin(&self) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // A value that is on no stack by chance.
        let value = NEXT
            .fetch_add(1, Ordering::Relaxed)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for word in &self.0 {
            word.store(value, Ordering::Relaxed);
        }
        let _quiet = Quiet::new();
        sweep();
    }

    fn mark(&self) -> usize {
        self.0.as_ptr().expose_provenance()
    }

    /// Keeps something until this ends. Gives it back where that cannot be: this thread was interrupted in here, or ends.
    pub(in super::super) fn keep(&self, call: Call<'static>) -> Option<Call<'static>> {
        let mut call = Some(call);
        let _ended = KEPT.try_with(|kept| {
            let Ok(mut kept) = kept.try_borrow_mut() else {
                return;
            };
            kept.extend(call.take().map(|call| Kept {
                mark: self.mark(),
                value: self.0[0].load(Ordering::Relaxed),
                call,
            }));
        });
        call
    }

    /// Whether one of those that it keeps opened a page.
    pub(in super::super) fn is_needed(&self) -> bool {
        let mark = self.mark();
        let needed = KEPT.try_with(|kept| {
            let kept = kept.try_borrow();
            kept.is_ok_and(|kept| kept.iter().any(|it| it.mark == mark && it.call.is_needed()))
        });
        needed.unwrap_or(false)
    }

    /// Lets go of what it keeps.
    pub(in super::super) fn end(&self) {
        let mark = self.mark();
        remove(|it| it.mark == mark);
        self.0[0].store(0, Ordering::Relaxed);
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        // A thread that is cancelled.
        if self.0[0].load(Ordering::Relaxed) != 0 {
            self.end();
        }
    }
}

/// Lets go of what calls keep that are gone.
pub(in super::super) fn sweep() {
    remove(|it| {
        let mut words = [MaybeUninit::<u64>::new(0); WORDS];
        let there = peek_all(it.mark, &mut words);
        // SAFETY: each was written above.
        let mut words = words.iter().map(|word| unsafe { word.assume_init() });
        !there || words.any(|word| word != it.value)
    });
}

fn remove(gone: impl Fn(&Kept) -> bool) {
    let removed = KEPT.try_with(|kept| {
        let mut kept = kept.try_borrow_mut().ok()?;
        // Mostly there is none.
        if !kept.iter().any(&gone) {
            return None;
        }
        let removed: Vec<Kept> = kept.extract_if(.., |it| gone(it)).collect();
        Some(removed)
    });
    drop(removed);
}

/// A forked child has none, and no page of it is closed.
pub(in super::super) fn forget() {
    let _ended = KEPT.try_with(|kept| {
        let kept = kept.try_borrow_mut();
        // Another thread may have held the gate's lock.
        kept.map(|mut kept| ManuallyDrop::new(std::mem::take(&mut *kept)))
    });
}
