//! The options of `atc`, read as the vendor's tool reads them: `--name value` or `--name=value`, with one dash or two.

use std::ffi::OsString;

use millpond_model::compile::{Options, known_name};

const ONE_MODE: &str = "use 0 (compile a model)";

/// Reads the arguments, or returns an error message.
pub(super) fn read(arguments: &[OsString]) -> Result<Options, String> {
    let say = |error: millpond_model::Error| error.to_string();
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = text(argument)?;
        let Some(named) = text.strip_prefix("--").or_else(|| text.strip_prefix('-')) else {
            return Err(format!(
                "unexpected argument '{text}'; options are written --name value or --name=value"
            ));
        };
        let (name, joined) = match named.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (named, None),
        };
        // Before its value: a wrong name is the more important error.
        let name = known_name(name).map_err(say)?;
        let value = match joined {
            Some(value) => value,
            None => match rest.next().map(|next| self::text(next)).transpose()? {
                Some(value) if !is_option(value) => value,
                _ => return Err(format!("missing value for --{name}")),
            },
        };
        options.set(name, value).map_err(say)?;
    }
    match options.get("mode") {
        None | Some("0") => Ok(options),
        Some(mode) => Err(format!("unsupported --mode {mode}; {ONE_MODE}")),
    }
}

/// Whether this is the next option. A value may begin with a single dash.
fn is_option(word: &str) -> bool {
    let single = word.strip_prefix('-').unwrap_or_default();
    let name = single.split('=').next().unwrap_or_default();
    word.starts_with("--") || known_name(name).is_ok()
}

fn text(argument: &OsString) -> Result<&str, String> {
    argument
        .to_str()
        .ok_or_else(|| format!("'{}' is not UTF-8", argument.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Options, String> {
        super::read(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn both_ways_to_write_an_option_are_equivalent() {
        let joined = read(&["--model=x.onnx", "--input_shape=\"a:1,2\""]).unwrap();
        let apart = read(&["--model", "x.onnx", "--input_shape", "a:1,2"]).unwrap();
        assert_eq!(joined, apart);
        assert_eq!(joined.get("input_shape"), Some("a:1,2"));
        assert_eq!(read(&["--output_type="]).unwrap().get("output_type"), None);
        let equals = read(&["--input_shape=a=b:1"]).unwrap();
        assert_eq!(
            equals.get("input_shape"),
            Some("a=b:1"),
            "names may have an ="
        );
    }

    #[test]
    fn options_for_an_npu_are_ignored_with_a_note() {
        let options = read(&[
            "--log=error",
            "--precision_mode",
            "force_fp16",
            "--log=info",
        ])
        .unwrap();
        assert_eq!(options.without_effect(), ["log", "precision_mode"]);
        assert_eq!(options.given().count(), 0);
        assert_eq!(
            read(&["--is_input_adjust_hw_layout=false"]),
            Ok(Options::default())
        );
    }

    #[test]
    fn errors_name_the_argument() {
        for (words, expected) in [
            (&["--modle=x"][..], "did you mean --model?"),
            (&["--input_shapes=x"], "did you mean --input_shape?"),
            (&["--zzzzzzzzzzzz=x"], "--help"),
            (&["--model"], "missing value for --model"),
            (&["--model", "--output=x"], "missing value for --model"),
            (&["--model=a", "--model=b"], "twice"),
            (&["x.onnx"], "unexpected argument 'x.onnx'"),
            (&["--insert_op_conf"], "missing value"),
            (&["--mode=1"], "unsupported --mode 1"),
            (&["--is_input_adjust_hw_layout=true"], "is not supported"),
        ] {
            let error = read(words).unwrap_err();
            assert!(error.contains(expected), "{words:?}: {error}");
        }
    }
}
