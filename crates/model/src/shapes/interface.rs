//! The inputs that a model accepts after all options are applied.

use super::{GearKind, Gears, Slot, Span, check_shape, show};
use crate::aipp::Aipp;
use crate::onnx::{Model, OPEN, Port};
use crate::{Element, Error, Format};

/// The name of the extra input of a model with gears. It contains the values of the chosen gear.
pub const MBATCH_INPUT: &str = "ascend_mbatch_shape_data";

/// An input of a model and the shapes that it accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub element: Element,
    /// The order of its dimensions.
    pub format: Format,
    /// The values that each dimension accepts; `None` if the number of dimensions is dynamic.
    pub spans: Option<Vec<Span>>,
    /// The preprocessing that is compiled into the model, if it takes an image.
    pub aipp: Option<Box<Aipp>>,
}

impl Input {
    /// Its dimensions as shown in descriptions, [`OPEN`] for dynamic ones.
    pub fn dims(&self) -> Option<Vec<i64>> {
        let spans = self.spans.as_ref()?;
        Some(spans.iter().map(|span| span.dim()).collect())
    }

    /// Whether it accepts this shape.
    pub fn check(&self, shape: &[i64]) -> Result<(), Error> {
        match &self.spans {
            Some(spans) => check_shape(&self.name, spans, shape),
            None => Ok(()),
        }
    }
}

/// The shapes requested for a model.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// Shapes or ranges by name, in the given order.
    pub shapes: Vec<(String, Vec<Span>)>,
    /// The kind of gears, and their values.
    pub gears: Option<(GearKind, Vec<Vec<i64>>)>,
    /// The order of dimensions.
    pub format: Option<Format>,
}

/// The inputs of a model and its gears, if it has any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// The inputs, without the extra input for gears.
    pub inputs: Vec<Input>,
    /// The gears.
    pub gears: Option<Gears>,
}

impl Interface {
    /// The interface of a model as stored in its file: dynamic dimensions accept any value.
    pub fn of(model: &Model) -> Self {
        let inputs = model.inputs.iter();
        Self {
            inputs: inputs.map(|port| input(port, None)).collect(),
            gears: None,
        }
    }

    /// The interface of a model with the requested shapes, or why they are invalid.
    pub fn with(model: &Model, wishes: &Wishes) -> Result<Self, Error> {
        let ports = model.inputs.iter();
        let mut inputs: Vec<Input> = ports.map(|port| input(port, wishes.format)).collect();
        for (name, spans) in &wishes.shapes {
            let shown = name.escape_debug();
            let Some(input) = inputs.iter_mut().find(|input| input.name == *name) else {
                let names: Vec<&str> = model.inputs.iter().map(|port| &*port.name).collect();
                return Err(Error::argument(format!(
                    "the model has no input '{shown}'; its inputs are: {}",
                    names.join(", ").escape_debug()
                )));
            };
            if let Some(has) = &input.spans
                && has.len() != spans.len()
            {
                return Err(Error::argument(format!(
                    "input '{shown}' has {} dimensions in the model ({}), but {} were given ({})",
                    has.len(),
                    show(has),
                    spans.len(),
                    show(spans)
                )));
            }
            input.spans = Some(spans.clone());
            input.format = format_for(wishes.format, Some(spans.len()));
        }
        let gears = match &wishes.gears {
            None => None,
            Some((kind, rows)) => Some(engage(&inputs, wishes, *kind, rows)?),
        };
        Ok(Self { inputs, gears })
    }

    /// Whether any input has a dynamic shape, apart from gears.
    pub fn is_dynamic(&self) -> bool {
        let open = |input: &Input| {
            let spans = input.spans.as_ref();
            spans.is_none_or(|spans| spans.iter().any(|span| span.fixed().is_none()))
        };
        self.gears.is_none() && self.inputs.iter().any(open)
    }

    /// The extra input that selects a gear; it comes last.
    pub fn gear_input(&self) -> Option<Input> {
        let values = self.gears.as_ref()?.values();
        let dim = i64::try_from(values).unwrap_or(i64::MAX);
        Some(Input {
            name: MBATCH_INPUT.to_owned(),
            element: Element::I32,
            format: Format::Nd,
            spans: Some(vec![Span::of(dim)]),
            aipp: None,
        })
    }

