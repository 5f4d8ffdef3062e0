//! A runtime for tests: it tracks everything, refuses a chosen call, and panics at
//! what a real runtime would not forgive.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::calls::{Calls, Refused};

pub(crate) const NO_MEMORY: i32 = 207_001;

#[derive(Debug, Default)]
struct State {
    device: i32,
    virtual_memory: bool,
    capacity: u64,
    /// Calls that could be refused, so far; and the one that will be.
    calls: u64,
    refuse: Option<u64>,
    next: u64,
    used: u64,
    /// Address and length.
    mallocs: BTreeMap<u64, u64>,
    reserved: BTreeMap<u64, u64>,
    /// Handle and length.
    physical: HashMap<u64, u64>,
    /// Address, with length and handle.
    mapped: BTreeMap<u64, (u64, u64)>,
    /// Tasks that were put into a stream, and those that are over.
    streams: HashMap<u64, (u64, u64)>,
    /// The stream that an event was recorded on, and behind which task.
    events: HashMap<u64, Option<(u64, u64)>>,
    descriptors: HashMap<u64, usize>,
    waits: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Fake(Mutex<State>);

impl Fake {
    pub(crate) fn new(virtual_memory: bool, capacity: u64) -> Arc<Self> {
        Self::on(0, virtual_memory, capacity)
    }

    pub(crate) fn on(device: i32, virtual_memory: bool, capacity: u64) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State {
            device,
            virtual_memory,
            capacity,
            next: 1,
            ..State::default()
        })))
    }

    /// Refuses the call with this number, counted from now, and no other.
    pub(crate) fn refuse(&self, call: Option<u64>) {
        let mut state = self.0.lock();
        state.refuse = call.map(|call| state.calls + call);
    }

    pub(crate) fn calls(&self) -> u64 {
        self.0.lock().calls
    }

    /// Puts a task into a stream; returns its number.
    pub(crate) fn enqueue(&self, stream: u64) -> u64 {
        let mut state = self.0.lock();
        let tasks = state.streams.entry(stream).or_default();
        tasks.0 += 1;
        tasks.0
    }

    /// Lets a stream run up to a task.
    pub(crate) fn run_to(&self, stream: u64, task: u64) {
        let mut state = self.0.lock();
        let tasks = state.streams.entry(stream).or_default();
        tasks.1 = tasks.1.max(task.min(tasks.0));
    }

    pub(crate) fn run(&self, stream: u64) {
        self.run_to(stream, u64::MAX);
    }

    /// Up to which task a stream has run.
    pub(crate) fn over(&self, stream: u64) -> u64 {
        self.0
            .lock()
            .streams
            .get(&stream)
            .map_or(0, |tasks| tasks.1)
    }

    /// The object in a descriptor.
    pub(crate) fn object(&self, descriptor: u64) -> Option<usize> {
        self.0.lock().descriptors.get(&descriptor).copied()
    }

    pub(crate) fn waits(&self) -> u64 {
        self.0.lock().waits
    }

    /// Bytes of device memory that have not been given back.
    pub(crate) fn used(&self) -> u64 {
        self.0.lock().used
    }

    /// Everything that has not been given back: pieces, reservations, events, descriptors.
    pub(crate) fn outstanding(&self) -> [usize; 4] {
        let state = self.0.lock();
        [
            state.mallocs.len() + state.physical.len() + state.mapped.len(),
            state.reserved.len(),
            state.events.len(),
            state.descriptors.len(),
        ]
    }

    /// Whether a range is in memory that is contiguous.
    pub(crate) fn backs(&self, address: u64, bytes: u64) -> bool {
        let state = self.0.lock();
        if let Some((start, length)) = state.mallocs.range(..=address).next_back()
            && address + bytes <= start + length
        {
            return true;
        }
        let mut at = address;
        while let Some((start, (length, _))) = state.mapped.range(..=at).next_back() {
            if at >= start + length {
                return false;
            }
            at = start + length;
            if at >= address + bytes {
                return true;
            }
        }
        false
    }

    /// One call that can be refused.
    fn call(&self, call: &'static str) -> Result<parking_lot::MutexGuard<'_, State>, Refused> {
        let mut state = self.0.lock();
        state.calls += 1;
        if state.refuse == Some(state.calls) {
            return Err(Refused {
                call,
                code: 507_899,
            });
        }
        Ok(state)
    }
}

impl State {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn take(&mut self, call: &'static str, bytes: u64) -> Result<(), Refused> {
        if self.used + bytes > self.capacity {
            return Err(Refused {
                call,
                code: NO_MEMORY,
            });
        }
        self.used += bytes;
        Ok(())
    }
}

impl Calls for Fake {
    fn records(&self) -> bool {
        false
    }

    fn device(&self) -> Result<i32, Refused> {
        Ok(self.call("device")?.device)
    }

    fn total(&self) -> Result<u64, Refused> {
        Ok(self.call("total")?.capacity)
    }

    fn context(&self) -> Option<usize> {
        None
    }

