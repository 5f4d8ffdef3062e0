//! Capturing streams: from the beginning of a capture to its end.

use std::sync::{Arc, Weak};

use millpond_trace::{CallSite, Operation, Target};

use super::node::{Blocks, Captured, Kernel, Node, Template};
use super::replay::Replay;
use super::update::{GroupSlots, Update};
use super::{Graph, GraphCore, GraphError, State};
use crate::api::event::Event;
use crate::api::stream::Stream;
use crate::error::{Boxed, Error};
use crate::execution::Touch;
use crate::stream::{EventKind, EventStatus, Marks, Motion, StreamCore};

/// Whether a stream is being captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureStatus {
    /// It is not.
    None,
    /// It is.
    Active,
    /// It is, but something has made the capture invalid.
    Invalidated,
}

/// What becomes of work that is queued on a stream, if it does not run.
#[derive(Debug, Clone)]
pub(crate) enum Recording {
    /// It becomes nodes of a graph.
    Capture { graph: Arc<GraphCore>, lane: usize },
    /// It becomes the new arguments of nodes.
    Update(Arc<Update>),
}

/// A recording of an event in a capture.
#[derive(Debug, Clone)]
pub(crate) struct CapturedMark {
    graph: Weak<GraphCore>,
    edge: Event,
    /// What its lane knew of all lanes: how many nodes of each come before it.
    clock: Vec<usize>,
}

/// The nodes so far, and the streams that they come from.
#[derive(Debug, Default)]
pub(super) struct Capture {
    lanes: Vec<Lane>,
    pub(super) nodes: Vec<Node>,
    /// The branches of its conditions.
    branches: Vec<Graph>,
    /// What made it invalid.
    invalid: Option<String>,
}

#[derive(Debug)]
struct Lane {
    stream: Weak<StreamCore>,
    id: u64,
    /// How many nodes of each lane come before its next node; its own are all.
    clock: Vec<usize>,
    /// Its nodes up to the last that does something.
    worked: usize,
    /// What that is.
    last: &'static str,
    /// The first node of the open task group.
    group: Option<usize>,
}

impl Lane {
    fn new(stream: &Arc<StreamCore>) -> Self {
        Self {
            stream: Arc::downgrade(stream),
            id: stream.id,
            clock: Vec::new(),
            worked: 0,
            last: "nothing",
            group: None,
        }
    }

    /// How many nodes of a lane come before its next node.
    fn knows(&self, lane: usize) -> usize {
        self.clock.get(lane).copied().unwrap_or(0)
    }

    fn learn(&mut self, lane: usize, nodes: usize) {
        if self.clock.len() <= lane {
            self.clock.resize(lane + 1, 0);
        }
        self.clock[lane] = self.clock[lane].max(nodes);
    }
}

impl Capture {
    /// Its streams are no longer captured.
    fn release(&self) {
        for lane in &self.lanes {
            if let Some(stream) = lane.stream.upgrade() {
                stream.record_no_more();
            }
        }
    }

    fn add(&mut self, lane: usize, name: &'static str, work: Template, blocks: Blocks) {
        let one = &mut self.lanes[lane];
        let count = one.knows(lane) + 1;
        one.learn(lane, count);
        if !matches!(work, Template::Record(_)) {
            one.worked = count;
            one.last = name;
        }
        self.nodes.push(Node {
            lane,
            name,
            work,
            blocks,
            function: CallSite::function(),
            site: CallSite::current(),
        });
    }

    /// The lane that did not come back to the first.
    fn unjoined(&self) -> Option<&Lane> {
        let (origin, others) = self.lanes.split_first()?;
        let lanes = others.iter().zip(1..);
        lanes
            .filter(|(lane, index)| origin.knows(*index) < lane.worked)
            .map(|(lane, _)| lane)
            .next()
    }
}

impl GraphCore {
    /// The capture, if it is going on and valid.
    fn with<T>(&self, act: impl FnOnce(&mut Capture) -> Boxed<T>) -> Boxed<T> {
        match &mut *self.state.lock() {
            State::Capturing(capture) => match &capture.invalid {
                Some(by) => Err(GraphError::Invalidated { by: by.clone() }.into()),
                None => act(capture),
            },
            State::Ready(_) | State::Empty => Err(GraphError::NotReady.into()),
        }
    }

