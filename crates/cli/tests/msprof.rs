//! `msprof`: profiles of whole programs with the real library, and what it says when there is nothing to export.

mod common;

use std::fs;
use std::path::PathBuf;

use common::{Real, all, output, stderr, stdout};

fn files(real: &Real, folder: &str) -> Vec<String> {
    let inside = |path: PathBuf| fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
    let profiles: Vec<_> = inside(real.stage.folder.join(folder)).collect();
    assert_eq!(profiles.len(), 1, "one profile");
    let output = profiles[0].path().join("mindstudio_profiler_output");
    let mut names: Vec<String> = inside(output)
        .map(|entry| entry.file_name().into_string().unwrap())
        .map(|name| {
            let end = name.find(|letter: char| letter.is_ascii_digit()).unwrap();
            name[..end].to_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn a_whole_program_is_profiled_and_exported() {
    let real = Real::new("msprof-program");
    let folder = real.stage.folder.join("profile");
    let into = format!("--output={}", folder.display());
    let program = real.program();
    let program = program.to_str().unwrap();
    let words = ["msprof", &into, program, "open", "race", "tidy"];
    let result = output(&mut real.stage.millpond(&words));
    assert!(result.status.success(), "{}", all(&result));
    assert!(stdout(&result).contains("tasks"), "{}", all(&result));
    let names = files(&real, "profile");
    assert_eq!(
        names,
        ["api_statistic_", "msprof_", "npu_mem_", "task_time_"]
    );
    // Exporting again gives the same, and analysing changes nothing.
    for what in ["--export=on", "--analyze=on"] {
        let result = output(&mut real.stage.millpond(&["msprof", what, &into]));
        assert!(result.status.success(), "{}", all(&result));
        assert_eq!(files(&real, "profile"), names);
    }
}

#[test]
fn nothing_to_profile_or_to_export_is_an_error() {
    let real = Real::new("msprof-nothing");
    let into = format!("--output={}", real.stage.folder.join("empty").display());
    fs::create_dir(real.stage.folder.join("empty")).unwrap();
    for (words, says) in [
        (["msprof", into.as_str(), "true"], "used no device"),
        (["msprof", "--export=on", &into], "no profile"),
        (["msprof", "--analyze=on", &into], "no profile"),
        (["msprof", "--export=on", "--output=/nowhere"], "/nowhere"),
        (["msprof", "--nonsense", &into], "not supported"),
    ] {
        let result = output(&mut real.stage.millpond(&words));
        assert!(!result.status.success(), "{words:?}: {}", all(&result));
        assert!(
            stderr(&result).contains(says),
            "{words:?}: {}",
            all(&result)
        );
    }
}
