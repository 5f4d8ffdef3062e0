//! The libraries of `companions/`: names that a client needs C++ functions behind, so that a link to ours
//! would not do.

use std::path::Path;

use crate::dist::LIBRARY;
use crate::kit::Kit;
use crate::tools::{self, Outcome};

/// What `onnxruntime-cann` needs at load.
const PARSER: &str = "libfmk_onnx_parser.so";
/// What connects ranks on several machines.
const GLOO: &str = "libmillpond_gloo.so";

/// Builds them into the folder where our library is, and finds it there when they are loaded. Skipped where there is
/// no C++ compiler, or where Gloo is not installed.
pub(crate) fn build(root: &Path, kit: Kit, lib: &Path) -> Result<Outcome, String> {
    let mut reasons = Vec::new();
    for built in [parser(root, kit, lib)?, gloo(root, kit, lib)?] {
        match built {
            Outcome::Passed => {}
            Outcome::Skipped(reason) => reasons.push(reason),
            failed @ Outcome::Failed(_) => return Ok(failed),
        }
    }
    Ok(if reasons.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Skipped(reasons.join("\n"))
    })
}

/// The library around Gloo. Built with the Gloo that is installed, which the machines of a job must have, too.
fn gloo(root: &Path, kit: Kit, lib: &Path) -> Result<Outcome, String> {
    let skipped = |why: &str| {
        Ok(Outcome::Skipped(format!(
            "{GLOO}, which ranks on several machines need, is skipped: {why}"
        )))
    };
    let Some(mut cxx) = kit.cxx() else {
        return skipped("there is no C++ compiler (apt-get install g++)");
    };
    let sources = root.join("companions/gloo");
    let source = sources.join("millpond_gloo.cpp");
    let Some(mut looks) = kit.cxx() else {
        return skipped("there is no C++ compiler (apt-get install g++)");
    };
    looks.args(["-std=c++17", "-fsyntax-only", "-x", "c++", "-include"]);
    looks.args(["gloo/transport/tcp/device.h", "/dev/null"]);
    if tools::quietly(&mut looks).is_err() {
        return skipped("Gloo's headers are not installed (apt-get install libgloo-dev)");
    }
    cxx.args(["-std=c++17", "-O2", "-fPIC", "-shared"])
        .args(["-Wall", "-Wextra", "-Werror"])
        .arg(source)
        .arg("-lgloo")
        .arg(format!(
            "-Wl,--version-script={}",
            sources.join("millpond_gloo.map").display()
        ))
        .args(["-Wl,--no-undefined", "-Wl,--enable-new-dtags"])
        .arg(format!("-Wl,-soname,{GLOO}"))
        .arg("-o")
        .arg(lib.join(GLOO));
    tools::quietly(&mut cxx)?;
    Ok(Outcome::Passed)
}

/// The functions for `onnxruntime-cann`.
pub(crate) fn parser(root: &Path, kit: Kit, lib: &Path) -> Result<Outcome, String> {
    let Some(mut cxx) = kit.cxx() else {
        return Ok(Outcome::Skipped(format!(
            "{PARSER}, which onnxruntime-cann needs, is skipped: there is no C++ compiler (apt-get install g++)"
        )));
    };
    let sources = root.join("companions/fmk_onnx_parser");
    let names = sources.join("onnx_parser.map");
    let old_glibc = lib.join(".old_glibc.o");
    let mut cc = kit.cc()?;
    cc.args(["-O2", "-fPIC", "-c"])
        .arg(sources.join("old_glibc.c"))
        .arg("-o")
        .arg(&old_glibc);
    tools::quietly(&mut cc)?;
    cxx.args(["-std=c++14", "-O2", "-fPIC", "-shared"])
        .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .arg("-I")
        .arg(root.join("include"))
        .arg(sources.join("fmk_onnx_parser.cpp"))
        .arg(&old_glibc)
        .arg(lib.join(LIBRARY))
        .arg(format!("-Wl,--version-script={}", names.display()))
        .args(["-Wl,--no-undefined", "-Wl,--enable-new-dtags"])
        .arg("-Wl,-rpath,$ORIGIN")
        .arg(format!("-Wl,-soname,{PARSER}"))
        .arg("-o")
        .arg(lib.join(PARSER));
    tools::quietly(&mut cxx)?;
    std::fs::remove_file(&old_glibc)
        .map_err(|error| format!("{}: {error}", old_glibc.display()))?;
    Ok(Outcome::Passed)
}
