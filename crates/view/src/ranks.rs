//! All recordings of a page in one chart: the ranks of a job beside each other in time.

use serde::Serialize;

use crate::index::Index;
use crate::series::Walk;

/// Buckets of the chart.
const BUCKETS: u64 = 512;

/// Bytes live by recording over the time of all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ranks {
    /// Nanoseconds of all recordings together, from the first one's begin.
    pub length: u64,
    /// When each recording's time 0 was on that scale. All are 0 if one of them does not say when it began,
    /// or if they were not made at the same time.
    pub offsets: Vec<u64>,
    /// For each recording, the most bytes live in each bucket.
    pub live: Vec<Vec<u64>>,
}

/// The chart of all recordings.
pub fn ranks(runs: &[Index]) -> Ranks {
    let began: Option<Vec<u64>> = runs.iter().map(|run| run.began_unix_ns).collect();
    let offsets = match began {
        Some(began) => {
            let first = began.iter().copied().min().unwrap_or(0);
            let offsets: Vec<u64> = began.iter().map(|one| one - first).collect();
            let longest = runs.iter().map(|run| run.span.1).max().unwrap_or(0);
            if offsets.iter().any(|&offset| offset >= longest) {
                vec![0; runs.len()]
            } else {
                offsets
            }
        }
        None => vec![0; runs.len()],
    };
    let ends = runs
        .iter()
        .zip(&offsets)
        .map(|(run, offset)| run.span.1.saturating_add(*offset));
    let length = ends.max().unwrap_or(0).max(1);
    let live = runs
        .iter()
        .zip(&offsets)
        .map(|(run, &offset)| {
            let edge = |bucket: u64| {
                let time = u128::from(length) * u128::from(bucket) / u128::from(BUCKETS);
                u64::try_from(time)
                    .unwrap_or(u64::MAX)
                    .saturating_sub(offset)
            };
            let mut walk = Walk::begin(run, edge(0));
            (0..BUCKETS)
                .map(|bucket| walk.until(edge(bucket), edge(bucket + 1)).highest.live)
                .collect()
        })
        .collect();
    Ranks {
        length,
        offsets,
        live,
    }
}
