//! The driver's calls: against the stand-in everywhere, and against the real driver where there is one.
//!
//! `MILLPOND_REQUIRE=cuda` makes a missing driver a failure.
#![expect(unsafe_code, reason = "copies name memory by address")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::ffi::OsStr;
use std::sync::{Arc, Mutex};

use millpond_cuda::testing::{Standin, real};
use millpond_cuda::{
    Capture, Code, Context, Driver, Error, Handle, HostFlags, Physical, Ready, Stream,
};

/// Tests that count a GPU's memory run one after the other.
static ONE: Mutex<()> = Mutex::new(());

/// Runs a test with the stand-in, at once and late, and with the real driver.
fn everywhere(test: impl Fn(&Driver)) {
    let standin = Standin::new();
    test(standin.driver());
    standin.late(true);
    test(standin.driver());
    let _one = ONE.lock();
    match real() {
        Ok(driver) => test(&driver),
        Err(reason) => skipped(&reason),
    }
}

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn skipped(reason: &str) {
    eprintln!("skipped on a GPU: {reason}");
}

/// The first device's primary context, released at the end of a test.
struct World<'a> {
    driver: &'a Driver,
    context: Context,
    physical: Physical,
    page: u64,
}

impl<'a> World<'a> {
    fn new(driver: &'a Driver) -> Self {
        let device = driver.device(0).unwrap();
        let physical = Physical {
            device,
            exported: false,
        };
        Self {
            driver,
            context: driver.retain_primary(device).unwrap(),
            physical,
            page: driver.granularity(physical, false).unwrap(),
        }
    }

    fn map(&self, address: u64, handle: Handle) {
        self.driver.map(address, self.page, handle).unwrap();
        let devices = [self.physical.device];
        self.driver
            .set_access(address, self.page, &devices)
            .unwrap();
    }

    /// Writes a pattern to device memory and waits.
    fn write(&self, address: u64, bytes: &[u8], stream: Stream) {
        let (from, length) = (bytes.as_ptr().expose_provenance(), bytes.len());
        // SAFETY: both ranges are mapped, and the copy is over when this returns.
        unsafe {
            self.driver
                .copy_to_device(address, from as u64, length as u64, stream)
        }
        .unwrap();
        self.driver.synchronize_stream(stream).unwrap();
    }

    fn read(&self, address: u64, length: usize, stream: Stream) -> Vec<u8> {
        let mut bytes = vec![0_u8; length];
        let to = bytes.as_mut_ptr().expose_provenance();
        // SAFETY: both ranges are mapped, and the copy is over when this returns.
        unsafe {
            self.driver
                .copy_to_host(to as u64, address, length as u64, stream)
        }
        .unwrap();
        self.driver.synchronize_stream(stream).unwrap();
        bytes
    }
}

impl Drop for World<'_> {
    fn drop(&mut self) {
        // SAFETY: retained in `new`; what was made in it is given up by then.
        unsafe { self.driver.release_primary(self.physical.device) }.unwrap();
    }
}

#[test]
fn a_library_that_is_not_there_is_named_with_a_remedy() {
    let error = Driver::open_at(OsStr::new("/nowhere/libcuda.so.1")).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("no CUDA driver: /nowhere/libcuda.so.1 cannot be opened ("),
        "{text}"
    );
    assert!(
        text.ends_with("install an NVIDIA driver or choose MILLPOND_DEVICE=host"),
        "{text}"
    );
    assert_eq!(error.code(), None);
}

#[test]
fn a_library_without_the_functions_is_no_driver() {
    let error = Driver::open_at(OsStr::new("libc.so.6")).unwrap_err();
    assert!(
        matches!(&error, Error::Missing { symbol, .. } if symbol == "cuInit"),
        "{error}"
    );
}

#[test]
fn the_driver_describes_its_devices() {
    everywhere(|driver| {
        assert!(driver.version().unwrap() >= (11, 4));
        assert!(driver.device_count().unwrap() >= 1);
        let device = driver.device(0).unwrap();
        assert!(!driver.device_name(device).unwrap().is_empty());
        assert!(driver.device_bus(device).unwrap().contains(':'));
        assert!(driver.device_memory(device).unwrap() >= 1 << 30);
        assert!(driver.has_virtual_memory(device).unwrap());
        assert!(driver.compute_capability(device).unwrap() >= (5, 0));
        let error = driver.device(1000).unwrap_err();
        assert_eq!(error.code(), Some(Code::INVALID_DEVICE));
        let text = error.to_string();
        assert!(
            text.starts_with("cuDeviceGet returned 101 (CUDA_ERROR_INVALID_DEVICE): "),
            "{text}"
        );
    });
}

