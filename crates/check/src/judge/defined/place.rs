//! Which memory an address belongs to.

use std::sync::Arc;

use millpond_trace::{BlockRef, Bytes, PieceRef};
use smallvec::SmallVec;

use crate::world::{Block, BlockKind, World};

/// The owner of bytes. Those of a mapping belong to its piece, which may have other addresses too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    Block(BlockRef),
    Piece(PieceRef),
}

/// A range of an owner's bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) owner: Owner,
    pub(super) from: u64,
    pub(super) until: u64,
}

pub(super) fn owner(block: &Block) -> Owner {
    match block.kind {
        BlockKind::Mapping(piece) => Owner::Piece(piece),
        BlockKind::Plain | BlockKind::Pool(_) => Owner::Block(block.number),
    }
}

/// Whose bytes a range is that begins in a block: one block's, or those of several mappings.
pub(super) fn stretches(
    world: &World,
    block: Option<&Arc<Block>>,
    range: Bytes,
) -> SmallVec<[Stretch; 1]> {
    let mut found = SmallVec::new();
    let Some(mut block) = block else { return found };
    let end = range.start.saturating_add(range.bytes);
    let mut at = range.start;
    while at < end {
        let until = end.min(block.end());
        let Some(from) = at.checked_sub(block.range.start).filter(|_| until > at) else {
            break;
        };
        found.push(Stretch {
            owner: owner(block),
            from,
            until: until - block.range.start,
        });
        at = until;
        if at == end {
            break;
        }
        let next = world.blocks.find(at);
        match next.filter(|next| matches!(next.kind, BlockKind::Mapping(_))) {
            Some(next) if matches!(block.kind, BlockKind::Mapping(_)) => block = next,
            _ => break,
        }
    }
    found
}
