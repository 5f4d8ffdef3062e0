//! What went wrong, in words: for the error of an operation, and for observers.

use super::{Communicator, Queue};
use crate::board::Front;
use crate::operation::Description;
use crate::trouble::{Doing, Problem, Trouble, readable};

impl Communicator {
    pub(super) fn mismatch(&self, mine: &Description, rank: usize, theirs: &Description) -> String {
        let Some((field, here, there)) = mine.difference(theirs) else {
            return String::new();
        };
        let at = |site: &str| {
            let site = readable(site);
            if site.is_empty() {
                String::new()
            } else {
                format!(" at {site}")
            }
        };
        format!(
            "EI0005: the arguments of a collective are inconsistent between ranks of communicator {}: parameter[{field}], local[rank {}: \
             {here}], remote[rank {rank}: {there}]. Rank {} calls {}{}; rank {rank} calls {}{}",
            self.settings.name,
            self.rank,
            self.rank,
            mine.summary(),
            at(&mine.site),
            theirs.summary(),
            at(&theirs.site)
        )
    }

    /// Describes a problem, if anybody wants to know.
    pub(super) fn problem(&self, describe: impl FnOnce(&Self) -> Problem) -> Option<Box<Problem>> {
        let wanted = self.settings.observer.is_some();
        wanted.then(|| Box::new(describe(self)))
    }

    pub(super) fn trouble(&self, trouble: Trouble, reason: String, doings: Vec<Doing>) -> Problem {
        Problem {
            trouble,
            communicator: self.settings.name.clone(),
            rank: self.rank,
            ranks: self.ranks(),
            reason,
            doings,
            before: String::new(),
            place: 0,
        }
    }

    /// Ranks do different things as operation number `sequence`.
    pub(super) fn disagreement(
        &self,
        mine: &Description,
        sequence: u64,
        rank: usize,
        theirs: &Description,
    ) -> Problem {
        // Ranks that do the same are one entry.
        let mut same: Vec<(Vec<usize>, Description)> = Vec::new();
        for other in 0..self.ranks() {
            let Some(shown) = self.board.shown(other, sequence) else {
                continue;
            };
            let known = same
                .iter_mut()
                .find(|(_, known)| known.difference(&shown).is_none());
            match known {
                Some((ranks, _)) => ranks.push(other),
                None => same.push((vec![other], shown)),
            }
        }
        let doings = same.into_iter().map(|(ranks, shown)| Doing {
            rank: ranks[0],
            what: match ranks.len() {
                1 => shown.summary(),
                _ => format!("{}, also on {}", shown.summary(), listed(&ranks[1..])),
            },
            site: shown.site,
            also: ranks[1..].to_vec(),
        });
        let name = &self.settings.name;
        let place = sequence + 1;
        let (field, here, there) = mine.difference(theirs).unwrap_or_default();
        let [(low, one), (high, two)] = if self.rank < rank {
            [(self.rank, here), (rank, there)]
        } else {
            [(rank, there), (self.rank, here)]
        };
        let reason = match field {
            "operation" => format!(
                "rank {low} calls {one} as operation {place} of communicator {name}, and rank {high} calls {two}"
            ),
            _ if one.is_empty() => format!(
                "the {field} of operation {place} of communicator {name} differ between rank {low} and rank {high}"
            ),
            _ => format!(
                "the {field} of operation {place} of communicator {name} is {one} on rank {low} and {two} on rank {high}"
            ),
        };
        let mut problem = self.trouble(Trouble::Mismatch, reason, doings.collect());
        let before = sequence.checked_sub(1);
        let before = before.and_then(|before| self.board.shown(self.rank, before));
        problem.before = before.map_or_else(String::new, |before| before.summary());
        problem.place = place;
        problem
    }

    /// A message that this rank receives in another way than it was sent.
    pub(super) fn unequal(&self, peer: usize, text: &str) -> Problem {
        let fronts = [
            (peer, self.board.send_front(peer, self.rank)),
            (self.rank, self.board.receive_front(peer, self.rank)),
        ];
        let reason = format!(
            "the message from rank {peer} to rank {} of communicator {} does not match: {text}",
            self.rank, self.settings.name
        );
        self.trouble(Trouble::Message, reason, doings(fronts))
    }

    /// What this rank waits with, and what the ranks that it waits for called last.
    pub(super) fn waiting(&self, queue: &Queue, number: u64, missing: &[usize]) -> Vec<Doing> {
        let own = queue.shown.get(&number).map(|shown| Doing {
            rank: self.rank,
            what: format!("{} waits", shown.what),
            site: shown.caller.site.clone(),
            also: Vec::new(),
        });
        let others = missing.iter().map(|&rank| {
            let last = self.board.last(rank);
            Doing {
                rank,
                what: match &last {
                    Some(last) => format!("{} is its last call", last.what),
                    None if !self.board.is_here(rank) => {
                        "runs on another machine, whose calls are not known here".to_owned()
                    }
                    None => "has called nothing on this communicator".to_owned(),
                },
                site: last.map_or_else(String::new, |last| last.site),
                also: Vec::new(),
            }
        });
        own.into_iter().chain(others).collect()
    }
}

/// What ranks show, in the order of the ranks.
pub(super) fn doings(fronts: impl IntoIterator<Item = (usize, Option<Front>)>) -> Vec<Doing> {
    let shown = fronts.into_iter().map(|(rank, front)| Doing {
        rank,
        what: front
            .as_ref()
            .map_or_else(String::new, |it| it.what.clone()),
        site: front.map_or_else(String::new, |it| it.site),
        also: Vec::new(),
    });
    let mut doings: Vec<Doing> = shown.collect();
    doings.sort_by_key(|doing| doing.rank);
    doings
}

/// `rank 3`, `ranks 0, 1 and 3`.
pub(super) fn listed(ranks: &[usize]) -> String {
    match ranks {
        [] => "no rank".to_owned(),
        [one] => format!("rank {one}"),
        [most @ .., last] => {
            let most: Vec<String> = most.iter().map(usize::to_string).collect();
            format!("ranks {} and {last}", most.join(", "))
        }
    }
}
