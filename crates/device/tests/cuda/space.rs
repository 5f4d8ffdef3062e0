//! Addresses that programs reserve, and memory of GPUs that is mapped there.

use std::sync::Arc;

use millpond_cuda::testing::Standin;
use millpond_device::{
    AddressRange, AddressSpace, BesideCuda, Cuda, CudaAddressSpace, CudaDevice, Device,
    DeviceError, Home, HostAddressSpace, HostDevice, HostOptions, Memory, Mover, PagesOf, PieceId,
    SharedPages, Staged, Window,
};

use crate::{PAGE, bytes_at, everywhere, open, pattern};

const GPU: Home = Home::Gpu(0);

fn space(cuda: &Arc<Cuda>) -> CudaAddressSpace {
    let host = HostAddressSpace::sharing(false, &Arc::default()).unwrap();
    CudaAddressSpace::new(host, cuda).unwrap()
}

/// A space, a window of 16 pages, and something that moves bytes.
struct World {
    space: CudaAddressSpace,
    window: Window,
    device: CudaDevice,
}

impl World {
    fn new(cuda: &Arc<Cuda>) -> Self {
        let space = space(cuda);
        Self {
            window: space.reserve(16 * PAGE, None).unwrap(),
            space,
            device: open(cuda, PAGE),
        }
    }

    fn at(&self, page: u64) -> u64 {
        self.window.range.start + page * PAGE
    }

    /// Where work names a byte.
    fn work(&self, offset: u64) -> u64 {
        self.window.range.start + self.window.distance + offset
    }

    fn piece(&self, pages: u64, home: Home) -> PieceId {
        self.space.create(pages * PAGE, home).unwrap()
    }

    fn map(&self, piece: PieceId, page: u64) {
        self.space.map(piece, self.at(page), false).unwrap();
    }

    fn write(&self, offset: u64, bytes: &[u8]) {
        let from = bytes.as_ptr().expose_provenance() as u64;
        self.copy(self.work(offset), from, bytes.len() as u64);
    }

    fn read(&self, offset: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0xee_u8; length];
        let to = bytes.as_mut_ptr().expose_provenance() as u64;
        self.copy(to, self.work(offset), length as u64);
        bytes
    }

    fn copy(&self, to: u64, from: u64, bytes: u64) {
        // SAFETY: tests name ranges that they mapped.
        unsafe { self.device.copy(to, from, bytes) }.unwrap();
    }

    /// Ends what is mapped at these pages, and these pieces.
    fn end(self, pages: &[u64], pieces: &[PieceId]) {
        for page in pages {
            self.space.unmap(self.at(*page)).unwrap();
        }
        for piece in pieces {
            self.space.destroy(*piece).unwrap();
        }
        self.space.release(self.window.range.start).unwrap();
    }
}

#[test]
fn a_piece_keeps_its_bytes_wherever_it_is_mapped() {
    everywhere(|cuda| {
        let world = World::new(cuda);
        assert_eq!(world.space.granularity(GPU), PAGE);
        let (one, two) = (world.piece(1, GPU), world.piece(3, GPU));
        world.map(one, 4);
        let fresh = world.read(4 * PAGE, 2 << 20);
        assert!(fresh.iter().all(|byte| *byte == 0), "new memory is zero");
        world.map(two, 5);
        // Across their border.
        let text = pattern(100_000, 1);
        world.write(5 * PAGE - 50_000, &text);
        assert_eq!(world.read(5 * PAGE - 50_000, text.len()), text);
        // At a second place, and then only there.
        world.map(one, 0);
        assert_eq!(world.read(PAGE - 50_000, 50_000), text[..50_000]);
        world.space.unmap(world.at(4)).unwrap();
        world.write(PAGE - 4, &[1, 2, 3, 4]);
        world.map(one, 9);
        assert_eq!(world.read(10 * PAGE - 4, 4), [1, 2, 3, 4]);
        world.end(&[0, 5, 9], &[one, two]);
    });
}

#[test]
fn neighbours_are_one_range_for_the_driver() {
    let standin = Standin::new();
    let world = World::new(&Cuda::with(Arc::clone(standin.driver())));
    for page in 0..8 {
        let piece = world.piece(1, GPU);
        world.map(piece, page);
    }
    let calls = || standin.calls(Some("cuMemcpyHtoDAsync_v2"));
    let before = calls();
    world.write(0, &vec![1; 16 << 20]);
    assert_eq!(calls(), before + 1);
    let before = standin.calls(Some("cuMemcpyDtoHAsync_v2"));
    let all = AddressRange::new(world.work(0), 8 * PAGE);
    drop(world.device.bring(&[all]).unwrap());
    assert_eq!(
        standin.calls(Some("cuMemcpyDtoHAsync_v2")),
        before + 1,
        "and for what is brought"
    );
    // Everything is given back, mapped or not.
    drop(world);
    assert_eq!(standin.used(0), 0);
}

