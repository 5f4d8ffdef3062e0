//! Replaying: every node of a graph, issued again.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use millpond_trace::{Bytes, Operation, Position, thread_number};

use super::node::{Node, Template};
use super::segment::Segment;
use super::{Graph, GraphCore, GraphError, State};
use crate::api::event::Event;
use crate::api::stream::Stream;
use crate::error::{Boxed, Error};
use crate::execution::Touch;
use crate::lock::{Mutex, rank};

/// A graph that can be launched.
#[derive(Debug)]
pub(super) struct Replay {
    pub(super) nodes: Arc<[Node]>,
    /// What is issued if nobody listens, and on which lane.
    joined: Vec<(usize, Item)>,
    /// All memory that nodes use, each range once.
    uses: Vec<Use>,
    /// The nodes that are calls, which say whether they would be refused.
    calls: Vec<usize>,
    lanes: usize,
    ran: Mutex<rank::GraphRan, Ran>,
}

/// Memory that a node uses.
#[derive(Debug)]
struct Use {
    touch: Touch,
    /// The first node that uses it.
    node: usize,
    /// The number of the block that it was in when it was captured; none for memory that is not in a block.
    block: Option<u64>,
}

#[derive(Debug)]
enum Item {
    Segment(Segment),
    /// The node with this number.
    Node(usize),
}

/// What launches leave for the next.
#[derive(Debug, Default)]
struct Ran {
    /// The streams of the lanes but the first.
    lanes: Vec<Stream>,
    last: Option<Last>,
    /// What a launch on another stream waits for.
    end: Option<Event>,
}

/// The last launch.
#[derive(Debug, Clone)]
struct Last {
    stream: Stream,
    /// Where it ended there.
    position: u64,
    /// How often the stream had been aborted before it.
    aborts: u64,
    /// Whether it was thrown away while it was queued.
    is_torn: bool,
}

impl Replay {
    pub(super) fn new(nodes: Vec<Node>, lanes: usize) -> Self {
        let nodes: Arc<[Node]> = nodes.into();
        let mut joined = Vec::new();
        let mut open: Vec<Vec<usize>> = vec![Vec::new(); lanes];
        let close = |joined: &mut Vec<(usize, Item)>, lane: usize, open: &mut Vec<usize>| {
            if open.is_empty() {
                return;
            }
            let members = std::mem::take(open);
            let members = members.iter().map(|index| &nodes[*index]);
            joined.push((lane, Item::Segment(Segment::of(members))));
        };
        for (index, node) in nodes.iter().enumerate() {
            if node.work.is_plain() {
                open[node.lane].push(index);
                continue;
            }
            close(&mut joined, node.lane, &mut open[node.lane]);
            joined.push((node.lane, Item::Node(index)));
        }
        for (lane, open) in open.iter_mut().enumerate() {
            close(&mut joined, lane, open);
        }
        let used = nodes.iter().enumerate().flat_map(|(node, one)| {
            let touches = one.work.touches().into_iter().zip(&one.blocks);
            touches.map(move |(touch, block)| (touch, *block, node))
        });
        let mut uses: Vec<Use> = used
            .filter(|(touch, ..)| touch.bytes > 0)
            .map(|(touch, block, node)| Use { touch, node, block })
            .collect();
        uses.sort_by_key(|one| (one.touch.address, one.touch.bytes, one.block));
        uses.dedup_by_key(|one| (one.touch.address, one.touch.bytes, one.block));
        let is_call = |node: &Node| matches!(node.work, Template::Call(_));
        Self {
            calls: (0..nodes.len())
                .filter(|index| is_call(&nodes[*index]))
                .collect(),
            nodes,
            joined,
            uses,
            lanes,
            ran: Mutex::default(),
        }
    }

    /// Issues everything. The caller is the only one to launch this graph now.
    fn issue(&self, graph: &GraphCore, stream: &Stream) -> Boxed<()> {
        let tap = &graph.shared.tap;
        let listened = tap.listening();
        if listened {
            self.record_launch(graph, stream);
        }
        let issued = self.issue_nodes(graph, stream, listened);
        if listened {
            tap.emit(|| Operation::GraphIssued { graph: graph.id });
        }
        issued
    }

