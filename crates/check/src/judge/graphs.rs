//! Graphs: what is captured, and what is launched.

use std::collections::BTreeMap;
use std::sync::Arc;

use millpond_trace::{Operation, Position, Record};

use super::{Judge, words};
use crate::Finding;
use crate::clock::Epoch;
use crate::rules::graph;
use crate::verdict::Verdict;
use crate::world::{Origin, World};

/// The error codes of a capture. The runtime has checked the rules; here they become findings.
const DEPENDENCY: i32 = 107_024;
const UNJOINED: i32 = 107_025;
const STREAM_CAPTURED: i32 = 107_027;
const EVENT_CAPTURED: i32 = 107_028;
const MODE: i32 = 107_030;
const DEFAULT_STREAM: i32 = 107_031;

/// Checks captures and launches.
#[derive(Debug, Default)]
pub(crate) struct Graphs {
    /// The last launch of each graph.
    launches: BTreeMap<u64, Arc<Origin>>,
}

/// Graphs whose last launch is kept.
const MOST: usize = 1 << 16;

impl Judge for Graphs {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::CallFailed { code, reason } => failed(*code, reason, record, verdict),
            Operation::GraphLaunched {
                graph,
                stream,
                before,
            } => {
                let last = self.launches.insert(*graph, Origin::of(record));
                if let (Some(before), Some(last)) = (before, last)
                    && before.stream != *stream
                    && !is_ordered(world, *before, *stream)
                {
                    verdict.report(two_streams(*graph, record, &last, *before, *stream));
                }
                if self.launches.len() > MOST {
                    self.launches.pop_first();
                }
            }
            Operation::GraphMemoryFreed {
                graph,
                name,
                range,
                reused,
            } => {
                let captured = Origin::of(record);
                let use_of = captured.operation(format!("{name} is captured"));
                let launch = self.launches.get(graph);
                let launch =
                    launch.map(|launch| launch.operation(format!("launches graph {graph}")));
                let now = if *reused {
                    "; another block is there now, which the launch changes or reads"
                } else {
                    ""
                };
                let message = format!(
                    "graph {graph} uses {}, which was freed since it was captured{now}",
                    words::range(*range)
                );
                let mut finding = match launch {
                    Some(launch) => {
                        let mut finding = Finding::new(&graph::FREED_MEMORY, message, launch);
                        finding.operations.push(use_of);
                        finding
                    }
                    None => Finding::new(&graph::FREED_MEMORY, message, use_of),
                };
                finding.bytes = Some(*range);
                finding.advice = Some(
                    "keep the memory until the graph is destroyed, or capture the graph again with the new memory"
                        .to_owned(),
                );
                verdict.report(finding);
            }
            _ => {}
        }
    }

    fn state_bytes(&self) -> u64 {
        (self.launches.len() * (size_of::<Arc<Origin>>() + size_of::<u64>())) as u64
    }
}

/// Whether a place in one stream comes before what is queued now in another.
fn is_ordered(world: &World, before: Position, stream: u64) -> bool {
    let clock = world.stream_clock(stream);
    world.host_knows(before) || world.ordered(Epoch::Task(before), &clock)
}

fn two_streams(
    graph: u64,
    record: &Record,
    last: &Origin,
    before: Position,
    stream: u64,
) -> Finding {
    let message = format!(
        "graph {graph} is launched in stream {stream} while its launch in stream {} may not have ended",
        before.stream
    );
    let this = Origin::of(record).operation(format!("launches graph {graph} in stream {stream}"));
    let mut finding = Finding::new(&graph::TWO_STREAMS, message, this);
    let other = format!("launches graph {graph} in stream {}", before.stream);
    finding.operations.push(last.operation(other));
    finding.missing = Some(format!(
        "stream {stream} does not wait for the launch in stream {}",
        before.stream
    ));
    finding.advice = Some(
        "launch it on one stream, or record an event after the first launch and wait for it before the second".to_owned(),
    );
    finding
}

fn failed(code: i32, reason: &str, record: &Record, verdict: &mut Verdict) {
    let (rule, advice) = match code {
        UNJOINED => (
            &graph::UNJOINED,
            "record an event on that stream after its last work, and let the stream of the capture wait for it before aclmdlRICaptureEnd",
        ),
        DEPENDENCY | STREAM_CAPTURED | EVENT_CAPTURED | MODE | DEFAULT_STREAM => (
            &graph::ILLEGAL_CALL,
            "make this call before the capture begins or after it has ended",
        ),
        _ => return,
    };
    let origin = Origin::of(record);
    let call = origin.site.call.clone();
    let operation = origin.operation(format!("{call} fails"));
    let mut finding = Finding::new(rule, reason.to_owned(), operation);
    finding.advice = Some(advice.to_owned());
    verdict.report(finding);
}
