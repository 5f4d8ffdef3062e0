//! When a writer writes, and what it does when it cannot.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::{env, fs, iter};

use super::{Memory, header, read};
use crate::file::{Problem, Reader, Why, Writer};
use crate::{Frame, Operation, Record, Sink, Site};

fn record(order: u64, nanoseconds: u64, operation: Operation) -> Record {
    Record {
        order,
        nanoseconds,
        thread: 1,
        site: Site::default(),
        operation,
    }
}

fn reset(order: u64, nanoseconds: u64) -> Record {
    record(order, nanoseconds, Operation::DeviceReset { device: 0 })
}

/// Notes the size of each write.
#[derive(Debug, Clone, Default)]
struct Sizes(Arc<Mutex<Vec<usize>>>);

impl Write for Sizes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().push(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_block_is_one_write_when_it_is_full_old_or_flushed() {
    let sizes = Sizes::default();
    let writer = Writer::new(sizes.clone(), &header()).unwrap();
    let writes = || sizes.0.lock().unwrap().len() - 1;
    writer.record(&reset(1, 1000));
    writer.record(&reset(2, 100_000_999));
    assert_eq!(writes(), 0, "young and nearly empty");
    writer.record(&reset(3, 100_001_000));
    assert_eq!(writes(), 1, "its first record is 100 milliseconds old");
    writer.flush();
    assert_eq!(writes(), 1, "nothing waits");
    writer.record(&reset(4, 100_001_001));
    writer.flush();
    assert_eq!(writes(), 2);
    for order in 5.. {
        writer.record(&reset(order, 100_001_001));
        if writes() > 2 {
            break;
        }
    }
    let size = sizes.0.lock().unwrap()[3];
    assert!((1 << 16..(1 << 16) + 100).contains(&size), "{size}");
}

/// Takes some bytes, then is full for a while.
#[derive(Debug)]
struct Full {
    memory: Memory,
    writes: Arc<AtomicUsize>,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.writes.fetch_add(1, Ordering::Relaxed) {
            // A part of a block, as a disk that becomes full takes it.
            2 => self.memory.write(&bytes[..bytes.len() / 2]),
            3 | 4 => Err(io::ErrorKind::StorageFull.into()),
            _ => self.memory.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported_once_and_costs_only_what_did_not_fit() {
    let memory = Memory::default();
    let full = Full {
        memory: memory.clone(),
        writes: Arc::default(),
    };
    let writer = Writer::new(full, &header()).unwrap();
    for order in 1..=5 {
        writer.record(&reset(order, 0));
        writer.flush();
    }
    let Some(Problem::Io(error)) = writer.problem() else {
        panic!("a problem");
    };
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert!(writer.problem().is_none(), "told once");
    assert_eq!(writer.lost(), 2);
    drop(writer);
    let bytes = memory.0.lock().unwrap().clone();
    let (records, losses) = read(&bytes);
    let orders: Vec<u64> = records.iter().map(|record| record.order).collect();
    assert_eq!(orders, [1, 4, 5]);
    assert_eq!((losses.len(), losses[0].records), (1, Some(2)));
    let mut reader = Reader::new(&bytes[..]).unwrap();
    reader.by_ref().for_each(drop);
    let end = reader.end().unwrap();
    assert_eq!((end.records, end.lost), (3, 2));
}

#[test]
fn a_record_that_no_block_can_hold_is_left_out_and_reported() {
    let frame = |index: usize| Frame::Named {
        function: format!("{index:060000}").into(),
        file: "".into(),
        line: 1,
    };
    let huge = Operation::StackSeen {
        stack: 1,
        frames: (0..20).map(frame).collect(),
    };
    let memory = Memory::default();
    let writer = Writer::new(memory.clone(), &header()).unwrap();
    writer.record(&reset(1, 0));
    writer.record(&record(2, 0, huge));
    writer.record(&reset(3, 0));
    assert!(matches!(writer.problem(), Some(Problem::TooLarge)));
    assert_eq!(writer.lost(), 1);
    drop(writer);
    let (records, losses) = read(&memory.0.lock().unwrap());
    assert_eq!(records, [reset(1, 0), reset(3, 0)]);
    assert_eq!((losses[0].why, losses[0].records), (Why::LeftOut, Some(1)));
}

#[test]
fn a_long_text_is_cut_between_two_characters() {
    let marked = |message: String| Operation::Marked {
        domain: 0,
        message,
        stream: None,
    };
    let long: String = iter::once('a').chain(iter::repeat_n('é', 50_000)).collect();
    let records = [record(1, 0, marked(long.clone()))];
    let (found, _) = read(&super::file(&[&records]));
    assert_eq!(found[0].operation, marked(long[..65_535].to_owned()));
}

#[test]
fn a_process_that_was_forked_writes_nothing() {
    let memory = Memory::default();
    let mut writer = Writer::new(memory.clone(), &header()).unwrap();
    writer.record(&reset(1, 0));
    let before = memory.0.lock().unwrap().len();
    // What a child finds: a writer of another process, with records in it.
    writer.pretend_forked();
    writer.record(&reset(2, 0));
    writer.flush();
    drop(writer);
    assert_eq!(memory.0.lock().unwrap().len(), before);
}

#[test]
fn a_process_that_was_forked_while_a_thread_wrote_does_not_wait_for_it() {
    let mut writer = Writer::new(Memory::default(), &header()).unwrap();
    writer.pretend_forked();
    let occupied = writer.occupy();
    writer.record(&reset(1, 0));
    writer.flush();
    writer.close();
    assert!(writer.problem().is_none());
    drop(occupied);
}

#[test]
fn an_existing_file_is_begun_anew_but_not_one_that_is_being_written() {
    let path = env::temp_dir().join(format!("millpond-anew-{}.mpr", std::process::id()));
    fs::write(&path, vec![b'x'; 100_000]).unwrap();
    let writer = Writer::create(&path).unwrap();
    writer.record(&reset(1, 0));
    let refused = Writer::create(&path).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::ResourceBusy);
    drop(writer);
    let mut reader = Reader::open(&path).unwrap();
    assert_eq!(reader.next(), Some(Ok(reset(1, 0))));
    assert_eq!(reader.next(), None);
    let header = reader.header().unwrap();
    assert_eq!(header.process, std::process::id());
    assert!(header.program.contains("millpond_trace"));
    drop(Writer::create(&path).unwrap());
    assert_eq!(Reader::open(&path).unwrap().count(), 0);
    fs::remove_file(&path).unwrap();
    drop(Writer::create("/dev/null").unwrap());
    assert!(Writer::create("/").is_err());
}

#[test]
fn what_comes_after_closing_is_written_too() {
    let memory = Memory::default();
    let writer = Writer::new(memory.clone(), &header()).unwrap();
    writer.record(&reset(1, 0));
    writer.close();
    writer.close();
    writer.record(&reset(2, 5));
    drop(writer);
    let bytes = memory.0.lock().unwrap().clone();
    let mut reader = Reader::new(&bytes[..]).unwrap();
    assert_eq!(reader.by_ref().flatten().count(), 2);
    assert_eq!(reader.end().unwrap().records, 2);
    assert_eq!(reader.losses().times, 0);
}
