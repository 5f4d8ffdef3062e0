//! What ranks did around a finding, for its picture: a lane for each rank, a column for each operation.

use std::collections::BTreeMap;

/// The lanes of ranks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RankPicture {
    /// The communicator's name.
    pub communicator: String,
    /// How many ranks it has.
    pub ranks: u32,
    /// Operations from left to right; the last one is where ranks differ or wait.
    pub columns: Vec<RankColumn>,
    /// The ranks that are shown, in order.
    pub lanes: Vec<RankLane>,
    /// How many more there are.
    pub more: u32,
    /// A rank that is shown, if all that are not do the same as this one.
    pub like: Option<u32>,
    /// Counts of an all-to-all; none if the finding is about something else.
    pub matrix: Option<RankMatrix>,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RankColumn {
    /// The number of the operation among those of all ranks, from 1; 0 if it has none.
    pub place: u64,
    /// What it is, if all ranks did the same; otherwise empty.
    pub what: String,
}

/// One rank.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RankLane {
    /// Its number.
    pub rank: u32,
    /// What it does in each column; columns at the end may be left out.
    pub cells: Vec<Option<RankCell>>,
}

/// What a rank does in a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankCell {
    /// In words.
    pub what: String,
    /// How it relates to the other ranks.
    pub state: RankState,
    /// Which of the finding's operations it is, if it is one.
    pub operation: Option<u32>,
}

/// How a call relates to those of other ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankState {
    /// All ranks did it.
    Matched,
    /// Other ranks do something else.
    Differs,
    /// It waits for other ranks.
    Waits,
    /// The rank does nothing where others wait for it.
    Missing,
}

impl RankState {
    /// The word for it in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Matched => "matched",
            Self::Differs => "differs",
            Self::Waits => "waits",
            Self::Missing => "missing",
        }
    }
}

/// What each rank sends to each other one and expects from it, in elements. `None` where it is not known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RankMatrix {
    /// The ranks of the rows and columns.
    pub ranks: Vec<u32>,
    /// Row i, column j: what rank i sends to rank j.
    pub sent: Vec<Vec<Option<u64>>>,
    /// Row i, column j: what rank j expects from rank i.
    pub expected: Vec<Vec<Option<u64>>>,
}

impl RankMatrix {
    /// Pairs that disagree: sender, receiver, sent, expected.
    pub fn differences(&self) -> Vec<(u32, u32, u64, u64)> {
        let mut found = Vec::new();
        for (i, from) in self.ranks.iter().enumerate() {
            for (j, to) in self.ranks.iter().enumerate() {
                if let (Some(sent), Some(expected)) = (self.sent[i][j], self.expected[i][j])
                    && sent != expected
                {
                    found.push((*from, *to, sent, expected));
                }
            }
        }
        found
    }
}

/// Lanes of a picture. The others are folded.
pub const MOST_LANES: usize = 16;

/// Which ranks are shown if they do things of several sorts: some of each sort, of rare ones first. Returns them in order, how many are
/// left, and a rank that all of these are like.
pub(crate) fn chosen(sorts: &BTreeMap<u32, usize>) -> (Vec<u32>, u32, Option<u32>) {
    let mut groups: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (rank, sort) in sorts {
        groups.entry(*sort).or_default().push(*rank);
    }
    let mut groups: Vec<Vec<u32>> = groups.into_values().collect();
    groups.sort_by_key(|ranks| (ranks.len(), ranks[0]));
    let mut shown: Vec<u32> = Vec::new();
    // One of each sort, then what fits.
    for ranks in &groups {
        if shown.len() < MOST_LANES {
            shown.push(ranks[0]);
        }
    }
    for ranks in &groups {
        let room = MOST_LANES - shown.len();
        shown.extend(ranks.iter().skip(1).take(room));
    }
    let left = |ranks: &&Vec<u32>| ranks.iter().any(|rank| !shown.contains(rank));
    let mut with_rest = groups.iter().filter(left);
    let like = match (with_rest.next(), with_rest.next()) {
        (Some(only), None) => only.iter().find(|rank| shown.contains(rank)).copied(),
        _ => None,
    };
    let more = u32::try_from(sorts.len() - shown.len()).unwrap_or(u32::MAX);
    shown.sort_unstable();
    (shown, more, like)
}

/// `rank 3`, `ranks 0, 1 and 3`, `ranks 0, 1, 2 and 40 more`.
pub(crate) fn listed(ranks: &[u32]) -> String {
    const MOST: usize = 8;
    match ranks {
        [] => "no rank".to_owned(),
        [one] => format!("rank {one}"),
        _ => {
            let named = if ranks.len() > MOST {
                MOST - 1
            } else {
                ranks.len() - 1
            };
            let most: Vec<String> = ranks[..named].iter().map(u32::to_string).collect();
            match &ranks[named..] {
                [last] => format!("ranks {} and {last}", most.join(", ")),
                rest => format!("ranks {} and {} more", most.join(", "), rest.len()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_sorts_are_shown_and_the_rest_is_folded() {
        let sorts = (0..1024).map(|rank| (rank, usize::from(rank == 700)));
        let (shown, more, like) = chosen(&sorts.collect());
        assert_eq!(shown.len(), MOST_LANES);
        assert!(shown.contains(&700) && shown.is_sorted());
        assert_eq!((more, like), (1008, Some(0)));
        let (shown, more, like) = chosen(&(0..3).map(|rank| (rank, rank as usize)).collect());
        assert_eq!((shown, more, like), (vec![0, 1, 2], 0, None));
        // More sorts than lanes: the rest is not alike.
        let (shown, more, like) = chosen(&(0..40).map(|rank| (rank, rank as usize)).collect());
        assert_eq!((shown.len(), more, like), (MOST_LANES, 24, None));
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(listed(&[3]), "rank 3");
        assert_eq!(listed(&[0, 1, 3]), "ranks 0, 1 and 3");
        let many: Vec<u32> = (0..50).collect();
        assert_eq!(listed(&many), "ranks 0, 1, 2, 3, 4, 5, 6 and 43 more");
    }
}
