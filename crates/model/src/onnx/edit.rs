//! Changes the input shapes of a model by rewriting its bytes.
//!
//! Other shapes in the file must not contradict the new ones. If a named dimension becomes a number, the name
//! becomes that number in the outputs too. If a number is replaced by another one, the numbers stored for
//! outputs and intermediate values are removed: the engine infers them again.

use std::collections::{BTreeMap, BTreeSet};

use super::message::{Bounds, Graph};
use super::read::{OPEN, read};
use super::wire::{Entry, Reader, Writer};
use crate::Error;

/// Sets the dimensions of inputs, [`OPEN`] for dynamic ones. An unknown input name or a different number of
/// dimensions is an error.
pub fn set_input_dims(bytes: &[u8], inputs: &[(&str, &[i64])]) -> Result<Vec<u8>, Error> {
    check(bytes, inputs)?;
    let mut model = Writer::default();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        if entry.number == 7 {
            model.message(entry.number, &graph(entry.run()?, inputs)?);
        } else {
            model.copy(&entry);
        }
    }
    Ok(model.finish())
}

fn check(bytes: &[u8], inputs: &[(&str, &[i64])]) -> Result<(), Error> {
    let model = read(bytes)?;
    for (name, dims) in inputs {
        let shown = name.escape_debug();
        let Some(input) = model.inputs.iter().find(|input| input.name == *name) else {
            let names: Vec<&str> = model
                .inputs
                .iter()
                .map(|input| input.name.as_str())
                .collect();
            return Err(Error::argument(format!(
                "the model has no input '{shown}'; its inputs are: {}",
                names.join(", ").escape_debug()
            )));
        };
        if let Some(has) = &input.dims
            && has.len() != dims.len()
        {
            return Err(Error::argument(format!(
                "input '{shown}' has {} dimensions in the model, but {} were given",
                has.len(),
                dims.len()
            )));
        }
        if dims.iter().any(|dim| *dim < OPEN) {
            return Err(Error::argument(format!(
                "a dimension of input '{shown}' is below {OPEN}: {dims:?}"
            )));
        }
    }
    Ok(())
}

/// How dimensions elsewhere in the file change.
#[derive(Default)]
struct Consequences {
    /// The new value of each named dimension; `None` if it has several.
    names: BTreeMap<String, Option<i64>>,
    /// Whether a number was replaced, which invalidates stored shapes.
    numbers_changed: bool,
}

fn graph(bytes: &[u8], inputs: &[(&str, &[i64])]) -> Result<Writer, Error> {
    let parsed = Graph::read(bytes, &mut Bounds::new())?;
    let constants: BTreeSet<&str> = parsed.constants.iter().map(|tensor| tensor.name).collect();
    let mut consequences = Consequences::default();
    let mut changed = BTreeMap::new();
    for info in &parsed.inputs {
        let wanted = inputs.iter().rev().find(|(name, _)| *name == info.name);
        if let Some((name, dims)) = wanted
            && !constants.contains(name)
        {
            let kind = kind(info.kind.unwrap_or_default(), &mut |shape| {
                input_shape(shape, dims, &mut consequences).map(Some)
            })?;
            changed.insert(info.name, kind);
        }
    }

    let mut writer = Writer::default();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        match entry.number {
            11 => writer.message(
                entry.number,
                &info(entry.run()?, |name, _| Ok(changed.get(name).cloned()))?,
            ),
            12 => writer.message(
                entry.number,
                &info(entry.run()?, |_, held| {
                    kind(held, &mut |shape| {
                        shape
                            .map(|shape| other_shape(shape, &consequences))
                            .transpose()
                    })
                    .map(Some)
                })?,
            ),
            13 if consequences.numbers_changed => &mut writer,
            _ => writer.copy(&entry),
        };
    }
    Ok(writer)
}

/// An input or output with another type; unchanged if `change` returns `None`.
fn info(
    bytes: &[u8],
    change: impl Fn(&str, &[u8]) -> Result<Option<Writer>, Error>,
) -> Result<Writer, Error> {
    let parsed = super::message::Info::read(bytes, &mut Bounds::new())?;
    let Some(changed) = change(parsed.name, parsed.kind.unwrap_or_default())? else {
        let mut same = Writer::default();
        for entry in Reader::new(bytes) {
            same.copy(&entry?);
        }
        return Ok(same);
    };
    let mut writer = Writer::default();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        if entry.number != 2 {
            writer.copy(&entry);
        }
    }
    writer.message(2, &changed);
    Ok(writer)
}

/// Maps a shape message to its replacement; either may be absent.
type Change<'c> = dyn FnMut(Option<&[u8]>) -> Result<Option<Writer>, Error> + 'c;

/// A type with another shape. Types other than tensors stay unchanged.
fn kind(bytes: &[u8], change: &mut Change<'_>) -> Result<Writer, Error> {
    let mut writer = Writer::default();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        if entry.number == 1 {
            writer.message(1, &tensor(entry.run()?, change)?);
        } else {
            writer.copy(&entry);
        }
    }
    Ok(writer)
}

fn tensor(bytes: &[u8], change: &mut Change<'_>) -> Result<Writer, Error> {
    let (mut writer, mut shape) = (Writer::default(), None);
    for entry in Reader::new(bytes) {
        let entry = entry?;
        if entry.number == 2 {
            shape = Some(entry.run()?);
        } else {
            writer.copy(&entry);
        }
    }
    if let Some(shape) = change(shape)? {
        writer.message(2, &shape);
    }
    Ok(writer)
}

