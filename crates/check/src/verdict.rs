//! Collects findings from judges, and folds those with the same call sites.

use std::collections::HashMap;

use millpond_trace::Site;

use crate::{Finding, Rule, limits};

/// Findings so far.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// Rules to check; empty for all.
    rules: Vec<String>,
    fresh: Vec<Finding>,
    /// The index of each finding by its call sites.
    known: HashMap<Key, usize>,
    times: Vec<u64>,
    /// Findings beyond the limit.
    pub(crate) dropped_facts: u64,
}

/// What makes two findings one: the rule and the call sites.
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

    /// Whether a rule is checked. Judges may skip expensive work otherwise.
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

    /// Adds a finding. If it is known, only its count grows.
    pub(crate) fn report(&mut self, finding: Finding) {
        if !self.wants(finding.rule) {
            return;
        }
        let mut sites: Vec<Site> = finding
            .operations
            .iter()
            .map(|operation| operation.site.clone())
            .collect();
        if let Some(block) = &finding.block {
            sites.push(block.allocated.site.clone());
        }
        let key = Key {
            rule: finding.rule.id,
            sites,
        };
        if let Some(known) = self.known.get(&key) {
            self.times[*known] += finding.times;
        } else if self.times.len() >= limits::CALL_SITES {
            self.dropped_facts += 1;
        } else {
            self.known.insert(key, self.times.len());
            self.times.push(finding.times);
            self.fresh.push(finding);
        }
    }

    /// The findings since the last call.
    pub(crate) fn drain(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.fresh)
    }

    /// Bytes of memory that this state takes.
    pub(crate) fn state_bytes(&self) -> u64 {
        // Most findings have two operations and a block.
        let each = size_of::<(Key, usize)>() + 3 * size_of::<Site>();
        (self.known.capacity() * each + self.times.capacity() * 8) as u64
    }

    /// How often each happened.
    pub(crate) fn times(&self) -> &[u64] {
        &self.times
    }
}
