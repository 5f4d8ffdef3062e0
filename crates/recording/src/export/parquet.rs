//! A table of events. docs/queries/README.md describes its columns for those who query it.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use parquet::basic::Encoding;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::totals::Totals;
use super::{ExportError, Options, for_each, site};
use crate::event::{Event, Kind, StackId};
use crate::owner;
use crate::source::Source;
use crate::tables::Tables;

/// The columns. Their order is part of the format.
pub(super) const SCHEMA: &str = "
message events {
    required int32 rank;
    required int32 device;
    required int64 time_ns;
    required byte_array kind (utf8);
    required int64 address (integer(64,false));
    required int64 bytes;
    required int64 stream (integer(64,false));
    required int32 step;
    required int64 live_bytes;
    required int64 reserved_bytes;
    required boolean before;
    required byte_array label (utf8);
    required byte_array site (utf8);
    required byte_array stack (utf8);
    required int64 event;
    required byte_array owner (utf8);
}";

/// Rows that are kept in memory before they are written.
const ROWS: usize = 1 << 17;

/// Columns of rows that are not yet written.
#[derive(Default)]
struct Columns {
    rank: Vec<i32>,
    device: Vec<i32>,
    time: Vec<i64>,
    kind: Vec<ByteArray>,
    address: Vec<i64>,
    bytes: Vec<i64>,
    stream: Vec<i64>,
    step: Vec<i32>,
    live: Vec<i64>,
    reserved: Vec<i64>,
    before: Vec<bool>,
    label: Vec<ByteArray>,
    site: Vec<ByteArray>,
    stack: Vec<ByteArray>,
    event: Vec<i64>,
    owner: Vec<ByteArray>,
}

pub(super) fn write(
    source: &mut dyn Source,
    options: Options,
    out: &mut (dyn Write + Send),
) -> Result<(), ExportError> {
    let schema = Arc::new(parse_message_type(SCHEMA).map_err(failed)?);
    // Numbers that mostly grow are small as differences; the rest repeats, which the default dictionary makes small.
    let mut properties = WriterProperties::builder();
    for column in ["time_ns", "live_bytes", "reserved_bytes", "event"] {
        properties = properties
            .set_column_dictionary_enabled(column.into(), false)
            .set_column_encoding(column.into(), Encoding::DELTA_BINARY_PACKED);
    }
    let mut writer =
        SerializedFileWriter::new(out, schema, Arc::new(properties.build())).map_err(failed)?;
    let mut columns = Columns::default();
    let mut totals = Totals::of(source)?;
    let mut number = 0_i64;
    let mut texts = Seen::default();
    let mut step = 0_i32;
    for_each(source, |tables, event, before| {
        if is_step(tables, event) {
            step = step.saturating_add(1);
        }
        let now = totals.apply(event);
        let device = tables.devices().get(usize::from(event.device));
        let index = device.map_or(0, |device| device.index);
        let rank = options
            .rank
            .or(device.and_then(|device| device.rank))
            .unwrap_or(index);
        columns.rank.push(int(rank));
        columns.device.push(int(index));
        columns.time.push(long(event.time_ns));
        columns.kind.push(ByteArray::from(event.kind.name()));
        columns.address.push(event.address.cast_signed());
        columns.bytes.push(long(event.bytes));
        let stream = tables
            .streams()
            .get(event.stream as usize)
            .map_or(0, |stream| stream.number);
        columns.stream.push(stream.cast_signed());
        columns.step.push(step);
        columns.live.push(long(now.live));
        columns.reserved.push(long(now.reserved));
        columns.before.push(before);
        columns
            .label
            .push(ByteArray::from(tables.text(event.label)));
        let Texts { site, stack, owner } = texts.of(tables, event.stack);
        columns.site.push(site);
        columns.stack.push(stack);
        columns.event.push(number);
        number = number.saturating_add(1);
        columns.owner.push(match event.kind {
            Kind::Alloc => {
                owner.unwrap_or_else(|| ByteArray::from(owner::name(tables, event).as_str()))
            }
            _ => ByteArray::from(""),
        });
        if columns.rank.len() == ROWS {
            columns.write(&mut writer).map_err(failed)?;
        }
        Ok(())
    })?;
    columns.write(&mut writer).map_err(failed)?;
    writer.close().map_err(failed)?;
    Ok(())
}

/// A mark or the begin of a span whose name begins with "step", as `torch_npu` and profilers write them.
fn is_step(tables: &Tables, event: &Event) -> bool {
    let begins = matches!(event.kind, Kind::Mark | Kind::RangeBegin);
    let name = tables.text(event.label);
    begins
        && (name
            .get(..4)
            .is_some_and(|word| word.eq_ignore_ascii_case("step"))
            || name.starts_with("ProfilerStep"))
}

/// The texts of a stack.
#[derive(Clone)]
struct Texts {
    site: ByteArray,
    stack: ByteArray,
    /// Who allocated, if the stack says it.
    owner: Option<ByteArray>,
}

/// The texts of the stacks seen last: neighbours in a recording often have the same.
#[derive(Default)]
struct Seen(HashMap<StackId, Texts>);

impl Seen {
    const MOST: usize = 1 << 14;

    fn of(&mut self, tables: &Tables, stack: StackId) -> Texts {
        if let Some(found) = self.0.get(&stack) {
            return found.clone();
        }
        if self.0.len() == Self::MOST {
            self.0.clear();
        }
        let mut frames: Vec<String> = tables
            .stack(stack)
            .map(|frame| match frame.line {
                0 => tables.text(frame.function).to_owned(),
                line => format!(
                    "{}:{line} {}",
                    tables.text(frame.file),
                    tables.text(frame.function)
                ),
            })
            .collect();
        // The outermost first, as flame graphs want it.
        frames.reverse();
        let owner = owner::owner(tables, stack);
        let texts = Texts {
            site: ByteArray::from(site(tables, stack).as_str()),
            stack: ByteArray::from(frames.join(";").as_str()),
            owner: owner.map(|frame| ByteArray::from(owner::place(tables, frame).as_str())),
        };
        self.0.insert(stack, texts.clone());
        texts
    }
}

impl Columns {
    fn write<W: Write + Send>(
        &mut self,
        writer: &mut SerializedFileWriter<W>,
    ) -> Result<(), ParquetError> {
        if self.rank.is_empty() {
            return Ok(());
        }
        let mut group = writer.next_row_group()?;
        macro_rules! column {
            ($values:expr, $type:ty) => {
                if let Some(mut column) = group.next_column()? {
                    column.typed::<$type>().write_batch(&$values, None, None)?;
                    column.close()?;
                }
                $values.clear();
            };
        }
        column!(self.rank, Int32Type);
        column!(self.device, Int32Type);
        column!(self.time, Int64Type);
        column!(self.kind, ByteArrayType);
        column!(self.address, Int64Type);
        column!(self.bytes, Int64Type);
        column!(self.stream, Int64Type);
        column!(self.step, Int32Type);
        column!(self.live, Int64Type);
        column!(self.reserved, Int64Type);
        column!(self.before, BoolType);
        column!(self.label, ByteArrayType);
        column!(self.site, ByteArrayType);
        column!(self.stack, ByteArrayType);
        column!(self.event, Int64Type);
        column!(self.owner, ByteArrayType);
        group.close()?;
        Ok(())
    }
}

fn int(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn long(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[expect(clippy::needless_pass_by_value, reason = "an argument of map_err")]
fn failed(error: ParquetError) -> ExportError {
    ExportError::Output(std::io::Error::other(error.to_string()))
}
