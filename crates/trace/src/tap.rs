//! Where records come out.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use crate::{Operation, Record};

/// Something that reads records as they happen, on the thread that made them.
///
/// A sink must not call back into the runtime whose records it reads.
pub trait Sink: Send + Sync + fmt::Debug {
    /// Takes one record. Records of different threads may arrive out of order; their numbers tell.
    fn record(&self, record: &Record);
}

/// The one place a runtime's records come out of.
#[derive(Debug)]
pub struct Tap {
    listening: AtomicBool,
    sinks: RwLock<Vec<Arc<dyn Sink>>>,
    order: AtomicU64,
    began: Instant,
}

impl Default for Tap {
    fn default() -> Self {
        Self {
            listening: AtomicBool::new(false),
            sinks: RwLock::default(),
            order: AtomicU64::new(0),
            began: Instant::now(),
        }
    }
}

impl Tap {
    /// Attaches a sink. It sees every operation that begins from now on.
    pub fn attach(&self, sink: Arc<dyn Sink>) {
        let mut sinks = self.sinks.write().unwrap_or_else(PoisonError::into_inner);
        sinks.push(sink);
        self.listening.store(true, Ordering::Release);
    }

    /// Detaches a sink that was attached before.
    pub fn detach(&self, sink: &Arc<dyn Sink>) {
        let mut sinks = self.sinks.write().unwrap_or_else(PoisonError::into_inner);
        sinks.retain(|known| !Arc::ptr_eq(known, sink));
        self.listening.store(!sinks.is_empty(), Ordering::Release);
    }

    /// Whether anybody listens.
    #[inline]
    pub fn listening(&self) -> bool {
        self.listening.load(Ordering::Relaxed)
    }

    /// Emits what `operation` builds, if anybody listens.
    #[inline]
    pub fn emit(&self, operation: impl FnOnce() -> Operation) {
        if self.listening() {
            self.deliver(operation());
        }
    }

    #[cold]
    fn deliver(&self, operation: Operation) {
        let record = Record {
            order: self.order.fetch_add(1, Ordering::Relaxed) + 1,
            nanoseconds: u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX),
            thread: thread_number(),
            caller: CALLER.get(),
            operation,
        };
        let sinks = self.sinks.read().unwrap_or_else(PoisonError::into_inner);
        for sink in sinks.iter() {
            sink.record(&record);
        }
    }
}

thread_local! {
    static CALLER: Cell<u64> = const { Cell::new(0) };
}

/// Notes, for the records of this thread, where the program called from, until it is dropped.
#[derive(Debug)]
pub struct CallSite {
    before: u64,
}

impl CallSite {
    /// Notes the return address of the call that is being carried out.
    pub fn note(address: u64) -> Self {
        Self {
            before: CALLER.replace(address),
        }
    }
}

impl Drop for CallSite {
    fn drop(&mut self) {
        CALLER.set(self.before);
    }
}

/// A number for this thread, from 1 in the order in which threads are first seen.
fn thread_number() -> u64 {
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
        let mut records = self.lock().clone();
        records.sort_by_key(|record| record.order);
        records
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

    #[test]
    fn a_record_is_built_only_when_somebody_listens() {
        let tap = Tap::default();
        tap.emit(|| unreachable!("nobody listens"));
        let collector = Arc::new(Collector::default());
        let sink: Arc<dyn Sink> = collector.clone();
        tap.attach(Arc::clone(&sink));
        tap.emit(|| Operation::DeviceReset { device: 1 });
        {
            let _site = CallSite::note(77);
            tap.emit(|| Operation::DeviceReset { device: 2 });
        }
        tap.detach(&sink);
        tap.emit(|| unreachable!("nobody listens any more"));
        let records = collector.records();
        assert_eq!(records.len(), 2);
        assert_eq!((records[0].order, records[0].caller), (1, 0));
        assert_eq!((records[1].order, records[1].caller), (2, 77));
    }
}
