//! Memory that is freed or unmapped while queued work uses it: by the host, or in the order of a stream that is not
//! ordered after the work.

use std::sync::Arc;

use millpond_trace::{Operation, Position, Record, Space, Span};

use super::history::{Access, Histories, add_latest};
use super::host_buffers::overlap;
use super::words;
use crate::Finding;
use crate::clock::Epoch;
use crate::rules::{Rule, memory, stream};
use crate::verdict::Verdict;
use crate::world::{Block, BlockKind, Origin, World};

/// How many tasks without a turn are examined.
const MOST_WAITING: usize = 4096;

/// How many further users of the memory a finding names.
const MOST_NAMED: usize = 3;

/// Judges the end of a block or mapping, and drops its history.
pub(super) fn judge(
    histories: &mut Histories,
    world: &World,
    record: &Record,
    block: &Arc<Block>,
    verdict: &mut Verdict,
) {
    let ordered = match &record.operation {
        Operation::Freed { ordered, .. } => *ordered,
        _ => None,
    };
    if let Some(position) = ordered {
        in_order(histories, world, record, block, position, verdict);
        return;
    }
    let (mut used, _) = histories.accesses(block, |access| !world.host_knows(access.position));
    // What is in memory of a registered allocator is that allocator's affair. And what the runtime
    // takes and gives back inside a call it keeps until the work has passed.
    let by_itself = matches!(
        record.operation,
        Operation::Freed { .. } | Operation::Unmapped { .. }
    );
    if !by_itself || !world.allocators.taken().is_empty() || !is_free(&record.site.call) {
        return;
    }
    add_waiting(world, block, &mut used);
    latest_first(&mut used);
    let Some(first) = used.first() else {
        return;
    };
    let does = if first.writes { "writes" } else { "reads" };
    let theirs = first.position.stream;
    let pinned = block.space == Space::Pinned;
    let rule: &'static Rule = if pinned {
        &stream::HOST_BUFFER
    } else {
        &memory::FREED_IN_USE
    };
    let (goes, name) = match block.kind {
        BlockKind::Mapping(piece) => ("unmapped", format!("the mapping of piece {piece}")),
        BlockKind::Plain | BlockKind::Pool(_) => ("freed", format!("block {}", block.number)),
    };
    let message = format!(
        "{name} ({}) is {goes} while queued work of stream {theirs} still {does} it",
        words::count(block.requested, "byte")
    );
    let mut finding = in_use(
        rule,
        message,
        &format!("{name} is {goes}"),
        record,
        block,
        &used,
    );
    let streams = named(&used);
    finding.missing = Some(format!("nothing waits for {streams} before the call"));
    finding.advice = Some(format!(
        "synchronise {streams}, or an event recorded after the work, before {}",
        record.site.call
    ));
    verdict.report(finding);
}

/// A block is freed in the order of a stream: the stream must know of all work that uses it.
fn in_order(
    histories: &mut Histories,
    world: &World,
    record: &Record,
    block: &Arc<Block>,
    position: Position,
    verdict: &mut Verdict,
) {
    let clock = world.stream_clock(position.stream);
    let (mut used, recorded) =
        histories.accesses(block, |access| !world.ordered(access.epoch(), &clock));
    let behind = |stream| {
        let stream = world.streams.get(stream);
        stream.is_none_or(crate::world::Stream::is_behind)
    };
    // What a stream knows is settled only when its waits are.
    if behind(position.stream) {
        return;
    }
    add_waiting(world, block, &mut used);
    used.retain(|access| {
        let covered = recorded.iter().any(|it| it.covers(world, access));
        access.position.stream != position.stream && !covered
    });
    latest_first(&mut used);
    let Some(first) = used.first() else {
        return;
    };
    let does = if first.writes { "writes" } else { "reads" };
    let (mine, theirs) = (position.stream, first.position.stream);
    let message = format!(
        "{} is freed in the order of stream {mine} while queued work of stream {theirs} still {does} it",
        words::block(block)
    );
    let what = format!(
        "block {} is freed in the order of stream {mine}",
        block.number
    );
    let rule = &stream::MISSING_RECORD_USE;
    let mut finding = in_use(rule, message, &what, record, block, &used);
    let streams = named(&used);
    finding.missing = Some(format!(
        "stream {mine} does not wait for {streams}, and the use was not recorded"
    ));
    finding.advice = Some(format!(
        "let stream {mine} wait for an event recorded after the work of {streams}, or call millpondRecordUse, before the block is freed"
    ));
    verdict.report(finding);
}

/// The latest requests come first: they are nearest to the free.
fn latest_first(used: &mut [Access]) {
    used.sort_unstable_by_key(|access| std::cmp::Reverse(access.origin.order));
}

/// The streams that use the memory, in words.
fn named(used: &[Access]) -> String {
    let mut text = String::new();
    for (index, access) in used.iter().enumerate().take(1 + MOST_NAMED) {
        let before = match index {
            0 if used.len() == 1 => "stream ",
            0 => "streams ",
            _ if index + 1 == used.len() => " and ",
            _ => ", ",
        };
        text.push_str(before);
        text.push_str(&access.position.stream.to_string());
    }
    if used.len() > 1 + MOST_NAMED {
        text.push_str(" and others");
    }
    text
}

/// The free first, then those that use the memory.
fn in_use(
    rule: &'static Rule,
    message: String,
    what: &str,
    record: &Record,
    block: &Arc<Block>,
    used: &[Access],
) -> Finding {
    let mut finding = Finding::new(rule, message, Origin::of(record).operation(what));
    let others = used.iter().take(1 + MOST_NAMED).map(Access::operation);
    finding.operations.extend(others);
    finding.bytes = used.first().map(|access| access.range);
    finding.block = Some(block.lifetime());
    finding
}

/// Adds tasks that use a block and have not had their turn: nothing is ordered after them.
fn add_waiting(world: &World, block: &Block, used: &mut Vec<Access>) {
    let behind = world.streams.behind();
    let waiting = behind.flat_map(|(_, stream)| stream.waiting());
    for turn in waiting.take(MOST_WAITING) {
        let Epoch::Task(position) = turn.epoch else {
            continue;
        };
        if turn.origin.order < block.made.order || world.host_knows(position) {
            continue;
        }
        let touches = |spans: &[Span]| {
            let mut hulls = spans.iter().map(|span| span.hull());
            hulls.find(|hull| overlap(*hull, block.range).is_some())
        };
        let read = touches(&turn.accesses.reads).map(|range| (false, range));
        let written = || touches(&turn.accesses.writes).map(|range| (true, range));
        if let Some((writes, range)) = read.or_else(written) {
            let access = Access {
                position,
                writes,
                task: turn.accesses.task,
                word: false,
                range,
                via: block.number,
                origin: Arc::clone(&turn.origin),
            };
            add_latest(used, &access);
        }
    }
}

/// Whether a function frees what the program names.
fn is_free(call: &str) -> bool {
    ["aclrtFree", "acldvppFree", "aclrtUnmapMem"]
        .iter()
        .any(|name| call.starts_with(name))
}
