//! Addresses that programs reserve, where GPUs are among the devices.
//!
//! ```text
//!   addresses that programs hold        where work names bytes            the GPU's addresses
//!   ┌──────────────────────────┐        ┌──────┬──────┬───────┐          ┌──────┬──────┬───────┐
//!   │ window                   │─ + D ─▶│ A′   │ B    │       │─ places ▶│ A    │      │       │
//!   └──────────────────────────┘        └──┼───┴──┼───┴───────┘          └──┼───┴──────┴───────┘
//!                                          ▼      ▼                         ▼
//!                                       mirrors  pieces of this machine   handles of the driver, one for a piece of our own
//! ```
//!
//! Windows are the machine's, as on devices of its own memory, so a program may touch pieces of the machine wherever they
//! are mapped. A piece of a GPU has two sides. Its handle is mapped in a range of the GPU's addresses that is as long as the
//! window, so that neighbours are one range for copies. Its *mirror* is mapped where work names its bytes; it is empty until
//! bytes are brought (`staging.rs`). All places of a piece show one mirror, as they show one handle. A piece of another
//! process has several handles, one for each page of its owner's device.
//!
//! What must always hold:
//! - The driver's side of a mapping is made first and ended first. While it is there, so is its place in [`Cuda`].
//! - A call that fails changes nothing, and can be made again. What has ended by then is noted.
//! - A program never touches a GPU's memory: showing it is refused.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use millpond_cuda::{Driver, Error, Handle};
use parking_lot::Mutex;

