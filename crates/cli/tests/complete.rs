//! `millpond check` passes only when it checked: programs with the real library, in surroundings in which
//! knowledge or output could be lost.

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use common::{Real, output, stderr, stdout};

/// The whole output of a run, for messages of failed assertions.
fn all(result: &Output) -> String {
    format!(
        "{:?}\n{}\n{}",
        result.status,
        stdout(result),
        stderr(result)
    )
}

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
        stderr(&result).contains("could not be written"),
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
        assert!(
            stderr(&result).contains("cannot be written"),
            "{}",
            all(&result)
        );
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
fn processes_that_the_program_leaves_running_are_waited_for() {
    let real = Real::new("complete-background");
    // The program ends before its child has used the library, because that waits for it: the shell's stdin is a
    // pipe whose other end only the shell has.
    let script = format!(
        "mkfifo '{0}/gate'; ('{1}' wait open race tidy < '{0}/gate') & exec 3> '{0}/gate'; exit 0",
        real.stage.folder.display(),
        real.program().display(),
    );
    let mut command = real.stage.millpond(&["check", "--", "sh", "-c", &script]);
    let result = output(command.env("TMPDIR", &real.stage.folder));
    assert_eq!(result.status.code(), Some(1), "{}", all(&result));
    assert!(stderr(&result).contains("stream.race"), "{}", all(&result));

    let daemon = real.check(&[], "daemon open race tidy");
    assert_eq!(daemon.status.code(), Some(1), "{}", all(&daemon));
}

#[test]
fn a_process_that_does_not_end_is_named() {
    let real = Real::new("complete-still-running");
    let start = "sleep 1000 > /dev/null 2>&1 & echo $!; exit 0";
    let result = output(&mut real.stage.millpond(&[
        "check",
        "--wait",
        "0.2",
        "--",
        "sh",
        "-c",
        &format!("'{}' open tidy; {start}", real.program().display()),
    ]));
    assert_eq!(result.status.code(), Some(125), "{}", all(&result));
    assert!(stderr(&result).contains("(sleep)"), "{}", all(&result));
    kill(stdout(&result).trim());
    let result = output(&mut real.stage.millpond(&[
        "check",
        "--wait",
        "0",
        "--",
        "sh",
        "-c",
        &format!("'{}' open tidy; {start}", real.program().display()),
    ]));
    assert_eq!(result.status.code(), Some(0), "{}", all(&result));
    kill(stdout(&result).trim());
}

fn kill(process: &str) {
    let status = std::process::Command::new("kill").arg(process).status();
    assert!(status.expect("kill").success());
}

#[test]
fn a_program_that_never_uses_the_library_does_not_pass_unless_that_is_allowed() {
    let real = Real::new("complete-unused");
    let mut command = real.stage.millpond(&["check", "--", "true"]);
    let result = output(&mut command);
    assert_eq!(result.status.code(), Some(125), "{}", all(&result));
    assert!(
        stderr(&result).contains("nothing was checked"),
        "{}",
        all(&result)
    );
    let mut command = real
        .stage
        .millpond(&["check", "--allow-unused", "--", "true"]);
    let result = output(&mut command);
    assert_eq!(result.status.code(), Some(0), "{}", all(&result));
    assert!(
        stderr(&result).contains("nothing was checked"),
        "{}",
        all(&result)
    );
    // One that loads it and calls nothing is told so.
    let loaded = real.check(&[], "say:hello");
    assert_eq!(loaded.status.code(), Some(125), "{}", all(&loaded));
    assert!(stderr(&loaded).contains("loaded"), "{}", all(&loaded));
}

#[test]
fn annotations_alone_are_a_use_of_the_library() {
    let real = Real::new("complete-mstx");
    let result = real.check(&[], "mstx");
    assert_eq!(result.status.code(), Some(0), "{}", all(&result));
    assert!(
        stderr(&result).contains("millpond check: no findings"),
        "{}",
        all(&result)
    );
}

