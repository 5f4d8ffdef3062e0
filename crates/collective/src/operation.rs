//! What a rank asks for: operations, and how one is described to the other ranks.

use std::fmt;

use crate::element::{Element, Reduction};

/// What every rank of the communicator does together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the interface")]
pub enum Kind {
    AllReduce,
    Broadcast,
    AllGather,
    AllGatherV,
    ReduceScatter,
    ReduceScatterV,
    Reduce,
    Scatter,
    Barrier,
}

impl Kind {
    const ALL: [Self; 9] = [
        Self::AllReduce,
        Self::Broadcast,
        Self::AllGather,
        Self::AllGatherV,
        Self::ReduceScatter,
        Self::ReduceScatterV,
        Self::Reduce,
        Self::Scatter,
        Self::Barrier,
    ];

    /// As programs call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::AllReduce => "HcclAllReduce",
            Self::Broadcast => "HcclBroadcast",
            Self::AllGather => "HcclAllGather",
            Self::AllGatherV => "HcclAllGatherV",
            Self::ReduceScatter => "HcclReduceScatter",
            Self::ReduceScatterV => "HcclReduceScatterV",
            Self::Reduce => "HcclReduce",
            Self::Scatter => "HcclScatter",
            Self::Barrier => "HcclBarrier",
        }
    }

    /// Whether elements are combined.
    pub fn reduces(self) -> bool {
        matches!(
            self,
            Self::AllReduce | Self::ReduceScatter | Self::ReduceScatterV | Self::Reduce
        )
    }

    /// Whether one rank is special.
    pub fn has_root(self) -> bool {
        matches!(self, Self::Broadcast | Self::Reduce | Self::Scatter)
    }
}

/// An operation of all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Which.
    pub kind: Kind,
    /// Elements: of the whole for `AllReduce`, `Broadcast` and `Reduce`, of one rank's part otherwise.
    pub count: u64,
    /// Their type.
    pub element: Element,
    /// How they are combined.
    pub reduction: Reduction,
    /// The special rank.
    pub root: u32,
    /// For the V forms: elements of each rank's part, and where each part starts.
    pub parts: Vec<Part>,
}

/// One rank's part of a V form, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Part {
    pub count: u64,
    pub start: u64,
}

/// Bytes that go to or come from another rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The other rank; it may be this one.
    pub peer: u32,
    /// Whether they go there.
    pub sends: bool,
    /// Which of the operation's buffers.
    pub buffer: usize,
    /// Where they start in the buffer.
    pub offset: u64,
    /// How many.
    pub bytes: u64,
    /// The type of their elements.
    pub element: Element,
}

/// What a call asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// All ranks together.
    Group(Group),
    /// Pairs of ranks, each on its own.
    Transfers(Vec<Transfer>),
}

/// What a rank tells the others about one of its group operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    kind: Kind,
    element: u32,
    reduction: u32,
    root: u32,
    count: u64,
    parts: u64,
    /// Where the program called it, as text; may be empty.
    pub site: String,
}

/// The most bytes of a call site that travel.
const MOST_SITE: usize = 960;

impl Description {
    /// Describes an operation that was called at `site`.
    pub fn new(group: &Group, site: &str) -> Self {
        let mut end = site.len().min(MOST_SITE);
        while !site.is_char_boundary(end) {
            end -= 1;
        }
        Self {
            kind: group.kind,
            element: code(group.element),
            reduction: if group.kind.reduces() {
                group.reduction as u32
            } else {
                0
            },
            root: if group.kind.has_root() { group.root } else { 0 },
            count: group.count,
            parts: if group.parts.is_empty() {
                0
            } else {
                hash(&group.parts)
            },
            site: site[..end].to_owned(),
        }
    }

    pub(crate) fn write(&self, sequence: u64, bytes: &mut [u8]) {
        let mut words = Vec::with_capacity(64);
        words.extend_from_slice(&sequence.to_le_bytes());
        let kind = Kind::ALL.iter().position(|kind| *kind == self.kind);
        let kind = kind.and_then(|kind| u32::try_from(kind).ok());
        for word in [kind.unwrap_or(0), self.element, self.reduction, self.root] {
            words.extend_from_slice(&word.to_le_bytes());
        }
        words.extend_from_slice(&self.count.to_le_bytes());
        words.extend_from_slice(&self.parts.to_le_bytes());
        words.extend_from_slice(&(self.site.len() as u64).to_le_bytes());
        words.extend_from_slice(self.site.as_bytes());
        let length = words.len().min(bytes.len());
        bytes[..length].copy_from_slice(&words[..length]);
    }

