//! The steps of AIPP as nodes in front of an input.

use super::{Aipp, Conversion, Crop, ImageFormat};
use crate::onnx::{self, Attribute, Dim, Graph, Model, Port, Value};
use crate::{Element, Error};

/// Puts the steps in front of the input that a configuration names. Returns the new model and the dimensions of its
/// input: an image of bytes. What the configuration left open is taken from the model.
pub fn insert(bytes: &[u8], model: &Model, aipp: &mut Aipp) -> Result<(Vec<u8>, Vec<i64>), Error> {
    let Some(port) = model.inputs.get(aipp.input) else {
        let count = model.inputs.len();
        return aipp.refuse(format!("the model has {count} inputs"));
    };
    let shape = fit(port, aipp)?;
    let image = aipp.format.dims(aipp.width, aipp.height);
    let dims: Vec<i64> = [shape[0]].into_iter().chain(image).collect();

    let mut graph = Graph::named(&format!("aipp/{}/", port.name));
    let given: Vec<Dim> = dims
        .iter()
        .map(|dim| if *dim < 0 { Dim::Any } else { Dim::Is(*dim) })
        .collect();
    let input = graph.input(&port.name, Element::U8, &given);
    let samples = planes(&mut graph, &input, aipp, shape[1]);
    let mut value = graph.node("Cast", &[&samples], &[("to", Element::F32.into())]);
    if let Some(conversion) = aipp.conversion {
        let channels = usize::try_from(shape[1]).unwrap_or(0);
        value = converted(&mut graph, &value, conversion, channels);
    }
    value = normalised(&mut graph, &value, aipp);
    if let Some((padding, with)) = aipp.padding {
        let pads = [
            0,
            0,
            padding.top,
            padding.left,
            0,
            0,
            padding.bottom,
            padding.right,
        ];
        value = padded(&mut graph, &value, &pads, with, opset(model));
    }
    if port.element != Element::F32 {
        value = graph.node("Cast", &[&value], &[("to", port.element.into())]);
    }
    let bytes = onnx::prepend(bytes, &port.name, &graph, &value)?;
    Ok((bytes, dims))
}

fn opset(model: &Model) -> i64 {
    let own = model.opsets.iter().find(|(domain, _)| domain.is_empty());
    own.map_or(onnx::OPSET, |(_, version)| *version)
}

/// Checks that the result is what the model takes: four dimensions, the channels second.
fn fit(port: &Port, aipp: &mut Aipp) -> Result<[i64; 4], Error> {
    let dims = port.dims.clone().unwrap_or_default();
    let Ok(shape) = <[i64; 4]>::try_from(dims.as_slice()) else {
        return aipp.refuse(format!(
            "input '{}' has {} dimensions, and an image has four (NCHW)",
            port.name.escape_debug(),
            dims.len()
        ));
    };
    let [_, channels, rows, columns] = shape;
    if [channels, rows, columns].iter().any(|dim| *dim < 1) {
        return aipp
            .refuse("channels, height and width of the input must be fixed: see --input_shape");
    }
    if !matches!(port.element, Element::F32 | Element::F16) {
        return aipp.refuse(format!(
            "the input has elements of type {}, and the result of AIPP is floating-point",
            port.element.name()
        ));
    }
    if (aipp.width, aipp.height) == (0, 0) {
        if aipp.crop.is_some() || aipp.padding.is_some() {
            return aipp
                .refuse("with crop or padding, src_image_size_w and src_image_size_h are needed");
        }
        (aipp.width, aipp.height) = (columns, rows);
    }
    if aipp.width < 1 || aipp.height < 1 {
        return aipp.refuse(format!(
            "an image of {} × {} is empty",
            aipp.width, aipp.height
        ));
    }
    let even = [aipp.width, aipp.height].iter().all(|size| size % 2 == 0);
    if aipp.format == ImageFormat::Yuv420Sp && !even {
        return aipp.refuse("width and height of a YUV420SP_U8 image must be even");
    }
    if let Some(crop) = aipp.crop {
        check_crop(aipp, crop)?;
    }
    if let Some((padding, _)) = aipp.padding
        && [padding.left, padding.right, padding.top, padding.bottom]
            .iter()
            .any(|size| !(0..=32).contains(size))
    {
        return aipp.refuse("a padding size must be 0 to 32");
    }
    let (width, height) = aipp.output_size();
    if (width, height) != (columns, rows) {
        return aipp.refuse(format!(
            "the result is {width} × {height} (width × height), but the model takes {columns} × {rows}"
        ));
    }
    // A conversion may give brightness only: its first row.
    let possible: &[i64] = match (aipp.format, aipp.conversion) {
        (ImageFormat::Yuv400, _) => &[1],
        (_, Some(_)) => &[3, 1],
        (ImageFormat::Yuv420Sp | ImageFormat::Rgb888, None) => &[3],
        (ImageFormat::Xrgb8888, None) => &[3, 4],
    };
    if !possible.contains(&channels) {
        return aipp.refuse(format!(
            "the model takes {channels} channels, but this input_format gives {}",
            possible[0]
        ));
    }
    if aipp.format == ImageFormat::Yuv400 && aipp.conversion.is_some() {
        return aipp.refuse("csc_switch needs an image with colours");
    }
    aipp.result = [channels, rows, columns];
    aipp.element = port.element;
    Ok(shape)
}

