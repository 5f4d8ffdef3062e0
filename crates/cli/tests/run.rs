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
fn what_cannot_be_started_is_reported_by_code_sentence_and_hint() {
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
            "different architecture",
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
fn telemetry_of_the_engine_is_off_unless_the_user_decides() {
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

/// A Python environment of empty files with these packages, whose interpreter prints its variables.
fn environment(stage: &Stage, packages: &[&str]) -> std::path::PathBuf {
    let environment = stage.folder.join("environment");
    let site = environment.join("lib/python3.11/site-packages");
    for package in packages {
        fs::create_dir_all(site.join(format!("{package}.dist-info"))).expect("a package");
    }
    fs::create_dir_all(site.join("onnxruntime/capi")).expect("a folder");
    fs::write(site.join("onnxruntime/capi/libonnxruntime.so.1.24.4"), "").expect("a library");
    fs::create_dir_all(environment.join("bin")).expect("a folder");
    fs::write(environment.join("pyvenv.cfg"), "version = 3.11.7\n").expect("its settings");
    let python = environment.join("bin/python");
    fs::copy("/usr/bin/env", &python).expect("a program that prints its variables");
    python
}

/// The value of a variable in what `env` printed.
fn value(text: &str, name: &str) -> Option<String> {
    let mut lines = text.lines().filter_map(|line| line.split_once('='));
    lines
        .find(|(found, _)| *found == name)
        .map(|(_, value)| value.to_owned())
}

/// The command in a folder as Cargo leaves it: with the library, and without all other names.
fn in_build_folder(stage: &Stage) -> std::path::PathBuf {
    let build = stage.folder.join("debug");
    fs::create_dir_all(&build).expect("a folder");
    let command = build.join("millpond");
    common::same_file(
        std::path::Path::new(env!("CARGO_BIN_EXE_millpond")),
        &command,
    );
    fs::copy(
        stage.lib().join("libascendcl.so"),
        build.join("libascendcl.so"),
    )
    .expect("the library");
    command
}

#[test]
fn from_a_build_folder_every_name_and_folder_is_there() {
    let stage = Stage::new("run-build-folder");
    let command = in_build_folder(&stage);
    let program = stage.program("from-build", &[]);
    let mut run = std::process::Command::new(&command);
    run.args(["run", "--"]).arg(program).env_clear();
    let result = output(&mut run);
    assert_eq!(stdout(&result), "ours\n", "{}", stderr(&result));

    let mut run = std::process::Command::new(&command);
    run.args(["run", "--", "env"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin");
    let text = stdout(&output(&mut run));
    let home = value(&text, "ASCEND_HOME_PATH").expect("a home");
    for file in ["runtime", "compiler", "opp", "lib64/libhccl.so"] {
        assert!(std::path::Path::new(&home).join(file).exists(), "{file}");
    }
    assert_eq!(
        value(&text, "ASCEND_OPP_PATH"),
        Some(format!("{home}/opp")),
        "{text}"
    );

    // Scripts ask for devices by the name of the vendor's command.
    let mut run = std::process::Command::new(&command);
    run.args(["run", "--devices", "3", "--", "sh", "-c", "npu-smi info -l"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin");
    let result = output(&mut run);
    let text = stdout(&result);
    assert!(
        text.contains("Total Count                    : 3"),
        "{text}"
    );
}

/// What `npu-smi`, called by its name as a script would, prints, and whether it succeeds.
fn npu_smi(command: &std::path::Path, arguments: &[&str]) -> (String, bool) {
    let mut run = std::process::Command::new(command);
    run.args(["run", "--devices", "2", "--capacity", "8G"])
        .args(["--profile", "ascend910b4", "--", "sh", "-c"])
        .args(["exec npu-smi \"$@\"", "sh"])
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/bin:/bin");
    let result = output(&mut run);
    let text = if result.status.success() {
        assert_eq!(stderr(&result), "", "{arguments:?}");
        stdout(&result)
    } else {
        assert_eq!(stdout(&result), "", "{arguments:?}");
        stderr(&result)
    };
    (text, result.status.success())
}

#[test]
fn npu_smi_has_the_forms_that_scripts_use() {
    let command = in_build_folder(&Stage::new("run-npu-smi"));
    // For each form: lines that must be there, with single spaces between the words.
    let rows: [(&[&str], &[&str]); 8] = [
        (
            &["info"],
            &[
                "| 0 910B4 | OK | NA NA 0 / 0 |",
                "| 1 910B4 | OK | NA NA 0 / 0 |",
            ],
        ),
        (
            &["info", "-l"],
            &["Total Count : 2", "NPU ID : 0", "NPU ID : 1"],
        ),
        (
            &["info", "-m"],
            &[
                "NPU ID Chip ID Chip Logic ID Chip Name",
                "1 0 1 Ascend 910B4",
            ],
        ),
        (
            &["info", "-t", "memory", "-i", "1"],
            &[
                "NPU ID : 1",
                "DDR Capacity(MB) : 0",
                "HBM Capacity(MB) : 8192",
            ],
        ),
        (&["info", "-t", "memory"], &["NPU ID : 0", "NPU ID : 1"]),
        (
            &["info", "-t", "usages", "-i", "0"],
            &[
                "NPU ID : 0",
                "HBM Capacity(MB) : 8192",
                "Aicore Usage Rate(%) : NA",
            ],
        ),
        (
            &["info", "-t", "board"],
            &["Chip Type : Ascend", "Chip Name : 910B4"],
        ),
        (
            &["-v"],
            &[concat!(
                "npu-smi version: ",
                env!("CARGO_PKG_VERSION"),
                " (Millpond)"
            )],
        ),
    ];
    for (arguments, lines) in rows {
        let (text, succeeds) = npu_smi(&command, arguments);
        assert!(succeeds, "{arguments:?}: {text}");
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let found: Vec<String> = text.lines().map(words).collect();
        for line in lines {
            assert!(
                found.iter().any(|found| found == line),
                "{arguments:?}: '{line}' is not in:\n{text}"
            );
        }
    }
}

#[test]
fn npu_smi_says_what_it_can_when_it_is_asked_for_something_else() {
    let command = in_build_folder(&Stage::new("run-npu-smi-wrong"));
    for arguments in [
        &["watch"][..],
        &["info", "-w"],
        &["info", "-t", "power"],
        &["info", "-t"],
        &["info", "-i", "0"],
        &["info", "-t", "memory", "-i", "first"],
        &["set", "-t", "reset", "-i", "0"],
    ] {
        let (text, succeeds) = npu_smi(&command, arguments);
        assert!(!succeeds, "{arguments:?}: {text}");
        assert!(
            text.contains("npu-smi info -t TYPE"),
            "{arguments:?}: {text}"
        );
    }
    // The form is right; the device is not there.
    let (text, succeeds) = npu_smi(&command, &["info", "-t", "memory", "-i", "2"]);
    assert!(
        !succeeds && text.contains("device 2 does not exist: there are 2"),
        "{text}"
    );
}

#[test]
fn the_hook_is_preloaded_only_for_a_python_that_starts_alone_when_somebody_listens() {
    let stage = Stage::new("run-hook");
    let hook = stage.lib().join("libascend_kernel_hook.so");
    // Any library will do here.
    fs::copy(stage.vendor().join("libascendcl.so"), &hook).expect("a library");
    let python = environment(&stage, &["torch_npu-2.7.1.post11"]);
    let remedies = stage.folder.join("dist/python-path");
    fs::create_dir_all(&remedies).expect("a folder");
    fs::write(remedies.join("sitecustomize.py"), "").expect("a file");
    let preloaded = |command: &[&str], program: &std::path::Path, own: Option<&str>| {
        let mut command = stage.millpond(command);
        command.arg("--").arg(program);
        if let Some(own) = own {
            command.env("LD_PRELOAD", own);
        }
        value(&stdout(&output(&mut command)), "LD_PRELOAD")
    };
    let alone = stage.folder.join("alone");
    fs::write(&alone, format!("#!{} -I\n", python.display())).expect("a script");
    fs::set_permissions(&alone, fs::Permissions::from_mode(0o755)).expect("rights");
    let env = std::path::Path::new("/usr/bin/env");
    let mine = stage.vendor().join("libascendcl.so");
    let mine = mine.to_str().expect("plain");
    assert_eq!(preloaded(&["check"], &python, None), None);
    assert_eq!(
        preloaded(&["check"], &python, Some(mine)).as_deref(),
        Some(mine),
        "a script finds what it was started with"
    );
    assert_eq!(preloaded(&["run"], &python, None), None);
    assert_eq!(preloaded(&["check"], env, None), None);
    let records = ["run", "--records", "/dev/null"];
    assert_eq!(preloaded(&records, &python, None), None);
    fs::remove_file(remedies.join("sitecustomize.py")).expect("the file");
    assert_eq!(
        preloaded(&["check"], &python, None).as_deref(),
        hook.to_str(),
        "nothing else would set it"
    );
    fs::write(remedies.join("sitecustomize.py"), "").expect("a file");
    for (listens, expected) in [("1", true), ("", false)] {
        let mut command = stage.millpond(&["run", "--explain", "--"]);
        let result = output(command.arg(&alone).env("MILLPOND_CHECK", listens));
        let line = format!("millpond: LD_PRELOAD={}\n", hook.display());
        assert_eq!(
            stderr(&result).contains(&line),
            expected,
            "{}",
            stderr(&result)
        );
    }
    let queue = |own: Option<&str>| {
        let mut command = stage.millpond(&["check", "--"]);
        command.arg(&python).env_remove("TASK_QUEUE_ENABLE");
        if let Some(own) = own {
            command.env("TASK_QUEUE_ENABLE", own);
        }
        value(&stdout(&output(&mut command)), "TASK_QUEUE_ENABLE")
    };
    assert_eq!(
        queue(None),
        Some("0".to_owned()),
        "calls come from the script"
    );
    assert_eq!(
        queue(Some("2")),
        Some("2".to_owned()),
        "unless it says otherwise"
    );
}

#[test]
fn the_engine_of_the_environment_is_named_unless_there_is_a_better_one() {
    let stage = Stage::new("run-engine");
    let python = environment(&stage, &["onnxruntime-1.24.4"]);
    let engine = |named: Option<&str>| {
        let mut command = stage.millpond(&["run", "--"]);
        command.arg(&python);
        if let Some(named) = named {
            command.env("MILLPOND_ONNXRUNTIME", named);
        }
        value(&stdout(&output(&mut command)), "MILLPOND_ONNXRUNTIME")
    };
    let capi = "environment/lib/python3.11/site-packages/onnxruntime/capi";
    let own = stage.folder.join(capi).display().to_string();
    assert_eq!(engine(None), Some(own));
    assert_eq!(engine(Some("/mine")), Some("/mine".to_owned()));
    fs::write(stage.lib().join("libonnxruntime.so.1"), "").expect("a library");
    assert_eq!(engine(None), None, "the one beside our library is found");
}

#[test]
fn versions_that_do_not_work_together_are_noted_and_the_program_starts() {
    let stage = Stage::new("run-versions");
    let packages = ["torch-2.14.0", "torch_npu-2.13.0", "numpy-2.4.6"];
    let python = environment(&stage, &packages);
    let result = output(stage.millpond(&["run", "--"]).arg(&python));
    let text = stderr(&result);
    assert!(text.contains("the import will fail"), "{text}");
    let command = format!(
        "{} -m pip install --no-deps torch_npu==2.14.0",
        python.display()
    );
    assert!(text.contains(&format!("\nhint: {command}")), "{text}");
    assert!(stdout(&result).contains("ASCEND_HOME_PATH="), "it started");
}

#[test]
fn versions_that_work_together_are_not_talked_about() {
    let stage = Stage::new("run-versions-good");
    let packages = ["torch-2.7.1", "torch_npu-2.7.1.post11", "numpy-2.4.6"];
    let python = environment(&stage, &packages);
    let result = output(stage.millpond(&["run", "--"]).arg(&python));
    assert_eq!(stderr(&result), "");
}
