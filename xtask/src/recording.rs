//! Exports of recordings and `millpond query`, with the packages of others: `DuckDB` and Perfetto's schema, and PyTorch's code for
//! snapshots if `cargo xtask torch` has fetched it.

use std::path::{Path, PathBuf};

use crate::environment;
use crate::tools::{self, Outcome};

/// The names of the steps.
pub(crate) const PACKAGES: &str = "recording: packages";
pub(crate) const TESTS: &str = "recording: with packages";

/// Where the environment is.
fn folder(root: &Path) -> PathBuf {
    tools::target(root).join("recording/env")
}

/// Makes the environment, unless it is there.
pub(crate) fn packages(root: &Path) -> Result<Outcome, String> {
    environment::make(root, &folder(root), "crates/cli/tests/requirements.txt")
}

/// The tests that need it. Told where it is, they fail without it; without being told they are skipped.
pub(crate) fn tests(root: &Path) -> Result<Outcome, String> {
    let mut tests = tools::cargo(root);
    tests
        .args(["test", "--workspace", "--locked", "--test", "packages"])
        .env("MILLPOND_TEST_PYTHON", folder(root).join("bin/python"));
    tools::run(&mut tests).map(|()| Outcome::Passed)
}
