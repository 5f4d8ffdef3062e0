//! Tests that need to see inside.

mod damage;
mod document;
mod kill;
mod newer;
mod packing;
mod random;
mod round_trip;
mod writing;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use crate::{Record, Sink};

use super::{Header, Loss, Reader, Writer};

pub(super) use random::Random;

/// A file in memory.
#[derive(Debug, Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn header() -> Header {
    Header {
        major: super::MAJOR,
        minor: super::MINOR,
        started: 1_700_000_000_000_000_000,
        process: 42,
        program: "example".to_owned(),
        memory_only: false,
    }
}

/// The bytes of a file with these records; each slice is a block, or more.
fn file(blocks: &[&[Record]]) -> Vec<u8> {
    let memory = Memory::default();
    let writer = Writer::new(memory.clone(), &header()).unwrap();
    for block in blocks {
        for record in *block {
            writer.record(record);
        }
        writer.flush();
    }
    assert!(writer.problem().is_none());
    drop(writer);
    memory.0.lock().unwrap().clone()
}

/// What a reader makes of these bytes.
fn read(bytes: &[u8]) -> (Vec<Record>, Vec<Loss>) {
    let (mut records, mut losses) = (Vec::new(), Vec::new());
    if let Ok(reader) = Reader::new(bytes) {
        for one in reader {
            match one {
                Ok(record) => records.push(record),
                Err(loss) => losses.push(loss),
            }
        }
    }
    (records, losses)
}