    fn add(&self, lane: usize, name: &'static str, work: Template) -> Boxed<()> {
        // Now, not at the end of the capture: by then a block may be gone and another be there.
        let touches = work.touches();
        let blocks = touches
            .iter()
            .map(|touch| self.shared.block_at(touch.address));
        let blocks: Blocks = blocks.collect();
        let tap = &self.shared.tap;
        let accesses = tap.listening().then(|| work.accesses(name)).flatten();
        self.with(|capture| {
            capture.add(lane, name, work, blocks);
            Ok(())
        })?;
        if let Some(accesses) = accesses {
            let graph = self.id;
            tap.emit(|| Operation::WorkCaptured { graph, accesses });
        }
        Ok(())
    }

    /// Records that the capture ended, whatever came of it.
    fn record_end(&self) {
        let graph = self.id;
        self.shared.tap.emit(|| Operation::CaptureEnded { graph });
    }

    /// Notes the branches of a condition.
    pub(super) fn add_branches(&self, branches: &[Graph]) -> Boxed<()> {
        self.with(|capture| {
            capture.branches.extend_from_slice(branches);
            Ok(())
        })
    }

    /// Whether a branch of one of its conditions is being captured.
    fn captures_a_branch(&self) -> bool {
        let branches = match &*self.state.lock() {
            State::Capturing(capture) => capture.branches.clone(),
            State::Ready(_) | State::Empty => return false,
        };
        branches.iter().any(Graph::is_capturing)
    }

    /// Makes the capture invalid. The first reason counts.
    pub(crate) fn invalidate(&self, by: &str) {
        if let State::Capturing(capture) = &mut *self.state.lock() {
            capture.invalid.get_or_insert_with(|| by.to_owned());
        }
    }

    /// A stream of the capture is destroyed.
    fn abandon(&self, lane: usize, stream: &StreamCore) {
        if lane != 0 {
            self.invalidate(&format!(
                "stream {}, which had joined, was destroyed",
                stream.id
            ));
            stream.record_no_more();
            return;
        }
        let abandoned = {
            let mut state = self.state.lock();
            match &mut *state {
                State::Capturing(_) => std::mem::replace(&mut *state, State::Empty),
                State::Ready(_) | State::Empty => return,
            }
        };
        if let State::Capturing(capture) = &abandoned {
            capture.release();
        }
        // Nodes are dropped without a lock.
        drop(abandoned);
        self.record_end();
    }

    /// Whether its capture can still end: the stream on which it began exists.
    fn is_capturing(&self) -> bool {
        let State::Capturing(capture) = &*self.state.lock() else {
            return false;
        };
        let origin = capture.lanes.first();
        let stream = origin.and_then(|lane| lane.stream.upgrade());
        stream.is_some_and(|stream| !stream.is_closed())
    }
}

impl Stream {
    /// Begins to capture: from now on, work that is queued here does not run but becomes part of the graph.
    pub fn begin_capture(&self) -> Result<Graph, Error> {
        let graph = Graph::empty(self);
        self.begin_capture_to(&graph)?;
        Ok(graph)
    }

    /// The same for a graph that has nothing yet: a branch of a condition.
    pub fn begin_capture_to(&self, graph: &Graph) -> Result<(), Error> {
        let core = self.core();
        let already = GraphError::AlreadyCaptured { stream: core.id };
        if core.recording().is_some() {
            return Err(already.into());
        }
        let capture = Capture {
            lanes: vec![Lane::new(core)],
            ..Capture::default()
        };
        let mut state = graph.core.state.lock();
        if !matches!(&*state, State::Empty) {
            return Err(GraphError::NotReady.into());
        }
        let begun = core.record_into(Recording::Capture {
            graph: Arc::clone(&graph.core),
            lane: 0,
        });
        if !begun {
            return Err(already.into());
        }
        *state = State::Capturing(capture);
        drop(state);
        let (graph, stream) = (graph.id(), core.id);
        let tap = &core.shared.tap;
        tap.emit(|| Operation::CaptureBegan { graph, stream });
        Ok(())
    }

