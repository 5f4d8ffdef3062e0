//! The options of a compilation, with the names of the vendor's tool: the known ones, and the ones given.

use std::collections::BTreeMap;

use crate::Error;

/// How an option is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// Implemented.
    Done,
    /// Accepted and ignored: it only controls NPU code generation.
    Nothing,
    /// Unsupported, and it would change results. The text says what to do instead.
    Refused(&'static str),
}

use Meaning::{Done, Nothing, Refused};

const NO_DESCRIPTION: &str = "the vendor's tool converts an .om file to JSON with it; here the header of \
                              an .om file is JSON already";

/// Every option of the vendor's tool that scripts are known to use. docs/models.md explains the implemented ones.
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
    ("insert_op_conf", Done),
    (
        "is_input_adjust_hw_layout",
        Refused("blocked layouts exist only on NPUs; omit it"),
    ),
    (
        "is_output_adjust_hw_layout",
        Refused("blocked layouts exist only on NPUs; omit it"),
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
    ("out_nodes", Done),
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
        Refused(
            "it is for Caffe models; external weights of an ONNX model are found automatically",
        ),
    ),
];

/// The given options.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    values: BTreeMap<&'static str, String>,
    without_effect: Vec<&'static str>,
}

impl Options {
    /// Adds an option, or returns why it is invalid.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let (name, meaning) = known(name)?;
        match meaning {
            // Scripts often spell out defaults.
            Refused(_) if matches!(value, "" | "false") => {}
            Refused(why) => {
                return Err(Error::argument(format!("--{name} is not supported: {why}")));
            }
            Nothing if self.without_effect.contains(&name) => {}
            Nothing => self.without_effect.push(name),
            Done => {
                let value = unquoted(value).to_owned();
                if self.values.insert(name, value).is_some() {
                    return Err(Error::argument(format!("--{name} is given twice")));
                }
            }
        }
        Ok(())
    }

    /// The value of an option; an empty value counts as not given.
    pub fn get(&self, name: &'static str) -> Option<&str> {
        let value = self.values.get(name).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }

    /// The names of the given options that are implemented.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        self.values.keys().copied()
    }

    /// The given options that are ignored, in the order given.
    pub fn without_effect(&self) -> &[&'static str] {
        &self.without_effect
    }
}

/// The name of the option in the table, or an error if it is unknown.
pub fn known_name(name: &str) -> Result<&'static str, Error> {
    known(name).map(|(name, _)| name)
}

/// Removes quotes: scripts that store options in a variable pass on the quotes that were meant for the shell.
fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(value)
}

fn known(name: &str) -> Result<(&'static str, Meaning), Error> {
    if let Some(found) = OPTIONS.iter().find(|(known, _)| *known == name) {
        return Ok(*found);
    }
    let all = OPTIONS.iter().map(|(known, _)| *known);
    let closest = all.min_by_key(|known| (distance(name, known), known.len().abs_diff(name.len())));
    let likely = closest.filter(|closest| distance(name, closest) <= 2 + closest.len() / 4);
    Err(Error::argument(match likely {
        Some(closest) => format!("unknown option --{name}; did you mean --{closest}?"),
        None => format!("unknown option --{name}; see: millpond atc --help"),
    }))
}

/// The edit distance of two texts: insertions, deletions, substitutions and swaps of neighbours.
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
