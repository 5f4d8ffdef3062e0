//! Windows and pieces on the machine's own memory.
//!
//! ```text
//!   addresses that programs hold             addresses where work runs
//!   ┌───────────────────────────────┐        ┌──────┬──────┬───────────────┐
//!   │ window: nobody can touch it   │─ + D ─▶│ A    │ B    │ (nothing)     │
//!   └───────────────────────────────┘        └──┼───┴──┼───┴───────────────┘
//!                                               ▼      ▼
//!                                           one sparse file: pieces B, A, …
//! ```
//!
//! As on the host device, work adds the constant distance D of the window, and in unified mode D is 0
//! and the two views are one. Pieces that are mapped side by side are contiguous for work, whatever
//! their places in the file.
//!
//! What must always hold:
//! - All pieces are in one file, because each file would cost the program a descriptor, and it has
//!   perhaps a thousand of them.
//! - The mappings of all windows, and those of devices that show pages twice, use at most half of what the system allows a
//!   process.
//! - A piece that ends is punched out of the file, so that its offsets read as zeros.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::offsets::Offsets;
use super::segments::Segments;
use super::{AddressSpace, Home, Keeper, PieceId, Window, file_of_pieces};
use crate::machine::{Ledger, Promises};
use crate::mapping::{Mapping, SparseFile, allowed_mappings};
use crate::{AddressRange, DeviceError, FilePart, HUGE_PAGE, PagesOf, SharedPages, os_page};

/// Runs of address space that a window without anything in it may be.
const EMPTY_WINDOW: u64 = 2;

/// Windows and pieces on the machine's own memory. See the module's picture.
#[derive(Debug)]
pub struct HostAddressSpace {
    unified: bool,
    most_mappings: u64,
    ledger: Arc<Ledger>,
    physical: Arc<Physical>,
    state: Mutex<State>,
}

/// The file that contains the pieces.
#[derive(Debug)]
struct Physical {
    file: SparseFile,
    committed: AtomicU64,
}

impl Promises for Physical {
    fn committed(&self) -> &AtomicU64 {
        &self.committed
    }

    fn resident(&self) -> Result<u64, DeviceError> {
        Ok(self.file.resident().unwrap_or(0))
    }
}

#[derive(Debug)]
struct State {
    windows: BTreeMap<u64, HostWindow>,
    pieces: BTreeMap<PieceId, Piece>,
    offsets: Offsets,
    next_piece: u64,
    /// Files of other processes: pieces of one file share a descriptor.
    files: Vec<Weak<SparseFile>>,
    /// Runs of pages that the windows and what is in them cost.
    mappings: u64,
}

#[derive(Debug, Clone)]
struct Piece {
    /// Where it is in the file of pieces; unused where the pages are another memory's.
    offset: u64,
    bytes: u64,
    foreign: Option<Arc<Foreign>>,
}

/// Pages of another process, or of another memory.
#[derive(Debug)]
struct Foreign {
    file: Arc<SparseFile>,
    parts: Vec<FilePart>,
    #[expect(dead_code, reason = "dropped with the pages")]
    keep: Keeper,
}

impl Piece {
    /// Mappings that the piece costs beyond one.
    fn further_runs(&self) -> u64 {
        let foreign = self.foreign.as_ref();
        foreign.map_or(0, |foreign| foreign.parts.len() as u64 - 1)
    }

    /// Lays the piece over `range`, whose bytes are the piece's.
    fn place(
        &self,
        mapping: &Mapping,
        range: AddressRange,
        own: &SparseFile,
        open: bool,
    ) -> Result<(), DeviceError> {
        let Some(foreign) = &self.foreign else {
            return mapping.place(range, own, self.offset, open);
        };
        let mut at = range.start;
        for part in &foreign.parts {
            let place = AddressRange::new(at, part.bytes);
            mapping
                .place(place, &foreign.file, part.offset, open)
                .inspect_err(|_| drop(mapping.blank(range)))?;
            at += part.bytes;
        }
        Ok(())
    }
}

