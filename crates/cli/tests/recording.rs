//! `millpond record`, `millpond export` and `millpond query`, with a real program and with wrong input.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Real, Stage, all, output, path, stderr, stdout};
use millpond_recording::{Kind, open, owner, read_all};

const CSV: &str = "t_us,op,addr,size,stream\n0,a,10,8,0\n1,f,10,8,0\n2,c,10,8,0\n3,a,20,1,0\n";

/// How often each operation is in a recording.
fn operations(real: &Real, file: &Path) -> [usize; 3] {
    let result =
        output(
            &mut real
                .stage
                .millpond(&["export", path(file), "--to", "csv", "-o", "-"]),
        );
    assert!(result.status.success(), "{}", all(&result));
    let text = stdout(&result);
    ["a", "f", "c"].map(|op| {
        text.lines()
            .filter(|line| line.split(',').nth(1) == Some(op))
            .count()
    })
}

#[test]
fn a_program_is_recorded() {
    let real = Real::new("recording-whole");
    let file = real.stage.folder.join("run.mpt");
    let mut command = real.stage.millpond(&["record", "-o", path(&file), "--"]);
    let result = output(command.arg(real.program()).args(["open", "right", "tidy"]));
    assert!(result.status.success(), "{}", all(&result));
    assert_eq!(
        operations(&real, &file),
        [2, 2, 2],
        "two blocks of device memory; pinned memory is not in it"
    );
    let lines = stdout(&output(&mut real.stage.millpond(&["records", path(&file)])));
    assert!(
        lines.contains("in aclrtMalloc ") && !lines.contains("enqueued"),
        "{lines}"
    );
    // Not for the checker: it would find nothing and say that all is well.
    let result = output(&mut real.stage.millpond(&["check", "--from", path(&file)]));
    assert!(!result.status.success(), "{}", all(&result));
    assert!(
        stderr(&result).contains("has only records about memory"),
        "{}",
        all(&result)
    );
}

/// Who allocated, of each allocation in a recording.
fn owners(file: &Path) -> Vec<String> {
    let mut source = open(file).expect("a recording");
    let events = read_all(&mut *source).expect("a recording");
    let allocations = events.iter().filter(|event| event.kind == Kind::Alloc);
    allocations
        .map(|event| owner::name(source.tables(), event))
        .collect()
}

/// A line each, as in the findings of `millpond check`; and what the file of the program has no names for any more is at least not one.
#[test]
fn native_programs_have_owners() {
    let real = Real::new("recording-native");
    let file = real.stage.folder.join("run.mpt");
    let mut command = real.stage.millpond(&["record", "-o", path(&file), "--"]);
    let result = output(command.arg(real.program()).args(["open", "right", "tidy"]));
    assert!(result.status.success(), "{}", all(&result));
    let source = include_str!("c/program.c");
    let lines = source.lines().zip(1..);
    let expected: Vec<String> = lines
        .filter(|(line, _)| line.contains("aclrtMalloc(&"))
        .map(|(_, number)| format!("program.c:{number}"))
        .collect();
    let found = owners(&file);
    assert_eq!((found.len(), expected.len()), (2, 2), "{found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!(found.ends_with(expected), "{found} for {expected}");
    }
    let arguments = ["export", path(&file), "--to", "snapshot", "-o", "-"];
    let snapshot = output(&mut real.stage.millpond(&arguments));
    assert!(
        stdout(&snapshot).contains("open_device"),
        "exports have functions and files too"
    );
    // Built again after the recording: its lines would be those of another program.
    let program = fs::read(real.program()).expect("the program");
    fs::remove_file(real.program()).expect("it is there");
    fs::write(real.program(), program).expect("a folder for the test");
    let found = owners(&file);
    assert!(
        found.iter().all(|it| it.starts_with("program+0x")),
        "{found:?}"
    );
    assert_ne!(found[0], found[1]);
}

