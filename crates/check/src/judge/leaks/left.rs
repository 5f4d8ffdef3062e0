//! Leaks, grouped by the call site that created them.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_trace::{Bytes, Site};

use crate::judge::families::Family;
use crate::judge::words;
use crate::verdict::Verdict;
use crate::world::{Block, Origin};
use crate::{BlockLifetime, Finding, Rule};

/// Something that was leaked.
#[derive(Debug)]
pub(super) struct Thing {
    what: &'static str,
    name: String,
    range: Option<Bytes>,
    bytes: u64,
    lifetime: Option<Arc<BlockLifetime>>,
}

impl Thing {
    pub(super) fn new(what: &'static str) -> Self {
        Self {
            what,
            name: what.to_owned(),
            range: None,
            bytes: 0,
            lifetime: None,
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
            lifetime: Some(block.lifetime()),
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

/// What one call site left.
#[derive(Debug)]
struct SiteLeaks {
    first: Thing,
    made: Arc<Origin>,
    count: u64,
    bytes: u64,
}

/// What was leaked at the end of the program, or of its use of a device.
#[derive(Debug)]
pub(super) struct Left<'a> {
    rule: &'static Rule,
    /// The call that ended it.
    origin: &'a Arc<Origin>,
    index: HashMap<(&'static str, Site), usize>,
    sites: Vec<SiteLeaks>,
}

impl<'a> Left<'a> {
    pub(super) fn new(rule: &'static Rule, origin: &'a Arc<Origin>) -> Self {
        Self {
            rule,
            origin,
            index: HashMap::new(),
            sites: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, made: &Arc<Origin>, thing: Thing) {
        // What was created after the device was reset is not a leak of that reset.
        if made.order > self.origin.order {
            return;
        }
        let place = (thing.what, made.site.clone());
        let index = *self.index.entry(place).or_insert(self.sites.len());
        if let Some(site) = self.sites.get_mut(index) {
            site.count += 1;
            site.bytes = site.bytes.saturating_add(thing.bytes);
            return;
        }
        self.sites.push(SiteLeaks {
            bytes: thing.bytes,
            first: thing,
            made: Arc::clone(made),
            count: 1,
        });
    }

    /// Reports leaks that are newer than `reported`.
    pub(super) fn report(mut self, reported: u64, verdict: &mut Verdict) {
        self.sites.sort_by_key(|site| site.made.order);
        for site in self.sites.iter().filter(|site| site.made.order > reported) {
            verdict.report(self.finding(site));
        }
    }

    fn finding(&self, site: &SiteLeaks) -> Finding {
        let first = &site.first;
        let (maker, by) = (&site.made.site.call, &self.origin.site.call);
        let message = match (site.count, site.bytes) {
            (1, 0) => format!("{} still exists at {by}", first.name),
            (1, bytes) => {
                let bytes = words::count(bytes, "byte");
                format!("{} ({bytes}) still exists at {by}", first.name)
            }
            (count, 0) => {
                let things = words::count(count, first.what);
                format!("{things} of one {maker} still exist at {by}")
            }
            (count, bytes) => {
                let (things, bytes) =
                    (words::count(count, first.what), words::count(bytes, "byte"));
                format!("{things} of one {maker}, {bytes} in all, still exist at {by}")
            }
        };
        let operation = site.made.operation(format!("creates {}", first.name));
        let mut finding = Finding::new(self.rule, message, operation);
        finding
            .operations
            .push(self.origin.operation("releases what is left"));
        finding.bytes = first.range;
        finding.block.clone_from(&first.lifetime);
        let ender = Family::made_by(maker).and_then(|family| family.enders.first().copied());
        let ender = ender.or_else(|| super::handles::ender(maker));
        finding.missing = ender.map(|ender| format!("{ender} before {by}"));
        if first.what == super::handles::COMMUNICATOR {
            return finding.as_hint();
        }
        finding
    }
}
