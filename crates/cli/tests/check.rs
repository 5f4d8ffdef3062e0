//! `millpond check`, with programs that write what the library would.

mod common;

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use common::{Stage, output, stderr, stdout};
use millpond_trace::file::Writer;
use millpond_trace::{Operation, Record, Sink, Site};

/// What a process with the library appends: `say` in a script writes a line of the findings file.
const SAY: &str = r#"#!/bin/sh
say() { printf '{"process":"%s",%s\n' $$ "${1#?}" >> "$MILLPOND_CHECK_FINDINGS"; }
begin() { say "{\"begin\":{\"pid\":$$,\"version\":\"0\",\"program\":\"fake\"}}"; }
end() { say '{"times":[3]}'; say '{"end":{"records":10,"peak_state_bytes":20,"dropped_facts":0}}'; }
race='{"finding":{"rule":"stream.race","severity":"error","message":"two streams meet","operations":[{"what":"reads","record":2,"thread":1,"stream":1,"call":"aclrtMemcpyAsync","stack":[{"function":"consume","file":"/src/a.c","line":4}]}]}}'
hint='{"finding":{"rule":"memory.never-used","severity":"hint","message":"never used","operations":[]}}'
"#;

fn script(stage: &Stage, name: &str, lines: &str) -> PathBuf {
    let path = stage.folder.join(name);
    fs::write(&path, format!("{SAY}{lines}\n")).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("rights");
    path
}

fn check(stage: &Stage, options: &[&str], program: &PathBuf) -> Output {
    let mut command = stage.millpond(&["check"]);
    command.args(options).arg("--").arg(program);
    output(command.env("TMPDIR", &stage.folder))
}

/// What the run left in the folder for temporary files.
fn left_behind(stage: &Stage) -> usize {
    let entries = fs::read_dir(&stage.folder).expect("the folder").flatten();
    entries
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .starts_with("millpond-check")
        })
        .count()
}

#[test]
fn findings_make_the_status_one_and_hints_do_not() {
    let stage = Stage::new("check-status");
    let racy = script(
        &stage,
        "racy",
        "begin; say \"$race\"; end; echo out; exit 0",
    );
    let result = check(&stage, &[], &racy);
    assert_eq!(result.status.code(), Some(1), "{}", stderr(&result));
    assert_eq!(stdout(&result), "out\n");
    let text = stderr(&result);
    assert!(text.contains("millpond check: 1 error\n"), "{text}");
    assert!(text.contains("stream.race     1"), "{text}");
    assert!(text.contains("2 repeats"), "{text}");

    let hinted = script(&stage, "hinted", "begin; say \"$hint\"; end; exit 7");
    let result = check(&stage, &[], &hinted);
    assert_eq!(result.status.code(), Some(7));
    assert!(stderr(&result).contains("no findings and 1 hint"));
    assert_eq!(left_behind(&stage), 0);
}

#[test]
fn without_findings_the_programs_own_end_counts() {
    let stage = Stage::new("check-end");
    for (lines, code, part) in [
        ("begin; end; exit 42", 42, "no findings"),
        (
            "begin; kill -TERM $$; sleep 5",
            143,
            "killed by signal 15 (SIGTERM)",
        ),
        ("begin; kill -KILL $$", 137, "did not exit cleanly"),
        ("exit 0", 125, "nothing was checked"),
        ("exit 42", 125, "exit status 42"),
    ] {
        let program = script(&stage, "program", lines);
        let result = check(&stage, &[], &program);
        assert_eq!(result.status.code(), Some(code), "{lines}");
        assert!(stderr(&result).contains(part), "{}", stderr(&result));
    }
    let killed = script(&stage, "killed", "begin; say \"$race\"; kill -KILL $$");
    assert_eq!(check(&stage, &[], &killed).status.code(), Some(1));
    assert_eq!(left_behind(&stage), 0);
}

