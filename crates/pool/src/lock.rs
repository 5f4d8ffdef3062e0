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
    #[cold]
    fn wait(&self) {
        const SPINS: u32 = 100;
        const YIELDS: u32 = 200;
        let mut turns = 0_u32;
        loop {
            while self.0.load(Ordering::Relaxed) {
                turns += 1;
                if turns <= SPINS {
                    std::hint::spin_loop();
                } else if turns <= SPINS + YIELDS {
                    std::thread::yield_now();
                } else {
                    std::thread::sleep(Duration::from_micros(50));
                }
            }
            if self.try_lock() {
                return;
            }
        }
    }
}
