//! The documents are true: links lead somewhere, and ARCHITECTURE.md names only what exists.
//!
//! Two checks, both without network:
//! - every relative link of every Markdown file names a file, and its anchor a heading of that file;
//! - every file, type and function that ARCHITECTURE.md names in `code` is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::tools::Outcome;

/// Where Markdown files of ours are.
const PLACES: &[&str] = &[
    ".",
    "docs",
    "docs/queries",
    "docs/rules",
    "docs/recipes",
    "bench",
    "companions",
    "tests",
    "examples",
    "examples/torch/released",
    "fuzz",
];

/// Where names of the program text are looked for.
const SOURCES: &[&str] = &["crates", "include", "xtask", "bench", "packaging"];

/// Runs both checks; a failure lists everything that is wrong.
pub(crate) fn check(root: &Path) -> Result<Outcome, String> {
    let pages = pages(root)?;
    let mut wrong = Vec::new();
    for page in &pages {
        let text = read(page)?;
        wrong.extend(
            broken_links(root, page, &text)?
                .into_iter()
                .map(|link| format!("{}: broken link {link}", shown(root, page))),
        );
    }
    let map = root.join("ARCHITECTURE.md");
    let sources = Sources::read(root)?;
    for name in code_spans(&read(&map)?) {
        if !sources.has(&name) {
            wrong.push(format!(
                "ARCHITECTURE.md names `{name}`, which does not exist"
            ));
        }
    }
    if wrong.is_empty() {
        println!("{} pages", pages.len());
        Ok(Outcome::Passed)
    } else {
        Err(wrong.join("\n"))
    }
}

fn pages(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut pages = Vec::new();
    for place in PLACES {
        let folder = root.join(place);
        if !folder.is_dir() {
            continue;
        }
        for path in entries(&folder)? {
            if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}

/// The links of a page that lead nowhere.
fn broken_links(root: &Path, page: &Path, text: &str) -> Result<Vec<String>, String> {
    let mut broken = Vec::new();
    for link in links(text) {
        if link.contains("://") || link.starts_with("mailto:") {
            continue;
        }
        let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
        let target = if file.is_empty() {
            page.to_path_buf()
        } else {
            page.parent().unwrap_or(root).join(file)
        };
        let is_page = target.extension().is_some_and(|ending| ending == "md");
        let found = target.exists()
            && (anchor.is_empty() || !is_page || anchors(&read(&target)?).contains(anchor));
        if !found {
            broken.push(link);
        }
    }
    Ok(broken)
}

/// The targets of `[text](target)` outside of code.
pub(crate) fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        let line = without_spans(line);
        let mut rest = line.as_str();
        while let Some(place) = rest.find("](") {
            rest = &rest[place + 2..];
            let Some(end) = rest.find(')') else { break };
            let target = rest[..end].split_whitespace().next().unwrap_or_default();
            links.push(target.to_owned());
            rest = &rest[end..];
        }
    }
    links
}

/// The lines outside of fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    })
}

fn without_spans(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// The anchors that code hosts make of headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for line in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let slug: String = title
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        // The second heading of a name gets -1, and so on.
        let mut unique = slug.clone();
        let mut count = 0;
        while !anchors.insert(unique.clone()) {
            count += 1;
            unique = format!("{slug}-{count}");
        }
    }
    anchors
}

