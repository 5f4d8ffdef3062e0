//! The driver, its GPUs, and which addresses are whose.
#![expect(unsafe_code, reason = "ends streams and contexts, clears new memory")]

use std::collections::BTreeMap;
use std::sync::Arc;

use millpond_cuda::{Context, Current, Driver, Error, Handle, Physical, Stream};
use parking_lot::{Mutex, RwLock};

use super::staging::Stage;
use crate::mapping::Mapping;
use crate::{AddressRange, DeviceError, FilePart, GpuShortage, PagesOf, SharedPages};

/// The driver and its GPUs: shared by all memories that one source opens.
#[derive(Debug)]
pub struct Cuda {
    driver: Arc<Driver>,
    gpus: Mutex<BTreeMap<u32, Arc<Gpu>>>,
    /// Every memory on a GPU, by where work names its first byte. Looked at by every copy.
    places: RwLock<BTreeMap<u64, Place>>,
    /// Where pages of pinned memory may be registered.
    pinned: RwLock<Vec<AddressRange>>,
    pub(super) stage: Stage,
}

/// One memory on a GPU: where work of this process names its bytes, which is a mirror, and where they are.
#[derive(Debug)]
struct Place {
    here: AddressRange,
    mirror: Arc<Mapping>,
    /// The advice that returns the pages of the mirror to the machine.
    emptied: libc::c_int,
    there: u64,
    gpu: Arc<Gpu>,
}

/// Bytes of a GPU: which one, and where.
pub(super) type Found = (Arc<Gpu>, u64);

impl Cuda {
    /// Opens the driver of this machine: see [`Driver::open`].
    pub fn open() -> Result<Arc<Self>, DeviceError> {
        Ok(Self::with(Driver::open()?))
    }

    /// The same with a driver that is open.
    pub fn with(driver: Arc<Driver>) -> Arc<Self> {
        Arc::new(Self {
            driver,
            gpus: Mutex::default(),
            places: RwLock::default(),
            pinned: RwLock::default(),
            stage: Stage::default(),
        })
    }

    /// How many GPUs there are.
    pub fn count(&self) -> Result<u32, DeviceError> {
        Ok(self.driver.device_count()?)
    }

    /// What a GPU is, for people.
    pub fn describe(&self, index: u32) -> Result<String, DeviceError> {
        Ok(self.gpu(index)?.describe())
    }

    /// Bytes of memory that a GPU has.
    pub fn total(&self, index: u32) -> Result<u64, DeviceError> {
        Ok(self.gpu(index)?.total())
    }

    /// The driver's functions.
    pub fn driver(&self) -> &Arc<Driver> {
        &self.driver
    }

    /// GPU number `index`, opened if it is not open yet.
    pub(super) fn gpu(&self, index: u32) -> Result<Arc<Gpu>, DeviceError> {
        let mut gpus = self.gpus.lock();
        if let Some(gpu) = gpus.get(&index) {
            return Ok(Arc::clone(gpu));
        }
        let gpu = Arc::new(Gpu::open(&self.driver, index)?);
        gpus.insert(index, Arc::clone(&gpu));
        Ok(gpu)
    }

    /// The GPU that is plugged in at a place.
    pub(super) fn gpu_at(&self, bus: &str) -> Result<Arc<Gpu>, DeviceError> {
        for index in 0..self.count()? {
            let device = self.driver.device(index)?;
            if self.driver.device_bus(device)? == bus {
                return self.gpu(index);
            }
        }
        Err(DeviceError::NotOffered {
            what: format!(
                "it is memory of the GPU at {bus}, which this process does not see: CUDA_VISIBLE_DEVICES has to name it"
            ),
        })
    }

    /// The GPU that has the memory at an address, as work names it, and the address that the GPU gives it; `None` for host memory.
    pub(super) fn of(&self, address: u64) -> Option<(Arc<Gpu>, u64)> {
        self.run(address, 1).0
    }

