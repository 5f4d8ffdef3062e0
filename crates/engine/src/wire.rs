//! Reading the wire format of protocol buffers: just enough to walk over a model.

/// One field of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    pub(crate) number: u64,
    pub(crate) value: Wire<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Four or eight bytes, which nobody here looks at.
    Fixed,
}

impl<'a> Field<'a> {
    /// Its bytes, if it is field `number` and has some.
    pub(crate) fn bytes(&self, number: u64) -> Option<&'a [u8]> {
        match self.value {
            Wire::Bytes(bytes) if self.number == number => Some(bytes),
            _ => None,
        }
    }

    /// Its text, if it is field `number` and has some.
    pub(crate) fn text(&self, number: u64) -> Option<&'a str> {
        std::str::from_utf8(self.bytes(number)?).ok()
    }
}

/// The fields of a message, as far as they can be read.
pub(crate) fn fields(message: &[u8]) -> impl Iterator<Item = Field<'_>> {
    let mut rest = message;
    std::iter::from_fn(move || next(&mut rest))
}

fn next<'a>(rest: &mut &'a [u8]) -> Option<Field<'a>> {
    let tag = number(rest)?;
    let value = match tag & 7 {
        0 => Wire::Number(number(rest)?),
        1 => {
            take(rest, 8)?;
            Wire::Fixed
        }
        2 => {
            let length = usize::try_from(number(rest)?).ok()?;
            Wire::Bytes(take(rest, length)?)
        }
        5 => {
            take(rest, 4)?;
            Wire::Fixed
        }
        _ => return None,
    };
    Some(Field {
        number: tag >> 3,
        value,
    })
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

/// A number, seven bits a byte, the lowest first.
pub(crate) fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *take(rest, 1)?.first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_until_something_is_wrong() {
        let message = [
            0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1d, 1, 2, 3, 4, 0x12, 9, 0,
        ];
        let read: Vec<_> = fields(&message).collect();
        assert_eq!(read.len(), 3, "the last one claims more than there is");
        assert_eq!(read[0].value, Wire::Number(150));
        assert_eq!(read[1].text(2), Some("hi"));
        assert_eq!((read[2].number, read[2].value), (3, Wire::Fixed));
        let endless = [0xff; 20];
        assert_eq!(fields(&endless).count(), 0);
    }
}
