//! Host code that accesses pinned memory while queued work uses it.
//!
//! A task that reads or writes pinned memory *uses* those bytes from its turn until the host is known to come after
//! it. Turns and knowledge are those of every other rule, so what orders a free or a call orders such an access
//! too. All threads of the program are one host. An access is a separate record ([`Operation::HostAccessed`]): the
//! runtime has closed the pages that the [`Gate`] named, and the program hit one. So a record file is judged like
//! the program was.
//!
//! Owns: the uses, and the gate if there is one.
//!
//! Invariant: a use ends as soon as the host knows its task or its block is freed; then its pages are open. A use
//! that was violated is reported once and ends too, so a program that reads a large tensor too early gets one
//! finding and one fault.

use std::collections::VecDeque;
use std::sync::Arc;

use millpond_trace::{Bytes, Operation, Position, Record, Space, Span, TaskKind};

use crate::Finding;
use crate::clock::Epoch;
use crate::gate::{Change, Gate, GateOptions};
use crate::judge::{describe, overlap, words};
use crate::rules::stream;
use crate::verdict::Verdict;
use crate::world::{Block, BlockKind, Origin, Turn, World, is_word};

/// How many uses are kept. Further ones are not checked.
const MOST: usize = 16_384;
/// How many tasks with reported accesses are remembered.
const MOST_REPORTED: usize = 1024;

/// All uses of pinned memory by tasks that the host is not known to come after.
#[derive(Debug, Default)]
pub(crate) struct Touches {
    uses: Vec<Use>,
    next: u64,
    gate: Option<Gate>,
    /// What the host knew when this was last examined.
    seen: u64,
    reported: VecDeque<Position>,
    dropped_facts: u64,
}

#[derive(Debug)]
struct Use {
    number: u64,
    position: Position,
    task: TaskKind,
    span: Span,
    writes: bool,
    block: Arc<Block>,
    origin: Arc<Origin>,
}

impl Touches {
    /// Determines which pages to close from now on.
    pub(crate) fn keep_gate(&mut self, options: GateOptions) {
        self.gate = Some(Gate::new(options));
    }

    pub(crate) fn changes(&mut self) -> Option<&mut Vec<Change>> {
        self.gate.as_mut().map(Gate::changes)
    }

    /// A record was learned: drops uses that have ended.
    pub(crate) fn learn(&mut self, world: &World) {
        if self.uses.is_empty() {
            return;
        }
        let ended = world.blocks.ended_now();
        let changes = world.learned.changes();
        if changes == self.seen && ended.is_empty() {
            return;
        }
        self.seen = changes;
        let is_over = |one: &Use| {
            let freed = ended.iter().any(|block| block.number == one.block.number);
            freed || world.host_knows(one.position)
        };
        if self.uses.iter().any(is_over) {
            self.uses.retain(|one| !is_over(one));
            self.end_uses();
        }
    }

    /// Drops ended uses from the gate.
    fn end_uses(&mut self) {
        if let Some(gate) = &mut self.gate {
            // Numbers ascend.
            gate.end(|number| {
                self.uses
                    .binary_search_by_key(&number, |one| one.number)
                    .is_err()
            });
        }
    }

    /// Work has its turn.
    pub(crate) fn turn(&mut self, world: &World, turn: &Turn) {
        let Epoch::Task(position) = turn.epoch else {
            return;
        };
        // The program may write a word that a stream waits for.
        if is_word(&turn.accesses) {
            return;
        }
        let reads = turn.reads().map(|(span, block)| (span, block, false));
        let writes = turn.writes().map(|(span, block)| (span, block, true));
        for (span, block, writes) in reads.chain(writes) {
            let Some(block) = block else { continue };
            let pinned = block.space == Space::Pinned && block.kind == BlockKind::Plain;
            // At its turn the block may be freed.
            if !pinned || span.hull().bytes == 0 || block.ended.is_some() {
                continue;
            }
            if world.host_knows(position) || !is_live(world, block) {
                continue;
            }
            self.use_begins(Use {
                number: 0,
                position,
                task: turn.accesses.task,
                span,
                writes,
                block: Arc::clone(block),
                origin: Arc::clone(&turn.origin),
            });
        }
    }

    fn use_begins(&mut self, one: Use) {
        if self.uses.len() == MOST {
            self.dropped_facts += 1;
            return;
        }
        self.next += 1;
        if let Some(gate) = &mut self.gate {
            gate.begin(self.next, one.span.hull(), one.writes);
        }
        self.uses.push(Use {
            number: self.next,
            ..one
        });
    }

