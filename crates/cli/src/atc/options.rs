//! The options of `atc`, read as the vendor's tool reads them: `--name value` or `--name=value`.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// What an option means here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// It is done.
    Done,
    /// It is accepted: it steers code for an NPU, and there is none.
    Nothing,
    /// It would change results, and it is not done. The text says what to do instead.
    Refused(&'static str),
}

use Meaning::{Done, Nothing, Refused};

const ONE_MODE: &str = "only models are made here, which is --mode 0";
const NO_DESCRIPTION: &str = "the vendor's tool converts an .om file to JSON with it; here the header of \
                              an .om file is JSON already";

/// Every option of the vendor's tool that scripts are known to use. docs/models.md explains those that are done.
const OPTIONS: [(&str, Meaning); 84] = [
    ("ac_parallel_enable", Nothing),
    ("aicore_num", Nothing),
    ("allow_hf32", Nothing),
    ("atomic_clean_policy", Nothing),
    ("auto_tune_mode", Nothing),
    ("buffer_optimize", Nothing),
    ("build_inner_model", Nothing),
    ("check_report", Nothing),
    ("cluster_config", Nothing),
    ("compress_weight_conf", Nothing),
    (
        "compression_optimize_conf",
        Refused("quantise the ONNX model before compiling it"),
    ),
    ("core_type", Nothing),
    ("customize_dtypes", Nothing),
    ("debug_dir", Nothing),
    ("deterministic", Nothing),
    ("disable_reuse_memory", Nothing),
    ("display_model_info", Nothing),
    ("distributed_cluster_build", Nothing),
    ("dump_mode", Nothing),
    ("dynamic_batch_size", Done),
    ("dynamic_dims", Done),
    ("dynamic_image_size", Done),
    ("enable_compress_weight", Nothing),
    ("enable_graph_parallel", Nothing),
    ("enable_scope_fusion_passes", Nothing),
    ("enable_single_stream", Nothing),
    ("enable_small_channel", Nothing),
    ("export_compile_stat", Nothing),
    ("external_weight", Nothing),
    ("framework", Done),
    ("fusion_switch_file", Nothing),
    ("graph_parallel_option_path", Nothing),
    ("host_env_cpu", Nothing),
    ("host_env_os", Nothing),
    ("input_format", Done),
    ("input_fp16_nodes", Done),
    ("input_hint_shape", Nothing),
    ("input_shape", Done),
    ("input_shape_range", Done),
    (
        "insert_op_conf",
        Refused(
            "it puts image preprocessing (AIPP) into the model; put these steps into the ONNX model",
        ),
    ),
    (
        "is_input_adjust_hw_layout",
        Refused("blocked layouts are an NPU's own; leave it out"),
    ),
    (
        "is_output_adjust_hw_layout",
        Refused("blocked layouts are an NPU's own; leave it out"),
    ),
    ("json", Refused(NO_DESCRIPTION)),
    ("keep_dtype", Nothing),
    ("log", Nothing),
    ("mdl_bank_path", Nothing),
    ("mode", Done),
    ("model", Done),
    ("model_relation_config", Nothing),
    ("modify_mixlist", Nothing),
    ("om", Refused(NO_DESCRIPTION)),
    ("oo_constant_folding", Nothing),
    ("oo_dead_code_elimination", Nothing),
    ("oo_level", Nothing),
    ("op_bank_path", Nothing),
    ("op_bank_update", Nothing),
    ("op_compiler_cache_dir", Nothing),
    ("op_compiler_cache_mode", Nothing),
    ("op_debug_config", Nothing),
    ("op_debug_level", Nothing),
    ("op_name_map", Nothing),
    ("op_precision_mode", Nothing),
    ("op_select_implmode", Nothing),
    ("optypelist_for_implmode", Nothing),
    ("ops_path", Nothing),
    (
        "out_nodes",
        Refused(
            "cut the ONNX model at these nodes first, for example with onnx.utils.extract_model",
        ),
    ),
    ("output", Done),
    ("output_type", Done),
    ("precision_mode", Nothing),
    ("precision_mode_v2", Nothing),
    ("quant_dumpable", Nothing),
    ("save_original_model", Nothing),
    ("shape_generalized_build_mode", Nothing),
    ("singleop", Done),
    ("soc_version", Done),
    ("soft_sync_op", Nothing),
    ("sparsity", Nothing),
    ("status_check", Nothing),
    ("storage_format", Nothing),
    ("tiling_schedule_optimize", Nothing),
    ("topo_sorting_mode", Nothing),
    ("tune_mode", Nothing),
    ("virtual_type", Nothing),
    (
        "weight",
        Refused("only Caffe keeps weights so; weights of an ONNX model are found by themselves"),
    ),
];

