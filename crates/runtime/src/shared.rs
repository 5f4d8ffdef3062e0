//! What all parts of one runtime share, and one device's part of it.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use millpond_device::{
    AddressSpace, Device, DeviceError, HostAddressSpace, HostDevice, HostOptions, Memory,
    PinnedMemory,
};
use millpond_pool::Numbers;
use millpond_trace::{Bytes, Operation, Space, Tap};
use parking_lot::Mutex;

use crate::config::{Config, Pinned};
use crate::error::{Boxed, Error};
use crate::execution::Workspaces;
use crate::memory::{Operand, PoolCore, Store, describe_statistics};
use crate::order::Streams;
use crate::schedule::{Goal, Scheduler};
use crate::stream::{Motion, Progress, StreamCore};
use crate::virtual_memory::VirtualMemory;

const GIB: u64 = 1 << 30;

/// Pools at most at one time; each has addresses of its own.
const MOST_POOLS: usize = 256;

/// Addresses for pools come in classes, so that those of a destroyed pool serve one of another size: the
/// smallest has room for this many bytes, each other for four times as many as the one before.
const SMALLEST_ROOM: u64 = 64 << 20;
const ROOMS: usize = 10;

/// Where a runtime gets its devices and pinned memory from.
pub trait MemorySource: Send + Sync + std::fmt::Debug {
    /// Opens device number `index`.
    fn device(&self, index: u32, config: &Config) -> Result<Arc<dyn Device>, DeviceError>;
    /// Reserves pinned host memory.
    fn pinned(&self, config: &Config) -> Result<Arc<dyn Memory>, DeviceError>;
    /// Reserves `bytes` bytes of addresses for a pool on device number `index`.
    fn pool(
        &self,
        index: u32,
        bytes: u64,
        config: &Config,
    ) -> Result<Arc<dyn Memory>, DeviceError> {
        let config = Config {
            capacity: bytes,
            ..config.clone()
        };
        Ok(self.device(index, &config)? as Arc<dyn Memory>)
    }
    /// Bytes of memory that everything of this source can have together, however much each device claims. The same
    /// whenever it is asked, so that what programs see as free changes only by what they do. `None` where nothing is known.
    fn limit(&self) -> Option<u64> {
        None
    }
    /// Opens what reserves addresses and maps physical memory. A source need not have one.
    fn address_space(&self, _config: &Config) -> Result<Arc<dyn AddressSpace>, DeviceError> {
        Err(DeviceError::System {
            call: "reserve",
            error: "these devices have no virtual memory".to_owned(),
        })
    }
}

/// The machine's own memory: what a runtime uses unless it is told otherwise.
///
/// Its devices and its pinned memory draw on the same machine, so that one ledger counts what all of
/// them have promised.
#[derive(Debug, Clone, Default)]
pub struct HostSource {
    ledger: Arc<millpond_device::Ledger>,
}

impl MemorySource for HostSource {
    fn device(&self, index: u32, config: &Config) -> Result<Arc<dyn Device>, DeviceError> {
        let options = HostOptions {
            index,
            // Twice the capacity and some more: gaps between blocks and the alignment of large
            // pages cost addresses, never memory.
            span: config
                .capacity
                .saturating_mul(2)
                .max(GIB)
                .saturating_add(GIB),
            least_span: 64 << 20,
            unified: config.unified,
        };
        Ok(Arc::new(HostDevice::sharing(options, &self.ledger)?))
    }

    fn pinned(&self, config: &Config) -> Result<Arc<dyn Memory>, DeviceError> {
        // Two views take twice the addresses, and must not reach into those of devices. Where the system has no file
        // in memory for them (ulimit -f), nothing is watched.
        if config.pinned == Pinned::Gated
            && let Ok(pinned) = PinnedMemory::watched(1 << 39, 64 << 20, &self.ledger)
        {
            return Ok(Arc::new(pinned));
        }
        let pinned = PinnedMemory::sharing(1 << 40, 64 << 20, &self.ledger)?;
        Ok(Arc::new(pinned))
    }

