//! A snapshot is read with at most a quarter of its size.
#![expect(
    unsafe_code,
    reason = "a global allocator that counts cannot be written without"
)]
#![expect(clippy::print_stderr, reason = "the figures, for whoever runs this")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use millpond_recording::{Options, Target, export, from_bytes, open};
use millpond_trace::file::{Header, Writer};
use millpond_trace::{Bytes, Frame, Operation, Record, Sink, Site, Space};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the address came from `alloc` with this layout.
        unsafe { System.dealloc(address, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

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

/// Enough for a file of ten megabytes: half a megabyte of buffers is needed for any file.
const STEPS: u64 = 60;
const TENSORS: u64 = 1500;

/// A training loop of many steps: the same stacks and addresses in each, as a caching allocator serves them.
fn recording(depth: u32) -> Vec<u8> {
    let out = Shared::default();
    let writer = Writer::new(out.clone(), &Header::of_this_process()).expect("memory is writable");
    let mut order = 0;
    let mut write = |stack: u32, operation: Operation| {
        order += 1;
        let site = Site {
            stack,
            ..Site::default()
        };
        writer.record(&Record {
            order,
            nanoseconds: order * 700,
            thread: 1,
            site,
            operation,
        });
    };
    if depth > 0 {
        for stack in 1..=300 {
            let frame = |level: u32| Frame::Named {
                function: format!("function{}", (stack >> level.min(9)) + level).into(),
                file: format!("module{level}.py").into(),
                line: stack >> level.min(9),
            };
            write(
                0,
                Operation::StackSeen {
                    stack,
                    frames: (0..depth).map(frame).collect(),
                },
            );
        }
    }
    let range = |tensor: u64| Bytes {
        start: 0x7F00_0000_0000 + tensor * 0x20_0000,
        bytes: 512 + tensor * 1024,
    };
    for step in 0..STEPS {
        for tensor in 0..TENSORS {
            let block = step * TENSORS + tensor + 1;
            let stack = if depth > 0 {
                u32::try_from(1 + tensor % 300).expect("small")
            } else {
                0
            };
            let range = range(tensor);
            let space = Space::Device(0);
            let (requested, charged, pool, ordered) = (range.bytes, range.bytes, None, None);
            write(
                stack,
                Operation::Allocated {
                    block,
                    space,
                    range,
                    requested,
                    charged,
                    pool,
                    ordered,
                },
            );
        }
        for tensor in 0..TENSORS {
            let block = step * TENSORS + tensor + 1;
            write(
                0,
                Operation::Freed {
                    block,
                    range: range(tensor),
                    retired: false,
                    ordered: None,
                },
            );
        }
    }
    drop(writer);
    std::mem::take(&mut *out.0.lock().expect("no test panics here"))
}

#[test]
fn a_quarter_of_the_file() {
    for depth in [0, 24] {
        let path = std::env::temp_dir().join(format!(
            "millpond-quarter-{}-{depth}.pickle",
            std::process::id()
        ));
        {
            let recording = recording(depth);
            let mut source = from_bytes(&recording, "made.mpt").unwrap();
            let file = std::fs::File::create(&path).unwrap();
            let mut out = std::io::BufWriter::new(file);
            export(&mut *source, Target::Snapshot, Options::default(), &mut out).unwrap();
        }
        let size = usize::try_from(std::fs::metadata(&path).unwrap().len()).unwrap();
        let before = NOW.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        let source = open(&path).unwrap();
        let took = MOST.load(Ordering::Relaxed) - before;
        eprintln!("stacks of {depth}: {size} bytes, read with {took}");
        assert_eq!(source.events(), Some(STEPS * TENSORS * 3));
        assert!(took <= size / 4, "{took} of {size}");
        drop(source);
        std::fs::remove_file(&path).unwrap();
    }
}
