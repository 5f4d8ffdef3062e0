//! A lock for a few instructions.
//!
//! Letting go of it is a plain store, where locks that put threads to sleep need another locked
//! instruction; on the way of an allocation that is a third of the time. Whoever finds it taken
//! spins a little, then gives the processor away, then sleeps, so that a holder that lost its
//! processor gets it back whatever the priorities are.
#![expect(unsafe_code, reason = "implements the contract of a raw lock")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lock_api::{GuardSend, RawMutex};

pub(crate) type Lock<T> = lock_api::Mutex<Spin, T>;

#[derive(Debug)]
pub(crate) struct Spin(AtomicBool);

// SAFETY: whoever swaps `false` for `true` is the only holder until it stores `false`; acquire and
// release order what it did before what the next holder does.
unsafe impl RawMutex for Spin {
    const INIT: Self = Self(AtomicBool::new(false));
    type GuardMarker = GuardSend;

    #[inline(always)]
    fn lock(&self) {
        if self.0.swap(true, Ordering::Acquire) {
            self.wait();
        }
    }

    #[inline(always)]
    fn try_lock(&self) -> bool {
        !self.0.swap(true, Ordering::Acquire)
    }

    #[inline(always)]
    unsafe fn unlock(&self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Spin {
    /// Looks again after ever longer pauses: whoever holds it often wants it again at once, and does much
    /// more in the time that the lock takes to go from one processor to another.
    #[cold]
    fn wait(&self) {
        const LONGEST: u32 = 64;
        const LONG: u32 = 4;
        const YIELDS: u32 = 200;
        let mut pauses = 1_u32;
        let mut turns = 0_u32;
        loop {
            if turns < LONG {
                for _ in 0..pauses {
                    std::hint::spin_loop();
                }
                if pauses < LONGEST {
                    pauses *= 2;
                } else {
                    turns += 1;
                }
            } else if turns < LONG + YIELDS {
                turns += 1;
                std::thread::yield_now();
            } else {
                std::thread::sleep(Duration::from_micros(50));
            }
            if !self.0.load(Ordering::Relaxed) && self.try_lock() {
                return;
            }
        }
    }
}
