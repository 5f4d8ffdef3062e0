//! Allocators on streams: shared by several streams, replaced in use, or freeing memory in use.
//!
//! A use counts from the moment at which its work is queued, even if the runtime happened to do it inside the call:
//! the program cannot know that, and the documentation speaks of what it may do.
//!
//! Blocks that were returned to their allocator are its own business. A copy of the program into such bytes is not
//! an error, because arenas have other users, so it is not reported.

use std::collections::HashSet;
use std::sync::Arc;

use millpond_trace::{NumberMap, Operation, Record, RunSource, StreamRef, Text};

use super::{Judge, words};
use crate::Finding;
use crate::rules::allocator as rules;
use crate::verdict::Verdict;
use crate::world::{Origin, Registration, World};

/// What is kept of each kind, at most.
const MOST: usize = 4096;

/// Judges allocators on streams.
#[derive(Debug, Default)]
pub(crate) struct AllocatorJudge {
    /// Objects and pairs of streams that were reported.
    reported: HashSet<(u64, StreamRef, StreamRef)>,
    watched: NumberMap<StreamRef, Watch>,
    /// Streams on which something ran.
    ran: HashSet<StreamRef>,
    /// Something ran that was waited for in the call.
    ran_at_once: bool,
}

/// A registration that was not used yet.
#[derive(Debug)]
struct Watch {
    object: u64,
    made: Arc<Origin>,
    ran_before: bool,
    /// What ran since then, and why it did not use the allocator.
    last: Option<(Text, RunSource, Text)>,
}

impl Judge for AllocatorJudge {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::AllocatorAsked { stream, object, .. } => {
                self.watched.remove(stream);
                self.shared(world, record, *stream, *object, verdict);
            }
            Operation::Freed { .. } | Operation::Unmapped { .. } => {
                returned_early(world, record, verdict);
            }
            Operation::Allocator { stream, .. } => {
                let now = world.allocators.of(*stream);
                if let Some((_, before)) = world.allocators.ended()
                    && now.is_none_or(|now| now.object != before.object)
                {
                    replaced(world, record, *stream, before, verdict);
                    self.unused(*stream, verdict);
                }
                if let Some(now) = now {
                    self.watch(*stream, now, world);
                }
            }
            Operation::StreamDestroyed { stream, .. } => {
                self.ran.remove(stream);
                // The release of a context or a device has its own order.
                let asked = record.site.call.starts_with("aclrtDestroyStream");
                if let Some((stream, before)) = world.allocators.ended()
                    && asked
                {
                    destroyed(record, stream, before, verdict);
                }
                self.unused(*stream, verdict);
            }
            Operation::RunPlaced {
                stream,
                name,
                source,
                reason,
                ..
            } => match stream {
                Some(stream) => {
                    if let Some(watch) = self.watched.get_mut(stream) {
                        watch.last = Some((name.clone(), *source, reason.clone()));
                    }
                    if self.ran.len() < MOST {
                        self.ran.insert(*stream);
                    }
                }
                None => self.ran_at_once = true,
            },
            _ => {}
        }
    }

    fn end(&mut self, _world: &World, verdict: &mut Verdict) {
        let mut left: Vec<_> = self.watched.keys().copied().collect();
        left.sort_unstable();
        for stream in left {
            self.unused(stream, verdict);
        }
    }

    fn state_bytes(&self) -> u64 {
        let watched = self.watched.capacity() * (size_of::<Watch>() + 8);
        (self.reported.capacity() * 24 + self.ran.capacity() * 8 + watched) as u64
    }
}

impl AllocatorJudge {
    /// An allocator is used for one stream while work of another stream with it may still run.
    fn shared(
        &mut self,
        world: &World,
        record: &Record,
        stream: StreamRef,
        object: u64,
        verdict: &mut Verdict,
    ) {
        let host = world.host_clock();
        for other in world.allocators.users(object) {
            let before = other.position.stream;
            if before == stream || world.ordered(other.epoch(), &host) {
                continue;
            }
            if self.reported.len() >= MOST {
                self.reported.clear();
            }
            if !self
                .reported
                .insert((object, before.min(stream), before.max(stream)))
            {
                continue;
            }
            // Behind a wait for a future recording, the order is not known yet.
            let open = [before, stream].iter().any(|it| {
                let stream = world.streams.get(*it);
                stream.is_some_and(crate::world::Stream::is_behind)
            });
            let by_event = open || world.ordered(other.epoch(), &world.stream_clock(stream));
            let (rule, how) = if by_event {
                (&rules::SHARED_BY_EVENT, "only an event orders them")
            } else {
                (&rules::SHARED, "nothing orders them")
            };
            let message = format!(
                "allocator {object:#x} gives memory to stream {stream} while task {} of stream {before} \
                 may still use its memory, and {how}",
                other.position.task
            );
            let operation = Origin::of(record).operation(format!(
                "asks allocator {object:#x} for memory for stream {stream}"
            ));
            let mut finding = Finding::new(rule, message, operation);
            finding.operations.push(other.asked.operation(format!(
                "asked allocator {object:#x} for memory for task {} of stream {before}",
                other.position.task
            )));
            finding.missing = Some(format!(
                "the host does not wait for stream {before} before stream {stream} uses the allocator"
            ));
            finding.advice = Some(format!(
                "call aclrtSynchronizeStream for stream {before} first, or use a separate allocator for each \
                 stream"
            ));
            verdict.report(finding);
        }
    }

