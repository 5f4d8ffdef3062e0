//! What is known of the order of streams, over all pools of the process.
//!
//! There is one count of *moments*. A free happens at the current moment. What divides time begins a new one: a record of an
//! event, a synchronisation, an event of our own (an *epoch*). So work that was queued before the free of moment `f` is in front
//! of an event that ended moment `m` if `f <= m`, and a free costs no more than reading a number that changes rarely.
//!
//! The argument for threads: a free at `f` reads the count after its work was queued; a record ends moment `m` before the driver's
//! call. If `f <= m`, the free read the count before it was raised, so its work was queued before the driver's record.
//!
//! A stream's clock has what it waited for. An event captures the clock of its stream before the driver's call. Who waits merges
//! what was captured, after the driver's call, and only if the event was not recorded again in between.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

use millpond_pool::{Clock, HOST};
use parking_lot::{Mutex, RwLock};

use super::epochs::Epochs;

/// Which stream of which driver a handle means: default streams are one per device, or per thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) handle: u64,
    /// The device of a default stream; 0 for others.
    pub(crate) device: i32,
    /// The thread of a default stream that each thread has; 0 for others.
    pub(crate) thread: u64,
}

/// A stream, as far as it matters for order.
#[derive(Debug)]
pub(crate) struct Stream {
    /// Its number in pools; never reused.
    pub(crate) id: u64,
    pub(crate) key: Key,
    /// Where it is; -1 if that is not known.
    device: AtomicI32,
    /// Memory of another device is used there.
    guest: AtomicBool,
    /// Memory depends on how far it is.
    needed: AtomicBool,
    /// Up to which moment its work has passed; `u64::MAX` when it is over.
    passed: AtomicU64,
    clock: Mutex<Clock>,
    pub(crate) epochs: Mutex<Epochs>,
    /// It was destroyed.
    gone: AtomicBool,
    /// All that was queued before it was destroyed came before the end of this moment.
    end: AtomicU64,
}

impl Stream {
    fn new(id: u64, key: Key, device: i32) -> Self {
        Self {
            id,
            key,
            device: AtomicI32::new(device),
            guest: AtomicBool::new(false),
            needed: AtomicBool::new(false),
            passed: AtomicU64::new(0),
            clock: Mutex::default(),
            epochs: Mutex::default(),
            gone: AtomicBool::new(false),
            end: AtomicU64::new(u64::MAX),
        }
    }

    pub(crate) fn device(&self) -> i32 {
        self.device.load(Ordering::Relaxed)
    }

    /// Memory of a device depends on how far it is.
    pub(crate) fn serves(&self, device: i32) {
        self.needed.store(true, Ordering::Relaxed);
        if self.device() != device {
            self.guest.store(true, Ordering::Relaxed);
        }
    }

    /// Whether memory of a device may wait for it.
    pub(crate) fn concerns(&self, device: i32) -> bool {
        self.device() == device || self.guest.load(Ordering::Relaxed)
    }

    pub(crate) fn passed(&self) -> u64 {
        self.passed.load(Ordering::Acquire)
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    /// Its work up to a moment is over. Answers whether that is new.
    pub(crate) fn learn(&self, moment: u64) -> bool {
        self.passed.fetch_max(moment, Ordering::AcqRel) < moment
    }

    /// Its clock, and the moment from which on others know what it knows.
    pub(crate) fn knows(&self) -> (Clock, u64) {
        let clock = self.clock.lock();
        (clock.clone(), now())
    }

    /// Ends the moment, before a call that divides its work.
    pub(crate) fn capture(self: &Arc<Self>) -> Captured {
        let clock = self.clock.lock();
        let moment = end_moment();
        Captured {
            stream: Arc::clone(self),
            moment,
            clock: clock.clone(),
        }
    }

    /// It comes after what was captured.
    pub(crate) fn merge(&self, captured: &Captured) {
        let mut clock = self.clock.lock();
        clock.merge(&captured.clock);
        clock.learn(captured.stream.id, captured.moment);
        if clock.len() > 64 {
            let streams = STREAMS.read();
            clock.forget(|stream, moment| streams.passed(stream) >= moment);
        }
    }
}

/// What a stream had queued and knew at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Captured {
    stream: Arc<Stream>,
    moment: u64,
    clock: Clock,
}

