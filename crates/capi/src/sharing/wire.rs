//! What processes say to each other when one imports what another exported.
//!
//! A request is one message. The answer is one message, or several where memory has many parts. Numbers are little-endian. The
//! name of the socket contains the version of all this, so that processes with another one do not find each other.

use std::fmt;

use millpond::device_api::FilePart;
use millpond::{Location, PageKind, PhysicalRequest};

use super::signal::{ArenaId, SignalKind};

/// Bytes of a key.
pub(crate) const KEY: usize = 32;
/// Characters of a key's text, without its terminator.
pub(crate) const KEY_TEXT: usize = 2 * KEY;

/// What names something that was exported, so that it cannot be guessed. The first bytes are the process.
pub(crate) type Key = [u8; KEY];

/// Parts of a file in one message.
pub(super) const PARTS_AT_ONCE: usize = 1500;
/// The same where each part has a descriptor of its own.
pub(super) const HANDLES_AT_ONCE: usize = 60;

/// What a key must name for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Memory,
    Object(SignalKind),
}

impl Wanted {
    fn number(self) -> u8 {
        match self {
            Self::Memory => 0,
            Self::Object(kind) => kind as u8,
        }
    }

    fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Memory),
            kind => SignalKind::from_number(kind).map(Self::Object),
        }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "memory",
            Self::Object(SignalKind::Event) => "an event",
            Self::Object(SignalKind::Notify) => "a notification",
            Self::Object(SignalKind::CountedNotify) => "a counted notification",
        })
    }
}

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    /// Memory, or an object, by its key; what it must be; and which memory of objects is known.
    Key {
        process: i32,
        key: Key,
        wanted: Wanted,
        arena: ArenaId,
    },
    /// Physical memory, by its number.
    Number { process: i32, number: u64 },
    /// The end of a lease, and when it ended, in microseconds of the machine's clock. Not answered.
    Release { lease: u64, at: u64 },
}

/// What an answer begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// Memory: how often further messages with parts follow, and what it is.
    Memory {
        lease: u64,
        skip: u64,
        parts: u32,
        request: PhysicalRequest,
        /// The GPU that has it; then each part has a descriptor, and otherwise all of them have one.
        bus: Option<String>,
    },
    /// An object: its kind and place. Its memory comes with the message if it is not known.
    Object { kind: u8, place: u32 },
    /// No, with the code and the reason.
    Refused { code: i32, reason: String },
}

/// Takes numbers out of a message.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

impl Request {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Key {
                process,
                key,
                wanted,
                arena,
            } => {
                out.push(1);
                out.extend(process.to_le_bytes());
                out.extend(key);
                out.push(wanted.number());
                out.extend(arena);
            }
            Self::Number { process, number } => {
                out.push(2);
                out.extend(process.to_le_bytes());
                out.extend(number.to_le_bytes());
            }
            Self::Release { lease, at } => {
                out.push(3);
                out.extend(lease.to_le_bytes());
                out.extend(at.to_le_bytes());
            }
        }
        out
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader(bytes);
        let request = match from.byte()? {
            1 => Self::Key {
                process: from.u32()?.cast_signed(),
                key: from.take()?,
                wanted: Wanted::from_number(from.byte()?)?,
                arena: from.take()?,
            },
            2 => Self::Number {
                process: from.u32()?.cast_signed(),
                number: from.u64()?,
            },
            3 => Self::Release {
                lease: from.u64()?,
                at: from.u64()?,
            },
            _ => return None,
        };
        from.0.is_empty().then_some(request)
    }
}

