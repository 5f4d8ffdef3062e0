//! Conditions: nodes that run one of several graphs, by a value in device memory.
//!
//! ```text
//!  launching stream:  record gate │ wait end                  (end is recorded by the node's own stream, whatever it decides)
//!  the node's stream: wait gate, read the value, decide │ the branch …, then read and decide again, or record end
//! ```
//!
//! `decide` is a function that the stream runs: it queues the branch behind itself.
#![expect(unsafe_code, reason = "reads the value where the runtime resolved it")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millpond_trace::{CallSite, StackRef};

use super::{Graph, GraphError};
use crate::api::device::Device;
use crate::api::event::Event;
use crate::api::raw::{FillValue, RawFill};
use crate::api::stream::Stream;
use crate::error::{Boxed, Error};
use crate::execution::Touch;
use crate::lock::{Mutex, rank};
use crate::memory::{BlockInfo, Request};
use crate::shared::DeviceCore;
use crate::stream::EventKind;

/// Bytes of the value.
const BYTES: u64 = 8;

/// How the value chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionKind {
    /// Not zero: the first branch. Zero: the second, if there is one.
    If,
    /// The first branch as long as it is not zero.
    While,
    /// The branch with this number, if there is one.
    Switch,
}

/// A value in device memory that decides at every launch of its graph.
#[derive(Debug, Clone)]
pub struct Condition {
    core: Arc<ConditionCore>,
}

#[derive(Debug)]
struct ConditionCore {
    device: Arc<DeviceCore>,
    block: BlockInfo,
    /// The number of its graph.
    graph: u64,
    /// What it is set to before each launch.
    initial: Option<u32>,
}

impl Drop for ConditionCore {
    fn drop(&mut self) {
        let BlockInfo {
            address, serial, ..
        } = self.block;
        drop(self.device.store.free(address, Some(serial)));
    }
}

impl Condition {
    /// Where its value is.
    pub fn address(&self) -> u64 {
        self.core.block.address
    }

    /// Sets it to its initial value, in the order of a stream.
    pub(super) fn reset(&self, stream: &Stream) -> Boxed<()> {
        let Some(initial) = self.core.initial else {
            return Ok(());
        };
        for (offset, word) in [(0, initial), (4, 0)] {
            let fill = RawFill {
                to: self.address() + offset,
                room: 4,
                bytes: 4,
                value: FillValue::Word(word),
            };
            // SAFETY: the block is the condition's own.
            unsafe { stream.fill_at(&fill) }?;
        }
        Ok(())
    }
}

impl Graph {
    /// A value in memory of a device that chooses among branches of this graph; with an initial value, every launch sets it.
    pub fn create_condition(
        &self,
        device: &Device,
        initial: Option<u32>,
    ) -> Result<Condition, Box<Error>> {
        let (captured, current) = (self.core.device.index, device.index());
        if captured != current {
            return Err(GraphError::OtherDevice {
                captured,
                stream: current,
            }
            .into());
        }
        let block = device.alloc_raw(Request::of(BYTES))?;
        let condition = Condition {
            core: Arc::new(ConditionCore {
                device: Arc::clone(&device.core),
                block,
                graph: self.id(),
                initial,
            }),
        };
        self.core.conditions.lock().push(condition.clone());
        Ok(condition)
    }
}

impl Stream {
    /// Captures a node that runs one of `branches` by the value of a condition. The branches are captured later.
    pub fn condition(
        &self,
        condition: &Condition,
        kind: ConditionKind,
        branches: usize,
    ) -> Result<Vec<Graph>, Box<Error>> {
        let (_, graph) = self.capture_status();
        let Some(graph) = graph else {
            return Err(GraphError::NotCaptured { stream: self.id() }.into());
        };
        if graph.id() != condition.core.graph {
            let text = "the condition belongs to another graph than the one that is being captured";
            return Err(GraphError::Group(text).into());
        }
        let graphs: Vec<Graph> = (0..branches).map(|_| Graph::empty(self)).collect();
        graph.core.add_branches(&graphs)?;
        let node = Arc::new(Node {
            condition: condition.clone(),
            kind,
            branches: graphs.clone(),
        });
        let asked = graphs.clone();
        let check = move |_: &Self| {
            if asked.iter().any(Graph::is_capturing) {
                return Err(GraphError::BranchCaptured.into());
            }
            Ok(())
        };
        self.call_using("aclmdlRIAddCondTask", &[], check, move |stream| {
            Node::issue(&node, stream)
        })?;
        Ok(graphs)
    }
}