    /// Whether it is being captured, and into which graph.
    pub fn capture_status(&self) -> (CaptureStatus, Option<Graph>) {
        let Some(Recording::Capture { graph, .. }) = self.core().recording() else {
            return (CaptureStatus::None, None);
        };
        let valid = match &*graph.state.lock() {
            State::Capturing(capture) => capture.invalid.is_none(),
            State::Ready(_) | State::Empty => false,
        };
        let status = if valid {
            CaptureStatus::Active
        } else {
            CaptureStatus::Invalidated
        };
        (status, Some(Graph { core: graph }))
    }

    /// Ends the capture that began here. Whatever comes of it, its streams are no longer captured; unless a branch of a condition still
    /// is, which has to end first.
    pub fn end_capture(&self) -> Result<Graph, Error> {
        let core = self.core();
        let Some(Recording::Capture { graph, lane }) = core.recording() else {
            return Err(GraphError::NotCaptured { stream: core.id }.into());
        };
        if graph.captures_a_branch() {
            return Err(GraphError::BranchCaptured.into());
        }
        let mut state = graph.state.lock();
        let State::Capturing(capture) = &mut *state else {
            return Err(GraphError::NotCaptured { stream: core.id }.into());
        };
        if lane != 0 {
            let began = capture.lanes[0].id;
            let stream = core.id;
            return Err(GraphError::OtherStream { began, stream }.into());
        }
        let capture = std::mem::take(capture);
        capture.release();
        let problem = if let Some(by) = &capture.invalid {
            Some(GraphError::Invalidated { by: by.clone() })
        } else if capture.lanes.iter().any(|lane| lane.group.is_some()) {
            Some(GraphError::Group(
                "a task group was begun and not ended in this capture",
            ))
        } else {
            capture.unjoined().map(|lane| GraphError::Unjoined {
                stream: lane.id,
                origin: core.id,
                last: lane.last.to_owned(),
            })
        };
        let lanes = capture.lanes.len();
        *state = match problem {
            None => State::Ready(Arc::new(Replay::new(capture.nodes, lanes))),
            // Nodes are dropped without a lock.
            Some(problem) => {
                *state = State::Empty;
                drop(state);
                graph.record_end();
                return Err(problem.into());
            }
        };
        drop(state);
        graph.record_end();
        Ok(Graph { core: graph })
    }

    /// Makes a call that queues something here. While the stream is captured, the call is stored instead, to be made at every
    /// replay on the stream that it gets; so it must hold everything that it needs.
    pub fn call(
        &self,
        name: &'static str,
        call: impl Fn(&Self) -> Result<(), Box<Error>> + Send + Sync + 'static,
    ) -> Result<(), Box<Error>> {
        self.call_using(name, &[], |_| Ok(()), call)
    }

    /// The same for a call that uses memory, or may be refused for another reason. A launch asks all its calls with `check`, which
    /// queues nothing, and looks at all memory before it queues the first.
    pub fn call_using(
        &self,
        name: &'static str,
        touches: &[Touch],
        check: impl Fn(&Self) -> Result<(), Box<Error>> + Send + Sync + 'static,
        call: impl Fn(&Self) -> Result<(), Box<Error>> + Send + Sync + 'static,
    ) -> Result<(), Box<Error>> {
        let Some(recording) = self.core().recording() else {
            return call(self);
        };
        for touch in touches.iter().filter(|touch| touch.bytes > 0) {
            self.shared().check_touch(touch)?;
        }
        check(self)?;
        let captured = Captured {
            touches: touches.into(),
            check: Arc::new(check),
            call: Arc::new(call),
        };
        recording.add_call(name, captured)
    }

    /// Refuses work that would be done at once, while the stream is captured or used for an update.
    pub(crate) fn not_recorded(&self, what: &'static str) -> Boxed<()> {
        if let Some(Recording::Update(update)) = self.core().recording() {
            return Err(update.refuse(what));
        }
        Ok(self.not_while_captured(what)?)
    }

    /// Refuses what has no template. An update that it was to be part of is refused then, too.
    pub fn not_captured(&self, what: &'static str, reason: &'static str) -> Result<(), Error> {
        match self.core().recording() {
            None => Ok(()),
            Some(Recording::Update(update)) => Err(*update.refuse(what)),
            Some(Recording::Capture { .. }) => {
                Err(GraphError::NotCapturable { what, reason }.into())
            }
        }
    }

    /// Whether work that is queued here is stored instead of run.
    pub fn is_recording(&self) -> bool {
        self.core().recording().is_some()
    }

