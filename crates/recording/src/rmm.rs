//! Logs of RAPIDS Memory Manager's `logging_resource_adaptor`: `Thread,Time,Action,Pointer,Size,Stream`.
//!
//! Times are of the day, so a log may pass midnight. A free is complete at once: the adaptor logs frees in the order of
//! their stream.

use crate::builder::Lane;
use crate::error::Fault;
use crate::event::{Event, Kind, StackId, TextId};
use crate::input::Lines;
use crate::kept::Kept;
use crate::source::{About, Notes};
use crate::tables::{Device, Tables};

/// The first line.
pub(crate) const HEADER: &[u8] = b"Thread,Time,Action,Pointer,Size,Stream";

const DAY_NS: u64 = 86_400_000_000_000;

pub(crate) fn read(mut lines: Lines<'_>, about: About) -> Result<Kept, Fault> {
    let mut tables = Tables::default();
    let mut notes = Notes::default();
    let mut lane = Lane::default();
    let device = tables.add_device(&Device::default());
    let (mut midnight, mut last) = (0_u64, 0);
    lines.advance()?;
    while lines.advance()? {
        if lines.line().is_empty() {
            continue;
        }
        let row = parse(lines.line()).map_err(|what| lines.fault(what))?;
        if row.time + DAY_NS / 2 < last {
            midnight = midnight.saturating_add(DAY_NS);
        }
        last = row.time;
        let event = Event {
            time_ns: midnight.saturating_add(row.time),
            address: row.address,
            bytes: row.bytes,
            stream: tables.add_stream(device, row.stream),
            stack: StackId(0),
            label: TextId(0),
            device,
            kind: row.kind,
        };
        let mut push = |event: Event| {
            lane.push(event, lines.input.at(), &mut notes)
                .map_err(|fault| Fault {
                    line: Some(lines.number),
                    ..fault
                })
        };
        push(event)?;
        if event.kind == Kind::FreeRequested {
            push(Event {
                kind: Kind::FreeCompleted,
                ..event
            })?;
        }
    }
    Ok(Kept::new(about, tables, notes, vec![lane], false))
}

struct Row {
    /// Nanoseconds since midnight.
    time: u64,
    kind: Kind,
    address: u64,
    bytes: u64,
    stream: u64,
}

fn parse(line: &[u8]) -> Result<Row, String> {
    let line = std::str::from_utf8(line).map_err(|_| "the line is not text".to_owned())?;
    let mut fields = line.split(',').map(str::trim);
    let mut field = |name: &str| {
        fields
            .next()
            .ok_or_else(|| format!("the line has no field {name}"))
    };
    field("Thread")?;
    let time = field("Time")?;
    let time = time_of_day(time)
        .ok_or_else(|| format!("Time is {time:?}, not hours:minutes:seconds.microseconds"))?;
    let action = field("Action")?;
    let kind = match action {
        "allocate" => Kind::Alloc,
        "free" | "deallocate" => Kind::FreeRequested,
        "allocate failure" => Kind::OutOfMemory,
        _ => {
            return Err(format!(
                "Action is {action:?}, not allocate, free or allocate failure"
            ));
        }
    };
    let address = pointer(field("Pointer")?, "Pointer")?;
    let size = field("Size")?;
    let bytes = size
        .parse()
        .map_err(|_| format!("Size is {size:?}, not a number below 2^64"))?;
    let stream = pointer(field("Stream")?, "Stream")?;
    Ok(Row {
        time,
        kind,
        address,
        bytes,
        stream,
    })
}

/// A pointer as C or C++ prints it.
fn pointer(field: &str, name: &str) -> Result<u64, String> {
    if field == "(nil)" {
        return Ok(0);
    }
    let digits = field.strip_prefix("0x").unwrap_or(field);
    u64::from_str_radix(digits, 16)
        .map_err(|_| format!("{name} is {field:?}, not a hexadecimal number below 2^64"))
}

/// `10:22:33.123456`, or with a colon before the microseconds, as earlier versions wrote it.
fn time_of_day(field: &str) -> Option<u64> {
    let mut parts = field.splitn(3, ':');
    let hours: u64 = parts.next()?.parse().ok().filter(|&hours| hours < 24)?;
    let minutes: u64 = parts.next()?.parse().ok().filter(|&minutes| minutes < 60)?;
    let rest = parts.next()?;
    let (seconds, fraction) = rest.split_once(['.', ':']).unwrap_or((rest, "0"));
    let seconds: u64 = seconds.parse().ok().filter(|&seconds| seconds < 61)?;
    if fraction.is_empty()
        || fraction.len() > 9
        || !fraction.bytes().all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let nanoseconds: u64 = format!("{fraction:0<9}").parse().ok()?;
    Some(((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 + nanoseconds)
}
