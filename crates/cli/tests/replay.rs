//! `millpond replay` and `millpond advise`: the same figures everywhere, and advice that its replays show.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn millpond(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_millpond"))
        .args(arguments)
        .output()
        .expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

fn json(arguments: &[&str]) -> Value {
    let output = millpond(arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The small traces of this repository.
fn traces() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/traces");
    let names = ["made_decode", "made_train_lengths", "made_train_steps"];
    let file = |name: &str| folder.join(format!("{name}.csv.gz")).display().to_string();
    names.map(file).to_vec()
}

fn written(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("a file for the test");
    path
}

#[test]
fn the_table_and_json_have_the_same_figures() {
    let file = &traces()[2];
    let table = text(
        &millpond(&[
            "replay",
            file,
            "--no-time",
            "--plan",
            "--device-memory",
            "2GiB",
        ])
        .stdout,
    );
    let all = json(&[
        "replay",
        file,
        "--no-time",
        "--plan",
        "--device-memory",
        "2GiB",
        "--json",
    ]);
    let trace = &all["traces"][0];
    assert_eq!(all["device_memory"], 2_u64 << 30);
    let rows = trace["allocators"].as_array().unwrap();
    assert_eq!(rows.len(), 12);
    for row in rows {
        let name = row["allocator"].as_str().unwrap();
        let line = table
            .lines()
            .find(|line| line.starts_with(&format!("| {name} ")))
            .unwrap();
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        #[expect(clippy::cast_precision_loss, reason = "no device has 2^53 bytes")]
        let reserved = row["peak_reserved"].as_u64().unwrap() as f64 / f64::from(1 << 30);
        assert_eq!(cells[2], format!("{reserved:.2} GiB"), "{name}");
        assert_eq!(
            cells[3],
            format!("{:.3}", row["reserved_to_live"].as_f64().unwrap()),
            "{name}"
        );
        assert_eq!(
            cells[4],
            format!("{:.1} %", row["fragmentation_percent"].as_f64().unwrap()),
            "{name}"
        );
        assert_eq!(cells[5], row["device_calls"].to_string(), "{name}");
        assert_eq!(cells[6], row["pages_moved"].to_string(), "{name}");
        assert_eq!(
            cells[7].starts_with("yes"),
            row["fits"].as_bool().unwrap(),
            "{name}"
        );
        assert_eq!(
            row["fits"].as_bool().unwrap(),
            row["refused"].is_null(),
            "{name}"
        );
        if !row["refused"].is_null() {
            assert!(
                cells[7].contains(&format!("operation {} ", row["refused"]["operation"])),
                "{name}"
            );
        }
        assert!(
            row["peak_reserved"].as_u64() >= trace["peak_live"].as_u64(),
            "{name}"
        );
    }
    let (plan, live) = (&trace["plan"], trace["peak_live"].as_u64().unwrap());
    assert!(live <= plan["bound"].as_u64().unwrap());
    assert!(plan["bound"].as_u64() <= plan["found"].as_u64());
}

/// Every replay that advice names is run, and its bytes are compared.
#[test]
fn the_replays_that_advice_names_show_its_bytes() {
    let mut told = 0;
    for file in traces() {
        let report = json(&["advise", &file, "--json"]);
        for advice in report["advice"].as_array().unwrap() {
            let mut peaks = Vec::new();
            for command in advice["replays"].as_array().unwrap() {
                let words = shell_words(command.as_str().unwrap());
                assert_eq!(words[..2], ["millpond", "replay"]);
                let mut words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
                words.extend(["--json", "--no-time"]);
                for row in json(&words)["traces"][0]["allocators"].as_array().unwrap() {
                    peaks.push(row["peak_reserved"].as_u64().unwrap());
                }
            }
            let expected = [
                &advice["peak_reserved_before"],
                &advice["peak_reserved_after"],
            ];
            assert_eq!(peaks, expected.map(|it| it.as_u64().unwrap()), "{advice}");
            let saves = peaks[0] - peaks[1];
            assert_eq!(advice["saves"], saves);
            assert!(
                advice["sentence"]
                    .as_str()
                    .unwrap()
                    .contains(&format!("({saves} bytes)")),
                "{advice}"
            );
            told += 1;
        }
        let sentences = text(&millpond(&["advise", &file]).stdout);
        // What was recorded is beside what the model holds.
        let replayed = json(&[
            "replay",
            &file,
            "--json",
            "--no-time",
            "--allocator",
            "pytorch",
        ]);
        let recorded = &replayed["traces"][0]["recorded_reserved"];
        assert_eq!(&report["recorded_reserved"], recorded);
        assert_eq!(
            sentences.contains("the recorded allocator held"),
            recorded.is_u64()
        );
        assert!(
            sentences.starts_with("Compared with pytorch, which holds"),
            "{sentences}"
        );
        for advice in report["advice"].as_array().unwrap() {
            assert!(
                sentences.contains(advice["sentence"].as_str().unwrap()),
                "{sentences}"
            );
        }
    }
    assert!(told > 3, "{told}");
}

/// Also without a size of the device: a region that never grows has one of its own. `null` is for allocators without any limit.
#[test]
fn the_table_and_json_say_alike_whether_it_fits() {
    let trace = "t_us,op,addr,size,stream\n0,a,1000000,600000000,0\n5,a,40000000,600000000,0\n";
    let file = written("fits.csv", trace).display().to_string();
    let arena = "rmm-arena,arena_size=1GiB";
    let words = [
        "replay",
        &file,
        "--no-time",
        "--allocator",
        arena,
        "--allocator",
        "pytorch",
    ];
    let table = text(&millpond(&words).stdout);
    let all = json(&[&words[..], &["--json"]].concat());
    let rows = all["traces"][0]["allocators"].as_array().unwrap();
    assert_eq!(
        (&rows[0]["fits"], &rows[1]["fits"]),
        (&Value::Bool(false), &Value::Null)
    );
    let cell = |name: &str| {
        let line = table
            .lines()
            .find(|line| line.starts_with(&format!("| {name} ")));
        let cells: Vec<&str> = line.expect("a row").split('|').map(str::trim).collect();
        cells[7].to_owned()
    };
    assert!(cell(arena).starts_with("no: operation 2 "), "{table}");
    assert_eq!(cell("pytorch"), "no limit");
}

/// With several devices, a leak and an owner are those of one: the rows of its trace have the numbers. Settings have the sums.
#[test]
fn the_replays_of_several_devices_show_the_bytes_of_the_one_that_is_named() {
    let file = written("two_devices.pickle", "").display().to_string();
    let script = r#"
import pickle, sys
def trace(sizes, kept, count, weights):
    events, address = [], 1 << 40
    def add(action, addr, size, line):
        frames = [{"name": "step", "filename": "train.py", "line": line}]
        events.append({"action": action, "addr": addr, "size": size << 20, "stream": 0, "time_us": len(events), "frames": frames})
    add("alloc", 1 << 30, weights, 7)
    for step in range(count):
        add("alloc", (1 << 50) + (step << 30), kept, 9)
        for size in sizes:
            address += 1 << 30
            for action in ("alloc", "free_requested", "free_completed"):
                add(action, address, size, 8)
    return events
traces = [trace((33, 35, 37, 39), 1, 30, 300), trace((33, 35, 37, 39), 20, 30, 100)]
with open(sys.argv[1], "wb") as out:
    pickle.dump({"segments": [], "device_traces": traces}, out)
"#;
    let made = Command::new("python3").args(["-c", script, &file]).status();
    assert!(made.expect("python3").success());
    let report = json(&["advise", &file, "--json"]);
    let mut told = Vec::new();
    for advice in report["advice"].as_array().unwrap() {
        let device = advice["device"].as_str().expect("a device, or all");
        let mut peaks = Vec::new();
        for command in advice["replays"].as_array().unwrap() {
            let words = shell_words(command.as_str().unwrap());
            let mut words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            words.extend(["--json", "--no-time"]);
            let read = json(&words);
            let traces = read["traces"].as_array().unwrap();
            let of_device = |trace: &&Value| {
                let name = trace["trace"].as_str().unwrap();
                device.starts_with("all ") || name.ends_with(&device.replace(' ', ""))
            };
            let traces: Vec<&Value> = traces.iter().filter(of_device).collect();
            for row in 0..traces[0]["allocators"].as_array().unwrap().len() {
                let peak = |it: &&Value| it["allocators"][row]["peak_reserved"].as_u64().unwrap();
                peaks.push(traces.iter().map(peak).sum::<u64>());
            }
        }
        let expected = [
            &advice["peak_reserved_before"],
            &advice["peak_reserved_after"],
        ];
        assert_eq!(peaks, expected.map(|it| it.as_u64().unwrap()), "{advice}");
        let sentence = advice["sentence"].as_str().unwrap();
        assert!(
            sentence.contains(&format!("peak reserved of {device} falls")),
            "{sentence}"
        );
        let kind = advice["kind"].as_str().unwrap();
        told.push((kind.to_owned(), device.to_owned(), advice["owner"].clone()));
    }
    let all = "all 2 devices together";
    let expected = [
        ("pytorch", all, Value::Null),
        ("millpond", all, Value::Null),
        ("leak", "device 1", "train.py:9".into()),
    ];
    let expected = expected.map(|(kind, device, owner)| (kind.into(), device.into(), owner));
    assert_eq!(told, expected);
}

/// A program that has one owner: its replay is one of nothing, with the zero that the sentence says.
#[test]
fn without_its_only_owner_a_recording_needs_nothing() {
    let trace = "t_us,op,addr,size,stream\n0,a,1000000,600000000,0\n5,a,40000000,600000000,0\n";
    let file = written("one_owner.csv", trace).display().to_string();
    let report = json(&["advise", &file, "--json"]);
    let all = report["advice"].as_array().unwrap();
    let advice = all
        .iter()
        .find(|it| it["kind"] == "owner")
        .expect("an owner");
    assert_eq!(advice["peak_reserved_after"], 0);
    let words = shell_words(advice["replays"][1].as_str().unwrap());
    let mut words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    words.extend(["--no-time", "--plan"]);
    assert!(millpond(&words).status.success());
    words.push("--json");
    let trace = &json(&words)["traces"][0];
    assert_eq!(trace["allocators"][0]["peak_reserved"], 0);
    assert_eq!(trace["left_out"]["blocks"], 2);
}

/// What is printed can be typed: a shell runs it as it is, whatever is in the settings and in the names.
#[test]
fn a_shell_runs_the_replays_as_they_are_printed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replay of 'files'");
    fs::create_dir_all(&folder).expect("a folder for the test");
    let file = folder.join("rounded $(run).pickle");
    // As torch.cuda.memory writes it, with a setting that is a list, and a line of a file with a name that shells would take apart.
    let script = r#"
import pickle, sys
frames = lambda line: [{"name": "step", "filename": "/home/me/my run; exit 9/it's.py", "line": line}]
events, address = [], 1 << 40
events.append({"action": "alloc", "addr": 1 << 30, "size": 500 << 20, "stream": 0, "time_us": 0, "frames": frames(7)})
for step in range(20):
    for size in (33, 35, 37, 39):
        one = {"addr": address, "size": size << 20, "stream": 0, "time_us": len(events), "frames": frames(8)}
        address += 1 << 30
        events += [{"action": it, **one} for it in ("alloc", "free_requested", "free_completed")]
settings = {"PYTORCH_CUDA_ALLOC_CONF": "roundup_power2_divisions:[256:1,>:4]"}
with open(sys.argv[1], "wb") as out:
    pickle.dump({"segments": [], "device_traces": [events], "allocator_settings": settings}, out)
"#;
    let made = Command::new("python3")
        .args(["-c", script])
        .arg(&file)
        .status();
    assert!(made.expect("python3").success());
    let file = file.display().to_string();
    let report = json(&["advise", &file, "--json"]);
    let baseline = "pytorch,roundup_power2_divisions=[256:1,>:4]";
    assert_eq!(report["baseline"], baseline);
    let all = report["advice"].as_array().unwrap();
    assert!(all.iter().any(|it| it["kind"] == "owner"), "{report}");
    let command = Path::new(env!("CARGO_BIN_EXE_millpond"));
    let path = std::env::join_paths(command.parent().map(Path::to_owned).into_iter().chain(
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()),
    ));
    let path = path.expect("plain paths");
    for advice in all {
        let mut peaks = Vec::new();
        for replay in advice["replays"].as_array().unwrap() {
            let line = format!("{} --json --no-time", replay.as_str().unwrap());
            let mut shell = Command::new("sh");
            let shell = shell
                .args(["-c", &line])
                .env("PATH", &path)
                .current_dir(&folder);
            let output = shell.output().expect("sh");
            assert!(output.status.success(), "{line}: {}", text(&output.stderr));
            let read: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            for row in read["traces"][0]["allocators"].as_array().unwrap() {
                peaks.push(row["peak_reserved"].clone());
            }
        }
        let expected = [
            &advice["peak_reserved_before"],
            &advice["peak_reserved_after"],
        ];
        assert_eq!(peaks.iter().collect::<Vec<_>>(), expected, "{advice}");
    }
}

