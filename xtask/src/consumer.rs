//! Somebody else's project: the examples, built and run from the laid-out folder in each way that
//! the README offers.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist;
use crate::tools::{self, Build, Outcome};

/// `cargo xtask consumer`: these steps of the table of tests, and what they need.
pub(crate) const STEPS: &[&str] = &[
    "use: millpond doctor",
    "use: pkg-config",
    "use: layouts",
    "use: CMake",
    "use: Conan",
    "use: set_env.sh",
    "use: millpond check",
    "use: recipes",
];

/// Lays out the folder from the debug build.
pub(crate) fn lay_out(root: &Path) -> Result<Outcome, String> {
    dist::build_and_lay_out(root, Build::Debug).map(|_| Outcome::Passed)
}

/// A folder for what the consumer builds, and the folder it builds against.
struct Consumer {
    root: PathBuf,
    dist: PathBuf,
    work: PathBuf,
}

impl Consumer {
    /// Each step has a folder of its own, because they run side by side.
    fn new(root: &Path, step: &str) -> Result<Self, String> {
        let work = tools::target(root).join("consumer").join(step);
        fs::create_dir_all(&work).map_err(|error| format!("{}: {error}", work.display()))?;
        Ok(Self {
            root: root.to_path_buf(),
            dist: dist::folder(root, Build::Debug),
            work,
        })
    }

    fn millpond(&self, command: &str) -> Command {
        let mut millpond = Command::new(self.dist.join("bin/millpond"));
        millpond.arg(command);
        millpond
    }

    /// Builds an example as `program`, with the folder spelled out.
    fn build(&self, example: &str, program: &str, flags: &[&str]) -> Result<PathBuf, String> {
        let program = self.work.join(program);
        tools::run(
            tools::cc()?
                .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g"])
                .args(flags)
                .arg(self.example(&format!("{example}.c")))
                .arg("-I")
                .arg(self.dist.join("include"))
                .arg("-L")
                .arg(self.dist.join("lib64"))
                .args(["-lascendcl", "-lm", "-o"])
                .arg(&program),
        )?;
        Ok(program)
    }

    fn example(&self, name: &str) -> PathBuf {
        self.root.join("examples/c").join(name)
    }

    /// The model of the examples, made as the README says.
    fn compile_model(&self) -> Result<PathBuf, String> {
        let output = tools::output(
            Command::new(self.dist.join("bin/millpond"))
                .arg("atc")
                .arg("--model")
                .arg(self.root.join("examples/models/mlp.onnx"))
                .args(["--framework", "5", "--input_shape", "x:1~64,16"])
                .args(["--soc_version", "Ascend910B2", "--output"])
                .arg(self.work.join("mlp")),
        )?;
        expect_text(&output, "ATC run success")?;
        Ok(self.work.join("mlp.om"))
    }

    /// Runs a program as the README says, and expects this text in its output.
    fn expect(&self, program: &Path, arguments: &[&Path], text: &str) -> Result<(), String> {
        let output = tools::output(
            Command::new(self.dist.join("bin/millpond"))
                .args(["run", "--"])
                .arg(program)
                .args(arguments),
        )?;
        print!("{output}");
        expect_text(&output, text)
    }
}

fn expect_text(output: &str, text: &str) -> Result<(), String> {
    if output.contains(text) {
        Ok(())
    } else {
        Err(format!(
            "expected \"{text}\" in the output, found:\n{output}"
        ))
    }
}

pub(crate) fn doctor(root: &Path) -> Result<Outcome, String> {
    let consumer = &Consumer::new(root, "doctor")?;
    tools::run(Command::new(consumer.dist.join("bin/millpond")).arg("doctor"))?;
    Ok(Outcome::Passed)
}

