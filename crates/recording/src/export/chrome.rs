//! Chrome's JSON of trace events: counters of each device, spans and marks of the program, refusals.
//!
//! Devices are processes, streams are threads. Spans are asynchronous events with a number each, because those of a thread would have to
//! lie inside each other. `chrome://tracing` and Perfetto's page open it.

use std::io::Write;

use super::spans::{Span, Spans};
use super::totals::Totals;
use super::{ExportError, for_each, site};
use crate::event::Kind;
use crate::source::Source;

pub(super) fn write(source: &mut dyn Source, out: &mut dyn Write) -> Result<(), ExportError> {
    write!(
        out,
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"title\":{}}},\"traceEvents\":[",
        text(&source.about().title)
    )?;
    let mut first = true;
    for (place, device) in source.tables().devices().iter().enumerate() {
        let rank = device
            .rank
            .map_or_else(String::new, |rank| format!("rank {rank}, "));
        let name = text(&format!("{rank}device {}", device.index));
        let comma = if std::mem::take(&mut first) { "" } else { "," };
        write!(
            out,
            "{comma}\n{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{place},\"args\":{{\"name\":{name}}}}}"
        )?;
    }
    let mut totals = Totals::of(source)?;
    let mut spans = Spans::default();
    for_each(source, |tables, event, _| {
        let now = totals.apply(event);
        let (whole, rest) = (event.time_ns / 1000, event.time_ns % 1000);
        let at = format!(
            "\"ts\":{whole}.{rest:03},\"pid\":{},\"tid\":{}",
            event.device, event.stream
        );
        let mut add = |line: String| {
            let comma = if std::mem::take(&mut first) { "" } else { "," };
            write!(out, "{comma}\n{line}")
        };
        let counter = |name: &str, bytes: u64| {
            format!("{{\"ph\":\"C\",\"name\":\"{name}\",{at},\"args\":{{\"bytes\":{bytes}}}}}")
        };
        if now.reserved_changed {
            add(counter("reserved bytes", now.reserved))?;
        }
        let label = text(tables.text(event.label));
        let span = |phase: &str, span: Span| {
            format!(
                "{{\"ph\":\"{phase}\",\"cat\":\"range\",\"id\":{},\"name\":{label},\"ts\":{whole}.{rest:03},\"pid\":{},\"tid\":{}}}",
                span.number, event.device, span.stream
            )
        };
        let line = match event.kind {
            Kind::Alloc | Kind::FreeRequested => counter("live bytes", now.live),
            Kind::Mark => format!("{{\"ph\":\"i\",\"s\":\"p\",\"name\":{label},{at}}}"),
            Kind::RangeBegin => span("b", spans.begin(event)),
            Kind::RangeEnd => match spans.end(event) {
                Some(ended) => span("e", ended),
                // It began before the recording did.
                None => return Ok(()),
            },
            Kind::OutOfMemory => format!(
                "{{\"ph\":\"i\",\"s\":\"p\",\"name\":\"out of memory\",{at},\"args\":{{\"bytes\":{},\"site\":{}}}}}",
                event.bytes,
                text(&site(tables, event.stack))
            ),
            Kind::SegmentAlloc
            | Kind::SegmentFree
            | Kind::SegmentMap
            | Kind::SegmentUnmap
            | Kind::FreeCompleted
            | Kind::StreamWait
            | Kind::StreamUse
            | Kind::EventRecord
            | Kind::Snapshot => return Ok(()),
        };
        Ok(add(line)?)
    })?;
    writeln!(out, "\n]}}")?;
    Ok(())
}

/// A text as JSON.
fn text(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned())
}
