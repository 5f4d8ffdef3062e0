//! The pages of `docs/rules` hold what they say: every rule has one, its first program breaks exactly
//! this rule, and its second, the fixed version of the first, breaks none.
//!
//! Lines of a page that are comments of HTML tell what a program needs:
//!
//! | line | effect |
//! | --- | --- |
//! | `environment: NAME=VALUE …` | variables for both programs |
//! | `exit: 139` | how the broken program ends, in the words of a shell; 0 without it |
//! | `also: rule …` | further rules that the broken program cannot help breaking |
//! | `only-records` | the rule cannot be broken from C here; its test is in `crates/check/tests` |

#![expect(
    clippy::unwrap_used,
    reason = "a test harness stops at the first surprise"
)]

#[path = "support/library.rs"]
mod library;

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use millpond_check::{Rule, Severity, rules};

struct Page {
    id: String,
    text: String,
}

fn pages() -> Vec<Page> {
    let folder = library::repository().join("docs/rules");
    let mut pages: Vec<Page> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .filter(|path| path.file_name().unwrap() != "README.md")
        .map(|path| Page {
            id: path.file_stem().unwrap().to_string_lossy().into_owned(),
            text: fs::read_to_string(&path).unwrap(),
        })
        .collect();
    pages.sort_by(|a, b| a.id.cmp(&b.id));
    pages
}

impl Page {
    /// The C programs, in order.
    fn programs(&self) -> Vec<&str> {
        let mut blocks = self.text.split("\n```c\n").skip(1);
        let mut programs = Vec::new();
        for block in &mut blocks {
            programs.push(block.split("\n```").next().unwrap());
        }
        programs
    }

    /// The words behind a key in the page's comments.
    fn setting(&self, key: &str) -> Vec<&str> {
        let comments = self.text.split("<!--").skip(1);
        comments
            .filter_map(|rest| rest.split("-->").next())
            .flat_map(str::lines)
            .filter_map(|line| line.trim().strip_prefix(key))
            .flat_map(str::split_whitespace)
            .collect()
    }
}

#[test]
fn every_rule_has_a_page_and_every_page_a_rule() {
    let pages = pages();
    let written: BTreeSet<&str> = pages.iter().map(|page| page.id.as_str()).collect();
    let declared: BTreeSet<&str> = rules::all().map(|rule| rule.id).collect();
    assert_eq!(written, declared);
    for page in &pages {
        let rule = Rule::find(&page.id).unwrap();
        let mut lines = page.text.lines();
        assert_eq!(
            lines.next().unwrap(),
            format!("# {}: {}", rule.id, rule.title)
        );
        let severity = lines.find(|line| !line.is_empty()).unwrap();
        assert!(
            severity.starts_with(&format!("*{}* · ", rule.severity)),
            "{}: {severity}",
            page.id
        );
        for heading in [
            "What is forbidden",
            "The documented requirement",
            "How it is found",
        ] {
            assert!(
                page.text.contains(&format!("\n## {heading}\n")),
                "{}: {heading}",
                page.id
            );
        }
        let programs = if page.text.contains("only-records") {
            0..=2
        } else {
            2..=2
        };
        assert!(programs.contains(&page.programs().len()), "{}", page.id);
    }
}

#[test]
fn the_first_program_breaks_its_rule_and_the_second_none() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rule_pages");
    fs::create_dir_all(&folder).unwrap();
    let only = env::var("MILLPOND_TEST_RULE").unwrap_or_default();
    let pages: Vec<Page> = pages()
        .into_iter()
        .filter(|page| page.id.contains(&only) && !page.text.contains("only-records"))
        .collect();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(problem) = check(page, &folder) {
                        let mut wrong = wrong.lock().unwrap();
                        wrong.push(format!("== {}\n{problem}", page.id));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(
        wrong.is_empty(),
        "{} of {} pages do not hold:\n{}",
        wrong.len(),
        pages.len(),
        wrong.join("\n")
    );
}

