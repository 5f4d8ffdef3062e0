//! Reads records and returns findings.

use millpond_trace::{Operation, Record};

use crate::Finding;
use crate::gate::{Change, GateOptions};
use crate::judge::{self, Judge};
use crate::rules::{memory, stream};
use crate::touches::Touches;
use crate::verdict::Verdict;
use crate::world::{Turn, World};

/// What to check.
#[derive(Debug, Clone)]
pub struct Options {
    /// Rules to check; empty for all. An id, or a group such as `stream.*`.
    pub rules: Vec<String>,
    /// Whether to report leaks.
    pub leaks: bool,
    /// Whether only a part of a program is checked: what exists at its end may still be needed.
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

/// Statistics of a check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Records that were read.
    pub records: u64,
    /// Bytes of the checker's state now.
    pub state_bytes: u64,
    /// Their peak, sampled now and then.
    pub peak_state_bytes: u64,
    /// Facts that were dropped to limit the memory.
    pub dropped_facts: u64,
    /// Blocks that are not freed in a program that called neither `aclrtResetDevice` nor `aclFinalize`. They are not leaks,
    /// but a report should mention them. 0 if leaks are not checked.
    pub unfreed_blocks: u64,
}

/// Judges records, in the order of their numbers.
#[derive(Debug)]
pub struct Checker {
    world: World,
    /// Those with `sees_requests` come first.
    judges: Vec<Box<dyn Judge>>,
    see_requests: usize,
    /// Host accesses to pinned memory; none if their rule is not checked.
    touches: Option<Touches>,
    verdict: Verdict,
    records: u64,
    peak_state_bytes: u64,
    /// Reused from record to record.
    turns: Vec<Turn>,
}

/// The state is measured once per this many records.
const MEASURED_EVERY: u64 = 4096;

impl Checker {
    /// A checker without records.
    pub fn new(options: Options) -> Self {
        let mut judges = judge::all(&options);
        judges.sort_by_key(|judge| !judge.sees_requests());
        let verdict = Verdict::new(options.rules);
        Self {
            world: World::default(),
            see_requests: judges.partition_point(|judge| judge.sees_requests()),
            judges,
            touches: verdict.wants(&stream::HOST_BUFFER).then(Touches::default),
            verdict,
            records: 0,
            peak_state_bytes: 0,
            turns: Vec::new(),
        }
    }

    /// From now on [`Checker::changes`] returns which pages of pinned memory to close and open. Returns false if no rule needs
    /// that.
    pub fn keep_gate(&mut self, options: GateOptions) -> bool {
        let Some(touches) = &mut self.touches else {
            return false;
        };
        touches.keep_gate(options);
        true
    }

    /// Pages to close or open since the last call, in this order.
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
            // It changes the world, and gives other tasks their turn, but it breaks no rule.
            Operation::Completed { .. } => &mut [],
            Operation::Enqueued { .. } | Operation::Moved { .. } => {
                &mut self.judges[..self.see_requests]
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
            self.peak_state_bytes = self.peak_state_bytes.max(self.state_bytes());
        }
    }

    /// The program has ended: there are no more records.
    pub fn end(&mut self) {
        for judge in &mut self.judges {
            judge.end(&self.world, &mut self.verdict);
        }
        if let Some(touches) = &mut self.touches {
            touches.end();
        }
    }

    /// The findings since the last call, each once. Repeats are counted: [`Checker::times`].
    pub fn drain(&mut self) -> Vec<Finding> {
        self.verdict.drain()
    }

    /// How often each finding happened so far, in the order of [`Checker::drain`].
    pub fn times(&self) -> &[u64] {
        self.verdict.times()
    }

    /// Statistics so far.
    pub fn statistics(&self) -> Statistics {
        let state_bytes = self.state_bytes();
        Statistics {
            records: self.records,
            state_bytes,
            peak_state_bytes: self.peak_state_bytes.max(state_bytes),
            dropped_facts: self.verdict.dropped_facts
                + self.world.dropped_facts()
                + self.touches.as_ref().map_or(0, Touches::dropped_facts)
                + self
                    .judges
                    .iter()
                    .map(|judge| judge.dropped_facts())
                    .sum::<u64>(),
            unfreed_blocks: self.unfreed_blocks(),
        }
    }

    fn unfreed_blocks(&self) -> u64 {
        if !self.verdict.wants(&memory::LEAK) {
            return 0;
        }
        let judges = self.judges.iter();
        judges.map(|judge| judge.unfreed_blocks(&self.world)).sum()
    }

    fn state_bytes(&self) -> u64 {
        let judges: u64 = self.judges.iter().map(|judge| judge.state_bytes()).sum();
        let touches = self.touches.as_ref().map_or(0, Touches::state_bytes);
        judges + touches + self.world.state_bytes() + self.verdict.state_bytes()
    }
}
