//! The configuration of AIPP: blocks `aipp_op { name: value … }`, as text of protocol buffers.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::{Aipp, Conversion, Crop, ImageFormat, Padding};
use crate::{Element, Error};

/// Fields that are accepted if they have this value: the default, which changes nothing.
const DEFAULTS: [(&str, &str); 12] = [
    ("resize", "false"),
    ("resize_output_w", "0"),
    ("resize_output_h", "0"),
    ("resize_model", "0"),
    ("single_line_mode", "false"),
    ("raw_rgbir_to_f16_switch", "false"),
    ("raw_rgbir_to_f16_n", "0"),
    ("cpadding_value", "0"),
    ("crop_switch", "false"),
    ("support_rotation", "false"),
    ("input_edge_idx", "0"),
    ("max_src_image_size", "0"),
];

fn wrong(sentence: impl std::fmt::Display) -> Error {
    Error::argument(format!("--insert_op_conf: {sentence}"))
}

/// Reads a configuration file.
pub fn read(text: &str) -> Result<Vec<Aipp>, Error> {
    let mut blocks = Vec::new();
    let mut words = words(text).into_iter().peekable();
    while let Some(word) = words.next() {
        if word != "aipp_op" {
            return Err(wrong(format!("'{}' is not aipp_op", word.escape_debug())));
        }
        if words.peek() == Some(&":") {
            words.next();
        }
        if words.next() != Some("{") {
            return Err(wrong("aipp_op is not followed by {"));
        }
        let mut fields = BTreeMap::new();
        loop {
            let name = words.next().ok_or_else(|| wrong("a } is missing"))?;
            if name == "}" {
                break;
            }
            let (colon, value) = (words.next(), words.next());
            let (Some(":"), Some(value)) = (colon, value) else {
                return Err(wrong(format!("'{}' has no value", name.escape_debug())));
            };
            if fields.insert(name.to_owned(), value.to_owned()).is_some() {
                return Err(wrong(format!("'{}' is given twice", name.escape_debug())));
            }
        }
        blocks.push(interpret(&fields)?);
    }
    if blocks.is_empty() {
        return Err(wrong("the file has no aipp_op"));
    }
    let mut inputs: Vec<usize> = blocks.iter().map(|block| block.input).collect();
    inputs.sort_unstable();
    if inputs.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(wrong(
            "two aipp_op are for the same input: set related_input_rank",
        ));
    }
    Ok(blocks)
}

/// Words and the signs between them, without comments.
fn words(text: &str) -> Vec<&str> {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    let mut words = Vec::new();
    for line in lines {
        let mut rest = line;
        while let Some(at) = rest.find(|sign: char| sign.is_whitespace() || "{}:;,".contains(sign))
        {
            let (word, after) = rest.split_at(at);
            let length = after.chars().next().map_or(1, char::len_utf8);
            let (sign, after) = after.split_at(length);
            words.extend(
                [word, sign]
                    .into_iter()
                    .filter(|word| !word.trim().is_empty() && !matches!(*word, ";" | ",")),
            );
            rest = after;
        }
        words.extend(Some(rest).filter(|word| !word.is_empty()));
    }
    words.iter().map(|word| word.trim_matches('"')).collect()
}

/// Takes fields out of a block.
struct Fields<'f> {
    left: BTreeMap<&'f str, &'f str>,
}

impl<'f> Fields<'f> {
    fn text(&mut self, name: &str) -> Option<&'f str> {
        self.left.remove(name)
    }

    fn number<T: FromStr>(&mut self, name: &str, default: T) -> Result<T, Error> {
        let Some(text) = self.text(name) else {
            return Ok(default);
        };
        text.parse()
            .map_err(|_| wrong(format!("{name} is '{}', not a number", text.escape_debug())))
    }

    fn float(&mut self, name: &str, default: f32) -> Result<f32, Error> {
        let value = self.number(name, default)?;
        if value.is_finite() {
            return Ok(value);
        }
        Err(wrong(format!("{name} is not a finite number")))
    }

    fn switch(&mut self, name: &str) -> Result<bool, Error> {
        match self.text(name) {
            None | Some("false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(text) => Err(wrong(format!(
                "{name} is '{}', not true or false",
                text.escape_debug()
            ))),
        }
    }

    fn list<T: Copy, const N: usize>(
        &mut self,
        name: &str,
        default: T,
        read: impl Fn(&mut Self, &str, T) -> Result<T, Error>,
    ) -> Result<[T; N], Error> {
        let mut values = [default; N];
        for (index, value) in values.iter_mut().enumerate() {
            *value = read(self, &format!("{name}_{index}"), default)?;
        }
        Ok(values)
    }
}

