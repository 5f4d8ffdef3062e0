//! Where judges put their findings: the same at the same places is one.

use std::collections::HashMap;

use millpond_trace::Site;

use crate::{Finding, Rule};

/// Findings so far.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// Rules that count; empty for all.
    rules: Vec<String>,
    fresh: Vec<Finding>,
    /// Which finding has these places.
    known: HashMap<Key, usize>,
    times: Vec<u64>,
    /// Findings that were not taken because there were too many.
    pub(crate) forgotten: u64,
}

/// Different findings that are taken. A program with more calls from very many places, and nobody reads them.
const MOST: usize = 1 << 16;

/// What makes two findings the same: the rule, and where everything was asked for.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    rule: &'static str,
    sites: Vec<Site>,
}

impl Verdict {
    pub(crate) fn new(rules: Vec<String>) -> Self {
        Self {
            rules,
            ..Self::default()
        }
    }

    /// Whether a rule is looked for: what is expensive to find may be left out otherwise.
    pub(crate) fn wants(&self, rule: &Rule) -> bool {
        self.rules.is_empty()
            || self
                .rules
                .iter()
                .any(|wanted| match wanted.strip_suffix('*') {
                    Some(start) => rule.id.starts_with(start),
                    None => rule.id == wanted,
                })
    }

    /// Takes a finding, unless the same is known already: then that one happened once more.
    pub(crate) fn report(&mut self, finding: Finding) {
        if !self.wants(finding.rule) {
            return;
        }
        let mut sites: Vec<Site> = finding
            .operations
            .iter()
            .map(|act| act.site.clone())
            .collect();
        if let Some(block) = &finding.block {
            sites.push(block.made.site.clone());
        }
        let key = Key {
            rule: finding.rule.id,
            sites,
        };
        if let Some(known) = self.known.get(&key) {
            self.times[*known] += finding.times;
        } else if self.times.len() >= MOST {
            self.forgotten += 1;
        } else {
            self.known.insert(key, self.times.len());
            self.times.push(finding.times);
            self.fresh.push(finding);
        }
    }

    /// Those since the last time.
    pub(crate) fn drain(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.fresh)
    }

    /// Bytes that the books take.
    pub(crate) fn books(&self) -> u64 {
        // Most findings have two operations and a block.
        let each = size_of::<(Key, usize)>() + 3 * size_of::<Site>();
        (self.known.capacity() * each + self.times.capacity() * 8) as u64
    }

    /// How often each happened.
    pub(crate) fn times(&self) -> &[u64] {
        &self.times
    }
}
