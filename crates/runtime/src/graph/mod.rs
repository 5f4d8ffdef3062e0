//! Graphs: work that is captured once and replayed as often as wanted.
//!
//! While a stream is captured, work that is queued on it is stored as *nodes* of a graph and does not run. A node is a template: the
//! arguments of a call, by value. A replay issues every node again, so that each has a task, marks, positions and records of its
//! own, and every check of an ordinary call.
//!
//! ```text
//!  capture                                     replay on stream s
//!  stream a: copy, record e, add, wait f       s:    copy, record e, add, wait f
//!  stream b: wait e, mul, record f             lane: wait e, mul, record f
//! ```
//!
//! The streams of a capture are *lanes*. Lane 0 is where the capture began; a replay issues its nodes on the stream that launches the
//! graph. Every other lane has a stream of the graph's own, so lanes run side by side as they did when they were captured. A lane
//! joins by waiting for an event of another lane and comes back the same way: [`capture`] keeps a clock per lane to see that.
//!
//! Without a listener, neighbouring nodes of a lane that only compute or move bytes are joined into a [`segment`], which is one
//! task. With a listener each node is a task, with its records.
//!
//! What must always hold:
//! - Nothing runs inside a call while its stream is captured. A call that has no template is refused; it never runs.
//! - One thread at a time launches a graph, so that records and waits of two replays do not mix. No lock is held meanwhile.
//! - Replays of one graph do not overlap: one on another stream waits for the one before.
//! - A node in a task group reads its arguments when it runs, so an update needs no lock that a launch holds.

mod capture;
mod condition;
mod error;
mod node;
mod replay;
mod segment;
mod update;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millpond_trace::Operation;

use crate::api::event::Event;
use crate::api::stream::Stream;
use crate::lock::{Condvar, Mutex, rank};
use crate::shared::{DeviceCore, Shared};
use crate::stream::EventKind;

pub use capture::CaptureStatus;
pub(crate) use capture::{CapturedMark, Recording};
pub use condition::{Condition, ConditionKind};
pub use error::GraphError;
pub(crate) use node::{Kernel, Run};
pub use replay::NodeDescription;
pub use update::TaskGroup;

use capture::Capture;
use replay::Replay;

/// Work that was captured from streams, or is being captured.
///
/// Dropping the last clone frees it when its replays are done.
#[derive(Debug, Clone)]
pub struct Graph {
    core: Arc<GraphCore>,
}

/// A graph.
#[derive(Debug)]
pub(crate) struct GraphCore {
    pub(crate) id: u64,
    device: Arc<DeviceCore>,
    shared: Arc<Shared>,
    context: u64,
    state: Mutex<rank::Graph, State>,
    /// The thread that launches it, by its number; 0 for none.
    launching: Mutex<rank::GraphLaunch, u64>,
    launched: Condvar,
    launches: AtomicU64,
    /// The values that choose among its branches.
    conditions: Mutex<rank::Updatable, Vec<Condition>>,
}

#[derive(Debug)]
enum State {
    /// Its streams are being captured.
    Capturing(Capture),
    /// It can be launched.
    Ready(Arc<Replay>),
    /// It is a branch of a condition that was not captured yet, and does nothing.
    Empty,
}

impl Graph {
    pub(crate) fn empty(stream: &Stream) -> Self {
        let core = stream.core();
        Self {
            core: Arc::new(GraphCore {
                id: core.shared.next_id(),
                device: Arc::clone(&core.device),
                shared: Arc::clone(&core.shared),
                context: core.context,
                state: Mutex::new(State::Empty),
                launching: Mutex::new(0),
                launched: Condvar::new(),
                launches: AtomicU64::new(0),
                conditions: Mutex::default(),
            }),
        }
    }

    /// Its number; no other graph of the runtime ever has it.
    pub fn id(&self) -> u64 {
        self.core.id
    }

    /// How often it was launched.
    pub fn launches(&self) -> u64 {
        self.core.launches.load(Ordering::Relaxed)
    }

    /// Whether both are the same graph.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.core, &other.core)
    }
}

impl Drop for GraphCore {
    fn drop(&mut self) {
        let graph = self.id;
        self.shared.tap.emit(|| Operation::GraphDestroyed { graph });
    }
}

impl GraphCore {
    /// An event between two nodes.
    fn edge(&self) -> Event {
        self.shared.events.fetch_add(1, Ordering::Relaxed);
        Event::new(
            Arc::clone(&self.shared),
            EventKind::Rerecordable,
            true,
            false,
            0,
        )
    }
}
