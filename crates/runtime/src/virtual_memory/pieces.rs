//! The pieces of physical memory, and under which numbers they are shared. Pure: calls no device.
//!
//! A piece lives as long as something refers to it: the program by name (references), or an address (a
//! mapping). What the program no longer sees is charged no longer, but its pages go only when the
//! retired mappings have gone, too.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use millpond_device::{Home, PieceId};

use super::{Location, MappingError, PhysicalRequest};

/// The top of every number that memory is shared under, so that invented ones are seldom right.
const SHARED: u64 = 0x4d50_5348 << 32;

/// All pieces.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    known: BTreeMap<u64, Piece>,
    shares: BTreeMap<u64, u64>,
    next_share: u64,
    /// Pieces without references whose pages have not been released yet.
    ended: BTreeSet<u64>,
}

/// A piece of physical memory.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) id: PieceId,
    pub(super) request: PhysicalRequest,
    /// What it is made of: a piece of a GPU's device may be memory of this machine.
    pub(super) home: Home,
    references: u64,
    /// Mappings that programs see, and all of them.
    mapped: u64,
    occupied: u64,
    /// The program has it no more.
    over: bool,
    share: Option<Share>,
    /// Its pages are another process's: nothing is charged for them.
    pub(super) imported: bool,
    /// Everybody who may have mapped its pages elsewhere has a clone.
    lent: Arc<()>,
}

/// A piece that was exported.
#[derive(Debug)]
struct Share {
    number: u64,
    /// Whether every process of the user may import it.
    open: bool,
    /// Processes that may import it. This process always may.
    importers: Vec<i32>,
}

impl Pieces {
    pub(super) fn insert(
        &mut self,
        number: u64,
        id: PieceId,
        request: PhysicalRequest,
        home: Home,
    ) {
        let piece = Piece {
            id,
            request,
            home,
            references: 1,
            mapped: 0,
            occupied: 0,
            over: false,
            share: None,
            imported: false,
            lent: Arc::default(),
        };
        self.known.insert(number, piece);
    }

    /// A piece that the program has.
    pub(super) fn get(&self, number: u64) -> Result<&Piece, MappingError> {
        let found = self.known.get(&number).filter(|piece| !piece.over);
        found.ok_or(MappingError::Gone)
    }

    pub(super) fn reference(&mut self, number: u64) -> Result<&Piece, MappingError> {
        let found = self.known.get_mut(&number).filter(|piece| !piece.over);
        let piece = found.ok_or(MappingError::Gone)?;
        piece.references += 1;
        Ok(piece)
    }

    pub(super) fn unreference(&mut self, number: u64) {
        // After a reset of the device there is nothing left to give up.
        if let Some(piece) = self.known.get_mut(&number) {
            piece.references = piece.references.saturating_sub(1);
        }
    }

    pub(super) fn mapped(&mut self, number: u64) {
        if let Some(piece) = self.known.get_mut(&number) {
            piece.mapped += 1;
            piece.occupied += 1;
        }
    }

    /// A mapping of the piece was retired.
    pub(super) fn retired(&mut self, number: u64) {
        if let Some(piece) = self.known.get_mut(&number) {
            piece.mapped -= 1;
        }
    }

    /// A retired mapping of the piece has gone.
    pub(super) fn unmapped(&mut self, number: u64) {
        if let Some(piece) = self.known.get_mut(&number) {
            piece.occupied -= 1;
        }
    }

    /// Takes all references away from the pieces of one place.
    pub(super) fn abandon(&mut self, location: Location) -> Vec<u64> {
        let all = self.known.iter_mut();
        all.filter(|(_, piece)| piece.request.location == location && !piece.over)
            .map(|(number, piece)| {
                piece.references = 0;
                *number
            })
            .collect()
    }

    /// Ends a piece that the program has no more. Returns it once, for what has to be done then; its
    /// pages go when [`Pieces::gone`] says so.
    pub(super) fn end(&mut self, number: u64) -> Option<&Piece> {
        let piece = self.known.get_mut(&number)?;
        if piece.over || piece.references > 0 || piece.mapped > 0 {
            return None;
        }
        piece.over = true;
        if let Some(share) = piece.share.take() {
            self.shares.remove(&share.number);
        }
        self.ended.insert(number);
        Some(piece)
    }

    /// Pieces whose pages are no longer used.
    pub(super) fn gone(&self) -> Vec<(u64, PieceId)> {
        let unused = |number: &u64| {
            let piece = self.known.get(number)?;
            let unused = piece.occupied == 0 && Arc::strong_count(&piece.lent) == 1;
            unused.then_some((*number, piece.id))
        };
        self.ended.iter().filter_map(unused).collect()
    }

    pub(super) fn is_settled(&self) -> bool {
        self.ended.is_empty()
    }

    /// The device has taken the pages back.
    pub(super) fn forget(&mut self, number: u64) {
        self.known.remove(&number);
        self.ended.remove(&number);
    }

    /// The number under which a piece is shared: always the same one. The first time it is `wanted`, unless that is taken.
    /// With `open`, every process of the user may import it from now on.
    pub(super) fn export(
        &mut self,
        number: u64,
        wanted: Option<u64>,
        open: bool,
    ) -> Result<u64, MappingError> {
        let found = self.known.get_mut(&number).filter(|piece| !piece.over);
        let piece = found.ok_or(MappingError::Gone)?;
        if let Some(share) = &mut piece.share {
            share.open |= open;
            return Ok(share.number);
        }
        self.next_share += 1;
        let free = wanted.filter(|wanted| !self.shares.contains_key(wanted));
        let share = free.unwrap_or(SHARED | self.next_share);
        piece.share = Some(Share {
            number: share,
            open,
            importers: Vec::new(),
        });
        self.shares.insert(share, number);
        Ok(share)
    }

