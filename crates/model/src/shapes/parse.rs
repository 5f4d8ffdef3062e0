//! Parses the shapes, ranges and gears in the options of `atc`.

use super::{GearKind, Span};
use crate::Error;

/// Names and the values that their dimensions accept, in the order of the text.
type Named = Vec<(String, Vec<Span>)>;

/// The number of gears that a model may have.
const FEWEST_GEARS: usize = 2;
const MOST_GEARS: usize = 100;

/// `--input_shape "a:1~10,3,-1;b:2,3"`. A name without dimensions is a scalar.
pub fn parse_shapes(text: &str) -> Result<Named, Error> {
    named("--input_shape", text, |dims| Some(dims))
}

/// `--input_shape_range "a:[1~10,3,-1];b:[2,3]"`, the older syntax for the same.
pub fn parse_shape_ranges(text: &str) -> Result<Named, Error> {
    named("--input_shape_range", text, |dims| {
        dims.strip_prefix('[')?.strip_suffix(']')
    })
}

fn named(option: &str, text: &str, dims_of: fn(&str) -> Option<&str>) -> Result<Named, Error> {
    let mut shapes = Named::new();
    for part in parts(text, ';') {
        // A name may contain a colon, as names of TensorFlow do: the last one counts.
        let (name, dims) = part
            .rsplit_once(':')
            .map(|(name, dims)| (name.trim(), dims_of(dims.trim())))
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| {
                Error::argument(format!(
                    "{option}: invalid entry '{}'; expected name:dimensions, for example x:1,3,224,224",
                    part.escape_debug()
                ))
            })?;
        let dims = dims.ok_or_else(|| {
            Error::argument(format!(
                "{option}: the dimensions of '{}' must be in brackets, for example x:[1~8,3,-1]",
                name.escape_debug()
            ))
        })?;
        if shapes.iter().any(|(known, _)| known == name) {
            return Err(Error::argument(format!(
                "{option}: '{}' appears twice",
                name.escape_debug()
            )));
        }
        let spans = parts(dims, ',').map(|dim| span(option, dim));
        shapes.push((name.to_owned(), spans.collect::<Result<_, _>>()?));
    }
    if shapes.is_empty() {
        return Err(Error::argument(format!("{option} is empty")));
    }
    Ok(shapes)
}

/// The parts between separators. An empty text, or the part after a trailing separator, gives no part.
fn parts(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let text = text.trim();
    let text = text.strip_suffix(separator).unwrap_or(text);
    let whole = (!text.is_empty()).then(|| text.split(separator));
    whole.into_iter().flatten().map(str::trim)
}

fn span(option: &str, text: &str) -> Result<Span, Error> {
    let number = |text: &str| text.trim().parse::<i64>().ok();
    let read = match text.split_once('~') {
        None => number(text).filter(|dim| *dim >= -1).map(Span::of),
        Some((least, most)) => match (number(least), number(most)) {
            (Some(least), Some(-1)) if least >= 0 => Some(Span { least, most: None }),
            (Some(least), Some(most)) if 0 <= least && least <= most => Some(Span {
                least,
                most: Some(most),
            }),
            _ => None,
        },
    };
    read.ok_or_else(|| {
        Error::argument(match text {
            "-2" => format!("{option}: -2, an unknown number of dimensions, is unsupported"),
            _ => format!(
                "{option}: invalid dimension '{}'; expected a number, a range such as 1~10, or -1 for any value",
                text.escape_debug()
            ),
        })
    })
}

/// The gears of `--dynamic_batch_size "1,2,4"`, `--dynamic_image_size "416,416;832,832"` or
/// `--dynamic_dims "1,1;2,2"`.
pub fn parse_gears(kind: GearKind, text: &str) -> Result<Vec<Vec<i64>>, Error> {
    let option = kind.option();
    let mut gears: Vec<Vec<i64>> = Vec::new();
    let separator = if kind == GearKind::Batch { ',' } else { ';' };
    for part in parts(text, separator) {
        let values = parts(part, ',').map(|value| value.parse::<i64>().ok().filter(|it| *it > 0));
        let values = values.collect::<Option<Vec<i64>>>();
        let wanted = kind.values();
        let gear = values
            .filter(|values| wanted.map_or(!values.is_empty(), |wanted| values.len() == wanted));
        let gear = gear.ok_or_else(|| {
            Error::argument(format!(
                "{option}: invalid gear '{}'; for example {option} \"{}\"",
                part.escape_debug(),
                kind.example()
            ))
        })?;
        if gears.first().is_some_and(|first| first.len() != gear.len()) {
            return Err(Error::argument(format!(
                "{option}: '{part}' has a different number of values than the first gear"
            )));
        }
        if gears.contains(&gear) {
            return Err(Error::argument(format!("{option}: '{part}' appears twice")));
        }
        gears.push(gear);
    }
    if !(FEWEST_GEARS..=MOST_GEARS).contains(&gears.len()) {
        return Err(Error::argument(format!(
            "{option} has {} gears; expected {FEWEST_GEARS} to {MOST_GEARS}. For a single shape, \
             use --input_shape with numbers",
            gears.len()
        )));
    }
    Ok(gears)
}

