//! What all parts of one runtime share, and one device's part of it.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use millpond_device::{Device, DeviceError, HostDevice, HostOptions, Memory, PinnedMemory};
use millpond_trace::{Bytes, Operation, Space, Tap};
use parking_lot::Mutex;

use crate::config::Config;
use crate::error::{Boxed, Error};
use crate::memory::{Fence, Numbers, Operand, Store};
use crate::schedule::Scheduler;
use crate::stream::{Progress, StreamCore};

const GIB: u64 = 1 << 30;

/// Where a runtime gets its devices and pinned memory from.
pub trait MemorySource: Send + Sync + std::fmt::Debug {
    /// Opens device number `index`.
    fn device(&self, index: u32, config: &Config) -> Result<Arc<dyn Device>, DeviceError>;
    /// Reserves pinned host memory.
    fn pinned(&self, config: &Config) -> Result<Arc<dyn Memory>, DeviceError>;
}

/// The machine's own memory: what a runtime uses unless it is told otherwise.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostSource;

impl MemorySource for HostSource {
    fn device(&self, index: u32, config: &Config) -> Result<Arc<dyn Device>, DeviceError> {
        let device = HostDevice::new(HostOptions {
            index,
            // Twice the capacity and some more: gaps between blocks and the alignment of large
            // pages cost addresses, never memory.
            span: config.capacity.saturating_mul(2).max(GIB) + GIB,
            least_span: 64 << 20,
            unified: config.unified,
        })?;
        Ok(Arc::new(device))
    }

    fn pinned(&self, _config: &Config) -> Result<Arc<dyn Memory>, DeviceError> {
        Ok(Arc::new(PinnedMemory::new(1 << 40, 64 << 20)?))
    }
}

/// What all parts of one runtime share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) tap: Arc<Tap>,
    pub(crate) scheduler: Scheduler,
    source: Box<dyn MemorySource>,
    devices: Vec<OnceLock<Arc<DeviceCore>>>,
    pinned: OnceLock<Arc<Store>>,
    opening: Mutex<()>,
    next_id: AtomicU64,
    numbers: Arc<Numbers>,
    next_task: AtomicU64,
    /// Streams that are not idle. None means that no queued work can name any memory.
    pub(crate) busy: BusyStreams,
    streams: Mutex<Vec<Weak<StreamCore>>>,
    pub(crate) events: AtomicU32,
}

/// One opened device.
#[derive(Debug)]
pub(crate) struct DeviceCore {
    pub(crate) index: u32,
    pub(crate) device: Arc<dyn Device>,
    pub(crate) store: Store,
    pub(crate) streams: AtomicU32,
}

impl Shared {
    pub(crate) fn new(config: Config, source: Box<dyn MemorySource>) -> Self {
        let devices = (0..config.visible_devices())
            .map(|_| OnceLock::new())
            .collect();
        Self {
            tap: Arc::default(),
            scheduler: Scheduler::new(config.schedule, config.workers),
            config,
            source,
            devices,
            pinned: OnceLock::new(),
            opening: Mutex::new(()),
            next_id: AtomicU64::new(1),
            numbers: Arc::default(),
            next_task: AtomicU64::new(1),
            busy: BusyStreams::default(),
            streams: Mutex::default(),
            events: AtomicU32::new(0),
        }
    }

    /// A number that was never given before.
    pub(crate) fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn next_task(&self) -> u64 {
        self.next_task.fetch_add(1, Ordering::Relaxed)
    }

    /// The device with this number, opened if it is not open yet.
    pub(crate) fn device(&self, index: i64) -> Result<&Arc<DeviceCore>, Error> {
        let slot = usize::try_from(index)
            .ok()
            .and_then(|index| self.devices.get(index));
        let slot = slot.ok_or(Error::NoSuchDevice {
            index,
            count: self.config.visible_devices(),
        })?;
        if let Some(device) = slot.get() {
            return Ok(device);
        }
        let _opening = self.opening.lock();
        if let Some(device) = slot.get() {
            return Ok(device);
        }
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        let physical = self
            .config
            .visible
            .as_ref()
            .map_or(number, |list| list[number as usize]);
        let device = self
            .source
            .device(physical, &self.config)
            .map_err(Error::Device)?;
        let store = Store::new(
            Space::Device(number),
            Arc::clone(&device) as Arc<dyn Memory>,
            self.config.capacity,
            Arc::clone(&self.tap),
            Arc::clone(&self.numbers),
        );
        self.tap.emit(|| Operation::DeviceOpened {
            device: number,
            capacity: store.usage().capacity,
        });
        Ok(slot.get_or_init(|| {
            Arc::new(DeviceCore {
                index: number,
                device,
                store,
                streams: AtomicU32::new(0),
            })
        }))
    }