/// `cc first.c $(pkg-config --cflags --libs millpond)`, for each example.
pub(crate) fn pkg_config(root: &Path) -> Result<Outcome, String> {
    let consumer = &Consumer::new(root, "pkg_config")?;
    if tools::find("pkg-config").is_none() {
        return Ok(tools::not_installed("pkg-config", "pkg-config"));
    }
    let flags = tools::output(
        Command::new("pkg-config")
            .env("PKG_CONFIG_PATH", consumer.dist.join("lib64/pkgconfig"))
            .args(["--cflags", "--libs", "millpond"]),
    )?;
    let model = consumer.compile_model()?;
    for (example, takes, text) in EXAMPLES {
        let program = consumer.work.join(example);
        tools::run(
            tools::cc()?
                .args(["-std=c11", "-Wall", "-Wextra", "-Werror"])
                .arg(consumer.example(&format!("{example}.c")))
                .args(flags.split_whitespace())
                .args(["-lm", "-o"])
                .arg(&program),
        )?;
        consumer.expect(&program, &takes.arguments(&model), text)?;
    }
    Ok(Outcome::Passed)
}

/// Builds that look for headers and libraries where a toolkit has them.
pub(crate) fn layouts(root: &Path) -> Result<Outcome, String> {
    let consumer = &Consumer::new(root, "layouts")?;
    let arch = format!("{}-linux", std::env::consts::ARCH);
    let nested = format!("latest/{arch}");
    for (place, lib) in [
        ("runtime", "lib64"),
        ("runtime", "lib64/stub"),
        ("acllib", "lib64"),
        ("acllib", "lib64/stub"),
        ("latest", "lib64"),
        ("latest/runtime", "lib64/stub"),
        ("latest/acllib", "lib64/stub"),
        (&arch, "lib64"),
        (&arch, "devlib"),
        (&nested, "lib64"),
    ] {
        let place = consumer.dist.join(place);
        let program = consumer.work.join("layout");
        let mut cc = tools::cc()?;
        cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror"])
            .arg(consumer.example("first.c"))
            .arg("-I")
            .arg(place.join("include"))
            .arg("-L")
            .arg(place.join(lib));
        tools::quietly(cc.args(["-lascendcl", "-o"]).arg(&program))?;
        consumer.expect(&program, &[], "adds up to 24512")?;
    }
    // The folder may be moved, and whoever follows links comes to an end.
    let listed = tools::output(Command::new("find").arg("-L").arg(&consumer.dist))?;
    if listed.lines().count() > 100_000 {
        return Err("the links in the folder form a cycle".to_owned());
    }
    let moved = consumer.work.join("moved");
    dist::remove(&moved)?;
    tools::quietly(Command::new("cp").arg("-a").arg(&consumer.dist).arg(&moved))?;
    let header = moved.join("latest/runtime/include/acl/acl.h");
    let library = moved.join("latest/acllib/lib64/stub/libascendcl.so");
    for file in [&header, &library] {
        let real = file.canonicalize();
        if !real.as_ref().is_ok_and(|real| real.starts_with(&moved)) {
            return Err(format!("{} is a link to {real:?}", file.display()));
        }
    }
    dist::remove(&moved)?;
    symbols(consumer)?;
    Ok(Outcome::Passed)
}

/// The library has no symbols of its own beside those that programs link, and names the file that has.
fn symbols(consumer: &Consumer) -> Result<(), String> {
    if tools::find("objcopy").is_none() || tools::find("readelf").is_none() {
        return Ok(());
    }
    let library = consumer.dist.join("lib64").join(dist::LIBRARY);
    let beside = library.with_extension("so.debug");
    let sections = |file: &Path| tools::output(Command::new("readelf").arg("-SW").arg(file));
    let (shipped, kept) = (sections(&library)?, sections(&beside)?);
    expect_text(&shipped, ".gnu_debuglink")?;
    expect_text(&kept, ".symtab")?;
    expect_text(&kept, ".debug_info")?;
    for section in [".symtab", ".debug_info"] {
        if shipped.contains(section) {
            return Err(format!("{} has {section}", library.display()));
        }
    }
    Ok(())
}

