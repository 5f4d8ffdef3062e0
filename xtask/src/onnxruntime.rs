//! The CANN provider of ONNX Runtime, as its makers publish it, on this library.
//!
//! The packages go into an environment of their own below `target/`, about 300 MB; once it is there, nothing is fetched
//! again. The library is the debug build's.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kit::Kit;
use crate::tools::{self, Build, Outcome};
use crate::{companion, engine, environment};

pub(crate) const LIBRARY: &str = "onnxruntime-cann: library";
pub(crate) const PACKAGES: &str = "onnxruntime-cann: packages";
pub(crate) const TESTS: &str = "onnxruntime-cann: tests";

/// The library with the functions of C++ that the provider needs, beside the debug build.
pub(crate) fn library(root: &Path) -> Result<Outcome, String> {
    companion::parser(root, Kit::Here, &built(root))
}

/// The provider's tests on the debug build.
pub(crate) fn tests(root: &Path) -> Result<Outcome, String> {
    let command = built(root).join("millpond");
    let mut tests = Command::new(&command);
    tests
        .current_dir(root)
        // Cargo names the folder of the debug build to the loader, and that would come first.
        .env_remove("LD_LIBRARY_PATH")
        .env("MILLPOND_COMMAND", &command)
        .args(["run", "--"])
        .arg(folder(root).join("bin/python"))
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .arg("tests/onnxruntime");
    if std::env::var_os("MILLPOND_ONNXRUNTIME").is_none() {
        tests.env("MILLPOND_ONNXRUNTIME", engine::folder(root));
    }
    tools::run(&mut tests).map(|()| Outcome::Passed)
}

fn built(root: &Path) -> PathBuf {
    tools::target(root).join(Build::Debug.folder())
}

/// Makes the environment, unless it is there.
pub(crate) fn packages(root: &Path) -> Result<Outcome, String> {
    environment::make(root, &folder(root), "tests/onnxruntime/requirements.txt")
}

/// Where the environment is.
fn folder(root: &Path) -> PathBuf {
    tools::target(root).join("onnxruntime-cann/env")
}
