//! Reads the fields of one entry.
//!
//! An entry that ends early reads as if zeros followed. So a reader that knows more fields than the writer gets their
//! empty values, and one that knows fewer ignores the rest.

use super::TEXTS_LIMIT;

/// Why an entry did not become a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unfit {
    /// It is malformed.
    Malformed,
    /// It uses a number that this version does not know.
    Unknown,
}

/// The texts of a block, as ranges of its payload.
#[derive(Debug, Default)]
pub(super) struct Texts {
    places: Vec<(u32, u32)>,
}

impl Texts {
    pub(super) fn clear(&mut self) {
        self.places.clear();
    }

    pub(super) fn add(&mut self, start: usize, length: usize) {
        // A payload is far shorter than what fits.
        let place = (u32::try_from(start), u32::try_from(length));
        self.places
            .push((place.0.unwrap_or(0), place.1.unwrap_or(0)));
    }

    fn get<'a>(&self, number: u64, payload: &'a [u8]) -> Option<&'a str> {
        let (start, length) = *self.places.get(usize::try_from(number).ok()?)?;
        let found = payload.get(start as usize..)?.get(..length as usize)?;
        std::str::from_utf8(found).ok()
    }
}

/// The unread rest of an entry.
#[derive(Debug)]
pub(super) struct Input<'a> {
    bytes: &'a [u8],
    texts: &'a Texts,
    payload: &'a [u8],
    /// Bytes of text that this record may still have.
    budget: usize,
}

impl<'a> Input<'a> {
    pub(super) fn new(bytes: &'a [u8], texts: &'a Texts, payload: &'a [u8]) -> Self {
        Self {
            bytes,
            texts,
            payload,
            budget: TEXTS_LIMIT,
        }
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    /// A variable-length number: seven bits per byte, lowest first.
    #[inline]
    pub(super) fn number(&mut self) -> Result<u64, Unfit> {
        if self.bytes.is_empty() {
            return Ok(0);
        }
        number(&mut self.bytes)
    }

    /// A number that is always small.
    pub(super) fn small(&mut self) -> Result<u32, Unfit> {
        u32::try_from(self.number()?).map_err(|_| Unfit::Malformed)
    }

    /// The number of elements that follow. Each takes at least one byte, so a number beyond the bytes is an error.
    pub(super) fn count(&mut self) -> Result<usize, Unfit> {
        let count = usize::try_from(self.number()?).map_err(|_| Unfit::Malformed)?;
        if count > self.bytes.len() {
            return Err(Unfit::Malformed);
        }
        Ok(count)
    }

    /// A text by its number in the block; 0 is the empty one.
    pub(super) fn text(&mut self) -> Result<&'a str, Unfit> {
        let number = self.number()?;
        self.text_numbered(number)
    }

    /// The same, for a number that was read elsewhere.
    pub(super) fn text_numbered(&mut self, number: u64) -> Result<&'a str, Unfit> {
        let Some(number) = number.checked_sub(1) else {
            return Ok("");
        };
        let text = self
            .texts
            .get(number, self.payload)
            .ok_or(Unfit::Malformed)?;
        self.budget = self
            .budget
            .checked_sub(text.len())
            .ok_or(Unfit::Malformed)?;
        Ok(text)
    }

    /// Fields of a structure that cannot be extended.
    pub(super) fn fixed<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Unfit>,
    ) -> Result<T, Unfit> {
        read(self)
    }

    /// Fields that are preceded by their length.
    pub(super) fn group<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Unfit>,
    ) -> Result<T, Unfit> {
        let length = self.count()?;
        let (inside, after) = self.bytes.split_at(length);
        self.bytes = inside;
        let value = read(self)?;
        self.bytes = after;
        Ok(value)
    }
}

/// Takes a number off the front of `bytes`.
#[inline]
pub(super) fn number(bytes: &mut &[u8]) -> Result<u64, Unfit> {
    // Most are small.
    if let [byte @ 0..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return Ok(u64::from(*byte));
    }
    long_number(bytes)
}

fn long_number(bytes: &mut &[u8]) -> Result<u64, Unfit> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().enumerate().take(10) {
        let bits = u64::from(byte & 0x7F);
        let shift = 7 * index;
        // The tenth byte has room for one bit.
        if shift == 63 && bits > 1 {
            return Err(Unfit::Malformed);
        }
        value |= bits << shift;
        if byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Ok(value);
        }
    }
    Err(Unfit::Malformed)
}