impl Captured {
    /// All of it is over. Answers whether that is new.
    pub(crate) fn is_over(&self) -> bool {
        let mut new = self.stream.learn(self.moment);
        let streams = STREAMS.read();
        for (stream, moment) in self.clock.entries() {
            if let Some(stream) = streams.by_id.get(&stream) {
                new |= stream.learn(moment);
            }
        }
        new
    }

    pub(crate) fn moment(&self) -> u64 {
        self.moment
    }
}

/// On cache lines of its own: every free reads it.
#[repr(align(256))]
struct Aside(AtomicU64);

static MOMENT: Aside = Aside(AtomicU64::new(1));

/// The current moment.
#[inline(always)]
pub(crate) fn now() -> u64 {
    MOMENT.0.load(Ordering::Acquire)
}

/// Ends the current moment and returns it.
pub(crate) fn end_moment() -> u64 {
    MOMENT.0.fetch_add(1, Ordering::AcqRel)
}

/// All streams that are not over.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    by_key: Option<HashMap<Key, Arc<Stream>>>,
    by_id: std::collections::BTreeMap<u64, Arc<Stream>>,
}

static STREAMS: RwLock<Streams> = RwLock::new(Streams {
    by_key: None,
    by_id: std::collections::BTreeMap::new(),
});

impl Streams {
    /// Up to which moment the work of a stream has passed. One that is not known is over, or was never one.
    pub(crate) fn passed(&self, stream: u64) -> u64 {
        if stream == HOST {
            return u64::MAX;
        }
        self.by_id
            .get(&stream)
            .map_or(u64::MAX, |stream| stream.passed())
    }
}

/// The stream of a key, made if it is new. `device` says where it is, or -1, and is asked until it knows.
pub(crate) fn stream(key: Key, device: impl FnOnce() -> i32) -> Arc<Stream> {
    static NEXT: AtomicU64 = AtomicU64::new(HOST + 1);
    let found = |streams: &Streams| streams.by_key.as_ref()?.get(&key).cloned();
    let known = found(&STREAMS.read());
    if let Some(stream) = &known
        && stream.device() >= 0
    {
        return Arc::clone(stream);
    }
    let device = device();
    let stream = known.unwrap_or_else(|| {
        let mut streams = STREAMS.write();
        found(&streams).unwrap_or_else(|| {
            let id = NEXT.fetch_add(1, Ordering::Relaxed);
            let stream = Arc::new(Stream::new(id, key, device));
            let by_key = streams.by_key.get_or_insert_default();
            by_key.insert(key, Arc::clone(&stream));
            streams.by_id.insert(id, Arc::clone(&stream));
            stream
        })
    });
    if device >= 0 {
        stream.device.store(device, Ordering::Relaxed);
    }
    stream
}

/// The stream of a key, if it is known.
pub(crate) fn known(key: Key) -> Option<Arc<Stream>> {
    STREAMS.read().by_key.as_ref()?.get(&key).cloned()
}

/// All streams that are not over.
pub(crate) fn all() -> Vec<Arc<Stream>> {
    STREAMS.read().by_id.values().cloned().collect()
}

/// Up to which moment the work of each stream has passed, at one moment.
pub(crate) fn passed() -> Passed {
    let streams = STREAMS.read();
    let all = streams.by_id.iter();
    Passed(all.map(|(&id, stream)| (id, stream.passed())).collect())
}

/// See [`passed`]. Sorted by stream.
#[derive(Debug)]
pub(crate) struct Passed(Vec<(u64, u64)>);

impl Passed {
    pub(crate) fn of(&self, stream: u64) -> u64 {
        match self.0.binary_search_by_key(&stream, |entry| entry.0) {
            Ok(at) => self.0[at].1,
            // Also HOST.
            Err(_) => u64::MAX,
        }
    }
}

