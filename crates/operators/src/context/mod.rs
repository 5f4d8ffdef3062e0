//! What a row sees of its request, and the graph that it writes.

mod attributes;
mod nodes;

pub(crate) use attributes::refused;

use crate::flow::Val;
use crate::request::format;
use crate::{Asked, Built, Element, Request, Tensor, Value, Why};
use millpond_model::onnx::{self, Dim, Graph};
use std::cell::RefCell;

/// A request that is being turned into a graph.
///
/// Element types, ranks, attributes and which inputs exist are free to look at. Everything else is noted
/// when a row asks for it.
#[derive(Debug)]
pub(crate) struct Context<'r> {
    request: &'r Request<'r>,
    state: RefCell<State>,
}

#[derive(Debug)]
struct State {
    /// The graph, and the bodies of loops that are being written inside of it.
    graphs: Vec<Graph>,
    values: Vec<onnx::Value>,
    /// For each input of the request, the value that it became.
    inputs: Vec<Option<usize>>,
    fed: Vec<usize>,
    filled: Vec<usize>,
    asked: Asked,
    data_dependent: bool,
    /// How many inputs the row knows of.
    inputs_known: usize,
    /// The attributes that the row asked for.
    read: Vec<String>,
}

impl<'r> Context<'r> {
    pub(crate) fn new(request: &'r Request<'r>) -> Self {
        Self {
            request,
            state: RefCell::new(State {
                graphs: vec![Graph::new(request.kind)],
                values: Vec::new(),
                inputs: vec![None; request.inputs.len()],
                fed: Vec::new(),
                filled: Vec::new(),
                asked: Asked::default(),
                data_dependent: false,
                inputs_known: 0,
                read: Vec::new(),
            }),
        }
    }

    pub(crate) fn finish(self) -> Result<Built, Why> {
        let state = self.state.into_inner();
        let mut given = self.request.inputs.iter();
        let given = given.rposition(Option::is_some).map_or(0, |last| last + 1);
        if given > state.inputs_known {
            return Err(Why::other(format!(
                "it takes at most {} inputs, but {given} are given",
                state.inputs_known
            )));
        }
        if state.filled.is_empty() {
            return Err(Why::MissingOutput(0));
        }
        let mut graphs = state.graphs;
        let model = graphs.pop().map(Graph::finish).unwrap_or_default();
        Ok(Built {
            model,
            inputs: state.fed,
            outputs: state.filled,
            asked: state.asked,
            data_dependent: state.data_dependent,
        })
    }

    // ---- Inputs ----

    /// The description of an input, if it is there.
    fn tensor(&self, index: usize) -> Option<&'r Tensor<'r>> {
        let mut state = self.state.borrow_mut();
        state.inputs_known = state.inputs_known.max(index + 1);
        self.request.inputs.get(index)?.as_ref()
    }

    fn needed(&self, index: usize) -> Result<&'r Tensor<'r>, Why> {
        self.tensor(index).ok_or(Why::MissingInput(index))
    }

    /// How many inputs there are, for operators with any number of them.
    pub(crate) fn count(&self) -> usize {
        self.request.inputs.len()
    }

    /// Whether an input is there.
    pub(crate) fn has(&self, index: usize) -> bool {
        self.tensor(index).is_some()
    }

    /// Says that inputs up to this one are known but not needed.
    pub(crate) fn ignore(&self, index: usize) {
        self.tensor(index);
    }

    pub(crate) fn element(&self, index: usize) -> Result<Element, Why> {
        self.needed(index).map(|tensor| tensor.element)
    }

    pub(crate) fn rank(&self, index: usize) -> Result<usize, Why> {
        self.needed(index).map(|tensor| tensor.dims.len())
    }

    /// The rank as the type that axes have.
    pub(crate) fn axes(&self, index: usize) -> Result<i64, Why> {
        self.rank(index).map(|rank| rank.cast_signed() as i64)
    }

    /// Refuses an input with another rank.
    pub(crate) fn needs_rank(
        &self,
        index: usize,
        fits: impl Fn(usize) -> bool,
        wants: &'static str,
    ) -> Result<usize, Why> {
        // Blocks add dimensions: their number says less than the format.
        self.needs_plain(index)?;
        let has = self.rank(index)?;
        let wrong = Why::Rank { index, has, wants };
        if fits(has) { Ok(has) } else { Err(wrong) }
    }

    /// Refuses an input that is laid out in blocks.
    fn needs_plain(&self, index: usize) -> Result<(), Why> {
        let format = self.needed(index)?.format;
        let wrong = Why::Format { index, format };
        if format::is_plain(format) {
            Ok(())
        } else {
            Err(wrong)
        }
    }