#[test]
fn a_context_is_current_only_while_it_is_entered() {
    everywhere(|driver| {
        let world = World::new(driver);
        assert_eq!(driver.current().unwrap(), None);
        let error = driver.memory_info().unwrap_err();
        assert_eq!(error.code(), Some(Code::INVALID_CONTEXT));
        {
            let _entered = driver.enter(world.context).unwrap();
            assert_eq!(driver.current().unwrap(), Some(world.context));
            assert_eq!(driver.current_device().unwrap(), world.physical.device);
            let (free, total) = driver.memory_info().unwrap();
            assert!(free <= total && free > 0);
        }
        assert_eq!(driver.current().unwrap(), None);
        assert!(driver.primary_is_active(world.physical.device).unwrap());
    });
}

#[test]
fn a_handle_at_two_addresses_is_the_same_bytes() {
    everywhere(|driver| {
        let world = World::new(driver);
        let page = world.page;
        let _entered = driver.enter(world.context).unwrap();
        let stream = driver.stream().unwrap();
        // The driver loads what it needs for copies and fills with the first of them.
        let block = driver.alloc(page).unwrap();
        world.write(block, &[1], stream);
        for fill in [
            // SAFETY: the block lives until it is freed, which waits.
            unsafe { driver.fill(block, 7, 20, stream) },
            // SAFETY: as above.
            unsafe { driver.fill_halves(block, 7, 20, stream) },
            // SAFETY: as above.
            unsafe { driver.fill_words(block, 7, 20, stream) },
        ] {
            fill.unwrap();
        }
        world.read(block, 1, stream);
        driver.free(block).unwrap();
        let (before, _) = driver.memory_info().unwrap();
        let start = driver.reserve(4 * page, page, 0).unwrap();
        let handle = driver.create(page, world.physical).unwrap();
        let other = start + 2 * page;
        world.map(start, handle);
        world.map(other, handle);
        let pattern: Vec<u8> = (0..=255).cycle().take(100_000).collect();
        world.write(start, &pattern, stream);
        assert_eq!(world.read(other, pattern.len(), stream), pattern);
        // SAFETY: the range is mapped until the synchronisation below.
        unsafe { driver.fill(other + 10, 7, 20, stream) }.unwrap();
        // SAFETY: as above.
        unsafe { driver.fill_halves(other + 30, 0x0201, 2, stream) }.unwrap();
        // SAFETY: as above.
        unsafe { driver.fill_words(other + 40, 0x0403_0201, 2, stream) }.unwrap();
        let read = world.read(start, 48, stream);
        assert_eq!(read[10..30], [7; 20]);
        assert_eq!(read[30..34], [1, 2, 1, 2]);
        assert_eq!(read[34..40], pattern[34..40]);
        assert_eq!(read[40..], [1, 2, 3, 4, 1, 2, 3, 4]);
        // The bytes live as long as one mapping does.
        driver.release(handle).unwrap();
        driver.unmap(start, page).unwrap();
        assert_eq!(world.read(other + 100, 4, stream), pattern[100..104]);
        driver.unmap(other, page).unwrap();
        driver.address_free(start, 4 * page).unwrap();
        let (after, _) = driver.memory_info().unwrap();
        assert_eq!(after, before, "all memory went back");
        // SAFETY: the last use.
        unsafe { driver.destroy_stream(stream) }.unwrap();
    });
}

#[test]
fn misuse_of_addresses_is_refused() {
    everywhere(|driver| {
        let world = World::new(driver);
        let page = world.page;
        let _entered = driver.enter(world.context).unwrap();
        let start = driver.reserve(2 * page, page, 0).unwrap();
        let handle = driver.create(page, world.physical).unwrap();
        driver.map(start, page, handle).unwrap();
        assert!(driver.map(start, page, handle).is_err(), "mapped twice");
        let devices = [world.physical.device];
        assert!(driver.set_access(start + page, page, &devices).is_err());
        assert!(driver.create(page / 2, world.physical).is_err());
        driver.unmap(start, page).unwrap();
        driver.release(handle).unwrap();
        driver.address_free(start, 2 * page).unwrap();
    });
}

