//! The driver, its GPUs, and which addresses are whose.
#![expect(unsafe_code, reason = "ends streams and contexts")]

use std::collections::BTreeMap;
use std::sync::Arc;

use millpond_cuda::{Context, Current, Driver, Error, Physical, Stream};
use parking_lot::{Mutex, RwLock};

use super::staging::Stage;
use crate::mapping::Mapping;
use crate::{AddressRange, DeviceError};

/// The driver and its GPUs: shared by all memories that one source opens.
#[derive(Debug)]
pub struct Cuda {
    driver: Arc<Driver>,
    gpus: Mutex<BTreeMap<u32, Arc<Gpu>>>,
    /// Every memory on a GPU. Few, and looked at by every copy.
    places: RwLock<Vec<Place>>,
    /// Where pages of pinned memory may be registered.
    pinned: RwLock<Vec<AddressRange>>,
    pub(super) stage: Stage,
}

/// One memory on a GPU: where its bytes are, and the mirror where work of this process names them.
#[derive(Debug)]
struct Place {
    start: u64,
    mirror: Arc<Mapping>,
    gpu: Arc<Gpu>,
}

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

    /// The GPU that has the memory at an address, as work names it, and the address that the GPU gives it; `None` for host memory.
    pub(super) fn of(&self, address: u64) -> Option<(Arc<Gpu>, u64)> {
        let places = self.places.read();
        let range = |place: &&Place| place.mirror.range().contains(address);
        let place = places.iter().find(range)?;
        let inside = address - place.mirror.range().start;
        Some((Arc::clone(&place.gpu), place.start + inside))
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

    pub(super) fn add_place(&self, start: u64, mirror: &Arc<Mapping>, gpu: &Arc<Gpu>) {
        self.places.write().push(Place {
            start,
            mirror: Arc::clone(mirror),
            gpu: Arc::clone(gpu),
        });
    }

    pub(super) fn remove_place(&self, start: u64) {
        self.places.write().retain(|place| place.start != start);
    }

    /// Calls a function with all mirrors, while nobody looks an address up.
    pub(super) fn with_mirrors(&self, act: impl FnOnce(&mut dyn Iterator<Item = &Arc<Mapping>>)) {
        let places = self.places.write();
        act(&mut places.iter().map(|place| &place.mirror));
    }
}

/// One GPU with its primary context.
#[derive(Debug)]
pub(super) struct Gpu {
    driver: Arc<Driver>,
    index: u32,
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
            exported: false,
        };
        let total = driver.device_memory(device)?;
        let granularity = driver.granularity(physical, false)?;
        Ok(Self {
            driver: Arc::clone(driver),
            index,
            physical,
            context: driver.retain_primary(device)?,
            name,
            total,
            granularity,
            idle: Mutex::default(),
        })
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
