//! Devices on GPUs: with the stand-in driver everywhere, and on a real GPU where there is one.
//!
//! `MILLPOND_REQUIRE=cuda` makes a missing driver a failure.
#![expect(unsafe_code, reason = "moves bytes at addresses")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod access;
mod space;

use std::sync::{Arc, Mutex};

use millpond_cuda::testing::{Standin, real};
use millpond_device::{
    AddressRange, BesideCuda, Cuda, CudaDevice, CudaOptions, Device, DeviceError, HostDevice,
    HostOptions, Memory, Mover, PinnedMemory, RegisteredPinned, Staged,
};

const PAGE: u64 = 2 << 20;

/// Tests that count a GPU's memory run one after the other.
static ONE: Mutex<()> = Mutex::new(());

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn everywhere(test: impl Fn(&Arc<Cuda>)) {
    let standin = Standin::new();
    test(&Cuda::with(Arc::clone(standin.driver())));
    assert_eq!(standin.used(0), 0, "all memory went back");
    standin.late(true);
    test(&Cuda::with(Arc::clone(standin.driver())));
    assert_eq!(standin.used(0), 0, "all memory went back");
    let _one = ONE.lock();
    match real() {
        Ok(driver) => test(&Cuda::with(driver)),
        Err(reason) => eprintln!("skipped on a GPU: {reason}"),
    }
}

fn open(cuda: &Arc<Cuda>, page: u64) -> CudaDevice {
    let options = CudaOptions {
        gpu: 0,
        span: 64 << 20,
        windows: 32 << 20,
        page,
    };
    CudaDevice::new(cuda, options).unwrap()
}

/// Where work names a byte.
fn kernel(device: &dyn Memory, at: u64) -> u64 {
    at.wrapping_add(device.distance())
}

fn write(device: &dyn Device, at: u64, bytes: &[u8]) -> Result<(), DeviceError> {
    let from = bytes.as_ptr().expose_provenance() as u64;
    // SAFETY: tests write to ranges that they committed, or that the device refuses.
    unsafe { device.copy(kernel(device, at), from, bytes.len() as u64) }
}

fn read(device: &dyn Device, at: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0xee_u8; length];
    let to = bytes.as_mut_ptr().expose_provenance() as u64;
    // SAFETY: tests read ranges that they committed.
    unsafe { device.copy(to, kernel(device, at), length as u64) }.unwrap();
    bytes
}

fn pattern(length: usize, seed: usize) -> Vec<u8> {
    let byte = |index: usize| u8::try_from((index * 31 + seed + index / 251) % 256).unwrap();
    (0..length).map(byte).collect()
}

#[test]
fn bytes_come_back_as_they_were_written() {
    everywhere(|cuda| {
        let device = open(cuda, PAGE);
        assert!(!device.is_touchable());
        assert_eq!(device.windows(), 32 << 20);
        let all = AddressRange::new(device.range().start, 4 * PAGE);
        device.commit(all).unwrap();
        assert_eq!(device.resident().unwrap(), 4 * PAGE);
        // Across the border of two handles.
        let text = pattern(100_000, 1);
        let at = all.start + PAGE - 50_000;
        write(&device, at, &text).unwrap();
        assert_eq!(read(&device, at, text.len()), text);
        // SAFETY: a committed range.
        unsafe { device.fill(kernel(&device, at + 10), 9, 20) }.unwrap();
        // SAFETY: as above, at a multiple of 4.
        unsafe { device.fill_words(kernel(&device, at + 40), 0x0403_0201, 2) }.unwrap();
        let now = read(&device, at, 60);
        assert_eq!((now[9], now[30]), (text[9], text[30]));
        assert_eq!(now[10..30], [9; 20]);
        assert_eq!(now[40..48], [1, 2, 3, 4, 1, 2, 3, 4]);
        assert_eq!(device.give_back(all).unwrap(), 4 * PAGE);
        assert_eq!(device.resident().unwrap(), 0);
        assert!(device.describe().starts_with("GPU 0: "));
        let (free, total) = device.own_room().unwrap();
        assert!(free <= total);
    });
}