/// Steps that allocate and free, and leave a block of one size behind. At the beginning, weights have that size too.
fn leaking(name: &str) -> PathBuf {
    let mut lines = vec!["t_us,op,addr,size,stream".to_owned()];
    let mut time = 0;
    let mut add = |op: char, address: u64, bytes: u64| {
        time += 1;
        lines.push(format!("{time},{op},{address:x},{bytes},0"));
    };
    for weight in 0..50 {
        add('a', (1 << 40) + (weight << 30), 30 << 20);
    }
    for step in 0..100 {
        let (work, kept, short) = (1 << 41, (1 << 42) + (step << 30), (1 << 43) + (step << 30));
        add('a', work, 100 << 20);
        add('a', kept, 30 << 20);
        add('a', short, 30 << 20);
        for (address, bytes) in [(work, 100 << 20), (short, 30 << 20)] {
            add('f', address, bytes);
            add('c', address, bytes);
        }
    }
    written(name, &(lines.join("\n") + "\n"))
}

/// The sentence, the replay that it names and the page's Leaks have the same owner, blocks and bytes.
#[test]
fn a_leak_has_the_same_bytes_everywhere() {
    let path = leaking("leaking.csv");
    let file = path.display().to_string();
    let report = json(&["advise", &file, "--json"]);
    let all = report["advice"].as_array().unwrap();
    let advice = all.iter().find(|it| it["kind"] == "leak").expect("a leak");
    let (owner, bytes) = (
        advice["owner"].as_str().unwrap(),
        advice["bytes"].as_u64().unwrap(),
    );
    assert_eq!(owner, "blocks of 31457280 bytes");
    let command = advice["replays"][1].as_str().unwrap();
    let words = shell_words(command);
    let mut words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    assert!(words.contains(&"--without-leaks-of"), "{command}");
    words.push("--no-time");
    let table = text(&millpond(&words).stdout);
    let told = format!(
        "{} blocks with {} ({bytes} bytes)",
        advice["blocks"],
        in_gib(bytes)
    );
    assert!(table.contains(&told), "{told} is not in {table}");
    words.push("--json");
    let trace = &json(&words)["traces"][0];
    assert_eq!(trace["left_out"]["bytes"], bytes);
    assert_eq!(trace["left_out"]["blocks"], advice["blocks"]);
    assert_eq!(
        trace["allocators"][0]["peak_reserved"],
        advice["peak_reserved_after"]
    );
    let sentence = advice["sentence"].as_str().unwrap();
    let told = format!("{} blocks, {}", advice["blocks"], in_gib(bytes));
    assert!(sentence.contains(&told), "{told} is not in {sentence}");
    let mut source = millpond_recording::open(&path).expect("a recording");
    let runs = millpond_view::read(&mut *source, "it", &mut |_| ()).expect("a recording");
    let page = millpond_view::protocol::answer(&runs, "summary").expect("an answer");
    let page: Value = serde_json::from_str(&page).expect("JSON");
    let leak = &page["runs"][0]["leaks"][0];
    assert_eq!(
        (&leak["place"], &leak["grown"]),
        (&advice["owner"], &advice["bytes"])
    );
    // Most of what this size has at the peak is no leak.
    assert!(leak["bytes"].as_u64() > leak["grown"].as_u64(), "{leak}");
}