    /// A record was made. Returns whether it adds nothing: the source of a copy has changed because of an access that was
    /// reported.
    pub(crate) fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) -> bool {
        match &record.operation {
            Operation::HostAccessed { range, write, .. } => {
                self.touched(world, record, *range, *write, verdict);
                false
            }
            Operation::SourceChanged { position, .. } => self.reported.contains(position),
            _ => false,
        }
    }

    fn touched(
        &mut self,
        world: &World,
        record: &Record,
        range: Bytes,
        write: bool,
        verdict: &mut Verdict,
    ) {
        let in_the_way = |one: &Use| (write || one.writes) && touches(one.span, range);
        // The latest is the one that the program queued last.
        if let Some(one) = self.uses.iter().rfind(|one| in_the_way(one)) {
            verdict.report(finding(world, record, range, write, one));
        }
        let reported = self.uses.iter().filter(|one| in_the_way(one));
        self.reported.extend(reported.map(|one| one.position));
        while self.reported.len() > MOST_REPORTED {
            self.reported.pop_front();
        }
        self.uses.retain(|one| !in_the_way(one));
        self.end_uses();
        if let Some(gate) = &mut self.gate {
            gate.pass(range, write);
        }
    }

    /// The program has ended, or the checker was detached: everything is open.
    pub(crate) fn end(&mut self) {
        self.uses.clear();
        self.end_uses();
    }

    pub(crate) fn state_bytes(&self) -> u64 {
        let uses = self.uses.capacity() * size_of::<Use>();
        let reported = self.reported.capacity() * size_of::<Position>();
        (uses + reported) as u64 + self.gate.as_ref().map_or(0, Gate::state_bytes)
    }

    pub(crate) fn dropped_facts(&self) -> u64 {
        self.dropped_facts + self.gate.as_ref().map_or(0, |gate| gate.dropped_facts)
    }
}

fn is_live(world: &World, block: &Block) -> bool {
    let found = world.blocks.find(block.range.start);
    found.is_some_and(|found| found.number == block.number)
}

/// Whether a range has a byte in common with a span.
fn touches(span: Span, range: Bytes) -> bool {
    let Some(both) = overlap(span.hull(), range) else {
        return false;
    };
    if span.rows <= 1 || span.pitch <= span.width || both.bytes >= span.pitch {
        return true;
    }
    // From a row on, counted from the row's start.
    let at = (both.start - span.start) % span.pitch;
    at < span.width || at + both.bytes > span.pitch
}

fn finding(world: &World, record: &Record, range: Bytes, write: bool, one: &Use) -> Finding {
    let theirs = one.position.stream;
    let (does, will) = (
        if write { "writes" } else { "reads" },
        if one.writes { "writes" } else { "reads" },
    );
    let noun = if write { "write" } else { "read" };
    let what = match one.task {
        TaskKind::Copy => "copy",
        TaskKind::Fill => "fill",
        _ => "operator",
    };
    // A fault reveals only the first byte.
    let bytes = if range.bytes <= 1 {
        String::new()
    } else {
        format!("{} of ", words::count(range.bytes, "byte"))
    };
    let place = format!("{bytes}pinned memory at {:#x}", range.start);
    let message = format!(
        "the program {does} {place}, which a queued {what} of stream {theirs} {will}, and nothing has waited for the \
         {what}"
    );
    let operation = Origin::of(record).operation(format!("the program {does} {place}"));
    let mut finding = Finding::new(&stream::HOST_BUFFER, message, operation);
    let use_act = one
        .origin
        .operation(describe(one.task, one.writes, one.span.hull()));
    finding.operations.push(use_act);
    finding.bytes = Some(range);
    finding.block = Some(one.block.lifetime());
    finding.missing = Some(format!(
        "nothing waits for stream {theirs} before the {noun}"
    ));
    let known = world.streams.get(theirs).is_some();
    finding.advice = known.then(|| {
        format!(
            "synchronise stream {theirs}, or an event recorded after the {what}, before the {noun}"
        )
    });
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_between_rows_are_not_used() {
        let span = Span {
            start: 1000,
            width: 10,
            pitch: 100,
            rows: 3,
        };
        let at = |start, bytes| touches(span, Bytes { start, bytes });
        for (start, bytes, expected) in [
            (1000, 1, true),
            (1009, 1, true),
            (1010, 1, false),
            (1010, 90, false),
            (1010, 91, true),
            (1099, 2, true),
            (1100, 1, true),
            (1209, 1, true),
            (1210, 1, false),
            (999, 1, false),
            (990, 11, true),
            (0, 5000, true),
        ] {
            assert_eq!(at(start, bytes), expected, "{start}, {bytes}");
        }
    }
}