#[test]
fn copies_may_overlap() {
    everywhere(|cuda| {
        let device = open(cuda, PAGE);
        let all = AddressRange::new(device.range().start, 8 * PAGE);
        device.commit(all).unwrap();
        let length = 10 << 20;
        let text = pattern(length, 7);
        for (to, from) in [(0, 4096), (4096, 0)] {
            write(&device, all.start + from, &text).unwrap();
            // SAFETY: a committed range.
            unsafe {
                let start = kernel(&device, all.start);
                device.copy(start + to, start + from, length as u64)
            }
            .unwrap();
            assert!(
                read(&device, all.start + to, length) == text,
                "{from} to {to}"
            );
        }
    });
}

#[test]
fn a_window_shows_the_bytes_of_its_page() {
    everywhere(|cuda| {
        for page in [PAGE, 4 * PAGE] {
            let device = open(cuda, page);
            let home = AddressRange::new(device.range().start, 2 * page);
            device.commit(home).unwrap();
            let window = device.range().end() - device.windows();
            let (first, second) = (pattern(5000, 2), pattern(5000, 3));
            write(&device, home.start, &first).unwrap();
            write(&device, home.start + page, &second).unwrap();
            // In the other order, and then the first page at both places.
            let page_at = |index| AddressRange::new(home.start + index * page, page);
            device.show(page_at(1), window).unwrap();
            device.show(page_at(0), window + page).unwrap();
            assert_eq!(read(&device, window, 5000), second);
            assert_eq!(read(&device, window + page, 5000), first);
            device.show(page_at(0), window).unwrap();
            write(&device, window, &second).unwrap();
            assert_eq!(read(&device, window + page, 5000), second);
            assert_eq!(read(&device, home.start, 5000), second);
            // A page goes back although windows showed it, and another takes its place.
            assert_eq!(device.give_back(page_at(0)).unwrap(), page);
            assert_eq!(device.resident().unwrap(), page);
            device.show(page_at(1), window).unwrap();
            assert_eq!(read(&device, window, 5000), second);
        }
    });
}

#[test]
fn a_gpu_without_room_refuses_and_stays_as_it_was() {
    let standin = Standin::with(1, 8 * PAGE);
    let cuda = Cuda::with(Arc::clone(standin.driver()));
    let device = open(&cuda, PAGE);
    let start = device.range().start;
    device.commit(AddressRange::new(start, 5 * PAGE)).unwrap();
    let error = device
        .commit(AddressRange::new(start, 10 * PAGE))
        .unwrap_err();
    assert!(error.is_full());
    assert_eq!(
        error.to_string(),
        "10485760 bytes are needed and GPU 0: stand-in GPU, 16 MiB, driver for CUDA 13.0 has 6291456 free of \
         16777216: cuMemCreate returned 2 (CUDA_ERROR_OUT_OF_MEMORY): out of memory"
    );
    assert_eq!(standin.used(0), 5 * PAGE);
    device.commit(AddressRange::new(start, 8 * PAGE)).unwrap();
    assert_eq!(standin.used(0), 8 * PAGE);
}

#[test]
fn every_call_of_the_driver_may_fail_and_nothing_is_lost() {
    let scenario = |standin: &Standin, fail_at: u64, code: i32| -> Result<(), DeviceError> {
        let cuda = Cuda::with(Arc::clone(standin.driver()));
        standin.fail(None, fail_at, code);
        let options = CudaOptions {
            gpu: 0,
            span: 16 << 20,
            windows: 8 << 20,
            page: PAGE,
        };
        let device = CudaDevice::new(&cuda, options)?;
        let home = AddressRange::new(device.range().start, 2 * PAGE);
        device.commit(home)?;
        write(&device, home.start, &[1, 2, 3])?;
        let window = device.range().end() - device.windows();
        device.show(home, window)?;
        assert_eq!(read_or(&device, window)?, [1, 2, 3]);
        device.give_back(home)?;
        Ok(())
    };
    let mut fail_at = 1;
    loop {
        let standin = Standin::new();
        if scenario(&standin, fail_at, 1).is_ok() {
            break;
        }
        standin.fail(None, 0, 0);
        // One failure of a call that gives up memory keeps that memory; nothing else does.
        assert!(standin.used(0) <= PAGE, "failed at call {fail_at}");
        scenario(&standin, 0, 0).unwrap();
        fail_at += 1;
        assert!(fail_at < 200, "the scenario has no end");
    }
    assert!(fail_at > 20, "{fail_at} calls are too few");
}

