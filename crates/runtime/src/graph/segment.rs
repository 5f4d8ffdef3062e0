//! Segments: neighbouring nodes of a lane as one task.
//!
//! The memory of all its nodes is resolved and noted once for each range, and the nodes run back to back.

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;

use super::node::{self, Node, Run, Template};
use crate::api::stream::Stream;
use crate::error::Boxed;
use crate::execution::Touch;
use crate::stream::Motion;

/// With more nodes than this the launching thread leaves them to a worker.
const MOST_HERE: usize = 256;

/// Nodes that run one after the other, as one task.
pub(super) struct Segment {
    touches: Vec<Touch>,
    steps: Arc<[Step]>,
    small: bool,
}

struct Step {
    /// Which of the segment's touches are its operands, and its scratch memory.
    operands: SmallVec<[u32; 4]>,
    scratch: Option<u32>,
    work: Work,
}

enum Work {
    Compute(&'static str, Arc<Run>),
    Move(Motion),
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("steps", &self.steps.len())
            .finish_non_exhaustive()
    }
}

impl Segment {
    /// The segment of these nodes, which all are plain.
    pub(super) fn of<'n>(nodes: impl Iterator<Item = &'n Node>) -> Self {
        let mut known: HashMap<(u64, u64), u32> = HashMap::new();
        let mut touches: Vec<Touch> = Vec::new();
        let mut number = |touch: &Touch| {
            let next = u32::try_from(touches.len()).unwrap_or(u32::MAX);
            let number = *known.entry((touch.address, touch.bytes)).or_insert(next);
            if number == next {
                touches.push(*touch);
            } else if let Some(one) = touches.get_mut(number as usize) {
                one.reads |= touch.reads;
                one.writes |= touch.writes;
            }
            number
        };
        let mut steps = Vec::new();
        let mut small = true;
        for node in nodes {
            let mut operands: SmallVec<[u32; 4]> =
                node.work.touches().iter().map(&mut number).collect();
            let (work, scratch) = match &node.work {
                Template::Compute(kernel) => {
                    small &= kernel.small;
                    let scratch = kernel.scratch.and_then(|_| operands.pop());
                    (Work::Compute(kernel.name, Arc::clone(&kernel.run)), scratch)
                }
                Template::Move { motion, .. } => {
                    let (to, _) = motion.sides();
                    small &= to.range.bytes <= 32 << 10;
                    (Work::Move(*motion), None)
                }
                Template::Updatable(_)
                | Template::Record(_)
                | Template::Wait(_)
                | Template::Call(_) => continue,
            };
            steps.push(Step {
                operands,
                scratch,
                work,
            });
        }
        Self {
            touches,
            small: small && steps.len() <= MOST_HERE,
            steps: steps.into(),
        }
    }

    /// Queues it.
    pub(super) fn issue(&self, stream: &Stream) -> Boxed<()> {
        let steps = Arc::clone(&self.steps);
        let device = Arc::clone(&stream.core().device);
        let name = "aclmdlRIExecuteAsync";
        stream.compute(name, &self.touches, None, self.small, move |places, _| {
            let at = |number: &u32| places.get(*number as usize).copied().unwrap_or(0);
            let mut operands: SmallVec<[u64; 8]> = SmallVec::new();
            for step in &*steps {
                operands.clear();
                operands.extend(step.operands.iter().map(at));
                let ran = match &step.work {
                    Work::Compute(name, run) => {
                        let scratch = step.scratch.as_ref().map_or(0, at);
                        run(&operands, scratch).map_err(|text| format!("{name}: {text}"))
                    }
                    Work::Move(motion) => {
                        let from = operands.get(1).copied().unwrap_or(0);
                        node::perform(motion, &*device.device, operands[0], from)
                    }
                };
                ran?;
            }
            Ok(())
        })
    }
}
