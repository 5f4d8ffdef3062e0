//! Traces as CSV: `t_us,op,addr,size,stream`. `addr` is hexadecimal, the rest decimal; `t_us` may have three digits after
//! the point.
//!
//! | op | meaning |
//! | --- | --- |
//! | a | a block was allocated |
//! | f | the program gave the block back |
//! | c | the allocator could reuse it |
//! | S, s | the allocator took a segment from the device, gave it back |
//! | M, m | the allocator mapped pages, unmapped them |
//! | o | the device refused memory |

use crate::builder::Lane;
use crate::error::Fault;
use crate::event::{Event, Kind, StackId, TextId};
use crate::input::Lines;
use crate::kept::Kept;
use crate::source::{About, Notes};
use crate::tables::{Device, Tables};

/// The first line.
pub(crate) const HEADER: &[u8] = b"t_us,op,addr,size,stream";

pub(crate) fn read(mut lines: Lines<'_>, about: About) -> Result<Kept, Fault> {
    let mut tables = Tables::default();
    let mut notes = Notes::default();
    let mut lane = Lane::default();
    let device = tables.add_device(&Device::default());
    lines.advance()?;
    while lines.advance()? {
        if lines.line().is_empty() {
            continue;
        }
        let (mut event, stream) = parse(lines.line()).map_err(|what| lines.fault(what))?;
        event.stream = tables.add_stream(device, stream);
        lane.push(event, lines.input.at(), &mut notes)
            .map_err(|fault| Fault {
                line: Some(lines.number),
                ..fault
            })?;
    }
    Ok(Kept::new(about, tables, notes, vec![lane], false))
}

fn parse(line: &[u8]) -> Result<(Event, u64), String> {
    let line = std::str::from_utf8(line).map_err(|_| "the line is not text".to_owned())?;
    let mut fields = line.split(',');
    let mut field = |name: &str| {
        fields
            .next()
            .ok_or_else(|| format!("the line has no field {name}"))
    };
    let time = field("t_us")?;
    let time_ns = nanoseconds(time).ok_or_else(|| {
        format!("t_us is {time:?}, not a number of microseconds below 2^64 / 1000")
    })?;
    let op = field("op")?;
    let kind =
        kind(op).ok_or_else(|| format!("op is {op:?}, not one of a, f, c, S, s, M, m, o"))?;
    let address = number(field("addr")?, "addr", 16)?;
    let bytes = number(field("size")?, "size", 10)?;
    let stream = number(field("stream")?, "stream", 10)?;
    let event = Event {
        time_ns,
        address,
        bytes,
        stream: 0,
        stack: StackId(0),
        label: TextId(0),
        device: 0,
        kind,
    };
    Ok((event, stream))
}

/// Microseconds, with up to three digits after the point.
fn nanoseconds(field: &str) -> Option<u64> {
    let (whole, rest) = field.split_once('.').unwrap_or((field, "0"));
    if rest.is_empty() || rest.len() > 3 || !rest.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let rest: u64 = format!("{rest:0<3}").parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1000)?
        .checked_add(rest)
}

fn kind(op: &str) -> Option<Kind> {
    Some(match op {
        "a" => Kind::Alloc,
        "f" => Kind::FreeRequested,
        "c" => Kind::FreeCompleted,
        "S" => Kind::SegmentAlloc,
        "s" => Kind::SegmentFree,
        "M" => Kind::SegmentMap,
        "m" => Kind::SegmentUnmap,
        "o" => Kind::OutOfMemory,
        _ => return None,
    })
}

fn number(field: &str, name: &str, radix: u32) -> Result<u64, String> {
    let digits = if radix == 16 {
        field.strip_prefix("0x").unwrap_or(field)
    } else {
        field
    };
    u64::from_str_radix(digits, radix)
        .map_err(|_| format!("{name} is {field:?}, not a number below 2^64"))
}