fn read_or(device: &dyn Device, at: u64) -> Result<[u8; 3], DeviceError> {
    let mut bytes = [0_u8; 3];
    let to = bytes.as_mut_ptr().expose_provenance() as u64;
    // SAFETY: a committed range.
    unsafe { device.copy(to, kernel(device, at), 3) }?;
    Ok(bytes)
}

#[test]
fn bytes_travel_between_a_gpu_another_one_and_a_host_device() {
    let standin = Standin::with(2, 64 << 20);
    let cuda = Cuda::with(Arc::clone(standin.driver()));
    let host = HostDevice::new(HostOptions {
        index: 50,
        span: 64 << 20,
        least_span: 1 << 20,
        windows: 0,
        unified: false,
    });
    let host = BesideCuda::new(host.unwrap(), &cuda);
    let options = CudaOptions {
        gpu: 1,
        span: 16 << 20,
        windows: 0,
        page: PAGE,
    };
    let devices = [open(&cuda, PAGE), CudaDevice::new(&cuda, options).unwrap()];
    let page = |memory: &dyn Memory| AddressRange::new(memory.range().start, PAGE);
    for device in &devices {
        device.commit(page(device)).unwrap();
    }
    host.commit(page(&host)).unwrap();
    let at = kernel(&host, page(&host).start);
    let text = pattern(70_000, 5);
    write(&host, page(&host).start, &text).unwrap();
    let place = |device: &CudaDevice| kernel(device, page(device).start);
    let [first, second] = [place(&devices[0]), place(&devices[1])];
    // SAFETY: committed ranges of 2 MiB.
    unsafe { host.copy(first, at, 70_000) }.unwrap();
    // SAFETY: as above.
    unsafe { devices[0].copy(second, first, 70_000) }.unwrap();
    // SAFETY: as above.
    unsafe { host.fill(at, 0, 70_000) }.unwrap();
    // SAFETY: as above.
    unsafe { host.copy(at, second, 70_000) }.unwrap();
    assert_eq!(read(&host, page(&host).start, 70_000), text);
}

#[test]
fn after_a_sticky_error_every_call_says_so() {
    let standin = Standin::new();
    let cuda = Cuda::with(Arc::clone(standin.driver()));
    let device = open(&cuda, PAGE);
    let first = AddressRange::new(device.range().start, PAGE);
    device.commit(first).unwrap();
    standin.sticky(719);
    for error in [
        write(&device, first.start, &[1]).unwrap_err(),
        device
            .commit(AddressRange::new(first.end(), PAGE))
            .unwrap_err(),
        device.give_back(first).unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(
            text.contains("(CUDA_ERROR_LAUNCH_FAILED): unspecified launch failure"),
            "{text}"
        );
        assert!(
            text.contains("the process has to be started again"),
            "{text}"
        );
    }
}