#[derive(Debug)]
struct HostWindow {
    /// Both views; in unified mode they are one.
    mapping: Arc<Mapping>,
    range: AddressRange,
    distance: u64,
    /// What work may touch, by the addresses that programs see.
    work: Segments,
    /// What programs may touch. Unused in unified mode.
    shown: Segments,
}

impl HostAddressSpace {
    /// Nothing is reserved and nothing resident afterwards. Pages count together with all others in
    /// `ledger`.
    pub fn sharing(unified: bool, ledger: &Arc<Ledger>) -> Result<Self, DeviceError> {
        Self::with_limit(unified, ledger, allowed_mappings() / 2)
    }

    fn with_limit(
        unified: bool,
        ledger: &Arc<Ledger>,
        most_mappings: u64,
    ) -> Result<Self, DeviceError> {
        let file = file_of_pieces()?;
        let bytes = file.bytes;
        let physical = Arc::new(Physical {
            file,
            committed: AtomicU64::new(0),
        });
        ledger.enter(&physical);
        Ok(Self {
            unified,
            most_mappings,
            ledger: Arc::clone(ledger),
            physical,
            state: Mutex::new(State {
                windows: BTreeMap::new(),
                pieces: BTreeMap::new(),
                offsets: Offsets::new(bytes),
                next_piece: 1,
                files: Vec::new(),
                mappings: 0,
            }),
        })
    }

    /// Where work finds what is mapped at `at`.
    pub(crate) fn place_of(&self, at: u64) -> (Arc<Mapping>, AddressRange) {
        let state = self.state.lock();
        let window = state.window(at);
        let (range, _) = window.work.at(at).expect("something is mapped there");
        (Arc::clone(&window.mapping), window.for_work(range))
    }

    fn room_for(&self, state: &State, more: u64) -> Result<(), DeviceError> {
        if state.mappings + self.ledger.shown() + more <= self.most_mappings {
            return Ok(());
        }
        Err(DeviceError::TooManyMappings {
            limit: self.most_mappings,
        })
    }
}

impl AddressSpace for HostAddressSpace {
    fn granularity(&self, _home: Home) -> u64 {
        os_page()
    }

    fn reserve(&self, bytes: u64, wanted: Option<u64>) -> Result<Window, DeviceError> {
        let too_large = || DeviceError::System {
            call: "mmap",
            error: format!("{bytes} bytes do not fit the address space"),
        };
        let span = bytes
            .checked_next_multiple_of(HUGE_PAGE)
            .ok_or_else(too_large)?;
        let views = if self.unified { 1 } else { 2 };
        // One huge page more, so that the window can start at a multiple of a huge page.
        let total = span
            .checked_mul(views)
            .and_then(|bytes| bytes.checked_add(HUGE_PAGE))
            .ok_or_else(too_large)?;
        let mut state = self.state.lock();
        self.room_for(&state, EMPTY_WINDOW)?;
        let mapping = Mapping::new(total, wanted.filter(|at| at.is_multiple_of(HUGE_PAGE)))?;
        let start = mapping.range().start.next_multiple_of(HUGE_PAGE);
        let range = AddressRange::new(start, span);
        let distance = if self.unified { 0 } else { span };
        state.mappings += EMPTY_WINDOW;
        state.windows.insert(
            start,
            HostWindow {
                mapping: Arc::new(mapping),
                range,
                distance,
                work: Segments::new(range),
                shown: Segments::new(range),
            },
        );
        Ok(Window { range, distance })
    }

    fn release(&self, start: u64) -> Result<(), DeviceError> {
        let mut state = self.state.lock();
        let window = state.windows.remove(&start).expect("a window starts there");
        assert!(
            window.work.is_empty() && window.shown.is_empty(),
            "nothing is mapped in a window that goes"
        );
        state.mappings -= EMPTY_WINDOW;
        Ok(())
    }

