//! Threads that use, unmap and map the same addresses: a copy finds its bytes or is refused.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use millpond::{Error, MappingError, Schedule};

use crate::PIECE;
use crate::common::{LONG, MIB, open, within};

#[test]
fn a_copy_never_loses_its_bytes_to_an_unmap() {
    within(3 * LONG, || {
        let (runtime, device) = open(Schedule::Eager);
        let range = runtime.reserve(8 * MIB).unwrap();
        let piece = device.alloc_physical(PIECE).unwrap();
        let shared = device.create_stream().unwrap();
        let over = AtomicBool::new(false);
        let moved = AtomicU64::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let own = device.create_stream().unwrap();
                    while !over.load(Ordering::Relaxed) {
                        for stream in [&shared, &own] {
                            match stream.fill(range.slice(100..PIECE), 1) {
                                Ok(()) => drop(moved.fetch_add(1, Ordering::Relaxed)),
                                Err(Error::Mapping(MappingError::NotMapped { .. })) => {}
                                Err(other) => panic!("{other}"),
                            }
                        }
                        own.synchronize().unwrap();
                    }
                });
            }
            let end = Instant::now() + Duration::from_millis(500);
            let mut maps = 0;
            while Instant::now() < end || moved.load(Ordering::Relaxed) < 100 {
                match range.map(0, &piece) {
                    Ok(mapping) => {
                        maps += 1;
                        thread::yield_now();
                        drop(mapping);
                    }
                    Err(Error::Mapping(MappingError::StillQueued { .. })) => thread::yield_now(),
                    Err(other) => panic!("{other}"),
                }
            }
            over.store(true, Ordering::Relaxed);
            assert!(maps > 1, "{maps}");
        });
        shared.synchronize().unwrap();
        drop(piece);
        assert_eq!(device.usage().charged, 0);
    });
}
