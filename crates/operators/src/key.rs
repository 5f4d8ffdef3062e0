//! The two keys of a cached operator, compared with a request in place.
//!
//! The first key is what every row may look at without asking. The second is the values of what rows of
//! that first key asked for. Both exist in two forms: owned, as the cache keeps them, and as a walk over a
//! request, so that looking something up copies nothing.

use crate::request::format;
use crate::{Asked, Attributes, Element, Request, Tensor};
use std::hash::{Hash, Hasher};

/// What the first key says of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Kind {
    element: Element,
    rank: usize,
    /// The format if it is more than a name for dimensions.
    layout: Option<i32>,
    is_constant: bool,
}

impl Kind {
    fn of(tensor: &Tensor) -> Self {
        Self {
            element: tensor.element,
            rank: tensor.dims.len(),
            layout: Some(tensor.format).filter(|layout| !format::is_plain(*layout)),
            is_constant: tensor.constant.is_some(),
        }
    }
}

/// The first key, owned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct First {
    kind: String,
    inputs: Vec<Option<Kind>>,
    outputs: Vec<Kind>,
    attributes: Attributes,
}

fn inputs<'r>(request: &Request<'r>) -> impl Iterator<Item = Option<Kind>> + use<'r> {
    let inputs = request.inputs;
    inputs.iter().map(|input| input.as_ref().map(Kind::of))
}

impl First {
    pub(crate) fn of(request: &Request) -> Self {
        Self {
            kind: request.kind.to_owned(),
            inputs: inputs(request).collect(),
            outputs: request.outputs.iter().map(Kind::of).collect(),
            attributes: request.attributes.clone(),
        }
    }

    pub(crate) fn matches(&self, request: &Request) -> bool {
        self.kind == request.kind
            && self.inputs.iter().copied().eq(inputs(request))
            && self
                .outputs
                .iter()
                .copied()
                .eq(request.outputs.iter().map(Kind::of))
            && self.attributes == *request.attributes
    }

    /// The number that [`First::of`] this request is filed under.
    pub(crate) fn hash(request: &Request) -> u64 {
        let mut state = Mixer::default();
        request.kind.hash(&mut state);
        request.inputs.len().hash(&mut state);
        inputs(request).for_each(|kind| kind.hash(&mut state));
        request
            .outputs
            .iter()
            .for_each(|output| Kind::of(output).hash(&mut state));
        request.attributes.hash(&mut state);
        state.finish()
    }
}

/// One value that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Piece<'a> {
    Absent,
    Constant(&'a [u8]),
    Dims(&'a [i64]),
    Format(i32),
}

/// Everything in `request` that `asked` names, in a fixed order.
fn pieces<'r>(request: &Request<'r>, asked: Asked) -> impl Iterator<Item = Piece<'r>> + use<'r> {
    let of_inputs = request
        .inputs
        .iter()
        .enumerate()
        .flat_map(move |(index, input)| {
            let constant = asked.constants.has(index).then(|| {
                let bytes = input.as_ref().and_then(|tensor| tensor.constant);
                bytes.map_or(Piece::Absent, Piece::Constant)
            });
            let dims = asked.input_dims.has(index).then(|| {
                let dims = input.as_ref().map(|tensor| tensor.dims);
                dims.map_or(Piece::Absent, Piece::Dims)
            });
            let format = asked.formats.has(index).then(|| {
                let format = input.as_ref().map(|tensor| tensor.format);
                format.map_or(Piece::Absent, Piece::Format)
            });
            [constant, dims, format].into_iter().flatten()
        });
    let of_outputs = request
        .outputs
        .iter()
        .enumerate()
        .flat_map(move |(index, output)| {
            let dims = asked
                .output_dims
                .has(index)
                .then_some(Piece::Dims(output.dims));
            let format = asked
                .output_formats
                .has(index)
                .then_some(Piece::Format(output.format));
            [dims, format].into_iter().flatten()
        });
    of_inputs.chain(of_outputs)
}

/// One value that was asked for, owned.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kept {
    Absent,
    Constant(Box<[u8]>),
    Dims(Box<[i64]>),
    Format(i32),
}

impl Kept {
    fn as_piece(&self) -> Piece<'_> {
        match self {
            Self::Absent => Piece::Absent,
            Self::Constant(bytes) => Piece::Constant(bytes),
            Self::Dims(dims) => Piece::Dims(dims),
            Self::Format(format) => Piece::Format(*format),
        }
    }
}

/// The second key, owned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Second(Box<[Kept]>);

impl Second {
    pub(crate) fn of(request: &Request, asked: Asked) -> Self {
        let kept = pieces(request, asked).map(|piece| match piece {
            Piece::Absent => Kept::Absent,
            Piece::Constant(bytes) => Kept::Constant(bytes.into()),
            Piece::Dims(dims) => Kept::Dims(dims.into()),
            Piece::Format(format) => Kept::Format(format),
        });
        Self(kept.collect())
    }

    pub(crate) fn matches(&self, request: &Request, asked: Asked) -> bool {
        let kept = self.0.iter().map(Kept::as_piece);
        kept.eq(pieces(request, asked))
    }

    /// The number that [`Second::of`] this request is filed under, within a family.
    pub(crate) fn hash(request: &Request, asked: Asked, family: usize) -> u64 {
        let mut state = Mixer::default();
        family.hash(&mut state);
        pieces(request, asked).for_each(|piece| piece.hash(&mut state));
        state.finish()
    }
}

/// A quick hash for keys that programs do not choose to collide: keys that do are still told apart.
#[derive(Debug, Default)]
struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, word: u64) {
        let turned = self.0.rotate_left(29) ^ word;
        let product = turned.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ product >> 32;
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
        let mut word = [0; 8];
        let rest = chunks.remainder();
        word[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(word) ^ (bytes.len() as u64) << 56);
    }

    // Small numbers are one step each; the default would copy their bytes about.
    fn write_u8(&mut self, value: u8) {
        self.mix(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn finish(&self) -> u64 {
        let spread = (self.0 ^ self.0 >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        spread ^ spread >> 29
    }
}

/// For maps whose keys are such hashes already.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
