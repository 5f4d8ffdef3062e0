//! What went wrong between ranks, for whoever reports it, and how a cycle of waiting ranks is proven.
//!
//! A call has its *lane*: the stream that it is queued in. Ranks that have an observer show, for each line of a communicator (operations
//! of all ranks; messages of one ordered pair), the call that is first in it: its number, its lane, and whether its stream has reached it.
//! A call that has started waits for a lane if the rank that it needs shows a call there that has not started: that call comes after
//! whatever the lane is doing. Lanes that wait for each other in a cycle never continue. A cycle counts if two looks see the same calls in
//! the same states: none of these states comes back once it is left, so there was a moment at which all of them held.

use std::fmt;
use std::sync::Arc;

use crate::board::{Board, Front};

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Ranks do different things at one place of their order.
    Mismatch,
    /// A message is received with another size or type than it was sent with.
    Message,
    /// A rank that others wait for is gone.
    Gone,
    /// Ranks wait for each other.
    Cycle,
    /// Ranks waited for longer than the limit.
    TimedOut,
    /// A rank has closed its communicator while its operations were in flight.
    Closed,
    /// What a rank gives to an operation has a NaN, and no rank had one before. The communicator goes on.
    NotANumber,
}

/// One thing that went wrong. One rank reports it for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What.
    pub trouble: Trouble,
    /// The communicator's name.
    pub communicator: String,
    /// The rank that reports.
    pub rank: usize,
    /// How many there are.
    pub ranks: usize,
    /// What happened, in a sentence.
    pub reason: String,
    /// What ranks were doing.
    pub doings: Vec<Doing>,
    /// The last operation that all did together; empty if there is none.
    pub before: String,
    /// The operation's number among those of all ranks, from 1; 0 if it is none of these.
    pub place: u64,
}

/// What a rank does, or did last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doing {
    /// Which rank.
    pub rank: usize,
    /// In words.
    pub what: String,
    /// The call's site, as its program gave it.
    pub site: String,
    /// Other ranks that do the same.
    pub also: Vec<usize>,
}

/// Who wants to know. It is called under locks of this crate, and must not call back.
#[derive(Clone)]
pub struct Observer(pub Arc<dyn Fn(&Problem) + Send + Sync>);

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// Who makes a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// Where the program made it. What follows a unit separator is for observers, not for messages.
    pub site: String,
    /// The stream that it is queued in: a number that no other stream of the machine has. 0 if unknown.
    pub lane: u64,
}

/// The part of a site that people read.
pub(crate) fn readable(site: &str) -> &str {
    site.split('\u{1f}').next().unwrap_or_default()
}

/// A call that waits, and the one that it waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge {
    /// Which of the boards that were looked at.
    pub(crate) board: usize,
    pub(crate) rank: usize,
    pub(crate) peer: usize,
    pub(crate) from: Front,
    pub(crate) to: Front,
}

/// More ranks than this are not looked at: every pair has lines of its own.
const MOST_RANKS: usize = 64;

/// What waits for what on one board.
pub(crate) fn edges(board: &Board, index: usize, found: &mut Vec<Edge>) {
    let ranks = board.shape.ranks;
    if ranks > MOST_RANKS || board.broken().is_some() {
        return;
    }
    let mut add = |rank, peer, from: &Front, to: Front| {
        if from.lane != 0 && to.lane != 0 {
            found.push(Edge {
                board: index,
                rank,
                peer,
                from: from.clone(),
                to,
            });
        }
    };
    for rank in 0..ranks {
        if let Some(from) = board.group_front(rank).filter(Front::has_started) {
            for peer in (0..ranks).filter(|&peer| peer != rank) {
                let waits = |to: &Front| to.is_queued() && to.index <= from.index;
                if let Some(to) = board.group_front(peer).filter(waits) {
                    add(rank, peer, &from, to);
                }
            }
        }
        for peer in 0..ranks {
            let sends = board.send_front(rank, peer);
            if let Some(from) = sends.filter(|from| board.moves(rank, peer, from))
                && let Some(to) = board.receive_front(rank, peer).filter(Front::is_queued)
            {
                add(rank, peer, &from, to);
            }
            let receives = board.receive_front(peer, rank);
            if let Some(from) = receives.filter(|from| board.moves(peer, rank, from))
                && let Some(to) = board.send_front(peer, rank).filter(Front::is_queued)
            {
                add(rank, peer, &from, to);
            }
        }
    }
}

/// The first cycle among edges, from a lane back to itself.
pub(crate) fn cycle(edges: &[Edge]) -> Option<Vec<Edge>> {
    let mut done: Vec<u64> = Vec::new();
    for start in edges {
        let mut path: Vec<&Edge> = vec![start];
        // At each depth, which edge is tried next.
        let mut next = vec![0];
        while let Some(last) = path.last().copied() {
            if let Some(at) = path.iter().position(|edge| edge.from.lane == last.to.lane) {
                return Some(path[at..].iter().map(|edge| (*edge).clone()).collect());
            }
            let tried = next.last_mut()?;
            let more = edges.iter().enumerate().skip(*tried);
            let found = more
                .filter(|(_, edge)| edge.from.lane == last.to.lane)
                .find(|(_, edge)| !done.contains(&edge.from.lane));
            if let Some((index, edge)) = found {
                *tried = index + 1;
                path.push(edge);
                next.push(0);
            } else {
                done.push(last.to.lane);
                path.pop();
                next.pop();
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: u64, to: u64) -> Edge {
        let front = |lane| Front {
            number: lane,
            lane,
            index: 0,
            state: 0,
            what: String::new(),
            site: String::new(),
        };
        Edge {
            board: 0,
            rank: 0,
            peer: 1,
            from: front(from),
            to: front(to),
        }
    }

    fn lanes(edges: &[(u64, u64)]) -> Option<Vec<u64>> {
        let edges: Vec<Edge> = edges.iter().map(|&(from, to)| edge(from, to)).collect();
        cycle(&edges).map(|cycle| cycle.iter().map(|edge| edge.from.lane).collect())
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
}
