//! The tap: emits records to sinks.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::record::{Site, StackRef, Text};
use crate::{Operation, Record};

/// A receiver of records. It is called as they happen, on the thread that emits them.
///
/// A sink must not call back into the runtime whose records it reads.
pub trait Sink: Send + Sync + fmt::Debug {
    /// Receives one record. Records arrive one at a time, in the order of their numbers.
    fn record(&self, record: &Record);

    /// Whether it needs the records that only tell times: [`Operation::TaskBegan`], [`Operation::WorkBegan`],
    /// [`Operation::Returned`] and [`Operation::MemoryUsed`]. If one sink does, all of them get these.
    fn wants_times(&self) -> bool {
        false
    }
}

/// Emits the records of one runtime.
#[derive(Debug)]
pub struct Tap {
    listening: AtomicBool,
    /// Whether a sink wants times. Never set without `listening`.
    timing: AtomicBool,
    /// Held while sinks are called, so that they see one order and need no lock.
    listeners: Mutex<Listeners>,
    began: Instant,
}

#[derive(Debug, Default)]
struct Listeners {
    sinks: Vec<Arc<dyn Sink>>,
    /// The number of the last record.
    last: u64,
}

impl Default for Tap {
    fn default() -> Self {
        Self {
            listening: AtomicBool::new(false),
            timing: AtomicBool::new(false),
            listeners: Mutex::default(),
            began: Instant::now(),
        }
    }
}

impl Tap {
    /// Nanoseconds since it was made: the time of a record that is emitted now.
    pub fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Attaches a sink. It sees every operation that begins from now on.
    pub fn attach(&self, sink: Arc<dyn Sink>) {
        let mut listeners = self.listeners();
        listeners.sinks.push(sink);
        self.note(&listeners);
    }

    /// Detaches a sink that was attached before.
    pub fn detach(&self, sink: &Arc<dyn Sink>) {
        let mut listeners = self.listeners();
        listeners.sinks.retain(|known| !Arc::ptr_eq(known, sink));
        self.note(&listeners);
    }

    /// Updates what is asked without the lock.
    fn note(&self, listeners: &Listeners) {
        let timing = listeners.sinks.iter().any(|sink| sink.wants_times());
        self.timing.store(timing, Ordering::Release);
        self.listening
            .store(!listeners.sinks.is_empty(), Ordering::Release);
    }

    /// Whether a sink is attached.
    #[inline]
    pub fn listening(&self) -> bool {
        self.listening.load(Ordering::Relaxed)
    }

    /// Whether an attached sink wants times.
    #[inline]
    pub fn timing(&self) -> bool {
        self.timing.load(Ordering::Relaxed)
    }

    /// Emits what `operation` builds, if a sink wants times.
    #[inline]
    pub fn emit_time(&self, operation: impl FnOnce() -> Operation) {
        if self.timing() {
            self.deliver(thread_number(), operation());
        }
    }

    /// Emits what `operation` builds, if a sink is attached.
    #[inline]
    pub fn emit(&self, operation: impl FnOnce() -> Operation) {
        if self.listening() {
            self.deliver(thread_number(), operation());
        }
    }

    /// The same for an operation of another thread, whose number is unknown here.
    pub fn emit_for_another(&self, operation: impl FnOnce() -> Operation) {
        if self.listening() {
            self.deliver(0, operation());
        }
    }

    #[cold]
    fn deliver(&self, thread: u64, operation: Operation) {
        let (call, caller, stack) = SITE.get();
        let site = Site {
            call: Text::Borrowed(call),
            caller,
            stack,
        };
        let mut listeners = self.listeners();
        listeners.last += 1;
        let record = Record {
            order: listeners.last,
            nanoseconds: self.now(),
            thread,
            site,
            operation,
        };
        for sink in &listeners.sinks {
            sink.record(&record);
        }
    }

    fn listeners(&self) -> MutexGuard<'_, Listeners> {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

thread_local! {
    static SITE: Cell<(&'static str, u64, StackRef)> = const { Cell::new(("", 0, 0)) };
}

/// Sets the call site of this thread's records until it is dropped.
#[derive(Debug)]
pub struct CallSite {
    before: (&'static str, u64, StackRef),
}

impl CallSite {
    /// The called function, its return address, and the stack if one was recorded.
    pub fn note(call: &'static str, caller: u64, stack: StackRef) -> Self {
        Self {
            before: SITE.replace((call, caller, stack)),
        }
    }

    /// The function that this thread is in, for records: empty outside of one.
    pub fn function() -> &'static str {
        SITE.get().0
    }

    /// The return address and the stack of the call that this thread is in.
    pub fn current() -> (u64, StackRef) {
        let (_, caller, stack) = SITE.get();
        (caller, stack)
    }
}

impl Drop for CallSite {
    fn drop(&mut self) {
        SITE.set(self.before);
    }
}

/// The number of this thread, from 1 in order of first use; 0 while it ends.
pub fn thread_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.try_with(|number| *number).unwrap_or(0)
}

/// A sink that keeps every record, for tests and small tools.
#[derive(Debug, Default)]
pub struct Collector {
    records: Mutex<Vec<Record>>,
}

impl Collector {
    /// Everything collected so far, in order.
    pub fn records(&self) -> Vec<Record> {
        self.lock().clone()
    }

    /// The operations collected so far, in order.
    pub fn operations(&self) -> Vec<Operation> {
        self.records()
            .into_iter()
            .map(|record| record.operation)
            .collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for Collector {
    fn record(&self, record: &Record) {
        self.lock().push(record.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default)]
    struct Timed(Collector);

    impl Sink for Timed {
        fn record(&self, record: &Record) {
            self.0.record(record);
        }

        fn wants_times(&self) -> bool {
            true
        }
    }

    #[test]
    fn times_are_recorded_only_while_a_sink_wants_them() {
        let tap = Tap::default();
        let plain = Arc::new(Collector::default());
        tap.attach(plain.clone());
        tap.emit_time(|| unreachable!("nobody wants times"));
        let timed: Arc<dyn Sink> = Arc::new(Timed::default());
        tap.attach(Arc::clone(&timed));
        let returned = Operation::Returned { began: 1, code: 0 };
        tap.emit_time(|| returned.clone());
        tap.detach(&timed);
        assert!(tap.listening());
        tap.emit_time(|| unreachable!("nobody wants times any more"));
        // The numbers of records have no gaps, for whichever sink.
        assert_eq!(plain.operations(), [returned]);
        assert_eq!(plain.records()[0].order, 1);
    }

    #[test]
    fn a_record_is_built_only_for_a_sink() {
        let tap = Tap::default();
        tap.emit(|| unreachable!("nobody listens"));
        let collector = Arc::new(Collector::default());
        let sink: Arc<dyn Sink> = collector.clone();
        tap.attach(Arc::clone(&sink));
        tap.emit(|| Operation::DeviceReset { device: 1 });
        {
            let _site = CallSite::note("aclrtResetDevice", 77, 3);
            tap.emit(|| Operation::DeviceReset { device: 2 });
        }
        tap.detach(&sink);
        tap.emit(|| unreachable!("nobody listens any more"));
        let records = collector.records();
        assert_eq!(records.len(), 2);
        assert_eq!((records[0].order, &records[0].site), (1, &Site::default()));
        let site = &records[1].site;
        assert_eq!(
            (site.call.as_ref(), site.caller, site.stack),
            ("aclrtResetDevice", 77, 3)
        );
    }
}