    fn pool(
        &self,
        index: u32,
        bytes: u64,
        config: &Config,
    ) -> Result<Arc<dyn Memory>, DeviceError> {
        let options = HostOptions {
            index,
            // Gaps between blocks cost addresses, never memory.
            span: bytes.saturating_mul(2).saturating_add(64 << 20),
            least_span: bytes,
            unified: config.unified,
        };
        Ok(Arc::new(HostDevice::sharing(options, &self.ledger)?))
    }

    fn limit(&self) -> Option<u64> {
        self.ledger.limit()
    }

    fn address_space(&self, config: &Config) -> Result<Arc<dyn AddressSpace>, DeviceError> {
        let space = HostAddressSpace::sharing(config.unified, &self.ledger)?;
        Ok(Arc::new(space))
    }
}

/// What all parts of one runtime share.
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) tap: Arc<Tap>,
    pub(crate) scheduler: Scheduler,
    source: Box<dyn MemorySource>,
    devices: Vec<OnceLock<Arc<DeviceCore>>>,
    pinned: OnceLock<Arc<Store>>,
    /// Pools that were ever created; those that were destroyed serve again. A class gets more only when all
    /// it has are in use, so there is a place for each.
    pools: Box<[OnceLock<Arc<PoolCore>>]>,
    pool_count: AtomicUsize,
    pub(crate) virtual_memory: VirtualMemory,
    opening: Mutex<()>,
    next_id: AtomicU64,
    numbers: Arc<Numbers>,
    /// How far every stream is.
    pub(crate) order: Arc<Streams>,
    next_task: AtomicU64,
    streams: Mutex<Vec<Weak<StreamCore>>>,
    pub(crate) events: AtomicU32,
    /// What runs operators and models, once something needed it.
    pub(crate) engine: OnceLock<&'static millpond_engine::Engine>,
    pub(crate) workspaces: Workspaces,
}

/// One opened device.
#[derive(Debug)]
pub(crate) struct DeviceCore {
    pub(crate) index: u32,
    /// Its number among all devices, also those that are not visible.
    physical: u32,
    pub(crate) device: Arc<dyn Device>,
    pub(crate) store: Store,
    pub(crate) streams: AtomicU32,
}

impl Shared {
    pub(crate) fn new(config: Config, source: Box<dyn MemorySource>) -> Self {
        let count = config.visible_devices();
        let devices = (0..count).map(|_| OnceLock::new()).collect();
        Self {
            tap: Arc::default(),
            scheduler: Scheduler::new(config.schedule, config.workers, config.patience),
            order: Arc::new(Streams::new(config.polls, config.planted)),
            config,
            source,
            devices,
            pinned: OnceLock::new(),
            pools: (0..MOST_POOLS * ROOMS).map(|_| OnceLock::new()).collect(),
            pool_count: AtomicUsize::new(0),
            virtual_memory: VirtualMemory::default(),
            opening: Mutex::new(()),
            next_id: AtomicU64::new(1),
            numbers: Arc::default(),
            next_task: AtomicU64::new(1),
            streams: Mutex::default(),
            events: AtomicU32::new(0),
            engine: OnceLock::new(),
            workspaces: Workspaces::new(count),
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
        let physical = self.config.physical(index)?;
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
            Arc::clone(&self.order),
            false,
        )
        .planting(self.config.planted, true);
        self.tap.emit(|| Operation::DeviceOpened {
            device: number,
            capacity: store.capacity(),
            unified: self.config.unified,
        });
        Ok(slot.get_or_init(|| {
            Arc::new(DeviceCore {
                index: number,
                physical,
                device,
                store,
                streams: AtomicU32::new(0),
            })
        }))
    }

    /// Bytes that the machine can still give to any device.
    pub(crate) fn machine_room(&self) -> u64 {
        let Some(limit) = self.source.limit() else {
            return u64::MAX;
        };
        let devices = self.devices.iter().filter_map(OnceLock::get);
        let stores = devices.map(|device| &device.store);
        let stores = stores.chain(self.pinned.get().map(|store| &**store));
        let charged = stores.map(Store::charged_bytes);
        limit.saturating_sub(charged.fold(0, u64::saturating_add))
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
        let order = Arc::clone(&self.order);
        let store = Store::new(Space::Pinned, memory, capacity, tap, numbers, order, false);
        let store = store.planting(self.config.planted, true);
        Ok(self.pinned.get_or_init(|| Arc::new(store)))
    }

