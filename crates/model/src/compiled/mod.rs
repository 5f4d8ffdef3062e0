//! The compiled file of this runtime: what `millpond atc` writes and programs load as `.om`.
//!
//! The file contains the shapes, the gears, and the ONNX bytes with all weights. Layout, with little-endian numbers:
//!
//! | at | bytes | |
//! | --- | --- | --- |
//! | 0 | 8 | `MILLPOND` |
//! | 8 | 4 | version of this layout |
//! | 12 | 4 | length of the header |
//! | 16 | 8 | length of the ONNX bytes |
//! | 24 | 8 | checksum of everything else |
//! | 32 | | the header, JSON |
//! | | | the ONNX bytes, none for a single operator |
//!
//! Within one version, readers ignore unknown keys of the header.

mod checksum;
mod header;

use crate::onnx::{self, Model};
use crate::shapes::Interface;
use crate::singleop::Operator;
use crate::{Error, Format};
use checksum::Checksum;

/// The first bytes of the file.
pub(crate) const MAGIC: [u8; 8] = *b"MILLPOND";
/// The version of the layout.
pub const VERSION: u32 = 1;
const FIXED: usize = 32;
/// The maximum length of a header; real headers have about a page of text.
const LONGEST_HEADER: usize = 16 << 20;

/// Metadata of a compiled file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    /// Its name.
    pub name: String,
    /// The requested chip, if any. It has no effect.
    pub soc_version: Option<String>,
}

/// The contents of a compiled file.
#[derive(Debug, Clone, PartialEq)]
pub enum Contents<'a> {
    /// A model.
    Model {
        /// Its inputs.
        interface: Interface,
        /// The description in its ONNX bytes.
        model: Box<Model>,
        /// The bytes for the engine, with all weights.
        onnx: &'a [u8],
    },
    /// A single operator.
    Operator(Operator),
}

/// The bytes of a compiled model. The interface must belong to this model.
pub fn write_model(about: &About, interface: &Interface, onnx: &[u8]) -> Result<Vec<u8>, Error> {
    let model = onnx::read(onnx)?;
    if let Some(external) = model.externals.first() {
        external.path(None)?;
    }
    agree(interface, &model)?;
    Ok(assemble(&header::of_model(about, interface), onnx))
}

/// The bytes of a compiled operator.
pub fn write_operator(about: &About, operator: &Operator) -> Vec<u8> {
    assemble(&header::of_operator(about, operator), &[])
}

fn assemble(header: &str, onnx: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(FIXED + header.len() + onnx.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    let header_length = u32::try_from(header.len()).unwrap_or(u32::MAX);
    bytes.extend_from_slice(&header_length.to_le_bytes());
    bytes.extend_from_slice(&(onnx.len() as u64).to_le_bytes());
    let mut sum = Checksum::new();
    for part in [&bytes[..], header.as_bytes(), onnx] {
        sum.add(part);
    }
    bytes.extend_from_slice(&sum.finish().to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(onnx);
    bytes
}

/// Reads a compiled file. Modified or missing bytes are an error.
pub fn read(bytes: &[u8]) -> Result<(About, Contents<'_>), Error> {
    let damaged = || {
        Error::damaged(
            "the compiled model is truncated or damaged: compile it again with `millpond atc`",
        )
    };
    let (fixed, rest) = bytes.split_at_checked(FIXED).ok_or_else(damaged)?;
    let number = |at: usize, length: usize| {
        let bytes = fixed[at..at + length].iter().rev();
        bytes.fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
    };
    if fixed[..8] != MAGIC {
        return Err(Error::damaged("this is not a model compiled by Millpond"));
    }
    let version = number(8, 4);
    if version != u64::from(VERSION) {
        return Err(Error::unsupported(format!(
            "the compiled model has format version {version}, but this version of Millpond reads version {VERSION}: \
             compile it again with this version's `millpond atc`, or use a newer Millpond"
        )));
    }
    let header_length = usize::try_from(number(12, 4)).unwrap_or(usize::MAX);
    let (header, onnx) = rest.split_at_checked(header_length).ok_or_else(damaged)?;
    if onnx.len() as u64 != number(16, 8) || header.len() > LONGEST_HEADER {
        return Err(damaged());
    }
    let mut sum = Checksum::new();
    for part in [&fixed[..24], header, onnx] {
        sum.add(part);
    }
    if sum.finish() != number(24, 8) {
        return Err(damaged());
    }
    // The bytes are as they were written; whether they follow the rules is checked below.
    match header::parse(header)? {
        (about, header::Kind::Operator(operator)) => Ok((about, Contents::Operator(operator))),
        (about, header::Kind::Model(draft)) => {
            let model = Box::new(onnx::read(onnx)?);
            let interface = draft.complete(&model)?;
            agree(&interface, &model)?;
            let contents = Contents::Model {
                interface,
                model,
                onnx,
            };
            Ok((about, contents))
        }
    }
}

/// Whether an interface belongs to this model.
fn agree(interface: &Interface, model: &Model) -> Result<(), Error> {
    let same = interface.inputs.len() == model.inputs.len()
        && interface
            .inputs
            .iter()
            .zip(&model.inputs)
            .all(|(input, port)| {
                let dims = input.dims();
                let rank = |dims: &Option<Vec<i64>>| dims.as_ref().map(Vec::len);
                input.name == port.name
                    && input.element == port.element
                    && dims == port.dims
                    && (input.format == Format::Nd || input.format.rank() == rank(&dims))
            });
    if !same {
        return Err(Error::damaged(
            "the compiled model describes inputs that do not match its graph",
        ));
    }
    match &interface.gears {
        Some(gears) => gears.check(&interface.inputs),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
