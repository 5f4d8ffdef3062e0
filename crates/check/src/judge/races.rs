//! Races: two accesses to the same bytes, at least one of them a write, that are not ordered.
//!
//! Also what follows from the same knowledge: memory that is freed in use, and host memory that changes under a
//! queued copy.

use std::sync::Arc;

use millpond_trace::{Operation, Record, Space, Span};

use super::freed_in_use;
use super::history::{self, Conflict, Histories, Stumbles, TooEarly};
use super::host_buffers::HostBuffers;
use super::sources::Sources;
use super::{Judge, words};
use crate::Finding;
use crate::clock::Epoch;
use crate::rules::stream;
use crate::verdict::Verdict;
use crate::world::{Block, Turn, World};

/// Checks for unordered accesses.
#[derive(Debug, Default)]
pub(crate) struct Races {
    histories: Histories,
    host: HostBuffers,
    sources: Sources,
}

/// How many conflicts of one task are reported.
const MOST_TOLD: usize = 4;

impl Judge for Races {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        for block in world.blocks.ended_now() {
            freed_in_use::judge(&mut self.histories, world, record, block, verdict);
        }
        match &record.operation {
            Operation::PhysicalFreed { piece, .. } => self.histories.forget_piece(*piece),
            Operation::UseRecorded { address, position } => {
                if let Some(block) = world.blocks.find(*address) {
                    self.histories.record_use(world, block, position.stream);
                }
            }
            Operation::SourceChanged { position, range } => {
                let block = world.blocks.find(range.start);
                let found = self.sources.find(*position);
                let access = found.or_else(|| self.host.find(*position));
                let origin = crate::world::Origin::of(record);
                let operation = access.map_or_else(
                    || origin.operation(format!("copy of task {} reads", position.task)),
                    history::Access::operation,
                );
                let message = format!(
                    "the source of a copy that was queued in stream {} changed before the copy ran: some of {}",
                    position.stream,
                    words::range(*range)
                );
                let mut finding = Finding::new(&stream::HOST_BUFFER, message, operation);
                finding.bytes = Some(*range);
                finding.block = block.map(|block| block.lifetime());
                finding.missing = Some(format!(
                    "nothing waits for stream {} before the program writes to the source",
                    position.stream
                ));
                finding.advice = Some(
                    "do not change the source before the stream, or an event after the copy, is synchronised"
                        .to_owned(),
                );
                verdict.report(finding);
            }
            _ => {}
        }
    }

    fn turn(&mut self, world: &World, turn: &Turn, verdict: &mut Verdict) {
        // Models of one file may share weights: loading it again writes the same bytes.
        if turn.origin.site.call.starts_with("aclmdlLoad") {
            return;
        }
        let mut stumbles = Stumbles::default();
        for (span, block) in turn.reads() {
            if let Some(block) = block {
                self.sources.read(world, turn, span, block);
            }
            self.touch(world, turn, (span, block), false, &mut stumbles, verdict);
        }
        for (span, block) in turn.writes() {
            self.touch(world, turn, (span, block), true, &mut stumbles, verdict);
        }
        if let Some((block, early)) = stumbles.early {
            verdict.report(too_early(world, turn, &block, &early));
        }
        for (block, conflict) in stumbles.conflicts.iter().take(MOST_TOLD) {
            verdict.report(race(world, turn, Some(block), conflict));
        }
    }

    fn state_bytes(&self) -> u64 {
        self.histories.state_bytes() + self.host.state_bytes() + self.sources.state_bytes()
    }

    fn dropped_facts(&self) -> u64 {
        self.histories.dropped_facts + self.host.dropped_facts + self.sources.dropped_facts
    }
}

impl Races {
    fn touch(
        &mut self,
        world: &World,
        turn: &Turn,
        (span, block): (Span, Option<&Arc<Block>>),
        writes: bool,
        stumbles: &mut Stumbles,
        verdict: &mut Verdict,
    ) {
        if span.width == 0 || span.rows == 0 {
            return;
        }
        let Some(block) = block else {
            if let Some(conflict) = self.host.touch(world, turn, span, writes) {
                verdict.report(race(world, turn, None, &conflict));
            }
            return;
        };
        let hull = span.hull();
        if hull.start.saturating_add(hull.bytes) <= block.end() {
            self.histories
                .touch(world, turn, block, span, writes, stumbles);
            return;
        }
        // Adjacent mappings may be accessed as one.
        for block in world.blocks.overlapping(hull) {
            self.histories
                .touch(world, turn, block, span, writes, stumbles);
        }
    }
}

