//! Reads records and yields findings.

use millpond_trace::{Operation, Record};

use crate::Finding;
use crate::gate::{Change, GateOptions};
use crate::judge::{self, Judge};
use crate::rules::{memory, stream};
use crate::touches::Touches;
use crate::verdict::Verdict;
use crate::world::{Turn, World};

/// What is looked for.
#[derive(Debug, Clone)]
pub struct Options {
    /// Rules that count; empty for all. An id, or a group with a star: `stream.*`.
    pub rules: Vec<String>,
    /// Whether what is left at the end counts.
    pub leaks: bool,
    /// Whether only a part of a program is checked: what it has when that ends it may still need.
    pub part: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            leaks: true,
            part: false,
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
    /// The most they took, looked at now and then.
    pub books_peak: u64,
    /// Pieces of knowledge that were given up because a bound was reached.
    pub forgotten: u64,
    /// Blocks that live in a program which never called `aclrtResetDevice` or `aclFinalize`: they are not
    /// leaks, and at its end somebody may want to know of them. 0 where leaks are not looked for.
    pub unasked: u64,
}

/// Judges records, which come in the order of their numbers.
#[derive(Debug)]
pub struct Checker {
    world: World,
    /// Those that hear of work come first.
    judges: Vec<Box<dyn Judge>>,
    hear_work: usize,
    /// What code of the program does to pinned memory; none where its rule is not wanted.
    touches: Option<Touches>,
    verdict: Verdict,
    records: u64,
    books_peak: u64,
    /// Kept from record to record for its room.
    turns: Vec<Turn>,
}

/// Books are measured after so many records.
const MEASURED_EVERY: u64 = 4096;

impl Checker {
    /// A checker that has seen nothing.
    pub fn new(options: Options) -> Self {
        let mut judges = judge::all(&options);
        judges.sort_by_key(|judge| !judge.hears_work());
        let verdict = Verdict::new(options.rules);
        Self {
            world: World::default(),
            hear_work: judges.partition_point(|judge| judge.hears_work()),
            judges,
            touches: verdict.wants(&stream::HOST_BUFFER).then(Touches::default),
            verdict,
            records: 0,
            books_peak: 0,
            turns: Vec::new(),
        }
    }

    /// From now on [`Checker::changes`] says which pages of pinned memory are to be closed and opened. False if no rule
    /// needs that.
    pub fn keep_gate(&mut self, options: GateOptions) -> bool {
        let Some(touches) = &mut self.touches else {
            return false;
        };
        touches.keep_gate(options);
        true
    }

    /// Pages that are to be closed or opened since the last time, in this order.
    pub fn changes(&mut self) -> Vec<Change> {
        let changes = self.touches.as_mut().and_then(Touches::changes);
        changes.map_or_else(Vec::new, std::mem::take)
    }

    /// Whether there are any.
    pub(crate) fn has_changes(&mut self) -> bool {
        let changes = self.touches.as_mut().and_then(Touches::changes);
        changes.is_some_and(|changes| !changes.is_empty())
    }

    /// Reads one record.
    pub fn read(&mut self, record: &Record) {
        self.records += 1;
        if matches!(
            record.operation,
            Operation::StackSeen { .. } | Operation::ModuleSeen { .. }
        ) {
            self.world.see(record);
            return;
        }
        let mut turns = std::mem::take(&mut self.turns);
        self.world.learn(record, &mut turns);
        let mut is_reported = false;
        if let Some(touches) = &mut self.touches {
            touches.learn(&self.world);
            is_reported = touches.record(&self.world, record, &mut self.verdict);
        }
        let listening = match record.operation {
            _ if is_reported => &mut [],
            // It changes what is known, and lets others have their turn, but it breaks no rule.
            Operation::Completed { .. } => &mut [],
            Operation::Enqueued { .. } | Operation::Moved { .. } => {
                &mut self.judges[..self.hear_work]
            }
            _ => &mut self.judges[..],
        };
        for judge in listening {
            judge.record(&self.world, record, &mut self.verdict);
        }
        for turn in turns.drain(..) {
            for judge in &mut self.judges {
                judge.turn(&self.world, &turn, &mut self.verdict);
            }
            if let Some(touches) = &mut self.touches {
                touches.turn(&self.world, &turn);
            }
        }
        self.turns = turns;
        if self.records.is_multiple_of(MEASURED_EVERY) {
            self.books_peak = self.books_peak.max(self.books());
        }
    }

    /// There are no more records: the program has ended.
    pub fn end(&mut self) {
        for judge in &mut self.judges {
            judge.end(&self.world, &mut self.verdict);
        }
        if let Some(touches) = &mut self.touches {
            touches.end();
        }
    }

    /// The findings since the last time, each once. Repeats only count: [`Checker::times`].
    pub fn drain(&mut self) -> Vec<Finding> {
        self.verdict.drain()
    }

    /// How often each finding happened so far, in the order in which they were first yielded.
    pub fn times(&self) -> &[u64] {
        self.verdict.times()
    }

    /// How much there was to do.
    pub fn statistics(&self) -> Statistics {
        let books = self.books();
        Statistics {
            records: self.records,
            books,
            books_peak: self.books_peak.max(books),
            forgotten: self.verdict.forgotten
                + self.world.forgotten()
                + self.touches.as_ref().map_or(0, Touches::forgotten)
                + self
                    .judges
                    .iter()
                    .map(|judge| judge.forgotten())
                    .sum::<u64>(),
            unasked: self.unasked(),
        }
    }

    fn unasked(&self) -> u64 {
        if !self.verdict.wants(&memory::LEAK) {
            return 0;
        }
        let judges = self.judges.iter();
        judges.map(|judge| judge.unasked(&self.world)).sum()
    }

    fn books(&self) -> u64 {
        let judges: u64 = self.judges.iter().map(|judge| judge.books()).sum();
        let touches = self.touches.as_ref().map_or(0, Touches::books);
        judges + touches + self.world.books() + self.verdict.books()
    }
}