    /// Pinned host memory, if anybody has asked for some.
    pub(crate) fn pinned_if_known(&self) -> Option<&Store> {
        self.pinned.get().map(|store| &**store)
    }

    /// What reserves addresses and maps physical memory, opened if it is not open yet.
    pub(crate) fn address_space(&self) -> Result<&Arc<dyn AddressSpace>, Error> {
        let known = &self.virtual_memory.space;
        if let Some(space) = known.get() {
            return Ok(space);
        }
        let _opening = self.opening.lock();
        if let Some(space) = known.get() {
            return Ok(space);
        }
        let space = self
            .source
            .address_space(&self.config)
            .map_err(Error::Device)?;
        Ok(known.get_or_init(|| space))
    }

    /// The store that an address belongs to; `None` for memory that is in none.
    #[inline]
    pub(crate) fn store_of(&self, address: u64) -> Option<(&Store, Space)> {
        for device in self.devices.iter().filter_map(OnceLock::get) {
            if device.store.contains(address) {
                return Some((&device.store, Space::Device(device.index)));
            }
        }
        if let Some(pinned) = self.pinned.get()
            && pinned.contains(address)
        {
            return Some((&**pinned, Space::Pinned));
        }
        let pool = self.pool_of(address)?;
        Some((&pool.store, Space::Device(pool.device.index)))
    }

    /// Every pool that was ever created.
    pub(crate) fn pools(&self) -> impl Iterator<Item = &Arc<PoolCore>> {
        let count = self.pool_count.load(Ordering::Acquire);
        self.pools[..count].iter().filter_map(OnceLock::get)
    }

    /// The pool that an address belongs to.
    pub(crate) fn pool_of(&self, address: u64) -> Option<&Arc<PoolCore>> {
        self.pools().find(|pool| pool.store.contains(address))
    }

    /// A pool of `bytes` bytes on a device, and its number.
    pub(crate) fn open_pool(
        &self,
        device: &Arc<DeviceCore>,
        bytes: u64,
    ) -> Result<(Arc<PoolCore>, u64), Error> {
        let id = self.next_id();
        let _opening = self.opening.lock();
        if self.pools().filter(|pool| !pool.is_vacant()).count() >= MOST_POOLS {
            return Err(Error::TooManyPools { limit: MOST_POOLS });
        }
        let room = room_for(bytes);
        let created = || Operation::PoolCreated {
            pool: id,
            device: device.index,
            limit: bytes,
        };
        let reopened = self.pools().find(|pool| {
            let fits = pool.room() == room || pool.room() == bytes;
            fits && pool.device.index == device.index && pool.reopen(id, bytes)
        });
        if let Some(pool) = reopened {
            self.tap.emit(created);
            return Ok((Arc::clone(pool), id));
        }
        let pool = self.new_pool(device, id, bytes, room)?;
        self.tap.emit(created);
        Ok((pool, id))
    }

    /// A pool with addresses of its own. The caller holds `opening`.
    fn new_pool(
        &self,
        device: &Arc<DeviceCore>,
        id: u64,
        bytes: u64,
        room: u64,
    ) -> Result<Arc<PoolCore>, Error> {
        let count = self.pool_count.load(Ordering::Acquire);
        let Some(slot) = self.pools.get(count) else {
            return Err(Error::TooManyPools { limit: MOST_POOLS });
        };
        let reserve = |bytes| self.source.pool(device.physical, bytes, &self.config);
        // Where addresses are scarce there may still be enough for this one.
        let (memory, room) = match reserve(room) {
            Ok(memory) => (memory, room),
            Err(_) => (reserve(bytes).map_err(Error::Device)?, bytes),
        };
        let store = Store::new(
            Space::Device(device.index),
            memory,
            bytes,
            Arc::clone(&self.tap),
            Arc::clone(&self.numbers),
            Arc::clone(&self.order),
            true,
        )
        .planting(self.config.planted, false);
        let order = Arc::clone(&self.order);
        let pool = PoolCore::new(id, Arc::clone(device), store, order, room);
        let pool = Arc::clone(slot.get_or_init(|| Arc::new(pool)));
        self.pool_count.store(count + 1, Ordering::Release);
        Ok(pool)
    }

