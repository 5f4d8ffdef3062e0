//! A GPU for libraries that compute there themselves.

use std::sync::atomic::{AtomicBool, Ordering};

use millpond_device::{AddressRange, Device, Memory, Staged};

use super::{PAGE, everywhere, kernel, open, pattern, read, write};

#[test]
fn addresses_are_the_gpus_only_where_all_bytes_are() {
    everywhere(|cuda| {
        let devices = [open(cuda, PAGE), open(cuda, PAGE)];
        for device in &devices {
            let all = AddressRange::new(device.range().start, 4 * PAGE);
            device.commit(all).unwrap();
            let access = device.gpu().unwrap();
            assert_eq!(access.index(), 0);
            let here = AddressRange::new(kernel(device, all.start), 4 * PAGE);
            let there = access.address_of(here).unwrap();
            assert_ne!(there, here.start, "not the mirror's");
            let inside = AddressRange::new(here.start + 1000, PAGE);
            assert_eq!(access.address_of(inside), Some(there + 1000));
            let beyond = AddressRange::new(here.start, device.range().bytes + 1);
            assert_eq!(access.address_of(beyond), None);
        }
        let host = [0_u8; 64];
        let host = AddressRange::new(host.as_ptr().expose_provenance() as u64, 64);
        assert_eq!(devices[0].gpu().unwrap().address_of(host), None);
    });
}

#[test]
fn memory_of_the_driver_is_written_and_copied_there() {
    everywhere(|cuda| {
        let device = open(cuda, PAGE);
        let all = AddressRange::new(device.range().start, PAGE);
        device.commit(all).unwrap();
        let access = device.gpu().unwrap();
        let to = AddressRange::new(kernel(&device, all.start), 5000);
        let to = access.address_of(to).unwrap();
        let text = pattern(5000, 3);
        let spare = access.alloc(5000).unwrap();
        assert_eq!(spare % 256, 0);
        // SAFETY: allocated above, and nobody else has it.
        unsafe { access.write(spare, &text) }.unwrap();
        // SAFETY: as above; the page is committed.
        unsafe { access.copy(to, spare, 5000) }.unwrap();
        access.synchronize().unwrap();
        assert_eq!(read(&device, all.start, 5000), text);
        access.free(spare).unwrap();
        let refused = access.alloc(1 << 50).unwrap_err();
        assert!(refused.is_full(), "{refused}");
    });
}

#[test]
fn the_threads_context_is_afterwards_what_it_was() {
    everywhere(|cuda| {
        let device = open(cuda, PAGE);
        let access = device.gpu().unwrap();
        let driver = cuda.driver();
        let before = driver.current().unwrap();
        let inside = access.enter(|| {
            let inside = driver.current().unwrap();
            // A library may make another context current.
            driver.set_current(None).unwrap();
            inside
        });
        assert!(inside.unwrap().is_some());
        assert_eq!(driver.current().unwrap(), before);
    });
}

#[test]
fn native_work_waits_for_kernels_that_write() {
    everywhere(|cuda| {
        let device = open(cuda, PAGE);
        let all = AddressRange::new(device.range().start, PAGE);
        device.commit(all).unwrap();
        let text = pattern(4096, 5);
        write(&device, all.start, &text).unwrap();
        let access = device.gpu().unwrap();
        let whole = Staged {
            range: AddressRange::new(kernel(&device, all.start), 4096),
            writes: true,
        };
        std::thread::scope(|scope| {
            let writing = access.writing();
            let native = scope.spawn(|| device.compute(&[whole], &mut || true));
            // What a kernel writes before the native work begins is not overwritten by it.
            write(&device, all.start + 8, &[1; 8]).unwrap();
            assert!(!native.is_finished(), "native work must wait");
            drop(writing);
            native.join().unwrap().unwrap();
        });
        assert_eq!(read(&device, all.start + 8, 8), [1; 8]);
    });
}

#[test]
fn native_work_gets_its_turn_between_runs_that_overlap() {
    everywhere(|cuda| {
        let device = open(cuda, PAGE);
        let all = AddressRange::new(device.range().start, PAGE);
        device.commit(all).unwrap();
        let access = device.gpu().unwrap();
        let whole = Staged {
            range: AddressRange::new(kernel(&device, all.start), 4096),
            writes: true,
        };
        let (done, began) = (AtomicBool::new(false), AtomicBool::new(false));
        let run = || {
            while !done.load(Ordering::Acquire) {
                let _writing = access.writing();
                began.store(true, Ordering::Release);
                // As long as a run is: another begins meanwhile.
                for _ in 0..500 {
                    std::thread::yield_now();
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(run);
            }
            while !began.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            for _ in 0..20 {
                device.compute(&[whole], &mut || true).unwrap();
            }
            done.store(true, Ordering::Release);
        });
    });
}
