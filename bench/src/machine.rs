//! Where and when it was measured.

use std::fmt;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a figure cannot be read without.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) date: String,
    pub(crate) commit: String,
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    /// Of anonymous and of shared memory: large copies depend on it.
    pub(crate) huge_pages: [String; 2],
    /// Variables that change how the library works.
    pub(crate) variables: Vec<String>,
}

impl Machine {
    pub(crate) fn describe() -> Self {
        Self {
            date: said("date", &["-u", "+%Y-%m-%d"]).unwrap_or_else(|| "undated".to_owned()),
            commit: commit(),
            cpu: cpu(),
            cores: cores(),
            huge_pages: ["enabled", "shmem_enabled"].map(huge_pages),
            variables: variables(),
        }
    }

    /// Where `--save` keeps the table.
    pub(crate) fn results_file(&self) -> PathBuf {
        crate_folder()
            .join("results")
            .join(format!("{}-{}.md", self.date, self.commit))
    }

    /// The same for a program whose table has a name.
    pub(crate) fn named_results_file(&self, name: &str) -> PathBuf {
        self.results_file()
            .with_file_name(format!("{}-{}-{name}.md", self.date, self.commit))
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, commit {}", self.date, self.commit)?;
        writeln!(f, "{}, {} cores", self.cpu, self.cores)?;
        let [anonymous, shared] = &self.huge_pages;
        writeln!(f, "huge pages: {anonymous}; of shared memory: {shared}")?;
        for variable in &self.variables {
            writeln!(f, "with {variable}")?;
        }
        Ok(())
    }
}

/// How many threads can run at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// How many threads this process has now.
pub(crate) fn threads() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    value(&status, "Threads:")?.parse().ok()
}

/// Writes a file, and the folder for it.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), String> {
    let folder = file.parent().filter(|folder| folder.as_os_str() != "");
    folder
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(file, text))
        .map_err(|error| format!("{} cannot be written: {error}", file.display()))
}

/// The folder of this crate. Cargo's word at run time stays true when the checkout was moved.
pub(crate) fn crate_folder() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from)
}

fn commit() -> String {
    let Some(commit) = said("git", &["rev-parse", "--short=12", "HEAD"]) else {
        return "uncommitted".to_owned();
    };
    // Results that were kept before do not change what is measured.
    match said("git", &["status", "--porcelain", "--", ":/", ":!results"]) {
        Some(changes) if !changes.is_empty() => format!("{commit}-changed"),
        _ => commit,
    }
}

fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    value(&info, "model name").map_or_else(
        // Processors other than x86 do not say their name there.
        || std::env::consts::ARCH.to_owned(),
        |name| name.trim_start_matches([':', ' ', '\t']).to_owned(),
    )
}

/// The choice that the system shows in brackets: `always [madvise] never`.
fn huge_pages(file: &str) -> String {
    let path = Path::new("/sys/kernel/mm/transparent_hugepage").join(file);
    let choices = fs::read_to_string(path).unwrap_or_default();
    let chosen = choices
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    chosen.map_or("unknown", |(chosen, _)| chosen).to_owned()
}

fn variables() -> Vec<String> {
    let mut found: Vec<String> = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value))
        .filter(|(name, _)| name.starts_with("MILLPOND_") || name.starts_with("ASCEND_"))
        // Where the engine is changes nothing, and is nobody else's affair.
        .filter(|(name, _)| name != "MILLPOND_ONNXRUNTIME")
        .map(|(name, value)| format!("{name}={}", value.display()))
        .collect();
    found.sort();
    found
}

/// What stands behind `name` at the beginning of a line.
fn value<'text>(text: &'text str, name: &str) -> Option<&'text str> {
    text.lines()
        .find_map(|line| line.strip_prefix(name))
        .map(str::trim)
}

/// What a program prints, if it can be run and is content.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(crate_folder())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_at_least_one_thread() {
        assert!(threads().is_some_and(|threads| threads >= 1));
    }

    #[test]
    fn values_are_found_at_the_beginning_of_a_line() {
        let text = "vendor: A model name\nmodel name\t: B 7\n";
        assert_eq!(value(text, "model name"), Some(": B 7"));
        assert_eq!(value(text, "Threads:"), None);
    }
}
