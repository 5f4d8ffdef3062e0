//! `cargo xtask bench`: the benchmarks, in release. What they measure is said in `bench/`.

use std::path::Path;

use crate::tools;

pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    // The program loads the library from beside itself.
    tools::run(tools::cargo(root).args(["build", "--release", "--locked", "-p", "millpond-capi"]))?;
    tools::run(
        tools::cargo(root)
            .args(["run", "--release", "--locked", "-p", "millpond-bench", "--"])
            .args(arguments),
    )
}
