//! What ranks did around a finding, as its JSON has it.

use millpond_check::ranks::RankPicture;
use serde::{Deserialize, Serialize};

/// A lane for each rank, a column for each operation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ResolvedRanks {
    /// The communicator's name.
    pub communicator: String,
    /// How many ranks it has.
    pub ranks: u32,
    /// Operations from left to right; the last one is where ranks differ or wait.
    pub columns: Vec<ResolvedColumn>,
    /// The ranks that are shown, in order.
    pub lanes: Vec<ResolvedLane>,
    /// How many more there are.
    pub more: u32,
    /// A rank that is shown, if all that are not do the same as this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<u32>,
    /// Counts of an all-to-all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<ResolvedMatrix>,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ResolvedColumn {
    /// The number of the operation, from 1; 0 if it has none.
    pub place: u64,
    /// What it is, if all ranks did the same.
    pub what: String,
}

/// One rank.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ResolvedLane {
    /// Its number.
    pub rank: u32,
    /// What it does in each column.
    pub cells: Vec<Option<ResolvedCell>>,
}

/// What a rank does in a column.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ResolvedCell {
    /// In words.
    pub what: String,
    /// `matched`, `differs`, `waits` or `missing`.
    pub state: String,
    /// The index of the finding's operation that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<u32>,
}

/// What each rank sends to each other one, and what that one expects, in elements.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ResolvedMatrix {
    /// The ranks of the rows and columns.
    pub ranks: Vec<u32>,
    /// Row i, column j: what rank i sends to rank j.
    pub sent: Vec<Vec<Option<u64>>>,
    /// Row i, column j: what rank j expects from rank i.
    pub expected: Vec<Vec<Option<u64>>>,
}

impl ResolvedRanks {
    pub(crate) fn of(picture: &RankPicture) -> Self {
        let columns = picture.columns.iter().map(|column| ResolvedColumn {
            place: column.place,
            what: column.what.clone(),
        });
        let lanes = picture.lanes.iter().map(|lane| {
            let cells = lane.cells.iter().map(|cell| {
                cell.as_ref().map(|cell| ResolvedCell {
                    what: cell.what.clone(),
                    state: cell.state.word().to_owned(),
                    operation: cell.operation,
                })
            });
            ResolvedLane {
                rank: lane.rank,
                cells: cells.collect(),
            }
        });
        Self {
            communicator: picture.communicator.clone(),
            ranks: picture.ranks,
            columns: columns.collect(),
            lanes: lanes.collect(),
            more: picture.more,
            like: picture.like,
            matrix: picture.matrix.as_ref().map(|matrix| ResolvedMatrix {
                ranks: matrix.ranks.clone(),
                sent: matrix.sent.clone(),
                expected: matrix.expected.clone(),
            }),
        }
    }
}