    /// Pinned host memory, reserved if it is not yet.
    pub(crate) fn pinned(&self) -> Result<&Arc<Store>, Error> {
        if let Some(store) = self.pinned.get() {
            return Ok(store);
        }
        let _opening = self.opening.lock();
        if let Some(store) = self.pinned.get() {
            return Ok(store);
        }
        let memory = self.source.pinned(&self.config).map_err(Error::Device)?;
        let capacity = memory.range().bytes;
        let (tap, numbers) = (Arc::clone(&self.tap), Arc::clone(&self.numbers));
        let store = Store::new(Space::Pinned, memory, capacity, tap, numbers);
        Ok(self.pinned.get_or_init(|| Arc::new(store)))
    }

    /// The store that an address belongs to; `None` for memory that is not ours.
    #[inline]
    pub(crate) fn store_of(&self, address: u64) -> Option<(&Store, Space)> {
        for device in self.devices.iter().filter_map(OnceLock::get) {
            if device.store.contains(address) {
                return Some((&device.store, Space::Device(device.index)));
            }
        }
        let pinned = self.pinned.get()?;
        pinned
            .contains(address)
            .then_some((&**pinned, Space::Pinned))
    }

    /// Checks and resolves one side of a copy or fill.
    #[inline(always)]
    pub(crate) fn operand(&self, address: u64, bytes: u64) -> Boxed<Operand> {
        if address.checked_add(bytes).is_none() {
            return Err(Error::BadRange { address, bytes }.into());
        }
        let range = Bytes {
            start: address,
            bytes,
        };
        let Some((store, space)) = self.store_of(address) else {
            return Ok(Operand {
                range,
                kernel: address,
                space: Space::Foreign,
            });
        };
        store.check(address, bytes)?;
        Ok(Operand {
            range,
            kernel: store.kernel(address),
            space,
        })
    }

    pub(crate) fn adopt(&self, stream: &Arc<StreamCore>) {
        let mut streams = self.streams.lock();
        if streams.len() == streams.capacity() {
            streams.retain(|known| known.strong_count() != 0);
        }
        streams.push(Arc::downgrade(stream));
    }

    /// All streams that exist, of one device or of all.
    pub(crate) fn streams(&self, device: Option<u32>) -> Vec<Arc<StreamCore>> {
        let streams = self.streams.lock();
        streams
            .iter()
            .filter_map(Weak::upgrade)
            .filter(|stream| device.is_none_or(|index| stream.device.index == index))
            .collect()
    }

    /// All work that is queued now; `None` when there is none.
    #[inline]
    pub(crate) fn fence(&self) -> Option<Fence> {
        if self.busy.count.load(Ordering::SeqCst) == 0 {
            return None;
        }
        self.busy.unfinished()
    }
}

/// How far the streams are that have something to do.
#[derive(Debug, Default)]
pub(crate) struct BusyStreams {
    count: AtomicUsize,
    list: Mutex<Vec<Arc<Progress>>>,
}

impl BusyStreams {
    /// A stream has got its first task.
    pub(crate) fn add(&self, progress: &Arc<Progress>) {
        let mut list = self.list.lock();
        progress.busy_place.store(list.len(), Ordering::Relaxed);
        list.push(Arc::clone(progress));
        self.count.store(list.len(), Ordering::SeqCst);
    }

    /// A stream has nothing left to do.
    pub(crate) fn remove(&self, progress: &Arc<Progress>) {
        let mut list = self.list.lock();
        let place = progress.busy_place.load(Ordering::Relaxed);
        list.swap_remove(place);
        if let Some(moved) = list.get(place) {
            moved.busy_place.store(place, Ordering::Relaxed);
        }
        self.count.store(list.len(), Ordering::SeqCst);
    }

    #[cold]
    fn unfinished(&self) -> Option<Fence> {
        let list = self.list.lock();
        let queued: Vec<_> = list
            .iter()
            .map(|progress| (Arc::clone(progress), progress.enqueued()))
            .filter(|(progress, task)| progress.completed() < *task)
            .collect();
        (!queued.is_empty()).then_some(Fence(queued))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.scheduler.shut_down();
    }
}