    fn issue_nodes(&self, graph: &GraphCore, stream: &Stream, listened: bool) -> Boxed<()> {
        // One task checks its memory itself, before anything is queued.
        if self.joined.len() > 1 || listened {
            for one in &self.uses {
                graph.shared.check_touch(&one.touch)?;
            }
        }
        let lanes = self.lanes(graph);
        let on = |lane: usize| match lane {
            0 => stream,
            other => &lanes[other - 1],
        };
        for index in &self.calls {
            let node = &self.nodes[*index];
            if let Template::Call(captured) = &node.work {
                (captured.check)(on(node.lane))?;
            }
        }
        self.after_the_last(graph, stream)?;
        let begun = Begun::at(stream, &lanes);
        let each = || -> Boxed<()> {
            let conditions = graph.conditions.lock().clone();
            for condition in conditions {
                condition.reset(stream)?;
            }
            if listened {
                return self
                    .nodes
                    .iter()
                    .try_for_each(|node| node.issue(on(node.lane)));
            }
            self.joined.iter().try_for_each(|(lane, item)| match item {
                Item::Segment(segment) => segment.issue(on(*lane)),
                Item::Node(index) => self.nodes[*index].issue(on(*lane)),
            })
        };
        let issued = each();
        let is_torn = begun.end(issued.is_err());
        // Also if a part of it was refused: the next launch comes after what has begun.
        self.ran.lock().last = Some(Last {
            stream: stream.clone(),
            position: stream.core().progress.enqueued(),
            aborts: begun.aborts,
            is_torn,
        });
        issued
    }

    /// Records a launch, and what it uses that was freed since the capture.
    #[cold]
    fn record_launch(&self, graph: &GraphCore, stream: &Stream) {
        let before = self.ran.lock().last.as_ref().map(|last| Position {
            stream: last.stream.id(),
            task: last.position,
        });
        let tap = &graph.shared.tap;
        tap.emit(|| Operation::GraphLaunched {
            graph: graph.id,
            stream: stream.id(),
            before,
        });
        for one in &self.uses {
            let now = graph.shared.block_at(one.touch.address);
            let is_there = match one.block {
                Some(block) => now == Some(block),
                // Mapped memory may come back at its address.
                None => graph.shared.check_touch(&one.touch).is_ok(),
            };
            if is_there {
                continue;
            }
            let node = &self.nodes[one.node];
            let _site = node.at_capture();
            tap.emit(|| Operation::GraphMemoryFreed {
                graph: graph.id,
                name: node.name.into(),
                range: Bytes {
                    start: one.touch.address,
                    bytes: one.touch.bytes,
                },
                reused: now.is_some(),
            });
        }
    }

    /// If the last launch was on another stream and is not over, this one comes after it.
    fn after_the_last(&self, graph: &GraphCore, stream: &Stream) -> Boxed<()> {
        // It stays until this launch is queued: if that fails, the next one comes after it, too.
        let Some(last) = self.ran.lock().last.clone() else {
            return Ok(());
        };
        if last.is_torn || last.stream.core().aborts() != last.aborts {
            self.after_the_lanes(graph, stream)?;
        }
        let (other, position) = (last.stream, last.position);
        if other.id() == stream.id() {
            return Ok(());
        }
        // The program has ordered them. It may have queued more on the other stream since, which waits for this launch.
        let knows = stream.core().clock().of(other.id()) >= position;
        if knows || graph.shared.order.passed(other.id()) >= position {
            return Ok(());
        }
        // With a listener the order does not depend on how far the other stream happens to be.
        let listened = graph.shared.tap.listening();
        if !listened && other.core().progress.completed() >= position {
            return Ok(());
        }
        if other.is_recording() {
            return Err(GraphError::StillRuns { stream: other.id() }.into());
        }
        let end = self
            .ran
            .lock()
            .end
            .get_or_insert_with(|| graph.edge())
            .clone();
        // A stream that was destroyed has done its work or dropped it.
        if other.record(&end).is_ok() {
            stream.wait_event(&end, None)?;
        }
        Ok(())
    }

    /// The last launch was thrown away, except for what had begun: this one comes after that.
    #[cold]
    fn after_the_lanes(&self, graph: &GraphCore, stream: &Stream) -> Boxed<()> {
        let lanes = self.ran.lock().lanes.clone();
        for lane in lanes {
            let passed = graph.edge();
            lane.record(&passed)?;
            stream.wait_event(&passed, None)?;
        }
        Ok(())
    }

    /// The streams of the lanes but the first.
    fn lanes(&self, graph: &GraphCore) -> Vec<Stream> {
        if self.lanes <= 1 {
            return Vec::new();
        }
        let known = self.ran.lock().lanes.clone();
        if !known.is_empty() {
            return known;
        }
        let made: Vec<Stream> = (1..self.lanes)
            .map(|_| Stream::internal(&graph.shared, &graph.device, graph.context))
            .collect();
        self.ran.lock().lanes.clone_from(&made);
        made
    }
}

