//! Any bytes are a record file, and those that become records come back when they are written again.
//!
//! `cargo fuzz run records` from this folder's parent. The first byte says whether the rest is a whole file or
//! the payloads of blocks; these get right checksums, which no fuzzer finds by itself.
#![no_main]

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use millpond_trace::file::{Header, Reader, Writer};
use millpond_trace::{Record, Sink};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&form, rest)) = bytes.split_first() else {
        return;
    };
    let file = if form % 4 == 0 {
        rest.to_vec()
    } else {
        blocks(rest, usize::from(form % 4))
    };
    let records = read(&file);
    let again = read(&write(&records));
    assert_eq!(again, records);
});

fn read(file: &[u8]) -> Vec<Record> {
    let Ok(mut reader) = Reader::new(file) else {
        return Vec::new();
    };
    let records: Vec<Record> = reader.by_ref().filter_map(Result::ok).collect();
    assert_eq!(reader.bytes(), file.len() as u64);
    assert!(reader.losses().bytes <= file.len() as u64);
    records
}

fn header() -> Header {
    Header {
        major: 1,
        minor: 0,
        started: 0,
        process: 0,
        program: String::new(),
        memory_only: false,
    }
}

/// A file whose blocks have these bytes as payloads, written as docs/record-format.md says.
fn blocks(bytes: &[u8], count: usize) -> Vec<u8> {
    let mut file = write(&[]);
    for payload in bytes.chunks(bytes.len() / count + 1) {
        let start = file.len();
        file.extend([0xF5, b'M', b'B', 1]);
        file.extend((payload.len() as u32).to_le_bytes());
        file.extend([1, 0, 0, 0, 0, 0, 0, 0]);
        file.extend(start.to_le_bytes());
        file.extend([0; 8]);
        file.extend(crc32fast::hash(payload).to_le_bytes());
        let checksum = crc32fast::hash(&file[start..]);
        file.extend(checksum.to_le_bytes());
        file.extend(payload);
    }
    file
}

fn write(records: &[Record]) -> Vec<u8> {
    let memory = Memory::default();
    let writer = Writer::new(memory.clone(), &header()).expect("memory takes everything");
    for record in records {
        writer.record(record);
    }
    assert_eq!(writer.lost(), 0);
    drop(writer);
    let file = memory.0.lock().expect("nobody panicked").clone();
    file
}

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panicked").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