#[test]
fn what_was_flushed_survives_a_kill() {
    let real = Real::new("recording-killed");
    let file = real.stage.folder.join("run.mpt");
    let mut command = real
        .stage
        .millpond(&["record", "-o", path(&file), "--stacks", "0", "--"]);
    let mut child = command
        .arg(real.program())
        .args(["open", "wait"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let until = Instant::now() + Duration::from_mins(10);
    while operations(&real, &file_when_there(&file, until)) != [2, 0, 0] {
        assert!(Instant::now() < until, "the blocks are written");
        std::thread::yield_now();
    }
    child.kill().expect("it is running");
    child.wait().expect("it was killed");
    assert_eq!(operations(&real, &file), [2, 0, 0]);
}

/// Waits until a file has its header.
fn file_when_there(file: &Path, until: Instant) -> std::path::PathBuf {
    while fs::metadata(file).map_or(0, |found| found.len()) < 36 {
        assert!(Instant::now() < until, "the file is begun");
        std::thread::yield_now();
    }
    file.to_owned()
}

#[test]
fn every_format_is_written_and_wrong_files_are_not() {
    let stage = Stage::bare("recording-export");
    let input = stage.folder.join("in.csv");
    fs::write(&input, CSV).expect("a file for the test");
    let begins: [(&str, &[u8]); 5] = [
        ("snapshot", b"\x80\x02}"),
        ("perfetto", b"\x0a"),
        ("chrome", b"{\"displayTimeUnit\""),
        ("parquet", b"PAR1"),
        ("csv", b"t_us,op"),
    ];
    for (format, begin) in begins {
        let out = stage.folder.join(format);
        let result = output(&mut stage.millpond(&[
            "export",
            path(&input),
            "--to",
            format,
            "-o",
            path(&out),
        ]));
        assert!(result.status.success(), "{}", all(&result));
        assert_eq!(stderr(&result), "");
        assert!(
            fs::read(&out).expect("it was written").starts_with(begin),
            "{format}"
        );
    }
    let out = stage.folder.join("out");
    let hostile = stage.folder.join("hostile.pickle");
    fs::write(&hostile, b"cos\nsystem\n(S'touch owned'\ntR.").expect("a file for the test");
    for (file, what) in [
        (
            path(&hostile),
            "byte 0: the pickle has the instruction GLOBAL, which names os.system",
        ),
        ("/no/such/file", "No such file"),
        (path(&stage.folder), "is a folder"),
        ("/dev/null", "byte 0: the file is empty"),
    ] {
        let result =
            output(&mut stage.millpond(&["export", file, "--to", "csv", "-o", path(&out)]));
        assert_eq!(result.status.code(), Some(2), "{}", all(&result));
        assert!(stderr(&result).contains(what), "{}", all(&result));
        assert!(!out.exists(), "nothing is left behind");
    }
    let same =
        output(&mut stage.millpond(&["export", path(&input), "--to", "csv", "-o", path(&input)]));
    assert_eq!(same.status.code(), Some(1));
    assert_eq!(fs::read_to_string(&input).expect("it is as it was"), CSV);
    let full = output(&mut stage.millpond(&[
        "export",
        path(&input),
        "--to",
        "csv",
        "-o",
        "/no/such/folder/x",
    ]));
    assert_eq!(full.status.code(), Some(1), "{}", all(&full));
}

#[test]
fn a_query_without_an_engine_says_what_to_install() {
    let stage = Stage::bare("recording-query");
    let query = |python: &str, folder: &Path| {
        output(
            stage
                .millpond(&["query", "select 1", path(folder)])
                .env("PYTHON", python),
        )
    };
    let result = query("/no/such/python", &stage.folder);
    assert_eq!(result.status.code(), Some(2));
    assert!(
        stderr(&result).contains("cannot start /no/such/python"),
        "{}",
        all(&result)
    );
    // A Python without packages: -S is not enough for those of the system, so one that fails the import.
    let without = stage.folder.join("python");
    fs::write(&without, "#!/bin/sh\nexit 77\n").expect("a script");
    Command::new("chmod")
        .arg("+x")
        .arg(&without)
        .status()
        .expect("chmod");
    let result = query(path(&without), &stage.folder);
    assert_eq!(result.status.code(), Some(2));
    assert!(
        stderr(&result).contains("-m pip install duckdb"),
        "{}",
        all(&result)
    );
}

#[test]
fn a_pipe_is_written_to_and_not_replaced() {
    let stage = Stage::bare("recording-pipe");
    let (input, pipe) = (stage.folder.join("in.csv"), stage.folder.join("pipe"));
    fs::write(&input, CSV).expect("a file for the test");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::read_to_string(pipe))
    };
    let mut export = stage.millpond(&["export", path(&input), "--to", "csv", "-o", path(&pipe)]);
    let result = output(&mut export);
    assert!(result.status.success(), "{}", all(&result));
    // Still a pipe: a file in its place would have left the reader waiting.
    assert!(!fs::metadata(&pipe).expect("it is there").is_file());
    let read = reader.join().expect("it does not panic").expect("text");
    assert_eq!(read, CSV);
}

