//! `millpond check` passes only when it checked: processes that come late, stay, change themselves or are killed, with the
//! real library.

mod common;

use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;

use common::{Real, all, kill, output, stderr, stdout};

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
    for words in ["marks", "marks open right tidy"] {
        let result = real.check(&[], words);
        assert_eq!(result.status.code(), Some(0), "{}", all(&result));
    }
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
        stderr(&result).contains("cannot reach millpond check"),
        "{}",
        all(&result)
    );
    // One that is not checked runs.
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
    out.read_exact(&mut line).expect("the program's word");
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
    out.read_exact(&mut line).expect("the program's word");
    // Kept: the end of its input would end the program too.
    let input = child.stdin.take();
    child.kill().expect("a signal");
    child.wait().expect("its end");
    // The program has the other end of this pipe, and waits for nothing that comes: it ends because it was killed.
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).expect("the end of its output");
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
