//! Export and import inside one process: a number that names memory as long as it lives.

use millpond::{Config, Error, Location, MappingError, Runtime, Schedule};

use crate::common::{MIB, config};
use crate::{PIECE, refusal, value_of};

#[test]
fn an_import_is_another_name_of_the_same_memory() {
    let runtime = Runtime::new(Config {
        devices: 2,
        ..config(Schedule::Eager)
    })
    .unwrap();
    let devices = [0, 1].map(|index| runtime.device(index).unwrap());
    let stream = devices[1].create_stream().unwrap();
    let piece = devices[0].alloc_physical(PIECE).unwrap();
    let number = piece.export().unwrap();
    assert_eq!(piece.export(), Ok(number));
    runtime.allow_importers(number, &[1, 2]).unwrap();
    let from = Location::Device(1);
    let import = runtime.import_physical(number, from).unwrap();
    assert_eq!(import.number(), piece.number());
    assert_eq!(
        (import.location(), import.used_from()),
        (Location::Device(0), from)
    );

    let range = runtime.reserve(8 * MIB).unwrap();
    let here = range.map(0, &piece).unwrap();
    let there = range.map(PIECE, &import).unwrap();
    for (mapping, index, access) in [
        (&here, 0, true),
        (&here, 1, false),
        (&there, 0, false),
        (&there, 1, true),
    ] {
        let answer = runtime.has_access_at(mapping.address(), Location::Device(index));
        assert_eq!(answer, Ok(access), "device {index}");
    }
    stream.fill(there.all(), 8).unwrap();
    assert_eq!(value_of(&runtime, &stream, here.all()), 8);

    // The exporter's name may go first.
    drop((here, piece));
    assert_eq!(devices[0].usage().charged, PIECE);
    assert!(runtime.import_physical(number, from).is_ok());
    drop((there, import));
    assert_eq!(devices[0].usage().charged, 0);
    let stale = MappingError::NotExported { number };
    assert_eq!(refusal(runtime.import_physical(number, from)), stale);
    assert_eq!(refusal(runtime.allow_importers(number, &[])), stale);
}

#[test]
fn invented_numbers_and_devices_are_refused() {
    let runtime = Runtime::new(config(Schedule::Eager)).unwrap();
    let device = runtime.device(0).unwrap();
    let piece = device.alloc_physical(PIECE).unwrap();
    let number = piece.export().unwrap();
    for wrong in [0, 1, number + 1, number ^ (1 << 63), u64::MAX] {
        let error = refusal(runtime.import_physical(wrong, Location::Device(0)));
        assert_eq!(error, MappingError::NotExported { number: wrong });
    }
    let nowhere = runtime.import_physical(number, Location::Device(9));
    assert!(matches!(nowhere, Err(Error::NoSuchDevice { index: 9, .. })));
}