/// The recipes of the documentation, as their pages say.
pub(crate) fn recipes(root: &Path) -> Result<Outcome, String> {
    if tools::find("pkg-config").is_none() {
        return Ok(tools::not_installed("pkg-config", "pkg-config"));
    }
    if tools::cxx().is_none() {
        return Ok(tools::not_installed("c++", "g++"));
    }
    let consumer = Consumer::new(root, "recipes")?;
    let mut test = Command::new("python3");
    test.arg(root.join("docs/recipes/test.py"))
        .arg(&consumer.dist)
        .arg(consumer.work.join("pages"))
        .arg(tools::target(root).join("torch/env/bin/python"));
    tools::run(test.current_dir(root)).map(|()| Outcome::Passed)
}

/// The examples are silent under `millpond check`, and the one with two mistakes is not: in the
/// process and from a file of records.
pub(crate) fn check(root: &Path) -> Result<Outcome, String> {
    let consumer = &Consumer::new(root, "check")?;
    let model = consumer.compile_model()?;
    for (example, takes, text) in EXAMPLES {
        let program = consumer.build(example, example, &[])?;
        let mut command = consumer.millpond("check");
        command.arg("--").arg(&program);
        command.args(takes.arguments(&model));
        let output = tools::output(&mut command)?;
        expect_text(&output, text)?;
    }

    let fixed = consumer.build("two_mistakes", "fixed", &["-DFIXED"])?;
    tools::output(consumer.millpond("check").arg("--").arg(&fixed))?;

    let program = consumer.build("two_mistakes", "two_mistakes", &[])?;
    let (records, live, later) = (
        consumer.work.join("two_mistakes.records"),
        consumer.work.join("live.json"),
        consumer.work.join("later.json"),
    );
    let mut check = consumer.millpond("check");
    check.args(["--format", "json", "-o"]).arg(&live);
    check.arg("--record").arg(&records).arg("--").arg(&program);
    expect_findings(&mut check, &live)?;
    let mut from = consumer.millpond("check");
    from.args(["--format", "json", "-o"]).arg(&later);
    from.arg("--from").arg(&records);
    expect_findings(&mut from, &later)?;
    Ok(Outcome::Passed)
}