    fn watch(&mut self, stream: StreamRef, now: &Registration, world: &World) {
        // Registering the same object again changes nothing.
        let again = world
            .allocators
            .ended()
            .is_some_and(|(_, before)| before.object == now.object);
        if again || self.watched.len() >= MOST {
            return;
        }
        let watch = Watch {
            object: now.object,
            made: Arc::clone(&now.made),
            ran_before: self.ran.contains(&stream),
            last: None,
        };
        self.watched.insert(stream, watch);
    }

    /// A registration ends: was it good for anything?
    fn unused(&mut self, stream: StreamRef, verdict: &mut Verdict) {
        let Some(watch) = self.watched.remove(&stream) else {
            return;
        };
        let (why, advice) = match (&watch.last, watch.ran_before, self.ran_at_once) {
            (Some((name, source, reason)), _, _) => {
                let reason = match (reason.is_empty(), source) {
                    (false, _) => reason.to_string(),
                    (true, RunSource::Provided) => "it has its own memory".to_owned(),
                    (true, RunSource::Nothing) => "it needs no memory".to_owned(),
                    (true, RunSource::Pool | RunSource::Allocator) => {
                        "it uses the runtime's pool".to_owned()
                    }
                };
                (
                    format!("{name} ran on it, but {reason}"),
                    "only operators and models with dynamic shapes use the allocator, if they need memory",
                )
            }
            (None, true, _) => (
                "operators and models ran on it only before the registration".to_owned(),
                "register the allocator before the work that should use it",
            ),
            (None, false, true) => (
                "no operator or model ran on it, only synchronous calls, which do not use it"
                    .to_owned(),
                "use aclmdlExecuteAsync with the stream",
            ),
            (None, false, false) => (
                "no operator or model ran on it".to_owned(),
                "an allocator serves only operators and models that run on its stream",
            ),
        };
        let message = format!(
            "allocator {:#x} was registered on stream {stream} and never used: {why}",
            watch.object
        );
        let operation = watch
            .made
            .operation(format!("registers allocator {:#x}", watch.object));
        let mut finding = Finding::new(&rules::UNUSED, message, operation);
        finding.advice = Some(advice.to_owned());
        verdict.report(finding);
    }
}

/// Memory of an allocator was freed while work may still use it.
fn returned_early(world: &World, record: &Record, verdict: &mut Verdict) {
    let Some(first) = world.allocators.taken().first() else {
        return;
    };
    let (object, position) = (first.object, first.used.position);
    let block = world.blocks.ended_at(first.range.start);
    let name = block.map_or_else(|| "memory".to_owned(), |it| it.lifetime().name.clone());
    let message = format!(
        "{name} is freed while task {} of stream {} may still use {} in it, which allocator \
         {object:#x} returned",
        position.task,
        position.stream,
        words::range(first.range)
    );
    let operation = Origin::of(record).operation(format!("frees {name}"));
    let mut finding = Finding::new(&rules::RETURNED_EARLY, message, operation);
    finding.operations.push(first.used.asked.operation(format!(
        "asked allocator {object:#x} for memory for task {} of stream {}",
        position.task, position.stream
    )));
    finding.bytes = Some(first.range);
    finding.block = block.map(|it| it.lifetime());
    finding.missing = Some(format!(
        "the host does not wait for task {} of stream {} before the memory is freed",
        position.task, position.stream
    ));
    finding.advice = Some(format!(
        "call aclrtSynchronizeStream for stream {} before the allocator frees memory",
        position.stream
    ));
    verdict.report(finding);
}

/// An allocator is replaced or removed before all its blocks were returned.
fn replaced(
    world: &World,
    record: &Record,
    stream: StreamRef,
    before: &Registration,
    verdict: &mut Verdict,
) {
    let given = world.allocators.given();
    let mut live = given
        .iter()
        .filter(|it| it.stream == stream && it.object == before.object);
    let Some(first) = live.next() else {
        return;
    };
    let count = 1 + live.count() as u64;
    let message = format!(
        "allocator {:#x} is removed from stream {stream}, which has {} of it that were not returned, among \
         them {}",
        before.object,
        words::count(count, "block"),
        words::range(first.range)
    );
    let what = match world.allocators.of(stream) {
        Some(now) => format!("registers allocator {:#x} in its place", now.object),
        None => format!("unregisters allocator {:#x}", before.object),
    };
    let mut finding = Finding::new(
        &rules::REPLACED_IN_USE,
        message,
        Origin::of(record).operation(what),
    );
    finding.operations.push(
        first
            .asked
            .operation(format!("got {}", words::range(first.range))),
    );
    finding.bytes = Some(first.range);
    finding.advice =
        Some("change allocators between runs, after aclrtSynchronizeStream".to_owned());
    verdict.report(finding);
}

fn destroyed(record: &Record, stream: StreamRef, before: &Registration, verdict: &mut Verdict) {
    let message = format!(
        "stream {stream} is destroyed with allocator {:#x} registered on it",
        before.object
    );
    let operation = Origin::of(record).operation(format!("destroys stream {stream}"));
    let mut finding = Finding::new(&rules::STREAM_DESTROYED, message, operation);
    finding.operations.push(
        before
            .made
            .operation(format!("registered allocator {:#x}", before.object)),
    );
    finding.missing = Some(format!(
        "aclrtAllocatorUnregister of stream {stream} before it is destroyed"
    ));
    verdict.report(finding);
}
