//! Detects the kind of a model file.

use crate::{Error, compiled, onnx};

/// The kind of a file, by its first bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileKind {
    /// A compiled file of this runtime.
    Compiled,
    /// An ONNX model.
    Onnx,
    /// Compiled for an NPU by the vendor's compiler.
    Npu(NpuFile),
    /// The same in the newer format: an archive.
    NpuArchive,
    /// A Git LFS pointer: the file itself was not fetched.
    LfsPointer,
    /// Empty.
    Empty,
    /// None of the above.
    Unknown,
}

/// The header of a file compiled for an NPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NpuFile {
    /// The name of the model.
    pub name: String,
    /// The platform version that it was compiled for.
    pub platform: String,
    /// Whether its length matches the header.
    pub whole: bool,
    /// Whether its shapes are dynamic.
    pub dynamic: bool,
}

/// Detects the kind of a file. Only the header is read, except for ONNX, which has none.
pub fn classify(bytes: &[u8]) -> FileKind {
    if bytes.is_empty() {
        FileKind::Empty
    } else if bytes.starts_with(&compiled::MAGIC) {
        FileKind::Compiled
    } else if let Some(file) = NpuFile::read(bytes) {
        FileKind::Npu(file)
    } else if bytes.starts_with(b"PK\x03\x04") {
        FileKind::NpuArchive
    } else if bytes.starts_with(b"version https://git-lfs") {
        FileKind::LfsPointer
    } else if onnx::looks_like_a_model(bytes) {
        FileKind::Onnx
    } else {
        FileKind::Unknown
    }
}

impl FileKind {
    /// Why such a file cannot be loaded, and what to do; `None` if it can.
    pub fn refusal(&self) -> Option<Error> {
        const SOURCE: &str = "it cannot run without one; compile the model's ONNX source: \
                              millpond atc --framework 5 --model model.onnx --output model";
        match self {
            Self::Compiled | Self::Onnx => None,
            Self::Npu(file) => Some(file.refusal(SOURCE)),
            Self::NpuArchive => Some(Error::unsupported(format!(
                "the file is an archive compiled for an Ascend NPU (OM2): {SOURCE}"
            ))),
            Self::LfsPointer => Some(Error::damaged(
                "the file is a Git LFS pointer; fetch the model with `git lfs pull`",
            )),
            Self::Empty => Some(Error::damaged("the file is empty")),
            Self::Unknown => Some(Error::damaged(
                "the file is neither an ONNX model nor a compiled one: it is truncated or has another \
                 format; export the model as ONNX",
            )),
        }
    }
}

impl NpuFile {
    /// Reads the header, if there is one.
    fn read(bytes: &[u8]) -> Option<Self> {
        const HEADER: usize = 256;
        const OPEN_SHAPES_SINCE: u32 = 0x2000_0000;
        if !bytes.starts_with(b"IMOD") {
            return None;
        }
        let Some(header) = bytes.get(..HEADER) else {
            return Some(Self {
                name: String::new(),
                platform: String::new(),
                whole: false,
                dynamic: false,
            });
        };
        let number = |at: usize| {
            let bytes = header[at..at + 4].iter().rev();
            bytes.fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
        };
        let text = |at: usize, length: usize| {
            let field = &header[at..at + length];
            let end = field.iter().position(|byte| *byte == 0).unwrap_or(length);
            // Bytes that are not text mean that this is not a name.
            let text = std::str::from_utf8(&field[..end]).unwrap_or_default();
            let is_text = text.chars().all(|letter| !letter.is_control());
            if is_text {
                text.to_owned()
            } else {
                String::new()
            }
        };
        let long = u64::from(number(188)) << 32 | u64::from(number(184));
        let length = if long == 0 { number(76).into() } else { long };
        let several = number(156) > 1;
        Some(Self {
            name: text(84, 32),
            platform: text(160, 20),
            whole: length == (bytes.len() - HEADER) as u64,
            dynamic: number(8) >= OPEN_SHAPES_SINCE && (several || header[193] == 1),
        })
    }

