//! One scenario on a device that fails at call 1, then at call 2, and so on until nothing fails.
//!
//! After each failure the books say what a model says, everything can be freed, and the device works
//! again. Failures of queued work surface where the program synchronises; nothing hangs.

#[path = "common/mod.rs"]
mod common;

use std::sync::Arc;

use common::{MIB, config, fail_at_every_call, under_every_schedule, unless_planned};
use millpond::device_api::testing::{FailingDevice, FailingPinned, FailurePlan};
use millpond::{
    Config, Device, DeviceBlock, DeviceError, Error, HostBlock, HostDevice, HostOptions,
    MemorySource, PinnedMemory, Runtime, Schedule, Stream, TaskFailure,
};

/// Memory of this machine whose calls fail as planned.
#[derive(Debug)]
struct Failing(Arc<FailurePlan>);

impl MemorySource for Failing {
    fn device(
        &self,
        index: u32,
        config: &Config,
    ) -> Result<Arc<dyn millpond_device::Device>, DeviceError> {
        let device = HostDevice::new(HostOptions {
            index,
            span: 2 * config.capacity,
            least_span: config.capacity,
            windows: 64 << 20,
            unified: false,
        })?;
        Ok(Arc::new(FailingDevice::new(device, Arc::clone(&self.0))))
    }

    fn pinned(&self, _config: &Config) -> Result<Arc<dyn millpond_device::Memory>, DeviceError> {
        let pinned = PinnedMemory::new(64 * MIB, MIB)?;
        Ok(Arc::new(FailingPinned::new(pinned, Arc::clone(&self.0))))
    }
}

/// What the program holds: the books must say the same.
#[derive(Default)]
struct Held {
    blocks: Vec<DeviceBlock>,
    host: Vec<HostBlock>,
}

impl Held {
    fn check(&self, runtime: &Runtime, device: &Device, when: &str) {
        let usage = device.usage();
        let charge = |block: &DeviceBlock| {
            let (page, asked) = (block.info().pages.bytes(), block.len());
            asked.next_multiple_of(32).next_multiple_of(page)
        };
        let charged: u64 = self.blocks.iter().map(charge).sum();
        assert_eq!(
            (usage.blocks, usage.charged),
            (self.blocks.len(), charged),
            "{when}: blocks and charges on the device"
        );
        let of_kinds = usage.charged_normal + usage.charged_huge + usage.charged_gigabyte;
        assert_eq!(of_kinds, usage.charged, "{when}");
        for block in &self.blocks {
            assert_eq!(
                runtime.find_block(block.address()),
                Ok(*block.info()),
                "{when}"
            );
        }
        let pinned = runtime
            .host_usage()
            .expect("address space for pinned memory");
        assert_eq!(pinned.blocks, self.host.len(), "{when}: pinned blocks");
    }
}

/// Synchronises; true if a queued task had failed as planned.
fn surfaced(stream: &Stream) -> bool {
    match stream.synchronize() {
        Ok(()) => false,
        Err(Error::TaskFailed {
            stream: id,
            cause: TaskFailure::Device(DeviceError::System { .. }),
            ..
        }) => {
            assert_eq!(id, stream.id());
            true
        }
        Err(other) => panic!("{other}"),
    }
}

/// Runs the scenario with a failure at call `fail_at`; returns whether that call came.
fn scenario(schedule: Schedule, fail_at: u64) -> bool {
    let plan = FailurePlan::at(fail_at);
    let source = Box::new(Failing(Arc::clone(&plan)));
    let runtime = Runtime::with_source(config(schedule), source).expect("a configuration in order");
    let device = runtime.device(0).expect("address space for a device");
    let stream = device.create_stream().expect("a first stream");
    let mut held = Held::default();
    let mut failures = 0;

    let allocate = |held: &mut Held, bytes: u64| {
        let before = device.usage();
        let when = format!("{schedule:?}, failure at {fail_at}: {bytes} bytes");
        if let Some(block) = unless_planned(device.alloc(bytes), &when) {
            held.blocks.push(block);
            return 0;
        }
        let mut after = device.usage();
        // Idle pages go back before anybody is refused. The peak has a test of its own.
        (after.promised, after.peak) = (before.promised, before.peak);
        assert_eq!(after, before, "{when}: a refusal changes nothing");
        1
    };
    let sizes = [1, 4096, 100_000, MIB, 3 * MIB, 5 * MIB];
    for bytes in sizes {
        failures += allocate(&mut held, bytes);
        held.check(&runtime, &device, "after an allocation");
    }
    for bytes in [100, 3 * MIB] {
        let host = unless_planned(runtime.alloc_host(bytes), "pinned memory");
        failures += u32::from(host.is_none());
        held.host.extend(host);
        held.check(&runtime, &device, "after a pinned allocation");
    }

    let mut queued_failures = 0;
    for _ in 0..2 {
        for block in &held.blocks {
            stream.fill(block.all(), 7).expect("a live block");
        }
        for pair in held.blocks.windows(2) {
            let part = pair[0].len();
            let copied = stream.copy(pair[1].slice(..part), pair[0].all());
            copied.expect("two live blocks");
        }
        if let (Some(host), Some(block)) = (held.host.first(), held.blocks.last()) {
            let part = host.len().min(block.len());
            let copied = stream.copy(host.slice(..part), block.slice(..part));
            copied.expect("two live blocks");
        }
        queued_failures += u32::from(surfaced(&stream));
    }
    held.check(&runtime, &device, "after queued work");

    // Every second block goes, and its pages.
    let mut number = 0;
    held.blocks.retain(|_| {
        number += 1;
        number % 2 == 0
    });
    held.check(&runtime, &device, "after frees");
    failures += u32::from(unless_planned(device.trim(), "trim").is_none());
    held.check(&runtime, &device, "after a trim");
    for bytes in sizes {
        failures += allocate(&mut held, bytes);
    }
    held.check(&runtime, &device, "after allocating again");
    for block in &held.blocks {
        let written = block.write(&[9]);
        failures += u32::from(unless_planned(written, "a write").is_none());
    }

    held.blocks.clear();
    held.host.clear();
    held.check(&runtime, &device, "after everything was freed");
    let usage = device.usage();
    assert_eq!(
        (usage.charged, usage.free()),
        (0, usage.capacity),
        "{schedule:?}, failure at {fail_at}"
    );
    let mut trimmed = unless_planned(device.trim(), "the last trim");
    if trimmed.is_none() {
        failures += 1;
        trimmed = unless_planned(device.trim(), "the last trim again");
    }
    assert!(trimmed.is_some());
    assert_eq!(device.usage().promised, 0);
    assert_eq!(
        device.resident(),
        Ok(0),
        "{schedule:?}, failure at {fail_at}"
    );

    let fired = plan.fired();
    // A large request may have been served on other pages: then nobody saw the failure.
    assert!(failures + queued_failures <= u32::from(fired));
    if fired || fail_at == 0 {
        // The plan is spent: everything works.
        let capacity = device.usage().capacity;
        let whole = device.alloc(capacity).expect("all of it is free");
        stream.fill(whole.slice(..4096), 1).expect("a live block");
        assert!(!surfaced(&stream));
    }
    fired
}

