//! Where a model computes: on this machine, or on the GPU that has the stream's memory.
//!
//! A model is loaded for this machine first; that session knows its inputs and outputs, and computes wherever a GPU does not. If ONNX
//! Runtime is a build for GPUs, the first run on a GPU's device makes a second session, which computes there. A run uses it if
//! all memory that it was given is memory of that GPU. Everything else is staged (`staging.rs`), as is everything if the
//! session cannot be made; the reason is kept.
//!
//! What always holds for a run on a GPU:
//! - The engine gets addresses of the GPU only, apart from inputs that the program gave by value, and never those of a mirror.
//! - Its memory is the GPU's. What it frees goes to nobody else before the run is over, because kernels may still use it.
//! - If a kernel keeps memory after a run, that memory would belong to somebody else in its next run: such a session is not used
//!   again.
//! - It is over when the engine returns. If it failed, it is over after a wait for all work on the GPU.
//! - While kernels may write outputs, native work is kept out: see [`GpuAccess::writing`].
#![expect(unsafe_code, reason = "writes to memory of a GPU by address")]

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use millpond_device::{AddressRange, GpuAccess};
use millpond_engine::{Engine, Gpu, GpuHeap, Place, Scratch, Session, SessionOptions, Tensor};

use super::argument::{Argument, Data, Destination, Output};
use super::memory::pointer;
use super::model::ModelCore;
use super::model_file::ModelFile;
use super::places::{self, GpuPlaces};
use super::plan::{self, Plans, bytes_of};
use crate::lock::{Mutex, rank};
use crate::shared::{DeviceCore, Shared};

/// Where one run computes.
#[derive(Debug, Clone)]
pub(super) enum Site {
    /// On this machine.
    Host,
    /// On a GPU.
    Gpu(Arc<GpuSession>),
}

impl Site {
    pub(super) fn gpu(&self) -> Option<&GpuSession> {
        match self {
            Self::Host => None,
            Self::Gpu(session) => Some(session),
        }
    }

    pub(super) fn access(&self) -> Option<&GpuAccess> {
        self.gpu().map(|session| &session.access)
    }

    /// The address and the size of each piece of memory are multiples of this.
    pub(super) fn alignment(&self) -> u64 {
        match self {
            Self::Host => plan::ALIGNMENT,
            // As for CUDA's own allocations: libraries choose kernels by alignment.
            Self::Gpu(_) => plan::GPU_ALIGNMENT,
        }
    }

    /// A tensor of planned dimensions, at the address that the engine uses. One without elements needs no address. `by_value`: inputs
    /// that were copied when the run was made.
    pub(super) fn tensor<'a>(
        &self,
        (&place, planned): (&u64, &'a plan::Planned),
        by_value: Option<&Scratch>,
    ) -> Option<Tensor<'a>> {
        let whole = |place, start| Tensor {
            place,
            start,
            bytes: usize::try_from(planned.bytes).unwrap_or(0),
            dims: &planned.dims,
        };
        // Inputs by value may have an address without any byte, behind those of the others.
        let Some(start) = pointer(place).filter(|_| planned.bytes > 0) else {
            return Some(whole(self.place(), NonNull::dangling()));
        };
        let Some(access) = self.access() else {
            return Some(whole(Place::Host, start));
        };
        if by_value.is_some_and(|scratch| scratch.contains(start.as_ptr().addr())) {
            return Some(whole(Place::Host, start));
        }
        let there = access.address_of(AddressRange::new(place, planned.bytes))?;
        Some(whole(Place::Gpu, pointer(there)?))
    }

    pub(super) fn place(&self) -> Place {
        match self {
            Self::Host => Place::Host,
            Self::Gpu(_) => Place::Gpu,
        }
    }

    /// Whether its session must not run again: see [`Site::over`].
    pub(super) fn keeps(&self) -> bool {
        self.gpu().is_some_and(GpuSession::keeps)
    }

    /// Called when a run is over: the engine has not freed `left` pieces of its memory.
    pub(super) fn over(&self, left: usize) {
        if let Self::Gpu(session) = self
            && left > 0
        {
            session.keeps.store(true, Ordering::Relaxed);
        }
    }

    /// A piece of memory that belongs to no device; `None` if there is no more.
    pub(super) fn spare(&self, bytes: usize) -> Option<Spare> {
        Some(match self {
            Self::Host => Spare::Host(Scratch::new(bytes)?),
            Self::Gpu(session) => Spare::Gpu(OnGpu::new(&session.access, bytes)?),
        })
    }

    /// The same, filled with a repeated pattern.
    pub(super) fn filled(&self, bytes: usize, pattern: &[u8]) -> Option<Spare> {
        let Self::Gpu(session) = self else {
            return Some(Spare::Host(Scratch::filled(bytes, pattern)?));
        };
        let there = OnGpu::new(&session.access, bytes)?;
        // A GPU may have more memory than this machine.
        let part = PART.next_multiple_of(pattern.len().max(1)).min(bytes);
        let contents: Vec<u8> = pattern.iter().copied().cycle().take(part).collect();
        let start = there.start.as_ptr().addr();
        for at in (0..bytes).step_by(part.max(1)) {
            let contents = &contents[..contents.len().min(bytes - at)];
            // SAFETY: allocated above with `bytes` bytes, and not shared yet.
            unsafe { session.access.write((start + at) as u64, contents) }.ok()?;
        }
        Some(Spare::Gpu(there))
    }
}