fn check_crop(aipp: &Aipp, crop: Crop) -> Result<(), Error> {
    let inside = crop.left >= 0
        && crop.top >= 0
        && crop.width > 0
        && crop.height > 0
        && crop
            .left
            .checked_add(crop.width)
            .is_some_and(|end| end <= aipp.width)
        && crop
            .top
            .checked_add(crop.height)
            .is_some_and(|end| end <= aipp.height);
    if !inside {
        return aipp.refuse(format!(
            "the crop area, {} × {} at {},{}, is not inside the image of {} × {}",
            crop.width, crop.height, crop.left, crop.top, aipp.width, aipp.height
        ));
    }
    if aipp.format == ImageFormat::Yuv420Sp && (crop.left % 2 != 0 || crop.top % 2 != 0) {
        return aipp
            .refuse("load_start_pos_w and load_start_pos_h of a YUV420SP_U8 image must be even");
    }
    Ok(())
}

/// The samples of the cropped image as bytes: batch, channels, rows, columns.
fn planes(graph: &mut Graph, input: &Value, aipp: &Aipp, channels: i64) -> Value {
    let area = aipp.crop.unwrap_or(Crop {
        left: 0,
        top: 0,
        width: aipp.width,
        height: aipp.height,
    });
    let rows: Vec<i64> = (area.top..area.top + area.height).collect();
    let columns: Vec<i64> = (area.left..area.left + area.width).collect();
    let halves = |values: &[i64]| values.iter().map(|value| value / 2).collect::<Vec<_>>();
    let pick = |graph: &mut Graph, from: &Value, axis: i64, indices: &[i64]| {
        let indices = graph.ints(indices);
        graph.node("Gather", &[from, &indices], &[("axis", axis.into())])
    };
    let area_of = |graph: &mut Graph, from: &Value, rows: &[i64], columns: &[i64]| {
        let some = pick(graph, from, 1, rows);
        pick(graph, &some, 2, columns)
    };
    let cropped = match aipp.format {
        ImageFormat::Yuv420Sp => {
            let luma = area_of(graph, input, &rows, &columns);
            let below: Vec<i64> = (aipp.height..aipp.height / 2 * 3).collect();
            let pairs = pick(graph, input, 1, &below);
            // A batch of any size stays: 0 is the dimension that was there.
            let shape = graph.ints(&[0, aipp.height / 2, aipp.width / 2, 2]);
            let pairs = graph.node("Reshape", &[&pairs, &shape], &[]);
            let chroma = area_of(graph, &pairs, &halves(&rows), &halves(&columns));
            let order: &[i64] = if aipp.swaps_colours { &[1, 0] } else { &[0, 1] };
            let chroma = pick(graph, &chroma, 3, order);
            graph.node("Concat", &[&luma, &chroma], &[("axis", 3_i64.into())])
        }
        ImageFormat::Rgb888 => {
            let pixels = area_of(graph, input, &rows, &columns);
            if aipp.swaps_colours {
                pick(graph, &pixels, 3, &[2, 1, 0])
            } else {
                pixels
            }
        }
        ImageFormat::Xrgb8888 => {
            let pixels = area_of(graph, input, &rows, &columns);
            // X R G B in memory; with the swap of alpha, R G B X.
            let (alpha, mut colours) = if aipp.swaps_alpha {
                (3, [0, 1, 2])
            } else {
                (0, [1, 2, 3])
            };
            if aipp.swaps_colours {
                colours.swap(0, 2);
            }
            let mut order = colours.to_vec();
            if channels == 4 {
                order.insert(0, alpha);
            }
            pick(graph, &pixels, 3, &order)
        }
        ImageFormat::Yuv400 => area_of(graph, input, &rows, &columns),
    };
    let order: Attribute = vec![0_i64, 3, 1, 2].into();
    graph.node("Transpose", &[&cropped], &[("perm", order)])
}