    /// The size of an input in bytes; with gears, of the largest one. `None` if the shape is dynamic or the size
    /// overflows.
    pub fn input_bytes(&self, index: usize) -> Option<u64> {
        let input = self.inputs.get(index)?;
        let bytes = |dims: Vec<i64>| {
            Port {
                name: String::new(),
                element: input.element,
                dims: Some(dims),
            }
            .bytes()
        };
        match &self.gears {
            None => bytes(input.dims()?),
            Some(gears) => {
                let all = 0..gears.rows.len();
                let all = all.map(|gear| {
                    let shapes = gears.shapes(&self.inputs, gear);
                    shapes.into_iter().nth(index).and_then(bytes)
                });
                all.collect::<Option<Vec<u64>>>()?.into_iter().max()
            }
        }
    }
}

fn input(port: &Port, format: Option<Format>) -> Input {
    let spans = port.dims.as_ref();
    Input {
        name: port.name.clone(),
        element: port.element,
        format: format_for(format, spans.map(Vec::len)),
        spans: spans.map(|dims| dims.iter().map(|dim| Span::of(*dim)).collect()),
        aipp: None,
    }
}

/// The requested order if the number of dimensions fits it; otherwise ONNX's order for images.
fn format_for(asked: Option<Format>, rank: Option<usize>) -> Format {
    match asked.unwrap_or(Format::Nchw) {
        format if format.rank() == rank => format,
        _ => Format::Nd,
    }
}

