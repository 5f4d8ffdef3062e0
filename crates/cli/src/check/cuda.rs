//! What PyTorch on CUDA did, for processes that use `millpond.torch`: `libmillpond_plugin.so` writes their records to files, which are
//! judged when the program has ended.
//!
//! The files are in a temporary folder, because they grow with the program. Its name is random, and it is removed at the end. A file
//! that is cut short, because the disk is full or the process was killed, lacks its end, and the report says so.

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::fs;
use std::hash::BuildHasher as _;
use std::path::PathBuf;

use millpond_report::{Lost, LostKind, Report, ResolvedFinding};

use super::from;

/// What can be judged there: only work that goes through PyTorch's operators is seen, so what was written before a read, who frees
/// what and what is left at the end is not known.
const RULES: [&str; 2] = ["stream.race", "stream.missing-record-use"];

/// The call of the first record of such a file.
const FIRST_CALL: &str = "millpondCudaCreate";

/// Whether a rule can be judged in records of CUDA.
pub(super) fn judges(rule: &str) -> bool {
    RULES.contains(&rule)
}

/// Whether a record is the first of a device of CUDA.
pub(super) fn begins(call: &str) -> bool {
    call == FIRST_CALL
}

/// Frames of ours and of PyTorch that lie between an operator and the line that called it.
const BETWEEN: [&str; 5] = [
    "/millpond/torch/",
    "/torch/_ops.py",
    "/torch/_compile.py",
    "/torch/_dynamo/",
    "/torch/utils/_python_dispatch.py",
];

/// Names the remedy as PyTorch does, and leaves out frames that say nothing.
pub(super) fn speak(finding: &mut ResolvedFinding) {
    let block = finding.block.iter_mut();
    let of_block = block.flat_map(|block| [Some(&mut block.allocated), block.freed.as_mut()]);
    let operations = finding.operations.iter_mut().chain(of_block.flatten());
    for operation in operations {
        let between = |file: &str| BETWEEN.iter().any(|part| file.contains(part));
        let stack = &mut operation.stack;
        stack.retain(|frame| !between(&frame.file));
    }
    if let Some(advice) = &mut finding.advice {
        *advice = advice.replace(
            "call millpondRecordUse, before the block is freed",
            "call record_stream on the tensor, before it is freed",
        );
    }
}

/// The record files of one run.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The first process that uses a GPU makes it, so nothing stays of other programs, and they need no such folder.
    pub(super) fn new() -> Self {
        let number = RandomState::new().hash_one(std::process::id());
        let name = format!("millpond-check-{number:016x}");
        let path = std::env::temp_dir().join(name);
        Self { path }
    }

    /// The file of each process.
    pub(super) fn file(&self) -> OsString {
        self.path.join("%p.mpt").into()
    }

    /// Judges the files, and returns how many there were.
    pub(super) fn judge(&self, rules: &[String], report: &mut Report) -> usize {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort();
        for file in &files {
            if let Err(refusal) = from::judge_process(file, rules, report) {
                report
                    .lost
                    .push(Lost::new(LostKind::FindingsUnreadable, refusal.what));
            }
        }
        files.len()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays in the folder for temporary files, which the system empties.
        drop(fs::remove_dir_all(&self.path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_exist() {
        for rule in RULES {
            assert!(millpond_check::Rule::find(rule).is_some(), "{rule}");
        }
    }

    #[test]
    fn the_folder_is_removed_with_what_is_in_it() {
        let folder = Folder::new();
        let path = folder.path.clone();
        assert!(!path.exists());
        fs::create_dir(&path).unwrap();
        assert!(folder.file().to_string_lossy().ends_with("/%p.mpt"));
        fs::write(path.join("7.mpt"), "not a record file").unwrap();
        let mut report = Report::default();
        assert_eq!(folder.judge(&[], &mut report), 1);
        assert_eq!(report.lost.len(), 1);
        drop(folder);
        assert!(!path.exists());
    }
}