    /// How every memory is and was used, for people.
    pub(crate) fn memory_report(&self) -> String {
        let mut text = String::new();
        for device in self.devices.iter().filter_map(OnceLock::get) {
            let name = format!("device {}", device.index);
            text += &describe_statistics(&name, &device.store.statistics());
        }
        if let Some(pinned) = self.pinned.get() {
            text += &describe_statistics("pinned host memory", &pinned.statistics());
        }
        for (number, pool) in self
            .pools()
            .enumerate()
            .filter(|(_, pool)| !pool.is_vacant())
        {
            let name = format!("pool {number} on device {}", pool.device.index);
            text += &describe_statistics(&name, &pool.statistics());
        }
        text
    }

    /// Something of a device was waited for: its pools keep what their thresholds say.
    pub(crate) fn release_pools(&self, device: u32) {
        for pool in self.pools() {
            if pool.device.index == device && !pool.is_vacant() {
                pool.release();
            }
        }
    }

    /// Somebody was refused memory of a device: its pools keep nothing that they do not use. Answers
    /// whether that helped.
    #[cold]
    pub(crate) fn squeeze_pools(&self, device: u32) -> bool {
        let pools = self.pools().filter(|pool| pool.device.index == device);
        pools.map(|pool| pool.lower(0)).sum::<u64>() > 0
    }

    /// Waits were thrown away, so what pools handed on by them may be used by others still: it is
    /// nobody's before everything that is queued now has passed.
    pub(crate) fn disown(&self) {
        if self.pools().next().is_none() {
            return;
        }
        let ghost = self.next_id();
        self.order.ghost(ghost);
        for pool in self.pools() {
            pool.disown(ghost);
        }
    }

    /// A stream is gone, with all its work.
    pub(crate) fn forget_stream(&self, stream: u64) {
        self.order.remove(stream);
        for pool in self.pools() {
            pool.forget(stream);
        }
    }

    /// Frees device memory in the order of a stream.
    pub(crate) fn free_in_order(&self, address: u64, by: (u64, u64)) -> Boxed<()> {
        match self.store_of(address) {
            Some((store, Space::Device(_))) => store.free_by(address, by),
            Some((_, found)) => Err(Error::WrongSpace {
                address,
                found,
                expected: "device memory",
            }
            .into()),
            None => Err(Error::NotABlock {
                address,
                inside: None,
                space: Space::Foreign,
            }
            .into()),
        }
    }

    /// Queued work of a stream uses a block, up to a position.
    pub(crate) fn note_use(&self, address: u64, user: (u64, u64)) -> Boxed<()> {
        match self.store_of(address) {
            Some((store, _)) => store.check(address, 1, Some(user)),
            None => Err(Error::NotABlock {
                address,
                inside: None,
                space: Space::Foreign,
            }
            .into()),
        }
    }