/// The conversion of colours. The manual subtracts `input_bias` from YUV, and adds `output_bias` to what becomes YUV; the
/// other of the two has no effect, so only values that mean nothing are accepted for it.
fn conversion(
    matrix: [[i32; 3]; 3],
    format: ImageFormat,
    all: &mut Fields<'_>,
) -> Result<Conversion, Error> {
    const DEFAULT: [i32; 3] = [16, 128, 128];
    let mut bias = |name: &str| {
        let mut values = DEFAULT;
        for (index, value) in values.iter_mut().enumerate() {
            *value = all.number(&format!("{name}_{index}"), *value)?;
        }
        Ok::<_, Error>(values)
    };
    let (input, output) = (bias("input_bias")?, bias("output_bias")?);
    let from_yuv = matches!(format, ImageFormat::Yuv420Sp | ImageFormat::Yuv400);
    let (name, unused) = if from_yuv {
        ("output_bias", output)
    } else {
        ("input_bias", input)
    };
    let means_nothing = |(value, default): (&i32, i32)| *value == 0 || *value == default;
    if !unused.iter().zip(DEFAULT).all(means_nothing) {
        return Err(wrong(format!(
            "{name} has no effect with this input_format: remove it"
        )));
    }
    let nothing = [0; 3];
    Ok(Conversion {
        matrix,
        before: if from_yuv { input } else { nothing },
        after: if from_yuv { nothing } else { output },
    })
}

