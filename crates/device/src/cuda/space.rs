//! Addresses that programs reserve, where GPUs are among the devices.
//!
//! ```text
//!   addresses that programs hold        where work names bytes            the GPU's addresses
//!   ┌──────────────────────────┐        ┌──────┬──────┬───────┐          ┌──────┬──────┬───────┐
//!   │ window                   │─ + D ─▶│ A′   │ B    │       │─ places ▶│ A    │      │       │
//!   └──────────────────────────┘        └──┼───┴──┼───┴───────┘          └──┼───┴──────┴───────┘
//!                                          ▼      ▼                         ▼
//!                                       mirrors  pieces of this machine   one handle of the driver per piece
//! ```
//!
//! Windows are the machine's, as on devices of its own memory, so a program may touch pieces of the machine wherever they
//! are mapped. A piece of a GPU has two sides. Its handle is mapped in a range of the GPU's addresses that is as long as the
//! window, so that neighbours are one range for copies. Its *mirror* is mapped where work names its bytes; it is empty until
//! bytes are brought (`staging.rs`). All places of a piece show one mirror, as they show one handle.
//!
//! What must always hold:
//! - The driver's side of a mapping is made first and ended first. While it is there, so is its place in [`Cuda`].
//! - A call that fails changes nothing, and can be made again. What has ended by then is noted.
//! - A program never touches a GPU's memory: showing it is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use millpond_cuda::{Driver, Error, Handle};
use parking_lot::Mutex;

use super::system::{Cuda, Gpu};
use crate::mapping::SparseFile;
use crate::virtual_memory::{Offsets, file_of_pieces};
use crate::{
    AddressRange, AddressSpace, DeviceError, FilePart, HUGE_PAGE, Home, HostAddressSpace, Keeper,
    PieceId, SharedPages, Window,
};

/// Windows, pieces of this machine and pieces of GPUs. See the module's picture.
#[derive(Debug)]
pub struct CudaAddressSpace {
    host: HostAddressSpace,
    cuda: Arc<Cuda>,
    /// What mirrors are in.
    mirrors: SparseFile,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    windows: BTreeMap<u64, GpuWindow>,
    /// Pieces of GPUs, by the names of their mirrors.
    pieces: BTreeMap<PieceId, GpuPiece>,
    /// Where they are mapped.
    mapped: BTreeMap<u64, Mapped>,
    offsets: Offsets,
}

/// A window, and the range of the GPU's addresses that belongs to it once something of a GPU was mapped there.
#[derive(Debug)]
struct GpuWindow {
    range: AddressRange,
    there: Option<AddressRange>,
}

#[derive(Debug)]
struct GpuPiece {
    gpu: Arc<Gpu>,
    /// `None` once the driver has taken it back.
    handle: Option<Handle>,
    bytes: u64,
    /// Where its mirror is in the file.
    offset: u64,
    /// Whether its bytes are zeros or the program's. What the driver gives may have bytes of others.
    cleared: bool,
}

#[derive(Debug)]
struct Mapped {
    piece: PieceId,
    /// `None` once the driver has unmapped it.
    there: Option<AddressRange>,
}

impl CudaAddressSpace {
    /// Nothing is reserved afterwards. Windows and the machine's pieces are those of `host`.
    pub fn new(host: HostAddressSpace, cuda: &Arc<Cuda>) -> Result<Self, DeviceError> {
        let mirrors = file_of_pieces()?;
        let offsets = Offsets::new(mirrors.bytes);
        Ok(Self {
            host,
            cuda: Arc::clone(cuda),
            mirrors,
            state: Mutex::new(State {
                windows: BTreeMap::new(),
                pieces: BTreeMap::new(),
                mapped: BTreeMap::new(),
                offsets,
            }),
        })
    }

    fn driver(&self) -> &Driver {
        self.cuda.driver()
    }

    fn create_on(&self, gpu: Arc<Gpu>, bytes: u64) -> Result<PieceId, DeviceError> {
        let mut state = self.state.lock();
        let taken = state.offsets.take(bytes, HUGE_PAGE);
        let offset = taken.ok_or_else(|| DeviceError::System {
            call: "ftruncate",
            error: format!("no room for {bytes} bytes in the file of mirrors"),
        })?;
        let made = self.make(&gpu, bytes, offset);
        let (mirror, handle) = made.inspect_err(|_| state.offsets.give(offset, bytes))?;
        let piece = GpuPiece {
            gpu,
            handle: Some(handle),
            bytes,
            offset,
            cleared: false,
        };
        state.pieces.insert(mirror, piece);
        Ok(mirror)
    }