/// Bytes that are written to a GPU at a time.
const PART: usize = 4 << 20;

/// A piece of memory that belongs to no device. Freed on drop, on a GPU after all work there.
#[derive(Debug)]
pub(super) enum Spare {
    Host(Scratch),
    Gpu(OnGpu),
}

impl Spare {
    pub(super) fn start(&self) -> NonNull<u8> {
        match self {
            Self::Host(scratch) => scratch.start(),
            Self::Gpu(there) => there.start,
        }
    }
}

/// Memory of a GPU's driver.
#[derive(Debug)]
pub(super) struct OnGpu {
    access: GpuAccess,
    start: NonNull<u8>,
}

impl OnGpu {
    fn new(access: &GpuAccess, bytes: usize) -> Option<Self> {
        let start = pointer(access.alloc((bytes as u64).max(1)).ok()?)?;
        Some(Self {
            access: access.clone(),
            start,
        })
    }
}

impl Drop for OnGpu {
    fn drop(&mut self) {
        // If the driver refuses, the process has lost the GPU.
        drop(self.access.free(self.start.as_ptr().addr() as u64));
    }
}

/// Memory for what sessions keep on a GPU: weights.
#[derive(Debug)]
struct Kept(GpuAccess);

impl GpuHeap for Kept {
    fn alloc(&self, bytes: usize) -> Option<NonNull<u8>> {
        pointer(self.0.alloc(bytes as u64).ok()?)
    }

    fn free(&self, start: NonNull<u8>) {
        // As for `OnGpu`.
        drop(self.0.free(start.as_ptr().addr() as u64));
    }
}

/// A session that computes on a GPU, with its plans.
#[derive(Debug)]
pub(super) struct GpuSession {
    /// `Some` until this is dropped.
    session: Option<Session>,
    pub(super) access: GpuAccess,
    pub(super) plans: Plans,
    /// A kernel kept memory after its run was over. That memory belongs to somebody else now, so the session must not run again.
    keeps: AtomicBool,
}

impl GpuSession {
    pub(super) fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    fn keeps(&self) -> bool {
        self.keeps.load(Ordering::Relaxed)
    }
}

impl Drop for GpuSession {
    fn drop(&mut self) {
        let mut session = self.session.take();
        if self.access.enter(|| drop(session.take())).is_err() {
            // The driver is gone, and what the session has there with it. Its destructor would still call the driver.
            let _left = ManuallyDrop::new(session);
        }
    }
}

/// Why a session is not used any more.
pub(super) const KEEPS: &str = "ONNX Runtime's CUDA provider kept memory of a run of this model";

/// The session of a model on a device.
#[derive(Debug, Default)]
enum Slot {
    /// No session was made, or it lost its place.
    #[default]
    Empty,
    /// It lives as long as it has a place on the GPU.
    Made(Weak<GpuSession>),
    /// None can be made, and why; it may be tried again.
    Refused(String, Option<Retry>),
}

/// When a session that could not be made is tried again: memory that it lacked may be free by then. An attempt takes time, so there are
/// twice as many runs before each one as before the last.
#[derive(Debug)]
struct Retry {
    runs: u64,
    left: u64,
}

/// Runs before the first one.
const FIRST_RETRY: u64 = 1000;

impl Default for Retry {
    fn default() -> Self {
        Self {
            runs: FIRST_RETRY,
            left: FIRST_RETRY,
        }
    }
}