/// What stands in backquotes, outside of fenced blocks. A span may go on in the next line.
fn code_spans(text: &str) -> Vec<String> {
    let text: String = prose(text).collect::<Vec<_>>().join("\n");
    let spans = text.split('`').skip(1).step_by(2);
    spans
        .map(|span| span.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// What ARCHITECTURE.md may name.
struct Sources {
    files: BTreeSet<String>,
    /// The words of each file.
    words: Vec<BTreeSet<String>>,
}

impl Sources {
    fn read(root: &Path) -> Result<Self, String> {
        let mut sources = Self {
            files: BTreeSet::new(),
            words: Vec::new(),
        };
        for path in entries(root)? {
            sources.files.insert(shown(root, &path));
        }
        let mut open: Vec<PathBuf> = ["companions", "docs", "examples", "fuzz", "tests"]
            .iter()
            .chain(SOURCES)
            .map(|place| root.join(place))
            .filter(|path| path.is_dir())
            .collect();
        while let Some(folder) = open.pop() {
            sources.files.insert(shown(root, &folder));
            for path in entries(&folder)? {
                if path.is_dir() {
                    open.push(path);
                    continue;
                }
                sources.files.insert(shown(root, &path));
                let text = fs::read(&path).unwrap_or_default();
                let is_document = path.extension().is_some_and(|ending| ending == "md");
                if let (false, Ok(text)) = (is_document, String::from_utf8(text)) {
                    sources.words.push(words(&text));
                }
            }
        }
        Ok(sources)
    }

    /// Whether a span is something else than a name, or names something that exists.
    fn has(&self, span: &str) -> bool {
        if span.contains(' ') || span.contains('<') || span.contains('*') {
            return true;
        }
        let span = span.trim_end_matches("()");
        if let Some((file, name)) = span.split_once("::")
            && is_file(file)
        {
            return self.has_file(file) && self.has_words(name);
        }
        if span.contains('/') || is_file(span) {
            return self.has_file(span);
        }
        self.has_words(span)
    }

    /// Paths leave out `crates/` and `src/`.
    fn has_file(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        if self.files.contains(path) {
            return true;
        }
        if let Some((before, rest)) = path.split_once('{')
            && let Some((names, after)) = rest.split_once('}')
        {
            return names
                .split(',')
                .all(|name| self.has_file(&format!("{before}{name}{after}")));
        }
        let (krate, rest) = path.split_once('/').unwrap_or((path, ""));
        let below = format!("crates/{krate}/src/{rest}");
        self.files.contains(below.trim_end_matches('/'))
            || self.files.contains(&format!("crates/{path}"))
            || (rest.is_empty()
                && self
                    .files
                    .iter()
                    .any(|file| file.ends_with(&format!("/{path}"))))
    }

    /// Whether one file of the program text uses every word of a name: `Pool` and `alloc` for `Pool::alloc`.
    fn has_words(&self, name: &str) -> bool {
        let wanted = words(name);
        self.words.iter().any(|file| wanted.is_subset(file))
    }
}

fn is_file(name: &str) -> bool {
    let ending = Path::new(name).extension();
    ending.is_some_and(|ending| {
        ["rs", "md", "tsv", "py", "h"]
            .iter()
            .any(|known| ending == *known)
    })
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let read = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = read.flatten().map(|entry| entry.path());
    Ok(paths.collect())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn shown(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_code_are_not_links() {
        let text = "a [b](c.md) `[d](e)` [f](g.md#h)\n```\n[i](j)\n```\n[k](l \"title\")\n";
        assert_eq!(links(text), ["c.md", "g.md#h", "l"]);
    }

    #[test]
    fn anchors_are_those_of_code_hosts() {
        let text = "# What `check` says, and why\n## Same\n## Same\n```\n# no heading\n```\n";
        let expected = ["same", "same-1", "what-check-says-and-why"];
        assert!(anchors(text).iter().eq(&expected), "{:?}", anchors(text));
    }

    #[test]
    fn names_that_do_not_exist_are_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let sources = Sources::read(&root).unwrap();
        for there in [
            "crates/pool",
            "pool/src/pool.rs",
            "xtask/src/documents.rs",
            "aclrtMallocAlign32",
            "Sources::read",
            "device/{host,pinned}.rs",
            "cargo xtask test",
        ] {
            assert!(sources.has(there), "{there}");
        }
        // Put together here, because this file is one of the sources.
        let absent = format!("Sources::{}{}", "no_such", "_function");
        for missing in ["pool/no_such_file.rs", absent.as_str(), "crates/nowhere"] {
            assert!(!sources.has(missing), "{missing}");
        }
    }

    #[test]
    fn a_link_to_a_heading_that_is_gone_is_broken() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let page = root.join("README.md");
        let text = "[a](README.md#no-such-heading) [b](no-such-file.md) [c](LICENSE)";
        let broken = broken_links(&root, &page, text).unwrap();
        assert_eq!(broken, ["README.md#no-such-heading", "no-such-file.md"]);
    }
}