#[test]
fn bytes_of_a_gpu_and_of_the_machine_side_by_side() {
    everywhere(|cuda| {
        let world = World::new(cuda);
        let pieces = [GPU, Home::Machine, GPU].map(|home| world.piece(1, home));
        for (piece, page) in pieces.iter().zip(0..) {
            world.map(*piece, page);
        }
        let length = 5 << 20;
        let text = pattern(length, 3);
        for (to, from) in [(0, 700_000), (700_000, 0), (1000, 1000)] {
            world.write(from, &text);
            world.copy(world.work(to), world.work(from), length as u64);
            assert!(world.read(to, length) == text, "{from} to {to}");
        }
        let border = PAGE - 64;
        // SAFETY: mapped ranges.
        unsafe { world.device.fill(world.work(border), 7, PAGE + 128) }.unwrap();
        let filled = world.read(border, (2 << 20) + 128);
        assert!(filled.iter().all(|byte| *byte == 7));
        // SAFETY: as above, at a multiple of 4.
        unsafe { world.device.fill_words(world.work(border), 0x0201, 32) }.unwrap();
        assert_eq!(
            world.read(border, 128),
            [1_u8, 2, 0, 0].repeat(32),
            "words across the border"
        );
        // Work finds all of them, and leaves its results in all.
        let range = AddressRange::new(world.work(border), PAGE + 128);
        let part = [Staged {
            range,
            writes: true,
        }];
        let done = world.device.compute(&part, &mut || {
            let bytes = bytes_at(range.start, (2 << 20) + 128);
            assert_eq!((bytes[0], bytes[1], bytes[2]), (1, 2, 0));
            bytes.fill(9);
            true
        });
        done.unwrap();
        let now = world.read(border, (2 << 20) + 128);
        assert!(now.iter().all(|byte| *byte == 9));
        world.end(&[0, 1, 2], &pieces);
    });
}

#[test]
fn work_sees_one_piece_at_two_places_as_the_same_bytes() {
    everywhere(|cuda| {
        let world = World::new(cuda);
        let piece = world.piece(1, GPU);
        world.map(piece, 0);
        world.map(piece, 8);
        let places = [world.work(10), world.work(8 * PAGE)];
        let parts = places.map(|at| Staged {
            range: AddressRange::new(at, 100),
            writes: true,
        });
        let done = world.device.compute(&parts, &mut || {
            bytes_at(places[0], 90).fill(5);
            assert_eq!(bytes_at(places[1], 100)[9..12], [0, 5, 5]);
            true
        });
        done.unwrap();
        assert_eq!(world.read(8, 4), [0, 0, 5, 5]);
        world.end(&[0, 8], &[piece]);
    });
}

#[test]
fn what_only_a_gpu_can_touch_is_not_shown() {
    everywhere(|cuda| {
        let world = World::new(cuda);
        let (piece, own) = (world.piece(1, GPU), world.piece(1, Home::Machine));
        let refused = world.space.map(piece, world.at(0), true).unwrap_err();
        let text = refused.to_string();
        assert!(
            text.contains("GPU 0: ") && text.contains("aclrtMemAllocManaged"),
            "{text}"
        );
        world.map(piece, 0);
        assert_eq!(world.space.show(world.at(0)).unwrap_err(), refused);
        world.space.hide(world.at(0)).unwrap();
        // The machine's own is, wherever it is.
        world.space.map(own, world.at(1), true).unwrap();
        bytes_at(world.at(1), 4).copy_from_slice(&[1, 2, 3, 4]);
        assert_eq!(world.read(PAGE - 1, 5), [0, 1, 2, 3, 4]);
        drop(world.space.share(own).unwrap());
        world.end(&[0, 1], &[piece, own]);
    });
}