    pub(crate) fn read(sequence: u64, bytes: &[u8]) -> Option<Self> {
        let long = |at: usize| -> Option<u64> {
            let bytes = bytes.get(at..at + 8)?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        let short = |at: usize| -> Option<u32> {
            let bytes = bytes.get(at..at + 4)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        };
        if long(0)? != sequence {
            return None;
        }
        let length = usize::try_from(long(40)?).ok()?.min(MOST_SITE);
        Some(Self {
            kind: *Kind::ALL.get(short(8)? as usize)?,
            element: short(12)?,
            reduction: short(16)?,
            root: short(20)?,
            count: long(24)?,
            parts: long(32)?,
            site: String::from_utf8_lossy(bytes.get(48..48 + length)?).into_owned(),
        })
    }

    /// The first field in which two ranks differ, with both values: this one's and the other's.
    pub fn difference(&self, other: &Self) -> Option<(&'static str, String, String)> {
        let both = |field, one: &dyn fmt::Display, two: &dyn fmt::Display| {
            Some((field, one.to_string(), two.to_string()))
        };
        if self.kind != other.kind {
            return both("operation", &self.kind.name(), &other.kind.name());
        }
        if self.count != other.count {
            return both("count", &self.count, &other.count);
        }
        if self.element != other.element {
            return both("data type", &name_of(self.element), &name_of(other.element));
        }
        if self.reduction != other.reduction {
            return both(
                "reduction",
                &reduction_name(self.reduction),
                &reduction_name(other.reduction),
            );
        }
        if self.root != other.root {
            return both("root", &self.root, &other.root);
        }
        if self.parts != other.parts {
            return Some(("counts and displacements", String::new(), String::new()));
        }
        None
    }

    /// In words.
    pub fn summary(&self) -> String {
        if self.kind == Kind::Barrier {
            return self.kind.name().to_owned();
        }
        let mut text = vec![format!("count {}", self.count)];
        text.push(name_of(self.element).to_owned());
        if self.kind.reduces() {
            text.push(reduction_name(self.reduction).to_owned());
        }
        if self.kind.has_root() {
            text.push(format!("root {}", self.root));
        }
        format!("{}({})", self.kind.name(), text.join(", "))
    }
}

const ELEMENTS: [(Element, &str); 14] = [
    (Element::I8, "int8"),
    (Element::I16, "int16"),
    (Element::I32, "int32"),
    (Element::F16, "float16"),
    (Element::F32, "float32"),
    (Element::I64, "int64"),
    (Element::U64, "uint64"),
    (Element::U8, "uint8"),
    (Element::U16, "uint16"),
    (Element::U32, "uint32"),
    (Element::F64, "float64"),
    (Element::Bf16, "bfloat16"),
    (Element::I128, "int128"),
    (Element::Bits8, "an 8-bit float"),
];

impl Group {
    /// A number that is equal on two ranks if their counts and displacements are; 0 if it has none.
    pub fn parts_number(&self) -> u64 {
        if self.parts.is_empty() {
            0
        } else {
            hash(&self.parts)
        }
    }
}

/// The name of a type.
pub fn element_name(element: Element) -> &'static str {
    name_of(code(element))
}

/// The name of a reduction.
pub fn reduction_title(reduction: Reduction) -> &'static str {
    reduction_name(reduction as u32)
}

pub(crate) fn code(element: Element) -> u32 {
    let code = ELEMENTS.iter().position(|(one, _)| *one == element);
    code.and_then(|code| u32::try_from(code).ok())
        .unwrap_or(u32::MAX)
}

pub(crate) fn name_of(element: u32) -> &'static str {
    ELEMENTS
        .get(element as usize)
        .map_or("an unknown type", |(_, name)| name)
}

fn reduction_name(reduction: u32) -> &'static str {
    match reduction {
        0 => "sum",
        1 => "product",
        2 => "max",
        3 => "min",
        _ => "an unknown reduction",
    }
}

/// FNV-1a: the same on every rank and in every build.
fn hash(parts: &[Part]) -> u64 {
    let bytes = parts
        .iter()
        .flat_map(|part| [part.count, part.start])
        .flat_map(u64::to_le_bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(kind: Kind) -> Group {
        Group {
            kind,
            count: 3,
            element: Element::Bf16,
            reduction: Reduction::Max,
            root: 1,
            parts: vec![Part { count: 1, start: 0 }, Part { count: 2, start: 1 }],
        }
    }

    #[test]
    fn a_description_arrives_as_it_was_sent() {
        for kind in Kind::ALL {
            let description = Description::new(&group(kind), &"train.py:17 ü".repeat(200));
            let mut bytes = [0; 1024];
            description.write(9, &mut bytes);
            assert_eq!(Description::read(9, &bytes), Some(description));
            assert_eq!(Description::read(17, &bytes), None, "another operation");
        }
    }

    type Change = fn(&mut Group);

    #[test]
    fn the_first_difference_is_named() {
        let one = Description::new(&group(Kind::Reduce), "");
        let differs = |change: fn(&mut Group)| {
            let mut other = group(Kind::Reduce);
            change(&mut other);
            one.difference(&Description::new(&other, ""))
                .map(|(field, mine, theirs)| format!("{field}: {mine} {theirs}"))
        };
        assert_eq!(differs(|_| {}), None);
        let cases: [(Change, &str); 5] = [
            (
                |it| it.kind = Kind::Scatter,
                "operation: HcclReduce HcclScatter",
            ),
            (|it| it.count = 4, "count: 3 4"),
            (
                |it| it.element = Element::F32,
                "data type: bfloat16 float32",
            ),
            (|it| it.reduction = Reduction::Sum, "reduction: max sum"),
            (|it| it.root = 0, "root: 1 0"),
        ];
        for (change, text) in cases {
            assert_eq!(differs(change).as_deref(), Some(text));
        }
        assert!(differs(|it| it.parts[0].start = 7).is_some());
    }
}