fn check(page: &Page, folder: &Path) -> Result<(), String> {
    let programs = page.programs();
    let [broken, fixed] = programs.as_slice() else {
        return Err(format!("{} programs instead of two", programs.len()));
    };
    let mut expected = BTreeSet::from([page.id.clone()]);
    expected.extend(page.setting("also:").into_iter().map(str::to_owned));
    let exit = page.setting("exit:").first().map_or("0", |code| code);

    let run = run(page, broken, &folder.join(format!("{}-broken", page.id)))?;
    let found: BTreeSet<String> = run.rules.iter().cloned().collect();
    let found_or_hint = |rule: &String| {
        expected.contains(rule) || Rule::find(rule).unwrap().severity == Severity::Hint
    };
    if !expected.is_subset(&found) || !found.iter().all(found_or_hint) {
        return Err(format!(
            "the broken program breaks {found:?} instead of {expected:?}\n{}",
            run.output
        ));
    }
    if run.code() != exit {
        return Err(format!(
            "the broken program ended with {}\n{}",
            run.code(),
            run.output
        ));
    }

    let run = self::run(page, fixed, &folder.join(format!("{}-fixed", page.id)))?;
    let loud: Vec<&String> = run
        .rules
        .iter()
        .filter(|rule| **rule == page.id || Rule::find(rule).unwrap().severity != Severity::Hint)
        .collect();
    if !loud.is_empty() || run.code() != "0" {
        return Err(format!(
            "the fixed program breaks {loud:?} and ended with {}\n{}",
            run.code(),
            run.output
        ));
    }
    Ok(())
}

struct Run {
    status: ExitStatus,
    output: String,
    /// The rules of the findings, in order.
    rules: Vec<String>,
}

impl Run {
    /// As a shell says it.
    fn code(&self) -> String {
        let code = self.status.code();
        let signal = self.status.signal().map(|signal| 128 + signal);
        code.or(signal)
            .map_or_else(String::new, |code| code.to_string())
    }
}

fn run(page: &Page, source: &str, program: &PathBuf) -> Result<Run, String> {
    let file = program.with_extension(format!(
        "{}.c",
        program.extension().unwrap_or_default().to_string_lossy()
    ));
    fs::write(&file, source).unwrap();
    build(&file, program)?;
    let findings = PathBuf::from(format!("{}.findings", program.display()));
    if findings.exists() {
        fs::remove_file(&findings).unwrap();
    }
    let mut command = Command::new("timeout");
    command.arg("60").arg(program);
    for (key, _) in env::vars_os() {
        let name = key.to_string_lossy();
        if name.starts_with("MILLPOND_") || name.starts_with("ASCEND_") {
            command.env_remove(&key);
        }
    }
    command.env("MILLPOND_CHECK", "1");
    command.env("MILLPOND_CHECK_FINDINGS", &findings);
    let engine = env::var_os("MILLPOND_ONNXRUNTIME");
    let engine = engine.unwrap_or_else(|| library::repository().join(".venv").into());
    command.env("MILLPOND_ONNXRUNTIME", engine);
    for pair in page.setting("environment:") {
        let (name, value) = pair.split_once('=').ok_or("environment: NAME=VALUE")?;
        command.env(name, value);
    }
    let output = command
        .current_dir(program.parent().unwrap())
        .output()
        .map_err(|error| error.to_string())?;
    let text = fs::read_to_string(&findings)
        .map_err(|error| format!("no findings were written: {error}"))?;
    let mut rules = Vec::new();
    for line in text.lines() {
        let value: serde_json::Value =
            serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
        if let Some(rule) = value["finding"]["rule"].as_str() {
            rules.push(rule.to_owned());
        }
    }
    let mut shown = String::from_utf8_lossy(&output.stdout).into_owned();
    shown += &String::from_utf8_lossy(&output.stderr);
    Ok(Run {
        status: output.status,
        output: shown,
        rules,
    })
}

/// Builds one C file with the headers and the library; `Err` is what the compiler says.
fn build(source: &Path, program: &Path) -> Result<(), String> {
    let libraries = library::library_dir();
    let mut rpath = OsString::from("-Wl,--disable-new-dtags,-rpath,");
    rpath.push(&libraries);
    let output = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()))
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g"])
        .arg("-I")
        .arg(library::repository().join("include"))
        .arg(source)
        .arg("-o")
        .arg(program)
        .arg("-L")
        .arg(&libraries)
        .arg("-lascendcl")
        .arg(rpath)
        .args(["-lpthread", "-ldl", "-lm"])
        .output()
        .map_err(|error| format!("the C compiler cannot be started: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