    fn create(&self, bytes: u64, home: Home) -> Result<PieceId, DeviceError> {
        if home != Home::Machine {
            return Err(DeviceError::System {
                call: "create",
                error: "these devices are memory of this machine".to_owned(),
            });
        }
        let mut state = self.state.lock();
        // At a huge page, so that the system can use some of its own.
        let align = if bytes < HUGE_PAGE {
            os_page()
        } else {
            HUGE_PAGE
        };
        let offset = state
            .offsets
            .take(bytes, align)
            .ok_or_else(|| DeviceError::System {
                call: "ftruncate",
                error: format!("no room for {bytes} bytes in the file of physical memory"),
            })?;
        let promised = self.ledger.promise(&*self.physical, bytes, || Ok(()));
        if let Err(error) = promised {
            state.offsets.give(offset, bytes);
            return Err(error);
        }
        let piece = PieceId(state.next_piece);
        state.next_piece += 1;
        state.pieces.insert(
            piece,
            Piece {
                offset,
                bytes,
                foreign: None,
            },
        );
        Ok(piece)
    }

    fn share(&self, piece: PieceId) -> Result<SharedPages, DeviceError> {
        let state = self.state.lock();
        let piece = state.pieces.get(&piece).expect("a piece that is there");
        Ok(match &piece.foreign {
            Some(foreign) => SharedPages {
                source: PagesOf::File(foreign.file.duplicate()?),
                parts: foreign.parts.clone(),
            },
            None => SharedPages {
                source: PagesOf::File(self.physical.file.duplicate()?),
                parts: vec![FilePart {
                    offset: piece.offset,
                    bytes: piece.bytes,
                }],
            },
        })
    }

    fn adopt(&self, pages: SharedPages, keep: Keeper) -> Result<(PieceId, Home), DeviceError> {
        let refused = |error: String| DeviceError::System {
            call: "mmap",
            error,
        };
        let bytes = pages.bytes().filter(|bytes| *bytes > 0);
        let bytes = bytes.ok_or_else(|| refused("the shared memory has no pages".to_owned()))?;
        let PagesOf::File(file) = pages.source else {
            return Err(DeviceError::NotOffered {
                what: "it is memory of a GPU, and all devices of this process are memory of this machine: choose \
                       MILLPOND_DEVICE=cuda"
                    .to_owned(),
            });
        };
        let file = SparseFile::adopt(file)?;
        let page = os_page();
        let fits = |part: &FilePart| {
            let end = part.offset.checked_add(part.bytes);
            let aligned = part.offset.is_multiple_of(page) && part.bytes.is_multiple_of(page);
            aligned && part.bytes > 0 && end.is_some_and(|end| end <= file.bytes)
        };
        if !pages.parts.iter().all(fits) {
            return Err(refused(
                "the shared memory is not whole pages of its file".to_owned(),
            ));
        }
        let mut state = self.state.lock();
        state.files.retain(|known| known.strong_count() > 0);
        let mut known = state.files.iter().filter_map(Weak::upgrade);
        let known = known.find(|known| known.is_same(&file) && known.is_there());
        let file = known.unwrap_or_else(|| {
            let file = Arc::new(file);
            state.files.push(Arc::downgrade(&file));
            file
        });
        let piece = PieceId(state.next_piece);
        state.next_piece += 1;
        let foreign = Foreign {
            file,
            parts: pages.parts,
            keep,
        };
        state.pieces.insert(
            piece,
            Piece {
                offset: 0,
                bytes,
                foreign: Some(Arc::new(foreign)),
            },
        );
        Ok((piece, Home::Machine))
    }

    fn destroy(&self, piece: PieceId) -> Result<(), DeviceError> {
        let mut state = self.state.lock();
        let known = state.pieces.get(&piece).expect("a piece that is there");
        if known.foreign.is_some() {
            let gone = state.pieces.remove(&piece);
            drop(state);
            // Without the lock: dropping it notifies the owner of the pages.
            drop(gone);
            return Ok(());
        }
        let (offset, bytes) = (known.offset, known.bytes);
        // Where the program has closed the file's descriptor nobody can take its pages out any more:
        // they stay promised, and no other piece gets them.
        if self.physical.file.is_there() {
            self.physical.file.punch(offset, bytes)?;
            self.ledger.returned(&*self.physical, bytes);
            state.offsets.give(offset, bytes);
        }
        state.pieces.remove(&piece);
        Ok(())
    }

