//! What the tap costs an allocation and its free, while nobody listens and while somebody does.
//!
//! Measured with the Rust interface: a sink can be attached and detached there between two samples.
//! The sink only counts, so the difference is what making and delivering two records costs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millpond::trace::{Record, Sink};
use millpond::{Config, Device, Request, Runtime};

use crate::measure::{PAIRS, compare, per_call};
use crate::report::{Bound, Row};

const BYTES: u64 = 64 << 10;
const CALLS: u32 = 5_000;

#[derive(Debug, Default)]
struct Counter {
    seen: AtomicU64,
}

impl Sink for Counter {
    fn record(&self, _record: &Record) {
        self.seen.fetch_add(1, Ordering::Relaxed);
    }
}

pub(super) fn measure() -> Result<Vec<Row>, String> {
    let runtime = Runtime::new(Config::default()).map_err(|error| error.to_string())?;
    let device = runtime.device(0).map_err(|error| error.to_string())?;
    let counter = Arc::new(Counter::default());
    let sink: Arc<dyn Sink> = counter.clone();
    let listening = || {
        runtime.tap().attach(Arc::clone(&sink));
        let time = pairs(&runtime, &device);
        runtime.tap().detach(&sink);
        time
    };
    let found = compare(PAIRS, listening, || pairs(&runtime, &device))?;
    if counter.seen.load(Ordering::Relaxed) < u64::from(CALLS) * 2 {
        return Err("the sink was not told".to_owned());
    }
    Ok(vec![Row::times(
        "alloc + free, 64 KiB, records counted",
        "nobody listens",
        found,
        Bound::None,
    )])
}

fn pairs(runtime: &Runtime, device: &Device) -> Result<f64, String> {
    per_call(CALLS, || {
        let freed = device
            .alloc_at(Request::of(BYTES))
            .and_then(|block| runtime.free_at(block));
        i32::from(freed.is_err())
    })
}
