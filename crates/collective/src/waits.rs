//! Which streams wait for which, and cycles of them.
//!
//! A *node* is a lane (a stream of a process) or an operation of all ranks. A *half* leads from one node to another: the first cannot
//! continue before the second has. A started operation of all ranks is two halves: from each lane that has started it to the operation, and
//! from there to each lane that has not. So many ranks need few halves.
//!
//! Each process sees the boards that it is a member of, and the events that its own streams wait for. It writes what it knows into its places
//! on all its boards, with the time during which it held, and reads what the others wrote. So every process of a cycle learns all of it.
//! A half that two looks see has held all the time between them, because no such state comes back once it is left. A cycle counts if there
//! is a moment at which all its halves held.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::board::{Board, Front, Relayed};

/// One node waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Half {
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// What else makes it this one: the numbers of calls or tasks.
    pub(crate) key: u64,
}

/// From when until when it is known to have held, in milliseconds of the machine's clock. A half that was seen once has a beginning after its
/// end: it held at some moment between the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) from: u64,
    pub(crate) until: u64,
}

/// What a half is, where it was seen.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// A call that has started an operation of all ranks.
    Starts {
        board: usize,
        rank: usize,
        call: Arc<Front>,
    },
    /// A call of such an operation that its stream has not reached.
    Lacks {
        board: usize,
        peer: usize,
        call: Arc<Front>,
    },
    /// A message that waits for the other rank's.
    Message {
        board: usize,
        rank: usize,
        peer: usize,
        from: Arc<Front>,
        to: Arc<Front>,
    },
    /// A stream of this process that waits for an event of another one.
    Event,
}

impl Step {
    /// The board that it was seen on. Its members see it themselves.
    pub(crate) fn board(&self) -> Option<usize> {
        match self {
            Self::Starts { board, .. }
            | Self::Lacks { board, .. }
            | Self::Message { board, .. } => Some(*board),
            Self::Event => None,
        }
    }
}

/// A wait for an event: stream and task that wait, and those that record.
pub(crate) type EventWait = [(u64, u64); 2];

/// Operations of all ranks have numbers that no lane has.
const OPERATION: u64 = 1 << 63;
/// What a process wrote that did not look since is forgotten.
const OLD: u64 = 2000;

/// FNV-1a: the same in every process.
fn mixed(words: &[u64]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// What waits for what on a board.
pub(crate) fn on_board(board: &Board, id: [u8; 16], index: usize, found: &mut Vec<(Half, Step)>) {
    if board.broken().is_some() {
        return;
    }
    let ranks = board.shape.ranks;
    let (low, high) = id.split_at(8);
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
    let (low, high) = (number(low), number(high));
    let fronts: Vec<Option<Arc<Front>>> = (0..ranks)
        .map(|rank| board.group_front(rank).map(Arc::new))
        .collect();
    let known = |it: &&Arc<Front>| it.lane != 0;
    let each = || {
        let fronts = fronts.iter().enumerate();
        fronts.filter_map(|(rank, it)| Some((rank, it.as_ref().filter(known)?)))
    };
    let mut operations: BTreeMap<u64, u64> = BTreeMap::new();
    for (rank, call) in each().filter(|(_, it)| it.has_started()) {
        let node = *operations
            .entry(call.index)
            .or_insert_with(|| mixed(&[low, high, call.index]) | OPERATION);
        let half = Half {
            from: call.lane,
            to: node,
            key: mixed(&[rank as u64, call.number]),
        };
        let call = Arc::clone(call);
        let board = index;
        found.push((half, Step::Starts { board, rank, call }));
    }
    for (operation, node) in operations {
        for (peer, call) in each().filter(|(_, it)| it.is_queued() && it.index <= operation) {
            let half = Half {
                from: node,
                to: call.lane,
                key: mixed(&[peer as u64, call.number]),
            };
            let call = Arc::clone(call);
            let board = index;
            found.push((half, Step::Lacks { board, peer, call }));
        }
    }
    for rank in 0..ranks {
        let mut add = |peer: usize, from: Option<Front>, to: Option<Front>, is_send: bool| {
            let ways = if is_send { (rank, peer) } else { (peer, rank) };
            let from = from.filter(|from| board.moves(ways.0, ways.1, from));
            let (Some(from), Some(to)) = (from, to.filter(Front::is_queued)) else {
                return;
            };
            if from.lane == 0 || to.lane == 0 {
                return;
            }
            let way = ((rank as u64) << 32) | (peer as u64) << 1 | u64::from(is_send);
            let half = Half {
                from: from.lane,
                to: to.lane,
                key: mixed(&[low, high, way, from.number, to.number]),
            };
            let step = Step::Message {
                board: index,
                rank,
                peer,
                from: Arc::new(from),
                to: Arc::new(to),
            };
            found.push((half, step));
        };
        for peer in board.sends_to(rank) {
            let (from, to) = (
                board.send_front(rank, peer),
                board.receive_front(rank, peer),
            );
            add(peer, from, to, true);
        }
        for peer in board.receives_from(rank) {
            let (from, to) = (
                board.receive_front(peer, rank),
                board.send_front(peer, rank),
            );
            add(peer, from, to, false);
        }
    }
}

/// The waits for events of this process's streams.
pub(crate) fn on_events(waits: &[EventWait], found: &mut Vec<(Half, Step)>) {
    for [(from, waits), (to, records)] in waits {
        let half = Half {
            from: *from,
            to: *to,
            key: mixed(&[*waits, *records]),
        };
        found.push((half, Step::Event));
    }
}

/// What a process knows.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// Since when each half is known that the last look saw.
    seen: HashMap<Half, u64>,
    /// The cycle that the last look saw, and how often it did.
    cycle: (Vec<Half>, u32),
}