fn floats(graph: &mut Graph, dims: &[i64], values: impl IntoIterator<Item = f32>) -> Value {
    let data: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
    graph.constant(Element::F32, dims, &data)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the manual's ranges have 16 bits"
)]
fn exact(value: i32) -> f32 {
    value as f32
}

/// All of it is exact: the numbers have few digits.
fn converted(graph: &mut Graph, value: &Value, conversion: Conversion, channels: usize) -> Value {
    let Conversion {
        matrix,
        before,
        after,
    } = conversion;
    let before = floats(graph, &[1, 3, 1, 1], before.map(exact));
    let centred = graph.node("Sub", &[value, &before], &[]);
    let rows = i64::try_from(channels).unwrap_or(0);
    let factors = matrix.iter().take(channels).flatten();
    let factors = factors.map(|factor| exact(*factor) / 256.0);
    let factors = floats(graph, &[rows, 3, 1, 1], factors);
    let mixed = graph.node("Conv", &[&centred, &factors], &[]);
    let whole = graph.node("Floor", &[&mixed], &[]);
    let after = after.map(exact).into_iter().take(channels);
    let after = floats(graph, &[1, rows, 1, 1], after);
    let moved = graph.node("Add", &[&whole, &after], &[]);
    // Clip has other inputs in other versions of the operator set; Relu does not.
    let positive = graph.node("Relu", &[&moved], &[]);
    let most = graph.float(255.0);
    let missing = graph.node("Sub", &[&most, &positive], &[]);
    let missing = graph.node("Relu", &[&missing], &[]);
    graph.node("Sub", &[&most, &missing], &[])
}

/// `(value − mean − least) × factor`, by channel.
fn normalised(graph: &mut Graph, value: &Value, aipp: &Aipp) -> Value {
    let channels = usize::try_from(aipp.result[0]).unwrap_or(0);
    let dims = [1, aipp.result[0], 1, 1];
    let mut value = value.clone();
    let mean = aipp.mean.iter().take(channels);
    if mean.clone().any(|mean| *mean != 0) {
        let mean = floats(graph, &dims, mean.map(|mean| exact(*mean)));
        value = graph.node("Sub", &[&value, &mean], &[]);
    }
    for (op, values, nothing) in [("Sub", aipp.least, 0.0), ("Mul", aipp.factor, 1.0_f32)] {
        let values = values.into_iter().take(channels);
        if values
            .clone()
            .any(|one| one.to_bits() != f32::to_bits(nothing))
        {
            let values = floats(graph, &dims, values);
            value = graph.node(op, &[&value, &values], &[]);
        }
    }
    value
}

fn padded(graph: &mut Graph, value: &Value, pads: &[i64], with: f32, opset: i64) -> Value {
    if opset < 11 {
        let attributes = [("pads", pads.into()), ("value", with.into())];
        return graph.node("Pad", &[value], &attributes);
    }
    let (pads, with) = (graph.ints(pads), graph.float(with));
    graph.node("Pad", &[value, &pads, &with], &[])
}
