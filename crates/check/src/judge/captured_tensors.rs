//! Tensors that captured work uses must live as long as the graph is launched.
//!
//! A caching allocator keeps the memory of a tensor that was freed, and gives it to the next one. For the runtime nothing was freed, so a
//! launch reads and writes the next tensor, and no call fails. So this remembers which pieces captured work used, and when one of them is freed;
//! the next launch is wrong.
//!
//! A piece that was allocated while a stream was captured may belong to the pool of the graph, whose memory stays as it is until the graph is
//! gone, also behind a tensor that was freed. It is not judged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use millpond_trace::{Accesses, BlockRef, Bytes, Operation, Record, RegionRef, TaskKind, Text};

use super::{Judge, words};
use crate::Finding;
use crate::rules::graph;
use crate::verdict::Verdict;
use crate::world::{Cached, Origin, World, caching_operation};

/// Pieces of all graphs that are remembered.
const MOST: usize = 1 << 18;

/// Judges launches by the pieces that their graphs used when they were captured.
#[derive(Debug, Default)]
pub(crate) struct CapturedTensors {
    /// By graph and piece.
    uses: BTreeMap<(u64, RegionRef), Use>,
    /// The same, by piece and graph.
    by_piece: BTreeSet<(RegionRef, u64)>,
    dropped_facts: u64,
}

/// The first use of a piece in a graph.
#[derive(Debug)]
struct Use {
    piece: Arc<Cached>,
    /// The block that it is in.
    block: Option<BlockRef>,
    range: Bytes,
    name: Text,
    captured: Arc<Origin>,
    freed: Option<Arc<Origin>>,
}

impl Judge for CapturedTensors {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::WorkCaptured { graph, accesses } if !world.caching.is_empty() => {
                self.remember(world, record, *graph, accesses);
            }
            Operation::RegionUnregistered { region } => self.free(*region, record),
            Operation::GraphLaunched { graph, .. } => {
                self.launch(world, record, *graph, verdict);
            }
            Operation::GraphDestroyed { graph } => {
                let gone = self
                    .uses
                    .extract_if((*graph, 0)..=(*graph, RegionRef::MAX), |_, _| true);
                for ((graph, piece), _) in gone {
                    self.by_piece.remove(&(piece, graph));
                }
            }
            _ => {}
        }
    }

    fn state_bytes(&self) -> u64 {
        (self.uses.len() * (size_of::<Use>() + 2 * size_of::<Origin>() + 64)) as u64
    }

    fn dropped_facts(&self) -> u64 {
        self.dropped_facts
    }
}

impl CapturedTensors {
    fn remember(&mut self, world: &World, record: &Record, graph: u64, accesses: &Accesses) {
        for span in accesses.reads.iter().chain(&accesses.writes) {
            let range = span.hull();
            let Some(piece) = world.caching.at(range.start) else {
                continue;
            };
            let key = (graph, piece.number);
            if piece.in_capture || range.bytes == 0 || self.uses.contains_key(&key) {
                continue;
            }
            if self.uses.len() >= MOST {
                self.dropped_facts += 1;
                return;
            }
            let first = Use {
                piece: Arc::clone(piece),
                block: world.blocks.find(range.start).map(|block| block.number),
                range,
                name: match accesses.task {
                    TaskKind::Copy => Text::Borrowed("copy"),
                    TaskKind::Fill => Text::Borrowed("fill"),
                    _ => accesses.name.clone(),
                },
                captured: Origin::of(record),
                freed: None,
            };
            self.uses.insert(key, first);
            self.by_piece.insert((piece.number, graph));
        }
    }

    fn free(&mut self, piece: RegionRef, record: &Record) {
        for (_, graph) in self.by_piece.range((piece, 0)..=(piece, u64::MAX)) {
            if let Some(one) = self.uses.get_mut(&(*graph, piece)) {
                one.freed = Some(Origin::of(record));
            }
        }
    }

    fn launch(&mut self, world: &World, record: &Record, graph: u64, verdict: &mut Verdict) {
        // Its annotations were not to be relied on.
        if world.caching.is_empty() {
            return;
        }
        let all = (graph, 0)..=(graph, RegionRef::MAX);
        let mut gone: Vec<Use> = Vec::new();
        for ((graph, piece), one) in self.uses.extract_if(all, |_, one| one.freed.is_some()) {
            self.by_piece.remove(&(piece, graph));
            // If the allocator has returned the memory, the runtime sees that itself.
            let block = world.blocks.find(one.range.start).map(|block| block.number);
            if block == one.block {
                gone.push(one);
            }
        }
        gone.sort_by_key(|one| one.captured.order);
        if let Some((first, others)) = gone.split_first()
            && let Some(freed) = &first.freed
        {
            verdict.report(found(world, record, graph, first, freed, others.len()));
        }
    }
}

fn found(
    world: &World,
    record: &Record,
    graph: u64,
    first: &Use,
    freed: &Arc<Origin>,
    others: usize,
) -> Finding {
    let name = first.piece.name();
    let now = match world.caching.at(first.range.start) {
        Some(now) => format!(
            "; {} is there now, which the launch changes or reads",
            now.name()
        ),
        None => String::new(),
    };
    let more = match others {
        0 => String::new(),
        1 => "; so was another one that it uses".to_owned(),
        more => format!("; so were {more} others that it uses"),
    };
    let message = format!(
        "graph {graph} uses {} of {name}, which was freed since it was captured{now}{more}",
        words::range(first.range)
    );
    let launch = Origin::of(record).operation(format!("launches graph {graph}"));
    let mut finding = Finding::new(&graph::FREED_MEMORY, message, launch);
    let captured = first
        .captured
        .operation(format!("{} is captured", first.name));
    finding.operations.push(captured);
    finding
        .operations
        .push(caching_operation(freed, &format!("freed {name}")));
    finding.bytes = Some(first.range);
    finding.block = Some(Arc::new(first.piece.lifetime_until(Some(freed))));
    finding.advice = Some(
        "keep the tensor as long as the graph is replayed, and copy new values into it: torch_npu gives the memory of a tensor that was \
         freed to the next one"
            .to_owned(),
    );
    finding
}
