//! What comes out of the tap: one record per operation, in an order that tells the story.

#[path = "../common/mod.rs"]
mod common;

mod bytes;
mod graphs;
mod pools;
mod refused;
mod sequence;
mod tasks;
mod times;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use millpond::trace::{
    Accesses, Bytes, Collector, Operation, Outcome, Position, Record, Target, TaskKind,
};
use millpond::{BlockInfo, Runtime, Slice};

fn listen(runtime: &Runtime) -> Arc<Collector> {
    let collector = Arc::new(Collector::default());
    runtime.tap().attach(collector.clone());
    collector
}

fn range(slice: Slice<'_>) -> Bytes {
    Bytes {
        start: slice.address(),
        bytes: slice.bytes(),
    }
}

fn at(stream: &millpond::Stream, task: u64) -> Position {
    let stream = stream.id();
    Position { stream, task }
}

fn completed(position: Position) -> Operation {
    Operation::Completed {
        position,
        outcome: Outcome::Done,
    }
}

fn allocated(block: &BlockInfo, charged: u64) -> Operation {
    Operation::Allocated {
        block: block.serial,
        space: block.space,
        range: block.range(),
        requested: block.requested,
        charged,
        pool: None,
        ordered: None,
    }
}

fn freed(block: &BlockInfo, retired: bool) -> Operation {
    Operation::Freed {
        block: block.serial,
        range: block.range(),
        retired,
        ordered: None,
    }
}

fn synchronized(target: Target) -> Operation {
    Operation::Synchronized {
        target,
        outcome: Outcome::Done,
    }
}

/// The record of a task that touches no memory.
fn enqueued(
    position: Position,
    task: TaskKind,
    event: Option<u64>,
    captured: Option<Position>,
) -> Operation {
    Operation::Enqueued {
        position,
        accesses: Accesses::none(task),
        event,
        captured,
    }
}

/// Numbers are dense and unique; a stream's tasks are enqueued and end in the order of their
/// positions, each exactly once; and a wait ends after what it waited for.
fn assert_whole(records: &[Record]) {
    let first = records.first().map_or(1, |record| record.order);
    for (expected, record) in (first..).zip(records) {
        assert_eq!(record.order, expected, "{record:?}");
    }
    let mut unfinished: BTreeMap<u64, VecDeque<u64>> = BTreeMap::new();
    let mut captures: HashMap<Position, Position> = HashMap::new();
    let mut ended: BTreeMap<u64, u64> = BTreeMap::new();
    for record in records {
        match &record.operation {
            Operation::Enqueued {
                position, captured, ..
            } => {
                let queue = unfinished.entry(position.stream).or_default();
                let last = queue.back().or_else(|| ended.get(&position.stream));
                assert!(
                    last.is_none_or(|last| last + 1 == position.task),
                    "{position:?} comes after task {last:?}"
                );
                queue.push_back(position.task);
                if let Some(captured) = captured {
                    captures.insert(*position, *captured);
                }
            }
            Operation::Completed { position, outcome } => {
                let next = unfinished
                    .get_mut(&position.stream)
                    .and_then(VecDeque::pop_front);
                assert_eq!(next, Some(position.task), "{position:?} is not next to end");
                ended.insert(position.stream, position.task);
                let awaited = captures.get(position).filter(|_| *outcome == Outcome::Done);
                assert!(
                    awaited.is_none_or(|at| ended.get(&at.stream) >= Some(&at.task)),
                    "{position:?} ended before {awaited:?}"
                );
            }
            _ => {}
        }
    }
    unfinished.retain(|_, tasks| !tasks.is_empty());
    assert!(
        unfinished.is_empty(),
        "tasks that never ended, by stream: {unfinished:?}"
    );
}

/// What a task does that touches plain ranges.
fn accesses(task: TaskKind, reads: &[Bytes], writes: &[Bytes]) -> Accesses {
    Accesses {
        reads: reads.iter().map(|range| (*range).into()).collect(),
        writes: writes.iter().map(|range| (*range).into()).collect(),
        ..Accesses::none(task)
    }
}