/// Tells of two accesses without an order.
fn race(world: &World, turn: &Turn, block: Option<&Arc<Block>>, conflict: &Conflict) -> Finding {
    let cached = world.caching.at(conflict.bytes.start);
    if let Some(cached) = cached
        && conflict.other.origin.order < cached.made.order
        && let Some(finding) = reused(world, turn, conflict)
    {
        return finding;
    }
    let Conflict {
        other,
        writes,
        bytes,
        range,
    } = conflict;
    let on_host = block.is_none_or(|block| block.space == Space::Pinned);
    let by_host = matches!(turn.epoch, Epoch::Host(_));
    let rule = if by_host && on_host {
        &stream::HOST_BUFFER
    } else {
        &stream::RACE
    };
    let (does, did) = (verb(*writes), verb(other.writes));
    let theirs = other.position.stream;
    let who = match history::stream_of(turn) {
        Some(mine) => format!("stream {mine}"),
        None => "the host".to_owned(),
    };
    let message = format!(
        "{who} {does}s {} that stream {theirs} {did}s, and nothing orders them",
        words::range(*bytes)
    );
    let mine = turn
        .origin
        .operation(history::describe(turn.accesses.task, *writes, *range));
    let mut finding = Finding::new(rule, message, mine);
    finding.operations.push(other.operation());
    finding.bytes = Some(*bytes);
    finding.block = match cached {
        Some(cached) => Some(cached.lifetime()),
        None => block.map(|block| block.lifetime()),
    };
    (finding.missing, finding.advice) = match history::stream_of(turn) {
        Some(mine) => (
            Some(format!(
                "stream {mine} does not wait for the {did} of stream {theirs}"
            )),
            Some(format!(
                "record an event in stream {theirs} after its {did} and let stream {mine} wait for it before its {does}, or synchronise stream {theirs} before the {does} is queued"
            )),
        ),
        None => (
            Some(format!(
                "nothing waits for the {did} of stream {theirs} before the call"
            )),
            Some(format!(
                "synchronise stream {theirs}, or an event after its {did}, before the call"
            )),
        ),
    };
    finding
}

/// Tells of memory of a tensor that died while another stream used it, and that its allocator has given to the next
/// one since: what the two do has no order.
fn reused(world: &World, turn: &Turn, conflict: &Conflict) -> Option<Finding> {
    let Conflict {
        other,
        writes,
        bytes,
        range,
    } = conflict;
    let gone = world.caching.had(*bytes, other.origin.order)?;
    let (does, did) = (verb(*writes), verb(other.writes));
    let theirs = other.position.stream;
    let who = match history::stream_of(turn) {
        Some(mine) => format!("stream {mine}"),
        None => "the host".to_owned(),
    };
    let message = format!(
        "{who} {does}s {} that stream {theirs} {did}s for a tensor that was freed meanwhile: the allocator reused its memory \
         without waiting for stream {theirs}",
        words::range(*bytes)
    );
    let mine = turn
        .origin
        .operation(history::describe(turn.accesses.task, *writes, *range));
    let mut finding = Finding::new(&stream::MISSING_RECORD_USE, message, mine);
    finding.operations.push(other.operation());
    finding.operations.push(gone.operation());
    finding.bytes = Some(*bytes);
    finding.block = Some(gone.lifetime());
    finding.missing = Some(format!(
        "record_stream of the tensor for stream {theirs}, or a wait for the {did} before the tensor is freed"
    ));
    finding.advice = Some(format!(
        "call record_stream on the tensor with the stream that uses it (stream {theirs}), or let the stream that it was \
         allocated in wait for stream {theirs} before the last reference to it is dropped"
    ));
    Some(finding)
}

/// Tells of a use before the allocation in the order of a stream.
fn too_early(world: &World, turn: &Turn, block: &Arc<Block>, early: &TooEarly) -> Finding {
    let theirs = early.allocated.stream;
    let does = verb(early.writes);
    let who = match history::stream_of(turn) {
        Some(mine) => format!("stream {mine}"),
        None => "the host".to_owned(),
    };
    let message = format!(
        "{who} {does}s {} before the block is allocated in the order of stream {theirs}",
        words::range(early.range)
    );
    let what = history::describe(turn.accesses.task, early.writes, early.range);
    let mut finding = Finding::new(&stream::RACE, message, turn.origin.operation(what));
    finding
        .operations
        .push(block.made.operation("allocates the block"));
    finding.bytes = Some(early.range);
    finding.block = Some(block.lifetime());
    finding.missing = Some(format!(
        "nothing orders the {does} after the allocation in stream {theirs}"
    ));
    let known = world.streams.get(theirs).is_some();
    finding.advice = known.then(|| {
        format!(
            "record an event in stream {theirs} after the allocation and wait for it before the {does}, or synchronise stream {theirs}"
        )
    });
    finding
}

fn verb(writes: bool) -> &'static str {
    if writes { "write" } else { "read" }
}
