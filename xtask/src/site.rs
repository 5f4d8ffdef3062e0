//! `cargo xtask site`: the documentation as a static site with search, made by mdBook.
//!
//! The sources of the site mirror the repository, so that relative links stay as they are: pages, and every other file that a page links.
//! Only a `README.md` is called `index.md` there: mdBook gives that page the name of an index anyway, but does not change links to it.
//! The order of pages is the table below; a test fails when a page of `docs/` is in no section. Other pages that these link stand at the end.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools::Outcome;
use crate::{documents, tools};

/// The sections and their pages. The pages of a folder with a `README.md` in it stand below that page.
const SECTIONS: &[(&str, &[&str])] = &[
    (
        "Begin",
        &[
            "README.md",
            "docs/README.md",
            "docs/install.md",
            "docs/start.md",
            "docs/python.md",
            "docs/ci.md",
            "docs/testing.md",
        ],
    ),
    ("Recipes", &["docs/recipes/README.md"]),
    (
        "Check",
        &[
            "docs/check.md",
            "docs/rules/README.md",
            "docs/report.md",
            "docs/suppressions.md",
            "docs/corpus.md",
        ],
    ),
    (
        "Memory over time",
        &[
            "docs/recording.md",
            "docs/view.md",
            "docs/replay.md",
            "docs/queries/README.md",
            "docs/profiling.md",
        ],
    ),
    (
        "Programs",
        &[
            "docs/pytorch.md",
            "docs/ranks.md",
            "docs/onnxruntime-cann.md",
            "docs/operators.md",
            "docs/models.md",
            "docs/graphs.md",
            "docs/media.md",
            "docs/mstx.md",
            "docs/processes.md",
            "docs/cuda.md",
            "docs/memory.md",
            "docs/plugin.md",
        ],
    ),
    (
        "Reference",
        &[
            "docs/compatibility.md",
            "docs/functions.md",
            "docs/environment.md",
            "docs/record-format.md",
            "docs/conformance.md",
            "docs/conformance_onnx.md",
            "docs/benchmarks.md",
            "docs/oracle.md",
        ],
    ),
    (
        "Project",
        &[
            "CHANGELOG.md",
            "ARCHITECTURE.md",
            "CONTRIBUTING.md",
            "docs/decisions.md",
            "docs/versions.md",
            "docs/releases.md",
            "SECURITY.md",
        ],
    ),
];

const BOOK: &str = "\
[book]
title = \"Millpond\"
description = \"Run and check programs for Ascend NPUs on any Linux machine\"
language = \"en\"
src = \"src\"

[build]
build-dir = \"html\"
create-missing = false

[output.html]
default-theme = \"light\"
smart-punctuation = false
additional-css = [\"wide.css\"]

[output.html.fold]
enable = true
level = 0

[output.html.search]
limit-results = 30
";

/// Our tables and reports are wider than the 750 pixels that mdBook gives them.
const STYLE: &str = ":root { --content-max-width: 1050px; }\n";

/// The section of pages that are in no other one, and that others link.
const MORE: &str = "\n# More\n\n";

/// How to get the program.
const INSTALL: &str = "cargo install --locked --root target/mdbook mdbook";

/// Builds the site.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    match step(root)? {
        Outcome::Skipped(reason) => println!("skipped: {reason}"),
        Outcome::Passed | Outcome::Failed(_) => {}
    }
    Ok(())
}

/// The step: the sources of the site are whole; and where mdBook is installed, it builds the site of them.
pub(crate) fn step(root: &Path) -> Result<Outcome, String> {
    let folder = tools::target(root).join("site");
    let pages = lay_out(root, &folder)?;
    let links = whole(&folder.join("src"), &pages)?;
    println!("{} pages, {links} links to other files", pages.len());
    let own = tools::target(root).join("mdbook/bin/mdbook");
    let Some(program) = own
        .is_file()
        .then_some(own)
        .or_else(|| tools::find("mdbook"))
    else {
        return Ok(Outcome::Skipped(format!(
            "pages and links are whole; to build the site, mdbook is not installed ({INSTALL})"
        )));
    };
    tools::run(Command::new(program).arg("build").arg(&folder))?;
    complete(&folder.join("html"), &pages)?;
    println!("the site: {}", folder.join("html/index.html").display());
    Ok(Outcome::Passed)
}

