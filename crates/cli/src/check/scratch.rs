//! A folder of our own for what a run leaves behind; gone when we are.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::failed;
use crate::program::Refusal;

/// A folder that only this user can look into.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new() -> Result<Self, Refusal> {
        let mut problem = None;
        for attempt in 0..16 {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            let number = now.unwrap_or_default().subsec_nanos();
            let name = format!("millpond-check-{}-{number}-{attempt}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            match DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => return Ok(Self(folder)),
                Err(error) => problem = Some(error),
            }
        }
        let why = problem.map_or_else(String::new, |error| error.to_string());
        let place = std::env::temp_dir();
        Err(failed(
            format!("no folder can be made in {}: {why}", place.display()),
            "set TMPDIR to a folder that can be written",
        ))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.0
    }

    /// Several files as one.
    pub(super) fn joined(&self, files: &[PathBuf]) -> Result<PathBuf, Refusal> {
        let problem = |file: &Path, error: &std::io::Error| {
            failed(format!("{}: {error}", file.display()), "look at its rights")
        };
        let mut text = Vec::new();
        for file in files {
            text.extend(fs::read(file).map_err(|error| problem(file, &error))?);
            text.push(b'\n');
        }
        let joined = self.0.join("suppressions");
        fs::write(&joined, text).map_err(|error| problem(&joined, &error))?;
        Ok(joined)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays in the folder for temporary files.
        drop(fs::remove_dir_all(&self.0));
    }
}