/// The program destroys a stream. Called before the last epoch.
pub(crate) fn ends(stream: &Stream) {
    stream.end.store(end_moment(), Ordering::Release);
}

/// Its handle may soon be another's. What it has queued is over when its last epoch has passed, or a synchronisation says so.
pub(crate) fn gone(stream: &Arc<Stream>) {
    stream.gone.store(true, Ordering::Release);
    let mut streams = STREAMS.write();
    if let Some(by_key) = &mut streams.by_key
        && by_key
            .get(&stream.key)
            .is_some_and(|other| other.id == stream.id)
    {
        by_key.remove(&stream.key);
    }
}

/// Forgets streams that were destroyed and have passed everything. Pools then treat them as over.
pub(crate) fn sweep() {
    let is_over = |stream: &Arc<Stream>| {
        let has_passed = || {
            !stream.needed.load(Ordering::Relaxed)
                || stream.passed() >= stream.end.load(Ordering::Acquire)
        };
        stream.is_gone() && has_passed() && stream.epochs.lock().is_empty()
    };
    if STREAMS.read().by_id.values().any(is_over) {
        STREAMS.write().by_id.retain(|_, stream| !is_over(stream));
    }
}

/// The work of all streams of a device that was queued at a moment is over.
pub(crate) fn device_passed(device: i32, moment: u64) {
    for stream in all() {
        if stream.device() == device {
            stream.learn(moment);
        }
    }
    sweep();
}

// Events.

const SHARDS: usize = 64;

#[derive(Debug, Default)]
struct Event {
    /// `None` while it is recorded.
    captured: Option<Captured>,
    /// Changes with every record.
    record: u64,
}

static EVENTS: [Mutex<Option<HashMap<u64, Event>>>; SHARDS] = [const { Mutex::new(None) }; SHARDS];

fn shard(event: u64) -> &'static Mutex<Option<HashMap<u64, Event>>> {
    // Events are objects of some hundred bytes.
    let at = (event >> 4 ^ event >> 10) % SHARDS as u64;
    &EVENTS[usize::try_from(at).unwrap_or(0)]
}

/// An event is about to be recorded: until [`recorded`] nothing is known of it.
pub(crate) fn recording(event: u64) -> u64 {
    static RECORDS: AtomicU64 = AtomicU64::new(1);
    let record = RECORDS.fetch_add(1, Ordering::Relaxed);
    let mut events = shard(event).lock();
    let events = events.get_or_insert_default();
    events.insert(
        event,
        Event {
            captured: None,
            record,
        },
    );
    record
}

/// It was recorded, with what was captured before the driver's call.
pub(crate) fn recorded(event: u64, record: u64, captured: Captured) {
    let mut events = shard(event).lock();
    if let Some(known) = events.as_mut().and_then(|events| events.get_mut(&event))
        && known.record == record
    {
        known.captured = Some(captured);
    }
}

/// Nothing is known of it any more.
pub(crate) fn forget_event(event: u64) {
    if let Some(events) = shard(event).lock().as_mut() {
        events.remove(&event);
    }
}

/// What an event stands for, and which record that is.
pub(crate) fn look(event: u64) -> Option<(u64, Captured)> {
    let events = shard(event).lock();
    let known = events.as_ref()?.get(&event)?;
    Some((known.record, known.captured.clone()?))
}

/// Whether an event still stands for that record.
pub(crate) fn is_still(event: u64, record: u64) -> bool {
    let events = shard(event).lock();
    let known = events.as_ref().and_then(|events| events.get(&event));
    known.is_some_and(|known| known.record == record)
}

/// What was seen of the program.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) records: AtomicU64,
    pub(crate) waits: AtomicU64,
    pub(crate) synchronisations: AtomicU64,
}

pub(crate) static SEEN: Seen = Seen {
    records: AtomicU64::new(0),
    waits: AtomicU64::new(0),
    synchronisations: AtomicU64::new(0),
};
