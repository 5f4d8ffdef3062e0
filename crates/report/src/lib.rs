//! Findings for people and machines.
//!
//! A finding names records; a report names functions, files and lines. [`Symbols`] finds those,
//! [`Told`] is a finding that has them and does not need the process any more, and the rest of this
//! crate writes it down: a line of the findings file ([`Line`]), text, JSON and other forms. [`Lost`] is what could not
//! be found out or said, and [`Ledger`] how processes count that.

mod clean;
mod forms;
mod json;
mod ledger;
mod line;
mod lost;
mod nearest;
mod report;
#[cfg(test)]
mod sample;
mod summary;
mod suppress;
mod symbols;
mod text;
mod told;

pub use clean::{clean, clean_lines};
pub use json::Json;
pub use ledger::{Count, Ledger, memory_file};
pub use line::{Entry, Line, LineError};
pub use lost::{Lost, LostKind};
pub use nearest::nearest;
pub use report::{Report, Run};
pub use suppress::{Suppression, SuppressionError, Suppressions, known_rule};
pub use symbols::{Module, Symbols, loaded_modules};
pub use text::{Colour, Style};
pub use told::{Place, Told, ToldAct, ToldBlock};
