//! One scenario on an address space that fails at call 1, then at call 2, and so on until nothing fails:
//! the call is refused and can be made again, and nothing is lost.

use std::sync::Arc;

use millpond::device_api::testing::{FailingAddressSpace, FailurePlan};
use millpond::device_api::{AddressSpace, Device as DeviceApi, Ledger, Memory};
use millpond::{
    Config, DeviceError, Error, HostAddressSpace, HostSource, Location, MemorySource, Runtime,
    Schedule,
};

use crate::common::{MIB, config, fail_at_every_call};
use crate::{PIECE, value_of};

/// Memory of this machine, with virtual memory that fails as planned.
#[derive(Debug)]
struct Failing {
    host: HostSource,
    plan: Arc<FailurePlan>,
}

impl MemorySource for Failing {
    fn device(&self, index: u32, config: &Config) -> Result<Arc<dyn DeviceApi>, DeviceError> {
        self.host.device(index, config)
    }
    fn pinned(&self, config: &Config) -> Result<Arc<dyn Memory>, DeviceError> {
        self.host.pinned(config)
    }
    fn address_space(&self, config: &Config) -> Result<Arc<dyn AddressSpace>, DeviceError> {
        let space = HostAddressSpace::sharing(config.unified, &Arc::<Ledger>::default())?;
        let plan = Arc::clone(&self.plan);
        Ok(Arc::new(FailingAddressSpace::new(space, plan)))
    }
}

/// Makes a call that may fail as planned, once more if it did. Any other error is a bug.
fn insist<T>(failures: &mut u32, call: impl Fn() -> Result<T, Error>) -> T {
    match call() {
        Ok(value) => value,
        Err(Error::Device(DeviceError::System { error, .. })) => {
            assert!(error.starts_with("planned failure"), "{error}");
            *failures += 1;
            call().expect("the plan is spent")
        }
        Err(other) => panic!("{other}"),
    }
}

/// Runs the scenario with a failure at call `fail_at`; returns whether that call came.
fn scenario(schedule: Schedule, fail_at: u64) -> bool {
    let plan = FailurePlan::at(fail_at);
    let source = Box::new(Failing {
        host: HostSource::default(),
        plan: Arc::clone(&plan),
    });
    let runtime = Runtime::with_source(config(schedule), source).unwrap();
    let device = runtime.device(0).unwrap();
    let stream = device.create_stream().unwrap();
    let mut failures = 0;
    let seen = &mut failures;

    // By address: refused calls leave everything as it was.
    let base = insist(seen, || runtime.reserve_at(8 * MIB, None));
    let pieces = [1, 2].map(|_| {
        let before = device.usage().charged;
        let piece = insist(seen, || device.alloc_physical(PIECE));
        assert_eq!(device.usage().charged, before + PIECE);
        piece
    });
    for (offset, piece) in [
        (0, &pieces[0]),
        (PIECE, &pieces[1]),
        (2 * PIECE, &pieces[0]),
    ] {
        insist(seen, || runtime.map_at(base + offset, piece, true));
    }
    insist(seen, || runtime.grant_at(base, 3 * PIECE, Location::Host));
    insist(seen, || runtime.unmap_at(base + PIECE));
    let range = insist(seen, || runtime.reserve(4 * MIB));

    // Owned: what goes on its own goes, at the latest with the next call.
    let mapping = insist(seen, || range.map(0, &pieces[1]));
    stream.fill(mapping.all(), 5).unwrap();
    stream.synchronize().unwrap();
    drop(mapping);
    let mapping = insist(seen, || range.map(0, &pieces[1]));
    assert_eq!(value_of(&runtime, &stream, mapping.all()), 5);
    // In use while it is unmapped, and shown to the program before.
    insist(seen, || {
        runtime.grant_at(mapping.address(), PIECE, Location::Host)
    });
    let gate = crate::common::gate(&runtime);
    stream.wait_event(&gate, None).unwrap();
    stream.fill(mapping.all(), 6).unwrap();
    drop(mapping);
    drop(range);
    let other = device.create_stream().unwrap();
    other.record(&gate).unwrap();
    stream.synchronize().unwrap();

    for offset in [0, 2 * PIECE] {
        insist(seen, || runtime.unmap_at(base + offset));
    }
    insist(seen, || runtime.release_at(base));
    drop(pieces);
    assert_eq!(device.usage().charged, 0);
    assert!(failures <= u32::from(plan.fired()));

    if plan.fired() || fail_at == 0 {
        // Everything works, and nothing was lost on the way. The next reservation may get the same addresses.
        assert!(!runtime.is_reserved(base));
        let all = device.alloc_physical(device.usage().capacity).unwrap();
        let range = runtime.reserve(all.len()).unwrap();
        let mapping = range.map(0, &all).unwrap();
        stream.fill(mapping.slice(..4096), 1).unwrap();
        stream.synchronize().unwrap();
    }
    plan.fired()
}

#[test]
fn a_failure_at_any_call_is_reported_and_can_be_retried() {
    fail_at_every_call(20, scenario);
}

#[test]
fn a_source_without_virtual_memory_says_so() {
    #[derive(Debug)]
    struct Plain(HostSource);
    impl MemorySource for Plain {
        fn device(&self, index: u32, config: &Config) -> Result<Arc<dyn DeviceApi>, DeviceError> {
            self.0.device(index, config)
        }
        fn pinned(&self, config: &Config) -> Result<Arc<dyn Memory>, DeviceError> {
            self.0.pinned(config)
        }
    }
    let source = Box::new(Plain(HostSource::default()));
    let runtime = Runtime::with_source(config(Schedule::Eager), source).unwrap();
    let device = runtime.device(0).unwrap();
    for error in [
        runtime.reserve(MIB).unwrap_err(),
        device.alloc_physical(PIECE).unwrap_err(),
    ] {
        assert!(error.to_string().contains("no virtual memory"), "{error}");
    }
    drop(device.alloc(100).unwrap());
    device.reset().unwrap();
}
