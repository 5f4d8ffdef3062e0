//! The pairs of `tests/corpus`: what their first lines say, how they are built, and how they run.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Stage, output};
use crate::library;

/// Seconds after which a program counts as hanging. Only a program that hangs comes near it.
const LIMIT: &str = "600";

/// A source that is two programs.
#[derive(Debug)]
pub(crate) struct Pair {
    /// Its path below the folder, without the ending.
    pub(crate) name: String,
    source: PathBuf,
    /// One of these must be reported for the wrong program.
    pub(crate) rules: Vec<String>,
    pub(crate) severity: String,
    pub(crate) mistake: String,
    options: Vec<String>,
    environment: Vec<String>,
    /// Why the wrong program is not found.
    pub(crate) known_miss: Option<String>,
    /// Why the wrong program is found on some runs only. It counts as a miss, and being found is fine.
    pub(crate) sometimes: Option<String>,
    /// Why the correct program is not silent.
    pub(crate) known_alarm: Option<String>,
}

/// All pairs below a folder whose name has `only` in it, in order.
pub(crate) fn all(folder: &Path, only: &str) -> Vec<Pair> {
    let mut sources = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|ending| ending == "c" || ending == "cpp")
            {
                sources.push(path);
            }
        }
    }
    sources.sort();
    let pairs = sources.into_iter().map(|source| Pair::read(folder, source));
    pairs.filter(|pair| pair.name.contains(only)).collect()
}

/// The C++ compiler.
fn cxx() -> OsString {
    env::var_os("CXX").unwrap_or_else(|| "c++".into())
}

/// Whether there is one.
pub(crate) fn has_cxx() -> bool {
    Command::new(cxx()).arg("--version").output().is_ok()
}

impl Pair {
    pub(crate) fn is_cxx(&self) -> bool {
        self.source
            .extension()
            .is_some_and(|ending| ending == "cpp")
    }

    fn read(folder: &Path, source: PathBuf) -> Self {
        let name = source.strip_prefix(folder).unwrap().with_extension("");
        let name = name.to_string_lossy().into_owned();
        let text = fs::read_to_string(&source).unwrap();
        let mut pair = Self {
            name,
            source,
            rules: Vec::new(),
            severity: "error".to_owned(),
            mistake: String::new(),
            options: Vec::new(),
            environment: Vec::new(),
            known_miss: None,
            sometimes: None,
            known_alarm: None,
        };
        let words = |value: &str| value.split_whitespace().map(str::to_owned).collect();
        for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
            let (key, value) = line
                .split_once(": ")
                .unwrap_or_else(|| panic!("{}: '{line}' is no 'key: value'", pair.name));
            match key {
                "rule" => pair.rules = words(value),
                "severity" => value.clone_into(&mut pair.severity),
                "wrong" => value.clone_into(&mut pair.mistake),
                "options" => pair.options = words(value),
                "environment" => pair.environment = words(value),
                "known-miss" => pair.known_miss = Some(value.to_owned()),
                "sometimes" => pair.sometimes = Some(value.to_owned()),
                "known-alarm" => pair.known_alarm = Some(value.to_owned()),
                _ => panic!("{}: unknown key {key}", pair.name),
            }
        }
        assert!(!pair.rules.is_empty(), "{}: no rule line", pair.name);
        assert!(!pair.mistake.is_empty(), "{}: no wrong line", pair.name);
        assert!(text.contains("WRONG"), "{}: one program only", pair.name);
        pair
    }
}

/// Where pairs are built and run.
pub(crate) struct Workshop<'s> {
    stage: &'s Stage,
    models: &'s Path,
    shown: bool,
}

impl<'s> Workshop<'s> {
    /// With `shown`, what programs and the checker print is printed.
    pub(crate) fn new(stage: &'s Stage, models: &'s Path, shown: bool) -> Self {
        Self {
            stage,
            models,
            shown,
        }
    }