/// Stands for two processes: the second has a `Cuda` of its own, and shares only the driver.
#[test]
fn another_process_maps_a_piece_and_pages_of_a_device() {
    everywhere(|cuda| {
        let world = World::new(cuda);
        let theirs = World::new(&Cuda::with(Arc::clone(cuda.driver())));
        // Shared before it was ever mapped.
        let piece = world.piece(2, GPU);
        let pages = world.space.share(piece).unwrap();
        assert_eq!(pages.bytes(), Some(2 * PAGE));
        let kept = Arc::new(());
        let keep = Box::new(Arc::clone(&kept));
        let (adopted, home) = theirs.space.adopt(pages, keep).unwrap();
        assert_eq!(home, GPU);
        theirs.map(adopted, 3);
        assert!(theirs.read(3 * PAGE, 4 << 20).iter().all(|byte| *byte == 0));
        world.map(piece, 0);
        world.write(PAGE - 2, &[1, 2, 3, 4]);
        assert_eq!(theirs.read(4 * PAGE - 2, 4), [1, 2, 3, 4]);
        let shown = theirs.space.show(theirs.at(3)).unwrap_err().to_string();
        assert!(shown.contains("cannot touch"), "{shown}");
        // The importer keeps it, and says when it has ended.
        world.end(&[0], &[piece]);
        assert_eq!(theirs.read(4 * PAGE - 2, 4), [1, 2, 3, 4]);
        assert_eq!(Arc::strong_count(&kept), 2);
        theirs.space.unmap(theirs.at(3)).unwrap();
        theirs.space.destroy(adopted).unwrap();
        assert_eq!(Arc::strong_count(&kept), 1);

        // Pages of a device, one of them shown in a window.
        let device = open(cuda, PAGE);
        let home = AddressRange::new(device.range().start, 3 * PAGE);
        device.commit(home).unwrap();
        let window = device.range().end() - device.windows();
        device
            .show(AddressRange::new(home.start + PAGE, PAGE), window)
            .unwrap();
        crate::write(&device, home.start + PAGE, &[7]).unwrap();
        crate::write(&device, home.start + 2 * PAGE, &[8]).unwrap();
        let ranges = [
            (AddressRange::new(window, PAGE), vec![7]),
            (AddressRange::new(home.start + PAGE, 2 * PAGE), vec![7, 8]),
        ];
        for (range, expected) in ranges {
            let pages = device.share(range).unwrap();
            let (adopted, _) = theirs.space.adopt(pages, Box::new(())).unwrap();
            theirs.map(adopted, 0);
            for (page, byte) in (0..).zip(expected) {
                assert_eq!(theirs.read(page * PAGE, 1), [byte]);
            }
            theirs.space.unmap(theirs.at(0)).unwrap();
            theirs.space.destroy(adopted).unwrap();
        }
        theirs.end(&[], &[]);
    });
}

