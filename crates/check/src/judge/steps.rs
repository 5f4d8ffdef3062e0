//! Steps that each leak memory.
//!
//! A step is an MSTX range or mark with the message `step start`. It ends with its range or when the next one
//! begins. Memory that is allocated at one call site in a step and survives it may be a cache that fills, or serve
//! the next step. If every step leaves something, and old memory is still there, it is a leak.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use millpond_trace::{BlockRef, Bytes, NumberMap, Operation, Record, RegionRef, Site};

use super::{Judge, families, words};
use crate::Finding;
use crate::rules::memory;
use crate::verdict::Verdict;
use crate::world::{Origin, World};

/// Steps that must have left something, one after the other.
const IN_A_ROW: usize = 6;
/// Things that are followed, and places that make them. Later ones are not.
const MOST: usize = 1 << 20;
const MOST_SITES: usize = 1 << 16;

/// Follows allocations in steps.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    /// How many steps began.
    step: u64,
    /// The range that is the step, if it is one; whether a step is going on.
    range: Option<u64>,
    inside: bool,
    things: NumberMap<Thing, Counted>,
    sites: HashMap<Site, usize>,
    tallies: Vec<Tally>,
    dropped_facts: u64,
}

/// What is allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Thing {
    Block(BlockRef),
    Region(RegionRef),
}

/// Where a thing is counted: the tally of its call site, its step, its size.
#[derive(Debug, Clone, Copy)]
struct Counted {
    tally: usize,
    step: u64,
    bytes: u64,
}

/// What one call site allocated.
#[derive(Debug)]
struct Tally {
    site: Site,
    what: &'static str,
    made: Arc<Origin>,
    /// Steps, and what they left: how many, and how many bytes. The latest last.
    left: VecDeque<(u64, u64, u64)>,
    reported: bool,
}

impl Judge for Steps {
    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        if self.step > 0 {
            for block in world.blocks.ended_now() {
                self.ended(Thing::Block(block.number));
            }
        }
        match &record.operation {
            Operation::RangeStarted { range, message, .. } if is_step(message) => {
                self.end_step(world, record, verdict);
                self.begin_step(Some(*range));
            }
            Operation::Marked { message, .. } if is_step(message) => {
                self.end_step(world, record, verdict);
                self.begin_step(None);
            }
            Operation::RangeEnded { range } if self.range == Some(*range) => {
                self.end_step(world, record, verdict);
            }
            Operation::Allocated {
                block, requested, ..
            } if self.inside && families::hands_out(&record.site.call) => {
                self.began(Thing::Block(*block), *requested, "block", record);
            }
            Operation::RegionRegistered { region, range, .. } if self.inside => {
                self.began(Thing::Region(*region), range.bytes, "region", record);
            }
            Operation::RegionUnregistered { region } => self.ended(Thing::Region(*region)),
            _ => {}
        }
    }

    fn state_bytes(&self) -> u64 {
        let steps: usize = self.tallies.iter().map(|tally| tally.left.capacity()).sum();
        let things = self.things.capacity() * (size_of::<(Thing, Counted)>() + 1);
        let tallies = self.tallies.capacity() * (size_of::<Tally>() + size_of::<Site>() + 16);
        (things + tallies + steps * size_of::<(u64, u64, u64)>()) as u64
    }

    fn dropped_facts(&self) -> u64 {
        self.dropped_facts
    }
}

fn is_step(message: &str) -> bool {
    message.trim() == "step start"
}

impl Steps {
    fn begin_step(&mut self, range: Option<u64>) {
        self.step += 1;
        self.range = range;
        self.inside = true;
    }

    fn began(&mut self, thing: Thing, bytes: u64, what: &'static str, record: &Record) {
        if self.things.len() >= MOST || self.tallies.len() >= MOST_SITES {
            self.dropped_facts += 1;
            return;
        }
        self.ended(thing);
        let tally = *self.sites.entry(record.site.clone()).or_insert_with(|| {
            self.tallies.push(Tally {
                site: record.site.clone(),
                what,
                made: Origin::of(record),
                left: VecDeque::new(),
                reported: false,
            });
            self.tallies.len() - 1
        });
        let known = self.tallies.get_mut(tally).filter(|tally| !tally.reported);
        let Some(left) = known.map(|tally| &mut tally.left) else {
            return;
        };
        match left.back_mut() {
            Some((step, count, all)) if *step == self.step => {
                *count += 1;
                *all = all.saturating_add(bytes);
            }
            _ => left.push_back((self.step, 1, bytes)),
        }
        let counted = Counted {
            tally,
            step: self.step,
            bytes,
        };
        self.things.insert(thing, counted);
    }

    fn ended(&mut self, thing: Thing) {
        let Some(counted) = self.things.remove(&thing) else {
            return;
        };
        let Some(tally) = self.tallies.get_mut(counted.tally) else {
            return;
        };
        let steps = &mut tally.left;
        let found = steps.binary_search_by_key(&counted.step, |(step, _, _)| *step);
        if let Ok(index) = found
            && let Some((_, count, bytes)) = steps.get_mut(index)
        {
            *count -= 1;
            *bytes = bytes.saturating_sub(counted.bytes);
            if *count == 0 {
                steps.remove(index);
            }
        }
    }

    /// A step has ended: reports call sites that leaked in too many steps.
    fn end_step(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        if !std::mem::replace(&mut self.inside, false) {
            return;
        }
        for tally in self.tallies.iter_mut().filter(|tally| !tally.reported) {
            let steps = &tally.left;
            let Some(oldest) = steps.len().checked_sub(IN_A_ROW) else {
                continue;
            };
            // Every one of the last steps left something.
            let first = steps.get(oldest).map(|(step, _, _)| *step);
            if first != Some(self.step.saturating_sub(IN_A_ROW as u64 - 1)) || first == Some(0) {
                continue;
            }
            tally.reported = true;
            verdict.report(finding(tally, self.step, world, record));
        }
    }
}

fn finding(tally: &Tally, step: u64, world: &World, record: &Record) -> Finding {
    let (count, bytes) = tally
        .left
        .iter()
        .fold((0, 0), |(count, all), (_, more, bytes)| {
            (count + more, bytes.saturating_add(all))
        });
    let first = tally.left.front().map_or(step, |(first, _, _)| *first);
    let steps = tally.left.len();
    let message = format!(
        "each of {} leaked a {} of one {}: {}, {} in all, since step {first}",
        words::count(steps as u64, "step"),
        tally.what,
        tally.site.call,
        words::count(count, tally.what),
        words::count(bytes, "byte"),
    );
    let operation = tally.made.operation(format!(
        "allocates the first of these {}",
        words::plural(2, tally.what)
    ));
    let mut finding = Finding::new(&memory::LEAK_STEP, message, operation);
    finding
        .operations
        .push(Origin::of(record).operation(format!("ends step {step}")));
    let range = world
        .blocks
        .live()
        .find(|block| block.made.site == tally.site);
    finding.bytes = range.map(|block| Bytes {
        start: block.range.start,
        bytes: block.requested,
    });
    finding.block = range.map(|block| block.lifetime());
    finding.advice = Some(
        "free it in the step that allocates it, or allocate it once before the first step"
            .to_owned(),
    );
    finding
}
