//! A dist folder made of stand-ins: the real `millpond` command, and libraries of a few lines of C.
//! So these tests are about the command alone, and a vendor's toolkit can stand beside it.
#![allow(
    dead_code,
    reason = "each test program uses its own part of this module"
)]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a library answers to `whose`, and enough of AscendCL for the doctor.
const LIBRARY: &str = r#"
#include <stddef.h>
#include <stdint.h>
const char *whose(void) { return WHOSE; }
#ifdef VERSION
const char *millpondVersion(void) { return VERSION; }
#endif
int aclInit(const char *path) { (void)path; return 0; }
const char *aclGetRecentErrMsg(void) { return "EMESSAGE"; }
const char *aclrtGetSocName(void) { return "Ascend910B2"; }
int aclrtGetDeviceCount(uint32_t *count) { *count = 2; return 0; }
int aclrtSetDevice(int32_t device) { (void)device; return SET_DEVICE; }
int aclrtResetDevice(int32_t device) { (void)device; return 0; }
int aclrtGetMemInfo(int attr, size_t *free, size_t *total)
{
    (void)attr;
    *free = 3ul << 30;
    *total = 4ul << 30;
    return 0;
}
"#;

/// Prints whose library it got.
const PROGRAM: &str = r"
#include <stdio.h>
const char *whose(void);
int main(void) { puts(whose()); return 0; }
";

/// A second name for a file: debug builds are large, and every test has a folder of its own. A copy where the file system has no
/// hard links.
pub(crate) fn same_file(file: &Path, name: &Path) {
    if fs::hard_link(file, name).is_err() {
        fs::copy(file, name).expect("a copy of a built file");
    }
}

/// A folder of its own for one test, below Cargo's folder for such things.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) folder: PathBuf,
}

impl Stage {
    /// A dist folder with a copy of the command and nothing else.
    pub(crate) fn bare(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        drop(fs::remove_dir_all(&folder));
        for part in ["dist/bin", "dist/lib64", "vendor/lib64"] {
            fs::create_dir_all(folder.join(part)).expect("a folder for the test");
        }
        let folder = folder.canonicalize().expect("the folder just made");
        // Not a symbolic link: the command looks for its library from where it really is.
        same_file(
            Path::new(env!("CARGO_BIN_EXE_millpond")),
            &folder.join("dist/bin/millpond"),
        );
        Self { folder }
    }

    /// The same with a library of ours that works, and one of a vendor's.
    pub(crate) fn new(name: &str) -> Self {
        let stage = Self::bare(name);
        stage.library(&stage.lib(), "ours", &[&version(), "-DSET_DEVICE=0"]);
        stage.library(&stage.vendor(), "theirs", &["-DSET_DEVICE=0"]);
        stage
    }

    pub(crate) fn lib(&self) -> PathBuf {
        self.folder.join("dist/lib64")
    }

    pub(crate) fn vendor(&self) -> PathBuf {
        self.folder.join("vendor/lib64")
    }

    pub(crate) fn library(&self, folder: &Path, whose: &str, options: &[&str]) {
        let source = self.folder.join("library.c");
        fs::write(&source, LIBRARY).expect("the source of the library");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-Wl,-soname,libascendcl.so"])
            .arg(format!("-DWHOSE=\"{whose}\""))
            .args(options)
            .arg(&source)
            .arg("-o")
            .arg(folder.join("libascendcl.so"));
        compile(&mut cc);
    }

    /// A program linked with the vendor's library, with these options for the linker.
    pub(crate) fn program(&self, name: &str, options: &[&str]) -> PathBuf {
        let (source, program) = (self.folder.join("program.c"), self.folder.join(name));
        fs::write(&source, PROGRAM).expect("the source of the program");
        let mut cc = Command::new("cc");
        cc.arg(&source)
            .arg("-L")
            .arg(self.vendor())
            .args(["-lascendcl", "-o"])
            .arg(&program)
            .args(options);
        compile(&mut cc);
        program
    }

    /// The command with these arguments, in an environment that holds only `PATH`.
    pub(crate) fn millpond<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut command = Command::new(self.folder.join("dist/bin/millpond"));
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }
}

/// The option that makes a library claim the version of this command.
pub(crate) fn version() -> String {
    format!("-DVERSION=\"{}\"", env!("CARGO_PKG_VERSION"))
}

pub(crate) fn compile(cc: &mut Command) {
    let output = cc
        .output()
        .expect("these tests need a C compiler: apt-get install gcc libc6-dev");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

pub(crate) fn output(command: &mut Command) -> Output {
    // A program that was just written is busy while another test's new process, between fork and
    // exec, still holds the file open for writing.
    for _ in 0..50 {
        match command.output() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            answer => return answer.expect("the command starts"),
        }
    }
    command.output().expect("the command starts")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A dist folder with the real library, and the program of `tests/c` linked with it.
#[derive(Debug)]
pub(crate) struct Real {
    pub(crate) stage: Stage,
}

impl Real {
    pub(crate) fn new(name: &str) -> Self {
        let stage = Stage::bare(name);
        let library = stage.lib().join("libascendcl.so");
        let built = built_library();
        same_file(&built, &library);
        let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut cc = Command::new("cc");
        cc.arg("-g")
            .arg("-I")
            .arg(crates.join("../../include"))
            .arg(crates.join("tests/c/program.c"))
            .arg("-L")
            .arg(stage.lib())
            .args(["-lascendcl", "-o"])
            .arg(stage.folder.join("program"));
        compile(&mut cc);
        Self { stage }
    }

    pub(crate) fn program(&self) -> PathBuf {
        self.stage.folder.join("program")
    }

    /// `millpond check` of the program with these words.
    pub(crate) fn command(&self, options: &[&str], words: &str) -> Command {
        let mut command = self.stage.millpond(&["check"]);
        command
            .args(options)
            .arg("--")
            .arg(self.program())
            .args(words.split_whitespace())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn check(&self, options: &[&str], words: &str) -> Output {
        output(&mut self.command(options, words))
    }
}

/// The library that was built with these tests: beside the command, or in `deps`, whichever is newer.
fn built_library() -> PathBuf {
    let profile = Path::new(env!("CARGO_BIN_EXE_millpond"))
        .parent()
        .expect("the folder of the command");
    let places = [
        profile.join("deps/libascendcl.so"),
        profile.join("libascendcl.so"),
    ];
    let written = |path: &PathBuf| fs::metadata(path).and_then(|data| data.modified()).ok();
    let newest = places.into_iter().max_by_key(written).expect("two places");
    assert!(
        newest.exists(),
        "no {}: build millpond-capi first",
        newest.display()
    );
    newest
}

/// The whole output of a run, for messages of failed assertions.
pub(crate) fn all(result: &Output) -> String {
    format!(
        "{:?}\n{}\n{}",
        result.status,
        stdout(result),
        stderr(result)
    )
}

/// Asks a process to end.
pub(crate) fn kill(process: &str) {
    let status = Command::new("kill").arg(process).status();
    assert!(status.expect("kill").success());
}

pub(crate) fn path(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}
