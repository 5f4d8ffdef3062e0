//! What was live at one moment, and who had allocated it.

use std::collections::BTreeMap;

use millpond_recording::owner::Owners;
use millpond_recording::{StackId, Tables, owner};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::index::Index;

/// Lines and blocks in one answer.
const MOST: usize = 200;
/// A frame that has less than this part of all bytes is too narrow to see.
const NARROWEST: u64 = 2_000;
/// Deeper stacks are cut.
const DEEPEST: usize = 128;

/// One moment.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// When.
    pub time: u64,
    /// Bytes live.
    pub live: u64,
    /// How many blocks those are.
    pub blocks: u64,
    /// Freed bytes that another stream still used.
    pub waiting: u64,
    /// Bytes reserved from the device, if that was recorded.
    pub reserved: Option<u64>,
    /// Bytes live by owner, the most first.
    pub lines: Vec<Line>,
    /// Lines that are not in `lines`.
    pub more_lines: u64,
    /// The largest blocks.
    pub largest: Vec<Large>,
    /// Bytes live by call stack, as a tree from the outermost frame.
    pub flame: Flame,
}

/// What one owner has: a source line, a name, or, where the recording has neither, blocks of one size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// File, line and function, or what else it is called.
    pub place: String,
    /// The bytes of its blocks.
    pub bytes: u64,
    /// How many blocks.
    pub blocks: u64,
}

/// A large block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Large {
    /// Its number.
    pub block: usize,
    /// Its bytes.
    pub bytes: u64,
    /// When it was allocated.
    pub start: u64,
    /// Who allocated it.
    pub place: String,
}

/// A frame of a flame graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flame {
    /// The function and its line.
    pub name: String,
    /// Bytes of the blocks that were allocated below it.
    pub bytes: u64,
    /// What it called, the most bytes first.
    pub children: Vec<Flame>,
}

/// What was live at a moment.
pub fn moment(index: &Index, time: u64) -> Picture {
    let mut by_stack: FxHashMap<StackId, u64> = FxHashMap::default();
    let mut by_owner: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
    let mut largest: Vec<(u64, usize)> = Vec::new();
    let (mut live, mut blocks) = (0, 0);
    index.live_at(time, |number, block| {
        live += block.bytes;
        blocks += 1;
        *by_stack.entry(block.stack).or_default() += block.bytes;
        let sum = by_owner.entry(index.owners[number]).or_default();
        sum.0 += block.bytes;
        sum.1 += 1;
        largest.push((block.bytes, number));
    });
    // The tables count the same bytes in two ways.
    let level = index.level_after(index.events_by(time));
    debug_assert_eq!(level.live, live);
    largest.sort_unstable_by_key(|&(bytes, number)| (std::cmp::Reverse(bytes), number));
    largest.truncate(50);
    let (lines, more_lines) = lines(&index.names, by_owner.into_iter());
    Picture {
        time,
        live,
        blocks,
        waiting: level.waiting,
        reserved: index.reserved_at(time),
        lines,
        more_lines,
        largest: largest
            .into_iter()
            .map(|(bytes, number)| Large {
                block: number,
                bytes,
                start: index.blocks[number].start,
                place: index.owner_of(number).to_owned(),
            })
            .collect(),
        flame: flame(&index.tables, &by_stack),
    }
}

/// The owners with the most bytes, and how many are left out.
pub(crate) fn lines(
    names: &Owners,
    sums: impl Iterator<Item = (u32, (u64, u64))>,
) -> (Vec<Line>, u64) {
    let mut lines = all_lines(names, sums);
    let more = lines.len().saturating_sub(MOST) as u64;
    lines.truncate(MOST);
    (lines, more)
}

/// All owners, the most bytes first.
pub(crate) fn all_lines(
    names: &Owners,
    sums: impl Iterator<Item = (u32, (u64, u64))>,
) -> Vec<Line> {
    let mut sums: Vec<(u32, (u64, u64))> = sums.collect();
    // Of equal ones the first in the recording, as in `millpond advise`.
    sums.sort_unstable_by_key(|&(owner, (bytes, _))| (std::cmp::Reverse(bytes), owner));
    sums.into_iter()
        .map(|(owner, (bytes, blocks))| Line {
            place: names.name(owner).to_owned(),
            bytes,
            blocks,
        })
        .collect()
}

/// The tree of all stacks with bytes. Frames that are too narrow to see are left out; their bytes count for their callers.
fn flame(tables: &Tables, by_stack: &FxHashMap<StackId, u64>) -> Flame {
    let mut tree = Tree::default();
    let mut total = 0;
    // In a fixed order, so that the same recording gives the same answer.
    let mut sums: Vec<(StackId, u64)> = by_stack
        .iter()
        .map(|(&stack, &bytes)| (stack, bytes))
        .collect();
    sums.sort_unstable();
    for (stack, bytes) in sums {
        total += bytes;
        let mut path: Vec<String> = tables
            .stack(stack)
            .map(|frame| name(tables, frame))
            .collect();
        path.reverse();
        path.truncate(DEEPEST);
        if path.is_empty() {
            path.push(owner::UNKNOWN.to_owned());
        }
        tree.add(&path, bytes);
    }
    tree.into_flame("all".to_owned(), total / NARROWEST)
}

fn name(tables: &Tables, frame: millpond_recording::Frame) -> String {
    let function = tables.text(frame.function);
    let place = owner::place(tables, frame);
    if function.is_empty() || function == place {
        place
    } else {
        format!("{function} ({place})")
    }
}

#[derive(Default)]
struct Tree {
    bytes: u64,
    children: BTreeMap<String, Tree>,
}

impl Tree {
    fn add(&mut self, path: &[String], bytes: u64) {
        self.bytes += bytes;
        if let Some((first, rest)) = path.split_first() {
            self.children
                .entry(first.clone())
                .or_default()
                .add(rest, bytes);
        }
    }

    fn into_flame(self, name: String, least: u64) -> Flame {
        let mut children: Vec<Flame> = self
            .children
            .into_iter()
            .filter(|(_, child)| child.bytes > least)
            .map(|(name, child)| child.into_flame(name, least))
            .collect();
        children.sort_by_key(|child| std::cmp::Reverse(child.bytes));
        Flame {
            name,
            bytes: self.bytes,
            children,
        }
    }
}