#[test]
fn what_a_program_does_to_itself_hides_no_finding() {
    let real = Real::new("complete-own-doing");
    for words in [
        "drop-env open race tidy",
        "folder open race tidy",
        "open fork-end race tidy",
        "open race _exit",
        "open drop-env folder race tidy",
        "root open race tidy",
        "open root race tidy",
        "user open race tidy",
        "open user race tidy",
        "open race exec:open,right,tidy",
        "exec:open,race,tidy",
    ] {
        let result = real.check(&[], words);
        assert_eq!(result.status.code(), Some(1), "{words}: {}", all(&result));
    }
    // Where it may become another user, the file that it closed cannot be opened again: that is counted all the same.
    let result = real.check(&[], "open close user race tidy");
    assert!(
        matches!(result.status.code(), Some(1 | 125)),
        "{}",
        all(&result)
    );
    assert!(stderr(&result).contains("error[stream.race]"));
}

#[test]
fn a_process_that_cannot_reach_the_command_does_not_run_unchecked() {
    let real = Real::new("complete-unreachable");
    let mut command = real.stage.millpond(&["run", "--"]);
    command
        .arg(real.program())
        .args(["open", "right", "tidy"])
        .env("MILLPOND_CHECK", "1")
        .env("MILLPOND_CHECK_LEDGER", "/proc/1/fd/no such number");
    let result = output(&mut command);
    assert_eq!(result.status.code(), Some(99), "{}", all(&result));
    assert!(
        stderr(&result).contains("millpond check cannot be reached"),
        "{}",
        all(&result)
    );
    // One that is not checked has nobody to reach.
    let result = output(command.env_remove("MILLPOND_CHECK"));
    assert_eq!(result.status.code(), Some(0), "{}", all(&result));
}

#[test]
fn a_signal_stops_the_schedules() {
    let real = Real::new("complete-signal");
    let mut command = real.command(&["--schedules", "50"], "open say:ready wait tidy");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut out = child.stdout.take().expect("its stdout");
    let mut line = [0; 6];
    std::io::Read::read_exact(&mut out, &mut line).expect("the program's word");
    let mut input = child.stdin.take().expect("its stdin");
    kill(&child.id().to_string());
    // The next program would go on at once, and so would all others.
    drop(input.write_all(b"\n"));
    drop(input);
    let result = child.wait_with_output().expect("its end");
    assert_eq!(result.status.code(), Some(125), "{}", all(&result));
    assert!(
        stderr(&result).contains("after 1 of 50"),
        "{}",
        all(&result)
    );
    assert!(!stderr(&result).contains("seed=2:"), "{}", all(&result));
}

#[test]
fn the_program_ends_with_a_command_that_is_killed_and_nothing_stays() {
    let real = Real::new("complete-killed");
    let mut command = real.command(&[], "open say:ready wait tidy");
    let mut child = command
        .env("TMPDIR", &real.stage.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let mut out = child.stdout.take().expect("its stdout");
    let mut line = [0; 6];
    std::io::Read::read_exact(&mut out, &mut line).expect("the program's word");
    // Kept: the end of its input would end the program too.
    let input = child.stdin.take();
    child.kill().expect("a signal");
    child.wait().expect("its end");
    // The program has the other end of this pipe, and waits for nothing that comes: it ends because it was killed.
    let mut rest = Vec::new();
    std::io::Read::read_to_end(&mut out, &mut rest).expect("the end of its output");
    drop(input);
    let left = fs::read_dir(&real.stage.folder)
        .expect("the folder")
        .flatten();
    let left: Vec<_> = left
        .map(|entry| entry.file_name())
        .filter(|name| name.to_string_lossy().starts_with("millpond-check"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
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
        .env("MILLPOND_FAULT", "\u{1b}[31m")
        .env("MILLPOND_MSTX_TOOLS", "/no/such/\u{1b}[31m")
        .env("ASCEND_SLOG_PRINT_TO_STDOUT", "1");
    let result = output(&mut command);
    assert_eq!(result.status.code(), Some(0), "{}", all(&result));
    let text = all(&result);
    for part in ["mark", "file", "nothing is recorded", "MILLPOND_FAULT"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        text.contains("\\u{1b}") && !text.contains('\u{1b}'),
        "{}",
        text.escape_debug()
    );
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}
