//! `millpond check` passes only when it checked: findings, reports and record files that could be lost, with the real
//! library.

mod common;

use std::fs;

use common::{Real, all, output, path, stderr, stdout};

#[test]
fn a_right_program_passes_and_a_wrong_one_does_not() {
    let real = Real::new("complete-basic");
    let right = real.check(&[], "open right tidy");
    assert_eq!(right.status.code(), Some(0), "{}", all(&right));
    assert!(stderr(&right).contains("millpond check: no findings\n"));
    let wrong = real.check(&[], "open race tidy");
    assert_eq!(wrong.status.code(), Some(1), "{}", all(&wrong));
    assert!(stderr(&wrong).contains("stream.race"));
}

#[test]
fn findings_need_no_folder_for_temporary_files() {
    let real = Real::new("complete-tmpdir");
    let mut command = real.command(&["--format", "json"], "open race tidy");
    let result = output(command.env("TMPDIR", "/proc/no such folder"));
    assert_eq!(result.status.code(), Some(1), "{}", all(&result));
    assert!(stdout(&result).contains("\"rule\": \"stream.race\""));
}

#[test]
fn a_finding_that_could_not_be_written_does_not_pass() {
    let real = Real::new("complete-unwritten");
    let result = real.check(&["--format", "json"], "open no-files race tidy");
    assert_eq!(result.status.code(), Some(125), "{}", all(&result));
    // It was printed, and the program did not notice.
    assert!(
        stderr(&result).contains("error[stream.race]"),
        "{}",
        all(&result)
    );
    assert!(
        stderr(&result).contains("cannot write findings"),
        "{}",
        all(&result)
    );
    assert!(
        stdout(&result).contains("\"kind\": \"findings-unwritten\""),
        "{}",
        all(&result)
    );
}

#[test]
fn a_record_file_that_lacks_records_does_not_pass() {
    let real = Real::new("complete-records");
    let file = real.stage.folder.join("short.records");
    for (file, words) in [
        ("/dev/full", "open right tidy"),
        ("/no/such/folder/file", "open right tidy"),
        (path(&file), "open no-files right tidy"),
    ] {
        let result = real.check(&["--record", file, "--format", "json"], words);
        assert_eq!(result.status.code(), Some(125), "{file}: {}", all(&result));
        assert!(
            stdout(&result).contains("\"kind\": \"records-unwritten\""),
            "{file}: {}",
            all(&result)
        );
    }
}

#[test]
fn a_program_that_closes_descriptors_keeps_its_files_and_is_checked() {
    let real = Real::new("complete-closed");
    let records = real.stage.folder.join("closed.records");
    let result = real.check(
        &["--record", records.to_str().expect("plain")],
        "open close race mine tidy mine",
    );
    assert_eq!(result.status.code(), Some(1), "{}", all(&result));
    assert!(stderr(&result).contains("stream.race"), "{}", all(&result));
    let again = output(real.stage.millpond(&["check", "--from"]).arg(&records));
    assert_eq!(again.status.code(), Some(1), "{}", all(&again));
}

#[test]
fn a_damaged_record_file_does_not_pass() {
    let real = Real::new("complete-damaged");
    let whole = real.stage.folder.join("whole.records");
    let result = real.check(&["--record", whole.to_str().expect("plain")], "open tidy");
    assert_eq!(result.status.code(), Some(0), "{}", all(&result));
    let bytes = fs::read(&whole).expect("the records");
    let mut flipped = bytes.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    for (name, bytes, part) in [
        ("flipped", &flipped[..], "at byte"),
        ("cut", &bytes[..bytes.len() - 9], "ends inside a block"),
        ("header only", &bytes[..100.min(bytes.len())], "not closed"),
    ] {
        let file = real.stage.folder.join(format!("{name}.records"));
        fs::write(&file, bytes).expect("a file");
        for format in ["text", "json", "junit", "sarif", "html"] {
            let mut command = real
                .stage
                .millpond(&["check", "--format", format, "--from"]);
            let result = output(command.arg(&file));
            assert_eq!(result.status.code(), Some(125), "{name}: {}", all(&result));
            assert!(stdout(&result).contains(part), "{name}: {}", all(&result));
            if format == "junit" {
                assert!(
                    !stdout(&result).contains("errors=\"0\""),
                    "{}",
                    all(&result)
                );
                assert!(stdout(&result).contains("<error "), "{}", all(&result));
            }
            if format == "sarif" {
                assert!(
                    stdout(&result).contains("\"executionSuccessful\": false"),
                    "{}",
                    all(&result)
                );
            }
        }
    }
}