/// Writes what mdBook reads, and returns the pages.
fn lay_out(root: &Path, folder: &Path) -> Result<Vec<String>, String> {
    let source = folder.join("src");
    if source.exists() {
        fs::remove_dir_all(&source).map_err(|error| format!("{}: {error}", source.display()))?;
    }
    let (mut summary, mut pages) = contents(root)?;
    let mut next = 0;
    while let Some(page) = pages.get(next) {
        next += 1;
        for file in linked(root, Path::new(page))? {
            let other = file.to_string_lossy().into_owned();
            if is_page(&other) && !pages.contains(&other) {
                if !summary.contains(MORE) {
                    summary.push_str(MORE);
                }
                summary += "- [";
                summary += &title(root, &other)?;
                summary += &["](", &other, ")\n"].concat();
                pages.push(other);
            }
        }
    }
    let mut files: BTreeSet<PathBuf> = pages.iter().map(PathBuf::from).collect();
    for page in &pages {
        files.extend(linked(root, Path::new(page))?);
    }
    for file in &files {
        let name = file.to_string_lossy();
        if is_page(&name) {
            let text = read(&root.join(file))?;
            write(&source.join(in_site(&name)), &links_in_site(&text))?;
        } else {
            copy(&root.join(file), &source.join(file))?;
        }
    }
    write(&source.join("SUMMARY.md"), &links_in_site(&summary))?;
    write(&folder.join("book.toml"), BOOK)?;
    write(&folder.join("wide.css"), STYLE)?;
    Ok(pages.iter().map(|page| in_site(page)).collect())
}

/// What a file of the repository is called in the site.
fn in_site(name: &str) -> String {
    match name.strip_suffix("README.md") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => {
            folder.to_owned() + "index.md"
        }
        _ => name.to_owned(),
    }
}

/// A page with links to the names that files have in the site.
fn links_in_site(text: &str) -> String {
    let mut text = text.to_owned();
    for link in documents::links(&text) {
        let (file, anchor) = link.split_at(link.find('#').unwrap_or(link.len()));
        let renamed = in_site(file);
        if renamed != file && !link.contains("://") {
            let new = format!("]({renamed}{anchor})");
            text = text.replace(&format!("]({link})"), &new);
        }
    }
    text
}

/// Every link of every page leads to a file that is in the site too. Returns how many there are.
fn whole(source: &Path, pages: &[String]) -> Result<usize, String> {
    let mut count = 0;
    let mut broken = Vec::new();
    for page in pages {
        let folder = Path::new(page).parent().unwrap_or(Path::new(""));
        for link in documents::links(&read(&source.join(page))?) {
            let (file, _) = link.split_once('#').unwrap_or((&link, ""));
            if file.is_empty() || link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            count += 1;
            let path = normal(&folder.join(file));
            // mdBook leaves out pages that are not in the contents, and a folder has no page.
            let is_in_contents = || pages.iter().any(|page| Path::new(page) == path);
            if !source.join(&path).is_file() || is_page(file) && !is_in_contents() {
                broken.push(format!("{page}: {link}"));
            }
        }
    }
    if broken.is_empty() {
        Ok(count)
    } else {
        Err(format!(
            "the site lacks what these links lead to:\n{}",
            broken.join("\n")
        ))
    }
}

/// The table of contents for mdBook, and the pages in it.
fn contents(root: &Path) -> Result<(String, Vec<String>), String> {
    let mut text = vec!["# Contents\n".to_owned()];
    let mut pages = Vec::new();
    for (section, members) in SECTIONS {
        text.push(format!("\n# {section}\n\n"));
        for &page in *members {
            text.push(format!("- [{}]({page})\n", title(root, page)?));
            pages.push(page.to_owned());
            let Some(folder) = page
                .strip_suffix("/README.md")
                .filter(|&folder| folder != "docs")
            else {
                continue;
            };
            for inner in markdown(root, folder)? {
                if inner != page {
                    text.push(format!("  - [{}]({inner})\n", title(root, &inner)?));
                    pages.push(inner);
                }
            }
        }
    }
    Ok((text.concat(), pages))
}

/// Whether mdBook makes a page of a file.
fn is_page(name: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|ending| ending == "md")
}

/// The pages of a folder, by name.
fn markdown(root: &Path, folder: &str) -> Result<Vec<String>, String> {
    let failed = |error| format!("cannot list {folder}: {error}");
    let mut pages = Vec::new();
    for entry in fs::read_dir(root.join(folder)).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let name = name.to_string_lossy().into_owned();
        if is_page(&name) {
            pages.push(format!("{folder}/{name}"));
        }
    }
    pages.sort();
    Ok(pages)
}

/// The first heading of a page.
fn title(root: &Path, page: &str) -> Result<String, String> {
    let text = read(&root.join(page))?;
    text.lines()
        .find_map(|line| line.strip_prefix("# "))
        .map(|title| title.replace('`', ""))
        .ok_or_else(|| format!("{page} has no heading"))
}

