//! What a build is for: a processor, and the tools that make and strip libraries for it.

use std::path::PathBuf;
use std::process::Command;

use crate::tools;

/// A processor that Millpond ships for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processor {
    X86_64,
    Aarch64,
}

impl Processor {
    pub(crate) const ALL: [Self; 2] = [Self::X86_64, Self::Aarch64];

    /// This machine's.
    #[cfg(test)]
    pub(crate) fn here() -> Option<Self> {
        let here = |processor: &Self| processor.name() == std::env::consts::ARCH;
        Self::ALL.into_iter().find(here)
    }

    /// As in the names of wheels, archives and folders.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::Aarch64 => "aarch64",
        }
    }

    /// As Rust calls it.
    pub(crate) fn triple(self) -> String {
        format!("{}-unknown-linux-gnu", self.name())
    }

    /// As Debian's packages call it.
    pub(crate) fn debian(self) -> &'static str {
        match self {
            Self::X86_64 => "amd64",
            Self::Aarch64 => "arm64",
        }
    }
}

/// The compilers and binary tools for one processor.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kit {
    /// Of this machine, whatever it is: what `CC` and `CXX` name.
    Here,
    /// Debian's cross tools, `aarch64-linux-gnu-gcc` and its relatives. Also the name of the native ones.
    Named(Processor),
}

impl Kit {
    /// The name of the processor, for folders that have it in theirs.
    pub(crate) fn processor(self) -> &'static str {
        match self {
            Self::Here => std::env::consts::ARCH,
            Self::Named(processor) => processor.name(),
        }
    }

    /// The largest pages that systems with the processor use.
    pub(crate) fn largest_page(self) -> u64 {
        match self.processor() {
            "aarch64" => 0x1_0000,
            _ => 0x1000,
        }
    }

    /// The C compiler.
    pub(crate) fn cc(self) -> Result<Command, String> {
        match self {
            Self::Here => tools::cc(),
            Self::Named(processor) => self.named("gcc").map(Command::new).ok_or_else(|| {
                format!(
                    "no C compiler for {}\nhint: apt-get install gcc-{}-linux-gnu",
                    processor.name(),
                    processor.name().replace('_', "-")
                )
            }),
        }
    }

    /// The C++ compiler. `None` where there is none.
    pub(crate) fn cxx(self) -> Option<Command> {
        match self {
            Self::Here => tools::cxx(),
            Self::Named(_) => self.named("g++").map(Command::new),
        }
    }

    /// `strip`, `objcopy` and the like. `None` where they are not installed.
    pub(crate) fn tool(self, name: &str) -> Option<PathBuf> {
        match self {
            Self::Here => tools::find(name),
            Self::Named(_) => self.named(name),
        }
    }

    fn named(self, tool: &str) -> Option<PathBuf> {
        tools::find(&format!("{}-linux-gnu-{tool}", self.processor()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_others_use() {
        let names = Processor::ALL.map(|one| (one.name(), one.triple(), one.debian()));
        let wanted = [
            ("x86_64", "x86_64-unknown-linux-gnu".to_owned(), "amd64"),
            ("aarch64", "aarch64-unknown-linux-gnu".to_owned(), "arm64"),
        ];
        assert_eq!(names, wanted);
    }
}