#[test]
fn memory_of_a_gpu_that_a_process_does_not_see_is_refused() {
    let standin = Standin::new();
    let world = World::new(&Cuda::with(Arc::clone(standin.driver())));
    let piece = world.piece(1, GPU);
    let share = || world.space.share(piece).unwrap();
    let host = HostAddressSpace::sharing(false, &Arc::default()).unwrap();
    let elsewhere = |pages: SharedPages| match pages.source {
        PagesOf::Gpu { handles, .. } => SharedPages {
            source: PagesOf::Gpu {
                bus: "0000:77:00.0".to_owned(),
                handles,
            },
            parts: pages.parts,
        },
        PagesOf::File(_) => panic!("of a GPU"),
    };
    let empty = SharedPages {
        parts: Vec::new(),
        ..share()
    };
    for (refused, text) in [
        (host.adopt(share(), Box::new(())), "MILLPOND_DEVICE=cuda"),
        (
            world.space.adopt(elsewhere(share()), Box::new(())),
            "GPU at 0000:77:00.0, which this process does not see",
        ),
        (world.space.adopt(empty, Box::new(())), "not whole handles"),
    ] {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
    assert_eq!(standin.used(0), PAGE);
}

#[test]
fn a_gpu_that_is_full_refuses_a_piece_and_stays_as_it_was() {
    let standin = Standin::with(2, 8 * PAGE);
    let cuda = Cuda::with(Arc::clone(standin.driver()));
    let space = space(&cuda);
    let first = space.create(6 * PAGE, GPU).unwrap();
    let error = space.create(3 * PAGE, GPU).unwrap_err();
    assert!(matches!(error, DeviceError::GpuFull(_)) && error.is_full());
    assert!(
        error
            .to_string()
            .starts_with("6291456 bytes are needed and GPU 0: stand-in GPU, 16 MiB, "),
        "{error}"
    );
    assert_eq!((standin.used(0), standin.used(1)), (6 * PAGE, 0));
    // Another GPU has room, and so has this one again.
    let other = space.create(3 * PAGE, Home::Gpu(1)).unwrap();
    space.destroy(first).unwrap();
    let again = space.create(8 * PAGE, GPU).unwrap();
    assert_eq!((standin.used(0), standin.used(1)), (8 * PAGE, 3 * PAGE));
    for piece in [other, again] {
        space.destroy(piece).unwrap();
    }
    assert!(space.create(PAGE, Home::Gpu(2)).is_err());
}

#[test]
fn bytes_travel_between_windows_of_two_gpus_and_a_host_device() {
    let standin = Standin::with(2, 64 << 20);
    let cuda = Cuda::with(Arc::clone(standin.driver()));
    let space = space(&cuda);
    let host = HostDevice::new(HostOptions {
        index: 51,
        span: 64 << 20,
        least_span: 1 << 20,
        windows: 0,
        unified: false,
    });
    // No device of a GPU has to be open.
    let mover = BesideCuda::new(host.unwrap(), &cuda);
    let homes = [GPU, Home::Gpu(1), Home::Machine];
    let places = homes.map(|home| {
        let window = space.reserve(2 * PAGE, None).unwrap();
        let piece = space.create(PAGE, home).unwrap();
        space.map(piece, window.range.start + PAGE, false).unwrap();
        window.range.start + window.distance + PAGE
    });
    let text = pattern(70_000, 9);
    let mut back = vec![0_u8; text.len()];
    let from = text.as_ptr().expose_provenance() as u64;
    let to = back.as_mut_ptr().expose_provenance() as u64;
    let [one, two, own] = places;
    for (to, from) in [(one, from), (two, one), (own, two), (to, own)] {
        // SAFETY: mapped ranges, and buffers of this test.
        unsafe { mover.copy(to, from, 70_000) }.unwrap();
    }
    assert!(back == text);
    drop(space);
    assert_eq!((standin.used(0), standin.used(1)), (0, 0));
}

/// Everything that a space does, each call made again where it fails. The number of failures.
fn scenario(cuda: &Arc<Cuda>, device: &CudaDevice, used: &dyn Fn() -> u64) -> u32 {
    let mut failures = 0;
    let mut insist = |call: &mut dyn FnMut() -> Result<(), DeviceError>| {
        let before = used();
        if call().is_err() {
            failures += 1;
            // Memory that could not be given back is kept; nothing else is different.
            assert_eq!(used(), before, "a failed call changes nothing");
            call().unwrap();
        }
    };
    let space = space(cuda);
    let window = space.reserve(8 * PAGE, None).unwrap();
    let (start, work) = (window.range.start, window.range.start + window.distance);
    let mut pieces = Vec::new();
    for pages in [1, 2] {
        insist(&mut || {
            pieces.push(space.create(pages * PAGE, GPU)?);
            Ok(())
        });
    }
    insist(&mut || space.share(pieces[0]).map(drop));
    for (piece, page) in [(0, 1), (1, 2), (0, 6)] {
        insist(&mut || space.map(pieces[piece], start + page * PAGE, false));
    }
    // SAFETY: a mapped range.
    insist(&mut || unsafe { device.fill(work + PAGE, 3, 3 * PAGE) });
    let mut bytes = [0_u8; 3];
    let to = bytes.as_mut_ptr().expose_provenance() as u64;
    // SAFETY: a mapped range, and a buffer of this test.
    insist(&mut || unsafe { device.copy(to, work + 6 * PAGE, 3) });
    assert_eq!(bytes, [3; 3]);
    // As another process would have it, whose memory is counted by its owner.
    let mut adopted = Vec::new();
    insist(&mut || {
        let pages = space.share(pieces[1])?;
        adopted.push(space.adopt(pages, Box::new(()))?.0);
        Ok(())
    });
    insist(&mut || space.map(adopted[0], start + 4 * PAGE, false));
    insist(&mut || space.unmap(start + 4 * PAGE));
    insist(&mut || space.destroy(adopted[0]));
    for page in [1, 2, 6] {
        insist(&mut || space.unmap(start + page * PAGE));
    }
    for piece in pieces {
        insist(&mut || space.destroy(piece));
    }
    insist(&mut || space.release(start));
    failures
}

#[test]
fn every_call_of_the_driver_may_fail_and_is_made_again() {
    let mut fail_at = 1;
    loop {
        let standin = Standin::new();
        let cuda = Cuda::with(Arc::clone(standin.driver()));
        // Opened before anything fails.
        let device = open(&cuda, PAGE);
        let used = || standin.used(0);
        let before = standin.calls(None);
        standin.fail(None, fail_at, 1);
        let failures = scenario(&cuda, &device, &used);
        let made = standin.calls(None) - before;
        drop(device);
        assert_eq!(used(), 0, "call {fail_at} failed, and something was lost");
        if failures == 0 && made < fail_at {
            break;
        }
        assert!(failures <= 1, "{failures} failures by call {fail_at}");
        fail_at += 1;
        assert!(fail_at < 300, "the scenario has no end");
    }
    assert!(fail_at > 25, "{fail_at} calls are too few");
}
