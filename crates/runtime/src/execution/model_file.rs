//! What sessions that are made later are made from: a model's bytes, or its files.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The model, for sessions that are made later.
#[derive(Debug)]
pub(super) enum ModelFile {
    Bytes(Box<[u8]>),
    /// Its weights are in files beside it.
    Files(Files),
}

/// A model's file and those with its weights, as they were when the model was loaded. A session that is made from others would compute
/// something else.
#[derive(Debug)]
pub(super) struct Files {
    model: PathBuf,
    all: Vec<(PathBuf, State)>,
}

/// What changes with a file's bytes.
#[derive(Debug, PartialEq, Eq)]
struct State {
    file: (u64, u64),
    bytes: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl State {
    fn of(path: &Path) -> io::Result<Self> {
        let about: Metadata = fs::metadata(path)?;
        Ok(Self {
            file: (about.dev(), about.ino()),
            bytes: about.size(),
            written: (about.mtime(), about.mtime_nsec()),
            changed: (about.ctime(), about.ctime_nsec()),
        })
    }
}

impl Files {
    /// The files as they are now. The program may change its working directory later.
    pub(super) fn new(model: &Path, weights: impl Iterator<Item = PathBuf>) -> io::Result<Self> {
        let model = std::path::absolute(model)?;
        let mut paths = weights
            .map(std::path::absolute)
            .collect::<io::Result<Vec<PathBuf>>>()?;
        paths.push(model.clone());
        paths.sort_unstable();
        paths.dedup();
        let state = |path: PathBuf| Ok((State::of(&path)?, path));
        let all: io::Result<Vec<_>> = paths.into_iter().map(state).collect();
        Ok(Self {
            model,
            all: all?
                .into_iter()
                .map(|(state, path)| (path, state))
                .collect(),
        })
    }

    pub(super) fn model(&self) -> &Path {
        &self.model
    }

    /// An error, as a sentence, if a file is not what it was.
    pub(super) fn check(&self) -> Result<(), String> {
        for (path, state) in &self.all {
            if State::of(path).ok().as_ref() != Some(state) {
                return Err(format!(
                    "{} changed after the model was loaded",
                    path.display()
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_changed_are_not_what_was_loaded() {
        let folder = std::env::temp_dir().join(format!("millpond-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [model, weights] = ["m.onnx", "w.bin"].map(|name| folder.join(name));
        fs::write(&model, "model").unwrap();
        fs::write(&weights, "weights").unwrap();
        let files = || Files::new(&model, [weights.clone(), weights.clone()].into_iter());
        let seen = files().unwrap();
        assert_eq!((seen.model(), seen.all.len()), (&*model, 2));
        assert_eq!(seen.check(), Ok(()));
        // As a program does that saves a model again: another file with as many bytes.
        fs::write(folder.join("new"), "WEIGHTS").unwrap();
        fs::rename(folder.join("new"), &weights).unwrap();
        let text = seen.check().unwrap_err();
        assert!(text.contains("w.bin changed"), "{text}");
        let seen = files().unwrap();
        fs::remove_file(&model).unwrap();
        assert!(seen.check().is_err_and(|text| text.contains("m.onnx")));
        assert!(files().is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