#[test]
fn a_report_that_cannot_be_written_does_not_pass() {
    let real = Real::new("complete-full");
    for form in ["json", "sarif", "junit", "html"] {
        let mut command = real.command(&["--format", form], "open tidy");
        let full = fs::File::create("/dev/full").expect("a device");
        let result = output(command.stdout(full));
        assert_eq!(result.status.code(), Some(125), "{}", all(&result));
        assert!(stderr(&result).contains("cannot write"), "{}", all(&result));
    }
    let result = real.check(&["-o", "/dev/full"], "open race tidy");
    assert_eq!(result.status.code(), Some(125), "{}", all(&result));
    assert!(
        stderr(&result).contains("millpond check: 1 error\n"),
        "{}",
        all(&result)
    );
    for options in [&[][..], &["--schedules", "2"]] {
        let mut command = real.command(options, "open tidy");
        let full = fs::File::create("/dev/full").expect("a device");
        let result = output(command.stderr(full));
        assert_eq!(result.status.code(), Some(125), "{}", all(&result));
    }
    let mut command = real.stage.millpond(&["check", "--rules", "list"]);
    let full = fs::File::create("/dev/full").expect("a device");
    assert_eq!(output(command.stdout(full)).status.code(), Some(125));
}

#[test]
fn a_closed_stdout_or_stderr_does_not_pass() {
    let real = Real::new("complete-closed");
    let program = real.command(&[], "open tidy");
    let words: Vec<_> = program.get_args().skip(1).collect();
    let millpond = program.get_program();
    for (script, status) in [
        (r#"exec "$0" check "$@" 2>&-"#, 125),
        (r#"exec "$0" check --format json "$@" >&-"#, 125),
        // The report is in a file, and the summary is heard.
        (r#"exec "$0" check "$@" >&-"#, 0),
        (r#"exec "$0" check "$@""#, 0),
    ] {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", script]).arg(millpond).args(&words);
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let result = output(&mut shell);
        assert_eq!(
            result.status.code(),
            Some(status),
            "{script}: {}",
            all(&result)
        );
    }
}

#[test]
fn a_process_with_an_emptied_environment_does_not_pass_unchecked() {
    let real = Real::new("complete-emptied");
    let library = real.stage.lib();
    // The loader finds the library, and nothing else is left of what the command set.
    for (environment, status) in [("", 125), ("MILLPOND_CHECK=0 ", 0)] {
        let script = format!(
            "{0} open tidy && env -i LD_LIBRARY_PATH={1} {environment}{0} open tidy",
            real.program().display(),
            library.display()
        );
        let mut command = real.stage.millpond(&["check", "--", "sh", "-c", &script]);
        let result = output(&mut command);
        assert_eq!(result.status.code(), Some(status), "{}", all(&result));
        let said = stderr(&result).contains("1 process used the library without a checker");
        assert_eq!(said, status == 125, "{}", all(&result));
    }
}

#[test]
fn only_regular_files_are_read() {
    let real = Real::new("complete-special");
    let pipe = real.stage.folder.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let pipe = pipe.to_str().expect("plain");
    for special in [pipe, "/dev/zero"] {
        for arguments in [
            &["records", special][..],
            &["check", "--from", special],
            &["check", "--suppressions", special, "--", "true"],
        ] {
            let result = output(&mut real.stage.millpond(arguments));
            assert_eq!(
                result.status.code(),
                Some(2),
                "{arguments:?}: {}",
                all(&result)
            );
            assert!(
                stderr(&result).contains("not a regular file"),
                "{arguments:?}: {}",
                all(&result)
            );
        }
    }
    let large = real.stage.folder.join("large");
    let file = fs::File::create(&large).expect("a file");
    file.set_len(1 << 40).expect("a sparse file");
    let result =
        output(
            &mut real
                .stage
                .millpond(&["check", "--suppressions", path(&large), "--", "true"]),
        );
    assert_eq!(result.status.code(), Some(2), "{}", all(&result));
    assert!(stderr(&result).contains("larger than"), "{}", all(&result));
}

#[test]
fn no_control_character_of_a_program_reaches_the_terminal() {
    let real = Real::new("complete-escape");
    let mut command = real.stage.millpond(&["run", "--records", "stderr", "--"]);
    command
        .arg(real.program())
        .args(["open", "escape", "tidy"])
        .env("MILLPOND_CHECK", "1")
        .env("MILLPOND_CHECK_RULES", "\u{1b}[31m")
        .env("MILLPOND_CHECK_FINDINGS", "/no/such/\u{1b}[31m")
        .env("MILLPOND_CHECK_SUPPRESSIONS", "/no/such/\u{1b}[31m")
        .env("MILLPOND_RECORD", "/no/such/\u{1b}[31m")
        .env("MILLPOND_MSTX_TOOLS", "/no/such/\u{1b}[31m")
        .env("ASCEND_SLOG_PRINT_TO_STDOUT", "1");
    let result = output(&mut command);
    assert_eq!(result.status.code(), Some(0), "{}", all(&result));
    let text = all(&result);
    for part in ["mark", "file", "nothing is recorded"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        text.contains("\\u{1b}") && !text.contains('\u{1b}'),
        "{}",
        text.escape_debug()
    );
}
