//! State that all parts of one runtime share, and the state of each device.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use millpond_device::{AddressSpace, Device, Memory};
use millpond_pool::Numbers;
use millpond_trace::{Bytes, Operation, Space, Tap};

use crate::clock::Clock;
use crate::config::Config;
use crate::error::{Boxed, Error, TaskFailure};
use crate::execution::{GpuPlaces, Words, Workspaces};
use crate::lock::{Mutex, rank};
use crate::memory::{
    MemoryPoolCore, Operand, PinnedRanges, Registered, Store, describe_statistics,
};
use crate::order::Streams;
use crate::schedule::{Goal, Scheduler};
use crate::source::MemorySource;
use crate::stream::{Motion, Progress, StreamCore};
use crate::testing::Testing;
use crate::virtual_memory::VirtualMemory;

/// Pools at most at one time; each has addresses of its own.
const MOST_POOLS: usize = 256;

/// Addresses for pools come in classes, so that those of a destroyed pool serve one of another size: the
/// smallest has room for this many bytes, each other for four times as many as the one before.
const SMALLEST_ROOM: u64 = 64 << 20;
const ROOMS: usize = 10;

/// What all parts of one runtime share.
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) tap: Arc<Tap>,
    /// The time that limits of waits are measured with.
    pub(crate) clock: Arc<Clock>,
    pub(crate) scheduler: Scheduler,
    pub(crate) source: Box<dyn MemorySource>,
    devices: Vec<OnceLock<Arc<DeviceCore>>>,
    pub(crate) pinned: PinnedRanges,
    /// Pools that were ever created; those that were destroyed serve again. A class gets more only when all
    /// it has are in use, so there is a place for each.
    pools: Box<[OnceLock<Arc<MemoryPoolCore>>]>,
    pool_count: AtomicUsize,
    pub(crate) virtual_memory: VirtualMemory,
    /// Host memory that the program registered.
    pub(crate) registered: Registered,
    /// Held while a device, a range of pinned memory or a pool is opened.
    pub(crate) opening: Mutex<rank::Opening, ()>,
    next_id: AtomicU64,
    numbers: Arc<Numbers>,
    /// How far every stream is.
    pub(crate) order: Arc<Streams>,
    next_task: AtomicU64,
    streams: Mutex<rank::AllStreams, Vec<Weak<StreamCore>>>,
    pub(crate) events: AtomicU32,
    /// The first device that was opened whose bytes this process has to ask for: any such device brings those of all.
    stager: OnceLock<Arc<DeviceCore>>,
    /// What runs operators and models, once something needed it.
    pub(crate) engine: OnceLock<&'static millpond_engine::Engine>,
    pub(crate) workspaces: Workspaces,
    /// Sessions of that engine on GPUs.
    pub(crate) gpu_places: Arc<GpuPlaces>,
    /// Words in memory that streams wait for.
    pub(crate) words: Words,
    /// Faults and counts, for tests.
    pub(crate) testing: Testing,
    /// Who wants to know of tasks that fail.
    pub(crate) failures: OnceLock<FailureReport>,
}