#[derive(Debug)]
struct Node {
    condition: Condition,
    kind: ConditionKind,
    branches: Vec<Graph>,
}

/// What one launch of a node uses. The stream is its own: two launches may be queued before the first one decides.
struct Running {
    stream: Stream,
    gate: Event,
    end: Event,
    value: AtomicU64,
    /// The function that the launch was made with, its return address and the stack: what the branches queue is due to it.
    call: (&'static str, u64, StackRef),
    /// Whether the launch was thrown away since.
    is_aborted: Box<dyn Fn() -> bool + Send + Sync>,
    failure: Mutex<rank::Updatable, Option<String>>,
}

impl Node {
    /// Queues a launch of it.
    fn issue(node: &Arc<Self>, stream: &Stream) -> Boxed<()> {
        let running = Arc::new(Running::new(stream));
        stream.record(&running.gate)?;
        running.stream.wait_event(&running.gate, None)?;
        // Before the stream waits for what this leads to.
        Self::look(node, &running)?;
        {
            let mut marks = running.end.core().marks.lock();
            let mark = marks.next.get_or_insert_default();
            mark.expect_from(running.stream.core());
        }
        stream.wait_event(&running.end, None)?;
        stream.core().leads(running.stream.core(), None);
        let failed = Arc::clone(&running);
        stream.compute("aclmdlRIAddCondTask", &[], None, false, move |_, _| {
            failed.failure.lock().take().map_or(Ok(()), Err)
        })
    }

    /// Reads the value, then decides.
    fn look(node: &Arc<Self>, running: &Arc<Running>) -> Boxed<()> {
        let touch = Touch {
            address: node.condition.address(),
            bytes: BYTES,
            reads: true,
            writes: false,
        };
        let cell = Arc::clone(running);
        let read = move |places: &[u64], _| {
            let at = usize::try_from(places[0]).unwrap_or(0);
            // SAFETY: the runtime resolved the 8 bytes, which are aligned as every block is.
            let value = unsafe { std::ptr::with_exposed_provenance::<u64>(at).read() };
            cell.value.store(value, Ordering::Release);
            Ok(())
        };
        let stream = &running.stream;
        stream.compute("aclmdlRIAddCondTask", &[touch], None, false, read)?;
        let (node, then) = (Arc::clone(node), Arc::clone(running));
        stream.host_function(move || Self::decide(&node, &then))?;
        Ok(())
    }

    fn decide(node: &Arc<Self>, running: &Arc<Running>) {
        let (function, caller, stack) = running.call;
        let _site = CallSite::note(function, caller, stack);
        let again = match node.run_branch(running) {
            Ok(again) => again,
            Err(error) => {
                *running.failure.lock() = Some(error.to_string());
                false
            }
        };
        let next = if again {
            Self::look(node, running)
        } else {
            running.stream.record(&running.end).map_err(Box::new)
        };
        if let Err(error) = next {
            *running.failure.lock() = Some(error.to_string());
            drop(running.stream.record(&running.end));
        }
    }

    /// Queues what the value chooses; whether to look again then.
    fn run_branch(&self, running: &Running) -> Boxed<bool> {
        if (running.is_aborted)() {
            return Ok(false);
        }
        let value = running.value.load(Ordering::Acquire);
        let number = match self.kind {
            ConditionKind::If => usize::from(value == 0),
            ConditionKind::While if value == 0 => return Ok(false),
            ConditionKind::While => 0,
            ConditionKind::Switch => usize::try_from(value).unwrap_or(usize::MAX),
        };
        if let Some(branch) = self.branches.get(number) {
            branch.launch(&running.stream)?;
        }
        Ok(self.kind == ConditionKind::While)
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("stream", &self.stream)
            .finish_non_exhaustive()
    }
}

impl Running {
    fn new(stream: &Stream) -> Self {
        let core = stream.core();
        let event = |kind| {
            core.shared.events.fetch_add(1, Ordering::Relaxed);
            Event::new(Arc::clone(&core.shared), kind, true, false, 0)
        };
        let own = Stream::internal(&core.shared, &core.device, core.context);
        let (caller, stack) = CallSite::current();
        Self {
            call: (CallSite::function(), caller, stack),
            is_aborted: Box::new(own.core().watch_aborts()),
            stream: own,
            gate: event(EventKind::Rerecordable),
            end: event(EventKind::Resettable),
            value: AtomicU64::new(0),
            failure: Mutex::default(),
        }
    }
}
