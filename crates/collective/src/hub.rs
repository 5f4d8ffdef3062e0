//! What the communicators of one process share: the bell, the thread that answers it, and the segments.
//!
//! The thread sleeps until a rank rings. While operations wait, it also looks now and then whether the ranks they wait for still live
//! and whether their time is up.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use millpond_sharing::{Bell, BellName, Segment};
use parking_lot::Mutex;

use crate::communicator::Communicator;

/// How often the ranks that operations wait for are looked at.
const LOOK: Duration = Duration::from_millis(100);

/// What the communicators of one process share.
#[derive(Debug)]
pub struct Hub {
    bell: Bell,
    watched: Mutex<Watched>,
    segments: Mutex<HashMap<[u8; 16], Kept>>,
}

#[derive(Debug, Default)]
struct Watched {
    communicators: Vec<Arc<Communicator>>,
    is_running: bool,
}

/// A segment, and further descriptors of it that arrived: closing one would release the process's claims.
#[derive(Debug, Default)]
struct Kept {
    segment: Weak<Segment>,
    descriptors: Vec<OwnedFd>,
}

impl Hub {
    /// A hub without communicators. Its thread starts with the first operation that waits.
    pub fn new() -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            bell: Bell::new()?,
            watched: Mutex::default(),
            segments: Mutex::default(),
        }))
    }

    pub(crate) fn bell(&self) -> BellName {
        self.bell.name()
    }

    pub(crate) fn ring(&self, other: BellName) {
        self.bell.ring(other);
    }

    /// The process's only value for a segment.
    pub(crate) fn segment(
        &self,
        id: [u8; 16],
        descriptor: Option<OwnedFd>,
        make: impl FnOnce() -> io::Result<Segment>,
    ) -> io::Result<Arc<Segment>> {
        let mut segments = self.segments.lock();
        segments.retain(|_, kept| kept.segment.strong_count() > 0);
        let kept = segments.entry(id).or_default();
        if let Some(segment) = kept.segment.upgrade() {
            kept.descriptors.extend(descriptor);
            return Ok(segment);
        }
        let segment = Arc::new(match descriptor {
            Some(descriptor) => Segment::open(descriptor)?,
            None => make()?,
        });
        kept.segment = Arc::downgrade(&segment);
        Ok(segment)
    }

    /// Looks at a communicator until nothing of it is left.
    pub(crate) fn watch(self: &Arc<Self>, communicator: &Arc<Communicator>) {
        if communicator.watched.swap(true, Ordering::SeqCst) {
            return;
        }
        let mut watched = self.watched.lock();
        watched.communicators.push(Arc::clone(communicator));
        if !watched.is_running {
            let hub = Arc::clone(self);
            let started = thread::Builder::new()
                .name("millpond-ranks".to_owned())
                .spawn(move || hub.run());
            watched.is_running = started.is_ok();
        }
        drop(watched);
        // The thread may sleep without a limit, and what rang before it knew the communicator is forgotten.
        self.ring(self.bell());
    }

    fn run(&self) {
        let mut looked = Instant::now();
        loop {
            let communicators = self.watched.lock().communicators.clone();
            for communicator in &communicators {
                if !communicator.advance() {
                    self.forget(communicator);
                }
            }
            let limit = (!communicators.is_empty()).then_some(LOOK);
            drop(communicators);
            self.bell.wait(limit);
            let now = Instant::now();
            if now.saturating_duration_since(looked) >= LOOK {
                looked = now;
                let communicators = self.watched.lock().communicators.clone();
                for communicator in communicators {
                    communicator.tick(now);
                }
            }
        }
    }

    /// Stops looking at one, unless something has begun meanwhile.
    fn forget(&self, communicator: &Arc<Communicator>) {
        let mut watched = self.watched.lock();
        communicator.watched.store(false, Ordering::SeqCst);
        watched
            .communicators
            .retain(|other| !Arc::ptr_eq(other, communicator));
        drop(watched);
        if communicator.advance() {
            // It began between the look and the removal; whoever began it may have seen it watched.
            if !communicator.watched.swap(true, Ordering::SeqCst) {
                self.watched
                    .lock()
                    .communicators
                    .push(Arc::clone(communicator));
            }
        }
    }
}
