//! The report as a file: for programs, for services that collect results, for a browser.

mod html;
mod json;
mod junit;
mod sarif;

/// The version that reports name.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The page of a rule, as a path in the project.
fn page(rule: &str) -> String {
    format!("docs/rules/{rule}.md")
}
