//! Findings for people and machines.
//!
//! The checker's findings have addresses. [`Symbols`], of a crate of its own, finds their functions, files and lines; a
//! [`ResolvedFinding`] has those and does not need the process any more. The rest of this crate writes it: as a
//! line of the findings file ([`Line`]), and as text, JSON, SARIF, `JUnit` and HTML. [`Lost`] is what could not be
//! checked or reported, and [`Ledger`] is how processes count that.

mod clean;
mod forms;
mod json;
mod ledger;
mod line;
mod lost;
mod nearest;
mod ranks;
mod report;
mod resolved;
#[cfg(test)]
mod sample;
mod summary;
mod suppress;
mod text;

pub use millpond_symbols::{Module, Symbols, loaded_modules};

pub use clean::{clean, clean_lines};
pub use forms::ReportFormat;
pub use ledger::{Count, Ledger, memory_file};
pub use line::{Entry, Line, LineError, ProcessEnd};
pub use lost::{Lost, LostKind};
pub use nearest::{near, nearest};
pub use ranks::{ResolvedCell, ResolvedColumn, ResolvedLane, ResolvedMatrix, ResolvedRanks};
pub use report::{FindingKey, Report, Run};
pub use resolved::{ResolvedBlock, ResolvedFinding, ResolvedFrame, ResolvedOperation};
pub use suppress::{Suppression, SuppressionError, Suppressions, known_rule};
pub use text::{Colour, Style};
