//! Memory of a run that is allocated tensor by tensor, when the engine asks for it.
#![expect(unsafe_code, reason = "hands out addresses that the engine writes to")]

use std::cell::RefCell;
use std::ptr::NonNull;

use millpond_device::{AddressRange, GpuAccess, Writing};
use millpond_engine::RunMemory;

use super::memory::{Trace, pointer};
use super::plan::Traced;
use super::site::Site;
use super::source::{Block, BlockSource};
use crate::error::Error;
use crate::memory::Operand;
use crate::shared::Shared;
use crate::stream::Motion;
use crate::virtual_memory::Keep;

/// A piece that was asked for.
#[derive(Debug)]
struct Chunk<'a> {
    start: NonNull<u8>,
    bytes: usize,
    block: Block,
    /// What keeps it mapped.
    kept: Option<Keep<'a>>,
    /// The engine has given it back.
    idle: bool,
}

/// Asks for every piece when the engine does, and takes notes.
///
/// A piece that is the program's goes back when all is done and the run has its place in the stream. Until then the next
/// request that it fits gets it, and where the allocator has no more, what is idle goes back early.
///
/// On a GPU, kernels may still use a piece after the engine has freed it, so no piece, whoever owns it, goes back to its source
/// while the GPU works: before one goes back early, the run waits for the GPU. Native work may run while user code runs, because
/// nothing of the run is under way then.
#[derive(Debug)]
pub(super) struct Piecewise<'a> {
    site: &'a Site,
    /// Keeps native work out during a run on a GPU.
    writing: RefCell<Option<Writing<'a>>>,
    source: &'a BlockSource<'a>,
    shared: &'a Shared,
    given: RefCell<Vec<Chunk<'a>>>,
    trace: RefCell<Trace>,
    refusal: RefCell<Option<Box<Error>>>,
}

/// An idle piece serves requests of at least one part in so many of its bytes.
const WASTE: usize = 2;

impl<'a> Piecewise<'a> {
    pub(super) fn new(site: &'a Site, source: &'a BlockSource<'a>, shared: &'a Shared) -> Self {
        Self {
            site,
            writing: RefCell::default(),
            source,
            shared,
            given: RefCell::default(),
            trace: RefCell::default(),
            refusal: RefCell::default(),
        }
    }

    /// A run begins: notes of an earlier one are worth nothing, and what that one had is idle.
    pub(super) fn begin(&self) {
        self.trace.replace(Trace::default());
        self.refusal.replace(None);
        for piece in &mut *self.given.borrow_mut() {
            piece.idle = true;
        }
        self.writing
            .replace(self.site.access().map(GpuAccess::writing));
    }

    /// Ends a run whose results are at their destinations.
    pub(super) fn end(&self) {
        self.writing.replace(None);
    }

    /// What the engine asks for beside its outputs, which are at these addresses.
    pub(super) fn traced(&self, outputs: &[usize]) -> Vec<Traced> {
        self.trace.borrow().without(outputs)
    }

    /// Bytes of all requests that were served.
    pub(super) fn asked(&self) -> u64 {
        self.trace.borrow().asked()
    }

    /// How many pieces the engine has not freed.
    pub(super) fn left(&self) -> usize {
        let given = self.given.borrow();
        given.iter().filter(|piece| !piece.idle).count()
    }

    /// Why a request was refused.
    pub(super) fn refusal(&self) -> Option<Box<Error>> {
        self.refusal.borrow_mut().take()
    }

    /// Memory of the program that did not go back yet.
    pub(super) fn held(&self) -> Vec<Operand> {
        let given = self.given.borrow();
        let held = given.iter().filter(|_| self.source.is_registered());
        held.map(|piece| piece.block.operand).collect()
    }