#[test]
fn what_cannot_be_started_has_the_codes_of_run() {
    let stage = Stage::new("check-refused");
    for (program, code) in [("no-such-program-anywhere", 127), ("/", 126)] {
        let result = check(&stage, &[], &PathBuf::from(program));
        assert_eq!(result.status.code(), Some(code), "{program}");
    }
    let bare = Stage::bare("check-no-library");
    let result = check(&bare, &[], &PathBuf::from("true"));
    assert_eq!(result.status.code(), Some(125));
}

#[test]
fn options_become_the_variables_of_the_library() {
    let stage = Stage::new("check-variables");
    let known = stage.folder.join("known.txt");
    fs::write(&known, "[heap.*]\nreason = b").expect("a file");
    let program = script(&stage, "program", "env; end");
    let known = known.to_str().expect("a plain path");
    let options = [
        "--schedule",
        "latest",
        "--capacity",
        "8G",
        "--profile",
        "ascend910b4",
        "--rules",
        "stream.race, memory.*",
        "--leak-check",
        "no",
        "--pinned-access",
        "no",
        "--stacks",
        "0",
        "--fault",
        "aclrtMalloc:nth=3:code=207001",
        "--fault",
        "aclrtFree:nth=1",
        "--record",
        "/tmp/x.records",
        "--colour",
        "never",
        "--suppressions",
        known,
    ];
    let result = check(&stage, &options, &program);
    let text = stdout(&result);
    for line in [
        "MILLPOND_CHECK=1",
        "MILLPOND_SCHEDULE=latest",
        "MILLPOND_CAPACITY=8G",
        "MILLPOND_PROFILE=ascend910b4",
        "MILLPOND_CHECK_PINNED=no",
        "MILLPOND_CHECK_RULES=stream.race,memory.*",
        "MILLPOND_CHECK_LEAKS=no",
        "MILLPOND_CHECK_STACKS=0",
        "MILLPOND_FAULT=aclrtMalloc:nth=3:code=207001;aclrtFree:nth=1",
        "MILLPOND_RECORD=/tmp/x.records",
        "MILLPOND_CHECK_COLOUR=never",
        &format!("MILLPOND_CHECK_SUPPRESSIONS={known}"),
    ] {
        assert!(text.lines().any(|found| found == line), "{line}:\n{text}");
    }
}

#[test]
fn arguments_that_cannot_be_meant_are_refused_before_the_program_runs() {
    let stage = Stage::new("check-arguments");
    let program = script(&stage, "program", "echo ran");
    let bad = stage.folder.join("bad.txt");
    fs::write(&bad, "[stream.race]\nfunction = x").expect("a file");
    let bad = bad.to_str().expect("a plain path");
    for (options, code, part) in [
        (
            vec!["--rules", "stream.rase"],
            2,
            "did you mean stream.race?",
        ),
        (vec!["--rules", ","], 2, "is empty"),
        (
            vec!["--fault", "aclrtMalloc"],
            2,
            "missing nth, every, after or one-in",
        ),
        (vec!["--schedules", "0"], 2, "0"),
        (
            vec!["--schedules", "2", "--schedule", "eager"],
            2,
            "cannot be used",
        ),
        (vec!["--format", "pdf"], 2, "pdf"),
        (vec!["--suppressions", "/no/such/file"], 2, "/no/such/file"),
        (
            vec!["--suppressions", bad],
            2,
            "bad.txt:1: [stream.race] has no reason",
        ),
        (
            vec!["-o", "/no/such/folder/report.html"],
            125,
            "cannot write",
        ),
    ] {
        let result = check(&stage, &options, &program);
        assert_eq!(
            result.status.code(),
            Some(code),
            "{options:?}: {}",
            stderr(&result)
        );
        assert!(
            stderr(&result).contains(part),
            "{options:?}: {}",
            stderr(&result)
        );
        assert_eq!(stdout(&result), "");
    }
    let nothing = output(&mut stage.millpond(&["check"]));
    assert_eq!(nothing.status.code(), Some(2));
    let not_records = output(stage.millpond(&["check", "--from"]).arg(&program));
    assert_eq!(not_records.status.code(), Some(2));
    assert!(stderr(&not_records).contains("not a record file"));
}

