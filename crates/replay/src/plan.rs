//! The offline bound: how much an allocator would hold if it knew all requests in advance.
//!
//! Nothing can hold less than the most that is live at once, in whole 512 bytes; that is the lower bound. Whether it can be
//! reached is a packing problem that nobody can solve exactly for so many blocks. The plan is a packing that was found: blocks of
//! 64 KiB and more are placed from the largest to the smallest, each at the lowest address that is free for all of its life;
//! smaller ones get a part of their own. If best fit in the order of time needs less, that counts.
//!
//! A block lives until nobody uses it: until it settles, if the recording says when.

use crate::policies::best_fit::BestFit;
use crate::policies::per_stream::Arena;
use crate::trace::{Op, Trace};

const ROUND: u64 = 512;
const SMALL: u64 = 64 << 10;
/// Parts of the time, to find the blocks that live at the same time.
const PARTS: usize = 1024;
/// How many blocks are looked at in all before the search is given up.
const MOST_LOOKS: usize = 400_000_000;

/// What is known about the least that is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Nothing can hold less.
    pub bound: u64,
    /// A placement with this many bytes was found.
    pub found: u64,
}

#[derive(Debug, Clone, Copy)]
struct Life {
    bytes: u64,
    begin: usize,
    end: usize,
}

/// Plans a trace. Streams do not matter: who knows the future also knows when a block is no longer used.
pub fn plan(trace: &Trace) -> Plan {
    let lives = lives(trace);
    let bound = most_live(&lives);
    let in_time = by_time(&lives);
    let by_size = by_size(&lives);
    let found = by_size.map_or(in_time, |found| found.min(in_time));
    Plan { bound, found }
}

fn lives(trace: &Trace) -> Vec<Life> {
    let mut lives = Vec::with_capacity(trace.blocks);
    for (number, op) in trace.ops.iter().enumerate() {
        match *op {
            Op::Alloc { bytes, .. } => lives.push(Life {
                bytes: bytes.max(1).next_multiple_of(ROUND),
                begin: number,
                end: trace.ops.len(),
            }),
            Op::Free {
                block, held: false, ..
            }
            | Op::Settled { block } => {
                lives[block as usize].end = number;
            }
            _ => {}
        }
    }
    lives
}

/// Begins and ends in the order of time; at one moment ends come first.
fn turns(lives: &[Life]) -> Vec<(usize, bool, usize)> {
    let both = |(at, life): (usize, &Life)| [(life.begin, true, at), (life.end, false, at)];
    let mut turns: Vec<_> = lives.iter().enumerate().flat_map(both).collect();
    turns.sort_unstable();
    turns
}

fn most_live(lives: &[Life]) -> u64 {
    let (mut live, mut most) = (0, 0);
    for (_, begins, at) in turns(lives) {
        if begins {
            live += lives[at].bytes;
            most = live.max(most);
        } else {
            live -= lives[at].bytes;
        }
    }
    most
}

/// Best fit in the order of time: how far the range reaches.
fn by_time(lives: &[Life]) -> u64 {
    let mut arena = BestFit::default();
    let mut starts = vec![None; lives.len()];
    let mut end = 0;
    for (_, begins, at) in turns(lives) {
        if begins {
            starts[at] = arena.alloc(lives[at].bytes);
            end = starts[at]
                .map_or(u64::MAX, |start| start + lives[at].bytes)
                .max(end);
        } else if let Some(start) = starts[at] {
            arena.free(start);
        }
    }
    end
}

/// The largest first. `None` if that takes too long.
fn by_size(lives: &[Life]) -> Option<u64> {
    let (large, small): (Vec<Life>, Vec<Life>) = lives.iter().partition(|life| life.bytes >= SMALL);
    let mut large = large;
    // Of equal ones, those that live longest are in the way of most others.
    large.sort_by_key(|life| {
        (
            std::cmp::Reverse((life.bytes, life.end - life.begin)),
            life.begin,
        )
    });
    let last = lives.iter().map(|life| life.end).max().unwrap_or(0) + 1;
    let part = |time: usize| time * PARTS / last;
    let mut parts: Vec<Vec<u32>> = vec![Vec::new(); PARTS];
    let mut starts: Vec<u64> = Vec::with_capacity(large.len());
    let mut seen = vec![u32::MAX; large.len()];
    let (mut end, mut looks) = (0, 0);
    let mut taken: Vec<(u64, u64)> = Vec::new();
    for (number, life) in large.iter().enumerate() {
        let mark = u32::try_from(number).ok()?;
        taken.clear();
        for others in &parts[part(life.begin)..=part(life.end)] {
            looks += others.len();
            for &other in others {
                let other_life = &large[other as usize];
                let meets = other_life.begin < life.end && life.begin < other_life.end;
                if meets && seen[other as usize] != mark {
                    seen[other as usize] = mark;
                    let start = starts[other as usize];
                    taken.push((start, start + other_life.bytes));
                }
            }
        }
        if looks > MOST_LOOKS {
            return None;
        }
        taken.sort_unstable();
        let mut start = 0;
        for &(from, to) in &taken {
            if from >= start + life.bytes {
                break;
            }
            start = start.max(to);
        }
        starts.push(start);
        end = end.max(start + life.bytes);
        for others in &mut parts[part(life.begin)..=part(life.end)] {
            others.push(mark);
        }
    }
    Some(end + by_time(&small))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn trace(calls: &[(u32, u64)]) -> Trace {
        let mut seen = Vec::new();
        let op = |&(block, bytes): &(u32, u64)| {
            if seen.contains(&block) {
                return Op::Free {
                    block,
                    stream: 0,
                    held: false,
                };
            }
            seen.push(block);
            Op::Alloc {
                block,
                bytes,
                stream: 0,
            }
        };
        let ops: Vec<Op> = calls.iter().map(op).collect();
        Trace {
            ops,
            blocks: seen.len(),
            ..Trace::default()
        }
    }

    #[test]
    fn who_knows_the_future_puts_the_long_lived_block_out_of_the_way() {
        // 4, then 2 that stays, then the 4 goes and 6 comes: in time the 2 is in the way of the 6.
        let calls = [
            (0, 4 * MIB),
            (1, 2 * MIB),
            (0, 0),
            (2, 6 * MIB),
            (2, 0),
            (1, 0),
        ];
        let lives = lives(&trace(&calls));
        assert_eq!(by_time(&lives), 12 * MIB);
        assert_eq!(by_size(&lives), Some(8 * MIB));
        assert_eq!(
            plan(&trace(&calls)),
            Plan {
                bound: 8 * MIB,
                found: 8 * MIB
            }
        );
    }

    #[test]
    fn the_bound_is_in_whole_512_bytes() {
        assert_eq!(
            plan(&trace(&[(0, 1), (1, 513)])),
            Plan {
                bound: 1536,
                found: 1536
            }
        );
        assert_eq!(plan(&trace(&[])), Plan { bound: 0, found: 0 });
    }
}
