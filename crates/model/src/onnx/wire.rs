//! The protobuf wire format: numbered fields, each a varint, four bytes, eight bytes or a byte string.
//!
//! The reader does not trust its input: a length beyond the end of the message is an error, and memory is never allocated
//! from a claimed size.

use crate::Error;

/// Writes a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

const VARINT: u64 = 0;
const EIGHT: u64 = 1;
const RUN: u64 = 2;
const FOUR: u64 = 5;

impl Writer {
    fn raw(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push((value & 0x7f) as u8);
    }

    fn key(&mut self, field: u32, kind: u64) {
        self.raw(u64::from(field) << 3 | kind);
    }

    /// An integer; negative ones take ten bytes, as the format requires.
    pub(crate) fn int(&mut self, field: u32, value: i64) -> &mut Self {
        self.key(field, VARINT);
        self.raw(value.cast_unsigned());
        self
    }

    pub(crate) fn float(&mut self, field: u32, value: f32) -> &mut Self {
        self.key(field, FOUR);
        self.bytes.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(crate) fn run(&mut self, field: u32, value: &[u8]) -> &mut Self {
        self.key(field, RUN);
        self.raw(value.len() as u64);
        self.bytes.extend_from_slice(value);
        self
    }

    pub(crate) fn text(&mut self, field: u32, value: &str) -> &mut Self {
        self.run(field, value.as_bytes())
    }

    pub(crate) fn message(&mut self, field: u32, value: &Self) -> &mut Self {
        self.run(field, &value.bytes)
    }

    /// A field that was read, unchanged.
    pub(crate) fn copy(&mut self, entry: &Entry<'_>) -> &mut Self {
        self.bytes.extend_from_slice(entry.raw);
        self
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldValue<'a> {
    Varint(u64),
    Run(&'a [u8]),
    /// Four or eight bytes: floating-point numbers, which are not decoded.
    Fixed,
}

/// One field of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    pub(crate) number: u32,
    pub(crate) value: FieldValue<'a>,
    /// The whole field, with its key.
    raw: &'a [u8],
}

impl<'a> Entry<'a> {
    /// A nested message, a text or a tensor's bytes.
    pub(crate) fn run(&self) -> Result<&'a [u8], Error> {
        match self.value {
            FieldValue::Run(bytes) => Ok(bytes),
            _ => Err(self.other_kind("a run of bytes")),
        }
    }

    pub(crate) fn text(&self) -> Result<&'a str, Error> {
        std::str::from_utf8(self.run()?)
            .map_err(|_| Error::damaged("the ONNX file has a name that is not UTF-8"))
    }

    pub(crate) fn int(&self) -> Result<i64, Error> {
        match self.value {
            FieldValue::Varint(value) => Ok(value.cast_signed()),
            _ => Err(self.other_kind("a number")),
        }
    }

    /// One integer, or several packed ones: writers may choose.
    pub(crate) fn ints(&self, into: &mut Vec<i64>) -> Result<(), Error> {
        match self.value {
            FieldValue::Varint(value) => into.push(value.cast_signed()),
            FieldValue::Run(mut bytes) => {
                while !bytes.is_empty() {
                    into.push(varint(&mut bytes)?.cast_signed());
                }
            }
            FieldValue::Fixed => return Err(self.other_kind("numbers")),
        }
        Ok(())
    }

    fn other_kind(&self, expected: &str) -> Error {
        Error::damaged(format!(
            "the ONNX file is damaged: its field {} should be {expected}",
            self.number
        ))
    }
}

/// The fields of a message, in file order. Ends after the first error.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn entry(&mut self) -> Result<Entry<'a>, Error> {
        let start = self.rest;
        let key = varint(&mut self.rest)?;
        let value = match key & 7 {
            VARINT => FieldValue::Varint(varint(&mut self.rest)?),
            EIGHT => {
                self.take(8)?;
                FieldValue::Fixed
            }
            RUN => {
                let length = varint(&mut self.rest)?;
                FieldValue::Run(self.take(usize::try_from(length).map_err(|_| cut_short())?)?)
            }
            FOUR => {
                self.take(4)?;
                FieldValue::Fixed
            }
            _ => {
                return Err(Error::damaged(
                    "the ONNX file is damaged: it has an unknown kind of field",
                ));
            }
        };
        let number = u32::try_from(key >> 3).unwrap_or(0);
        if number == 0 {
            return Err(Error::damaged(
                "the ONNX file is damaged: it has a field without a number",
            ));
        }
        let raw = &start[..start.len() - self.rest.len()];
        Ok(Entry { number, value, raw })
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(cut_short)?;
        self.rest = rest;
        Ok(taken)
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Entry<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let entry = self.entry();
        if entry.is_err() {
            self.rest = &[];
        }
        Some(entry)
    }
}

fn varint(rest: &mut &[u8]) -> Result<u64, Error> {
    const LONGEST: usize = 10;
    let mut value = 0_u64;
    for index in 0..LONGEST {
        let (byte, after) = rest.split_first().ok_or_else(cut_short)?;
        *rest = after;
        // Only one bit of the tenth byte fits; the others are dropped, as the format requires.
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Error::damaged(
        "the ONNX file is damaged: it has a number of more than ten bytes",
    ))
}

fn cut_short() -> Error {
    Error::damaged("the ONNX file is truncated or damaged: a field extends beyond its end")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_copied() {
        let mut writer = Writer::default();
        writer
            .int(1, -1)
            .float(2, 1.5)
            .text(3, "name")
            .run(1000, &[1, 2]);
        let bytes = writer.finish();
        let entries: Vec<Entry<'_>> = Reader::new(&bytes).map(Result::unwrap).collect();
        assert_eq!(entries[0].int(), Ok(-1));
        assert_eq!(entries[1].value, FieldValue::Fixed);
        assert_eq!(entries[2].text(), Ok("name"));
        assert_eq!(
            (entries[3].number, entries[3].run()),
            (1000, Ok(&[1, 2][..]))
        );
        let mut copy = Writer::default();
        for entry in &entries {
            copy.copy(entry);
        }
        assert_eq!(copy.finish(), bytes);
    }

    #[test]
    fn integers_come_one_by_one_or_packed() {
        let bytes = [0x08, 5, 0x0a, 3, 1, 0x80, 1];
        let mut values = Vec::new();
        for entry in Reader::new(&bytes) {
            entry.unwrap().ints(&mut values).unwrap();
        }
        assert_eq!(values, [5, 1, 128]);
    }

    #[test]
    fn what_the_format_does_not_allow_is_an_error_and_the_end() {
        for (bytes, why) in [
            (&[0x08][..], "no value"),
            (&[0x08, 0x80], "a value without an end"),
            (&[0x0a, 2, 1], "a run beyond the end"),
            (
                &[0x0a, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
                "a huge run",
            ),
            (&[0x09, 1], "eight bytes"),
            (&[0x0d, 1], "four bytes"),
            (&[0x0b, 1], "a group"),
            (&[0x00, 1], "number zero"),
            (
                &[128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 1],
                "eleven bytes",
            ),
        ] {
            let read: Vec<_> = Reader::new(bytes).collect();
            assert_eq!(read.len(), 1, "{why}");
            assert!(matches!(read[0], Err(Error::Damaged(_))), "{why}");
        }
    }
}