/// What was given.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    values: BTreeMap<&'static str, String>,
    /// Options that have no effect here, in the order in which they were given.
    pub(super) without_effect: Vec<&'static str>,
}

impl Options {
    /// Reads the arguments, or says in a sentence what is wrong with them.
    pub(super) fn read(arguments: &[OsString]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let text = text(argument)?;
            let Some(named) = text.strip_prefix("--") else {
                return Err(format!(
                    "'{text}' is no option; options are written --name value or --name=value"
                ));
            };
            let (name, joined) = match named.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (named, None),
            };
            let (name, meaning) = known(name)?;
            let value = match joined {
                Some(value) => value,
                None => match rest.next().map(|next| self::text(next)).transpose()? {
                    Some(value) if !value.starts_with("--") => value,
                    _ => return Err(format!("--{name} has no value")),
                },
            };
            match meaning {
                // Scripts write out what is off anyway.
                Refused(_) if matches!(value, "" | "false") => {}
                Refused(why) => return Err(format!("--{name} is not done here: {why}")),
                Nothing if options.without_effect.contains(&name) => {}
                Nothing => options.without_effect.push(name),
                Done => {
                    if options
                        .values
                        .insert(name, unquoted(value).to_owned())
                        .is_some()
                    {
                        return Err(format!("--{name} is there twice"));
                    }
                }
            }
        }
        match options.get("mode") {
            None | Some("0") => Ok(options),
            Some(mode) => Err(format!("--mode {mode} is not done here: {ONE_MODE}")),
        }
    }

    /// The value of an option; an empty one counts as not given.
    pub(super) fn get(&self, name: &'static str) -> Option<&str> {
        let value = self.values.get(name).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }

    /// The names of those that were given and are done.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static str> {
        self.values.keys().copied()
    }
}

fn text(argument: &OsString) -> Result<&str, String> {
    argument
        .to_str()
        .ok_or_else(|| format!("'{}' is no UTF-8", argument.display()))
}

/// Scripts that keep options in a variable hand on the quotes that were meant for the shell.
fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(value)
}

fn known(name: &str) -> Result<(&'static str, Meaning), String> {
    if let Some(found) = OPTIONS.iter().find(|(known, _)| *known == name) {
        return Ok(*found);
    }
    let all = OPTIONS.iter().map(|(known, _)| *known);
    let closest = all.min_by_key(|known| (distance(name, known), known.len().abs_diff(name.len())));
    let likely = closest.filter(|closest| distance(name, closest) <= 2 + closest.len() / 4);
    Err(match likely {
        Some(closest) => format!("there is no option --{name}; did you mean --{closest}?"),
        None => format!("there is no option --{name}; see: millpond atc --help"),
    })
}

/// How many letters must be put in, taken out, replaced or swapped with their neighbour to make one text
/// the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Options, String> {
        Options::read(&words.iter().map(OsString::from).collect::<Vec<_>>())
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
        assert_eq!(options.without_effect, ["log", "precision_mode"]);
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
            (&["x.onnx"], "'x.onnx' is no option"),
            (&["--insert_op_conf=a.cfg"], "AIPP"),
            (&["--mode=1"], "--mode 1 is not done"),
            (&["--is_input_adjust_hw_layout=true"], "is not done here"),
        ] {
            let error = read(words).unwrap_err();
            assert!(error.contains(expected), "{words:?}: {error}");
        }
    }

    #[test]
    fn distances_are_counted_in_letters() {
        for (a, b, expected) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("abc", "acb", 1),
            ("", "ab", 2),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn the_document_explains_every_option_that_is_done() {
        let document = include_str!("../../../../docs/models.md");
        for (name, meaning) in OPTIONS {
            let explained = document.contains(&format!("| `--{name}` |"));
            assert_eq!(explained, meaning == Done, "{name}");
        }
    }
}