    fn set_context(&self, _: usize) -> Result<(), Refused> {
        Ok(())
    }

    fn malloc(&self, bytes: u64) -> Result<u64, Refused> {
        let mut state = self.call("malloc")?;
        state.take("malloc", bytes)?;
        // Far from each other, and at no page's start.
        let address = (0x1000 << 32) + state.number() * (64 << 30) + 64;
        state.mallocs.insert(address, bytes);
        Ok(address)
    }

    fn free(&self, address: u64) -> Result<(), Refused> {
        let mut state = self.call("free")?;
        state.used -= state
            .mallocs
            .remove(&address)
            .expect("memory that was allocated");
        Ok(())
    }

    fn granularity(&self, _: i32) -> Result<u64, Refused> {
        let state = self.call("granularity")?;
        if state.virtual_memory {
            Ok(2 << 20)
        } else {
            Err(Refused {
                call: "granularity",
                code: 207_000,
            })
        }
    }

    fn reserve(&self, bytes: u64) -> Result<u64, Refused> {
        let mut state = self.call("reserve")?;
        let address = state.number() << 44;
        state.reserved.insert(address, bytes);
        Ok(address)
    }

    fn release(&self, address: u64) {
        let mut state = self.0.lock();
        let bytes = state
            .reserved
            .remove(&address)
            .expect("a range that was reserved");
        let inside = state.mapped.range(address..address + bytes).count();
        assert_eq!(inside, 0, "nothing is mapped in a range that is released");
    }

    fn physical(&self, _: i32, bytes: u64) -> Result<u64, Refused> {
        let mut state = self.call("physical")?;
        state.take("physical", bytes)?;
        let handle = state.number();
        state.physical.insert(handle, bytes);
        Ok(handle)
    }

    fn free_physical(&self, handle: u64) {
        let mut state = self.0.lock();
        assert!(state.mapped.values().all(|mapped| mapped.1 != handle));
        state.used -= state
            .physical
            .remove(&handle)
            .expect("memory that was allocated");
    }

    fn map(&self, address: u64, bytes: u64, handle: u64) -> Result<(), Refused> {
        let mut state = self.call("map")?;
        assert_eq!(
            state.physical.get(&handle),
            Some(&bytes),
            "mapped as a whole"
        );
        assert!(state.mapped.values().all(|mapped| mapped.1 != handle));
        let (start, length) = state
            .reserved
            .range(..=address)
            .next_back()
            .expect("a range");
        assert!(address + bytes <= start + length);
        let before = state.mapped.insert(address, (bytes, handle));
        assert_eq!(before, None, "one piece at a time");
        Ok(())
    }

    fn unmap(&self, address: u64) -> Result<(), Refused> {
        let mut state = self.call("unmap")?;
        state
            .mapped
            .remove(&address)
            .expect("a piece that is mapped");
        Ok(())
    }

    fn stream_idle(&self, stream: u64) -> Result<bool, Refused> {
        let state = self.call("stream_idle")?;
        Ok(state
            .streams
            .get(&stream)
            .is_none_or(|tasks| tasks.0 == tasks.1))
    }

    fn create_event(&self) -> Result<u64, Refused> {
        let mut state = self.call("create_event")?;
        let event = state.number();
        state.events.insert(event, None);
        Ok(event)
    }

    fn record_event(&self, event: u64, stream: u64) -> Result<(), Refused> {
        let mut state = self.call("record_event")?;
        let tasks = state.streams.get(&stream).map_or(0, |tasks| tasks.0);
        let old = state.events.insert(event, Some((stream, tasks)));
        assert_eq!(old, Some(None), "an event that was never recorded");
        Ok(())
    }

    fn event_passed(&self, event: u64) -> Result<bool, Refused> {
        let state = self.call("event_passed")?;
        let recorded = state.events.get(&event).expect("an event that exists");
        Ok(recorded.is_some_and(|(stream, task)| {
            state
                .streams
                .get(&stream)
                .is_none_or(|tasks| tasks.1 >= task)
        }))
    }

    fn wait_for_event(&self, event: u64) -> Result<(), Refused> {
        let mut state = self.call("wait_for_event")?;
        let recorded = state.events.get(&event).expect("an event that exists");
        let (stream, task) = recorded.expect("a wait for what was recorded");
        let tasks = state.streams.entry(stream).or_default();
        tasks.1 = tasks.1.max(task);
        state.waits += 1;
        Ok(())
    }

    fn destroy_event(&self, event: u64) {
        let gone = self.0.lock().events.remove(&event);
        assert!(gone.is_some(), "an event that exists");
    }

    fn describe(&self, object: usize) -> Result<u64, Refused> {
        let mut state = self.call("describe")?;
        let descriptor = u64::from(state.device.unsigned_abs()) << 32 | state.number();
        state.descriptors.insert(descriptor, object);
        Ok(descriptor)
    }

    fn destroy_descriptor(&self, descriptor: u64) {
        let gone = self.0.lock().descriptors.remove(&descriptor);
        assert!(gone.is_some(), "a descriptor that exists");
    }
}
