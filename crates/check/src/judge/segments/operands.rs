//! Blocks that a program divides without registering regions: the operands of one run show where.
//!
//! Two operands of a run without common bytes are two tensors in one block, or two parts of one tensor; the checker
//! cannot distinguish them. So this is only a hint, and for operands that are only read just their start is judged.

use std::sync::Arc;

use millpond_trace::Bytes;

use super::{Kind, ROUNDING, START, cut, taken};
use crate::judge::words;
use crate::rules::segment as rules;
use crate::verdict::Verdict;
use crate::world::{Block, Turn, World, end_of, overlap};

/// A tensor in a block of `aclrtMallocAlign32`.
#[derive(Debug, Clone, Copy)]
struct Operand<'a> {
    range: Bytes,
    block: &'a Arc<Block>,
    written: bool,
}

/// How many operands of one run are examined.
const MOST: usize = 64;

/// Judges where the operands of a run are.
pub(super) fn judge(world: &World, turn: &Turn, verdict: &mut Verdict) {
    let reads = turn.reads().map(|it| (it, false));
    let results = turn.results().map(|it| (it, true));
    let mut operands: Vec<Operand<'_>> = reads
        .chain(results)
        .filter_map(|((span, block), written)| {
            let block = block.filter(|it| Kind::of(it) == Some(Kind::Aligned))?;
            let range = span.hull();
            let inside = range.bytes > 0 && end_of(range) <= block.end();
            // Who registers segments, or lets an allocator give them, is judged by those.
            (inside && !world.blocks.is_cut_up(block)).then_some(Operand {
                range,
                block,
                written,
            })
        })
        .take(MOST)
        .collect();
    if operands.len() < 2 {
        return;
    }
    operands.sort_by_key(|it| (it.range.start, it.range.bytes));
    join(&mut operands);
    for (index, operand) in operands.iter().enumerate() {
        let of_block = |it: &&Operand<'_>| it.block.number == operand.block.number;
        if operands.iter().filter(of_block).count() < 2 {
            continue;
        }
        let next = operands.get(index + 1).filter(of_block);
        start(turn, operand, verdict);
        spacing(turn, operand, next, verdict);
    }
}

/// Operands that share bytes are one: an operator that works in place has both.
fn join(operands: &mut Vec<Operand<'_>>) {
    operands.dedup_by(|next, before| {
        let same = overlap(next.range, before.range);
        if same {
            let end = end_of(next.range).max(end_of(before.range));
            before.range.bytes = end - before.range.start;
            before.written |= next.written;
        }
        same
    });
}

fn start(turn: &Turn, operand: &Operand<'_>, verdict: &mut Verdict) {
    let range = operand.range;
    if range.start.is_multiple_of(START) {
        return;
    }
    let message = format!(
        "an operand beside others in one block starts at {:#x}, {} past a multiple of {START}",
        range.start,
        words::count(range.start % START, "byte")
    );
    let finding = cut(&rules::START, &turn.origin, message, range, operand.block);
    verdict.report(finding.as_hint());
}

fn spacing(turn: &Turn, operand: &Operand<'_>, next: Option<&Operand<'_>>, verdict: &mut Verdict) {
    let range = operand.range;
    let block = operand.block;
    // Without a next one the block ends.
    let written = operand.written || next.is_some_and(|next| next.written);
    let end = next.map_or_else(|| end_of(block.usable()), |next| next.range.start);
    let (needed, room) = (taken(range.bytes), end - range.start.min(end));
    if !written || room >= needed {
        return;
    }
    let what = match next {
        Some(next) => format!("the operand with {}", words::range(next.range)),
        None => "the end of the block".to_owned(),
    };
    let message = format!(
        "an operand has {} and takes {} as a segment, its length rounded up to {ROUNDING} and {ROUNDING} more, but {what} \
         comes after {}",
        words::range(range),
        words::grouped(needed),
        words::grouped(room)
    );
    let finding = cut(&rules::SPACING, &turn.origin, message, range, block);
    verdict.report(finding.as_hint());
}
