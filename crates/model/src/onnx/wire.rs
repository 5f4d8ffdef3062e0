//! The wire format of protocol buffers: numbered fields, each a varint, four bytes or a run of bytes.

/// A message that is being written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

const VARINT: u64 = 0;
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

    /// An integer; negative ones take ten bytes, as the format has it.
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

    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}
