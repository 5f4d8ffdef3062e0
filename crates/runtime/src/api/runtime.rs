//! The runtime, from which all other objects are created.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use millpond_device::{Frozen, Gate};
use millpond_trace::{Operation, Position, Space, Tap};

use crate::api::block::HostBlock;
use crate::api::device::Device;
use crate::api::event::Event;
use crate::clock::{Clock, Time};
use crate::config::Config;
use crate::error::{Error, Limited};
use crate::gpu_source::GpuSource;
use crate::memory::{BlockInfo, Usage};
use crate::profile::EVENT_LIMIT;
use crate::shared::{FailedTask, Shared};
use crate::source::{HostSource, MemorySource};
use crate::stream::{EventKind, Reports};

/// Devices, their memory and the streams that run on them.
///
/// A runtime is a value without global state; tests run many side by side. It is cheap to clone.
/// The devices are closed when the last clone and every object created from it is dropped.
#[derive(Debug, Clone)]
pub struct Runtime {
    pub(crate) shared: Arc<Shared>,
}

impl Runtime {
    /// A runtime on what [`Config::kinds`] names: the host's own memory, GPUs. No device is opened until it is used.
    pub fn new(config: Config) -> Result<Self, Error> {
        if config.has_gpus() {
            let source = GpuSource::open().map_err(Error::Device)?;
            return Self::with_source(config, Box::new(source));
        }
        Self::with_source(config, Box::new(HostSource::default()))
    }

    /// A runtime whose memory comes from `source`.
    pub fn with_source(config: Config, source: Box<dyn MemorySource>) -> Result<Self, Error> {
        let shared = Arc::new(Shared::new(config, source));
        let ask = |question: fn(&Shared) -> bool| {
            let known = Arc::downgrade(&shared);
            move || known.upgrade().is_none_or(|shared| question(&shared))
        };
        shared
            .clock
            .ask(ask(Shared::streams_rest), ask(Shared::streams_stand));
        Ok(Self { shared })
    }

    /// Its configuration.
    pub fn config(&self) -> &Config {
        &self.shared.config
    }

    /// The time that limits of its waits are measured with.
    pub fn clock(&self) -> &Arc<Clock> {
        &self.shared.clock
    }

    /// Changes how time passes from now on: see [`Time`].
    pub fn set_time(&self, time: Time) {
        self.shared.clock.set_mode(time);
        self.shared.scheduler.time_changed();
    }

    /// Where its records are emitted.
    pub fn tap(&self) -> &Tap {
        &self.shared.tap
    }

    /// Streams that wait, without a limit, for an event that another stream has yet to record: the task that waits, and the one that records.
    pub fn event_waits(&self) -> Vec<(Position, Position)> {
        self.shared.event_waits()
    }

