//! Idle pages go back by themselves: after a while, counted in allocations, and when others need room.
#![expect(
    unsafe_code,
    reason = "a device for the test forwards unsafe functions"
)]

use std::sync::Arc;
use std::sync::Mutex;

use millpond::device_api::{AddressRange, Device as DeviceApi, Memory, Mover};
use millpond::{
    Config, DeviceError, HostDevice, HostOptions, MemorySource, PinnedMemory, Runtime, Schedule,
};

use crate::common::{MIB, config, fill, open};

/// Enough allocations for two of the periods after which idle pages go back.
const TWO_PERIODS: usize = 2 * (1 << 16) + 1;

#[test]
fn pages_that_stay_idle_go_back_without_being_asked() {
    let (_runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let large = device.alloc(32 * MIB).unwrap();
    fill(&stream, &large, 1);
    stream.synchronize().unwrap();
    drop(large);
    assert!(
        device.resident().unwrap() >= 32 * MIB,
        "not inside the free"
    );
    for _ in 0..TWO_PERIODS {
        drop(device.alloc(512).unwrap());
    }
    assert!(
        device.resident().unwrap() < 4 * MIB,
        "{:?}",
        device.resident()
    );
}

#[test]
fn pages_that_are_used_again_and_again_stay() {
    let (_runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    for round in 0..TWO_PERIODS {
        drop(device.alloc(512).unwrap());
        if round % 20_000 == 0 {
            let large = device.alloc(32 * MIB).unwrap();
            if round == 0 {
                fill(&stream, &large, 1);
                stream.synchronize().unwrap();
            }
        }
    }
    assert!(device.resident().unwrap() >= 32 * MIB);
}

/// A device whose machine has room for a few pages only.
#[derive(Debug)]
struct Cramped {
    inner: HostDevice,
    room: Arc<Mutex<u64>>,
}

impl Memory for Cramped {
    fn range(&self) -> AddressRange {
        self.inner.range()
    }
    fn distance(&self) -> u64 {
        self.inner.distance()
    }
    fn commit(&self, range: AddressRange) -> Result<(), DeviceError> {
        let mut room = self.room.lock().map_err(|_| poisoned())?;
        if range.bytes > *room {
            return Err(DeviceError::MachineFull {
                needed: range.bytes,
                allowed: *room,
                by: "the test",
            });
        }
        *room -= range.bytes;
        self.inner.commit(range)
    }
    fn give_back(&self, range: AddressRange) -> Result<u64, DeviceError> {
        *self.room.lock().map_err(|_| poisoned())? += range.bytes;
        self.inner.give_back(range)
    }
    fn resident(&self) -> Result<u64, DeviceError> {
        self.inner.resident()
    }
}

fn poisoned() -> DeviceError {
    DeviceError::System {
        call: "lock",
        error: "poisoned".to_owned(),
    }
}

impl Mover for Cramped {
    unsafe fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the caller's promises are those of the inner call.
        unsafe { self.inner.copy(to, from, bytes) }
    }
    unsafe fn fill(&self, to: u64, value: u8, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: as above.
        unsafe { self.inner.fill(to, value, bytes) }
    }
    unsafe fn fill_words(&self, to: u64, value: u32, count: u64) -> Result<(), DeviceError> {
        // SAFETY: as above.
        unsafe { self.inner.fill_words(to, value, count) }
    }
}

impl DeviceApi for Cramped {}

/// One machine with little room, for all its devices.
#[derive(Debug)]
struct CrampedSource(Arc<Mutex<u64>>);

impl CrampedSource {
    fn with_room(bytes: u64) -> Box<Self> {
        Box::new(Self(Arc::new(Mutex::new(bytes))))
    }
}

impl MemorySource for CrampedSource {
    fn device(&self, index: u32, config: &Config) -> Result<Arc<dyn DeviceApi>, DeviceError> {
        let inner = HostDevice::new(HostOptions {
            index,
            span: config.capacity * 2,
            least_span: MIB,
            windows: 64 << 20,
            unified: false,
        })?;
        Ok(Arc::new(Cramped {
            inner,
            room: Arc::clone(&self.0),
        }))
    }
    fn pinned(&self, _config: &Config) -> Result<Arc<dyn Memory>, DeviceError> {
        Ok(Arc::new(PinnedMemory::new(64 * MIB, MIB)?))
    }
}

#[test]
fn idle_pages_go_back_before_anybody_is_refused() {
    let source = CrampedSource::with_room(16 * MIB);
    let runtime = Runtime::with_source(config(Schedule::Eager), source).unwrap();
    let device = runtime.device(0).unwrap();
    let first = device.alloc(6 * MIB).unwrap();
    let second = device.alloc(6 * MIB).unwrap();
    let refused = device.alloc(12 * MIB).unwrap_err();
    assert!(refused.to_string().contains("the test"), "{refused}");
    assert_eq!(device.usage().blocks, 2);
    drop(first);
    // Two blocks of 6 MiB do not make one of 8 elsewhere, unless the idle one's pages go back.
    let larger = device.alloc(8 * MIB).unwrap();
    assert_ne!(larger.address(), second.address());
}

#[test]
fn idle_pages_of_one_device_go_back_for_another() {
    let two = Config {
        devices: 2,
        ..config(Schedule::Eager)
    };
    let runtime = Runtime::with_source(two, CrampedSource::with_room(16 * MIB)).unwrap();
    let (first, second) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
    let held = first.alloc(12 * MIB).unwrap();
    assert!(second.alloc(12 * MIB).is_err(), "the machine has no room");
    drop(held);
    second.alloc(12 * MIB).unwrap();
}
