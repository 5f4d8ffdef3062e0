//! The headers, their Rust twin and the library are one interface.
//!
//! The headers are written by hand, so a machine compares: each header compiles alone, the C
//! compiler and Rust agree on every value, layout and prototype, and the library exports exactly
//! what is declared. A check whose tool is missing says so and passes; with `MILLPOND_REQUIRE=c`
//! in the environment it fails instead.

#![expect(
    clippy::print_stderr,
    reason = "a check that cannot run says so where the tests are read"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test harness stops at the first surprise"
)]

mod client_headers;
mod headers;
mod prototypes;
mod refusals;
mod symbols;
mod tools;
mod values;