impl Retry {
    /// A run begins: whether it is the one that tries again.
    fn is_due(&mut self) -> bool {
        self.left -= 1;
        if self.left > 0 {
            return false;
        }
        self.runs = self.runs.saturating_mul(2);
        self.left = self.runs;
        true
    }
}

/// Sessions on GPUs, made when they are first needed: one for each device.
#[derive(Debug)]
pub(super) struct GpuSessions {
    engine: &'static Engine,
    file: ModelFile,
    options: SessionOptions,
    places: Arc<GpuPlaces>,
    /// How many sessions a GPU may have.
    most: Option<usize>,
    made: Box<[Mutex<rank::GpuSlot, Slot>]>,
}

impl GpuSessions {
    /// `None` if nothing can compute on a GPU: the engine is no build for GPUs, or the configuration says so.
    pub(super) fn new(
        shared: &Shared,
        engine: &'static Engine,
        options: SessionOptions,
        file: impl FnOnce() -> ModelFile,
    ) -> Option<Self> {
        let config = &shared.config;
        if !config.cuda_operators || !config.has_gpus() || !engine.has_cuda() {
            return None;
        }
        let devices = config.visible_devices();
        Some(Self {
            engine,
            file: file(),
            options,
            places: Arc::clone(&shared.gpu_places),
            most: config.cuda_sessions,
            made: (0..devices).map(|_| Mutex::new(Slot::Empty)).collect(),
        })
    }

    /// The session on a device, made if there is room; otherwise why there is none. `None` if the device is no GPU.
    fn of(&self, device: &DeviceCore) -> Option<Result<Arc<GpuSession>, String>> {
        let access = device.device.gpu()?;
        let slot = self.made.get(device.index as usize)?;
        let found = match &mut *slot.lock() {
            Slot::Empty => None,
            Slot::Made(session) => session.upgrade(),
            Slot::Refused(reason, retry) => {
                if !retry.as_mut().is_some_and(Retry::is_due) {
                    return Some(Err(reason.clone()));
                }
                None
            }
        };
        if let Some(session) = found {
            if session.keeps() {
                *slot.lock() = Slot::Refused(KEEPS.to_owned(), None);
                self.places.remove(&session);
                return Some(Err(KEEPS.to_owned()));
            }
            self.places.used(&session);
            return Some(Ok(session));
        }
        let most = self.most.unwrap_or_else(|| places::most_on(access.total()));
        if !self.places.make_room(access.index(), most) {
            return Some(Err(format!(
                "recent runs of other models and operators used all {most} sessions on GPU {}; \
                 MILLPOND_CUDA_SESSIONS sets their number",
                access.index()
            )));
        }
        let made = self.make(&access).or_else(|error| {
            // The weights may fit once the pool has returned its idle pages.
            match device.store.trim() {
                Ok(bytes) if bytes > 0 => self.make(&access),
                _ => Err(error),
            }
        });
        let session = match made {
            Ok(session) => Arc::new(GpuSession {
                session: Some(session),
                access,
                plans: Plans::default(),
                keeps: AtomicBool::new(false),
            }),
            Err(error) => {
                let reason = format!(
                    "ONNX Runtime's CUDA provider cannot be used on GPU {}: {error}",
                    access.index()
                );
                return Some(slot.lock().refuse(reason));
            }
        };
        let mut held = slot.lock();
        if let Slot::Made(other) = &*held
            && let Some(other) = other.upgrade()
        {
            // Another thread was faster. The session made here ends when no lock is held.
            drop(held);
            return Some(Ok(other));
        }
        *held = Slot::Made(Arc::downgrade(&session));
        drop(held);
        self.places.add(Arc::clone(&session));
        Some(Ok(session))
    }