    /// Calls a function for each task that fails, before anybody who waits for the task learns of it. It must not block,
    /// nor use the runtime. The first one stays.
    pub fn on_task_failure(&self, report: impl Fn(&FailedTask<'_>) + Send + Sync + 'static) {
        self.shared.failures.get_or_init(|| Box::new(report));
    }

    /// The streams that exist: number, context and device of each.
    pub fn live_streams(&self) -> Vec<(u64, u64, u32)> {
        let streams = self.shared.streams(None).into_iter();
        streams
            .map(|stream| (stream.id, stream.context, stream.device.index))
            .collect()
    }

    /// The devices that were opened. Opens none.
    pub fn open_devices(&self) -> Vec<Device> {
        let opened = self.shared.opened().map(Arc::clone);
        opened
            .map(|core| Device {
                core,
                shared: Arc::clone(&self.shared),
            })
            .collect()
    }

    /// How many devices there are.
    pub fn device_count(&self) -> u32 {
        self.shared.config.visible_devices()
    }

    /// The device with this number, from 0.
    pub fn device(&self, index: i64) -> Result<Device, Error> {
        Ok(Device {
            core: Arc::clone(self.shared.device(index)?),
            shared: Arc::clone(&self.shared),
        })
    }

    /// Allocates pinned host memory, the only host memory that asynchronous copies accept.
    ///
    /// The contents are not initialised by the device; a fresh page reads as zero.
    pub fn alloc_host(&self, bytes: u64) -> Result<HostBlock, Error> {
        self.shared
            .testing
            .enter("Runtime.alloc_host", Some(bytes))?;
        let info = self.alloc_host_raw(bytes)?;
        Ok(HostBlock::new(info, Arc::clone(&self.shared)))
    }

    /// Creates an event that streams can wait for and that records its time.
    pub fn create_event(&self, kind: EventKind) -> Result<Event, Error> {
        self.shared.testing.enter("Runtime.create_event", None)?;
        self.create_event_with(kind, true, true, 0)
    }

    /// Creates an event: whether streams may wait for it (`orders`), whether it records its
    /// time (`times`), and `flags` that are only stored.
    pub fn create_event_with(
        &self,
        kind: EventKind,
        orders: bool,
        times: bool,
        flags: u32,
    ) -> Result<Event, Error> {
        let taken = self.shared.events.fetch_add(1, Ordering::Relaxed);
        if taken >= EVENT_LIMIT {
            self.shared.events.fetch_sub(1, Ordering::Relaxed);
            return Err(Error::TooMany {
                what: Limited::Events,
                limit: EVENT_LIMIT,
            });
        }
        let event = Event::new(Arc::clone(&self.shared), kind, orders, times, flags);
        self.shared
            .tap
            .emit(|| Operation::EventCreated { event: event.id() });
        Ok(event)
    }

    /// How many more events can be created.
    pub fn events_available(&self) -> u32 {
        EVENT_LIMIT.saturating_sub(self.shared.events.load(Ordering::Relaxed))
    }

    /// The receiving end for streams' reports: see [`Reports`].
    pub fn create_reports(&self) -> Reports {
        Reports::new(Arc::clone(&self.shared))
    }

    /// The live block that contains an address, in any memory of this runtime.
    pub fn find_block(&self, address: u64) -> Result<BlockInfo, Error> {
        let Some((store, _)) = self.shared.store_of(address) else {
            return Err(Error::NotABlock {
                address,
                inside: None,
                space: Space::Foreign,
            });
        };
        Ok(store.find(address)?)
    }

    /// Which memory an address belongs to, whether a block is there or not; `None` for memory of the program.
    /// Reserved addresses count as the first device's.
    pub fn space_of(&self, address: u64) -> Option<Space> {
        if let Some((_, space)) = self.shared.store_of(address) {
            return Some(space);
        }
        let reserved = self.shared.virtual_memory.holds(address);
        reserved.then_some(Space::Device(0))
    }

    /// Checks everything that [`Config::guards`] wrote into memory; a change becomes a record. This
    /// also happens when a block is freed and when a device is reset.
    pub fn check_guards(&self) {
        self.shared.check_guards();
    }

    /// The gate that closes pages of pinned memory to the program; `None` unless [`Config::pinned`] requests it, and before
    /// the first block is allocated. Takes no lock, so that sinks may call it.
    pub fn gate(&self) -> Option<&Arc<Gate>> {
        self.shared.pinned.first()?.gate()
    }

    /// A copy of pinned memory for a child that is about to be forked, because a child does not inherit pinned memory
    /// with a gate; `None` without a gate, or without room for a copy.
    pub fn freeze(&self) -> Option<Frozen> {
        self.shared.pinned.first()?.freeze()
    }

    /// How pinned host memory is used.
    pub fn host_usage(&self) -> Result<Usage, Error> {
        self.shared.pinned()?;
        Ok(self.shared.pinned.usage())
    }

    /// The addresses of all live blocks of pinned host memory.
    pub fn host_blocks(&self) -> Vec<u64> {
        let stores = self.shared.pinned.iter();
        stores.flat_map(|store| store.live_addresses()).collect()
    }

    /// A readable report of the current and peak use of every memory.
    pub fn memory_report(&self) -> String {
        self.shared.memory_report()
    }

    /// Releases idle pages of pinned host memory to the machine, and returns how many resident bytes that
    /// freed.
    pub fn trim_host(&self) -> Result<u64, Error> {
        self.shared.pinned()?;
        self.shared.pinned.iter().map(|store| store.trim()).sum()
    }

    pub(crate) fn alloc_host_raw(&self, bytes: u64) -> Result<BlockInfo, Error> {
        let bad = Error::BadSize { requested: bytes };
        if bytes == 0 {
            return Err(bad);
        }
        let rounded = bytes.checked_next_multiple_of(32).ok_or(bad)?;
        Ok(self.shared.alloc_pinned(bytes, rounded)?)
    }
}