    /// Makes the mirror of a piece, and its memory.
    fn make(&self, gpu: &Gpu, bytes: u64, offset: u64) -> Result<(PieceId, Handle), DeviceError> {
        let pages = SharedPages {
            file: self.mirrors.duplicate()?,
            parts: vec![FilePart { offset, bytes }],
        };
        let mirror = self.host.adopt(pages, Box::new(()))?;
        let handle = gpu.driver().create(bytes, gpu.physical);
        let handle = handle.map_err(|cause| {
            // Ending a piece of foreign pages cannot fail.
            drop(self.host.destroy(mirror));
            gpu.refused(bytes, cause)
        })?;
        Ok((mirror, handle))
    }

    /// Maps a piece of a GPU at addresses of the GPU where nothing is mapped.
    fn map_there(&self, piece: &mut GpuPiece, there: AddressRange) -> Result<(), DeviceError> {
        let driver = self.driver();
        let handle = piece.handle.expect("a piece that is there");
        let gpu = Arc::clone(&piece.gpu);
        let mapped = driver.map(there.start, there.bytes, handle);
        mapped.map_err(|cause| gpu.refused(there.bytes, cause))?;
        let opened = driver
            .set_access(there.start, there.bytes, &[gpu.physical.device])
            .and_then(|()| piece.clear(there));
        opened.map_err(|cause| {
            drop(driver.unmap(there.start, there.bytes));
            gpu.refused(there.bytes, cause)
        })
    }
}

impl GpuPiece {
    /// Sets the bytes of a piece that nobody has used yet to zero.
    fn clear(&mut self, there: AddressRange) -> Result<(), Error> {
        if !self.cleared {
            self.gpu.clear(there)?;
            self.cleared = true;
        }
        Ok(())
    }
}

impl State {
    fn window(&mut self, address: u64) -> &mut GpuWindow {
        let found = self.windows.range_mut(..=address).next_back();
        found
            .map(|(_, window)| window)
            .filter(|window| window.range.contains(address))
            .expect("an address of a window")
    }

    /// The GPU whose memory is mapped at an address, as a sentence that refuses to show it.
    fn untouchable(&self, piece: PieceId) -> Option<DeviceError> {
        let piece = self.pieces.get(&piece)?;
        Some(DeviceError::NotOffered {
            what: format!(
                "the memory is that of {}, which the program cannot touch: copy it to host memory, or use managed \
                 memory (aclrtMemAllocManaged)",
                piece.gpu.describe()
            ),
        })
    }
}

impl GpuWindow {
    /// The range of the GPU's addresses for the window, reserved if it is not reserved yet.
    fn reserve(&mut self, driver: &Driver, gpu: &Gpu) -> Result<AddressRange, Error> {
        if let Some(there) = self.there {
            return Ok(there);
        }
        let unit = gpu.granularity().max(HUGE_PAGE);
        let bytes = self.range.bytes.next_multiple_of(unit);
        let there = AddressRange::new(driver.reserve(bytes, unit, 0)?, bytes);
        self.there = Some(there);
        Ok(there)
    }
}

impl AddressSpace for CudaAddressSpace {
    fn granularity(&self, home: Home) -> u64 {
        match home {
            Home::Machine => self.host.granularity(home),
            // Where the GPU cannot be opened, making a piece says why.
            Home::Gpu(index) => self
                .cuda
                .gpu(index)
                .map_or(HUGE_PAGE, |gpu| gpu.granularity()),
        }
    }

    fn reserve(&self, bytes: u64, wanted: Option<u64>) -> Result<Window, DeviceError> {
        let mut state = self.state.lock();
        let window = self.host.reserve(bytes, wanted)?;
        let range = window.range;
        let there = None;
        state
            .windows
            .insert(range.start, GpuWindow { range, there });
        Ok(window)
    }

    fn release(&self, start: u64) -> Result<(), DeviceError> {
        let mut state = self.state.lock();
        let window = state.window(start);
        if let Some(there) = window.there {
            self.driver().address_free(there.start, there.bytes)?;
            window.there = None;
        }
        self.host.release(start)?;
        state.windows.remove(&start);
        Ok(())
    }

    fn create(&self, bytes: u64, home: Home) -> Result<PieceId, DeviceError> {
        match home {
            Home::Machine => self.host.create(bytes, home),
            Home::Gpu(index) => self.create_on(self.cuda.gpu(index)?, bytes),
        }
    }

