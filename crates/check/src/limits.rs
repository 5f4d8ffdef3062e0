//! How many findings are kept, and how repeats are folded.
//!
//! Findings pass two folds. The checker folds by call sites: addresses, which are cheap to compare and known at once.
//! Reports fold by resolved frames: functions, files and lines, which are the same in every process and run. What
//! belongs to a fold only counts; it is not another finding.
//!
//! Each step keeps a limited number of different findings. Nobody reads more, and a program that breaks a rule at
//! very many call sites must not fill the memory of its checker. What is beyond a limit is counted, and the report
//! says so: the check is then incomplete.
//!
//! | step | limit | counted as |
//! | --- | --- | --- |
//! | the checker | [`CALL_SITES`] | dropped facts |
//! | a watcher, for a program that asks for its findings | [`FINDINGS`] | dropped findings |
//! | a process: printed, and written to its findings file | [`FINDINGS`] | dropped findings |
//! | the findings that `millpond check` reads of one process | [`FINDINGS`] | dropped findings |
//! | a report | [`FINDINGS`] | dropped findings |
//! | the HTML page, which browsers must render | [`HTML_FINDINGS`] | a sentence on the page |

/// Findings that differ in their call sites.
pub const CALL_SITES: usize = 1 << 16;

/// Findings that a process, or a report, keeps.
pub const FINDINGS: usize = 10_000;

/// Findings that the HTML form shows. The other forms have all.
pub const HTML_FINDINGS: usize = 1000;