/// Finds the dimension for each value of a gear.
fn engage(
    inputs: &[Input],
    wishes: &Wishes,
    kind: GearKind,
    rows: &[Vec<i64>],
) -> Result<Gears, Error> {
    let option = kind.option();
    let refuse = |sentence: String| Err(Error::argument(format!("{option}: {sentence}")));
    match (kind, wishes.format) {
        (GearKind::Dims, Some(format)) if format != Format::Nd => {
            return refuse(format!(
                "it requires --input_format ND, but {} was given",
                format.name()
            ));
        }
        (GearKind::Image, Some(format)) if format.height_and_width().is_none() => {
            return refuse(
                "it needs --input_format NCHW or NHWC to find height and width".to_owned(),
            );
        }
        _ => {}
    }

    // The values of --dynamic_dims go to the dynamic dimensions in the order of --input_shape; inputs that are not
    // named there have none, which was checked before.
    let mut order: Vec<usize> = Vec::new();
    for (name, _) in &wishes.shapes {
        order.extend(inputs.iter().position(|input| input.name == *name));
    }
    let (mut slots, mut next) = (Vec::new(), 0);
    for (index, input) in inputs.iter().enumerate() {
        let named = order.contains(&index);
        let open = input.dims().is_none_or(|dims| dims.contains(&OPEN));
        if open && !named {
            return refuse(format!(
                "input '{}' has open dimensions: mark the ones that the gears set with -1 in --input_shape",
                input.name.escape_debug()
            ));
        }
    }
    for index in order {
        let input = &inputs[index];
        let spans = input.spans.as_deref().unwrap_or_default();
        let name = input.name.escape_debug();
        for (dim, span) in spans.iter().enumerate() {
            if span.fixed().is_some() {
                continue;
            }
            if *span != Span::ANY {
                return refuse(format!(
                    "input '{name}' has a range ({span}), which cannot be combined with gears: write -1 in the dimensions that the gears set"
                ));
            }
            let value = match kind {
                GearKind::Batch if dim == 0 => Some(0),
                GearKind::Batch => None,
                GearKind::Image => {
                    let format = wishes.format.unwrap_or(Format::Nchw);
                    let places = format.height_and_width();
                    let places = places.filter(|_| format.rank() == Some(spans.len()));
                    places.and_then(|(height, width)| {
                        [height, width].iter().position(|at| *at == dim)
                    })
                }
                GearKind::Dims => {
                    next += 1;
                    Some(next - 1)
                }
            };
            let Some(value) = value else {
                return refuse(format!(
                    "the -1 of input '{name}' must be at {}, but is at dimension {dim} of {}",
                    match kind {
                        GearKind::Batch => "the first dimension",
                        _ => "height and width",
                    },
                    show(spans)
                ));
            };
            slots.push(Slot {
                input: index,
                dim,
                value,
            });
        }
        let placed = slots.iter().filter(|slot| slot.input == index).count();
        if kind == GearKind::Image && placed == 1 {
            return refuse(format!(
                "height and width of input '{name}' must both be -1 in {}",
                show(spans)
            ));
        }
    }
    if slots.is_empty() {
        return refuse(
            "no input has -1 in --input_shape, so there is no dimension to set".to_owned(),
        );
    }
    slots.sort_by_key(|slot| (slot.input, slot.dim));
    let values = rows.first().map_or(0, Vec::len);
    if kind == GearKind::Dims && values != next {
        return refuse(format!(
            "a gear has {values} values, but --input_shape contains -1 {next} times"
        ));
    }
    Ok(Gears {
        kind,
        rows: rows.to_vec(),
        slots,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{parse_gears, parse_shapes};
    use super::*;
    use crate::onnx::{Dim, Graph, read};

    /// An image with a dynamic batch, and a vector.
    fn model() -> Model {
        let mut graph = Graph::new("g");
        let dims = [Dim::Any, Dim::Is(3), Dim::Any, Dim::Any];
        let image = graph.input("image", Element::F32, &dims);
        graph.input("scale", Element::F16, &[Dim::Any, Dim::Is(2)]);
        graph.output("y", &image, Element::F32, None);
        read(&graph.finish()).unwrap()
    }

    fn with(shapes: &str, gears: Option<(GearKind, &str)>) -> Result<Interface, Error> {
        let mut wishes = Wishes::default();
        if !shapes.is_empty() {
            wishes.shapes = parse_shapes(shapes)?;
        }
        if let Some((kind, text)) = gears {
            wishes.gears = Some((kind, parse_gears(kind, text)?));
        }
        Interface::with(&model(), &wishes)
    }

    #[test]
    fn without_wishes_a_model_takes_what_it_says() {
        let interface = Interface::of(&model());
        assert_eq!(interface, with("", None).unwrap());
        assert!(interface.is_dynamic());
        assert_eq!(interface.inputs[0].dims(), Some(vec![-1, 3, -1, -1]));
        assert_eq!(interface.inputs[0].format, Format::Nchw);
        assert_eq!(interface.inputs[1].format, Format::Nd);
        assert_eq!(interface.gear_input(), None);
        assert_eq!(interface.input_bytes(0), None);
    }

    #[test]
    fn shapes_and_ranges_replace_what_is_open() {
        let fixed = with("image:2,3,8,8;scale:2,2", None).unwrap();
        assert!(!fixed.is_dynamic());
        assert_eq!(
            (fixed.input_bytes(0), fixed.input_bytes(1)),
            (Some(1536), Some(8))
        );
        let ranges = with("image:1~8,3,-1,-1;scale:1~8,2", None).unwrap();
        assert!(ranges.is_dynamic());
        assert!(ranges.inputs[0].check(&[8, 3, 100, 7]).is_ok());
        assert!(ranges.inputs[0].check(&[9, 3, 100, 7]).is_err());
        let error = with("image:1,3,8;scale:1,2", None).unwrap_err().to_string();
        assert!(error.contains("4 dimensions in the model"), "{error}");
        let error = with("picture:1", None).unwrap_err().to_string();
        assert!(error.contains("image, scale"), "{error}");
    }

    #[test]
    fn a_batch_goes_to_every_first_dimension() {
        let batch = Some((GearKind::Batch, "1,8,4"));
        let interface = with("image:-1,3,8,8;scale:-1,2", batch).unwrap();
        let gears = interface.gears.as_ref().unwrap();
        assert_eq!(
            gears.shapes(&interface.inputs, 1),
            [vec![8, 3, 8, 8], vec![8, 2]]
        );
        assert_eq!(gears.find(&[4]), Some(2));
        assert_eq!(gears.find(&[3]), None);
        assert_eq!(
            gears.find_shapes(&interface.inputs, &[&[4, 3, 8, 8][..], &[4, 2]]),
            Some(2)
        );
        assert_eq!(
            gears.find_shapes(&interface.inputs, &[&[4, 3, 8, 8][..], &[8, 2]]),
            None
        );
        assert_eq!(interface.input_bytes(0), Some(8 * 3 * 64 * 4));
        assert!(!interface.is_dynamic());
        let extra = interface.gear_input().unwrap();
        assert_eq!(
            (extra.name.as_str(), extra.dims()),
            (MBATCH_INPUT, Some(vec![1]))
        );
        assert_eq!(gears.check(&interface.inputs), Ok(()));
    }

    #[test]
    fn an_image_size_goes_to_height_and_width() {
        let image = Some((GearKind::Image, "8,16;32,4"));
        let interface = with("image:1,3,-1,-1;scale:1,2", image).unwrap();
        let gears = interface.gears.as_ref().unwrap();
        assert_eq!(gears.shapes(&interface.inputs, 0)[0], [1, 3, 8, 16]);
        assert_eq!(gears.shapes(&interface.inputs, 1)[0], [1, 3, 32, 4]);
        assert_eq!(interface.gear_input().unwrap().dims(), Some(vec![2]));
        let mut wishes = Wishes {
            shapes: parse_shapes("image:1,-1,-1,3;scale:1,2").unwrap(),
            gears: Some((GearKind::Image, vec![vec![8, 16], vec![32, 4]])),
            format: Some(Format::Nhwc),
        };
        let channels_last = Interface::with(&model(), &wishes).unwrap();
        let gears = channels_last.gears.as_ref().unwrap();
        assert_eq!(gears.shapes(&channels_last.inputs, 0)[0], [1, 8, 16, 3]);
        wishes.format = Some(Format::Nd);
        assert!(Interface::with(&model(), &wishes).is_err());
    }

    #[test]
    fn dims_go_to_the_open_ones_in_the_order_of_the_option() {
        let dims = Some((GearKind::Dims, "1,10,20;2,30,40"));
        let interface = with("scale:-1,2;image:1,3,-1,-1", dims).unwrap();
        let gears = interface.gears.as_ref().unwrap();
        assert_eq!(
            gears.shapes(&interface.inputs, 1),
            [vec![1, 3, 30, 40], vec![2, 2]]
        );
        assert_eq!(interface.input_bytes(1), Some(2 * 2 * 2));
    }

    #[test]
    fn wishes_that_contradict_each_other_are_refused() {
        use GearKind::{Batch, Dims, Image};
        for (shapes, gears, expected) in [
            (
                "image:1~8,3,8,8;scale:1,2",
                (Batch, "1,2"),
                "cannot be combined with gears",
            ),
            ("image:1,3,8,8;scale:1,2", (Batch, "1,2"), "no input has -1"),
            (
                "image:1,3,8,-1;scale:1,2",
                (Batch, "1,2"),
                "the first dimension",
            ),
            (
                "image:-1,3,8,8",
                (Batch, "1,2"),
                "'scale' has open dimensions",
            ),
            (
                "image:-1,3,-1,-1;scale:1,2",
                (Image, "1,2;3,4"),
                "height and width",
            ),
            (
                "image:1,3,8,-1;scale:1,2",
                (Image, "1,2;3,4"),
                "must both be -1",
            ),
            (
                "image:1,3,8,8;scale:-1,2",
                (Image, "1,2;3,4"),
                "height and width",
            ),
            (
                "image:1,3,8,-1;scale:1,2",
                (Dims, "1,2;3,4"),
                "contains -1 1 times",
            ),
        ] {
            let error = with(shapes, Some(gears)).unwrap_err();
            assert!(matches!(error, Error::Argument(_)));
            assert!(error.to_string().contains(expected), "{shapes}: {error}");
        }
    }
}
