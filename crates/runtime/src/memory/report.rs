//! Reports of where the memory is, for error messages and statistics.

use std::fmt::Write;

use millpond_pool::{HOST, Report, Statistics};

/// How many of the largest blocks are named.
pub(super) const HOLDERS: usize = 5;

/// A few lines: what is live, reserved and free, what waits for which stream, who holds most. Addresses
/// are counted from `start`.
pub(crate) fn describe(report: &Report, start: u64) -> String {
    #[cfg(test)]
    tests::DESCRIBED.set(tests::DESCRIBED.get() + 1);
    let numbers = &report.statistics;
    let own: u64 = numbers.streams.iter().map(|part| part.bytes.current).sum();
    let mut text = format!(
        "live: {} in {}, peak {}; reserved: {}, of which idle: {}; largest free range: {}",
        bytes(own),
        blocks(numbers.blocks),
        bytes(numbers.peak),
        bytes(numbers.reserved),
        bytes(report.idle),
        bytes(report.largest_free),
    );
    let held = numbers.charged.saturating_sub(own);
    if held > 0 {
        // Writing to a string does not fail.
        let _written = write!(
            text,
            "; set aside for pools or taken as physical memory: {}",
            bytes(held)
        );
    }
    for stream in &numbers.streams {
        let (count, waiting) = stream.pending;
        if count > 0 {
            let whose = if stream.stream == HOST {
                "freed by the program".to_owned()
            } else {
                format!("freed on stream {}", stream.stream)
            };
            let _written = write!(
                text,
                "; {whose} and waiting for queued work: {} in {}",
                bytes(waiting),
                blocks(count as u64),
            );
        }
    }
    if !report.holders.is_empty() {
        text.push_str("; largest blocks:");
        for holder in &report.holders {
            let _written = write!(
                text,
                " {:#x} ({})",
                start + holder.offset,
                bytes(holder.requested)
            );
        }
    }
    text
}

/// A memory's numbers as a table: by stream, then by size. What is live counts in whole pages; what was
/// handed out in all counts by the bytes of the blocks.
pub(crate) fn describe_statistics(name: &str, numbers: &Statistics) -> String {
    let own: u64 = numbers.streams.iter().map(|part| part.bytes.current).sum();
    let mut text = format!(
        "millpond: {name}: {} live in {}",
        bytes(own),
        blocks(numbers.blocks)
    );
    let held = numbers.charged.saturating_sub(own);
    if held > 0 {
        let _written = write!(
            text,
            ", {} set aside for pools or taken as physical memory",
            bytes(held)
        );
    }
    let _written = writeln!(
        text,
        "; peak {} of {}, in whole pages; {} reserved, peak {}",
        bytes(numbers.peak),
        bytes(numbers.limit),
        bytes(numbers.reserved),
        bytes(numbers.peak_reserved),
    );
    for stream in numbers
        .streams
        .iter()
        .filter(|stream| stream.bytes.total > 0)
    {
        let whose = if stream.stream == HOST {
            "of no stream".to_owned()
        } else {
            format!("of stream {}", stream.stream)
        };
        let _written = writeln!(
            text,
            "  {whose}: {} live, peak {}, in whole pages; {} allocated in total",
            bytes(stream.bytes.current),
            bytes(stream.bytes.peak),
            bytes(stream.bytes.total),
        );
        for (class, count) in stream.classes.iter().enumerate() {
            if count.total > 0 {
                let _written = writeln!(
                    text,
                    "    blocks of {:>9} and more: {} live, peak {}, total {}",
                    bytes(1 << class),
                    count.current,
                    count.peak,
                    count.total,
                );
            }
        }
    }
    text
}

/// A number of blocks for people.
pub(crate) fn blocks(count: u64) -> String {
    match count {
        1 => "1 block".to_owned(),
        count => format!("{count} blocks"),
    }
}

/// A number of bytes for people.
fn bytes(count: u64) -> String {
    const UNITS: [(&str, u32); 3] = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    for (unit, shift) in UNITS {
        if count >> shift >= 10 || (count >> shift >= 1 && count.trailing_zeros() >= shift) {
            return format!("{} {unit}", count >> shift);
        }
    }
    format!("{count} bytes")
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// How many texts this thread has made.
        pub(crate) static DESCRIBED: Cell<u32> = const { Cell::new(0) };
    }

    #[test]
    fn bytes_are_told_in_units_that_lose_little() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(9000), "9000 bytes");
        assert_eq!(bytes(1 << 20), "1 MiB");
        assert_eq!(bytes((10 << 20) + 5), "10 MiB");
        assert_eq!(bytes(3 << 30), "3 GiB");
    }

    #[test]
    fn what_pools_hold_is_told_apart_from_blocks() {
        let mut numbers = Statistics {
            peak: 1 << 30,
            limit: 2 << 30,
            ..Statistics::default()
        };
        let first = "millpond: device 0: 0 bytes live in 0 blocks";
        let last = "; peak 1 GiB of 2 GiB, in whole pages; 0 bytes reserved, peak 0 bytes\n";
        let text = describe_statistics("device 0", &numbers);
        assert_eq!(text, format!("{first}{last}"));
        numbers.charged = 128 << 20;
        let text = describe_statistics("device 0", &numbers);
        let held = ", 128 MiB set aside for pools or taken as physical memory";
        assert_eq!(text, format!("{first}{held}{last}"));
    }
}