#[test]
fn suppressions_hide_and_the_unused_are_named() {
    let stage = Stage::new("check-suppressions");
    let racy = script(&stage, "racy", "begin; say \"$race\"; end");
    let (known, unused) = (stage.folder.join("known"), stage.folder.join("unused"));
    fs::write(&known, "[stream.race]\nfunction = consume\nreason = known").expect("a file");
    fs::write(&unused, "[heap.*]\nreason = never").expect("a file");
    let options = [
        "--suppressions",
        known.to_str().expect("a plain path"),
        "--suppressions",
        unused.to_str().expect("a plain path"),
    ];
    let result = check(&stage, &options, &racy);
    assert_eq!(result.status.code(), Some(0), "{}", stderr(&result));
    let text = stderr(&result);
    assert!(text.contains("1 suppressed"), "{text}");
    assert!(
        text.contains("never used") && text.contains("unused:1: [heap.*]"),
        "{text}"
    );
}

#[test]
fn a_report_on_stdout_is_alone_there() {
    let stage = Stage::new("check-stdout");
    let racy = script(
        &stage,
        "racy",
        "begin; say \"$race\"; end; echo words of the program",
    );
    for (format, start) in [
        ("json", "{"),
        ("sarif", "{"),
        ("junit", "<?xml"),
        ("html", "<!doctype html>"),
    ] {
        let result = check(&stage, &["--format", format], &racy);
        assert!(stdout(&result).starts_with(start), "{format}");
        assert!(!stdout(&result).contains("words of the program"));
        assert!(stderr(&result).contains("words of the program"));
        assert!(stdout(&result).contains("stream.race"));
        assert_eq!(result.status.code(), Some(1));
    }
}

#[test]
fn a_report_in_a_file_has_the_form_of_its_name_and_the_program_keeps_its_output() {
    let stage = Stage::new("check-file");
    let racy = script(&stage, "racy", "begin; say \"$race\"; end; echo mine");
    for (name, part) in [
        ("r.json", "\"findings\": ["),
        ("r.sarif", "\"version\": \"2.1.0\""),
        ("r.xml", "<testsuite "),
        ("r.html", "<!doctype html>"),
        ("r.txt", "error[stream.race]"),
    ] {
        let file = stage.folder.join(name);
        fs::write(&file, "an old report that is longer than nothing").expect("a file");
        let result = check(&stage, &["-o", file.to_str().expect("plain")], &racy);
        assert_eq!(stdout(&result), "mine\n");
        let text = fs::read_to_string(&file).expect("the report");
        assert!(text.contains(part), "{name}: {text}");
        assert!(!text.contains("an old report"));
        assert!(stderr(&result).contains(name), "where it lies is said");
    }
}

#[test]
fn several_processes_of_one_program_are_all_read() {
    let stage = Stage::new("check-processes");
    let worker = script(&stage, "worker", "begin; say \"$race\"; end");
    let lines = format!(
        "begin; '{0}' & '{0}' & wait; say \"$hint\"; end",
        worker.display()
    );
    let parent = script(&stage, "parent", &lines);
    let result = check(&stage, &["--format", "json"], &parent);
    let text: String = stdout(&result).split_whitespace().collect();
    assert!(text.contains("\"errors\":1,"), "{text}");
    assert!(text.contains("\"times\":6"), "{text}");
    assert!(text.contains("\"records\":30"), "{text}");
}

