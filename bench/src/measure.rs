//! Timing two things in turn.
//!
//! A sample is the mean time of many calls in a row. Samples of the two sides alternate, so that what
//! else happens on the machine meets both; each pair of neighbours gives one ratio, and the median of
//! those is the verdict. The ratio of the two smallest samples is shown beside it: on a busy machine
//! that is the steadier of the two.

use std::time::{Duration, Instant};

/// How long one sample of short calls takes: long beside the clock, short beside a time slice.
const SAMPLE: Duration = Duration::from_millis(1);

/// Pairs of samples for calls that take nanoseconds.
pub(crate) const PAIRS: usize = 51;

/// The samples of one side, in nanoseconds per call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Summary {
    pub(crate) median: f64,
    pub(crate) least: f64,
}

impl Summary {
    fn of(samples: &[f64]) -> Self {
        Self {
            median: median(samples),
            least: samples.iter().copied().fold(f64::INFINITY, f64::min),
        }
    }
}

/// Two sides that were measured in turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Comparison {
    pub(crate) ours: Summary,
    pub(crate) peer: Summary,
    /// How many times the peer's time ours is: the median over the pairs.
    pub(crate) ratio: f64,
    /// The same of the smallest samples.
    pub(crate) best: f64,
}

/// Takes `pairs` samples of each side in turn, after one of each that does not count.
pub(crate) fn compare(
    pairs: usize,
    mut ours: impl FnMut() -> Result<f64, String>,
    mut peer: impl FnMut() -> Result<f64, String>,
) -> Result<Comparison, String> {
    ours()?;
    peer()?;
    let (mut our_samples, mut peer_samples) = (Vec::new(), Vec::new());
    for _ in 0..pairs {
        our_samples.push(ours()?);
        peer_samples.push(peer()?);
    }
    let ratios: Vec<f64> = our_samples
        .iter()
        .zip(&peer_samples)
        .map(|(ours, peer)| ours / peer)
        .collect();
    let (ours, peer) = (Summary::of(&our_samples), Summary::of(&peer_samples));
    Ok(Comparison {
        ours,
        peer,
        ratio: median(&ratios),
        best: ours.least / peer.least,
    })
}

/// Compares two calls that take nanoseconds. Each answers a code, 0 when all went well.
pub(crate) fn compare_calls(
    mut ours: impl FnMut() -> i32,
    mut peer: impl FnMut() -> i32,
) -> Result<Comparison, String> {
    let (our_calls, peer_calls) = (enough_calls(&mut ours)?, enough_calls(&mut peer)?);
    compare(
        PAIRS,
        || per_call(our_calls, &mut ours),
        || per_call(peer_calls, &mut peer),
    )
}

/// Nanoseconds per call, over `calls` calls in a row. None of them may fail.
pub(crate) fn per_call(calls: u32, mut call: impl FnMut() -> i32) -> Result<f64, String> {
    let mut failed = 0;
    let start = Instant::now();
    for _ in 0..calls {
        failed |= call();
    }
    let time = start.elapsed();
    if failed != 0 {
        return Err(format!("a measured call failed (code {failed})"));
    }
    Ok(nanoseconds(time) / f64::from(calls))
}

/// How many calls fill a sample.
fn enough_calls(mut call: impl FnMut() -> i32) -> Result<u32, String> {
    let mut calls = 1;
    while calls < 1 << 24 {
        // The shortest of a few: a moment without the processor must not pass for a long call.
        let mut shortest = f64::INFINITY;
        for _ in 0..5 {
            shortest = shortest.min(per_call(calls, &mut call)? * f64::from(calls));
        }
        if shortest >= nanoseconds(SAMPLE) {
            break;
        }
        calls *= 2;
    }
    Ok(calls)
}

pub(crate) fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.as_slice() {
        [] => f64::NAN,
        all if all.len() % 2 == 1 => all[middle],
        all => f64::midpoint(all[middle - 1], all[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_is_the_median_of_the_pairs() {
        // The first of each does not count.
        let mut ours = [1.0, 2.0, 4.0, 60.0].into_iter();
        let mut peer = [9.0, 1.0, 2.0, 3.0].into_iter();
        let found = compare(
            3,
            || ours.next().ok_or_else(String::new),
            || peer.next().ok_or_else(String::new),
        );
        let found = found.unwrap();
        let bits = |numbers: [f64; 4]| numbers.map(f64::to_bits);
        let all = [found.ratio, found.best, found.ours.median, found.ours.least];
        assert_eq!(bits(all), bits([2.0, 2.0, 4.0, 2.0]));
    }

    #[test]
    fn a_call_that_fails_is_not_measured() {
        assert!(compare_calls(|| 0, || 107_017).is_err());
    }
}
