//! Judges: one file for each kind of rule.
//!
//! A judge sees each record with the state of the world after it, and keeps what it needs for its own rules. It
//! reports only what is certain: if a limit made it drop facts, it does not report.

mod allocators;
mod bounds;
mod caching;
mod callbacks;
mod called_inside;
mod captured_tensors;
mod collectives;
mod defined;
mod descriptors;
mod destroyed_in_use;
mod devices;
mod events;
mod families;
mod freed_in_use;
mod frees;
mod graphs;
mod growth;
mod guards;
mod heaps;
mod history;
mod host_buffers;
mod leaks;
mod overlap;
mod races;
mod regions;
mod segments;
mod shared;
mod sources;
mod stale;
mod stalls;
mod steps;
mod unused;
pub(crate) mod words;

use std::fmt;

use millpond_trace::Record;

pub(crate) use collectives::rule as rank_rule;
pub(crate) use history::describe;
pub(crate) use host_buffers::overlap;

use crate::Options;
use crate::verdict::Verdict;
use crate::world::{Turn, World};

/// Checks the rules of one kind.
pub(crate) trait Judge: fmt::Debug + Send {
    /// Called for each record but the end of a task; for requests of work only if `sees_requests`.
    fn record(&mut self, _world: &World, _record: &Record, _verdict: &mut Verdict) {}

    /// Whether `record` is called when work is requested. Most judges wait for its turn, and half of all records are
    /// requests.
    fn sees_requests(&self) -> bool {
        false
    }

    /// Work has its turn. Called after `record` for the record that gave it.
    fn turn(&mut self, _world: &World, _turn: &Turn, _verdict: &mut Verdict) {}

    /// The program has ended.
    fn end(&mut self, _world: &World, _verdict: &mut Verdict) {}

    /// Bytes of memory that its state takes.
    fn state_bytes(&self) -> u64 {
        0
    }

    /// Unfreed blocks of a program that called neither `aclrtResetDevice` nor `aclFinalize`.
    fn unfreed_blocks(&self, _world: &World) -> u64 {
        0
    }

    /// Facts that it dropped because a limit was reached.
    fn dropped_facts(&self) -> u64 {
        0
    }
}

/// All judges.
pub(crate) fn all(options: &Options) -> Vec<Box<dyn Judge>> {
    let mut judges: Vec<Box<dyn Judge>> = vec![
        Box::new(races::Races::default()),
        Box::new(events::EventJudge::default()),
        Box::new(destroyed_in_use::DestroyedInUse::default()),
        Box::new(stale::Stale::default()),
        Box::new(stalls::Stalls::default()),
        Box::new(called_inside::CalledInside::default()),
        Box::new(collectives::Collectives),
        Box::new(graphs::Graphs::default()),
        Box::new(captured_tensors::CapturedTensors::default()),
        Box::new(bounds::Bounds),
        Box::new(overlap::Overlap),
        Box::new(devices::Devices::default()),
        Box::new(frees::Frees),
        Box::new(shared::Shared::default()),
        Box::new(guards::GuardJudge::default()),
        Box::new(defined::Defined::default()),
        Box::new(unused::Unused::default()),
        Box::new(allocators::AllocatorJudge::default()),
        Box::new(callbacks::Callbacks),
        Box::new(descriptors::Descriptors::default()),
        Box::new(heaps::HeapJudge::new(options)),
        Box::new(regions::RegionJudge),
        Box::new(caching::CachingJudge::default()),
        Box::new(segments::SegmentJudge::default()),
    ];
    if options.leaks {
        judges.push(Box::new(leaks::Leaks::new(options)));
        judges.push(Box::new(steps::Steps::default()));
        judges.push(Box::new(growth::Growth::default()));
    }
    judges
}