fn input_shape(
    shape: Option<&[u8]>,
    dims: &[i64],
    consequences: &mut Consequences,
) -> Result<Writer, Error> {
    let mut had = Reader::new(shape.unwrap_or_default());
    let mut writer = Writer::default();
    for dim in dims {
        let before = match had.find(|entry| entry.as_ref().map_or(true, |one| one.number == 1)) {
            Some(entry) => Dimension::read(&entry?)?,
            None => Dimension::default(),
        };
        if let Some(number) = before.number {
            consequences.numbers_changed |= number != *dim;
        }
        if let Some(name) = before.name {
            let becomes = consequences
                .names
                .entry(name.to_owned())
                .or_insert(Some(*dim));
            if *becomes != Some(*dim) {
                *becomes = None;
            }
        }
        writer.message(
            1,
            &match *dim {
                OPEN => Dimension {
                    number: None,
                    ..before
                }
                .write(),
                number => Dimension {
                    number: Some(number),
                    name: None,
                }
                .write(),
            },
        );
    }
    Ok(writer)
}

fn other_shape(shape: &[u8], consequences: &Consequences) -> Result<Writer, Error> {
    let mut writer = Writer::default();
    for entry in Reader::new(shape) {
        let entry = entry?;
        if entry.number != 1 {
            writer.copy(&entry);
            continue;
        }
        let mut dimension = Dimension::read(&entry)?;
        if consequences.numbers_changed {
            dimension.number = None;
        }
        if let Some(name) = dimension.name
            && let Some(Some(number)) = consequences.names.get(name)
            && *number != OPEN
        {
            dimension = Dimension {
                number: Some(*number),
                name: None,
            };
        }
        writer.message(1, &dimension.write());
    }
    Ok(writer)
}

/// A dimension in the file: a number, a name, or neither.
#[derive(Default)]
struct Dimension<'a> {
    number: Option<i64>,
    name: Option<&'a str>,
}

impl<'a> Dimension<'a> {
    fn read(entry: &Entry<'a>) -> Result<Self, Error> {
        let mut dimension = Self::default();
        for entry in Reader::new(entry.run()?) {
            let entry = entry?;
            match entry.number {
                // Some writers use -1 for a dynamic dimension.
                1 => dimension.number = Some(entry.int()?).filter(|number| *number >= 0),
                2 => dimension.name = Some(entry.text()?).filter(|name| !name.is_empty()),
                _ => {}
            }
        }
        Ok(dimension)
    }

    fn write(&self) -> Writer {
        let mut writer = Writer::default();
        match (self.number, self.name) {
            (Some(number), _) => writer.int(1, number),
            (None, Some(name)) => writer.text(2, name),
            (None, None) => &mut writer,
        };
        writer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Element;
    use crate::onnx::{Dim, Graph as Build};
    use proptest::prelude::*;

    /// The dynamic dimensions of input and output have the same name.
    fn model() -> Vec<u8> {
        let mut graph = Build::new("g");
        let x = graph.input("x", Element::F32, &[Dim::Any, Dim::Is(3)]);
        let w = graph.constant(Element::F32, &[3], &[0; 12]);
        let y = graph.node("Add", &[&x, &w], &[]);
        graph.output("x", &y, Element::F32, Some(&[Dim::Any, Dim::Is(3)]));
        graph.finish()
    }

    fn dims(bytes: &[u8]) -> (Vec<i64>, Vec<i64>) {
        let model = read(bytes).unwrap();
        let of = |port: &crate::onnx::Port| port.dims.clone().unwrap();
        (of(&model.inputs[0]), of(&model.outputs[0]))
    }

    #[test]
    fn a_name_becomes_a_number_in_the_outputs_too() {
        let fixed = set_input_dims(&model(), &[("x", &[8, 3])]).unwrap();
        assert_eq!(dims(&fixed), (vec![8, 3], vec![8, 3]));
        let same = set_input_dims(&model(), &[("x", &[OPEN, 3])]).unwrap();
        assert_eq!(dims(&same), (vec![OPEN, 3], vec![OPEN, 3]));
        assert_eq!(same, model(), "nothing was to be changed");
    }

    #[test]
    fn numbers_are_not_believed_after_one_of_them_changed() {
        let other = set_input_dims(&model(), &[("x", &[8, 1])]).unwrap();
        assert_eq!(dims(&other), (vec![8, 1], vec![8, OPEN]));
        let open = set_input_dims(&model(), &[("x", &[OPEN, OPEN])]).unwrap();
        assert_eq!(dims(&open), (vec![OPEN, OPEN], vec![OPEN, OPEN]));
    }

    #[test]
    fn the_rest_of_the_file_stays() {
        let before = read(&model()).unwrap();
        let fixed = set_input_dims(&model(), &[("x", &[8, 3])]).unwrap();
        let mut after = read(&fixed).unwrap();
        after.inputs.clone_from(&before.inputs);
        after.outputs.clone_from(&before.outputs);
        assert_eq!(after, before);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (name, dims, expected) in [
            ("z", &[1_i64, 3][..], "its inputs are: x"),
            ("x", &[1], "2 dimensions in the model, but 1 were given"),
            ("x", &[-2, 3], "below -1"),
        ] {
            let error = set_input_dims(&model(), &[(name, dims)]).unwrap_err();
            assert!(matches!(error, Error::Argument(_)));
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_shape_is_read_back(batch in -1..i64::MAX, width in -1..i64::MAX) {
            let bytes = set_input_dims(&model(), &[("x", &[batch, width])]).unwrap();
            prop_assert_eq!(dims(&bytes).0, [batch, width]);
        }
    }
}
