//! How often functions were called.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::matches;

/// How often a function was called, and how often that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// All calls.
    pub calls: u64,
    /// Those that returned an error.
    pub failures: u64,
}

/// Counts by function. Nothing is counted before [`Counters::start`].
#[derive(Debug)]
pub struct Counters {
    on: AtomicBool,
    counts: Mutex<BTreeMap<Cow<'static, str>, Count>>,
}

impl Default for Counters {
    fn default() -> Self {
        Self::new()
    }
}

impl Counters {
    /// Counts of nothing.
    pub const fn new() -> Self {
        Self {
            on: AtomicBool::new(false),
            counts: Mutex::new(BTreeMap::new()),
        }
    }

    /// Counts from now on, from 0.
    pub fn start(&self) {
        self.counts.lock().clear();
        self.on.store(true, Ordering::Relaxed);
    }

    /// Counts no more. What was counted stays.
    pub fn stop(&self) {
        self.on.store(false, Ordering::Relaxed);
    }

    /// Sets all counts to 0.
    pub fn clear(&self) {
        self.counts.lock().clear();
    }

    /// Whether calls are counted.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// A function was called.
    pub fn count(&self, function: &'static str, failed: bool) {
        if !self.is_on() {
            return;
        }
        let mut counts = self.counts.lock();
        let count = counts.entry(Cow::Borrowed(function)).or_default();
        count.calls += 1;
        count.failures += u64::from(failed);
    }

    /// How often the functions were called whose names match, together.
    pub fn of(&self, pattern: &str) -> Count {
        let mut sum = Count::default();
        for (function, count) in &*self.counts.lock() {
            if matches(pattern, function) {
                sum.calls += count.calls;
                sum.failures += count.failures;
            }
        }
        sum
    }

    /// Everything that was called, by name.
    pub fn all(&self) -> Vec<(String, Count)> {
        let counts = self.counts.lock();
        let all = counts.iter();
        all.map(|(function, count)| (function.to_string(), *count))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_from_the_start_to_the_stop() {
        let counters = Counters::new();
        counters.count("a", false);
        assert_eq!(counters.of("*"), Count::default());
        counters.start();
        counters.count("aclrtMalloc", false);
        counters.count("aclrtMallocHost", true);
        counters.count("aclrtFree", false);
        let count = |calls, failures| Count { calls, failures };
        assert_eq!(counters.of("aclrtMalloc"), count(1, 0));
        assert_eq!(counters.of("aclrtMalloc*"), count(2, 1));
        assert_eq!(counters.of("aclrtMemcpy"), count(0, 0));
        counters.stop();
        counters.count("aclrtFree", false);
        assert_eq!(counters.all().len(), 3);
        assert_eq!(counters.of("*"), count(3, 1));
        counters.start();
        assert_eq!(counters.of("*"), count(0, 0));
    }
}