    fn refusal(&self, source: &str) -> Error {
        let mut known = Vec::new();
        for (what, value) in [("name", &self.name), ("platform version", &self.platform)] {
            if !value.is_empty() {
                known.push(format!("{what} {value}"));
            }
        }
        let known = match known.len() {
            0 => String::new(),
            _ => format!(" ({})", known.join(", ")),
        };
        let short = if self.whole {
            ""
        } else {
            ", and it is truncated or damaged"
        };
        Error::unsupported(format!(
            "the file is compiled for an Ascend NPU{known}{short}: {source}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Element;
    use crate::onnx::{Dim, Graph};
    use proptest::prelude::*;

    fn npu() -> Vec<u8> {
        let mut bytes = vec![0; 256 + 10];
        bytes[..4].copy_from_slice(b"IMOD");
        bytes[4..8].copy_from_slice(&256_u32.to_le_bytes());
        bytes[8..12].copy_from_slice(&0x2000_0000_u32.to_le_bytes());
        bytes[76..80].copy_from_slice(&10_u32.to_le_bytes());
        bytes[84..90].copy_from_slice(b"resnet");
        bytes[160..167].copy_from_slice(b"1.2.3.4");
        bytes
    }

    #[test]
    fn a_file_for_an_npu_is_named_in_the_refusal() {
        let mut bytes = npu();
        let FileKind::Npu(file) = classify(&bytes) else {
            panic!("not recognised");
        };
        assert!(file.whole && !file.dynamic);
        let sentence = classify(&bytes).refusal().unwrap().to_string();
        for part in ["resnet", "1.2.3.4", "millpond atc"] {
            assert!(sentence.contains(part), "{sentence}");
        }
        bytes[193] = 1;
        assert!(matches!(classify(&bytes), FileKind::Npu(file) if file.dynamic));
        bytes[184] = 10;
        assert!(
            matches!(classify(&bytes), FileKind::Npu(file) if file.whole),
            "the longer field"
        );
        bytes.pop();
        let sentence = classify(&bytes).refusal().unwrap().to_string();
        assert!(sentence.contains("truncated"), "{sentence}");
        for length in 4..bytes.len() {
            assert!(matches!(classify(&bytes[..length]), FileKind::Npu(file) if !file.whole));
        }
    }

    #[test]
    fn a_header_of_noise_has_no_name() {
        let mut bytes = npu();
        bytes[84..90].copy_from_slice(b"\x01\x1b[2Jx");
        bytes[160..164].copy_from_slice(b"\xff\xfe\x80\x81");
        let sentence = classify(&bytes).refusal().unwrap().to_string();
        assert!(
            sentence.starts_with("the file is compiled for an Ascend NPU: "),
            "{sentence}"
        );
    }

    #[test]
    fn every_kind_is_recognised() {
        let mut graph = Graph::new("g");
        let x = graph.input("x", Element::F32, &[Dim::Any]);
        graph.output("y", &x, Element::F32, None);
        let onnx = graph.finish();
        for (bytes, expected) in [
            (&onnx[..], FileKind::Onnx),
            (b"PK\x03\x04rest", FileKind::NpuArchive),
            (b"MILLPOND", FileKind::Compiled),
            (
                b"version https://git-lfs.github.com/spec/v1\n",
                FileKind::LfsPointer,
            ),
            (b"", FileKind::Empty),
            (b"<html>", FileKind::Unknown),
            (&[0x08, 9], FileKind::Unknown),
            (&onnx[..onnx.len() / 2], FileKind::Unknown),
        ] {
            let found = classify(bytes);
            assert_eq!(found, expected);
            let fine = matches!(found, FileKind::Onnx | FileKind::Compiled);
            assert_eq!(found.refusal().is_none(), fine, "{found:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_something(bytes in prop::collection::vec(any::<u8>(), 0..400), npu: bool) {
            let mut bytes = bytes;
            if npu {
                bytes.splice(..bytes.len().min(4), *b"IMOD");
            }
            drop(classify(&bytes).refusal());
        }
    }
}
