//! The time that this thread has had a processor: what else runs on the machine does not count.
#![expect(unsafe_code, reason = "one foreign call: clock_gettime")]

/// Nanoseconds since some moment.
#[expect(clippy::cast_precision_loss, reason = "no run takes 2^53 nanoseconds")]
pub fn nanoseconds() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a writable timespec, and every Linux has this clock.
    let answer = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(answer, 0, "every Linux has this clock");
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_does_not_go_back() {
        let before = super::nanoseconds();
        assert!(super::nanoseconds() >= before);
    }
}
