//! When a device computed, communicated, or did neither.

use crate::collect::{Profile, Task};

/// Times from and to.
pub(crate) type Interval = (u64, u64);

/// How one device spent its time, as intervals in order that do not overlap.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Overlap {
    /// Operators ran.
    pub(crate) computing: Vec<Interval>,
    /// Data was exchanged with other ranks.
    pub(crate) communication: Vec<Interval>,
    /// The same while no operator ran.
    pub(crate) alone: Vec<Interval>,
    /// Neither, between the first and the last.
    pub(crate) free: Vec<Interval>,
}

impl Overlap {
    pub(crate) fn of(profile: &Profile, device: u32) -> Self {
        let union = |communicates: bool| {
            let tasks = profile.tasks.iter().filter(|task| {
                task.device == device
                    && task.is_operator()
                    && task.is_communication() == communicates
            });
            united(tasks.map(span).collect())
        };
        let (computing, communication) = (union(false), union(true));
        let alone = without(&communication, &computing);
        let busy = united([&computing[..], &communication[..]].concat());
        let whole = busy.first().zip(busy.last());
        let whole = whole.map(|(first, last)| (first.0, last.1));
        let free = without(whole.as_slice(), &busy);
        Self {
            computing,
            communication,
            alone,
            free,
        }
    }
}

fn span(task: &Task) -> Interval {
    (task.began, task.ended)
}

fn united(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_unstable();
    let mut united: Vec<Interval> = Vec::new();
    for (from, to) in intervals {
        match united.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => united.push((from, to)),
        }
    }
    united
}

/// The parts of `intervals` that are in none of `others`. Both are in order and do not overlap themselves.
fn without(intervals: &[Interval], others: &[Interval]) -> Vec<Interval> {
    let mut left = Vec::new();
    for &(from, to) in intervals {
        let mut at = from;
        let first = others.partition_point(|other| other.1 <= from);
        for &(begin, end) in others[first..].iter().take_while(|other| other.0 < to) {
            if begin > at {
                left.push((at, begin));
            }
            at = at.max(end);
        }
        if at < to {
            left.push((at, to));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_united_and_taken_away() {
        assert_eq!(
            united(vec![(5, 7), (0, 2), (1, 3), (7, 9)]),
            [(0, 3), (5, 9)]
        );
        assert_eq!(without(&[(0, 10)], &[(2, 3), (5, 12)]), [(0, 2), (3, 5)]);
        assert_eq!(without(&[(0, 10)], &[(0, 10)]), []);
        assert_eq!(without(&[(4, 6)], &[]), [(4, 6)]);
    }
}