    /// The same for the first of `bytes` bytes, and how many of them follow it there.
    pub(super) fn run(&self, address: u64, bytes: u64) -> (Option<Found>, u64) {
        let places = self.places.read();
        let before = places.range(..=address).next_back();
        let around = before.filter(|(_, place)| place.here.contains(address));
        let Some((_, first)) = around else {
            let next = places.range(address..).next();
            let room = next.map_or(bytes, |(start, _)| bytes.min(start - address));
            return (None, room);
        };
        let there = first.there + (address - first.here.start);
        let mut end = first.here.end();
        while end - address < bytes {
            // Pieces that are mapped side by side are one range for the GPU, too.
            match places.get(&end) {
                Some(next)
                    if Arc::ptr_eq(&next.gpu, &first.gpu)
                        && next.there == there + (end - address) =>
                {
                    end = next.here.end();
                }
                _ => break,
            }
        }
        (
            Some((Arc::clone(&first.gpu), there)),
            bytes.min(end - address),
        )
    }

    /// A GPU that is open.
    pub(super) fn any(&self) -> Option<Arc<Gpu>> {
        self.gpus.lock().values().next().cloned()
    }

    pub(super) fn add_pinned(&self, range: AddressRange) {
        self.pinned.write().push(range);
    }

    pub(super) fn remove_pinned(&self, range: AddressRange) {
        self.pinned.write().retain(|known| *known != range);
    }

    /// Whether an address is in pinned memory of this runtime.
    pub(super) fn is_pinned(&self, address: u64) -> bool {
        self.pinned
            .read()
            .iter()
            .any(|range| range.contains(address))
    }

    /// From now on the bytes that work names at `here`, a part of a mirror that `emptied` empties, are a GPU's at `there`.
    pub(super) fn add_place(
        &self,
        here: AddressRange,
        (mirror, emptied): (&Arc<Mapping>, libc::c_int),
        (gpu, there): (&Arc<Gpu>, u64),
    ) {
        let place = Place {
            here,
            mirror: Arc::clone(mirror),
            emptied,
            there,
            gpu: Arc::clone(gpu),
        };
        self.places.write().insert(here.start, place);
    }

    /// Ends what [`Cuda::add_place`] began for the range that starts at `here`. Its part of the mirror is emptied, unless
    /// work may be using it at another place.
    pub(super) fn remove_place(&self, here: u64) {
        let mut places = self.places.write();
        if let Some(place) = places.remove(&here)
            && self.stage.is_unused()
        {
            drop(place.mirror.advise(place.here, place.emptied));
        }
    }

    /// Returns the pages of all mirrors to the machine, while nobody looks an address up, if `agreed` agrees then.
    pub(super) fn empty_mirrors(&self, agreed: impl FnOnce() -> bool) {
        let places = self.places.write();
        if !agreed() {
            return;
        }
        for place in places.values() {
            // Where the system refuses, the pages stay.
            drop(place.mirror.advise(place.here, place.emptied));
        }
    }
}

/// One GPU with its primary context.
#[derive(Debug)]
pub(super) struct Gpu {
    driver: Arc<Driver>,
    index: u32,
    bus: String,
    pub(super) physical: Physical,
    context: Context,
    name: String,
    total: u64,
    granularity: u64,
    /// Streams that no task uses now.
    idle: Mutex<Vec<Stream>>,
}

impl Gpu {
    fn open(driver: &Arc<Driver>, index: u32) -> Result<Self, DeviceError> {
        let device = driver.device(index)?;
        let name = driver.device_name(device)?;
        if !driver.has_virtual_memory(device)? {
            return Err(DeviceError::System {
                call: "cuMemCreate",
                error: format!("GPU {index} ({name}) has no virtual memory management"),
            });
        }
        let physical = Physical {
            device,
            // Other processes can map what can be exported, and it costs nothing until it is.
            exported: driver.has_descriptors(device)?,
        };
        let total = driver.device_memory(device)?;
        let granularity = driver.granularity(physical, false)?;
        Ok(Self {
            driver: Arc::clone(driver),
            index,
            bus: driver.device_bus(device)?,
            physical,
            context: driver.retain_primary(device)?,
            name,
            total,
            granularity,
            idle: Mutex::default(),
        })
    }