    /// Whether another process may import what is shared under a number.
    pub(super) fn admits(&self, number: u64, process: i32) -> Result<bool, MappingError> {
        let piece = self.shared(number)?;
        let share = self
            .known
            .get(&piece)
            .and_then(|piece| piece.share.as_ref());
        let share = share.ok_or(MappingError::NotExported { number })?;
        Ok(share.open || share.importers.contains(&process))
    }

    /// Keeps the pages of a piece that the program has, until the result is dropped.
    pub(super) fn lend(&self, number: u64) -> Result<Arc<()>, MappingError> {
        Ok(Arc::clone(&self.get(number)?.lent))
    }

    /// Marks a piece as another process's.
    pub(super) fn mark_imported(&mut self, number: u64) {
        if let Some(piece) = self.known.get_mut(&number) {
            piece.imported = true;
        }
    }

    /// The piece that is shared under a number.
    pub(super) fn shared(&self, number: u64) -> Result<u64, MappingError> {
        let found = self.shares.get(&number).copied();
        found.ok_or(MappingError::NotExported { number })
    }

    /// Lets more processes import what is shared under a number.
    pub(super) fn allow(&mut self, number: u64, processes: &[i32]) -> Result<(), MappingError> {
        let piece = self.shared(number)?;
        let share = self.known.get_mut(&piece).and_then(|p| p.share.as_mut());
        let share = share.ok_or(MappingError::NotExported { number })?;
        for process in processes {
            if !share.importers.contains(process) {
                share.importers.push(*process);
            }
        }
        Ok(())
    }
}

impl Piece {
    /// Whether queued work still uses it, although the program has it no more.
    pub(super) fn is_used(&self) -> bool {
        self.occupied > 0 || Arc::strong_count(&self.lent) > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::PageKind;

    const REQUEST: PhysicalRequest = PhysicalRequest {
        bytes: 4096,
        location: Location::Host,
        pages: PageKind::Normal,
        flags: 0,
    };

    fn one() -> Pieces {
        let mut pieces = Pieces::default();
        pieces.insert(1, PieceId(9), REQUEST, Home::Machine);
        pieces
    }

    #[test]
    fn a_piece_lives_by_its_references_and_mappings() {
        let mut pieces = one();
        pieces.mapped(1);
        pieces.reference(1).unwrap();
        pieces.unreference(1);
        pieces.unreference(1);
        assert!(pieces.end(1).is_none(), "it is mapped");
        pieces.reference(1).unwrap();
        pieces.retired(1);
        assert!(pieces.end(1).is_none(), "it is referenced");
        pieces.unreference(1);
        assert!(pieces.end(1).unwrap().is_used());
        assert!(pieces.end(1).is_none(), "told once");
        assert_eq!(pieces.get(1).unwrap_err(), MappingError::Gone);
        assert!(pieces.gone().is_empty(), "queued work uses it");
        pieces.unmapped(1);
        assert_eq!(pieces.gone(), [(1, PieceId(9))]);
        assert!(!pieces.is_settled());
        pieces.forget(1);
        assert!(pieces.is_settled() && pieces.gone().is_empty());
        pieces.unreference(1);
    }

    #[test]
    fn pages_that_were_lent_stay() {
        let mut pieces = one();
        let lent = pieces.lend(1).unwrap();
        pieces.unreference(1);
        assert!(pieces.end(1).unwrap().is_used());
        assert!(pieces.gone().is_empty());
        assert!(pieces.lend(1).is_err(), "the program has it no more");
        drop(lent);
        assert_eq!(pieces.gone(), [(1, PieceId(9))]);
    }

    #[test]
    fn a_number_names_a_piece_as_long_as_it_lives() {
        let mut pieces = one();
        let number = pieces.export(1, None, false).unwrap();
        assert_eq!(pieces.export(1, None, false), Ok(number));
        assert_eq!(pieces.shared(number), Ok(1));
        pieces.allow(number, &[3, 4, 3]).unwrap();
        assert_eq!(pieces.admits(number, 4), Ok(true));
        assert_eq!(pieces.admits(number, 5), Ok(false));
        pieces.export(1, Some(17), true).unwrap();
        assert_eq!(pieces.admits(number, 5), Ok(true));
        assert!(pieces.shared(17).is_err(), "it has its number already");
        let unknown = MappingError::NotExported { number: number + 1 };
        assert_eq!(pieces.shared(number + 1), Err(unknown));
        assert_eq!(pieces.allow(number + 1, &[]), Err(unknown));
        assert!(pieces.abandon(Location::Device(0)).is_empty());
        assert_eq!(pieces.abandon(Location::Host), [1]);
        pieces.end(1).unwrap();
        assert!(pieces.shared(number).is_err());
        assert_eq!(pieces.export(1, None, false), Err(MappingError::Gone));
        pieces.insert(2, PieceId(10), REQUEST, Home::Machine);
        assert_ne!(
            pieces.export(2, None, false),
            Ok(number),
            "numbers are not used again"
        );
    }
}
