//! `t_us,op,addr,size,stream`: what the CSV reader reads. Marks, call stacks and devices are not in it.

use std::io::Write;

use super::{ExportError, for_each};
use crate::event::Kind;
use crate::source::Source;

pub(super) fn write(source: &mut dyn Source, out: &mut dyn Write) -> Result<(), ExportError> {
    writeln!(out, "t_us,op,addr,size,stream")?;
    for_each(source, |tables, event, _| {
        let op = match event.kind {
            Kind::Alloc => 'a',
            Kind::FreeRequested => 'f',
            Kind::FreeCompleted => 'c',
            Kind::SegmentAlloc => 'S',
            Kind::SegmentFree => 's',
            Kind::SegmentMap => 'M',
            Kind::SegmentUnmap => 'm',
            Kind::OutOfMemory => 'o',
            _ => return Ok(()),
        };
        let (whole, rest) = (event.time_ns / 1000, event.time_ns % 1000);
        write!(out, "{whole}")?;
        if rest > 0 {
            write!(out, ".{rest:03}")?;
        }
        let stream = tables
            .streams()
            .get(event.stream as usize)
            .map_or(0, |stream| stream.number);
        writeln!(out, ",{op},{:x},{},{stream}", event.address, event.bytes)?;
        Ok(())
    })
}
