//! Task groups, and new arguments for their tasks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use super::node::{self, Kernel, Node, Template};
use super::{GraphCore, GraphError, Recording};
use crate::api::stream::Stream;
use crate::error::{Boxed, Error};
use crate::execution::Touch;
use crate::lock::{Mutex, rank};
use crate::shared::DeviceCore;
use crate::stream::Motion;

/// The arguments of a node that can be updated.
type Slot = Arc<Mutex<rank::Updatable, Arc<Kernel>>>;
pub(super) type GroupSlots = Vec<(&'static str, Slot)>;

/// Tasks of a graph whose arguments can be changed. It is of use as long as the graph exists.
#[derive(Debug, Clone)]
pub struct TaskGroup {
    graph: Weak<GraphCore>,
    slots: Arc<GroupSlots>,
}

/// New arguments for a group, so far.
#[derive(Debug)]
pub(crate) struct Update {
    group: TaskGroup,
    kernels: Mutex<rank::Updatable, Vec<Kernel>>,
    /// Something was refused between its beginning and its end.
    is_refused: AtomicBool,
}

impl TaskGroup {
    pub(super) fn new(graph: &Arc<GraphCore>, slots: GroupSlots) -> Self {
        Self {
            graph: Arc::downgrade(graph),
            slots: Arc::new(slots),
        }
    }
}

/// What an update cannot do.
pub(super) fn only_kernels(what: &'static str) -> Box<Error> {
    let text = format!(
        "{what} cannot be part of an update of a task group: only copies, fills and operators by function (aclnn...) can"
    );
    GraphError::Update(text).into()
}

/// Makes a node read its arguments when it runs.
pub(super) fn make_updatable(
    node: &mut Node,
    device: &Arc<DeviceCore>,
) -> Boxed<(&'static str, Slot)> {
    let kernel = match &node.work {
        Template::Compute(kernel) => kernel.clone(),
        Template::Move { motion, .. } => kernel_of(motion, device),
        Template::Updatable(slot) => return Ok((node.name, Arc::clone(slot))),
        Template::Record(_) | Template::Wait(_) | Template::Call(_) => {
            return Err(GraphError::NotInGroup { what: node.name }.into());
        }
    };
    let slot: Slot = Arc::new(Mutex::new(Arc::new(kernel)));
    node.work = Template::Updatable(Arc::clone(&slot));
    Ok((node.name, slot))
}

/// A copy or fill as native work.
pub(super) fn kernel_of(motion: &Motion, device: &Arc<DeviceCore>) -> Kernel {
    let work = Template::Move {
        motion: *motion,
        room: 0,
    };
    let (moved, device) = (*motion, Arc::clone(device));
    Kernel {
        name: work.kind(),
        touches: node::touches_of(motion),
        rows: Box::default(),
        scratch: None,
        small: false,
        run: Arc::new(move |places, _| {
            let from = places.get(1).copied().unwrap_or(0);
            node::perform(&moved, &*device.device, places[0], from)
        }),
    }
}

/// Queues a node of a group. Its arguments are looked up, and checked, when it runs. What they are now is noted and recorded, as for any
/// task; unless they are gone, because an update is to come.
pub(super) fn issue(name: &'static str, slot: &Slot, stream: &Stream) -> Boxed<()> {
    let now = Arc::clone(&slot.lock());
    let slot = Arc::clone(slot);
    let shared = Arc::clone(stream.shared());
    let scratch = now.scratch.map(|(address, bytes)| Touch {
        address,
        bytes,
        reads: false,
        writes: true,
    });
    let mut all = now.touches.iter().chain(&scratch);
    let is_there = all.all(|touch| touch.bytes == 0 || shared.check_touch(touch).is_ok());
    let (touches, rows, scratch) = if is_there {
        (&*now.touches, &*now.rows, now.scratch)
    } else {
        (&[][..], &[][..], None)
    };
    stream.compute_rows(name, touches, rows, scratch, false, move |_, _| {
        let kernel = Arc::clone(&slot.lock());
        shared.run_resolved(&kernel.touches, kernel.scratch, &*kernel.run)
    })
}

impl Update {
    /// Refuses what cannot be part of an update; it changes nothing then.
    pub(super) fn refuse(&self, what: &'static str) -> Box<Error> {
        self.is_refused.store(true, Ordering::Release);
        only_kernels(what)
    }

    pub(super) fn add(&self, kernel: Kernel) -> Boxed<()> {
        let added = self.add_checked(kernel);
        if added.is_err() {
            self.is_refused.store(true, Ordering::Release);
        }
        added
    }

    fn add_checked(&self, kernel: Kernel) -> Boxed<()> {
        let mut kernels = self.kernels.lock();
        let slots = &self.group.slots;
        match slots.get(kernels.len()) {
            Some((name, _)) if *name == kernel.name => {}
            Some((name, _)) => {
                let text = format!(
                    "task {} of the update is {}, but the group has {name} there",
                    kernels.len() + 1,
                    kernel.name
                );
                return Err(GraphError::Update(text).into());
            }
            None => {
                let text = format!(
                    "the update has more than the {} tasks of the group: {} is too many",
                    slots.len(),
                    kernel.name
                );
                return Err(GraphError::Update(text).into());
            }
        }
        kernels.push(kernel);
        Ok(())
    }
}

impl Stream {
    /// From now on, operators that are queued here do not run: they are the new arguments of the tasks of a group.
    pub fn begin_update(&self, group: &TaskGroup) -> Result<(), Error> {
        let core = self.core();
        let gone = "the graph of this task group was destroyed";
        group.graph.upgrade().ok_or(GraphError::Group(gone))?;
        let update = Update {
            group: group.clone(),
            kernels: Mutex::default(),
            is_refused: AtomicBool::new(false),
        };
        if core.record_into(Recording::Update(Arc::new(update))) {
            return Ok(());
        }
        let stream = core.id;
        Err(GraphError::AlreadyCaptured { stream }.into())
    }

    /// Ends the update. The tasks get their new arguments when the stream comes here.
    pub fn end_update(&self) -> Result<(), Error> {
        let core = self.core();
        let Some(Recording::Update(update)) = core.recording() else {
            return Err(GraphError::Group("no update was begun on this stream").into());
        };
        core.record_no_more();
        let kernels = std::mem::take(&mut *update.kernels.lock());
        let slots = Arc::clone(&update.group.slots);
        if update.is_refused.load(Ordering::Acquire) {
            let text = "a task of the update was refused: nothing was changed";
            return Err(GraphError::Update(text.to_owned()).into());
        }
        if kernels.len() != slots.len() {
            let text = format!(
                "the update has {} tasks, but the group has {}: nothing was changed",
                kernels.len(),
                slots.len()
            );
            return Err(GraphError::Update(text).into());
        }
        let kernels: Vec<Arc<Kernel>> = kernels.into_iter().map(Arc::new).collect();
        let name = "aclmdlRICaptureTaskUpdateEnd";
        self.compute(name, &[], None, true, move |_, _| {
            for ((_, slot), kernel) in slots.iter().zip(&kernels) {
                *slot.lock() = Arc::clone(kernel);
            }
            Ok(())
        })?;
        Ok(())
    }
}