/// Runs a check that must find the two mistakes and nothing else.
fn expect_findings(command: &mut Command, report: &Path) -> Result<(), String> {
    let line = tools::shell_line(command);
    let output = command
        .output()
        .map_err(|error| format!("{line}: {error}"))?;
    if output.status.code() != Some(1) {
        return Err(format!(
            "{line}\nexited with {} instead of 1\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    let text = fs::read_to_string(report).map_err(|error| format!("{line}: {error}"))?;
    let text: String = text.split_whitespace().collect();
    for rule in ["stream.race", "memory.freed-in-use"] {
        expect_text(&text, &format!("\"rule\":\"{rule}\""))?;
    }
    match text.matches("\"rule\":").count() {
        2 => Ok(()),
        other => Err(format!("{line}\nfound {other} mistakes instead of two")),
    }
}

/// What an example is started with.
#[derive(Clone, Copy)]
enum Takes {
    Nothing,
    Model,
}

impl Takes {
    fn arguments(self, model: &Path) -> Vec<&Path> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Model => vec![model],
        }
    }
}

/// Each example and what it prints when all is well.
const EXAMPLES: [(&str, Takes, &str); 6] = [
    ("first", Takes::Nothing, "adds up to 24512"),
    ("two_streams", Takes::Nothing, "1024 of 1024 values arrived"),
    (
        "pool",
        Takes::Nothing,
        "another block before the event, the same block after it",
    ),
    ("operators", Takes::Nothing, "largest in column 4"),
    (
        "dynamic_model",
        Takes::Model,
        "block(s) taken from the device, 0 in use now",
    ),
    (
        "several_models",
        Takes::Model,
        "several_models: sums up to 1.90527, off by at most 0",
    ),
];

/// `find_package(Millpond)` and `Millpond::ascendcl`, in `packaging/consumer`.
pub(crate) fn cmake(root: &Path) -> Result<Outcome, String> {
    let consumer = &Consumer::new(root, "cmake")?;
    if tools::find("cmake").is_none() {
        return Ok(tools::not_installed("cmake", "cmake"));
    }
    let build = consumer.work.join("cmake");
    if build.exists() {
        fs::remove_dir_all(&build).map_err(|error| format!("{}: {error}", build.display()))?;
    }
    let mut prefix = OsString::from("-DCMAKE_PREFIX_PATH=");
    prefix.push(&consumer.dist);
    tools::output(
        Command::new("cmake")
            .arg("-S")
            .arg(consumer.root.join("packaging/consumer"))
            .arg("-B")
            .arg(&build)
            .arg(prefix),
    )?;
    tools::output(Command::new("cmake").arg("--build").arg(&build))?;
    consumer.expect(&build.join("first"), &[], "adds up to 24512")?;
    Ok(Outcome::Passed)
}

/// The folder as a Conan package, and a project that finds it with what Conan writes for `CMake`.
pub(crate) fn conan(root: &Path) -> Result<Outcome, String> {
    let consumer = &Consumer::new(root, "conan")?;
    if tools::find("cmake").is_none() {
        return Ok(tools::not_installed("cmake", "cmake"));
    }
    if tools::find("conan").is_none() {
        return Ok(Outcome::Skipped(
            "conan is not installed (pip install conan)".to_owned(),
        ));
    }
    dist::remove(&consumer.work)?;
    let project = consumer.root.join("packaging/consumer");
    let (written, build) = (consumer.work.join("written"), consumer.work.join("cmake"));
    let run = |words: &[&str], last: &Path| {
        let mut command = Command::new(words[0]);
        // Neither profiles nor packages of this user are read or changed.
        command.env("CONAN_HOME", consumer.work.join("home"));
        tools::run(command.args(&words[1..]).arg(last))
    };
    let detect = ["conan", "profile", "detect", "--name"];
    run(&detect, Path::new("default"))?;
    let recipe = consumer.dist.join("share/conan");
    let recipe = recipe.to_string_lossy();
    run(&["conan", "export-pkg", &recipe, "-of"], &written)?;
    let package = concat!("--requires=millpond/", env!("CARGO_PKG_VERSION"));
    let install = ["conan", "install", package, "-g", "CMakeToolchain"];
    run(&[&install[..], &["-of"]].concat(), &written)?;
    let toolchain = written.join("conan_toolchain.cmake");
    let toolchain = format!("-DCMAKE_TOOLCHAIN_FILE={}", toolchain.display());
    let build_folder = build.to_string_lossy();
    run(&["cmake", "-B", &build_folder, &toolchain, "-S"], &project)?;
    run(&["cmake", "--build"], &build)?;
    consumer.expect(&build.join("first"), &[], "adds up to 24512")?;
    Ok(Outcome::Passed)
}

/// A shell that sources `set_env.sh` builds and runs with nothing but the variables it set: once with
/// `sh`, once with bash where there is one.
pub(crate) fn set_env(root: &Path) -> Result<Outcome, String> {
    let consumer = &Consumer::new(root, "set_env")?;
    for shell in ["sh", "bash"] {
        if tools::find(shell).is_none() {
            continue;
        }
        let output = tools::output(
            Command::new(shell)
                .arg(consumer.root.join("packaging/consumer/in_a_shell.sh"))
                .arg(&consumer.dist)
                .arg(consumer.example("first.c"))
                .arg(consumer.work.join("first-set-env")),
        )?;
        expect_text(&output, "adds up to 24512")?;
        expect_text(&output, "bin/millpond")?;
    }
    Ok(Outcome::Passed)
}
