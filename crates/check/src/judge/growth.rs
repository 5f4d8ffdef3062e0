//! Tensors that a loop leaks in every iteration.
//!
//! A script holds much memory until it ends, and rightly so: parameters, the optimiser's state, the last gradients.
//! Memory that it holds by mistake looks different: it was allocated at one line, again and again, through most of
//! the run, at even intervals, and other memory was allocated and freed in between. Parameters are allocated at
//! once, gradients in one call, state in the first step.
//!
//! The checker does not know where a loop begins. A *visit* stands for an iteration: a line allocates after the
//! same thread has allocated at another line. Without call stacks all lines look the same, and nothing is reported.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_trace::{NumberMap, Operation, Record, RegionRef, Site};

use super::{Judge, words};
use crate::Finding;
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Cached, Origin, World};

/// Turns of a loop that must have left something.
const VISITS: usize = 8;
/// The visits span at least this fraction of the run.
const PART: u64 = 3;
/// The longest pause between two visits, as a multiple of the usual one.
const PAUSE: u64 = 4;
/// Fewer bytes than these are a hint: a script may well keep its losses.
const LITTLE: u64 = 1 << 20;
/// How many lines are reported, those with the most bytes first.
const MOST_TOLD: usize = 8;

/// When a piece was handed out.
#[derive(Debug, Clone, Copy)]
struct Born {
    /// Counts pieces.
    index: u64,
    /// Counts visits of its thread.
    visit: u64,
    /// The youngest that had died by then.
    youngest_dead: u64,
}

/// What a thread allocated last.
#[derive(Debug)]
struct Last {
    site: Site,
    visit: u64,
}

/// Checks for tensors that accumulate.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    count: u64,
    visits: u64,
    youngest_dead: u64,
    born: NumberMap<RegionRef, Born>,
    threads: NumberMap<u64, Last>,
    reported: bool,
}

impl Judge for Growth {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::RegionRegistered { region, domain, .. }
                if world.caching.speaks_in(*domain) =>
            {
                self.count += 1;
                let visit = self.visit(record);
                let born = Born {
                    index: self.count,
                    visit,
                    youngest_dead: self.youngest_dead,
                };
                self.born.insert(*region, born);
            }
            Operation::RegionUnregistered { region } => {
                if let Some(born) = self.born.remove(region) {
                    self.youngest_dead = self.youngest_dead.max(born.index);
                }
            }
            Operation::ResetBegan { .. } | Operation::Finalized
                if !self.reported && !record.site.call.is_empty() =>
            {
                self.reported = true;
                self.report(world, record, verdict);
            }
            _ => {}
        }
    }

    fn state_bytes(&self) -> u64 {
        let born = self.born.capacity() * (size_of::<(RegionRef, Born)>() + 1);
        let threads = self.threads.capacity() * (size_of::<(u64, Last)>() + 1);
        (born + threads) as u64
    }
}

impl Growth {
    /// The visit that an allocation belongs to.
    fn visit(&mut self, record: &Record) -> u64 {
        let last = self.threads.get(&record.thread);
        if let Some(last) = last.filter(|last| last.site == record.site) {
            return last.visit;
        }
        self.visits += 1;
        let last = Last {
            site: record.site.clone(),
            visit: self.visits,
        };
        self.threads.insert(record.thread, last);
        self.visits
    }

    fn report(&self, world: &World, record: &Record, verdict: &mut Verdict) {
        let mut lines: HashMap<&Site, Vec<(Born, &Arc<Cached>)>> = HashMap::new();
        for piece in world.caching.live() {
            // Without stacks all have the same place.
            if piece.made.site.stack == 0 {
                continue;
            }
            if let Some(born) = self.born.get(&piece.number) {
                lines
                    .entry(&piece.made.site)
                    .or_default()
                    .push((*born, piece));
            }
        }
        let mut found: Vec<_> = lines
            .into_values()
            .filter_map(|mut pieces| {
                pieces.sort_by_key(|(born, _)| born.index);
                let visits = self.grows(&pieces)?;
                let bytes: u64 = pieces.iter().map(|(_, piece)| piece.range.bytes).sum();
                Some((bytes, visits, pieces))
            })
            .collect();
        found.sort_by_key(|(bytes, _, pieces)| {
            (u64::MAX - bytes, pieces.first().map(|(born, _)| born.index))
        });
        for (bytes, visits, pieces) in found.into_iter().take(MOST_TOLD) {
            let found = finding(record, &pieces, bytes, visits);
            verdict.report(if bytes < LITTLE {
                found.as_hint()
            } else {
                found
            });
        }
    }

    /// How many turns left something, if that is what it looks like.
    fn grows(&self, pieces: &[(Born, &Arc<Cached>)]) -> Option<usize> {
        let mut visits: Vec<Born> = pieces.iter().map(|(born, _)| *born).collect();
        visits.dedup_by_key(|born| born.visit);
        let (first, last) = (visits.first()?, visits.last()?);
        let span = last.index - first.index;
        if visits.len() < VISITS || span < self.count / PART {
            return None;
        }
        let usual = span / (visits.len() as u64 - 1);
        let even = visits.windows(3).all(|turns| {
            let [one, next, after] = turns else {
                return true;
            };
            let pause = (next.index - one.index).max(after.index - next.index);
            // Other memory was allocated and freed in between.
            after.youngest_dead > one.index && pause <= PAUSE * usual
        });
        even.then_some(visits.len())
    }
}

fn finding(record: &Record, pieces: &[(Born, &Arc<Cached>)], bytes: u64, visits: usize) -> Finding {
    let count = words::count(pieces.len() as u64, "block");
    let message = format!(
        "one line allocated {count} of torch_npu's cache, {} in all, and none was freed: it leaked {} times, \
         through most of the run",
        words::count(bytes, "byte"),
        words::grouped(visits as u64),
    );
    let first = pieces.first().map(|(_, piece)| *piece);
    let last = pieces.last().map(|(_, piece)| *piece);
    let done = Origin::of(record).operation("releases what is left");
    let operation = last.map_or_else(
        || done.clone(),
        |piece| piece.operation("allocates the last of them"),
    );
    let mut finding = Finding::new(&memory::GROWTH, message, operation);
    finding
        .operations
        .extend(first.map(|piece| piece.operation("allocates the first of them")));
    finding.operations.push(done);
    finding.block = first.map(|piece| piece.lifetime());
    finding.bytes = first.map(|piece| piece.range);
    finding.advice = Some(
        "look for what keeps these tensors: a list that is never emptied, a sum of losses that are not detached. Keep \
         numbers (loss.item()) or detached copies on the host"
            .to_owned(),
    );
    finding
}
