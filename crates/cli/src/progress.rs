//! How far long work is: one line on stderr that is written over, on a terminal only.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use crate::say::say;

/// Work that ends sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);
const BETWEEN: Duration = Duration::from_millis(100);

/// The line.
#[derive(Debug)]
pub(crate) struct Progress {
    on: bool,
    begun: Instant,
    latest: Option<Instant>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self {
            on: io::stderr().is_terminal(),
            begun: Instant::now(),
            latest: None,
        }
    }

    /// `part` of the work is done, from 0 to 1.
    pub(crate) fn show(&mut self, what: &str, part: f64) {
        let now = Instant::now();
        let soon = |latest: Instant| now.duration_since(latest) < BETWEEN;
        if !self.on || now.duration_since(self.begun) < PATIENCE || self.latest.is_some_and(soon) {
            return;
        }
        self.latest = Some(now);
        say!("\r\x1b[K{what} {:.0} %", part.clamp(0.0, 1.0) * 100.0);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.latest.is_some() {
            say!("\r\x1b[K");
        }
    }
}
