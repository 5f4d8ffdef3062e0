//! Allocator descriptors: complete when they are registered, and used only while they exist.

use std::collections::VecDeque;
use std::sync::Arc;

use millpond_trace::{
    AllocatorChange, DescriptorField, DescriptorProblem, NumberMap, Operation, Record,
};

use super::Judge;
use crate::Finding;
use crate::rules::allocator as rules;
use crate::verdict::Verdict;
use crate::world::{Origin, World};

/// What is kept of each kind, at most.
const MOST: usize = 4096;

/// Judges the use of descriptors.
#[derive(Debug, Default)]
pub(crate) struct Descriptors {
    live: NumberMap<u64, Description>,
    /// Who destroyed those that were, the oldest first.
    ended: VecDeque<(u64, Arc<Origin>)>,
}

#[derive(Debug)]
struct Description {
    /// The record that made it: an address is used again.
    born: u64,
    /// What was set after it was registered.
    changed: Option<Change>,
}

/// A field that was set after the registration.
#[derive(Debug)]
struct Change {
    field: DescriptorField,
    origin: Arc<Origin>,
    registered: Arc<Origin>,
}

impl Judge for Descriptors {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::DescriptorCreated { descriptor } => {
                let fresh = Description {
                    born: record.order,
                    changed: None,
                };
                if self.live.len() < MOST {
                    self.live.insert(*descriptor, fresh);
                }
            }
            Operation::DescriptorSet { descriptor, field } => {
                self.set(world, record, *descriptor, *field);
            }
            // One description may serve for many registrations: what was set is in this one.
            Operation::Allocator {
                change: AllocatorChange::Registered { descriptor, .. },
                ..
            } => {
                if let Some(known) = self.live.get_mut(descriptor) {
                    known.changed = None;
                }
            }
            Operation::DescriptorDestroyed { descriptor } => {
                if let Some(known) = self.live.remove(descriptor) {
                    changed(*descriptor, known, verdict);
                }
                if self.ended.len() == MOST {
                    self.ended.pop_front();
                }
                self.ended.push_back((*descriptor, Origin::of(record)));
            }
            Operation::DescriptorRefused {
                descriptor,
                problem,
            } => self.refused(record, *descriptor, *problem, verdict),
            _ => {}
        }
    }

    fn end(&mut self, _world: &World, verdict: &mut Verdict) {
        let mut left: Vec<_> = self.live.drain().collect();
        left.sort_unstable_by_key(|(_, known)| known.born);
        for (descriptor, known) in left {
            changed(descriptor, known, verdict);
        }
    }

    fn state_bytes(&self) -> u64 {
        let live = self.live.capacity() * (size_of::<Description>() + 8);
        (live + self.ended.len() * (size_of::<Origin>() + 32)) as u64
    }
}

impl Descriptors {
    fn set(&mut self, world: &World, record: &Record, descriptor: u64, field: DescriptorField) {
        let Some(known) = self.live.get_mut(&descriptor) else {
            return;
        };
        let born = known.born;
        let mut registered = world.allocators.registered();
        let registered = registered
            .find(|(_, it)| it.descriptor == descriptor && it.made.order > born)
            .map(|(_, it)| Arc::clone(&it.made));
        if let (Some(registered), None) = (registered, &known.changed) {
            known.changed = Some(Change {
                field,
                origin: Origin::of(record),
                registered,
            });
        }
    }

    fn refused(
        &self,
        record: &Record,
        descriptor: u64,
        problem: DescriptorProblem,
        verdict: &mut Verdict,
    ) {
        let call = &record.site.call;
        let operation = Origin::of(record).operation("was refused");
        let finding = match problem {
            DescriptorProblem::NullStream => {
                let message = format!("{call} got NULL as the stream");
                let mut finding = Finding::new(&rules::NULL_STREAM, message, operation);
                finding.advice = Some(
                    "create a stream with aclrtCreateStream, register the allocator on it and enqueue \
                     the work there"
                        .to_owned(),
                );
                finding
            }
            DescriptorProblem::Missing(field) => {
                let message = format!(
                    "descriptor {descriptor:#x} is registered without {}",
                    name(field)
                );
                let mut finding = Finding::new(&rules::INCOMPLETE, message, operation);
                finding.missing = Some(format!("a call of {}", setter(field)));
                finding
            }
            DescriptorProblem::Unknown => {
                let mut ended = self.ended.iter().rev();
                let ended = ended.find(|(address, _)| *address == descriptor);
                let what = match (descriptor, ended) {
                    (0, _) => "NULL, which is not a descriptor".to_owned(),
                    (_, Some(_)) => format!("descriptor {descriptor:#x}, which was destroyed"),
                    (_, None) => format!("{descriptor:#x}, which is not a descriptor"),
                };
                let message = format!("{call} got {what}");
                let mut finding = Finding::new(&rules::STALE_DESCRIPTOR, message, operation);
                if let Some((_, origin)) = ended {
                    finding.operations.push(origin.operation("destroyed it"));
                }
                finding
            }
        };
        verdict.report(finding);
    }
}

/// Reports what was set too late and never registered.
fn changed(descriptor: u64, known: Description, verdict: &mut Verdict) {
    let Some(change) = known.changed else {
        return;
    };
    let message = format!(
        "{} of descriptor {descriptor:#x} was set after its registration, which has no effect",
        name(change.field)
    );
    let operation = change
        .origin
        .operation(format!("sets {}", name(change.field)));
    let mut finding = Finding::new(&rules::CHANGED_DESCRIPTOR, message, operation);
    finding
        .operations
        .push(change.registered.operation("registered the descriptor"));
    finding.advice = Some("set all fields first, or register the descriptor again".to_owned());
    verdict.report(finding);
}

fn name(field: DescriptorField) -> &'static str {
    match field {
        DescriptorField::Object => "the object",
        DescriptorField::Alloc => "the function that allocates",
        DescriptorField::Free => "the function that frees",
        DescriptorField::AllocAdvise => "the function that allocates near an address",
        DescriptorField::GetAddress => "the function that returns a block's address",
    }
}

fn setter(field: DescriptorField) -> &'static str {
    match field {
        DescriptorField::Object => "aclrtAllocatorSetObjToDesc",
        DescriptorField::Alloc => "aclrtAllocatorSetAllocFuncToDesc",
        DescriptorField::Free => "aclrtAllocatorSetFreeFuncToDesc",
        DescriptorField::AllocAdvise => "aclrtAllocatorSetAllocAdviseFuncToDesc",
        DescriptorField::GetAddress => "aclrtAllocatorSetGetAddrFromBlockFuncToDesc",
    }
}