    /// Refuses a call that is illegal while the stream is captured; the capture is invalid from then on.
    pub fn not_while_captured(&self, call: &'static str) -> Result<(), Error> {
        self.core().not_while_captured(call)
    }
}

impl StreamCore {
    /// The stream is destroyed. The capture that began here ends without a graph; one that it had joined is invalid.
    pub(crate) fn leave_capture(&self) {
        match self.recording() {
            Some(Recording::Capture { graph, lane }) => graph.abandon(lane, self),
            Some(Recording::Update(_)) => self.record_no_more(),
            None => {}
        }
    }

    /// As [`Stream::not_while_captured`].
    pub(crate) fn not_while_captured(&self, call: &'static str) -> Result<(), Error> {
        let Some(Recording::Capture { graph, .. }) = self.recording() else {
            return Ok(());
        };
        let stream = self.id;
        let error = GraphError::StreamCaptured { call, stream };
        graph.invalidate(&error.to_string());
        Err(error.into())
    }
}

impl Recording {
    /// A new event between two nodes, for a recording that is going to be stored.
    pub(crate) fn edge(&self) -> Option<Event> {
        match self {
            Self::Capture { graph, .. } => Some(graph.edge()),
            Self::Update(_) => None,
        }
    }

    /// Stores native work.
    pub(crate) fn add_kernel(&self, kernel: Kernel) -> Boxed<()> {
        match self {
            Self::Capture { graph, lane } => {
                graph.add(*lane, kernel.name, Template::Compute(kernel))
            }
            Self::Update(update) => update.add(kernel),
        }
    }

    /// Stores a copy or a fill.
    pub(crate) fn add_motion(&self, stream: &StreamCore, motion: &Motion, room: u64) -> Boxed<()> {
        match self {
            Self::Capture { graph, lane } => {
                let work = Template::Move {
                    motion: *motion,
                    room,
                };
                graph.add(*lane, work.kind(), work)
            }
            Self::Update(update) => update.add(super::update::kernel_of(motion, &stream.device)),
        }
    }

    fn add_call(&self, name: &'static str, call: Captured) -> Boxed<()> {
        match self {
            Self::Capture { graph, lane } => graph.add(*lane, name, Template::Call(call)),
            Self::Update(update) => Err(update.refuse(name)),
        }
    }

    /// Stores a recording of an event as `edge`, which the caller drops without a lock. Returns the one before it, to be dropped without a lock.
    pub(crate) fn add_record(
        &self,
        marks: &mut Marks,
        edge: Option<&Event>,
    ) -> Boxed<Option<CapturedMark>> {
        let (graph, lane, edge) = match (self, edge) {
            (Self::Capture { graph, lane }, Some(edge)) => (graph, lane, edge),
            (Self::Update(update), _) => return Err(update.refuse("recording an event")),
            (Self::Capture { .. }, None) => return Err(GraphError::NotReady.into()),
        };
        let work = Template::Record(edge.clone());
        let clock = graph.with(|capture| {
            capture.add(*lane, "aclrtRecordEvent", work, Blocks::new());
            Ok(capture.lanes[*lane].clock.clone())
        })?;
        Ok(marks.captured.replace(CapturedMark {
            graph: Arc::downgrade(graph),
            edge: edge.clone(),
            clock,
        }))
    }

    /// Stores a wait for an event.
    pub(crate) fn add_wait(&self, stream: u64, event: &Event, marks: &Marks) -> Boxed<()> {
        let (graph, lane) = match self {
            Self::Capture { graph, lane } => (graph, lane),
            Self::Update(update) => return Err(update.refuse("waiting for an event")),
        };
        graph.with(|_| Ok(()))?;
        let same = |mark: &&CapturedMark| std::ptr::eq(mark.graph.as_ptr(), Arc::as_ptr(graph));
        let Some(mark) = marks.captured.as_ref().filter(same) else {
            let never = marks.captured.is_none() && marks.latest.is_none();
            if never && event.kind() == EventKind::Rerecordable {
                return Ok(());
            }
            let event = event.id();
            let error = GraphError::OtherCapture { stream, event };
            graph.invalidate(&error.to_string());
            return Err(error.into());
        };
        graph.with(|capture| {
            capture.wait(*lane, mark);
            Ok(())
        })
    }
}

