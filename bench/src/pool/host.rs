//! What the machine really holds: one trace on the host device, as a program gets it by default.
//!
//! The policies are replayed without a device. Here every block is written to, pages are shown in windows, and the device is
//! asked how much memory the machine holds for it.

use std::collections::HashMap;
use std::fmt;

use millpond::{Config, Runtime};
use millpond_replay::engine;
use millpond_replay::policies::millpond::Replayed;
use millpond_replay::table::gigabytes;
use millpond_replay::trace::{Op, Trace};

#[derive(Debug)]
pub(crate) struct Resident {
    trace: String,
    peak_live: u64,
    /// The most that the policy held in the memory part.
    policy: u64,
    /// The most that the device's pool held.
    pool: u64,
    /// The most that the machine held for it.
    machine: u64,
    /// Pages that were mapped at a second address.
    moved: u64,
}

/// Room for what fragmentation may take.
const ROOM: u64 = 4;

/// Replays allocations and frees; for traces whose streams have nothing to do with each other.
pub(crate) fn measure(trace: &Trace) -> Result<Resident, String> {
    eprintln!("replaying {} on the host's memory …", trace.name);
    let words = |error: millpond::Error| error.to_string();
    let peak_live = trace.peak_live();
    if kilobytes("/proc/meminfo", "MemAvailable:")? < peak_live.saturating_mul(2) {
        return Err(format!("too little memory is free for {}", trace.name));
    }
    let policy = engine::memory(trace, &mut Replayed::new()).peak_reserved;
    let config = Config {
        capacity: (peak_live * ROOM).next_multiple_of(1 << 30),
        ..Config::default()
    };
    let runtime = Runtime::new(config).map_err(words)?;
    let device = runtime.device(0).map_err(words)?;
    let mut streams = HashMap::new();
    for stream in trace.streams() {
        streams.insert(stream, device.create_stream().map_err(words)?);
    }
    let mut blocks = Vec::new();
    blocks.resize_with(trace.blocks, || None);
    let mut machine = 0;
    for op in &trace.ops {
        match *op {
            Op::Alloc {
                block,
                bytes,
                stream,
            } => {
                let stream = &streams[&stream];
                let new = device.alloc(bytes).map_err(words)?;
                stream.fill(new.all(), 1).map_err(words)?;
                stream.synchronize().map_err(words)?;
                blocks[block as usize] = Some(new);
                machine = device.resident().map_err(words)?.max(machine);
            }
            Op::Free { block, .. } => blocks[block as usize] = None,
            _ => {}
        }
    }
    let statistics = device.statistics();
    Ok(Resident {
        trace: trace.name.clone(),
        peak_live,
        policy,
        pool: statistics.peak_reserved,
        moved: statistics.pages_moved,
        machine,
    })
}

/// A number of the system's that it tells in kilobytes.
fn kilobytes(file: &str, name: &str) -> Result<u64, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    Ok(number.ok_or_else(|| format!("{file} has no {name}"))? << 10)
}

impl fmt::Display for Resident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} live at the peak; the policy held {}, the host device {}, and the machine {} for it; {} pages were moved",
            self.trace,
            gigabytes(self.peak_live),
            gigabytes(self.policy),
            gigabytes(self.pool),
            gigabytes(self.machine),
            self.moved,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_holds_what_is_live_and_no_more_than_the_pool() {
        const MIB: u64 = 1 << 20;
        let alloc = |block, bytes| Op::Alloc {
            block,
            bytes,
            stream: 0,
        };
        let free = |block| Op::Free {
            block,
            stream: 0,
            held: false,
        };
        let trace = Trace {
            name: "small".to_owned(),
            ops: vec![
                alloc(0, 20 * MIB),
                alloc(1, 5 * MIB),
                free(0),
                alloc(2, 12 * MIB),
                alloc(3, 100),
            ],
            blocks: 4,
            ..Trace::default()
        };
        let found = measure(&trace).unwrap();
        assert_eq!(found.peak_live, 25 * MIB);
        assert!(found.machine + MIB >= found.peak_live, "{found}");
        assert!(found.machine <= found.pool + MIB, "{found}");
        assert!(found.pool <= 40 * MIB, "{found}");
        let text = found.to_string();
        assert!(
            text.starts_with("small: 26.2 MB live at the peak; "),
            "{text}"
        );
    }

    #[test]
    fn numbers_that_the_system_does_not_tell_are_errors() {
        assert!(kilobytes("/proc/self/status", "VmRSS:").is_ok());
        assert!(kilobytes("/proc/self/status", "NoSuchThing:").is_err());
    }
}
