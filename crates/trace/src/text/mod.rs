//! Records as lines for people.
//!
//! `operation` has the sentence of each operation, `parts` the words for the types of their fields.

mod operation;
mod parts;

use std::fmt;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use crate::clean::clean;
use crate::{Record, Sink};

/// Writes each record as one line.
pub struct TextSink {
    out: Mutex<Box<dyn Write + Send>>,
    locate: Box<dyn Fn(u64) -> String + Send + Sync>,
}

impl fmt::Debug for TextSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TextSink")
    }
}

impl TextSink {
    /// A sink that writes to `out`, line by line. `locate` describes a caller's address, for example by its file.
    pub fn new(
        out: Box<dyn Write + Send>,
        locate: impl Fn(u64) -> String + Send + Sync + 'static,
    ) -> Self {
        Self {
            out: Mutex::new(out),
            locate: Box::new(locate),
        }
    }
}

impl Sink for TextSink {
    fn record(&self, record: &Record) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // A line that cannot be written is lost; the program must go on.
        let line = match record.site.caller {
            0 => record.to_string(),
            caller => format!("{record}  from {}", (self.locate)(caller)),
        };
        // Texts of a program may contain anything; a record stays one line.
        drop(writeln!(out, "{}", clean(&line)));
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.nanoseconds / 1000;
        write!(
            f,
            "{:>5} {:>4}.{:06} s  thread {}  {}",
            self.order,
            micros / 1_000_000,
            micros % 1_000_000,
            self.thread,
            self.operation
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bytes, Operation, PoolSetting, Site, Space};

    #[test]
    fn a_line_says_where_the_call_came_from() {
        #[derive(Clone, Default)]
        struct Shared(std::sync::Arc<Mutex<Vec<u8>>>);
        impl Write for Shared {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.lock().unwrap().write(bytes)
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let text = Shared::default();
        let sink = TextSink::new(Box::new(text.clone()), |caller| format!("main+{caller}"));
        sink.record(&Record {
            order: 1,
            nanoseconds: 0,
            thread: 1,
            site: Site {
                call: "aclrtResetDevice".into(),
                caller: 7,
                stack: 0,
            },
            operation: Operation::DeviceReset { device: 0 },
        });
        let line = String::from_utf8(text.0.lock().unwrap().clone()).unwrap();
        assert!(line.ends_with("device 0 reset  from main+7\n"), "{line}");
    }

    #[test]
    fn a_record_reads_as_a_sentence() {
        let record = Record {
            order: 12,
            nanoseconds: 1_002_003_000,
            thread: 1,
            site: Site::default(),
            operation: Operation::Freed {
                block: 3,
                range: Bytes {
                    start: 0x1000,
                    bytes: 512,
                },
                retired: true,
                ordered: None,
            },
        };
        assert_eq!(
            record.to_string(),
            "   12    1.002003 s  thread 1  block 3 freed: 0x1000+512, reused after queued work"
        );
    }

    #[test]
    fn pools_read_as_sentences() {
        let pool = 3;
        let set = |setting| Operation::PoolSet { pool, setting };
        let lines = [
            (
                Operation::PoolCreated {
                    pool,
                    device: 1,
                    limit: 4096,
                },
                "pool 3 created on device 1 with at most 4096 bytes",
            ),
            (
                set(PoolSetting::FollowEvents(true)),
                "pool 3 set: reuse across events on",
            ),
            (
                set(PoolSetting::Opportunistic(false)),
                "pool 3 set: opportunistic reuse off",
            ),
            (
                set(PoolSetting::InternalWaits(true)),
                "pool 3 set: reuse with inserted waits on",
            ),
            (
                set(PoolSetting::ReleaseThreshold(7)),
                "pool 3 set: keeps 7 bytes at a synchronisation",
            ),
            (
                Operation::PoolTrimmed { pool, keep: 5 },
                "pool 3 trimmed to 5 bytes",
            ),
            (Operation::PoolDestroyed { pool }, "pool 3 destroyed"),
        ];
        for (operation, line) in lines {
            assert_eq!(operation.to_string(), line);
        }
    }

    #[test]
    fn virtual_memory_reads_as_sentences() {
        let range = Bytes {
            start: 0x20_0000,
            bytes: 4096,
        };
        let (piece, bytes) = (7, 4096);
        let space = Space::Device(1);
        let lines = [
            (
                Operation::AddressesReserved { range },
                "addresses reserved: 0x200000+4096",
            ),
            (
                Operation::AddressesReleased {
                    range,
                    retired: true,
                },
                "addresses released: 0x200000+4096, released after queued work",
            ),
            (
                Operation::PhysicalAllocated {
                    piece,
                    space,
                    bytes,
                },
                "piece 7 allocated on device 1: 4096 bytes",
            ),
            (
                Operation::PhysicalImported {
                    piece,
                    space,
                    bytes,
                },
                "piece 7 imported to device 1: 4096 bytes",
            ),
            (Operation::PhysicalShared { piece }, "piece 7 exported"),
            (
                Operation::PhysicalFreed {
                    piece,
                    bytes,
                    retired: false,
                },
                "piece 7 freed: 4096 bytes",
            ),
            (
                Operation::Mapped {
                    piece,
                    range,
                    access: None,
                },
                "piece 7 mapped: 0x200000+4096, no access yet",
            ),
            (
                Operation::Mapped {
                    piece,
                    range,
                    access: Some(space),
                },
                "piece 7 mapped: 0x200000+4096, accessible from device 1",
            ),
            (
                Operation::AccessGranted {
                    range,
                    access: Space::Pinned,
                },
                "access granted: 0x200000+4096, accessible from the host",
            ),
            (
                Operation::Unmapped {
                    piece,
                    range,
                    retired: false,
                },
                "piece 7 unmapped: 0x200000+4096",
            ),
            (
                Operation::MappingRefused {
                    address: 0x1000,
                    reason: "no".to_owned(),
                },
                "virtual memory at 0x1000 refused: no",
            ),
        ];
        for (operation, line) in lines {
            assert_eq!(operation.to_string(), line);
        }
    }
}
