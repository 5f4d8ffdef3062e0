//! How many bytes a recording takes.
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use millpond_recording::{Kind, open, read_all};
use millpond_trace::file::{Header, Writer};
use millpond_trace::{Bytes, Operation, Record, Sink, Site};

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

/// A real run's tensors, recorded as `torch_npu` reports them, take at most 12 bytes each.
#[test]
fn twelve_bytes_an_allocation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/traces");
    if !folder.exists() {
        eprintln!("skipped: {} does not exist", folder.display());
        return;
    }
    for name in [
        "gpt_train_fixed",
        "gpt_train_varlen",
        "llm_decode_growing_kv",
        "moe_train",
    ] {
        let mut source = open(&folder.join(format!("{name}.csv.gz"))).unwrap();
        let events = read_all(&mut *source).unwrap();
        let out = Shared::default();
        let writer = Writer::of_memory(out.clone(), &Header::of_this_process()).unwrap();
        let (mut order, mut regions, mut live) = (0, 0_u64, HashMap::new());
        for event in &events {
            let operation = match event.kind {
                Kind::Alloc => {
                    regions += 1;
                    live.insert(event.address, regions);
                    Operation::RegionRegistered {
                        region: regions,
                        domain: 1,
                        heap: Some(1 + event.address % 7),
                        device: 0,
                        range: Bytes {
                            start: event.address,
                            bytes: event.bytes,
                        },
                    }
                }
                Kind::FreeRequested => Operation::RegionUnregistered {
                    region: live[&event.address],
                },
                _ => continue,
            };
            order += 1;
            let call = if event.kind == Kind::Alloc {
                "mstxMemRegionsRegister"
            } else {
                "mstxMemRegionsUnregister"
            };
            let site = Site {
                call: call.into(),
                caller: 0x7F00_1234_5678,
                stack: 0,
            };
            writer.record(&Record {
                order,
                nanoseconds: event.time_ns,
                thread: 1,
                site,
                operation,
            });
        }
        writer.close();
        let bytes = out.0.lock().unwrap().len() as u64;
        let hundredths = bytes * 100 / regions;
        eprintln!(
            "{name}: {}.{:02} bytes an allocation",
            hundredths / 100,
            hundredths % 100
        );
        assert!(hundredths <= 1200, "{name}");
    }
}