impl Answer {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Memory {
                lease,
                skip,
                parts,
                request,
                bus,
            } => {
                out.push(1);
                for number in [*lease, *skip, request.bytes] {
                    out.extend(number.to_le_bytes());
                }
                out.extend(parts.to_le_bytes());
                let (kind, index) = match request.location {
                    Location::Device(index) => (0, index),
                    Location::Host => (1, 0),
                    Location::HostNode(node) => (2, node),
                };
                out.push(kind);
                out.extend(index.to_le_bytes());
                out.push(request.pages as u8);
                out.extend(request.flags.to_le_bytes());
                out.extend(bus.as_deref().unwrap_or("").as_bytes());
            }
            Self::Object { kind, place } => {
                out.extend([2, *kind]);
                out.extend(place.to_le_bytes());
            }
            Self::Refused { code, reason } => {
                out.push(3);
                out.extend(code.to_le_bytes());
                out.extend(reason.as_bytes());
            }
        }
        out
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader(bytes);
        Some(match from.byte()? {
            1 => {
                let (lease, skip) = (from.u64()?, from.u64()?);
                let whole = from.u64()?;
                let parts = from.u32()?;
                let location = match (from.byte()?, from.u32()?) {
                    (0, index) => Location::Device(index),
                    (1, _) => Location::Host,
                    (2, node) => Location::HostNode(node),
                    _ => return None,
                };
                let pages = PageKind::from_number(from.byte()?);
                let request = PhysicalRequest {
                    bytes: whole,
                    location,
                    pages,
                    flags: from.u32()?,
                };
                let bus = String::from_utf8_lossy(from.0).into_owned();
                Self::Memory {
                    lease,
                    skip,
                    parts,
                    request,
                    bus: Some(bus).filter(|bus| !bus.is_empty()),
                }
            }
            2 => Self::Object {
                kind: from.byte()?,
                place: from.u32()?,
            },
            3 => Self::Refused {
                code: from.u32()?.cast_signed(),
                reason: String::from_utf8_lossy(from.0).into_owned(),
            },
            _ => return None,
        })
    }
}

pub(super) fn encode_parts(parts: &[FilePart]) -> Vec<u8> {
    let words = parts.iter().flat_map(|part| [part.offset, part.bytes]);
    words.flat_map(u64::to_le_bytes).collect()
}

pub(super) fn decode_parts(bytes: &[u8]) -> Vec<FilePart> {
    let (parts, _) = bytes.as_chunks::<16>();
    let part = |bytes: &[u8; 16]| {
        let mut from = Reader(bytes);
        Some(FilePart {
            offset: from.u64()?,
            bytes: from.u64()?,
        })
    };
    parts.iter().filter_map(part).collect()
}

/// The key that a text of 64 characters means.
pub(crate) fn key_of(text: &[u8]) -> Option<Key> {
    let digit = |character: u8| match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    };
    let mut key = [0; KEY];
    let (pairs, rest) = text.as_chunks::<2>();
    if pairs.len() != KEY || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in key.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let requests = [
            Request::Key {
                process: -3,
                key: [7; KEY],
                wanted: Wanted::Object(SignalKind::Notify),
                arena: [8; 16],
            },
            Request::Number {
                process: 9,
                number: u64::MAX - 1,
            },
            Request::Release { lease: 5, at: 9 },
        ];
        for request in requests {
            let bytes = request.encode();
            assert_eq!(Request::decode(&bytes), Some(request));
            for length in 0..bytes.len() {
                assert_eq!(Request::decode(&bytes[..length]), None, "cut short");
            }
        }
        let answers = [
            Answer::Memory {
                lease: 1,
                skip: 2,
                parts: 4,
                request: PhysicalRequest {
                    bytes: 4096,
                    location: Location::HostNode(6),
                    pages: PageKind::Huge,
                    flags: 8,
                },
                bus: None,
            },
            Answer::Memory {
                lease: 1,
                skip: 2,
                parts: 1,
                request: PhysicalRequest {
                    bytes: 2 << 20,
                    location: Location::Device(1),
                    pages: PageKind::Huge,
                    flags: 0,
                },
                bus: Some("0000:3b:00.0".to_owned()),
            },
            Answer::Object { kind: 2, place: 77 },
            Answer::Refused {
                code: 207_006,
                reason: "not you".to_owned(),
            },
        ];
        for answer in answers {
            assert_eq!(Answer::decode(&answer.encode()), Some(answer));
        }
        let parts = [
            FilePart {
                offset: 1,
                bytes: 2,
            },
            FilePart {
                offset: 3,
                bytes: 4,
            },
        ];
        assert_eq!(decode_parts(&encode_parts(&parts)), parts);
    }

    #[test]
    fn only_64_lower_case_digits_are_a_key() {
        let text = "0123456789abcdef".repeat(4);
        let key = key_of(text.as_bytes()).unwrap();
        assert_eq!((key[0], key[7], key[31]), (0x01, 0xef, 0xef));
        assert_eq!(key_of(&text.as_bytes()[1..]), None);
        assert_eq!(key_of(text.to_uppercase().as_bytes()), None);
        assert_eq!(key_of(b""), None);
    }
}