#[cfg(test)]
mod tests {
    use super::super::show;
    use super::*;
    use proptest::prelude::*;

    fn shapes(text: &str) -> Vec<(String, String)> {
        let shapes = parse_shapes(text).unwrap().into_iter();
        shapes.map(|(name, spans)| (name, show(&spans))).collect()
    }

    #[test]
    fn shapes_are_read_as_users_write_them() {
        let pair = |name: &str, dims: &str| (name.to_owned(), dims.to_owned());
        assert_eq!(
            shapes("a:1~10,3,-1;b:2,3"),
            [pair("a", "1~10,3,-1"), pair("b", "2,3")]
        );
        assert_eq!(shapes(" a : 1 , 2 ; "), [pair("a", "1,2")]);
        assert_eq!(shapes("input:0:1,2"), [pair("input:0", "1,2")]);
        assert_eq!(shapes("scalar:"), [pair("scalar", "")]);
        assert_eq!(shapes("a:5~5,2~-1"), [pair("a", "5,2~-1")]);
        let older = parse_shape_ranges("a:[1~10,3,-1];b:[2]").unwrap();
        assert_eq!(older, parse_shapes("a:1~10,3,-1;b:2").unwrap());
    }

    #[test]
    fn what_is_no_shape_is_named() {
        for (text, expected) in [
            ("", "is empty"),
            ("1,2,3", "expected name:dimensions"),
            (":1", "expected name:dimensions"),
            ("a:1,x", "invalid dimension 'x'"),
            ("a:1,,2", "invalid dimension ''"),
            ("a:3~2", "'3~2'"),
            ("a:-3", "'-3'"),
            ("a:-2", "unknown number of dimensions"),
            ("a:-1~4", "'-1~4'"),
            ("a:1;a:2", "'a' appears twice"),
            ("a:99999999999999999999", "invalid dimension"),
        ] {
            let error = parse_shapes(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(parse_shape_ranges("a:1,2").is_err());
    }

    #[test]
    fn gears_are_read_and_checked() {
        assert_eq!(
            parse_gears(GearKind::Batch, "1,2,4").unwrap(),
            [[1], [2], [4]]
        );
        assert_eq!(
            parse_gears(GearKind::Image, "416,416;832,832").unwrap(),
            [[416, 416], [832, 832]]
        );
        assert_eq!(
            parse_gears(GearKind::Dims, "1,1,3;2,2,3").unwrap(),
            [[1, 1, 3], [2, 2, 3]]
        );
        for (kind, text, expected) in [
            (GearKind::Batch, "1", "has 1 gears"),
            (GearKind::Batch, "", "has 0 gears"),
            (GearKind::Batch, "1,0", "invalid gear '0'"),
            (GearKind::Batch, "1,1", "twice"),
            (GearKind::Image, "416;832", "invalid gear '416'"),
            (GearKind::Image, "1,2;1,2", "twice"),
            (GearKind::Dims, "1,1;2", "a different number"),
            (GearKind::Dims, "1,x;2,2", "invalid gear"),
        ] {
            let error = parse_gears(kind, text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let many: Vec<String> = (1..=101).map(|gear| gear.to_string()).collect();
        assert!(parse_gears(GearKind::Batch, &many.join(",")).is_err());
        assert!(parse_gears(GearKind::Batch, &many[..100].join(",")).is_ok());
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(dims in prop::collection::vec((0_i64..100, prop::option::of(0_i64..100)), 0..6)) {
            let spans: Vec<Span> = dims
                .into_iter()
                .map(|(least, more)| Span { least, most: more.map(|more| least + more) })
                .collect();
            let text = format!("x:{}", show(&spans));
            prop_assert_eq!(parse_shapes(&text).unwrap(), [("x".to_owned(), spans)]);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[a:;,~0-9\\[\\] -]{0,40}") {
            drop(parse_shapes(&text));
            drop(parse_shape_ranges(&text));
            drop(parse_gears(GearKind::Dims, &text));
        }
    }
}