    fn make(&self, access: &GpuAccess) -> Result<Session, String> {
        let gpu = Gpu {
            index: access.index(),
            heap: Arc::new(Kept(access.clone())),
        };
        let make = || match &self.file {
            ModelFile::Bytes(bytes) => self.engine.session_on(Some(&gpu), bytes, self.options),
            ModelFile::Files(files) => {
                self.engine
                    .session_from_file_on(Some(&gpu), files.model(), self.options)
            }
        };
        // Before, so that the engine reads no pipe; and after, because it reads for a while.
        let unchanged = || match &self.file {
            ModelFile::Bytes(_) => Ok(()),
            ModelFile::Files(files) => files.check(),
        };
        unchanged()?;
        let made = access.enter(make).map_err(|error| error.to_string())?;
        let session = made.map_err(|error| {
            let text = error.to_string();
            // The text before it names places in the engine's sources.
            let sentence = text
                .rsplit_once(" : FAIL : ")
                .map_or(&*text, |(_, rest)| rest);
            sentence.trim().to_owned()
        })?;
        if let Err(changed) = unchanged() {
            // As when any session on a GPU ends.
            access
                .enter(|| drop(session))
                .map_err(|error| error.to_string())?;
            return Err(changed);
        }
        Ok(session)
    }
}

impl Drop for GpuSessions {
    fn drop(&mut self) {
        for slot in &self.made {
            let slot = std::mem::take(&mut *slot.lock());
            if let Slot::Made(session) = slot
                && let Some(session) = session.upgrade()
            {
                self.places.remove(&session);
            }
        }
    }
}

impl Slot {
    /// A session could not be made; another thread may have made one meanwhile.
    fn refuse(&mut self, reason: String) -> Result<Arc<GpuSession>, String> {
        match self {
            Self::Made(session) => {
                if let Some(session) = session.upgrade() {
                    return Ok(session);
                }
                *self = Self::Refused(reason.clone(), Some(Retry::default()));
            }
            Self::Empty => *self = Self::Refused(reason.clone(), Some(Retry::default())),
            Self::Refused(known, _) => known.clone_from(&reason),
        }
        Err(reason)
    }
}

impl ModelCore {
    /// Where runs on a device compute, if the memory that they are given allows it.
    pub(super) fn site_on(&self, device: &DeviceCore) -> Site {
        let made = self.gpus.as_ref().and_then(|gpus| gpus.of(device));
        match made {
            Some(Ok(session)) => Site::Gpu(session),
            Some(Err(_)) | None => Site::Host,
        }
    }

    /// Why runs on a device do not compute on its GPU; `None` if they do, or if no session was tried.
    pub(super) fn reason_on(&self, device: &DeviceCore) -> Option<String> {
        self.gpus.as_ref()?.of(device)?.err()
    }

    /// Where this run computes.
    pub(super) fn site(
        &self,
        shared: &Shared,
        device: &DeviceCore,
        inputs: &[Argument<'_>],
        outputs: &[Output<'_>],
    ) -> Site {
        if self.gpus.is_none() {
            return Site::Host;
        }
        let site = self.site_on(device);
        let Some(access) = site.access() else {
            return Site::Host;
        };
        let is_there = |address: u64, bytes: u64| {
            // An invalid range is reported where the call is checked.
            let found = shared
                .operand(address, bytes)
                .or_else(|_| shared.operand(address, 1));
            found.is_ok_and(|operand| {
                let range = AddressRange::new(operand.kernel, operand.range.bytes);
                access.address_of(range).is_some()
            })
        };
        let read = inputs.iter().all(|input| match input.data {
            Data::At { address, bytes } => {
                let needed = bytes_of(input.element, input.dims).unwrap_or(bytes);
                needed == 0 || is_there(address, needed)
            }
            Data::Host(_) => true,
        });
        let written = outputs.iter().all(|output| match output.destination {
            Destination::At { address, room } => room == 0 || is_there(address, room),
            Destination::New => true,
        });
        if read && written { site } else { Site::Host }
    }

    /// The plans for runs at a site.
    pub(super) fn plans_at<'s>(&'s self, site: &'s Site) -> &'s Plans {
        match site {
            Site::Host => &self.plans,
            Site::Gpu(session) => &session.plans,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_could_not_be_made_is_tried_again_ever_more_rarely() {
        let mut slot = Slot::default();
        assert!(slot.refuse("no memory".to_owned()).is_err());
        let mut due = Vec::new();
        for run in 1..=7 * FIRST_RETRY {
            let Slot::Refused(_, Some(retry)) = &mut slot else {
                panic!("{slot:?}");
            };
            if retry.is_due() {
                due.push(run / FIRST_RETRY);
                assert_eq!(slot.refuse(run.to_string()).unwrap_err(), run.to_string());
            }
        }
        assert_eq!(due, [1, 3, 7]);
        let Slot::Refused(reason, _) = slot else {
            panic!("{slot:?}");
        };
        assert_eq!(reason, "7000");
    }
}