fn in_gib(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "no device has 2^53 bytes")]
    let number = bytes as f64 / f64::from(1 << 30);
    format!("{number:.2} GiB")
}

/// Words as a shell would see them, for commands with plain words and words in single quotes.
fn shell_words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for it in command.chars() {
        match it {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    words.push(word);
    words
}

#[test]
fn several_files_are_summed_up() {
    let files = traces();
    let output = millpond(&[
        "replay",
        &files[0],
        &files[1],
        "--no-time",
        "--allocator",
        "pytorch",
    ]);
    let table = text(&output.stdout);
    assert!(table.contains("all 2 together"), "{table}");
    let all = json(&[
        "replay",
        &files[0],
        &files[1],
        "--no-time",
        "--allocator",
        "pytorch",
        "--json",
    ]);
    assert_eq!(all["traces"].as_array().unwrap().len(), 2);
}

#[test]
fn a_request_that_does_not_fit_is_named_with_its_place() {
    let trace = "t_us,op,addr,size,stream\n0,a,1000000,600000000,0\n5,a,40000000,600000000,0\n";
    let file = written("full.csv", trace).display().to_string();
    let all = json(&[
        "replay",
        &file,
        "--no-time",
        "--json",
        "--device-memory",
        "1GiB",
        "--allocator",
        "pytorch",
    ]);
    let row = &all["traces"][0]["allocators"][0];
    assert_eq!(row["fits"], false);
    assert_eq!(row["refused"]["operation"], 2);
    assert_eq!(row["refused"]["time_ns"], 5000);
    // Two segments in whole 2 MiB: what it would have needed.
    assert_eq!(row["peak_reserved"], 2 * 601_882_624_u64);
}

/// Names of files and of owners may contain anything, also what a terminal would act on.
#[test]
fn nothing_reaches_the_terminal_as_it_is() {
    let (red, empty) = ("\u{1b}[31mred.csv", "\u{1b}[2Jempty.csv");
    let missing = Path::new(env!("CARGO_TARGET_TMPDIR")).join("\u{1b}[1mmissing");
    // A free that was not recorded is a note.
    let noted = "t_us,op,addr,size,stream\n0,a,10,8,0\n1,a,10,8,0\n";
    let files = [
        written(red, noted),
        written(empty, "t_us,op,addr,size,stream\n"),
        missing,
    ];
    for file in &files {
        let file = file.display().to_string();
        for arguments in [
            vec!["advise", &file],
            vec!["replay", &file, "--no-time", "--plan"],
            vec!["replay", &file, "--no-time", "--without", "\u{1b}[3mnobody"],
        ] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
            command.args(&arguments).env("MILLPOND_PROGRESS", "always");
            let output = command.output().expect("the command runs");
            let said = text(&output.stdout) + &text(&output.stderr);
            assert!(said.contains("\\u{1b}["), "{arguments:?}: {said}");
            assert!(!said.contains('\u{1b}'), "{arguments:?}: {said:?}");
        }
    }
}