pub(crate) type FailureReport = Box<dyn Fn(&FailedTask<'_>) + Send + Sync>;

/// A task that failed.
#[derive(Debug, Clone, Copy)]
pub struct FailedTask<'a> {
    /// Its device.
    pub device: u32,
    /// Its stream.
    pub stream: u64,
    /// Its number in the stream.
    pub task: u64,
    /// The number that the system gave to the thread that queued it. Unknown for tasks that were queued before anybody wanted to know.
    pub thread: Option<u32>,
    /// Why it failed.
    pub cause: &'a TaskFailure,
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
        let clock = Arc::new(Clock::new(config.time));
        let devices = (0..count).map(|_| OnceLock::new()).collect();
        Self {
            tap: Arc::default(),
            scheduler: Scheduler::new(&config, &clock),
            order: Arc::new(Streams::new(config.polls, config.guards)),
            config,
            source,
            devices,
            pinned: PinnedRanges::default(),
            pools: (0..MOST_POOLS * ROOMS).map(|_| OnceLock::new()).collect(),
            pool_count: AtomicUsize::new(0),
            virtual_memory: VirtualMemory::default(),
            registered: Registered::default(),
            opening: Mutex::new(()),
            next_id: AtomicU64::new(1),
            numbers: Arc::default(),
            next_task: AtomicU64::new(1),
            streams: Mutex::default(),
            events: AtomicU32::new(0),
            stager: OnceLock::new(),
            engine: OnceLock::new(),
            workspaces: Workspaces::new(count),
            gpu_places: Arc::default(),
            words: Words::default(),
            testing: Testing::new(&clock),
            failures: OnceLock::new(),
            clock,
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
        let memory = Arc::clone(&device) as Arc<dyn Memory>;
        let own = memory.range().bytes - memory.windows();
        let asked = match device.own_room() {
            Some((_, total)) if self.config.whole_gpus => total,
            Some((_, total)) => self.config.capacity.min(total),
            None => self.config.capacity,
        };
        let capacity = asked.min(own);
        let store = self.new_store(Space::Device(number), memory, capacity, false);
        let store = store.with_guards(self.config.guards, true);
        self.tap.emit(|| Operation::DeviceOpened {
            device: number,
            capacity: store.capacity(),
            unified: self.config.unified,
        });
        let core = Arc::new(DeviceCore {
            index: number,
            physical,
            device,
            store,
            streams: AtomicU32::new(0),
        });
        if !core.store.is_touchable() {
            self.stager.get_or_init(|| Arc::clone(&core));
        }
        Ok(slot.get_or_init(|| core))
    }

    /// What brings bytes that this process cannot touch; `None` as long as it can touch all.
    #[inline]
    pub(crate) fn stager(&self) -> Option<&Arc<DeviceCore>> {
        self.stager.get()
    }

    /// Bytes that the machine can still give to any device.
    pub(crate) fn machine_room(&self) -> u64 {
        let Some(limit) = self.source.limit() else {
            return u64::MAX;
        };
        let pinned = self.pinned.iter().map(|store| &**store);
        let of_machine = self.device_stores().filter(|store| store.is_touchable());
        let charged = of_machine.chain(pinned).map(Store::charged_bytes);
        limit.saturating_sub(charged.fold(0, u64::saturating_add))
    }

    /// A store over `memory`, with what all stores of this runtime share.
    pub(crate) fn new_store(
        &self,
        space: Space,
        memory: Arc<dyn Memory>,
        capacity: u64,
        thrifty: bool,
    ) -> Store {
        let (tap, numbers) = (Arc::clone(&self.tap), Arc::clone(&self.numbers));
        let order = Arc::clone(&self.order);
        Store::new(space, memory, capacity, tap, numbers, order, thrifty)
    }

    /// The devices that are open.
    pub(crate) fn opened(&self) -> impl Iterator<Item = &Arc<DeviceCore>> {
        self.devices.iter().filter_map(OnceLock::get)
    }

    /// The memories of all devices that are open, without their pools.
    fn device_stores(&self) -> impl Iterator<Item = &Store> {
        let devices = self.devices.iter().filter_map(OnceLock::get);
        devices.map(|device| &device.store)
    }

    /// Every memory that is open: of devices, pinned, and of pools.
    fn stores(&self) -> impl Iterator<Item = &Store> {
        let pinned = self.pinned.iter().map(|store| &**store);
        let pools = self.pools().map(|pool| &pool.store);
        self.device_stores().chain(pinned).chain(pools)
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
        if let Some(pinned) = self.pinned.of(address) {
            return Some((pinned, Space::Pinned));
        }
        let pool = self.pool_of(address)?;
        Some((&pool.store, Space::Device(pool.device.index)))
    }

    /// Every pool that was ever created.
    pub(crate) fn pools(&self) -> impl Iterator<Item = &Arc<MemoryPoolCore>> {
        let count = self.pool_count.load(Ordering::Acquire);
        self.pools[..count].iter().filter_map(OnceLock::get)
    }

    /// The pool that an address belongs to.
    pub(crate) fn pool_of(&self, address: u64) -> Option<&Arc<MemoryPoolCore>> {
        self.pools().find(|pool| pool.store.contains(address))
    }

    /// A pool of `bytes` bytes on a device, and its number.
    pub(crate) fn open_pool(
        &self,
        device: &Arc<DeviceCore>,
        bytes: u64,
    ) -> Result<(Arc<MemoryPoolCore>, u64), Error> {
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
    ) -> Result<Arc<MemoryPoolCore>, Error> {
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
        let store = self.new_store(Space::Device(device.index), memory, bytes, true);
        let store = store.with_guards(self.config.guards, false);
        let order = Arc::clone(&self.order);
        let pool = MemoryPoolCore::new(id, Arc::clone(device), store, order, room);
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
        for (number, pinned) in (1..).zip(self.pinned.iter()) {
            let name = match number {
                1 => "pinned host memory".to_owned(),
                further => format!("pinned host memory, range {further}"),
            };
            text += &describe_statistics(&name, &pinned.statistics());
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
    /// Whether it is in a live block is for [`Shared::check`] to say.
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
        let registered = self.registered.covers(range.start, range.bytes);
        Ok(Operand {
            range,
            kernel: range.start,
            space: if registered {
                Space::Pinned
            } else {
                Space::Foreign
            },
            mapped: false,
        })
    }

    /// Refuses memory that a program takes for its own but that is where work touches device memory.
    fn keep_out(&self, address: u64, bytes: u64) -> Boxed<()> {
        if self.stores().any(|store| store.overlaps(address, bytes))
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

    /// Checks that the sides of a motion are in live blocks. With `user`, the task that will carry it
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
            Space::Pinned => self.pinned.of(side.range.start),
            Space::Foreign => None,
        };
        if let Some(store) = store {
            let user = user.map(|(progress, task)| (progress.stream, task));
            return store.check(side.range.start, side.range.bytes, user);
        }
        if let (Space::Pinned, Some((progress, task))) = (side.space, user) {
            self.registered
                .note(side.range.start, progress.stream, task);
        }
        Ok(())
    }

    /// Returns idle pages of every memory to the machine, because a request was refused.
    #[cold]
    pub(crate) fn relieve(&self) {
        for store in self.stores() {
            // Pages that cannot be returned stay; the caller notices when it tries again.
            drop(store.trim());
        }
        self.drain_mappings();
    }

    /// Checks all guards and poisoned bytes; see [`Config::guards`].
    pub(crate) fn check_guards(&self) {
        for store in self.stores() {
            store.check_guards();
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
        self.wait_until(&Goal::Stream(stream, waiting), None, None)
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