    /// Compiles one form of a pair; `Err` is what the compiler says.
    pub(crate) fn build(&self, pair: &Pair, wrong: bool) -> Result<PathBuf, String> {
        let form = if wrong { "wrong" } else { "correct" };
        let program = self
            .stage
            .folder
            .join(format!("{}-{form}", pair.name.replace('/', "-")));
        let (compiler, standard) = if pair.is_cxx() {
            (cxx(), "-std=c++14")
        } else {
            (
                env::var_os("CC").unwrap_or_else(|| "cc".into()),
                "-std=gnu11",
            )
        };
        let mut rpath = OsString::from("-Wl,--disable-new-dtags,-rpath,");
        rpath.push(self.stage.lib());
        let mut command = Command::new(compiler);
        command
            .args([standard, "-Wall", "-Wextra", "-Werror", "-O0", "-g"])
            .args(wrong.then_some("-DWRONG"))
            .arg("-I")
            .arg(library::repository().join("include"))
            .arg("-I")
            .arg(library::repository().join("tests/corpus"))
            .arg(&pair.source)
            .arg("-o")
            .arg(&program)
            .arg("-L")
            .arg(self.stage.lib())
            .arg("-lascendcl")
            .arg(rpath)
            .args(["-lpthread", "-ldl", "-lm"]);
        let result = command
            .output()
            .map_err(|error| format!("the compiler cannot be started: {error}"))?;
        if result.status.success() {
            Ok(program)
        } else {
            Err(String::from_utf8_lossy(&result.stderr).into_owned())
        }
    }

    /// Runs a program under `millpond check`; `Err` says that there is no report, or that it hung.
    pub(crate) fn run(&self, pair: &Pair, program: &Path, schedule: &str) -> Result<Run, String> {
        let report = program.with_extension(format!("{}.json", schedule.replace('=', "-")));
        drop(fs::remove_file(&report));
        // `timeout` asks `millpond check` to end, which hands that on, and then insists.
        let mut command = Command::new("timeout");
        command.args(["-k", "10", LIMIT]);
        command.arg(self.stage.folder.join("dist/bin/millpond"));
        command.args(["check", "--format", "json", "--schedule", schedule, "-o"]);
        command
            .arg(&report)
            .args(&pair.options)
            .arg("--")
            .arg(program);
        let engine = env::var_os("MILLPOND_ONNXRUNTIME");
        let engine = engine.unwrap_or_else(|| library::repository().join(".venv").into());
        command
            .current_dir(&self.stage.folder)
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("TMPDIR", &self.stage.folder)
            .env("ORT_DISABLE_TELEMETRY", "1")
            .env("CORPUS_MODELS", self.models)
            .env("MILLPOND_ONNXRUNTIME", engine);
        for pair in &pair.environment {
            let (name, value) = pair.split_once('=').ok_or("environment: NAME=VALUE")?;
            command.env(name, value);
        }
        let result = output(&mut command);
        let shown = String::from_utf8_lossy(&result.stderr).into_owned()
            + &String::from_utf8_lossy(&result.stdout);
        if self.shown {
            println!("== {} under {schedule}\n{shown}", program.display());
        }
        if result.status.code().is_none_or(|code| code == 124) {
            return Err(format!("it hangs, or the command was killed\n{shown}"));
        }
        let text = fs::read_to_string(&report)
            .map_err(|error| format!("there is no report: {error}\n{shown}"))?;
        let value: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
        let string = |finding: &serde_json::Value, key: &str| {
            finding[key].as_str().unwrap_or_default().to_owned()
        };
        let findings = value["findings"]
            .as_array()
            .ok_or("a report without findings")?;
        // A program that a signal killed leaves no count, but what was found.
        if findings.is_empty() && value["summary"]["records"].as_u64().unwrap_or(0) == 0 {
            return Err(format!("nothing was checked\n{shown}"));
        }
        Ok(Run {
            status: result.status.code(),
            findings: findings
                .iter()
                .map(|finding| Finding {
                    rule: string(finding, "rule"),
                    severity: string(finding, "severity"),
                    message: string(finding, "message"),
                })
                .collect(),
            shown,
        })
    }
}

/// How a run ended, and what was reported.
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) findings: Vec<Finding>,
    shown: String,
}

pub(crate) struct Finding {
    pub(crate) rule: String,
    pub(crate) severity: String,
    pub(crate) message: String,
}

impl Run {
    pub(crate) fn rules(&self) -> impl Iterator<Item = &str> {
        self.findings.iter().map(|finding| finding.rule.as_str())
    }

    /// The end of what was printed.
    pub(crate) fn last_words(&self) -> String {
        let lines: Vec<&str> = self.shown.lines().collect();
        lines[lines.len().saturating_sub(12)..].join("\n")
    }
}
