//! Good files, changed at random: a reader gives events that hold what it promises, or an error. It never panics.

#[path = "common/promises.rs"]
mod promises;

use std::sync::{Arc, Mutex};

use millpond_recording::{Options, Target, export, from_bytes};
use millpond_trace::file::{Header, Writer};
use millpond_trace::{Bytes, Operation, Record, Sink, Site, Space};
use proptest::prelude::*;

const PICKLE: &[u8] = include_bytes!("data/snapshot4.pickle");
const OLD_PICKLE: &[u8] = include_bytes!("data/snapshot0.pickle");
const CSV: &[u8] =
    b"t_us,op,addr,size,stream\n0,S,7f00,4096,0\n1,a,7f00,100,0\n2,f,7f00,100,0\n3,c,7f00,100,0\n\
    4,a,7f80,8,4\n5,M,9000,512,1\n6,m,9000,512,1\n7,f,7f80,8,4\n8,a,7f80,9,4\n";
const RMM: &[u8] = b"Thread,Time,Action,Pointer,Size,Stream\n1,10:00:00.000001,allocate,0x10,8,0x0\n\
    1,10:00:00.000002,allocate,0x20,8,0x0\n1,10:00:01:5,free,0x10,8,0x0\n2,10:00:02.0,allocate failure,(nil),99,0x0\n";

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no test panics here").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn records() -> Vec<u8> {
    let out = Shared::default();
    let writer = Writer::new(out.clone(), &Header::of_this_process()).expect("memory is writable");
    for order in 1..40_u64 {
        let range = Bytes {
            start: 0x1000 + order / 2 % 5 * 64,
            bytes: 64,
        };
        let block = order / 2;
        let operation = if order % 2 == 0 {
            Operation::Allocated {
                block,
                space: Space::Device(0),
                range,
                requested: 60,
                charged: 64,
                pool: None,
                ordered: None,
            }
        } else {
            Operation::Freed {
                block,
                range,
                retired: order % 3 == 0,
                ordered: None,
            }
        };
        writer.record(&Record {
            order,
            nanoseconds: order,
            thread: 1,
            site: Site::default(),
            operation,
        });
        if order % 8 == 0 {
            writer.flush();
        }
    }
    drop(writer);
    std::mem::take(&mut *out.0.lock().expect("no test panics here"))
}

/// One change: overwrite, remove, or copy a part to another place.
fn change(bytes: &mut Vec<u8>, (how, place, other, length, value): (u8, usize, usize, usize, u8)) {
    if bytes.is_empty() {
        return;
    }
    let place = place % bytes.len();
    let end = (place + length).min(bytes.len());
    match how % 4 {
        0 => bytes[place] = value,
        1 => drop(bytes.drain(place..end)),
        2 => {
            let part = bytes[place..end].to_vec();
            let other = other % bytes.len();
            bytes.splice(other..other, part);
        }
        _ => bytes.truncate(place),
    }
}

#[test]
fn good_files_hold_the_promises() {
    for good in [PICKLE, OLD_PICKLE, CSV, RMM, &records()] {
        promises::hold(&mut *from_bytes(good, "good").unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changed_files(
        which in 0..5_usize,
        changes in prop::collection::vec((any::<u8>(), any::<usize>(), any::<usize>(), 1..40_usize, any::<u8>()), 1..6),
    ) {
        let mut bytes = match which {
            0 => PICKLE.to_vec(),
            1 => OLD_PICKLE.to_vec(),
            2 => CSV.to_vec(),
            3 => RMM.to_vec(),
            _ => records(),
        };
        for one in changes {
            change(&mut bytes, one);
        }
        match from_bytes(&bytes, "changed") {
            Ok(mut source) => {
                promises::hold(&mut *source);
                // And whatever was read can be written.
                for target in [Target::Snapshot, Target::Perfetto, Target::Chrome, Target::Csv, Target::Parquet] {
                    export(&mut *source, target, Options::default(), &mut std::io::sink()).expect("a sink takes everything");
                }
            }
            Err(error) => prop_assert!(error.at.is_some() || error.what.starts_with("record "), "{}", error),
        }
    }
}
