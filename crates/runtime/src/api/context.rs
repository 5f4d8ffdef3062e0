//! A context: streams on one device that end together, with a default stream among them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use millpond_trace::Operation;

use crate::api::device::Device;
use crate::api::stream::{Stream, StreamOptions};
use crate::error::Error;
use crate::lock::{Mutex, rank};
use crate::stream::StreamCore;

/// A group of streams on one device. It ends when it is destroyed or its last clone is dropped.
#[derive(Debug, Clone)]
pub struct Context {
    core: Arc<ContextCore>,
}

#[derive(Debug)]
struct ContextCore {
    id: u64,
    device: Device,
    default: Stream,
    streams: Mutex<rank::ContextStreams, Vec<Weak<StreamCore>>>,
    ended: AtomicBool,
}

impl Drop for ContextCore {
    fn drop(&mut self) {
        if *self.ended.get_mut() {
            return;
        }
        // Nobody can ask for them any more; what is queued still runs.
        for stream in self.streams.get_mut().iter().filter_map(Weak::upgrade) {
            stream.close();
        }
        self.device
            .shared
            .tap
            .emit(|| Operation::ContextDestroyed { context: self.id });
    }
}

impl Context {
    pub(crate) fn create(device: &Device) -> Result<Self, Error> {
        let id = device.shared.next_id();
        let tap = &device.shared.tap;
        tap.emit(|| Operation::ContextCreated {
            context: id,
            device: device.index(),
        });
        let options = StreamOptions::default();
        let default = Stream::create(&device.shared, &device.core, id, options)
            .inspect_err(|_| tap.emit(|| Operation::ContextDestroyed { context: id }))?;
        Ok(Self {
            core: Arc::new(ContextCore {
                id,
                device: device.clone(),
                default,
                streams: Mutex::default(),
                ended: AtomicBool::new(false),
            }),
        })
    }

    /// Its number; no other context of the runtime ever has it.
    pub fn id(&self) -> u64 {
        self.core.id
    }

    /// The device it belongs to.
    #[inline]
    pub fn device(&self) -> &Device {
        &self.core.device
    }

    /// The stream that is used when none is named.
    #[inline]
    pub fn default_stream(&self) -> &Stream {
        &self.core.default
    }

    /// Creates a stream in this context.
    pub fn create_stream(&self, options: StreamOptions) -> Result<Stream, Error> {
        if self.has_ended() {
            return Err(Error::ContextGone);
        }
        let device = &self.core.device;
        let stream = Stream::create(&device.shared, &device.core, self.core.id, options)?;
        let mut streams = self.core.streams.lock();
        streams.retain(|known| known.strong_count() != 0);
        streams.push(Arc::downgrade(stream.core()));
        Ok(stream)
    }

    /// Whether it was destroyed.
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.core.ended.load(Ordering::Acquire)
    }

    /// Waits for the work of its streams, then closes them all.
    pub fn destroy(&self) -> Result<(), Error> {
        if self.core.ended.swap(true, Ordering::AcqRel) {
            return Err(Error::ContextGone);
        }
        let mut first = Ok(());
        let streams: Vec<_> = self
            .core
            .streams
            .lock()
            .iter()
            .filter_map(Weak::upgrade)
            .collect();
        for stream in streams.iter().chain([self.core.default.core()]) {
            if !stream.is_closed() {
                first = first.and(Stream::finish_core(stream));
            }
        }
        self.core
            .device
            .shared
            .tap
            .emit(|| Operation::ContextDestroyed {
                context: self.core.id,
            });
        first
    }

    /// Ends it at once: tasks that have not begun are dropped.
    pub fn destroy_force(&self) {
        if self.core.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        let streams: Vec<_> = self
            .core
            .streams
            .lock()
            .iter()
            .filter_map(Weak::upgrade)
            .collect();
        for stream in streams.iter().chain([self.core.default.core()]) {
            stream.abort(true);
        }
        self.core
            .device
            .shared
            .tap
            .emit(|| Operation::ContextDestroyed {
                context: self.core.id,
            });
    }
}