#[test]
fn a_stream_that_waits_for_an_event_comes_later() {
    everywhere(|driver| {
        let world = World::new(driver);
        let _entered = driver.enter(world.context).unwrap();
        let (first, second) = (driver.stream().unwrap(), driver.stream().unwrap());
        let event = driver.event().unwrap();
        assert_eq!(driver.event_ready(event).unwrap(), Ready::Yes);
        let block = driver.alloc(4096).unwrap();
        // SAFETY: the block lives until both streams are over.
        unsafe { driver.fill(block, 1, 4096, first) }.unwrap();
        driver.record(event, first).unwrap();
        driver.wait(second, event).unwrap();
        // SAFETY: as above.
        unsafe { driver.fill(block, 2, 2048, second) }.unwrap();
        driver.synchronize_stream(second).unwrap();
        assert_eq!(driver.event_ready(event).unwrap(), Ready::Yes);
        let read = world.read(block, 4096, second);
        assert_eq!((read[0], read[2047], read[2048]), (2, 2, 1));
        assert_eq!(driver.capture(first).unwrap(), Capture::None);
        assert_eq!(driver.context_of(first).unwrap(), world.context);
        while driver.stream_ready(first).unwrap() == Ready::No {}
        driver.free(block).unwrap();
        for stream in [first, second] {
            // SAFETY: the last use.
            unsafe { driver.destroy_stream(stream) }.unwrap();
        }
        // SAFETY: the last use.
        unsafe { driver.destroy_event(event) }.unwrap();
    });
}

#[test]
fn registered_host_memory_is_copied_to_and_from() {
    everywhere(|driver| {
        let world = World::new(driver);
        let _entered = driver.enter(world.context).unwrap();
        let stream = driver.stream().unwrap();
        let flags = HostFlags {
            portable: true,
            mapped: true,
        };
        let host = driver.host_alloc(8192, flags).unwrap();
        assert_ne!(driver.host_address(host).unwrap(), 0);
        let block = driver.alloc(8192).unwrap();
        // SAFETY: both blocks live until the synchronisation.
        unsafe { driver.fill(block, 9, 8192, stream) }.unwrap();
        // SAFETY: as above.
        unsafe { driver.copy(host, block, 8192, stream) }.unwrap();
        driver.synchronize_stream(stream).unwrap();
        let first: *const u8 = std::ptr::with_exposed_provenance(usize::try_from(host).unwrap());
        // SAFETY: the block has 8192 bytes, and the copy is over.
        let bytes = unsafe { std::slice::from_raw_parts(first, 8192) };
        assert!(bytes.iter().all(|&byte| byte == 9));
        driver.free(block).unwrap();
        // SAFETY: nobody uses it any more.
        unsafe { driver.host_free(host) }.unwrap();
        // SAFETY: the last use.
        unsafe { driver.destroy_stream(stream) }.unwrap();
    });
}

#[test]
fn a_descriptor_stands_for_a_handle() {
    use std::os::fd::AsFd;
    everywhere(|driver| {
        let world = World::new(driver);
        let page = world.page;
        let _entered = driver.enter(world.context).unwrap();
        let stream = driver.stream().unwrap();
        let shared = Physical {
            exported: true,
            ..world.physical
        };
        let handle = driver.create(page, shared).unwrap();
        let start = driver.reserve(2 * page, page, 0).unwrap();
        world.map(start, handle);
        world.write(start, &[1, 2, 3], stream);
        let descriptor = driver.export(handle).unwrap();
        let same = driver.import(descriptor.as_fd()).unwrap();
        world.map(start + page, same);
        assert_eq!(world.read(start + page, 3, stream), [1, 2, 3]);
        driver.unmap(start, 2 * page).unwrap();
        driver.release(handle).unwrap();
        driver.release(same).unwrap();
        driver.address_free(start, 2 * page).unwrap();
        // SAFETY: the last use.
        unsafe { driver.destroy_stream(stream) }.unwrap();
    });
}

#[test]
fn any_call_can_be_told_to_fail() {
    let standin = Standin::with(2, 8 << 20);
    let driver: &Arc<Driver> = standin.driver();
    let world = World::new(driver);
    standin.fail(Some("cuMemCreate"), 2, 999);
    let handle = driver.create(world.page, world.physical).unwrap();
    let error = driver.create(world.page, world.physical).unwrap_err();
    assert!(error.is_sticky(), "{error}");
    assert_eq!(standin.calls(Some("cuMemCreate")), 2);
    let error = driver.create(8 << 20, world.physical).unwrap_err();
    assert!(error.is_out_of_memory(), "{error}");
    assert_eq!(standin.used(0), world.page);
    driver.release(handle).unwrap();
    assert_eq!(standin.used(0), 0);
    standin.sticky(700);
    let error = driver.device_count().unwrap_err();
    assert_eq!(
        error.to_string(),
        "cuDeviceGetCount returned 700 (CUDA_ERROR_ILLEGAL_ADDRESS): an illegal memory access was \
         encountered. Work on the GPU failed, so every later CUDA call of this process fails too: the first \
         such error names the call, and the process has to be started again"
    );
    standin.sticky(0);
    assert_eq!(driver.device_count().unwrap(), 2);
}