    /// An input as it comes.
    pub(crate) fn input(&self, index: usize) -> Result<Val<'_>, Why> {
        let tensor = self.needed(index)?;
        let element = tensor.element;
        if matches!(element, Element::C64 | Element::C128) {
            let wants = "a real type";
            return Err(Why::Element {
                index,
                element,
                wants,
            });
        }
        self.needs_plain(index)?;
        let mut state = self.state.borrow_mut();
        let known = state.inputs.get(index).copied().flatten();
        let value = known.unwrap_or_else(|| {
            let dims = vec![Dim::Any; tensor.dims.len()];
            let value = state.graphs[0].input(&format!("x{index}"), element, &dims);
            state.fed.push(index);
            state.values.push(value);
            let value = state.values.len() - 1;
            state.inputs[index] = Some(value);
            value
        });
        Ok(Val::new(self, value, element))
    }

    /// An input with 16-bit floats widened, so that only the result is rounded.
    pub(crate) fn number(&self, index: usize) -> Result<Val<'_>, Why> {
        Ok(self.input(index)?.widened())
    }

    /// An input of floating-point numbers, widened.
    pub(crate) fn float(&self, index: usize) -> Result<Val<'_>, Why> {
        let element = self.element(index)?;
        if element.is_float() {
            return self.number(index);
        }
        let wants = "a floating-point type";
        Err(Why::Element {
            index,
            element,
            wants,
        })
    }

    /// An input of bools; bytes and integers count as true when they are not 0.
    pub(crate) fn bool(&self, index: usize) -> Result<Val<'_>, Why> {
        Ok(self.input(index)?.cast(Element::Bool))
    }

    /// An input of indices, as 64-bit integers.
    pub(crate) fn indices(&self, index: usize) -> Result<Val<'_>, Why> {
        let element = self.element(index)?;
        if element.is_float() || element == Element::Bool {
            let wants = "an integer type";
            return Err(Why::Element {
                index,
                element,
                wants,
            });
        }
        Ok(self.input(index)?.cast(Element::I64))
    }

    /// An optional input of floating-point numbers, widened.
    pub(crate) fn optional_float(&self, index: usize) -> Result<Option<Val<'_>>, Why> {
        self.has(index).then(|| self.float(index)).transpose()
    }

    // ---- What is asked for ----

    /// The dimensions of an input. The model will fit these alone.
    pub(crate) fn dims(&self, index: usize) -> Result<&'r [i64], Why> {
        let tensor = self.needed(index)?;
        self.state.borrow_mut().asked.input_dims.add(index);
        known_dims(tensor.dims, "input", index)
    }

    /// The dimensions of an output. The model will fit these alone.
    pub(crate) fn output_dims(&self, index: usize) -> Result<&'r [i64], Why> {
        let tensor = self.request.outputs.get(index);
        let dims = tensor.map(|it| it.dims).ok_or(Why::MissingOutput(index))?;
        self.state.borrow_mut().asked.output_dims.add(index);
        known_dims(dims, "output", index)
    }

    /// The format of an input.
    pub(crate) fn format(&self, index: usize) -> Result<i32, Why> {
        let tensor = self.needed(index)?;
        self.state.borrow_mut().asked.formats.add(index);
        Ok(tensor.format)
    }

    /// The format of an output.
    pub(crate) fn output_format(&self, index: usize) -> Result<i32, Why> {
        let output = self.request.outputs.get(index);
        self.state.borrow_mut().asked.output_formats.add(index);
        output.map(|it| it.format).ok_or(Why::MissingOutput(index))
    }

    /// The contents of a constant input of integers.
    pub(crate) fn constant_ints(&self, index: usize) -> Result<Vec<i64>, Why> {
        let tensor = self.needed(index)?;
        let bytes = tensor.constant.ok_or(Why::MissingConstant(index))?;
        self.state.borrow_mut().asked.constants.add(index);
        let element = tensor.element;
        let wants = "an integer type";
        let size = element.bytes();
        let sign_extends = match element {
            Element::I8 | Element::I16 | Element::I32 | Element::I64 => true,
            Element::U8 | Element::U16 | Element::U32 | Element::U64 => false,
            _ => {
                return Err(Why::Element {
                    index,
                    element,
                    wants,
                });
            }
        };
        let count = tensor
            .dims
            .iter()
            .try_fold(1_i64, |all, dim| all.checked_mul(*dim));
        let expected = count.and_then(|count| usize::try_from(count).ok());
        if !bytes.len().is_multiple_of(size) || expected != Some(bytes.len() / size) {
            let reason = format!(
                "{} bytes for {:?} of {}",
                bytes.len(),
                tensor.dims,
                element.name()
            );
            return Err(Why::Constant { index, reason });
        }
        let numbers = bytes.chunks_exact(size).map(|chunk| {
            let negative = sign_extends && chunk.last().is_some_and(|byte| *byte >= 0x80);
            let mut word = [if negative { 0xff } else { 0 }; 8];
            word[..size].copy_from_slice(chunk);
            i64::from_le_bytes(word)
        });
        Ok(numbers.collect())
    }

    /// The one number in a constant input.
    pub(crate) fn constant_int(&self, index: usize) -> Result<i64, Why> {
        let all = self.constant_ints(index)?;
        let [one] = all[..] else {
            let reason = format!("{} numbers where one is needed", all.len());
            return Err(Why::Constant { index, reason });
        };
        Ok(one)
    }

    // ---- Outputs ----

    /// How many outputs there are.
    pub(crate) fn outputs(&self) -> usize {
        self.request.outputs.len()
    }

    /// Whether there is such an output.
    pub(crate) fn wants(&self, index: usize) -> bool {
        index < self.outputs()
    }

    pub(crate) fn output_element(&self, index: usize) -> Result<Element, Why> {
        let output = self.request.outputs.get(index);
        output.map(|it| it.element).ok_or(Why::MissingOutput(index))
    }

    pub(crate) fn output_rank(&self, index: usize) -> Result<usize, Why> {
        let output = self.request.outputs.get(index);
        output
            .map(|it| it.dims.len())
            .ok_or(Why::MissingOutput(index))
    }

    /// Makes `value` an output, in the type that the output has. An output that is not there is not missed.
    pub(crate) fn give(&self, index: usize, value: Val<'_>) -> Result<(), Why> {
        let Some(output) = self.request.outputs.get(index) else {
            return Ok(());
        };
        let element = output.element;
        if matches!(element, Element::C64 | Element::C128) {
            return Err(Why::OutputElement { index, element });
        }
        if !format::is_plain(output.format) {
            let format = output.format;
            return Err(Why::OutputFormat { index, format });
        }
        let value = value.cast(element);
        let mut state = self.state.borrow_mut();
        let named = state.values[value.id()].clone();
        // Its shape follows from the nodes.
        state.graphs[0].output(&format!("y{index}"), &named, element, None);
        state.filled.push(index);
        Ok(())
    }

    /// Makes `value` an output in the shape that the output has, for operators whose result has the right
    /// number of elements but perhaps not the rank.
    pub(crate) fn give_shaped(&self, index: usize, value: Val<'_>) -> Result<(), Why> {
        let dims = self.output_dims(index)?;
        self.give(index, value.reshape(dims))
    }

    /// Makes a single number an output, with as many dimensions of 1 as the output has.
    pub(crate) fn give_scalar(&self, index: usize, value: Val<'_>) -> Result<(), Why> {
        if !self.wants(index) {
            return Ok(());
        }
        let dims = vec![1; self.output_rank(index)?];
        self.give(index, value.reshape(&dims))
    }

    /// Says that contents of inputs decide the shape of an output.
    pub(crate) fn depends_on_data(&self) {
        self.state.borrow_mut().data_dependent = true;
    }

    // ---- Attributes ----

    pub(crate) fn attribute(&self, name: &str) -> Option<&'r Value> {
        let value = self.request.attributes.get(name)?;
        let mut state = self.state.borrow_mut();
        if !state.read.iter().any(|it| it == name) {
            state.read.push(name.to_owned());
        }
        Some(value)
    }

    /// Whether the row asked for an attribute that is set.
    pub(crate) fn has_read(&self, name: &str) -> bool {
        self.state.borrow().read.iter().any(|it| it == name)
    }
}

/// Dimensions that a tensor can have: rows may multiply them without care.
fn known_dims<'a>(dims: &'a [i64], what: &str, index: usize) -> Result<&'a [i64], Why> {
    if dims.iter().any(|dim| *dim < 0) {
        return Err(Why::other(format!(
            "the shape of {what} {index} is not known"
        )));
    }
    // Without the zeros, so that the product of any of them is bounded.
    let count = dims
        .iter()
        .try_fold(1_i64, |all, dim| all.checked_mul((*dim).max(1)));
    if count.is_none_or(|count| count > 1 << 48) {
        return Err(Why::other(format!(
            "no memory holds {what} {index} with the shape {dims:?}"
        )));
    }
    Ok(dims)
}
