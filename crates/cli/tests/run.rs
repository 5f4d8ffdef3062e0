//! `millpond run`, with real programs.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;

use common::{Stage, output, stderr, stdout};

#[test]
fn a_program_gets_our_library_and_keeps_its_output() {
    let stage = Stage::new("run-plain");
    let program = stage.program("plain", &[]);
    let result = output(stage.millpond(&["run", "--"]).arg(program));
    assert_eq!(stdout(&result), "ours\n", "{}", stderr(&result));
    assert_eq!(stderr(&result), "");
}

#[test]
fn a_vendors_library_in_the_path_does_not_win() {
    let stage = Stage::new("run-vendor-path");
    let program = stage.program("vendor-path", &[]);
    let result = output(
        stage
            .millpond(&["run", "--"])
            .arg(program)
            .env("LD_LIBRARY_PATH", stage.vendor()),
    );
    assert_eq!(stdout(&result), "ours\n", "{}", stderr(&result));
}

#[test]
fn a_program_with_a_runpath_to_a_vendor_follows_us() {
    let stage = Stage::new("run-runpath");
    let path = format!("-Wl,--enable-new-dtags,-rpath,{}", stage.vendor().display());
    let program = stage.program("runpath", &[&path]);
    let result = output(stage.millpond(&["run", "--"]).arg(program));
    assert_eq!(stdout(&result), "ours\n");
    assert_eq!(stderr(&result), "");
}

#[test]
fn a_program_with_an_old_rpath_to_a_vendor_gets_ours_preloaded_and_a_note() {
    let stage = Stage::new("run-rpath");
    let path = "-Wl,--disable-new-dtags,-rpath,$ORIGIN/vendor/lib64";
    let program = stage.program("rpath", &[path]);
    let alone = output(std::process::Command::new(&program).env_clear());
    assert_eq!(stdout(&alone), "theirs\n", "the program is as meant");

    let result = output(stage.millpond(&["run", "--"]).arg(&program));
    assert_eq!(stdout(&result), "ours\n", "{}", stderr(&result));
    assert!(stderr(&result).contains("DT_RPATH"), "{}", stderr(&result));
}