/// The files that a page links and that are not pages; for mdBook copies them as they are.
fn linked(root: &Path, page: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for link in documents::links(&read(&root.join(page))?) {
        let (file, _) = link.split_once('#').unwrap_or((&link, ""));
        if file.is_empty() || link.contains("://") {
            continue;
        }
        let path = normal(&page.parent().unwrap_or(Path::new("")).join(file));
        if root.join(&path).is_file() {
            files.push(path);
        }
    }
    Ok(files)
}

/// A path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut parts: Vec<&std::ffi::OsStr> = Vec::new();
    for part in path {
        if part == ".." {
            parts.pop();
        } else if part != "." {
            parts.push(part);
        }
    }
    parts.into_iter().collect()
}

/// Every page became a file, its links and pictures lead to files, and there is an index for the search.
fn complete(html: &Path, pages: &[String]) -> Result<(), String> {
    let mut broken = Vec::new();
    for page in pages {
        let name = page.replace(".md", ".html");
        if !html.join(&name).is_file() {
            return Err(format!("mdBook did not write {name}"));
        }
        let folder = Path::new(&name).parent().unwrap_or(Path::new(""));
        for link in links_of_html(&read(&html.join(&name))?) {
            if !html.join(normal(&folder.join(&link))).is_file() {
                broken.push(format!("{name}: {link}"));
            }
        }
    }
    if !broken.is_empty() {
        return Err(format!(
            "the site lacks what these links of built pages lead to:\n{}",
            broken.join("\n")
        ));
    }
    let failed = |error| format!("cannot list {}: {error}", html.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(html).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name());
    }
    let is_index = |name: &std::ffi::OsString| name.to_string_lossy().starts_with("searchindex");
    if !names.iter().any(is_index) {
        return Err("mdBook did not write an index for the search".to_owned());
    }
    Ok(())
}

/// The files that a built page names, without anchors and addresses.
fn links_of_html(text: &str) -> Vec<String> {
    let named = [" href=\"", " src=\""].map(|mark| text.split(mark).skip(1));
    let values = named.into_iter().flatten();
    values
        .filter_map(|rest| rest.split(['"', '#', '?']).next())
        .filter(|file| !file.is_empty() && !file.contains(':'))
        .map(str::to_owned)
        .collect()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    fs::copy(from, to)
        .map(drop)
        .map_err(|error| format!("cannot copy {}: {error}", from.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_in_the_contents_once() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let (_, pages) = contents(&root).unwrap();
        let once: BTreeSet<&String> = pages.iter().collect();
        assert_eq!(once.len(), pages.len(), "a page is listed twice");
        for folder in ["docs", "docs/rules", "docs/recipes"] {
            for page in markdown(&root, folder).unwrap() {
                assert!(
                    once.contains(&page),
                    "{page} is in no section of xtask/src/site.rs"
                );
            }
        }
    }

    #[test]
    fn a_link_to_a_file_that_is_not_in_the_site_is_found() {
        let folder = std::env::temp_dir().join(format!("millpond-site-{}", std::process::id()));
        write(
            &folder.join("docs/a.md"),
            "# A\n\n[b](b.md#x) [c](https://c.example)\n",
        )
        .unwrap();
        write(
            &folder.join("docs/b.md"),
            "# B\n\n[a](../docs/a.md) [top](#b)\n",
        )
        .unwrap();
        let pages = ["docs/a.md".to_owned(), "docs/b.md".to_owned()];
        assert_eq!(whole(&folder, &pages), Ok(2));
        write(&folder.join("c.md"), "# In no contents\n").unwrap();
        for wrong in ["gone.png", "../c.md", "../docs"] {
            write(
                &folder.join("docs/b.md"),
                &format!("# B\n\n[a link]({wrong})\n"),
            )
            .unwrap();
            let found = whole(&folder, &pages).unwrap_err();
            assert!(found.contains(&format!("docs/b.md: {wrong}")), "{found}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_readme_is_the_index_of_its_folder_in_the_site() {
        let text = "[a](README.md) [b](../x/README.md#y) [c](OTHER_README.md) [d](https://d.example/README.md)";
        assert_eq!(
            links_in_site(text),
            "[a](index.md) [b](../x/index.md#y) [c](OTHER_README.md) [d](https://d.example/README.md)"
        );
    }

    #[test]
    fn a_built_page_names_files_in_links_and_pictures() {
        let text = r##"<a href="b.html#x">b</a><a href="#top"></a><a href="https://c.example"></a><img src="d.png">"##;
        assert_eq!(links_of_html(text), ["b.html", "d.png"]);
    }

    #[test]
    fn paths_lose_their_detours() {
        assert_eq!(
            normal(Path::new("docs/rules/../../README.md")),
            Path::new("README.md")
        );
        assert_eq!(normal(Path::new("docs/./a.md")), Path::new("docs/a.md"));
    }
}