    fn map(&self, piece: PieceId, at: u64, shown: bool) -> Result<(), DeviceError> {
        let mut state = self.state.lock();
        let known = state.pieces.get(&piece).expect("a piece that is there");
        let (known, further) = (known.clone(), known.further_runs());
        let range = AddressRange::new(at, known.bytes);
        let window = state.window(at);
        assert!(window.work.has_room(range), "nothing is mapped there yet");
        let also_shown = shown && !self.unified;
        let mut more = window.work.cost(range) + further;
        if also_shown {
            more += window.shown.cost(range) + further;
        }
        self.room_for(&state, more)?;
        let window = state.window_mut(at);
        let file = &self.physical.file;
        let open = shown || !self.unified;
        known.place(&window.mapping, window.for_work(range), file, open)?;
        if also_shown && let Err(error) = known.place(&window.mapping, range, file, true) {
            // Nothing is lost if this fails too: nobody can name what stays there.
            drop(window.mapping.blank(window.for_work(range)));
            return Err(error);
        }
        window.work.insert(range, piece);
        if also_shown {
            window.shown.insert(range, piece);
        }
        state.mappings += more;
        Ok(())
    }

    fn show(&self, at: u64) -> Result<(), DeviceError> {
        let mut state = self.state.lock();
        let window = state.window(at);
        let (range, piece) = window.work.at(at).expect("something is mapped there");
        if self.unified {
            return window.mapping.open(range);
        }
        if window.shown.at(at).is_some() {
            return Ok(());
        }
        let known = state.pieces[&piece].clone();
        let more = window.shown.cost(range) + known.further_runs();
        self.room_for(&state, more)?;
        let window = state.window_mut(at);
        known.place(&window.mapping, range, &self.physical.file, true)?;
        window.shown.insert(range, piece);
        state.mappings += more;
        Ok(())
    }

    fn hide(&self, at: u64) -> Result<(), DeviceError> {
        let mut state = self.state.lock();
        state.hide(at)
    }

    fn unmap(&self, at: u64) -> Result<(), DeviceError> {
        let mut state = self.state.lock();
        let window = state.window(at);
        let (range, piece) = window.work.at(at).expect("something is mapped there");
        let place = window.for_work(range);
        state.hide(at)?;
        let further = state.pieces.get(&piece).map_or(0, Piece::further_runs);
        let window = state.window_mut(at);
        window.mapping.blank(place)?;
        let less = window.work.remove(at) + further;
        state.mappings -= less;
        Ok(())
    }
}

impl State {
    fn window(&self, address: u64) -> &HostWindow {
        let found = self.windows.range(..=address).next_back();
        found
            .map(|(_, window)| window)
            .filter(|window| window.range.contains(address))
            .expect("an address of a window")
    }

    fn window_mut(&mut self, address: u64) -> &mut HostWindow {
        let found = self.windows.range_mut(..=address).next_back();
        found
            .map(|(_, window)| window)
            .filter(|window| window.range.contains(address))
            .expect("an address of a window")
    }

    fn hide(&mut self, at: u64) -> Result<(), DeviceError> {
        let Some((range, piece)) = self.window(at).shown.at(at) else {
            return Ok(());
        };
        let further = self.pieces.get(&piece).map_or(0, Piece::further_runs);
        let window = self.window_mut(at);
        window.mapping.blank(range)?;
        let less = window.shown.remove(at) + further;
        self.mappings -= less;
        Ok(())
    }
}

impl HostWindow {
    /// Where work touches `range`.
    const fn for_work(&self, range: AddressRange) -> AddressRange {
        AddressRange::new(range.start + self.distance, range.bytes)
    }
}

#[cfg(test)]
mod tests;