    /// Resolves one side of a copy or fill: what kind of memory it is and where work touches it.
    /// Whether it lies in a live block is for [`Shared::check`] to say.
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
            return self.operand_elsewhere(range);
        };
        Ok(Operand {
            range,
            kernel: store.kernel(address),
            space,
            mapped: false,
        })
    }

    /// An operand that is in no store: a reserved address, or the program's own memory.
    #[cold]
    fn operand_elsewhere(&self, range: Bytes) -> Boxed<Operand> {
        if let Some(operand) = self.virtual_memory.operand(range)? {
            return Ok(operand);
        }
        self.keep_out(range.start, range.bytes)?;
        Ok(Operand {
            range,
            kernel: range.start,
            space: Space::Foreign,
            mapped: false,
        })
    }

    /// Refuses memory that a program takes for its own but that is where work touches device memory.
    fn keep_out(&self, address: u64, bytes: u64) -> Boxed<()> {
        let stores = self
            .devices
            .iter()
            .filter_map(OnceLock::get)
            .map(|device| &device.store);
        let pinned = self.pinned.get().map(|store| &**store);
        let pools = self.pools().map(|pool| &pool.store);
        let mut stores = stores.chain(pinned).chain(pools);
        if stores.any(|store| store.overlaps(address, bytes))
            || self.virtual_memory.overlaps(address, bytes)
        {
            return Err(Error::NotABlock {
                address,
                inside: None,
                space: Space::Foreign,
            }
            .into());
        }
        Ok(())
    }

    /// Checks that the sides of a motion lie in live blocks. With `user`, the task that will carry it
    /// out is noted in them. Sides that are reserved addresses are for [`Shared::keep`].
    #[inline(always)]
    pub(crate) fn check(&self, motion: &Motion, user: Option<(&Arc<Progress>, u64)>) -> Boxed<()> {
        match motion {
            Motion::Copy { to, from } | Motion::Rows { to, from, .. } => {
                self.check_side(to, user)?;
                self.check_side(from, user)
            }
            Motion::Fill { to, .. } | Motion::FillWords { to, .. } => self.check_side(to, user),
        }
    }

    #[inline(always)]
    pub(crate) fn check_side(
        &self,
        side: &Operand,
        user: Option<(&Arc<Progress>, u64)>,
    ) -> Boxed<()> {
        if side.mapped {
            return Ok(());
        }
        let store = match side.space {
            Space::Device(index) => {
                let slot = self.devices.get(index as usize);
                let device = slot.and_then(OnceLock::get).map(|device| &device.store);
                match device {
                    Some(store) if store.contains(side.range.start) => Some(store),
                    _ => self.pool_of(side.range.start).map(|pool| &pool.store),
                }
            }
            Space::Pinned => self.pinned.get().map(|store| &**store),
            Space::Foreign => None,
        };
        match store {
            Some(store) => {
                let user = user.map(|(progress, task)| (progress.stream, task));
                store.check(side.range.start, side.range.bytes, user)
            }
            None => Ok(()),
        }
    }

    /// Returns idle pages of every memory to the machine, for somebody who was refused some.
    #[cold]
    pub(crate) fn relieve(&self) {
        let stores = self
            .devices
            .iter()
            .filter_map(OnceLock::get)
            .map(|device| &device.store);
        let pinned = self.pinned.get().map(|store| &**store);
        let pools = self.pools().map(|pool| &pool.store);
        for store in stores.chain(pinned).chain(pools) {
            // What cannot go back stays; whoever asked finds out by asking again.
            drop(store.trim());
        }
        self.drain_mappings();
    }

    /// Looks at everything that the checking mode planted.
    pub(crate) fn look_at_planted(&self) {
        let devices = self.devices.iter().filter_map(OnceLock::get);
        let stores = devices.map(|device| &device.store);
        let pinned = self.pinned.get().map(|store| &**store);
        let pools = self.pools().map(|pool| &pool.store);
        for store in stores.chain(pinned).chain(pools) {
            store.look_at_planted();
        }
    }

    pub(crate) fn adopt(&self, stream: &Arc<StreamCore>) {
        let mut streams = self.streams.lock();
        if streams.len() == streams.capacity() {
            streams.retain(|known| known.strong_count() != 0);
        }
        streams.push(Arc::downgrade(stream));
    }

    /// Waits for a task of a stream, if it ends without the program's doing; false if it may not, or the stream is gone.
    pub(crate) fn wait_for_task(&self, stream: u64, task: u64) -> bool {
        let mut streams = self.streams(None).into_iter();
        let Some(stream) = streams.find(|known| known.id == stream) else {
            return false;
        };
        if !stream.ends_by_itself(task) {
            return false;
        }
        let waiting = stream.target_at(task);
        self.scheduler.wait(&Goal::Stream(stream, waiting), None)
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
}

/// The class of addresses that a pool of `bytes` bytes gets.
fn room_for(bytes: u64) -> u64 {
    let mut room = SMALLEST_ROOM;
    while room < bytes {
        room = room.saturating_mul(4);
    }
    room
}

impl std::fmt::Debug for Shared {
    /// Everything refers to it, so it says little of itself.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.scheduler.shut_down();
    }
}
