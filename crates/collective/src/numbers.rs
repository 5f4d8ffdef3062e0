//! Which rank had a NaN first: what an operation would spread to the others.
//!
//! Only ranks with an observer look. A rank looks at its elements when its stream has reached the operation, and says so on the board
//! before it shows the operation. So when the operation is over, every rank's word is there.
#![expect(unsafe_code, reason = "reads the program's buffers")]

use crate::element::Element;
use crate::operation::{Group, Kind};

/// A rank's word: the number of its first operation with a NaN plus one, and whether the process knew of a NaN before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) sequence: u64,
    pub(crate) is_later: bool,
}

impl Mark {
    pub(crate) fn to_word(self) -> u64 {
        (self.sequence + 1) << 1 | u64::from(self.is_later)
    }

    pub(crate) fn from_word(word: u64) -> Option<Self> {
        Some(Self {
            sequence: (word >> 1).checked_sub(1)?,
            is_later: word & 1 == 1,
        })
    }
}

/// Whether what this rank gives to an operation has a NaN.
///
/// # Safety
/// `send` is where the rank's elements are: as many as the operation reads.
pub(crate) unsafe fn gives_nan(group: &Group, rank: usize, ranks: usize, send: usize) -> bool {
    let whole = |count: u64| vec![(0, usize::try_from(count).unwrap_or(0))];
    let spans: Vec<(usize, usize)> = match group.kind {
        Kind::AllReduce | Kind::Reduce => whole(group.count),
        Kind::Broadcast if group.root as usize == rank => whole(group.count),
        Kind::ReduceScatter => whole(group.count.saturating_mul(ranks as u64)),
        Kind::ReduceScatterV => {
            let number = |value: u64| usize::try_from(value).unwrap_or(0);
            let parts = group.parts.iter();
            parts
                .map(|part| (number(part.start), number(part.count)))
                .collect()
        }
        _ => Vec::new(),
    };
    let size = group.element.bytes();
    spans.into_iter().any(|(start, count)| {
        let bytes = count.saturating_mul(size);
        if bytes == 0 || send == 0 {
            return false;
        }
        let address = std::ptr::with_exposed_provenance::<u8>(send + start * size);
        // SAFETY: the caller's promise.
        has_nan(
            unsafe { std::slice::from_raw_parts(address, bytes) },
            group.element,
        )
    })
}

fn has_nan(bytes: &[u8], element: Element) -> bool {
    let short = |exponent: u16| {
        let mut values = bytes.chunks_exact(2);
        values.any(|it| u16::from_le_bytes([it[0], it[1]]) & 0x7fff > exponent)
    };
    match element {
        Element::F16 => short(0x7c00),
        Element::Bf16 => short(0x7f80),
        Element::F32 => {
            let mut values = bytes.chunks_exact(4);
            values.any(|it| {
                u32::from_le_bytes([it[0], it[1], it[2], it[3]]) & 0x7fff_ffff > 0x7f80_0000
            })
        }
        Element::F64 => {
            let number = |it: &[u8]| u64::from_le_bytes(it.try_into().unwrap_or_default());
            let mut values = bytes.chunks_exact(8);
            values.any(|it| number(it) & (u64::MAX >> 1) > 0x7ff0_0000_0000_0000)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nan_is_found_and_an_infinity_is_none() {
        let f32s =
            |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|it| it.to_le_bytes()).collect() };
        let f64s =
            |values: &[f64]| -> Vec<u8> { values.iter().flat_map(|it| it.to_le_bytes()).collect() };
        assert!(has_nan(&f32s(&[1.0, f32::NAN]), Element::F32));
        assert!(has_nan(&f32s(&[-f32::NAN]), Element::F32));
        assert!(!has_nan(
            &f32s(&[f32::INFINITY, -f32::INFINITY, -0.0, f32::MAX]),
            Element::F32
        ));
        assert!(has_nan(&f64s(&[f64::NAN]), Element::F64));
        assert!(!has_nan(&f64s(&[f64::NEG_INFINITY]), Element::F64));
        assert!(has_nan(&[0x01, 0x7c], Element::F16) && !has_nan(&[0x00, 0x7c], Element::F16));
        assert!(has_nan(&[0x81, 0xff], Element::Bf16) && !has_nan(&[0x80, 0xff], Element::Bf16));
        assert!(!has_nan(&[0xff; 8], Element::I32));
    }

    #[test]
    fn a_word_is_what_it_was() {
        assert_eq!(Mark::from_word(0), None);
        for is_later in [false, true] {
            let mark = Mark {
                sequence: 7,
                is_later,
            };
            assert_eq!(Mark::from_word(mark.to_word()), Some(mark));
        }
    }
}
