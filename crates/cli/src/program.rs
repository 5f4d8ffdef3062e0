//! Finds a program and prepares its environment: the common part of `run` and `check`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::elf::{self, Executable};
use crate::environment::{Changes, Variables};
use crate::installation::{BUILD_HINT, Installation, REMEDIES};
use crate::python::Python;
use crate::say::say;

/// Why the command failed: what `run` and `check` print, and the exit status.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: u8,
    pub(crate) what: String,
    pub(crate) hint: String,
}

pub(crate) const NO_LIBRARY: u8 = 125;
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

impl Refusal {
    /// Prints the reason and the hint, and returns the exit status.
    pub(crate) fn report(&self) -> ExitCode {
        say!("millpond: {}\n", self.what);
        say!("hint: {}\n", self.hint);
        ExitCode::from(self.code)
    }
}

/// A program that is ready to be started.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) command: Command,
    path: PathBuf,
}

impl Prepared {
    /// Finds the program, and sets the variables that it needs and `settings`.
    pub(crate) fn new(
        program: &[OsString],
        settings: Vec<(&'static str, OsString)>,
        explained: bool,
    ) -> Result<Self, Refusal> {
        let plain = Installation::find().map_err(|looked| no_library(&looked))?;
        let (installation, problem) = match plain.clone().presented() {
            Ok(installation) => (installation, None),
            Err(error) => (plain, Some(error)),
        };
        let now: Variables = env::vars_os().collect();
        let name = &program[0];
        let path = resolve(name, now.get(OsStr::new("PATH")))?;

        // The C library would run a file that the kernel refuses with the shell, as if it were a script.
        let own = elf::machine(Path::new("/proc/self/exe"));
        if elf::machine(&path).is_some_and(|machine| Some(machine) != own) {
            return Err(other_machine(&path));
        }

        let mut changes = Changes::towards(&installation, &now);
        if let Some(error) = problem {
            changes.notes.push(format!(
                "cannot create the other names of our library in {}: {error}; programs that need them will not find \
                 them\nhint: make that folder writable, or use the folder that cargo xtask dist creates",
                installation.lib.display()
            ));
        }
        for (variable, value) in settings {
            changes.set(variable, value);
        }
        if let Some(python) = python_behind(&path, &now) {
            let ours = installation.home.join(REMEDIES).join("sitecustomize.py");
            let isolated = is_isolated(&python_options(&path, &program[1..])) || !ours.is_file();
            changes.for_python(&python, isolated, &installation, &now);
        }
        let (loaded, executable) = executable_behind(&path, now.get(OsStr::new("PATH")));
        if let Some(executable) = executable {
            changes.for_program(&loaded, &executable, &installation, &now);
        }
        if explained {
            explain(&changes);
        }
        for note in &changes.notes {
            say!("millpond: note: {note}\n");
        }

        let mut command = Command::new(&path);
        command.arg0(name).args(&program[1..]).envs(&changes.set);
        for variable in &changes.remove {
            command.env_remove(variable);
        }
        Ok(Self { command, path })
    }

    /// Why the operating system did not start it.
    pub(crate) fn refused(&self, error: &io::Error) -> Refusal {
        not_started(&self.path, error)
    }
}

fn explain(changes: &Changes) {
    for (name, value) in &changes.set {
        say!("millpond: {}={}\n", name.display(), value.display());
    }
    for name in &changes.remove {
        say!("millpond: {} removed\n", name.display());
    }
}

/// Finds the program like a shell: a name with a slash is a path, any other is searched in `PATH`.
fn resolve(name: &OsStr, search: Option<&OsString>) -> Result<PathBuf, Refusal> {
    if name.as_encoded_bytes().contains(&b'/') {
        let path = PathBuf::from(name);
        return match startable(&path) {
            Ok(()) => Ok(path),
            Err(refusal) => Err(refusal),
        };
    }
    let mut refused = None;
    for folder in search.iter().flat_map(env::split_paths) {
        // An empty entry means the current folder. The path must keep a slash: without one the operating system would
        // search the name again.
        let path = Path::new(".").join(folder).join(name);
        match startable(&path) {
            Ok(()) => return Ok(path),
            // Like a shell: continue, and report this one only if there is no other.
            Err(refusal) if refusal.code == NOT_EXECUTABLE => refused = refused.or(Some(refusal)),
            Err(_) => {}
        }
    }
    Err(refused.unwrap_or_else(|| {
        let here = Path::new(name).is_file();
        Refusal {
            code: NOT_FOUND,
            what: format!("{}: not found in PATH", name.display()),
            hint: if here {
                format!(
                    "a file of this name is in the current folder: ./{}",
                    name.display()
                )
            } else {
                "check the spelling, or give the path of the program".to_owned()
            },
        }
    }))
}

/// Whether the file exists and is executable. A folder is not.
fn startable(path: &Path) -> Result<(), Refusal> {
    const ANY_EXECUTE_BIT: u32 = 0o111;
    match fs::metadata(path) {
        Ok(file) if file.is_dir() => Err(Refusal {
            code: NOT_EXECUTABLE,
            what: format!("{} is a folder", path.display()),
            hint: "give the path of a program inside it".to_owned(),
        }),
        Ok(file) if file.permissions().mode() & ANY_EXECUTE_BIT == 0 => Err(Refusal {
            code: NOT_EXECUTABLE,
            what: format!("{} is not executable", path.display()),
            hint: format!(
                "chmod +x {0}, or name its interpreter: -- python3 {0}",
                path.display()
            ),
        }),
        Ok(_) => Ok(()),
        Err(error) => Err(not_started(path, &error)),
    }
}

/// The message for an error of the operating system.
fn not_started(path: &Path, error: &io::Error) -> Refusal {
    let shown = path.display();
    match error.kind() {
        io::ErrorKind::NotFound if path.exists() => Refusal {
            code: NOT_FOUND,
            what: format!("{shown}: interpreter or dynamic loader not found"),
            hint: format!("check its first line, or run: file {shown}"),
        },
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Refusal {
            code: NOT_FOUND,
            what: format!("{shown}: not found"),
            hint: "check the spelling of the path".to_owned(),
        },
        io::ErrorKind::PermissionDenied => Refusal {
            code: NOT_EXECUTABLE,
            what: format!("{shown}: permission denied"),
            hint: format!("check the permissions along the path: namei -l {shown}"),
        },
        _ => Refusal {
            code: NOT_EXECUTABLE,
            what: format!("{shown} cannot be executed: {error}"),
            hint: format!(
                "a script needs a first line such as #!/bin/sh; a program must be for this machine: \
                 file {shown}"
            ),
        },
    }
}

fn other_machine(path: &Path) -> Refusal {
    Refusal {
        code: NOT_EXECUTABLE,
        what: format!(
            "{} is built for a different architecture than Millpond's library",
            path.display()
        ),
        hint: format!("compare: file {} $(command -v millpond)", path.display()),
    }
}

fn no_library(looked: &[PathBuf]) -> Refusal {
    let places: Vec<String> = looked
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    Refusal {
        code: NO_LIBRARY,
        what: format!(
            "our library is missing; looked for {}",
            places.join(" and ")
        ),
        hint: BUILD_HINT.to_owned(),
    }
}

/// The file that the dynamic loader loads: the program, or the interpreter of a script.
fn executable_behind(path: &Path, search: Option<&OsString>) -> (PathBuf, Option<Executable>) {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if let Some(executable) = Executable::read(&path) {
        return (path, Some(executable));
    }
    let named = first_lines(&path).and_then(|lines| interpreter(&lines[0], search));
    let Some(interpreter) = named else {
        return (path, None);
    };
    let interpreter = interpreter.canonicalize().unwrap_or(interpreter);
    let executable = Executable::read(&interpreter);
    (interpreter, executable)
}

/// The Python that runs the program: the program itself, or the interpreter of a script.
fn python_behind(path: &Path, now: &Variables) -> Option<Python> {
    Python::at(path, now).or_else(|| {
        let script = first_lines(path)?;
        let named = interpreter(&script[0], now.get(OsStr::new("PATH")));
        // If the path of Python is too long for the first line, installers write a shell script that is also Python:
        // ''''exec' /long/path/python "$0" "$@"
        let through_shell = script[1]
            .strip_prefix("''''exec' ")
            .and_then(|rest| rest.split('"').find(|word| !word.trim().is_empty()))
            .map(|word| PathBuf::from(word.trim()));
        through_shell
            .or(named)
            .and_then(|python| Python::at(&python, now))
    })
}

/// The words after the name of Python: the arguments, or those in the first line of a script.
fn python_options(path: &Path, arguments: &[OsString]) -> Vec<OsString> {
    match first_lines(path) {
        Some([line, _]) if line.starts_with("#!") => {
            let words = line[2..].split_whitespace().skip(1);
            words
                .skip_while(|word| !word.starts_with('-'))
                .map(OsString::from)
                .collect()
        }
        _ => arguments.to_vec(),
    }
}

/// Whether these options keep Python from loading our `sitecustomize`: `-I`, `-E` and `-S`.
fn is_isolated(options: &[OsString]) -> bool {
    let mut words = options.iter().map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            return false;
        };
        if letters.starts_with('-') {
            continue;
        }
        for (index, letter) in letters.char_indices() {
            match letter {
                'I' | 'E' | 'S' => return true,
                // A program and its arguments follow.
                'c' | 'm' => return false,
                'W' | 'X' => {
                    if index + 1 == letters.len() {
                        words.next();
                    }
                    break;
                }
                _ => {}
            }
        }
    }
    false
}

