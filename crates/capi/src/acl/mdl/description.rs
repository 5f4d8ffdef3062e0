//! Inputs and outputs of a model, in terms of the C interface.

use std::ffi::{CStr, CString};

use millpond::Element;
use millpond_abi as abi;
use millpond_model::aipp::Aipp;
use millpond_model::shapes::{GearKind, Gears, Input, Interface};

/// A first dimension of this value: not even the number of dimensions is known.
pub(crate) const UNKNOWN_RANK: i64 = -2;
/// A greatest value of this says that there is none.
pub(crate) const NO_LIMIT: i64 = -1;

/// A model's inputs and outputs.
#[derive(Debug, Default)]
pub(crate) struct Description {
    /// With gears, the last one chooses among them.
    pub(crate) inputs: Vec<Port>,
    pub(crate) outputs: Vec<Port>,
    pub(crate) gears: Option<Geared>,
}

/// The gears of a model, with the inputs that they are about.
#[derive(Debug)]
pub(crate) struct Geared {
    gears: Gears,
    inputs: Vec<Input>,
}

impl Geared {
    pub(crate) fn kind(&self) -> GearKind {
        self.gears.kind
    }

    /// The values of each gear.
    pub(crate) fn rows(&self) -> &[Vec<i64>] {
        &self.gears.rows
    }

    pub(crate) fn find(&self, values: &[i64]) -> Option<usize> {
        self.gears.find(values)
    }

    /// The gear in which the dimensions of all inputs, one behind the other, are these.
    pub(crate) fn find_dims(&self, dims: &[i64]) -> Option<usize> {
        let all = 0..self.gears.rows.len();
        all.into_iter()
            .find(|gear| self.shapes(*gear).concat() == dims)
    }

    /// The shapes of all inputs in one gear.
    pub(crate) fn shapes(&self, gear: usize) -> Vec<Vec<i64>> {
        self.gears.shapes(&self.inputs, gear)
    }
}

impl Description {
    /// What a model takes by its interface and gives by its graph.
    pub(crate) fn new(interface: &Interface, outputs: &[millpond_model::onnx::Port]) -> Self {
        let inputs = interface.inputs.iter().enumerate().map(|(index, input)| {
            let mut port = Port::of_input(input);
            let bytes = interface.input_bytes(index);
            port.bytes = bytes
                .and_then(|bytes| usize::try_from(bytes).ok())
                .unwrap_or(0);
            port
        });
        let chooser = interface.gear_input();
        Self {
            inputs: inputs.chain(chooser.as_ref().map(Port::of_input)).collect(),
            outputs: outputs
                .iter()
                .map(|port| Port::new(&port.name, port.element, port.dims.as_deref()))
                .collect(),
            gears: interface.gears.clone().map(|gears| Geared {
                gears,
                inputs: interface.inputs.clone(),
            }),
        }
    }

    /// The inputs that the graph has: without the one that chooses a gear.
    pub(crate) fn graph_inputs(&self) -> &[Port] {
        let choosers = usize::from(self.gears.is_some());
        &self.inputs[..self.inputs.len().saturating_sub(choosers)]
    }

    /// Whether shapes are within ranges, so that only a run determines those of the outputs.
    pub(crate) fn is_ranged(&self) -> bool {
        self.gears.is_none() && self.inputs.iter().any(Port::is_open)
    }
}

/// One input or output.
#[derive(Debug, Clone)]
pub(crate) struct Port {
    pub(crate) name: CString,
    pub(crate) element: Element,
    /// -1 for a dimension that is open; -2 alone if even their number is.
    pub(crate) dims: Vec<i64>,
    /// Least and greatest value of each dimension.
    pub(crate) ranges: Vec<[i64; 2]>,
    pub(crate) format: abi::aclFormat,
    /// Bytes of all elements, with gears in the largest one; 0 when only a run determines them.
    pub(crate) bytes: usize,
    /// The image preprocessing of an input.
    pub(crate) aipp: Option<Box<Aipp>>,
}