    pub(super) fn index(&self) -> u32 {
        self.index
    }

    pub(super) fn driver(&self) -> &Driver {
        &self.driver
    }

    pub(super) fn context(&self) -> Context {
        self.context
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn granularity(&self) -> u64 {
        self.granularity
    }

    /// What it is, for people.
    pub(super) fn describe(&self) -> String {
        let version = self.driver.version();
        let version = version.map_or(String::new(), |(major, minor)| {
            format!(", driver for CUDA {major}.{minor}")
        });
        let mib = self.total >> 20;
        format!("GPU {}: {}, {mib} MiB{version}", self.index, self.name)
    }

    /// Makes its context the thread's own.
    pub(super) fn enter(&self) -> Result<Current<'_>, Error> {
        self.driver.enter(self.context)
    }

    /// Bytes that are free now, and all bytes.
    pub(super) fn memory_info(&self) -> Result<(u64, u64), Error> {
        let _entered = self.enter()?;
        self.driver.memory_info()
    }

    /// What another process needs to map handles; each comes with its bytes.
    pub(super) fn share(
        &self,
        handles: impl Iterator<Item = (Handle, u64)>,
    ) -> Result<SharedPages, DeviceError> {
        if !self.physical.exported {
            return Err(DeviceError::NotOffered {
                what: format!(
                    "the driver has no file descriptors for memory of {}, so no other process can map it: allocate it on \
                     a device of this machine's memory (MILLPOND_DEVICE=host)",
                    self.describe()
                ),
            });
        }
        let _entered = self.enter()?;
        let (mut exported, mut parts) = (Vec::new(), Vec::new());
        for (handle, bytes) in handles {
            exported.push(self.driver.export(handle)?);
            parts.push(FilePart { offset: 0, bytes });
        }
        let source = PagesOf::Gpu {
            bus: self.bus.clone(),
            handles: exported,
        };
        Ok(SharedPages { source, parts })
    }

    /// What the driver's refusal of `needed` bytes means.
    pub(super) fn refused(&self, needed: u64, cause: Error) -> DeviceError {
        if !cause.is_out_of_memory() {
            return cause.into();
        }
        let (free, total) = self.memory_info().unwrap_or((0, self.total()));
        DeviceError::GpuFull(Box::new(GpuShortage {
            needed,
            gpu: self.describe(),
            free,
            total,
            cause,
        }))
    }

    /// Sets bytes that nobody has used yet to zero.
    pub(super) fn clear(&self, there: AddressRange) -> Result<(), Error> {
        self.work(|driver, stream| {
            // SAFETY: the caller has just mapped the range, and this waits for the fill.
            unsafe { driver.fill(there.start, 0, there.bytes, stream) }
        })
    }

    /// Queues work in a stream that nobody else uses meanwhile, and waits for it.
    pub(super) fn work(
        &self,
        queue: impl FnOnce(&Driver, Stream) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let _entered = self.enter()?;
        let idle = self.idle.lock().pop();
        let stream = match idle {
            Some(stream) => stream,
            None => self.driver.stream()?,
        };
        let queued = queue(&self.driver, stream);
        // Also after a failure: what was queued before it may still move bytes.
        let waited = self.driver.synchronize_stream(stream);
        self.idle.lock().push(stream);
        queued.and(waited)
    }
}

impl Drop for Gpu {
    /// Gives back what it has. Where the driver ends with the process, or work on the GPU failed, there is nothing to give.
    fn drop(&mut self) {
        if let Ok(_entered) = self.driver.enter(self.context) {
            for stream in self.idle.get_mut().drain(..) {
                // SAFETY: nobody else knows the streams, and their work was waited for.
                drop(unsafe { self.driver.destroy_stream(stream) });
            }
        }
        // SAFETY: retained when this was opened; all memories of it are gone.
        drop(unsafe { self.driver.release_primary(self.physical.device) });
    }
}