/// Reads the fields of one block.
pub(super) fn interpret(fields: &BTreeMap<String, String>) -> Result<Aipp, Error> {
    let left = fields.iter();
    let mut all = Fields {
        left: left
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect(),
    };
    match all.text("aipp_mode") {
        Some("static") => {}
        Some("dynamic") => {
            return Err(wrong(
                "aipp_mode dynamic is not supported: use static, with the values that the program would set",
            ));
        }
        Some(other) => {
            return Err(wrong(format!(
                "aipp_mode is '{}', not static or dynamic",
                other.escape_debug()
            )));
        }
        None => return Err(wrong("aipp_mode is missing: write aipp_mode: static")),
    }
    let name = all
        .text("input_format")
        .ok_or_else(|| wrong("input_format is missing"))?;
    let format = ImageFormat::ALL.iter().find(|(known, _)| *known == name);
    let Some((_, format)) = format else {
        return Err(wrong(format!(
            "input_format {} is not supported: use YUV420SP_U8, RGB888_U8, XRGB8888_U8 or YUV400_U8",
            name.escape_debug()
        )));
    };
    let crop = Crop {
        left: all.number("load_start_pos_w", 0)?,
        top: all.number("load_start_pos_h", 0)?,
        width: all.number("crop_size_w", 0)?,
        height: all.number("crop_size_h", 0)?,
    };
    let padding = Padding {
        left: all.number("left_padding_size", 0)?,
        right: all.number("right_padding_size", 0)?,
        top: all.number("top_padding_size", 0)?,
        bottom: all.number("bottom_padding_size", 0)?,
    };
    let value = all.float("padding_value", 0.0)?;
    // The manual's defaults convert YUV of BT.601 narrow to BGR.
    let mut matrix = [[298, 516, 0], [298, -100, -208], [298, 0, 409]];
    for (row, values) in matrix.iter_mut().enumerate() {
        for (column, value) in values.iter_mut().enumerate() {
            *value = all.number(&format!("matrix_r{row}c{column}"), *value)?;
        }
    }
    let conversion = conversion(matrix, *format, &mut all)?;
    let aipp = Aipp {
        input: all.number("related_input_rank", 0)?,
        format: *format,
        width: all.number("src_image_size_w", 0)?,
        height: all.number("src_image_size_h", 0)?,
        crop: all.switch("crop")?.then_some(crop),
        padding: all.switch("padding")?.then_some((padding, value)),
        swaps_colours: all.switch("rbuv_swap_switch")?,
        swaps_alpha: all.switch("ax_swap_switch")?,
        conversion: all.switch("csc_switch")?.then_some(conversion),
        mean: all.list("mean_chn", 0, Fields::number)?,
        least: all.list("min_chn", 0.0, Fields::float)?,
        factor: all.list("var_reci_chn", 1.0, Fields::float)?,
        result: [0; 3],
        element: Element::F32,
        fields: fields.clone(),
    };
    for (name, value) in all.left {
        if !DEFAULTS.contains(&(name, value)) {
            return Err(wrong(format!(
                "{} is not supported, or not with the value {}",
                name.escape_debug(),
                value.escape_debug()
            )));
        }
    }
    Ok(aipp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_comments_is_read() {
        let text = "# two inputs\naipp_op {\n aipp_mode : static # fixed\n input_format:YUV420SP_U8\n\
                    csc_switch: true matrix_r0c2: 359; mean_chn_1: 117 min_chn_0 : 1.5\n var_reci_chn_2: 0.5 }\n\
                    aipp_op{aipp_mode:static related_input_rank:1 input_format:\"RGB888_U8\" crop:true crop_size_w:8 \
                    crop_size_h:6 padding: true left_padding_size: 2}";
        let read = read(text).unwrap();
        assert_eq!((read[0].input, read[1].input), (0, 1));
        assert_eq!(read[0].format, ImageFormat::Yuv420Sp);
        let conversion = read[0].conversion.unwrap();
        assert_eq!(conversion.matrix[0], [298, 516, 359]);
        assert_eq!(conversion.before, [16, 128, 128]);
        assert_eq!(read[0].mean, [0, 117, 0, 0]);
        assert_eq!(read[0].least[0].to_bits(), 1.5_f32.to_bits());
        let factors = [1.0, 1.0, 0.5, 1.0_f32].map(f32::to_bits);
        assert_eq!(read[0].factor.map(f32::to_bits), factors);
        assert_eq!(read[1].crop.unwrap().width, 8);
        assert_eq!(read[1].padding.unwrap().0.left, 2);
    }

    #[test]
    fn what_is_wrong_has_a_sentence() {
        for (text, expected) in [
            ("", "no aipp_op"),
            ("op {}", "'op' is not aipp_op"),
            ("aipp_op", "not followed by {"),
            ("aipp_op { aipp_mode: static", "} is missing"),
            ("aipp_op { aipp_mode }", "has no value"),
            ("aipp_op { }", "aipp_mode is missing"),
            (
                "aipp_op { aipp_mode: dynamic max_src_image_size: 9 }",
                "dynamic is not supported",
            ),
            ("aipp_op { aipp_mode: static }", "input_format is missing"),
            (
                "aipp_op { aipp_mode: static input_format: RAW10 }",
                "RAW10 is not supported",
            ),
            (
                "aipp_op { aipp_mode: static input_format: YUV400_U8 crop: maybe }",
                "not true or false",
            ),
            (
                "aipp_op { aipp_mode: static input_format: YUV400_U8 mean_chn_0: x }",
                "mean_chn_0 is 'x'",
            ),
            (
                "aipp_op { aipp_mode: static input_format: YUV400_U8 resize: true }",
                "resize is not supported",
            ),
            (
                "aipp_op { aipp_mode: static input_format: YUV400_U8 var_reci_chn_0: inf }",
                "not a finite number",
            ),
            ("aipp_op { aipp_mode: static aipp_mode: static }", "twice"),
            (
                "aipp_op { aipp_mode: static input_format: YUV420SP_U8 output_bias_0: 3 }",
                "output_bias has no effect",
            ),
            (
                "aipp_op { aipp_mode: static input_format: RGB888_U8 input_bias_1: 3 }",
                "input_bias has no effect",
            ),
            (
                "aipp_op { aipp_mode: static input_format: YUV400_U8 } aipp_op { aipp_mode: static input_format: YUV400_U8 }",
                "same input",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert!(matches!(error, Error::Argument(_)));
            assert!(error.to_string().contains(expected), "{text}: {error}");
        }
    }
}