#[test]
fn a_script_is_run_too() {
    let stage = Stage::new("run-script");
    let script = stage.folder.join("script");
    fs::write(&script, "#!/bin/sh\necho \"$1 $ASCEND_HOME_PATH\"\n").expect("a script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("rights");
    let result = output(
        stage
            .millpond(&["run"])
            .arg("--")
            .arg(script)
            .arg("--option"),
    );
    let home = stage.folder.join("dist");
    assert_eq!(stdout(&result), format!("--option {}\n", home.display()));
}

#[test]
fn options_become_variables_and_the_rest_of_the_environment_stays() {
    let stage = Stage::new("run-options");
    let arguments = [
        "run",
        "--profile",
        "ascend910b4",
        "--devices",
        "2",
        "--capacity",
        "8G",
        "--schedule",
        "seed=7",
        "--records",
        "stderr",
        "--",
        "env",
    ];
    let result = output(
        stage
            .millpond(&arguments)
            .env("KEPT", "yes")
            .env("MILLPOND_DEVICES", "5"),
    );
    let text = stdout(&result);
    for line in [
        "MILLPOND_PROFILE=ascend910b4",
        "MILLPOND_DEVICES=2",
        "MILLPOND_CAPACITY=8G",
        "MILLPOND_SCHEDULE=seed=7",
        "MILLPOND_RECORDS=stderr",
        "KEPT=yes",
    ] {
        assert!(
            text.lines().any(|found| found == line),
            "{line} is not in:\n{text}"
        );
    }
}

#[test]
fn annotations_lead_to_our_library_and_a_users_tool_is_handed_on() {
    let stage = Stage::new("run-injection");
    let result = output(
        stage
            .millpond(&["run", "--", "env"])
            .env("MSTX_INJECTION_PATH", "/home/u/libmine.so"),
    );
    let text = stdout(&result);
    let library = stage.lib().join("libascendcl.so");
    for line in [
        format!("MSTX_INJECTION_PATH={}", library.display()),
        "MILLPOND_MSTX_TOOLS=/home/u/libmine.so".to_owned(),
    ] {
        assert!(
            text.lines().any(|found| found == line),
            "{line} is not in:\n{text}"
        );
    }
}

#[test]
fn the_exit_code_and_the_signal_are_the_programs_own() {
    let stage = Stage::new("run-exit");
    let result = output(&mut stage.millpond(&["run", "--", "sh", "-c", "exit 42"]));
    assert_eq!(result.status.code(), Some(42));
    // SIGPIPE, which the command itself ignores, must not be ignored in the program.
    for (name, number) in [("TERM", 15), ("PIPE", 13)] {
        let line = format!("kill -{name} $$");
        let result = output(&mut stage.millpond(&["run", "--", "sh", "-c", &line]));
        assert_eq!(result.status.signal(), Some(number), "{name}");
    }
}

#[test]
fn what_cannot_be_started_is_told_by_code_sentence_and_hint() {
    let stage = Stage::new("run-refused");
    let plain = stage.folder.join("plain-file");
    fs::write(&plain, "text").expect("a file");
    let broken = stage.folder.join("broken");
    fs::write(&broken, "#!/no/such/interpreter\n").expect("a file");
    fs::set_permissions(&broken, fs::Permissions::from_mode(0o755)).expect("rights");
    let foreign = stage.folder.join("foreign");
    let mut other_machine = fs::read(env!("CARGO_BIN_EXE_millpond")).expect("the command");
    other_machine[18] ^= 0xff;
    fs::write(&foreign, other_machine).expect("a file");
    fs::set_permissions(&foreign, fs::Permissions::from_mode(0o755)).expect("rights");

    for (program, code, sentence) in [
        ("no-such-program-anywhere", 127, "not found in PATH"),
        ("/no/such/file", 127, "not found"),
        (broken.to_str().expect("a plain path"), 127, "interpreter"),
        (plain.to_str().expect("a plain path"), 126, "not executable"),
        (
            foreign.to_str().expect("a plain path"),
            126,
            "another machine",
        ),
        ("/", 126, "is a folder"),
    ] {
        let result = output(&mut stage.millpond(&["run", "--", program]));
        let text = stderr(&result);
        assert_eq!(result.status.code(), Some(code), "{program}: {text}");
        assert!(
            text.contains(sentence) && text.contains("\nhint: "),
            "{program}: {text}"
        );
        assert_eq!(stdout(&result), "");
    }
}

#[test]
fn without_our_library_nothing_is_started() {
    let stage = Stage::bare("run-no-library");
    let result = output(&mut stage.millpond(&["run", "--", "echo", "started"]));
    assert_eq!(result.status.code(), Some(125));
    assert_eq!(stdout(&result), "");
    assert!(stderr(&result).contains("hint: cargo xtask dist"));
}

#[test]
fn wrong_values_are_refused_before_the_program_starts() {
    let stage = Stage::new("run-values");
    for option in ["--capacity=lots", "--devices=-1", "--schedule=sometimes"] {
        let result = output(&mut stage.millpond(&["run", option, "--", "echo", "started"]));
        assert_eq!(result.status.code(), Some(2), "{option}");
        assert_eq!(stdout(&result), "");
    }
}

#[test]
fn the_engine_is_told_not_to_report_unless_the_user_decides() {
    let stage = Stage::new("run-reports");
    let value = |set: Option<&str>| {
        let mut command = stage.millpond(&["run", "--", "env"]);
        match set {
            Some(value) => command.env("ORT_DISABLE_TELEMETRY", value),
            None => command.env_remove("ORT_DISABLE_TELEMETRY"),
        };
        let text = stdout(&output(&mut command));
        let lines = text.lines();
        let mut values = lines.filter_map(|line| line.strip_prefix("ORT_DISABLE_TELEMETRY="));
        values.next().map(str::to_owned)
    };
    assert_eq!(value(None).as_deref(), Some("1"));
    assert_eq!(value(Some("0")).as_deref(), Some("0"));
}

#[test]
fn explain_tells_what_was_changed() {
    let stage = Stage::new("run-explain");
    let result = output(&mut stage.millpond(&["run", "--explain", "--", "true"]));
    let line = format!("millpond: LD_LIBRARY_PATH={}\n", stage.lib().display());
    assert!(stderr(&result).contains(&line), "{}", stderr(&result));
}
