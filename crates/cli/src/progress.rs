//! How far long work is: one line on stderr that is written over, on a terminal only.
//!
//! `MILLPOND_PROGRESS=always` writes a line for every step, wherever stderr goes, and `never` nothing.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use millpond_recording::{About, Error, Event, Notes, Source, Tables};

use crate::say::say;

/// Work that ends sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);
const BETWEEN: Duration = Duration::from_millis(100);

/// The variable.
const SETTING: &str = "MILLPOND_PROGRESS";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Off,
    /// One line, now and then.
    Line,
    /// A line each time.
    Lines,
}

/// The line.
#[derive(Debug)]
pub(crate) struct Progress {
    mode: Mode,
    begun: Instant,
    latest: Option<Instant>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let mode = match std::env::var(SETTING).as_deref() {
            Ok("always") => Mode::Lines,
            Ok("never") => Mode::Off,
            _ if io::stderr().is_terminal() => Mode::Line,
            _ => Mode::Off,
        };
        Self {
            mode,
            begun: Instant::now(),
            latest: None,
        }
    }

    /// `part` of the work is done, from 0 to 1.
    pub(crate) fn show(&mut self, what: &str, part: f64) {
        let percent = part.clamp(0.0, 1.0) * 100.0;
        if self.mode == Mode::Lines {
            say!("{what} {percent:.0} %\n");
        }
        let now = Instant::now();
        let soon = |latest: Instant| now.duration_since(latest) < BETWEEN;
        if self.mode != Mode::Line
            || now.duration_since(self.begun) < PATIENCE
            || self.latest.is_some_and(soon)
        {
            return;
        }
        self.latest = Some(now);
        say!("\r\x1b[K{what} {percent:.0} %");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.latest.is_some() {
            say!("\r\x1b[K");
        }
    }
}

/// A source that shows how far it was read. Some formats are written in several passes.
#[derive(Debug)]
pub(crate) struct Shown<'a> {
    source: &'a mut dyn Source,
    progress: &'a mut Progress,
    what: String,
    pass: u32,
}

impl<'a> Shown<'a> {
    pub(crate) fn new(
        source: &'a mut dyn Source,
        progress: &'a mut Progress,
        what: String,
    ) -> Self {
        Self {
            source,
            progress,
            what,
            pass: 0,
        }
    }
}

impl Source for Shown<'_> {
    fn about(&self) -> &About {
        self.source.about()
    }

    fn tables(&self) -> &Tables {
        self.source.tables()
    }

    fn before(&self) -> &[Event] {
        self.source.before()
    }

    fn read(&mut self, into: &mut Vec<Event>) -> Result<bool, Error> {
        let read = self.source.read(into)?;
        let what = format!("{}, pass {}:", self.what, self.pass.max(1));
        self.progress.show(&what, self.source.progress());
        Ok(read)
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.pass += 1;
        self.source.rewind()
    }

    fn notes(&self) -> Notes {
        self.source.notes()
    }

    fn events(&self) -> Option<u64> {
        self.source.events()
    }

    fn progress(&self) -> f64 {
        self.source.progress()
    }
}
