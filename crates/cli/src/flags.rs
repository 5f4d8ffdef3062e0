//! `millpond flags` and `millpond home`: what a build needs to find this installation.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::installation::{BUILD_HINT, Installation, Layout};
use crate::say::{say, to_stdout};

/// Arguments of `millpond flags`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without an option both are printed:

  cc program.c $(millpond flags) -o program
  millpond run -- ./program")]
pub(crate) struct Flags {
    /// Only what the compiler needs
    #[arg(long)]
    cflags: bool,

    /// Only what the linker needs
    #[arg(long)]
    libs: bool,
}

/// Arguments of `millpond home`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The folder has include, lib64 and bin. CMake finds the package in it:

  cmake -B build -DCMAKE_PREFIX_PATH=$(millpond home)

Builds that look for runtime/include, lib64/stub or latest in a toolkit find them with --link:

  export ASCEND_HOME_PATH=$(millpond home --link ~/ascend)")]
pub(crate) struct Home {
    /// Make DIR a toolkit folder of links to this installation, in every layout that builds look for, and print it
    #[arg(long, value_name = "DIR")]
    link: Option<PathBuf>,
}

impl Flags {
    pub(crate) fn print(&self) -> ExitCode {
        finish(
            Installation::find()
                .map_err(|looked| missing(&looked))
                .and_then(|found| {
                    if found.layout == Layout::Build {
                        return Err(format!(
                            "{} has no headers beside it; {BUILD_HINT}",
                            found.library().display()
                        ));
                    }
                    let both = self.cflags == self.libs;
                    line(&found, both || self.cflags, both || self.libs)
                }),
        )
    }
}

impl Home {
    pub(crate) fn print(&self) -> ExitCode {
        finish(
            Installation::find()
                .map_err(|looked| missing(&looked))
                .and_then(|found| self.folder(&found)),
        )
    }

    fn folder(&self, found: &Installation) -> Result<String, String> {
        let Some(folder) = &self.link else {
            return Ok(found.home.display().to_string());
        };
        let made = found.link_toolkit(folder);
        made.map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        // A relative path would be wrong in the variable that this is for.
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        Ok(folder.display().to_string())
    }
}

fn missing(looked: &[PathBuf]) -> String {
    let looked: Vec<String> = looked
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    format!(
        "Millpond's library is missing; looked for {}; {BUILD_HINT}",
        looked.join(" and ")
    )
}

fn finish(result: Result<String, String>) -> ExitCode {
    let printed = result.and_then(|text| {
        to_stdout(|out| writeln!(out, "{text}")).map_err(|error| format!("stdout: {error}"))
    });
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say!("error: {message}\n");
            ExitCode::FAILURE
        }
    }
}

/// The words of a command line. A shell splits them at spaces and has no way to keep a path with one together.
fn line(found: &Installation, cflags: bool, libs: bool) -> Result<String, String> {
    let folder = |path: &Path| match path.to_str() {
        Some(text) if !text.contains(char::is_whitespace) => Ok(text.to_owned()),
        _ => Err(format!(
            "the path {} has a space in it, and a shell would split it; use the folders that `millpond home --link DIR` \
             makes in a path without one",
            path.display()
        )),
    };
    let mut words = Vec::new();
    if cflags {
        words.push(format!("-I{}", folder(&found.home.join("include"))?));
    }
    if libs {
        words.push(format!("-L{}", folder(&found.lib)?));
        words.push("-lascendcl".to_owned());
    }
    Ok(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(home: &str) -> Installation {
        Installation {
            home: home.into(),
            lib: Path::new(home).join("lib64"),
            layout: Layout::Dist,
        }
    }

    #[test]
    fn each_part_is_printed_alone_or_both() {
        let found = at("/opt/millpond");
        for (cflags, libs, expected) in [
            (true, false, "-I/opt/millpond/include"),
            (false, true, "-L/opt/millpond/lib64 -lascendcl"),
            (
                true,
                true,
                "-I/opt/millpond/include -L/opt/millpond/lib64 -lascendcl",
            ),
        ] {
            assert_eq!(line(&found, cflags, libs).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn a_path_that_a_shell_would_split_is_refused_with_a_way_out() {
        let message = line(&at("/my env/millpond"), true, true).unwrap_err();
        assert!(message.contains("/my env/millpond/include") && message.contains("--link"));
    }
}