/// The first two lines of a script, or as much as there is.
fn first_lines(script: &Path) -> Option<[String; 2]> {
    const LONGEST: u64 = 4096;
    let mut reader = BufReader::new(fs::File::open(script).ok()?.take(LONGEST));
    let mut line = || {
        let mut line = Vec::new();
        reader.read_until(b'\n', &mut line).ok()?;
        String::from_utf8(line).ok()
    };
    Some([line()?, line().unwrap_or_default()])
}

/// The interpreter in a first line `#!`, with `env NAME` resolved.
fn interpreter(line: &str, search: Option<&OsString>) -> Option<PathBuf> {
    let mut words = line.strip_prefix("#!")?.split_whitespace();
    let first = PathBuf::from(words.next()?);
    if first.file_name().is_some_and(|name| name == "env") {
        let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        return resolve(OsStr::new(name), search).ok();
    }
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_searched_in_path_and_a_path_is_not() {
        let search = OsString::from("/nowhere:/bin:/usr/bin");
        assert!(
            resolve(OsStr::new("sh"), Some(&search))
                .unwrap()
                .is_absolute()
        );
        assert_eq!(
            resolve(OsStr::new("/bin/sh"), None).unwrap(),
            Path::new("/bin/sh")
        );
        assert_eq!(resolve(OsStr::new("sh"), None).unwrap_err().code, NOT_FOUND);
    }

    #[test]
    fn a_folder_and_a_plain_file_are_not_executable() {
        assert_eq!(
            resolve(OsStr::new("/usr/"), None).unwrap_err().code,
            NOT_EXECUTABLE
        );
        let plain = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let refusal = resolve(plain.as_os_str(), None).unwrap_err();
        assert_eq!(refusal.code, NOT_EXECUTABLE);
        assert!(refusal.hint.contains("chmod +x"));
    }

    #[test]
    fn a_script_leads_to_its_interpreter() {
        let search = OsString::from("/bin:/usr/bin");
        for (first_line, expected) in [
            ("#!/bin/sh -e\n", Some("/bin/sh")),
            ("#! /usr/bin/env -S A=1 sh\n", Some("/bin/sh")),
            ("no interpreter\n", None),
            ("", None),
        ] {
            assert_eq!(
                interpreter(first_line, Some(&search)),
                expected.map(PathBuf::from),
                "{first_line}"
            );
        }
    }

    #[test]
    fn options_decide_whether_python_loads_our_module() {
        for (options, isolated) in [
            ("", false),
            ("train.py -I", false),
            ("-I train.py", true),
            ("-uE train.py", true),
            ("-X dev -S train.py", true),
            ("-Xdev -W error train.py -E", false),
            ("-c print() -I", false),
            ("-mpytest -S", false),
            ("--version", false),
        ] {
            let words: Vec<OsString> = options.split_whitespace().map(OsString::from).collect();
            assert_eq!(is_isolated(&words), isolated, "{options}");
        }
    }

    #[test]
    fn a_script_for_python_leads_to_its_environment() {
        let folder = std::env::temp_dir().join(format!("millpond-{}-scripts", std::process::id()));
        let bin = folder.join("an environment/bin");
        fs::create_dir_all(&bin).unwrap();
        let python = bin.join("python3");
        fs::write(&python, "\x7fELF").unwrap();
        let plain = folder.join("python3");
        fs::write(&plain, "\x7fELF").unwrap();
        let script = folder.join("torchrun");
        for (text, expected) in [
            (format!("#!{}\n", plain.display()), Some(&plain)),
            (
                format!(
                    "#!/bin/sh\n''''exec' \"{}\" \"$0\" \"$@\"\n' '''\n",
                    python.display()
                ),
                Some(&python),
            ),
            (
                format!(
                    "#!/bin/sh\n''''exec' {} \"$0\" \"$@\"\n' '''\n",
                    plain.display()
                ),
                Some(&plain),
            ),
            ("#!/bin/sh\necho\n".to_owned(), None),
            ("text".to_owned(), None),
        ] {
            fs::write(&script, &text).unwrap();
            let found = python_behind(&script, &Variables::new());
            assert_eq!(
                found.map(|python| python.executable),
                expected.cloned(),
                "{text}"
            );
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
