//! Things that were left, by the place in the program that made them.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_trace::{Bytes, Site};

use crate::judge::families::Family;
use crate::judge::words;
use crate::verdict::Verdict;
use crate::world::{Block, Doer};
use crate::{BlockStory, Finding, Rule};

/// Something that was left.
#[derive(Debug)]
pub(super) struct Thing {
    what: &'static str,
    name: String,
    range: Option<Bytes>,
    bytes: u64,
    story: Option<Arc<BlockStory>>,
}

impl Thing {
    pub(super) fn new(what: &'static str) -> Self {
        Self {
            what,
            name: what.to_owned(),
            range: None,
            bytes: 0,
            story: None,
        }
    }

    pub(super) fn of(block: &Block) -> Self {
        let mapping = block.name().starts_with("mapping");
        Self {
            what: if mapping { "mapping" } else { "block" },
            name: block.name(),
            range: Some(Bytes {
                start: block.range.start,
                bytes: block.requested,
            }),
            bytes: block.requested,
            story: Some(block.story()),
        }
    }

    pub(super) fn called(mut self, number: u64) -> Self {
        self.name = format!("{} {number}", self.what);
        self
    }

    pub(super) fn of_bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    pub(super) fn at(mut self, range: Bytes) -> Self {
        self.name = format!("{} at {:#x}", self.what, range.start);
        self.range = Some(range);
        self.bytes = range.bytes;
        self
    }
}

/// What one place in the program left.
#[derive(Debug)]
struct Heap {
    first: Thing,
    made: Arc<Doer>,
    count: u64,
    bytes: u64,
}

/// What was left when somebody said that all is done.
#[derive(Debug)]
pub(super) struct Left<'a> {
    rule: &'static Rule,
    /// Who said so.
    doer: &'a Arc<Doer>,
    places: HashMap<(&'static str, Site), usize>,
    heaps: Vec<Heap>,
}

impl<'a> Left<'a> {
    pub(super) fn new(rule: &'static Rule, doer: &'a Arc<Doer>) -> Self {
        Self {
            rule,
            doer,
            places: HashMap::new(),
            heaps: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, made: &Arc<Doer>, thing: Thing) {
        // What came to be after the device was reset was not left by that.
        if made.order > self.doer.order {
            return;
        }
        let place = (thing.what, made.site.clone());
        let index = *self.places.entry(place).or_insert(self.heaps.len());
        if let Some(heap) = self.heaps.get_mut(index) {
            heap.count += 1;
            heap.bytes = heap.bytes.saturating_add(thing.bytes);
            return;
        }
        self.heaps.push(Heap {
            bytes: thing.bytes,
            first: thing,
            made: Arc::clone(made),
            count: 1,
        });
    }

    /// Reports it, but for what is older than `told`.
    pub(super) fn tell(mut self, told: u64, verdict: &mut Verdict) {
        self.heaps.sort_by_key(|heap| heap.made.order);
        for heap in self.heaps.iter().filter(|heap| heap.made.order > told) {
            verdict.report(self.finding(heap));
        }
    }

    fn finding(&self, heap: &Heap) -> Finding {
        let first = &heap.first;
        let (maker, by) = (&heap.made.site.call, &self.doer.site.call);
        let message = match (heap.count, heap.bytes) {
            (1, 0) => format!("{} was left at {by}", first.name),
            (1, bytes) => {
                let bytes = words::count(bytes, "byte");
                format!("{} ({bytes}) was left at {by}", first.name)
            }
            (count, 0) => {
                let things = words::count(count, first.what);
                format!("{things} of one {maker} were left at {by}")
            }
            (count, bytes) => {
                let (things, bytes) =
                    (words::count(count, first.what), words::count(bytes, "byte"));
                format!("{things} of one {maker}, {bytes} in all, were left at {by}")
            }
        };
        let act = heap.made.act(format!("made {}", first.name));
        let mut finding = Finding::new(self.rule, message, act);
        finding
            .operations
            .push(self.doer.act("says that all is done"));
        finding.bytes = first.range;
        finding.block.clone_from(&first.story);
        let ender = Family::made_by(maker).and_then(|family| family.enders.first().copied());
        let ender = ender.or_else(|| super::handles::ender(maker));
        finding.missing = ender.map(|ender| format!("{ender} before {by}"));
        finding
    }
}
