//! A device that fails at call 1, then at call 2, and so on: pools are as before the call that failed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use millpond::device_api::testing::{FailingDevice, FailingPinned, FailurePlan};
use millpond::{
    Config, Device, DeviceError, Error, HostDevice, HostOptions, MemoryPool, MemorySource,
    PinnedMemory, PoolBlock, Runtime, Schedule,
};

use crate::PAGE;
use crate::common::{MIB, config, fail_at_every_call, unless_planned};

/// Memory of this machine whose calls fail as planned, and whose first pools cannot be opened.
#[derive(Debug)]
struct Failing {
    plan: Arc<FailurePlan>,
    refuses: AtomicU32,
}

impl Failing {
    fn runtime(schedule: Schedule, plan: &Arc<FailurePlan>, refuses: u32) -> Runtime {
        let source = Self {
            plan: Arc::clone(plan),
            refuses: AtomicU32::new(refuses),
        };
        Runtime::with_source(config(schedule), Box::new(source)).unwrap()
    }

    fn host(&self, index: u32, span: u64) -> Result<Arc<FailingDevice>, DeviceError> {
        let device = HostDevice::new(HostOptions {
            index,
            span,
            least_span: span / 2,
            windows: 64 << 20,
            unified: false,
        })?;
        Ok(Arc::new(FailingDevice::new(device, Arc::clone(&self.plan))))
    }
}

impl MemorySource for Failing {
    fn device(
        &self,
        index: u32,
        config: &Config,
    ) -> Result<Arc<dyn millpond::device_api::Device>, DeviceError> {
        Ok(self.host(index, 2 * config.capacity)?)
    }

    fn pinned(
        &self,
        _config: &Config,
    ) -> Result<Arc<dyn millpond::device_api::Memory>, DeviceError> {
        let pinned = PinnedMemory::new(64 * MIB, MIB)?;
        Ok(Arc::new(FailingPinned::new(pinned, Arc::clone(&self.plan))))
    }

    fn pool(
        &self,
        index: u32,
        bytes: u64,
        _config: &Config,
    ) -> Result<Arc<dyn millpond::device_api::Memory>, DeviceError> {
        let left = &self.refuses;
        let refused = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(1)
        });
        if refused.is_ok() {
            return Err(DeviceError::System {
                call: "mmap",
                error: "planned".to_owned(),
            });
        }
        Ok(self.host(index, 2 * bytes)?)
    }
}

fn books(device: &Device, pool: &MemoryPool) -> impl PartialEq + std::fmt::Debug + use<> {
    let (mut numbers, usage) = (pool.numbers().unwrap(), device.usage());
    // The peaks have a test of their own.
    numbers.reserved_high = 0;
    (numbers, usage.charged, pool.statistics().unwrap().blocks)
}

/// Runs the scenario with a failure at call `fail_at`; returns whether that call came.
fn scenario(schedule: Schedule, fail_at: u64) -> bool {
    let plan = FailurePlan::at(fail_at);
    let runtime = Failing::runtime(schedule, &plan, 0);
    let device = runtime.device(0).unwrap();
    let pool = device.create_pool(Some(64 * MIB)).unwrap();
    let stream = device.create_stream().unwrap();
    let mut blocks: Vec<PoolBlock> = Vec::new();
    let mut failures = 0;
    for round in 0..3 {
        for bytes in [1, PAGE, 3 * PAGE, 100_000] {
            let when = format!("{schedule:?}, failure at {fail_at}: {bytes} bytes");
            let before = books(&device, &pool);
            if let Some(block) = unless_planned(pool.alloc(&stream, bytes), &when) {
                stream.fill(block.slice(..1), 1).unwrap();
                blocks.push(block);
            } else {
                failures += 1;
                let after = books(&device, &pool);
                assert_eq!(after, before, "{when}: a refusal changes nothing");
            }
        }
        failures += u32::from(stream.synchronize().is_err());
        let mut number = 0;
        blocks.retain(|_| {
            number += 1;
            number % 2 == round % 2
        });
        let used = pool.numbers().unwrap().used;
        let before = books(&device, &pool);
        if unless_planned(pool.trim_to(used), "trim").is_none() {
            failures += 1;
            let after = books(&device, &pool);
            assert_eq!(after, before, "failure at {fail_at}: a refused trim");
            unless_planned(pool.trim_to(used), "trim again").unwrap();
        }
        assert_eq!(pool.numbers().unwrap().reserved, used);
        assert_eq!(device.usage().charged, used);
    }
    blocks.clear();
    assert_eq!(pool.numbers().unwrap().used, 0);
    // Ending a pool succeeds whatever the device says: its pages go back later.
    pool.destroy().unwrap();
    assert_eq!(pool.destroy(), Err(Error::PoolGone));
    assert_eq!(device.usage().charged, 0, "failure at {fail_at}");
    let fired = plan.fired();
    assert!(failures <= u32::from(fired));

    // Its addresses serve again, all of them.
    let pool = device.create_pool(Some(64 * MIB)).unwrap();
    let whole = unless_planned(pool.alloc(&stream, 64 * MIB), "all of it");
    assert!(whole.is_some() || !fired);
    drop(whole);
    pool.trim_to(0).or_else(|_| pool.trim_to(0)).unwrap();
    assert_eq!(pool.statistics().unwrap().reserved, 0, "nothing leaked");
    pool.destroy().unwrap();
    plan.fired()
}

#[test]
fn a_failure_at_any_call_leaves_pools_as_they_were() {
    fail_at_every_call(10, scenario);
}

#[test]
fn a_pool_that_cannot_be_opened_is_an_error_and_can_be_tried_again() {
    // More refusals than one creation may ask for.
    let runtime = Failing::runtime(Schedule::Eager, &FailurePlan::at(0), 4);
    let device = runtime.device(0).unwrap();
    let mut refusals = 0;
    let pool = loop {
        match device.create_pool(Some(PAGE)) {
            Ok(pool) => break pool,
            Err(Error::Device(_)) => refusals += 1,
            Err(other) => panic!("{other}"),
        }
        assert!(refusals < 5);
    };
    assert!(refusals > 0);
    let stream = device.create_stream().unwrap();
    drop(pool.alloc(&stream, 1).unwrap());
    pool.destroy().unwrap();
    assert_eq!(device.usage().charged, 0);
}

/// The peaks that programs read do not count what nobody got.
#[test]
fn a_refused_allocation_does_not_count_for_the_peaks() {
    let runtime = Failing::runtime(Schedule::Eager, &FailurePlan::at(1), 0);
    let device = runtime.device(0).unwrap();
    let pool = device.create_pool(Some(64 * MIB)).unwrap();
    let stream = device.create_stream().unwrap();
    assert!(matches!(
        pool.alloc(&stream, 40 * MIB),
        Err(Error::Device(_))
    ));
    let numbers = pool.numbers().unwrap();
    assert_eq!((numbers.used, numbers.used_high), (0, 0));
    assert_eq!((numbers.reserved, device.usage().charged), (0, 0));
}

#[test]
fn a_refused_allocation_does_not_count_for_the_most_that_was_set_aside() {
    let runtime = Failing::runtime(Schedule::Eager, &FailurePlan::at(1), 0);
    let device = runtime.device(0).unwrap();
    let pool = device.create_pool(Some(64 * MIB)).unwrap();
    let stream = device.create_stream().unwrap();
    assert!(pool.alloc(&stream, 40 * MIB).is_err());
    assert_eq!(pool.numbers().unwrap().reserved_high, 0);
}