use super::system::{Cuda, Gpu};
use crate::mapping::SparseFile;
use crate::virtual_memory::{Offsets, file_of_pieces};
use crate::{
    AddressRange, AddressSpace, DeviceError, FilePart, HUGE_PAGE, Home, HostAddressSpace, Keeper,
    PagesOf, PieceId, SharedPages, Window,
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
    /// Addresses of the GPU where something was cleared, and whether it is still mapped: what the driver refused to take back.
    left: Vec<(AddressRange, bool)>,
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
    /// What it is made of, with the bytes of each. Those that the driver has taken back are gone.
    handles: Vec<(Handle, u64)>,
    bytes: u64,
    /// Where its mirror is in the file.
    offset: u64,
    /// Whether its bytes are zeros or the program's. What the driver gives may have bytes of others.
    cleared: bool,
    /// Of memory of another process.
    #[expect(dead_code, reason = "dropped with the piece")]
    keep: Option<Keeper>,
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
                left: Vec::new(),
            }),
        })
    }

    fn driver(&self) -> &Driver {
        self.cuda.driver()
    }

    /// A piece of handles that the driver has given out. It takes them over, also if this fails.
    fn add(
        &self,
        gpu: &Arc<Gpu>,
        handles: Vec<(Handle, u64)>,
        keep: Option<Keeper>,
    ) -> Result<PieceId, DeviceError> {
        let bytes = handles.iter().map(|(_, bytes)| bytes).sum();
        let mut state = self.state.lock();
        let taken = state.offsets.take(bytes, HUGE_PAGE);
        let mirror = match taken {
            Some(offset) => self
                .mirror(offset, bytes)
                .map(|mirror| (mirror, offset))
                .inspect_err(|_| state.offsets.give(offset, bytes)),
            None => Err(DeviceError::System {
                call: "ftruncate",
                error: format!("no room for {bytes} bytes in the file of mirrors"),
            }),
        };
        let (mirror, offset) = mirror.inspect_err(|_| self.release_all(&handles))?;
        let piece = GpuPiece {
            gpu: Arc::clone(gpu),
            handles,
            bytes,
            offset,
            cleared: keep.is_some(),
            keep,
        };
        state.pieces.insert(mirror, piece);
        Ok(mirror)
    }

    fn mirror(&self, offset: u64, bytes: u64) -> Result<PieceId, DeviceError> {
        let pages = SharedPages {
            source: PagesOf::File(self.mirrors.duplicate()?),
            parts: vec![FilePart { offset, bytes }],
        };
        let (mirror, _) = self.host.adopt(pages, Box::new(()))?;
        Ok(mirror)
    }

    fn release_all(&self, handles: &[(Handle, u64)]) {
        for (handle, _) in handles {
            drop(self.driver().release(*handle));
        }
    }

    /// The handles that descriptors of another process stand for.
    fn import(
        &self,
        gpu: &Gpu,
        descriptors: &[OwnedFd],
        parts: &[FilePart],
    ) -> Result<Vec<(Handle, u64)>, DeviceError> {
        let _entered = gpu.enter()?;
        let mut handles = Vec::new();
        for (descriptor, part) in descriptors.iter().zip(parts) {
            let handle = self.driver().import(descriptor.as_fd());
            let handle = handle.inspect_err(|_| self.release_all(&handles))?;
            handles.push((handle, part.bytes));
        }
        Ok(handles)
    }

    /// Maps a piece of a GPU at addresses of the GPU where nothing is mapped.
    fn map_there(&self, piece: &mut GpuPiece, there: AddressRange) -> Result<(), DeviceError> {
        let (driver, device) = (self.driver(), piece.gpu.physical.device);
        let mut end = there.start;
        let mapped = piece.handles.iter().try_for_each(|(handle, bytes)| {
            driver.map(end, *bytes, *handle)?;
            end += bytes;
            Ok(())
        });
        let opened = mapped
            .and_then(|()| driver.set_access(there.start, there.bytes, &[device]))
            .and_then(|()| piece.clear(there));
        opened.map_err(|cause| {
            if end > there.start {
                drop(driver.unmap(there.start, end - there.start));
            }
            piece.gpu.refused(there.bytes, cause)
        })
    }

    /// Clears a piece that was never mapped, before others see it.
    fn clear_apart(&self, state: &mut State, piece: PieceId) -> Result<(), DeviceError> {
        let known = state.pieces.get_mut(&piece).expect("a piece of a GPU");
        if known.cleared {
            return Ok(());
        }
        let start = self
            .driver()
            .reserve(known.bytes, known.gpu.granularity(), 0)?;
        let there = AddressRange::new(start, known.bytes);
        let cleared = self.map_there(known, there);
        state.left.push((there, cleared.is_ok()));
        self.tidy(state);
        cleared
    }

    /// Takes back what clearing has left.
    fn tidy(&self, state: &mut State) {
        let driver = self.driver();
        state.left.retain_mut(|(there, mapped)| {
            *mapped = *mapped && driver.unmap(there.start, there.bytes).is_err();
            *mapped || driver.address_free(there.start, there.bytes).is_err()
        });
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
            Home::Gpu(index) => {
                let gpu = self.cuda.gpu(index)?;
                let handle = self.driver().create(bytes, gpu.physical);
                let handle = handle.map_err(|cause| gpu.refused(bytes, cause))?;
                self.add(&gpu, vec![(handle, bytes)], None)
            }
        }
    }

    fn share(&self, piece: PieceId) -> Result<SharedPages, DeviceError> {
        let mut state = self.state.lock();
        if !state.pieces.contains_key(&piece) {
            return self.host.share(piece);
        }
        self.clear_apart(&mut state, piece)?;
        let known = &state.pieces[&piece];
        known.gpu.share(known.handles.iter().copied())
    }

    fn adopt(&self, pages: SharedPages, keep: Keeper) -> Result<(PieceId, Home), DeviceError> {
        let PagesOf::Gpu { bus, handles } = &pages.source else {
            return self.host.adopt(pages, keep);
        };
        let gpu = self.cuda.gpu_at(bus)?;
        let unit = gpu.granularity();
        let whole = |part: &FilePart| part.bytes > 0 && part.bytes.is_multiple_of(unit);
        let known = pages.bytes().is_some_and(|bytes| bytes > 0);
        if !known || handles.len() != pages.parts.len() || !pages.parts.iter().all(whole) {
            return Err(DeviceError::System {
                call: "cuMemImportFromShareableHandle",
                error: "the shared memory is not whole handles of a GPU".to_owned(),
            });
        }
        let handles = self.import(&gpu, handles, &pages.parts)?;
        let piece = self.add(&gpu, handles, Some(keep))?;
        Ok((piece, Home::Gpu(gpu.index())))
    }

    fn destroy(&self, piece: PieceId) -> Result<(), DeviceError> {
        let mut state = self.state.lock();
        let Some(known) = state.pieces.get_mut(&piece) else {
            // Without the lock: dropping pages of another process notifies it.
            drop(state);
            return self.host.destroy(piece);
        };
        while let Some((handle, _)) = known.handles.last() {
            self.driver().release(*handle)?;
            known.handles.pop();
        }
        self.tidy(&mut state);
        let known = &state.pieces[&piece];
        let (offset, bytes) = (known.offset, known.bytes);
        // Where the program has closed the descriptor, the mirror's pages stay, and no other piece gets them.
        if self.mirrors.is_there() {
            self.mirrors.punch(offset, bytes)?;
            state.offsets.give(offset, bytes);
        }
        let gone = state.pieces.remove(&piece);
        drop(state);
        // As above.
        drop(gone);
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
        for (handle, _) in state.pieces.values().flat_map(|piece| &piece.handles) {
            drop(driver.release(*handle));
        }
        for (there, mapped) in &state.left {
            if *mapped {
                drop(driver.unmap(there.start, there.bytes));
            }
            drop(driver.address_free(there.start, there.bytes));
        }
        for there in state.windows.values().filter_map(|window| window.there) {
            drop(driver.address_free(there.start, there.bytes));
        }
    }
}
