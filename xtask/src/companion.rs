//! The libraries of `companions/`: names that a client needs C++ functions behind, so that a link to ours
//! would not do.

use std::path::Path;

use crate::dist::LIBRARY;
use crate::tools::{self, Outcome};

/// What `onnxruntime-cann` needs at load.
const PARSER: &str = "libfmk_onnx_parser.so";

/// Builds them into the folder where our library is, and finds it there when they are loaded. Skipped where there is
/// no C++ compiler.
pub(crate) fn build(root: &Path, lib: &Path) -> Result<Outcome, String> {
    let Some(mut cxx) = tools::cxx() else {
        return Ok(Outcome::Skipped(format!(
            "{PARSER}, which onnxruntime-cann needs, is skipped: there is no C++ compiler (apt-get install g++)"
        )));
    };
    let sources = root.join("companions/fmk_onnx_parser");
    let names = sources.join("onnx_parser.map");
    cxx.args(["-std=c++14", "-O2", "-fPIC", "-shared"])
        .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .arg("-I")
        .arg(root.join("include"))
        .arg(sources.join("fmk_onnx_parser.cpp"))
        .arg(lib.join(LIBRARY))
        .arg(format!("-Wl,--version-script={}", names.display()))
        .args(["-Wl,--no-undefined", "-Wl,--enable-new-dtags"])
        .arg("-Wl,-rpath,$ORIGIN")
        .arg(format!("-Wl,-soname,{PARSER}"))
        .arg("-o")
        .arg(lib.join(PARSER));
    tools::quietly(&mut cxx)?;
    Ok(Outcome::Passed)
}