    fn share(&self, piece: PieceId) -> Result<SharedPages, DeviceError> {
        let state = self.state.lock();
        if let Some(known) = state.pieces.get(&piece) {
            return Err(DeviceError::NotOffered {
                what: format!(
                    "{} bytes of physical memory are those of {}, which is not shared with other processes: allocate \
                     them on a device of this machine's memory (MILLPOND_DEVICE=host)",
                    known.bytes,
                    known.gpu.describe()
                ),
            });
        }
        self.host.share(piece)
    }

    fn adopt(&self, pages: SharedPages, keep: Keeper) -> Result<PieceId, DeviceError> {
        self.host.adopt(pages, keep)
    }

    fn destroy(&self, piece: PieceId) -> Result<(), DeviceError> {
        let mut state = self.state.lock();
        let Some(known) = state.pieces.get_mut(&piece) else {
            // Without the lock: dropping pages of another process notifies it.
            drop(state);
            return self.host.destroy(piece);
        };
        if let Some(handle) = known.handle {
            self.driver().release(handle)?;
            known.handle = None;
        }
        let (offset, bytes) = (known.offset, known.bytes);
        // Where the program has closed the descriptor, the mirror's pages stay, and no other piece gets them.
        if self.mirrors.is_there() {
            self.mirrors.punch(offset, bytes)?;
            state.offsets.give(offset, bytes);
        }
        state.pieces.remove(&piece);
        self.host.destroy(piece)
    }

    fn map(&self, piece: PieceId, at: u64, shown: bool) -> Result<(), DeviceError> {
        let mut state = self.state.lock();
        if shown && let Some(refusal) = state.untouchable(piece) {
            return Err(refusal);
        }
        let State {
            windows, pieces, ..
        } = &mut *state;
        let Some(known) = pieces.get_mut(&piece) else {
            return self.host.map(piece, at, shown);
        };
        let window = windows.range_mut(..=at).next_back();
        let (_, window) = window.expect("an address of a window");
        let base = window.reserve(self.driver(), &known.gpu)?;
        let there = AddressRange::new(base.start + (at - window.range.start), known.bytes);
        self.map_there(known, there)?;
        if let Err(error) = self.host.map(piece, at, false) {
            // Nothing is lost if this fails too: nobody can name what stays there.
            drop(self.driver().unmap(there.start, there.bytes));
            return Err(error);
        }
        let (mirror, here) = self.host.place_of(at);
        // Pages of a file stay until they are removed from it.
        let shared = (&mirror, libc::MADV_REMOVE);
        self.cuda.add_place(here, shared, (&known.gpu, there.start));
        let there = Some(there);
        state.mapped.insert(at, Mapped { piece, there });
        Ok(())
    }

    fn show(&self, at: u64) -> Result<(), DeviceError> {
        let state = self.state.lock();
        match state.mapped.get(&at) {
            Some(mapped) => state.untouchable(mapped.piece).map_or(Ok(()), Err),
            None => self.host.show(at),
        }
    }

    fn hide(&self, at: u64) -> Result<(), DeviceError> {
        self.host.hide(at)
    }

    fn unmap(&self, at: u64) -> Result<(), DeviceError> {
        let mut state = self.state.lock();
        let Some(mapped) = state.mapped.get_mut(&at) else {
            return self.host.unmap(at);
        };
        if let Some(there) = mapped.there {
            self.driver().unmap(there.start, there.bytes)?;
            mapped.there = None;
            self.cuda.remove_place(self.host.place_of(at).1.start);
        }
        self.host.unmap(at)?;
        state.mapped.remove(&at);
        Ok(())
    }
}

impl Drop for CudaAddressSpace {
    /// Unmaps and releases everything. Where the driver ends with the process, it does so itself.
    fn drop(&mut self) {
        let driver = self.cuda.driver();
        let state = self.state.get_mut();
        let mut gone = false;
        for (at, mapped) in &state.mapped {
            let Some(there) = mapped.there else { continue };
            self.cuda.remove_place(self.host.place_of(*at).1.start);
            let unmapped = if gone {
                Ok(())
            } else {
                driver.unmap(there.start, there.bytes)
            };
            gone |= unmapped.is_err_and(|error| error.is_gone());
        }
        if gone {
            return;
        }
        for handle in state.pieces.values().filter_map(|piece| piece.handle) {
            drop(driver.release(handle));
        }
        for there in state.windows.values().filter_map(|window| window.there) {
            drop(driver.address_free(there.start, there.bytes));
        }
    }
}