impl Waits {
    /// A look that began and ended at these times saw these halves. Returns all that is known, with what other processes wrote.
    pub(crate) fn learn(
        &mut self,
        (began, ended): (u64, u64),
        own: impl Iterator<Item = Half>,
        others: impl IntoIterator<Item = Relayed>,
    ) -> HashMap<Half, Held> {
        let mut known: HashMap<Half, Held> = HashMap::new();
        let mut seen = HashMap::new();
        for half in own {
            let from = self.seen.get(&half).copied().unwrap_or(ended);
            seen.insert(half, from);
            let until = began;
            known.insert(half, Held { from, until });
        }
        self.seen = seen;
        for Relayed { half, held } in others {
            if held.until + OLD < began {
                continue;
            }
            let all = known.entry(half).or_insert(held);
            all.from = all.from.min(held.from);
            all.until = all.until.max(held.until);
        }
        known
    }

    /// How often in a row this cycle was seen.
    pub(crate) fn times(&mut self, cycle: &[Half]) -> u32 {
        let mut sorted = cycle.to_vec();
        sorted.sort_unstable();
        if self.cycle.0 == sorted {
            self.cycle.1 += 1;
        } else {
            self.cycle = (sorted, 1);
        }
        self.cycle.1
    }
}

/// A cycle whose halves all held at one moment. It begins with its lowest lane.
pub(crate) fn cycle(known: &HashMap<Half, Held>) -> Option<Vec<Half>> {
    let mut next: BTreeMap<u64, Vec<Half>> = BTreeMap::new();
    for half in known.keys() {
        next.entry(half.from).or_default().push(*half);
    }
    for halves in next.values_mut() {
        halves.sort_unstable();
    }
    let mut done: HashSet<u64> = HashSet::new();
    for start in next.keys() {
        // Where the search is: nodes with the half that is tried next, and the halves between them.
        let mut way: Vec<Half> = Vec::new();
        let mut nodes: Vec<(u64, usize)> = vec![(*start, 0)];
        let mut on_way = HashSet::from([*start]);
        while let Some((node, tried)) = nodes.last_mut() {
            let half = next.get(node).and_then(|halves| halves.get(*tried));
            let Some(half) = half.filter(|_| !done.contains(node)) else {
                done.insert(*node);
                on_way.remove(node);
                nodes.pop();
                way.pop();
                continue;
            };
            *tried += 1;
            if on_way.contains(&half.to) {
                let at = nodes.iter().position(|(node, _)| *node == half.to);
                let mut cycle: Vec<Half> = way[at.unwrap_or(0)..].to_vec();
                cycle.push(*half);
                if is_simultaneous(&cycle, known) {
                    let lowest = cycle.iter().enumerate().min_by_key(|(_, half)| half.from);
                    let lowest = lowest.map_or(0, |(at, _)| at);
                    cycle.rotate_left(lowest);
                    return Some(cycle);
                }
                continue;
            }
            way.push(*half);
            on_way.insert(half.to);
            nodes.push((half.to, 0));
        }
    }
    None
}