#[test]
fn a_page_is_not_written_over_its_recording() {
    let stage = Stage::bare("recording-page");
    let input = stage.folder.join("in.csv");
    fs::write(&input, CSV).expect("a file for the test");
    let result = output(&mut stage.millpond(&["view", path(&input), "--html", path(&input)]));
    assert_eq!(result.status.code(), Some(2), "{}", all(&result));
    assert!(
        stderr(&result).contains("nothing was written"),
        "{}",
        all(&result)
    );
    assert_eq!(fs::read_to_string(&input).expect("it is as it was"), CSV);
}

/// Where the time goes, it is shown: while a file is parsed, and while one is written. Where stderr is not a terminal, it is not.
#[test]
fn long_work_shows_how_far_it_is() {
    let stage = Stage::bare("recording-progress");
    let (input, out) = (stage.folder.join("in.csv"), stage.folder.join("out"));
    let mut lines = "t_us,op,addr,size,stream\n".to_owned();
    for time in 0..100_000 {
        let address = 0x1000_0000_u64 + time * 8;
        writeln!(lines, "{time},a,{address:x},8,0").expect("memory");
    }
    fs::write(&input, &lines).expect("a file for the test");
    let rows: [(&[&str], &str); 4] = [
        (&["view", "--html", path(&out), path(&input)], "writing "),
        (
            &["export", path(&input), "--to", "parquet", "-o", path(&out)],
            "writing ",
        ),
        (
            &["export", path(&input), "--to", "csv", "-o", path(&out)],
            "writing ",
        ),
        (
            &[
                "replay",
                path(&input),
                "--no-time",
                "--allocator",
                "best-fit",
            ],
            "best-fit",
        ),
    ];
    for (arguments, second) in rows {
        let mut command = stage.millpond(arguments);
        let quiet = output(&mut command);
        assert!(quiet.status.success(), "{}", all(&quiet));
        assert!(
            !stderr(&quiet).contains('%'),
            "not a terminal: {}",
            all(&quiet)
        );
        let shown = output(command.env("MILLPOND_PROGRESS", "always"));
        assert!(shown.status.success(), "{}", all(&shown));
        let told = stderr(&shown);
        let reading: Vec<u32> = told
            .lines()
            .filter_map(|line| percent(line, "reading "))
            .collect();
        // A file of two mebibytes is told of at each of them and at its end, and its events after that.
        assert!(reading.len() > 1 && reading.is_sorted(), "{told}");
        assert_eq!(reading.last(), Some(&100), "{told}");
        let place = |what: &str| told.rfind(what);
        assert!(place("reading ") < place(second), "{told}");
    }
    let parquet = stderr(&output(
        stage
            .millpond(&["export", path(&input), "--to", "parquet", "-o", path(&out)])
            .env("MILLPOND_PROGRESS", "always"),
    ));
    let mut written = parquet.lines().rev();
    let last = written.find_map(|line| percent(line, "writing "));
    assert_eq!(last, Some(100), "{parquet}");
}

/// Names of files may hold what a terminal acts on.
#[test]
fn errors_of_the_viewer_are_harmless_text() {
    let stage = Stage::bare("recording-harmless");
    let (good, bad) = (
        stage.folder.join("in.csv"),
        stage.folder.join("a\u{1b}[2Jb"),
    );
    fs::write(&good, "t_us,op,addr,size,stream\n0,a,0,8,0\n").expect("a file for the test");
    let missing = ["view", path(&bad)];
    let report = ["view", "--findings", path(&bad), path(&good)];
    let folder = ["view", "--html", path(&bad.join("no folder")), path(&good)].map(str::to_owned);
    for arguments in [
        &missing[..],
        &report[..],
        &folder.each_ref().map(String::as_str)[..],
    ] {
        let result = output(&mut stage.millpond(arguments));
        assert_eq!(result.status.code(), Some(2), "{}", all(&result));
        let told = stderr(&result);
        assert!(
            told.contains("a\\u{1b}[2Jb") && !told.contains('\u{1b}'),
            "{told:?}"
        );
    }
}

/// The number of a line that begins so.
fn percent(line: &str, begin: &str) -> Option<u32> {
    let rest = line.strip_prefix(begin)?;
    rest.rsplit(' ').nth(1)?.parse().ok()
}