#[test]
fn pinned_memory_is_registered_page_by_page_and_copied_over_their_borders() {
    let copied = |cuda: &Arc<Cuda>| {
        let device = open(cuda, PAGE);
        let all = AddressRange::new(device.range().start, 8 * PAGE);
        device.commit(all).unwrap();
        let pinned = PinnedMemory::new(64 << 20, 64 << 20);
        let pinned = RegisteredPinned::new(Arc::new(pinned.unwrap()), cuda);
        let host = AddressRange::new(pinned.range().start, 6 * PAGE);
        pinned.commit(host).unwrap();
        let text = pattern(9 << 20, 6);
        let at = host.start + PAGE / 2;
        // SAFETY: the pages were committed.
        unsafe {
            device.copy(
                kernel(&pinned, at),
                text.as_ptr().expose_provenance() as u64,
                9 << 20,
            )
        }
        .unwrap();
        let there = kernel(&device, all.start);
        // SAFETY: committed ranges.
        unsafe { device.copy(there, kernel(&pinned, at), 9 << 20) }.unwrap();
        assert!(read(&device, all.start, 9 << 20) == text);
        // SAFETY: as above.
        unsafe { device.copy(kernel(&pinned, host.start), there, 9 << 20) }.unwrap();
        assert!(bytes_at(kernel(&pinned, host.start), 9 << 20) == text);
        pinned.give_back(host).unwrap();
        pinned.commit(host).unwrap();
    };
    everywhere(copied);
    let standin = Standin::new();
    copied(&Cuda::with(Arc::clone(standin.driver())));
    let calls = |name| standin.calls(Some(name));
    assert_eq!(calls("cuMemHostRegister_v2"), 12);
    assert_eq!(calls("cuMemHostUnregister"), 12);
    // Where pages cannot be registered they are copied all the same.
    standin.fail(Some("cuMemHostRegister_v2"), 2, 2);
    copied(&Cuda::with(Arc::clone(standin.driver())));
}

/// The bytes at an address as work finds them.
fn bytes_at<'a>(at: u64, length: usize) -> &'a mut [u8] {
    let first = std::ptr::with_exposed_provenance_mut::<u8>(usize::try_from(at).unwrap());
    // SAFETY: tests name ranges that were brought, one at a time.
    unsafe { std::slice::from_raw_parts_mut(first, length) }
}

#[test]
fn work_of_this_process_finds_its_operands_and_leaves_its_results() {
    everywhere(|cuda| {
        let device = open(cuda, PAGE);
        let all = AddressRange::new(device.range().start, 2 * PAGE);
        device.commit(all).unwrap();
        let text = pattern(9000, 4);
        write(&device, all.start, &text).unwrap();
        let at = kernel(&device, all.start);
        let staged = |offset, bytes, writes| Staged {
            range: AddressRange::new(at + offset, bytes),
            writes,
        };
        // Two operands that overlap: what one writes the other sees.
        let parts = [staged(0, 6000, false), staged(3000, 6000, true)];
        let mut sum = 0_u64;
        let done = device.compute(&parts, &mut || {
            assert_eq!(bytes_at(at, 6000), &text[..6000]);
            bytes_at(at + 3000, 10).fill(200);
            sum = bytes_at(at, 6000)[3000..3010]
                .iter()
                .map(|&byte| u64::from(byte))
                .sum();
            // A copy inside of the work sees what the work wrote.
            // SAFETY: both ranges were brought.
            unsafe { device.copy(at + 8000, at + 3000, 10) }.unwrap();
            true
        });
        done.unwrap();
        assert_eq!(sum, 2000);
        let mut expected = text.clone();
        expected[3000..3010].fill(200);
        expected[8000..8010].fill(200);
        assert!(read(&device, all.start, 9000) == expected);
        // Work that fails leaves the device's bytes as they were.
        let part = [staged(0, 100, true)];
        device
            .compute(&part, &mut || {
                bytes_at(at, 100).fill(1);
                false
            })
            .unwrap();
        assert_eq!(read(&device, all.start, 100), expected[..100]);
        // Work whose end comes later.
        let range = part[0].range;
        let brought = device.bring(&[range]).unwrap().unwrap();
        assert_eq!(bytes_at(at, 100), &expected[..100]);
        bytes_at(at, 100).fill(2);
        brought.send(&[range]).unwrap();
        assert_eq!(read(&device, all.start, 100), [2; 100]);
    });
}