#[test]
fn what_is_wrong_is_said() {
    let empty = written("nothing.csv", "t_us,op,addr,size,stream\n")
        .display()
        .to_string();
    let foreign = written("foreign.csv", "hello\n").display().to_string();
    let file = &traces()[0];
    let rows: [(&[&str], &str); 9] = [
        (&["replay", "/no/such/file"], "/no/such/file"),
        (&["replay", &empty], "no allocations"),
        (&["replay", &foreign], "none of the formats"),
        (&["advise", &empty], "no allocations"),
        (
            &[
                "replay",
                file,
                "--no-time",
                "--without",
                "blocks of 5 bytes",
            ],
            "no blocks belong to `blocks of 5 bytes`",
        ),
        (
            &["replay", file, "--no-time", "--without-leaks-of", "nobody"],
            "`nobody` leaves no blocks behind",
        ),
        (
            &["replay", file, "--allocator", "jemalloc"],
            "unknown allocator `jemalloc`",
        ),
        (
            &["replay", file, "--device-memory", "lots"],
            "is not a size",
        ),
        (
            &[
                "replay",
                file,
                "--allocator",
                "pytorch,garbage_collection_threshold=0.8",
            ],
            "--device-memory",
        ),
    ];
    for (arguments, expected) in rows {
        let output = millpond(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            text(&output.stderr).contains(expected),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}