#[test]
fn a_failure_at_any_call_leaves_the_books_in_order_and_the_device_usable() {
    fail_at_every_call(40, scenario);
}

#[test]
fn a_queued_copy_that_the_device_refuses_surfaces_at_the_next_synchronise_only() {
    under_every_schedule(|schedule| {
        // Two commits, then the fill, then the copy, which fails.
        let plan = FailurePlan::at(3);
        let source = Box::new(Failing(Arc::clone(&plan)));
        let runtime = Runtime::with_source(config(schedule), source).unwrap();
        let device = runtime.device(0).unwrap();
        let stream = device.create_stream().unwrap();
        let (from, to) = (device.alloc(100).unwrap(), device.alloc(100).unwrap());
        stream.fill(from.all(), 1).unwrap();
        stream.copy(to.all(), from.all()).unwrap();
        stream.fill(to.slice(50..), 2).unwrap();
        let cause = TaskFailure::Device(DeviceError::System {
            call: "copy",
            error: "planned failure at call 3".to_owned(),
        });
        assert_eq!(
            stream.synchronize(),
            Err(Error::TaskFailed {
                stream: stream.id(),
                task: 2,
                cause
            }),
            "{schedule:?}"
        );
        stream.synchronize().unwrap();
        assert_eq!(common::bytes_of(&to)[50..], [2; 50], "{schedule:?}");
    });
}

#[test]
fn a_refused_allocation_does_not_count_for_the_peak() {
    let source = Box::new(Failing(FailurePlan::at(1)));
    let runtime = Runtime::with_source(config(Schedule::Eager), source).unwrap();
    let device = runtime.device(0).unwrap();
    assert!(matches!(device.alloc(MIB), Err(Error::Device(_))));
    assert!(matches!(
        device.alloc(300 * MIB),
        Err(Error::OutOfMemory { .. })
    ));
    assert_eq!(device.usage().peak, 0, "nothing was ever handed out");
    let block = device.alloc(4096).unwrap();
    drop(block);
    assert_eq!(device.usage().peak, 4096);
}

#[test]
fn a_device_that_cannot_be_opened_is_an_error_and_can_be_tried_again() {
    #[derive(Debug)]
    struct Shy(std::sync::atomic::AtomicU32);
    impl MemorySource for Shy {
        fn device(
            &self,
            index: u32,
            config: &Config,
        ) -> Result<Arc<dyn millpond_device::Device>, DeviceError> {
            if self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 {
                return Err(DeviceError::System {
                    call: "mmap",
                    error: "not today".to_owned(),
                });
            }
            millpond::HostSource::default().device(index, config)
        }
        fn pinned(
            &self,
            _config: &Config,
        ) -> Result<Arc<dyn millpond_device::Memory>, DeviceError> {
            Err(DeviceError::System {
                call: "mmap",
                error: "never".to_owned(),
            })
        }
    }
    let source = Box::new(Shy(0.into()));
    let runtime = Runtime::with_source(config(Schedule::Eager), source).unwrap();
    assert!(matches!(runtime.device(0), Err(Error::Device(_))));
    let device = runtime.device(0).unwrap();
    assert!(matches!(runtime.alloc_host(1), Err(Error::Device(_))));
    let block = device.alloc(1).unwrap();
    block.write(&[1]).unwrap();
}
