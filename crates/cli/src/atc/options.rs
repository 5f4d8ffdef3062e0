//! The options of `atc`, read as the vendor's tool reads them: `--name value` or `--name=value`, with one dash or two.

use std::ffi::OsString;

use millpond_model::compile::{Options, known_name};

const ONE_MODE: &str = "only models are made here, which is --mode 0";

/// Reads the arguments, or says in a sentence what is wrong with them.
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
        // Before its value: a wrong name is what the user has to hear of.
        let name = known_name(name).map_err(say)?;
        let value = match joined {
            Some(value) => value,
            None => match rest.next().map(|next| self::text(next)).transpose()? {
                Some(value) if !is_option(value) => value,
                _ => return Err(format!("--{name} has no value")),
            },
        };
        options.set(name, value).map_err(say)?;
    }
    match options.get("mode") {
        None | Some("0") => Ok(options),
        Some(mode) => Err(format!("--mode {mode} is not done here: {ONE_MODE}")),
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
    fn both_ways_to_write_an_option_are_one() {
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
    fn what_steers_an_npu_is_accepted_and_noted() {
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
    fn what_is_wrong_is_said() {
        for (words, expected) in [
            (&["--modle=x"][..], "did you mean --model?"),
            (&["--input_shapes=x"], "did you mean --input_shape?"),
            (&["--zzzzzzzzzzzz=x"], "--help"),
            (&["--model"], "--model has no value"),
            (&["--model", "--output=x"], "--model has no value"),
            (&["--model=a", "--model=b"], "twice"),
            (&["x.onnx"], "unexpected argument 'x.onnx'"),
            (&["--insert_op_conf=a.cfg"], "AIPP"),
            (&["--mode=1"], "--mode 1 is not done"),
            (&["--is_input_adjust_hw_layout=true"], "is not done here"),
        ] {
            let error = read(words).unwrap_err();
            assert!(error.contains(expected), "{words:?}: {error}");
        }
    }
}