    /// An idle piece that a request fits, the smallest.
    fn again(&self, bytes: usize) -> Option<NonNull<u8>> {
        let mut given = self.given.borrow_mut();
        let fits = |piece: &&mut Chunk<'_>| {
            piece.idle && piece.bytes >= bytes && piece.bytes / WASTE <= bytes
        };
        let piece = given.iter_mut().filter(fits).min_by_key(|it| it.bytes)?;
        piece.idle = false;
        Some(piece.start)
    }

    /// Gives back what the engine does not use.
    fn give_back(&self) -> bool {
        if let Some(access) = self.site.access()
            && access.synchronize().is_err()
        {
            return false;
        }
        let mut given = self.given.borrow_mut();
        let idle: Vec<_> = given.extract_if(.., |piece| piece.idle).collect();
        // User code follows: nothing of ours is held.
        drop(given);
        let some = !idle.is_empty();
        for Chunk { block, kept, .. } in idle {
            drop(kept);
            self.source.free(block);
        }
        some
    }

    fn ask(&self, bytes: usize) -> Result<NonNull<u8>, Box<Error>> {
        let user_code = self.source.is_registered();
        let Some(access) = self.site.access().filter(|_| user_code) else {
            return self.ask_source(bytes);
        };
        access.synchronize().map_err(Error::Device)?;
        self.writing.replace(None);
        let asked = self.ask_source(bytes);
        self.writing.replace(Some(access.writing_again()));
        asked
    }

    /// Where the engine finds a block.
    fn place_of(&self, block: &Block) -> Option<NonNull<u8>> {
        let place = block.operand.kernel;
        match self.site.access() {
            None => pointer(place),
            Some(access) => {
                let range = AddressRange::new(place, block.operand.range.bytes);
                pointer(access.address_of(range)?)
            }
        }
    }

    fn ask_source(&self, bytes: usize) -> Result<NonNull<u8>, Box<Error>> {
        let ask = || self.source.alloc(self.shared, self.site, bytes as u64);
        let block = match ask() {
            Err(_) if self.give_back() => ask()?,
            asked => asked?,
        };
        // Mappings cannot go while they are written to.
        let motion = Motion::Fill {
            to: block.operand,
            value: 0,
        };
        let kept = self
            .source
            .catch_up()
            .and_then(|()| self.shared.keep(&motion));
        let start = self.place_of(&block);
        match (kept, start) {
            (Ok(kept), Some(start)) => {
                self.given.borrow_mut().push(Chunk {
                    start,
                    bytes,
                    block,
                    kept,
                    idle: false,
                });
                Ok(start)
            }
            (kept, _) => {
                self.source.free(block);
                let nowhere = Error::BadSize {
                    requested: bytes as u64,
                };
                Err(kept.err().unwrap_or_else(|| nowhere.into()))
            }
        }
    }
}

// SAFETY: every answer is a block of its own, checked to be live, or one that the engine has given back.
unsafe impl RunMemory for Piecewise<'_> {
    fn alloc(&self, bytes: usize) -> Option<NonNull<u8>> {
        let piece = self.again(bytes).map_or_else(|| self.ask(bytes), Ok);
        match piece {
            Ok(start) => {
                self.trace.borrow_mut().alloc(bytes, start.as_ptr().addr());
                Some(start)
            }
            Err(error) => {
                self.refusal.borrow_mut().get_or_insert(error);
                None
            }
        }
    }

    fn free(&self, start: NonNull<u8>) -> bool {
        let mut given = self.given.borrow_mut();
        let mine = |piece: &Chunk<'_>| piece.start == start && !piece.idle;
        let Some(at) = given.iter().position(mine) else {
            return false;
        };
        self.trace.borrow_mut().free(start.as_ptr().addr());
        if self.source.is_registered() || self.site.access().is_some() {
            given[at].idle = true;
            return true;
        }
        let Chunk { block, kept, .. } = given.swap_remove(at);
        drop(given);
        drop(kept);
        self.source.free(block);
        true
    }
}

impl Drop for Piecewise<'_> {
    fn drop(&mut self) {
        self.end();
        // What the engine did not give back is none of its any more.
        for Chunk { block, kept, .. } in self.given.take() {
            drop(kept);
            self.source.free(block);
        }
    }
}
