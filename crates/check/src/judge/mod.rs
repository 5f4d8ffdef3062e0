//! Those who judge: one file for each kind of rule.
//!
//! A judge looks at what happened, with the world as it is after it, and keeps what it needs for its
//! own rules. It reports only what it knows for certain: where a bound made it forget, it is silent.

mod allocators;
mod bounds;
mod caching;
mod callbacks;
mod called_inside;
mod defined;
mod descriptors;
mod destroyed_in_use;
mod devices;
mod events;
mod families;
mod freed_in_use;
mod frees;
mod growth;
mod heaps;
mod history;
mod host_buffers;
mod leaks;
mod overlap;
mod planted;
mod races;
mod regions;
mod segments;
mod sources;
mod stale;
mod stalls;
mod steps;
mod unused;
pub(crate) mod words;

use std::fmt;

use millpond_trace::Record;

pub(crate) use history::describe;
pub(crate) use host_buffers::overlap;

use crate::Options;
use crate::verdict::Verdict;
use crate::world::{Turn, World};

/// Looks for broken rules of one kind.
pub(crate) trait Judge: fmt::Debug + Send {
    /// Something was recorded, other than the end of a task; work only if it hears of work.
    fn record(&mut self, _world: &World, _record: &Record, _verdict: &mut Verdict) {}

    /// Whether `record` is called for work that is asked for. Most judges wait for its turn, and half of
    /// all records are work.
    fn hears_work(&self) -> bool {
        false
    }

    /// A piece of work has its turn. Called after `record` of the record that let it.
    fn turn(&mut self, _world: &World, _turn: &Turn, _verdict: &mut Verdict) {}

    /// The program has ended.
    fn end(&mut self, _world: &World, _verdict: &mut Verdict) {}

    /// Bytes that its books take.
    fn books(&self) -> u64 {
        0
    }

    /// Blocks that the program never said it is done with, so that nobody judged them.
    fn unasked(&self, _world: &World) -> u64 {
        0
    }

    /// How often it gave knowledge up because a bound was reached.
    fn forgotten(&self) -> u64 {
        0
    }
}

/// All judges.
pub(crate) fn all(options: &Options) -> Vec<Box<dyn Judge>> {
    let mut judges: Vec<Box<dyn Judge>> = vec![
        Box::new(races::Races::default()),
        Box::new(events::Events::default()),
        Box::new(destroyed_in_use::DestroyedInUse::default()),
        Box::new(stale::Stale::default()),
        Box::new(stalls::Stalls::default()),
        Box::new(called_inside::CalledInside::default()),
        Box::new(bounds::Bounds),
        Box::new(overlap::Overlap),
        Box::new(devices::Devices::default()),
        Box::new(frees::Frees),
        Box::new(planted::Found::default()),
        Box::new(defined::Defined::default()),
        Box::new(unused::Unused::default()),
        Box::new(allocators::Allocators::default()),
        Box::new(callbacks::Callbacks),
        Box::new(descriptors::Descriptors::default()),
        Box::new(heaps::Heaps::new(options)),
        Box::new(regions::Regions),
        Box::new(caching::Caching),
        Box::new(segments::Segments::default()),
    ];
    if options.leaks {
        judges.push(Box::new(leaks::Leaks::new(options)));
        judges.push(Box::new(steps::Steps::default()));
        judges.push(Box::new(growth::Growth::default()));
    }
    judges
}
