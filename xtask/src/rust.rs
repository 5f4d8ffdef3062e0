//! The Rust compiler for a processor: rustup's, or Debian's, which has the libraries of other processors as packages.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::kit::Processor;

/// Where Debian's packages put it.
const DEBIAN: &str = "/usr/bin/rustc";

/// A compiler that has the standard library of a processor.
#[derive(Clone, Debug)]
pub(crate) struct Rust {
    /// `None` is the one that Cargo uses anyway.
    rustc: Option<OsString>,
}

impl Rust {
    /// The first of `RUSTC`, Cargo's own and Debian's that can compile for the processor. `Err` says how to get one.
    pub(crate) fn find(root: &Path, processor: Processor) -> Result<Self, String> {
        let named = std::env::var_os("RUSTC");
        let is_named = named.is_some();
        for rustc in [named, None, Some(DEBIAN.into())] {
            let program = rustc.clone().unwrap_or_else(|| "rustc".into());
            if has_library(root, &program, processor) {
                return Ok(Self { rustc });
            }
            if is_named {
                break;
            }
        }
        let triple = processor.triple();
        Err(format!(
            "no Rust compiler here has the standard library for {triple}\nhint: rustup target add {triple}, or {}",
            apt_line(processor)
        ))
    }

    /// Makes Cargo use it.
    pub(crate) fn choose(&self, cargo: &mut Command) {
        if let Some(rustc) = &self.rustc {
            cargo.env("RUSTC", rustc);
        }
    }
}

/// The Debian packages of what the other processor needs, as a line to type.
pub(crate) fn apt_line(processor: Processor) -> String {
    let (debian, gnu) = (processor.debian(), processor.name().replace('_', "-"));
    format!(
        "dpkg --add-architecture {debian} && apt-get update && apt-get install rustc-web cargo-web \
         libstd-rust-web-dev:{debian} gcc-{gnu}-linux-gnu g++-{gnu}-linux-gnu libc6-dev-{debian}-cross qemu-user qemu-user-binfmt"
    )
}

fn has_library(root: &Path, rustc: &OsString, processor: Processor) -> bool {
    let asked = Command::new(rustc)
        .current_dir(root)
        .args(["--print", "target-libdir", "--target"])
        .arg(processor.triple())
        .stderr(Stdio::null())
        .output();
    asked.is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success() && Path::new(folder.trim()).is_dir()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_can_compile_for_itself() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        if let Some(here) = Processor::here() {
            assert!(Rust::find(root, here).is_ok());
        }
    }

    #[test]
    fn what_to_install_is_one_line() {
        let line = apt_line(Processor::Aarch64);
        assert!(!line.contains('\n'));
        for package in [
            "libstd-rust-web-dev:arm64",
            "gcc-aarch64-linux-gnu",
            "qemu-user",
        ] {
            assert!(line.contains(package), "{line}");
        }
    }
}