impl Capture {
    fn wait(&mut self, lane: usize, mark: &CapturedMark) {
        self.add(
            lane,
            "aclrtStreamWaitEvent",
            Template::Wait(mark.edge.clone()),
            Blocks::new(),
        );
        let one = &mut self.lanes[lane];
        for (other, nodes) in mark.clock.iter().enumerate() {
            one.learn(other, *nodes);
        }
    }
}

impl CapturedMark {
    /// A stream outside of the capture waits for it: the stream joins.
    pub(crate) fn join(&self, stream: &Arc<StreamCore>, event: u64) -> Boxed<()> {
        let Some(graph) = self.graph.upgrade() else {
            return Err(GraphError::EventCaptured { event }.into());
        };
        graph
            .with(|capture| {
                let lane = capture.lanes.len();
                let recording = Recording::Capture {
                    graph: Arc::clone(&graph),
                    lane,
                };
                if !stream.record_into(recording) {
                    let stream = stream.id;
                    return Err(GraphError::AlreadyCaptured { stream }.into());
                }
                capture.lanes.push(Lane::new(stream));
                capture.wait(lane, self);
                Ok(())
            })
            .map_err(|error| match *error {
                Error::Graph(GraphError::NotReady) => GraphError::EventCaptured { event }.into(),
                _ => error,
            })
    }
}

impl Event {
    /// Refuses a call that is illegal for an event of a capture. If that goes on, it is invalid from then on.
    pub fn not_while_captured(&self, call: &'static str) -> Result<(), Error> {
        let captured = self.core().marks.lock().captured.clone();
        let Some(mark) = captured else {
            return Ok(());
        };
        let error = GraphError::EventCaptured { event: self.id() };
        if let Some(graph) = mark.graph.upgrade()
            && graph.is_capturing()
        {
            graph.invalidate(&format!("{call}: {error}"));
        }
        Err(error.into())
    }

    /// For events that tell when memory may be used again: if the latest recording is in a capture, whether what came before it is over for
    /// good. It is not as long as the graph can be launched, and then until its last launch has come here. Asking leaves the capture valid.
    pub fn is_over_for_good(&self) -> Option<bool> {
        let captured = self.core().marks.lock().captured.clone();
        let mark = captured?;
        let launchable = mark.graph.upgrade();
        let launchable =
            launchable.is_some_and(|graph| !matches!(&*graph.state.lock(), State::Empty));
        if launchable {
            self.record_query(Target::Event(self.id()), false);
            return Some(false);
        }
        Some(mark.edge.status() != EventStatus::Pending)
    }
}

impl Graph {
    /// Whether its streams are being captured.
    pub fn is_capturing(&self) -> bool {
        self.core.is_capturing()
    }

    /// Makes its capture invalid, because of a call that is unsafe while streams are captured.
    pub fn invalidate(&self, by: &str) {
        self.core.invalidate(by);
    }
}

/// Task groups: nodes whose arguments can be changed later.
impl Stream {
    /// From now on, what is captured here belongs to a task group.
    pub fn begin_group(&self) -> Result<(), Error> {
        let core = self.core();
        let Some(Recording::Capture { graph, lane }) = core.recording() else {
            return Err(GraphError::NotCaptured { stream: core.id }.into());
        };
        graph.with(|capture| {
            let first = capture.nodes.len();
            let open = &mut capture.lanes[lane].group;
            if open.is_some() {
                return Err(
                    GraphError::Group("task groups do not nest: end the open one first").into(),
                );
            }
            *open = Some(first);
            Ok(())
        })?;
        Ok(())
    }

    /// Ends the group.
    pub fn end_group(&self) -> Result<super::TaskGroup, Error> {
        let core = self.core();
        let Some(Recording::Capture { graph, lane }) = core.recording() else {
            return Err(GraphError::NotCaptured { stream: core.id }.into());
        };
        let slots = graph.with(|capture| {
            let Some(first) = capture.lanes[lane].group.take() else {
                return Err(GraphError::Group("no task group was begun on this stream").into());
            };
            let own = capture.nodes[first..].iter_mut();
            let slots: Boxed<GroupSlots> = own
                .filter(|node| node.lane == lane)
                .map(|node| super::update::make_updatable(node, &core.device))
                .collect();
            slots
        })?;
        Ok(super::TaskGroup::new(&graph, slots))
    }
}