fn is_simultaneous(cycle: &[Half], known: &HashMap<Half, Held>) -> bool {
    let held = || cycle.iter().filter_map(|half| known.get(half));
    let from = held().map(|it| it.from).max();
    let until = held().map(|it| it.until).min();
    from <= until
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half(from: u64, to: u64) -> Half {
        Half { from, to, key: 0 }
    }

    fn lanes(edges: &[(u64, u64)]) -> Option<Vec<u64>> {
        let held = Held { from: 5, until: 9 };
        let known = edges.iter().map(|&(from, to)| (half(from, to), held));
        cycle(&known.collect()).map(|cycle| cycle.iter().map(|half| half.from).collect())
    }

    #[test]
    fn cycles_are_found_and_nothing_else() {
        assert_eq!(lanes(&[]), None);
        assert_eq!(lanes(&[(1, 2), (2, 3), (1, 3)]), None);
        assert_eq!(lanes(&[(1, 2), (2, 1)]), Some(vec![1, 2]));
        assert_eq!(lanes(&[(1, 1)]), Some(vec![1]));
        assert_eq!(
            lanes(&[(9, 1), (1, 4), (1, 2), (2, 3), (3, 1)]),
            Some(vec![1, 2, 3])
        );
        assert_eq!(
            lanes(&[(1, 2), (3, 2), (2, 4), (5, 3), (4, 5)]),
            Some(vec![2, 4, 5, 3])
        );
    }

    #[test]
    fn a_cycle_needs_a_moment_at_which_all_of_it_held() {
        let held = |from, until| Held { from, until };
        let known = |one, other| HashMap::from([(half(1, 2), one), (half(2, 1), other)]);
        assert!(cycle(&known(held(10, 20), held(15, 30))).is_some());
        assert!(cycle(&known(held(10, 20), held(20, 30))).is_some());
        assert_eq!(cycle(&known(held(10, 20), held(21, 30))), None);
        // Seen once: the look took from 20 to 22.
        assert_eq!(cycle(&known(held(22, 20), held(22, 20))), None);
    }

    #[test]
    fn what_two_looks_see_has_held_between_them() {
        let mut waits = Waits::default();
        let seen = [half(1, 2)];
        let known = waits.learn((10, 11), seen.into_iter(), []);
        assert_eq!(
            known[&half(1, 2)],
            Held {
                from: 11,
                until: 10
            }
        );
        let known = waits.learn((20, 21), seen.into_iter(), []);
        assert_eq!(
            known[&half(1, 2)],
            Held {
                from: 11,
                until: 20
            }
        );
        // What was not there for one look begins anew.
        waits.learn((30, 31), [].into_iter(), []);
        let known = waits.learn((40, 41), seen.into_iter(), []);
        assert_eq!(
            known[&half(1, 2)],
            Held {
                from: 41,
                until: 40
            }
        );
        let relayed = |half, from, until| Relayed {
            half,
            held: Held { from, until },
        };
        let others = [
            relayed(half(1, 2), 35, 38),
            relayed(half(2, 1), 44, 49),
            relayed(half(3, 1), 1, 2),
        ];
        let known = waits.learn((5000, 5001), seen.into_iter(), others);
        assert_eq!(known.len(), 1, "old ones are forgotten: {known:?}");
        let known = waits.learn((50, 51), seen.into_iter(), others);
        assert_eq!(
            known[&half(2, 1)],
            Held {
                from: 44,
                until: 49
            }
        );
    }
}