#[test]
fn seeds_are_tried_and_the_smallest_that_fails_is_named() {
    let stage = Stage::new("check-seeds");
    let lines = "begin; case $MILLPOND_SCHEDULE in seed=3|seed=4) say \"$race\";; esac; end";
    let program = script(&stage, "it's", lines);
    let result = check(
        &stage,
        &[
            "--schedules",
            "4",
            "--leak-check",
            "no",
            "--pinned-access",
            "no",
        ],
        &program,
    );
    assert_eq!(result.status.code(), Some(1));
    let text = stderr(&result);
    for part in [
        "seed=1: no findings\n",
        "seed=2: no findings\n",
        "seed=3: 1 finding, exit status 0\n",
        "seed=4: 1 finding, exit status 0\n",
        "the smallest seed that fails is 3",
        "millpond check --schedule seed=3 --leak-check no --pinned-access no -- '",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert_eq!(
        text.matches("error[stream.race]").count(),
        1,
        "told once:\n{text}"
    );

    let crashing = script(
        &stage,
        "crashing",
        "begin; end; test $MILLPOND_SCHEDULE != seed=2",
    );
    let result = check(&stage, &["--schedules", "3"], &crashing);
    assert_eq!(result.status.code(), Some(1), "the program's own status");
    assert!(stderr(&result).contains("the smallest seed that fails is 2"));
}

#[test]
fn a_signal_to_the_command_reaches_the_program_and_the_report_is_still_written() {
    let stage = Stage::new("check-signals");
    let lines = "begin; say \"$race\"; trap 'end; exit 9' TERM; echo ready; \
                 while :; do sleep 0.02; done";
    let program = script(&stage, "program", lines);
    let file = stage.folder.join("report.json");
    let mut command = stage.millpond(&["check", "-o"]);
    command.arg(&file).arg("--").arg(&program);
    let mut child = command
        .env("TMPDIR", &stage.folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut line = [0; 6];
    let out = child.stdout.as_mut().expect("its stdout");
    out.read_exact(&mut line).expect("the program is ready");
    let kill = Command::new("kill").arg(child.id().to_string()).status();
    assert!(kill.expect("kill").success());
    let status = child.wait().expect("its end");
    assert_eq!(status.code(), Some(1));
    let text = fs::read_to_string(file).expect("the report");
    assert!(
        text.contains("\"records\": 10"),
        "the program ended in order: {text}"
    );
    assert_eq!(left_behind(&stage), 0);
}

#[test]
fn a_record_file_is_judged_without_a_program_and_one_that_was_cut_says_so() {
    let stage = Stage::bare("check-from");
    let whole = stage.folder.join("whole.records");
    let writer = Writer::create(&whole).expect("a file");
    for order in 1..=50 {
        writer.record(&Record {
            order,
            nanoseconds: order,
            thread: 1,
            site: Site::default(),
            operation: Operation::ContextCreated {
                context: order,
                device: 0,
            },
        });
    }
    writer.close();
    let result = output(stage.millpond(&["check", "--from"]).arg(&whole));
    assert_eq!(result.status.code(), Some(0), "{}", stderr(&result));
    assert_eq!(stdout(&result), "millpond check: no findings\n");

    let bytes = fs::read(&whole).expect("the file");
    let cut = stage.folder.join("cut.records");
    fs::write(&cut, &bytes[..bytes.len() - 20]).expect("a file");
    let options = ["check", "--format", "json", "--from"];
    let result = output(stage.millpond(&options).arg(&cut));
    assert_eq!(result.status.code(), Some(125));
    assert!(
        stdout(&result).contains("was not closed"),
        "{}",
        stdout(&result)
    );
}

/// The record file of a rank that calls `HcclAllReduce` with these counts.
fn rank_file(file: &std::path::Path, rank: u32, counts: &[u64]) {
    let writer = Writer::create(file).expect("a file");
    let mut order = 0;
    let mut write = |call: &'static str, operation| {
        order += 1;
        let site = Site {
            call: call.into(),
            caller: order,
            ..Site::default()
        };
        writer.record(&Record {
            order,
            nanoseconds: order,
            thread: 1,
            site,
            operation,
        });
    };
    let communicator = || "0123".to_owned();
    write(
        "HcclCommInitRootInfo",
        Operation::RankJoined {
            communicator: communicator(),
            name: "world".to_owned(),
            rank,
            ranks: 3,
        },
    );
    for (count, task) in counts.iter().zip(1..) {
        write(
            "HcclAllReduce",
            Operation::RankCalled {
                communicator: communicator(),
                rank,
                position: millpond_trace::Position { stream: 1, task },
                function: "HcclAllReduce".into(),
                count: *count,
                element: "float32".into(),
                reduction: "sum".into(),
                root: None,
                parts: 0,
                messages: Vec::new(),
            },
        );
    }
    writer.close();
}

#[test]
fn record_files_of_ranks_are_judged_together() {
    let stage = Stage::bare("check-from-ranks");
    let folders: Vec<PathBuf> = (0..3)
        .map(|rank| stage.folder.join(format!("rank{rank}")))
        .collect();
    let judged = |counts: [&[u64]; 3], options: &[&str], folders: &[PathBuf]| {
        for ((rank, folder), counts) in (0..).zip(folders).zip(counts) {
            fs::create_dir_all(folder).expect("a folder");
            fs::write(folder.join("log.txt"), "not a record file").expect("a file");
            rank_file(&folder.join("a.records"), rank, counts);
        }
        let options = [&["check"], options, &["--from"]].concat();
        output(stage.millpond(&options).args(folders))
    };
    let same: &[u64] = &[4, 8];
    let result = judged([same; 3], &[], &folders);
    assert_eq!(result.status.code(), Some(0), "{}", stdout(&result));
    assert_eq!(stdout(&result), "millpond check: no findings\n");

    let result = judged([same, &[4, 9], same], &[], &folders);
    assert_eq!(result.status.code(), Some(1));
    let text = stdout(&result);
    for part in [
        "error[collective.mismatch]",
        "the count of operation 2 of communicator world is 8 on rank 0 and 9 on rank 1",
        "the last operation that matched is HcclAllReduce(count 4, float32, sum)",
        "also on rank 2",
    ] {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(part), "{part}: {text}");
    }
    let result = judged([same, &[4, 9], same], &["--format", "html"], &folders);
    assert!(stdout(&result).contains("operation 1, the last that matched"));
    let rules = ["--rules", "memory.*"];
    let result = judged([same, &[4, 9], same], &rules, &folders);
    assert_eq!(result.status.code(), Some(0), "{}", stdout(&result));

    let result = judged([same, &[4], same], &[], &folders);
    assert!(stdout(&result).contains("error[collective.rank-gone]"));
    // Without the file of a rank, the others are compared.
    let result = judged([same, &[4], same], &[], &folders[..1]);
    assert_eq!(result.status.code(), Some(0), "{}", stdout(&result));
    assert!(stdout(&result).contains("2 of the 3 ranks of communicator world have no record file"));

    let empty = stage.folder.join("empty");
    fs::create_dir_all(&empty).expect("a folder");
    let result = output(stage.millpond(&["check", "--from"]).arg(&empty));
    assert_eq!(result.status.code(), Some(2));
    assert!(stderr(&result).contains("there is no record file in this folder"));
}

#[test]
fn records_that_were_asked_for_and_never_written_are_missed() {
    let stage = Stage::new("check-no-records");
    let program = script(&stage, "program", "begin; end");
    let file = stage.folder.join("never.records");
    let result = check(
        &stage,
        &["--record", file.to_str().expect("plain")],
        &program,
    );
    assert!(stderr(&result).contains("no records were written to"));
}

#[test]
fn rules_are_listed_and_explained() {
    let stage = Stage::bare("check-rules");
    let list = output(&mut stage.millpond(&["check", "--rules", "list"]));
    assert!(list.status.success());
    assert!(
        stdout(&list)
            .lines()
            .any(|line| line.starts_with("stream.race ") && line.contains("error"))
    );
    let page = output(&mut stage.millpond(&["check", "--explain", "stream.race"]));
    assert!(page.status.success());
    assert!(stdout(&page).contains("stream.race"), "{}", stdout(&page));
    let unknown = output(&mut stage.millpond(&["check", "--explain", "stream.rice"]));
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("did you mean stream.race?"));
}