impl Port {
    /// A port without limits on its open dimensions.
    pub(crate) fn new(name: &str, element: Element, dims: Option<&[i64]>) -> Self {
        let dims = dims.map_or_else(|| vec![UNKNOWN_RANK], <[i64]>::to_vec);
        let range = |dim: &i64| match *dim {
            open if open < 0 => [0, NO_LIMIT],
            fixed => [fixed, fixed],
        };
        let bytes = name.bytes().filter(|byte| *byte != 0).collect::<Vec<_>>();
        Self {
            name: CString::new(bytes).unwrap_or_default(),
            element,
            ranges: dims.iter().map(range).collect(),
            // ONNX does not say; images are in this order there.
            format: match dims.len() {
                4 => abi::ACL_FORMAT_NCHW,
                5 => abi::ACL_FORMAT_NCDHW,
                _ => abi::ACL_FORMAT_ND,
            },
            bytes: bytes_of(&dims, element).unwrap_or(0),
            dims,
            aipp: None,
        }
    }

    fn of_input(input: &Input) -> Self {
        let mut port = Self::new(&input.name, input.element, input.dims().as_deref());
        port.format = input.format.acl();
        port.aipp.clone_from(&input.aipp);
        let spans = input.spans.iter().flatten();
        for (range, span) in port.ranges.iter_mut().zip(spans) {
            *range = [span.least, span.most.unwrap_or(NO_LIMIT)];
        }
        port
    }

    /// Takes over dimensions that turned out to be fixed.
    pub(crate) fn learn(&mut self, dims: Option<&[i64]>) {
        if let Some(dims) = dims
            && self.is_open()
            && dims.iter().all(|dim| *dim >= 0)
        {
            let known = Self::new("", self.element, Some(dims));
            self.dims = known.dims;
            self.ranges = known.ranges;
            self.bytes = known.bytes;
            self.format = known.format;
        }
    }

    pub(crate) fn name(&self) -> &CStr {
        &self.name
    }

    pub(crate) fn is_open(&self) -> bool {
        self.dims.iter().any(|dim| *dim < 0)
    }

    /// Whether a tensor of this shape may come here.
    pub(crate) fn takes(&self, dims: &[i64]) -> bool {
        if dims.iter().any(|dim| *dim < 0) {
            return false;
        }
        if self.dims.first() == Some(&UNKNOWN_RANK) {
            return true;
        }
        dims.len() == self.dims.len()
            && dims
                .iter()
                .zip(&self.ranges)
                .all(|(dim, [least, most])| dim >= least && (*most == NO_LIMIT || dim <= most))
    }

    /// What it takes, for people: `[1..8, 3]`.
    pub(crate) fn shape_text(&self) -> String {
        if self.dims.first() == Some(&UNKNOWN_RANK) {
            return "any shape".to_owned();
        }
        let one = |[least, most]: &[i64; 2]| match most {
            most if most == least => least.to_string(),
            &NO_LIMIT => format!("{least}.."),
            most => format!("{least}..{most}"),
        };
        let dims: Vec<String> = self.ranges.iter().map(one).collect();
        format!("[{}]", dims.join(", "))
    }
}

/// Bytes of a tensor; `None` if a dimension is open or they cannot be counted.
pub(crate) fn bytes_of(dims: &[i64], element: Element) -> Option<usize> {
    dims.iter().try_fold(element.bytes(), |bytes, dim| {
        bytes.checked_mul(usize::try_from(*dim).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_takes_what_its_ranges_say() {
        let mut port = Port::new("x", Element::F32, Some(&[-1, 3]));
        assert!(port.takes(&[7, 3]) && !port.takes(&[7, 4]) && !port.takes(&[7]));
        assert!(!port.takes(&[-1, 3]));
        port.ranges[0] = [1, 4];
        assert!(port.takes(&[4, 3]) && !port.takes(&[5, 3]) && !port.takes(&[0, 3]));
        assert_eq!(port.shape_text(), "[1..4, 3]");
        assert_eq!(port.bytes, 0);
        assert!(Port::new("x", Element::F32, None).takes(&[]));
    }

    #[test]
    fn bytes_that_cannot_be_counted_are_none() {
        assert_eq!(bytes_of(&[], Element::F64), Some(8));
        assert_eq!(bytes_of(&[i64::MAX, 4], Element::F64), None);
        assert_eq!(bytes_of(&[-1], Element::F64), None);
    }
}
