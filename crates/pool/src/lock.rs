//! A lock for critical sections of a few instructions.
//!
//! Unlocking is a plain store. Locks that put threads to sleep need another locked instruction there, which would take a
//! third of the time of an allocation. A thread that finds the lock taken spins briefly, then yields, then sleeps, so
//! that a preempted holder gets the processor back whatever the priorities are.
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
    /// Retries with increasing pauses: the holder often takes the lock again immediately, and does much more work in
    /// the time that the lock needs to move between processors.
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