impl Graph {
    /// Queues all its work on a stream, and on streams of its own where it was captured from several. Returns at once.
    pub fn launch(&self, stream: &Stream) -> Result<(), Box<Error>> {
        let core = &self.core;
        let (captured, device) = (core.device.index, stream.device_index());
        if captured != device {
            return Err(GraphError::OtherDevice {
                captured,
                stream: device,
            }
            .into());
        }
        if stream.is_recording() {
            return Err(GraphError::NotCapturable {
                what: "a graph",
                reason: "graphs inside graphs are branches of conditions",
            }
            .into());
        }
        let replay = match &*core.state.lock() {
            State::Ready(replay) => Arc::clone(replay),
            State::Empty => return Ok(()),
            State::Capturing(_) => return Err(GraphError::NotReady.into()),
        };
        let _turn = Turn::take(core)?;
        core.launches.fetch_add(1, Ordering::Relaxed);
        replay.issue(core, stream)
    }

    /// Whether the work of a launch is not over.
    pub fn is_running(&self) -> bool {
        let replay = match &*self.core.state.lock() {
            State::Ready(replay) => Arc::clone(replay),
            State::Empty | State::Capturing(_) => return false,
        };
        let ran = replay.ran.lock();
        ran.last
            .as_ref()
            .is_some_and(|last| last.stream.core().progress.completed() < last.position)
    }

    /// Its nodes, for people: lane, kind, name and memory.
    pub fn describe(&self) -> Vec<NodeDescription> {
        let replay = match &*self.core.state.lock() {
            State::Ready(replay) => Arc::clone(replay),
            State::Empty | State::Capturing(_) => return Vec::new(),
        };
        let edge = |event: &Event| Some(event.id());
        replay
            .nodes
            .iter()
            .map(|node| NodeDescription {
                lane: node.lane,
                kind: node.work.kind(),
                name: node.name,
                event: match &node.work {
                    Template::Record(event) | Template::Wait(event) => edge(event),
                    Template::Compute(_)
                    | Template::Updatable(_)
                    | Template::Move { .. }
                    | Template::Call(_) => None,
                },
                touches: node.work.touches().to_vec(),
            })
            .collect()
    }
}

/// What a node is, for people.
#[derive(Debug, Clone)]
pub struct NodeDescription {
    /// Which of the captured streams it was queued on, from 0.
    pub lane: usize,
    /// What it is.
    pub kind: &'static str,
    /// The call that queued it.
    pub name: &'static str,
    /// The event between two nodes that it records or waits for.
    pub event: Option<u64>,
    /// The memory it uses, as far as that is known before it runs.
    pub touches: Vec<Touch>,
}

/// Where the streams of a launch were before it.
struct Begun<'a> {
    stream: &'a Stream,
    first: u64,
    aborts: u64,
    lanes: Vec<(&'a Stream, u64)>,
}

impl<'a> Begun<'a> {
    fn at(stream: &'a Stream, lanes: &'a [Stream]) -> Self {
        let next = |stream: &Stream| stream.core().progress.enqueued() + 1;
        Self {
            stream,
            first: next(stream),
            aborts: stream.core().aborts(),
            lanes: lanes.iter().map(|lane| (lane, next(lane))).collect(),
        }
    }

    /// All that could be queued is. Whoever aborts the stream throws the lanes' part away too. If it was aborted meanwhile, or a part of
    /// the launch was refused, what is queued is thrown away now; returns whether it was.
    fn end(&self, is_refused: bool) -> bool {
        let core = self.stream.core();
        for (lane, first) in &self.lanes {
            let lane = lane.core();
            core.leads(lane, Some(*first..=lane.progress.enqueued()));
        }
        let is_torn = is_refused || core.aborts() != self.aborts;
        if is_torn {
            core.throw_away(&(self.first..=core.progress.enqueued()), false);
        }
        is_torn
    }
}

/// The right to launch a graph: one thread at a time has it, and holds no lock.
struct Turn<'a> {
    graph: &'a GraphCore,
}

impl<'a> Turn<'a> {
    fn take(graph: &'a GraphCore) -> Boxed<Self> {
        let me = thread_number();
        let mut launching = graph.launching.lock();
        while *launching != 0 {
            // A program's allocator, called by the launch, has launched it.
            if *launching == me {
                return Err(GraphError::InsideLaunch.into());
            }
            graph.launched.wait(&mut launching);
        }
        *launching = me;
        Ok(Self { graph })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.graph.launching.lock() = 0;
        self.graph.launched.notify_one();
    }
}
