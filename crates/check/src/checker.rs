//! Reads records and yields findings.

use millpond_trace::Record;

use crate::Finding;

/// What is looked for.
#[derive(Debug, Clone)]
pub struct Options {
    /// Rules that count; empty for all. An id, or a group with a star: `stream.*`.
    pub rules: Vec<String>,
    /// Whether what is left at the end counts.
    pub leaks: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            leaks: true,
        }
    }
}

/// How much there was to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Records that were read.
    pub records: u64,
    /// Bytes that the checker's books take now.
    pub books: u64,
    /// The most they took.
    pub books_peak: u64,
    /// Pieces of knowledge that were given up because a bound was reached.
    pub forgotten: u64,
}

/// Judges records, which come in the order of their numbers.
#[derive(Debug)]
pub struct Checker {
    options: Options,
    statistics: Statistics,
    fresh: Vec<Finding>,
}

impl Checker {
    /// A checker that has seen nothing.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            statistics: Statistics::default(),
            fresh: Vec::new(),
        }
    }

    /// Reads one record.
    pub fn read(&mut self, record: &Record) {
        self.statistics.records += 1;
        let _ = (record, &self.options);
    }

    /// There are no more records: the program has ended.
    pub fn end(&mut self) {}

    /// The findings since the last time, each once. Repeats only count: [`Checker::times`].
    pub fn drain(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.fresh)
    }

    /// How often each finding happened so far, in the order in which they were first yielded.
    pub fn times(&self) -> &[u64] {
        &[]
    }

    /// How much there was to do.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }
}
